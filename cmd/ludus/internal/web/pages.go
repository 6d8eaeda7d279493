package web

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ludus/cmd/ludus/internal/static"
)

// pages maps URL patterns to HTML files.
var pages = map[string]string{"/{$}": "play.html", "/runs": "runs.html", "/run": "run.html", "/compare": "compare.html"}

//go:embed error.html
var errorHTML string

var errorPage = template.Must(template.New("error").Parse(errorHTML))

// isPage reports whether a path is that of a page, and not below /api or /static.
func isPage(path string) bool {
	return !strings.HasPrefix(path, "/api") && !strings.HasPrefix(path, "/static")
}

// wantsPage reports whether a request is a browser's for a page.
func wantsPage(r *http.Request) bool {
	return isPage(r.URL.Path) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// writeErrorPage replies with a page that shows an error.
func (s *Server) writeErrorPage(w http.ResponseWriter, e *httpError) {
	var b bytes.Buffer
	title := http.StatusText(e.status)
	if e.status == http.StatusNotFound {
		title = "Page not found"
	}
	links := e.status != http.StatusUnauthorized // without the token, styles and other pages are errors, too
	if err := errorPage.Execute(&b, map[string]any{"Title": title, "Error": sentence(e.text), "Links": links}); err != nil {
		panic("web: the template of the error page is wrong: " + err.Error())
	}
	w.Header().Set("Content-Type", contentType(".html"))
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(e.status)
	_, _ = w.Write(b.Bytes()) // fails if the client has disconnected
}

// sentence makes an error's text a sentence.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

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
	if s.sheet != nil {
		s.handle("GET", "/sheet", assets["sheet.html"].serve)
	}
	s.handle("GET", "/static/{name...}", func(w http.ResponseWriter, r *http.Request) {
		if a := assets[r.PathValue("name")]; a != nil {
			a.serve(w, r)
			return
		}
		s.fail(w, r, unknownPath(r.URL.Path))
	})
}
