package web

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"time"

	"ludus/cmd/ludus/internal/static"
)

// pages maps URL patterns to HTML files.
var pages = map[string]string{"/{$}": "play.html", "/runs": "runs.html", "/run": "run.html"}

// asset is a file of package static.
type asset struct {
	name string
	data []byte
	etag string
}

// serve sends the file, or 304 Not Modified if the browser's copy is current.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Etag", a.etag)
	w.Header().Set("Content-Type", contentType(a.name))
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(a.data))
}

// contentType returns a file's type by its name. The operating system's table may be wrong, and browsers check types.
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

// pageRoutes serves the pages and the files they load.
func (s *Server) pageRoutes() {
	assets := map[string]*asset{}
	err := fs.WalkDir(static.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := static.Files.ReadFile(name)
		assets[name] = &asset{name, data, fmt.Sprintf(`"%x"`, sha256.Sum256(data))}
		return err
	})
	if err != nil {
		panic("web: cannot read an embedded file")
	}
	for pattern, name := range pages {
		s.handle("GET", pattern, assets[name].serve)
	}
	s.handle("GET", "/static/{name...}", func(w http.ResponseWriter, r *http.Request) {
		if a := assets[r.PathValue("name")]; a != nil {
			a.serve(w, r)
			return
		}
		s.fail(w, r, unknownPath(r.URL.Path))
	})
}
