package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// recorder records a response and accepts deadlines as a connection does.
type recorder struct{ *httptest.ResponseRecorder }

func (recorder) SetReadDeadline(time.Time) error  { return nil }
func (recorder) SetWriteDeadline(time.Time) error { return nil }

// No request causes a panic. The response is a page, a file or JSON, and an error has a text. Requests from other
// origins or without the token get nothing.
func FuzzRequest(f *testing.F) {
	dir := runsFolder(f)
	type seed struct{ method, path, host, origin, site, kind, body string }
	ours, body := "localhost", `{"game":"quad-5x5","moves":["mark r3 c3"],"agent":"mcts:3"}`
	for _, s := range []seed{
		{"GET", "/", ours, "", "", "", ""},
		{"GET", "/static/dom.js", ours, "", "same-origin", "", ""},
		{"GET", "/static/..%2f..", ours, "", "none", "", ""},
		{"GET", "/api/about", ours, "http://localhost", "", "", ""},
		{"GET", "/api/runs", ours, "", "", "", ""},
		{"GET", "/api/runs", "evil.example", "", "", "", ""},
		{"GET", "/api/run?name=../quad", ours, "", "", "", ""},
		{"GET", "/api/run/games?name=quad&generation=1&game=x", ours, "", "", "", ""},
		{"POST", "/api/position", ours, "", "", "application/json", `{"game":"quad-5x5"}`},
		{"POST", "/api/choose", ours, "http://localhost", "same-origin", "application/json; charset=utf-8", body},
		{"POST", "/api/analyze", ours, "null", "cross-site", "application/json", body},
		{"POST", "/api/analyze", "[::1]:80", "", "", "application/json", `{"game":"quad-5x5","agent":"net:../quad,sims=2"}`},
		{"POST", "/api/choose", ours, "", "", "application/json", `{"game":"quad-5x5","agent":"policy:quad"}`},
		{"DELETE", "/api/choose", ours, "", "", "text/plain", "x"},
	} {
		f.Add(s.method, s.path, s.host, s.origin, s.site, s.kind, s.body, false)
		f.Add(s.method, s.path, s.host, s.origin, s.site, s.kind, s.body, true)
	}
	open, closed := handler(f, Options{Runs: dir}), handler(f, Options{Runs: dir, Token: "a-token-of-mine"})
	f.Fuzz(func(t *testing.T, method, path, host, origin, site, kind, body string, token bool) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
		if err != nil || !strings.HasPrefix(path, "/") {
			t.Skip("no request")
		}
		for _, slow := range []string{"alphabeta", "solver", "mcts:", "sims", "simulations", "\\u"} {
			if strings.Contains(path+strings.ReplaceAll(body, `mcts:3"`, ""), slow) {
				t.Skip("slow")
			}
		}
		r.Host = host
		for name, value := range map[string]string{"Origin": origin, "Sec-Fetch-Site": site, "Content-Type": kind} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		handler := open
		if token {
			handler = closed
		}
		w := recorder{httptest.NewRecorder()}
		handler.ServeHTTP(w, r)
		check(t, r, w.ResponseRecorder, token)
	})
}

// handler returns a server's handler without serving.
func handler(t testing.TB, o Options) http.Handler {
	t.Helper()
	o.Address = "127.0.0.1:0"
	l := defaultLimits
	l.search = 100 * time.Millisecond
	s, err := listen(o, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.guard(http.HandlerFunc(s.route))
}

func check(t *testing.T, r *http.Request, w *httptest.ResponseRecorder, token bool) {
	t.Helper()
	answered := w.Code < 400
	site := r.Header.Get("Sec-Fetch-Site")
	_, origin, _ := strings.Cut(r.Header.Get("Origin"), "://")
	foreign := site != "" && site != "same-origin" && site != "none" || site == "" && r.Header.Get("Origin") != "" && origin != r.Host
	host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	switch {
	case w.Header().Get("Content-Security-Policy") != policy:
		t.Errorf("an answer without its policy")
	case w.Code >= 500 && w.Code != http.StatusServiceUnavailable:
		t.Errorf("%d: %s", w.Code, w.Body)
	case answered && token:
		t.Errorf("an answer without a token: %d %s", w.Code, w.Body)
	case answered && foreign && strings.HasPrefix(w.Header().Get("Content-Type"), "application/json"):
		t.Errorf("an answer to another origin: %d %s", w.Code, w.Body)
	case answered && host != "localhost" && host != "127.0.0.1" && !strings.HasPrefix(host, "["):
		t.Errorf("an answer to the host %q", r.Host)
	case !answered:
		var reply struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil && r.Method != http.MethodHead || reply.Error == "" {
			t.Errorf("%d without a reason: %q", w.Code, w.Body)
		}
	case strings.HasPrefix(r.URL.Path, "/api/"):
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%d is no JSON: %q", w.Code, w.Body)
		}
	}
}
