package web

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ludus/cmd/ludus/internal/static"
)

// pages maps URL patterns to HTML files.
var pages = map[string]string{
	"/{$}": "play.html", "/runs": "runs.html", "/run": "run.html", "/compare": "compare.html", "/sheet": "sheet.html",
}

//go:embed error.html
var errorHTML string

var errorPage = template.Must(template.New("error").Parse(errorHTML))

// isPage reports whether a path is that of a page, not below /api or /static.
func isPage(path string) bool {
	return !strings.HasPrefix(path, "/api") && !strings.HasPrefix(path, "/static")
}

// wantsPage reports whether a browser requests a page.
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
	links := e.status != http.StatusUnauthorized // without the token, style sheets and linked pages would be errors, too
	if err := errorPage.Execute(&b, map[string]any{"Title": title, "Error": sentence(e.text), "Links": links}); err != nil {
		panic("web: the template of the error page is wrong: " + err.Error())
	}
	w.Header().Set("Content-Type", contentTypes[".html"])
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(e.status)
	_, _ = w.Write(b.Bytes()) // fails if the client has disconnected
}

// sentence turns an error's text into a sentence.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

// contentTypes are the content types of files by extension. The operating system's table may be wrong, and browsers check
// types.
var contentTypes = map[string]string{
	"": "text/plain; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
}

// serveFile sends a file of package static.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	info, err := fs.Stat(static.Files, name)
	if err != nil || info.IsDir() {
		s.fail(w, r, unknownPath(r.URL.Path))
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
	http.ServeFileFS(w, r, static.Files, name)
}

// pageRoutes registers the pages and the files that they load.
func (s *Server) pageRoutes() {
	for pattern, name := range pages {
		if name != "sheet.html" || s.sheet != nil {
			s.handle("GET", pattern, func(w http.ResponseWriter, r *http.Request) { s.serveFile(w, r, name) })
		}
	}
	s.handle("GET", "/static/{name...}", func(w http.ResponseWriter,
		r *http.Request) {
		s.serveFile(w, r, r.PathValue("name"))
	})
}
