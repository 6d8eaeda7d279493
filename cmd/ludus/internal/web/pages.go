package web

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"time"

	"ludus/cmd/ludus/internal/static"
)

//go:embed index.html
var index []byte

// asset is a file that pages are made of.
type asset struct {
	name string
	data []byte
	etag string
}

func newAsset(name string, data []byte) *asset {
	return &asset{name, data, fmt.Sprintf(`"%x"`, sha256.Sum256(data))}
}

// serve writes the file, or says that the browser's copy is still good.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Etag", a.etag)
	w.Header().Set("Content-Type", contentType(a.name))
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(a.data))
}

// contentType does not depend on the machine's table, which may be wrong; browsers run only what is called a script.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// pageRoutes serves the front page and the files it loads.
func (s *Server) pageRoutes() {
	s.mux.HandleFunc("GET /{$}", newAsset("index.html", index).serve)
	assets := map[string]*asset{}
	err := fs.WalkDir(static.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := static.Files.ReadFile(name)
		assets[name] = newAsset(name, data)
		return err
	})
	if err != nil {
		panic("web: an embedded file that cannot be read")
	}
	s.mux.HandleFunc("GET /static/{name...}", func(w http.ResponseWriter, r *http.Request) {
		if a := assets[r.PathValue("name")]; a != nil {
			a.serve(w, r)
			return
		}
		s.fail(w, r, refused(http.StatusNotFound, "there is nothing at %s", r.URL.Path))
	})
}
