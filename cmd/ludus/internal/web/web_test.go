package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/checkpoints"
	"ludus/checkpoints/zoo"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer/infertest"
)

// client is a client of a server that runs until the test ends.
type client struct {
	*Server
	t    testing.TB
	base string
	http *http.Client
}

// shippedRatings returns the ratings of the shipped agents by game, from their cards; 0 if it was not measured.
func shippedRatings() map[string]float64 {
	ratings := make(map[string]float64)
	for _, game := range zoo.Games() {
		ratings[game] = 0
		if rating := zoo.CardOf(game).Rating; rating != nil {
			ratings[game] = rating.Value
		}
	}
	return ratings
}

// start runs a server on a free port; tune may change its limits.
func start(t testing.TB, o Options, tune ...func(*limits)) *client {
	t.Helper()
	l := defaultLimits
	for _, change := range tune {
		change(&l)
	}
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	s, err := listen(o, l)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, s)
}

func serve(t testing.TB, s *Server) *client {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	c := &client{Server: s, t: t, base: s.base(), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the server ended with %v", err)
		}
		c.http.CloseIdleConnections()
	})
	return c
}

// request makes a request with headers "Name: value"; Host is one of them.
func (c *client) request(method, path, body string, headers ...string) *http.Request {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, strings.TrimSuffix(c.base, "/")+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	return r
}

// do sends a request and reads the whole reply.
func (c *client) do(r *http.Request) (*http.Response, string) {
	c.t.Helper()
	response, err := c.http.Do(r)
	if err != nil {
		c.t.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	return response, string(data)
}

// refuses sends a request and expects a status and a JSON error that contains want.
func (c *client) refuses(r *http.Request, status int, want string) *http.Response {
	c.t.Helper()
	response, body := c.do(r)
	var reply struct{ Error *string }
	err := json.Unmarshal([]byte(body), &reply)
	if response.StatusCode != status || err != nil || reply.Error == nil || !strings.Contains(*reply.Error, want) {
		c.t.Errorf("%s %s: %d %s; want %d and an error that says %q", r.Method, r.URL, response.StatusCode, body, status, want)
	}
	if got := response.Header.Get("Content-Type"); got != "application/json" {
		c.t.Errorf("%s %s: an error of type %q", r.Method, r.URL, got)
	}
	return response
}

// post sends a request of package board and decodes the reply.
func post[T any](c *client, op, body string) (reply T) {
	c.t.Helper()
	response, text := c.do(c.request("POST", "/api/"+op, body))
	if response.StatusCode != http.StatusOK {
		c.t.Fatalf("%s %s: %d %s", op, body, response.StatusCode, text)
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		c.t.Fatal(err)
	}
	return reply
}

type evaluated struct {
	Best  string
	Value float64
}

type chosen struct{ Move string }

// saveGeneration adds a checkpoint with a new network to the run dir/name.
func saveGeneration(t testing.TB, game *env.Game, dir, name string, generation int) {
	t.Helper()
	folder := filepath.Join(dir, name, "checkpoints")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	store := checkpoints.NewStore(folder)
	parts := []checkpoints.Part{{Name: "weights.safetensors", Data: infertest.RandomWeights(game, 4, 1, uint64(generation)).Marshal()}}
	if err := store.Save(generation, nil, parts); err != nil {
		t.Fatal(err)
	}
}

// runsFolder makes a folder with the run "quad" of quad-5x5, a weights file and other files.
func runsFolder(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "runs")
	game := games.Must("quad-5x5")
	saveGeneration(t, game, dir, "quad", 1)
	for name, data := range map[string][]byte{"quad.safetensors": infertest.RandomWeights(game, 4, 1, 7).Marshal(), "notes.txt": []byte("no weights")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPages(t *testing.T) {
	c := start(t, Options{})
	response, body := c.do(c.request("GET", "/", ""))
	if response.StatusCode != 200 || !strings.HasPrefix(body, "<!doctype html>") || response.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("front page: %d %v\n%s", response.StatusCode, response.Header, body)
	}
	for name, kind := range map[string]string{
		"dom.js": "text/javascript; charset=utf-8", "base.css": "text/css; charset=utf-8", "uplot/uPlot.min.css": "text/css; charset=utf-8",
	} {
		want, err := static.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		response, body := c.do(c.request("GET", "/static/"+name, ""))
		if response.StatusCode != 200 || body != string(want) || response.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %d %v", name, response.StatusCode, response.Header)
		}
	}
	var about struct {
		Games     []string
		Summaries map[string]string
		Patterns  []pattern
		Zoo       map[string]float64
		Limits    map[string]float64
	}
	if _, body := c.do(c.request("GET", "/api/about", "")); json.Unmarshal([]byte(body), &about) != nil || !slices.Equal(about.Games, games.Names()) || !strings.Contains(about.Summaries["quad-5x5"], "square") || !slices.Contains(about.Patterns, pattern{"hex(size=2..19,swap=0..1)", "hex(size=11,swap=1)"}) || !maps.Equal(about.Zoo, shippedRatings()) ||
		about.Limits["simulations"] != 20000 || about.Limits["seconds"] != 10 {
		t.Errorf("about: %s", body)
	}
}

// Every response has the security headers.
func TestHeaders(t *testing.T) {
	c := start(t, Options{})
	for _, r := range []*http.Request{
		c.request("GET", "/", ""), c.request("GET", "/static/dom.js", ""), c.request("GET", "/nowhere", ""), c.request("PUT", "/", ""),
		c.request("POST", "/api/describe", "{}"), c.request("GET", "/", "", "Host: example.com"), c.request("GET", "/api/about", "", "Origin: null"),
	} {
		response, _ := c.do(r)
		for name, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin":  "",
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q", r.Method, r.URL, name, got)
			}
		}
	}
}

// The requests of package board are answered, also with networks below the folder of runs.
func TestBoard(t *testing.T) {
	dir := runsFolder(t)
	c := start(t, Options{Runs: dir, Threads: 2})
	if d := post[struct{ Game string }](c, "describe", `{"game":"quad-5x5"}`); d.Game != "quad-5x5" {
		t.Errorf("described %+v", d)
	}
	if p := post[struct{ Pieces string }](c, "position", `{"game":"quad-5x5","moves":["mark r3 c3"]}`); strings.Count(p.Pieces, "1") != 1 {
		t.Errorf("position %+v", p)
	}
	moves := map[string]bool{}
	for _, path := range []string{"quad", "./quad", "quad/", "quad@1", "quad/checkpoints/000001", dir + "/quad", dir + "/quad@1"} {
		moves[post[chosen](c, "choose", `{"game":"quad-5x5","agent":"policy:`+path+`"}`).Move] = true
	}
	if len(moves) != 1 {
		t.Errorf("one network plays %v", moves)
	}
	run, file := post[evaluated](c, "analyze", `{"game":"quad-5x5","agent":"net:quad","simulations":16}`), post[evaluated](c, "analyze", `{"game":"quad-5x5","agent":"net:quad.safetensors","simulations":16}`)
	if run.Best == "" || run.Value == file.Value {
		t.Errorf("two networks give %+v and %+v", run, file)
	}
}

// Shipped agents need no folder of runs, and play other sizes of their games. A folder called zoo is another path.
func TestShipped(t *testing.T) {
	c := start(t, Options{Runs: filepath.Join(t.TempDir(), "nowhere")})
	shipped := post[evaluated](c, "analyze", `{"game":"quad-5x5","agent":"zoo,sims=8"}`)
	again := post[evaluated](c, "analyze", `{"game":"quad-5x5","agent":"net:zoo,sims=8"}`)
	if shipped.Best == "" || shipped != again {
		t.Errorf("%+v and %+v", shipped, again)
	}
	if other := post[evaluated](c, "analyze", `{"game":"hex(size=4)","agent":"zoo,sims=8"}`); other.Best == "" {
		t.Errorf("another size: %+v", other)
	}
	for game, want := range map[string]string{"hex(size=4)": "hex-5x5", "quad-5x5": "quad-5x5", "line-up(line=4,gravity=0)": "", "": "", "nonsense": ""} {
		var reply about
		if _, body := c.do(c.request("GET", "/api/about?"+url.Values{"game": {game}}.Encode(), "")); json.Unmarshal([]byte(body), &reply) != nil || reply.TrainedOn != want {
			t.Errorf("the shipped agent for %q is of %q, want %q", game, reply.TrainedOn, want)
		}
	}
	for request, want := range map[string]string{
		`{"game":"line-up(width=5,height=5,line=4,gravity=0)","agent":"zoo"}`: "no agent of line-up(width=5,height=5,line=4,gravity=0) is shipped",
		`{"game":"quad-5x5","agent":"net:./zoo"}`:                             "there is no folder of runs",
	} {
		if response, body := c.do(c.request("POST", "/api/choose", request)); response.StatusCode != 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s; want %q", request, response.StatusCode, body, want)
		}
	}
}

func TestRefused(t *testing.T) {
	dir := runsFolder(t)
	outside := filepath.Join(t.TempDir(), "outside.safetensors")
	if err := os.WriteFile(outside, infertest.RandomWeights(games.Must("quad-5x5"), 4, 1, 1).Marshal(), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": outside, "up": filepath.Dir(outside), "dangling": filepath.Join(dir, "nowhere")} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}
	c := start(t, Options{Runs: dir, Threads: 1})
	agent := func(text string) string { return `{"game":"quad-5x5","agent":"` + text + `"}` }
	for _, b := range []struct {
		op, body string
		status   int
		want     string
	}{
		{"describe", ``, 400, "a request is a JSON object"},
		{"describe", `{"game":`, 400, "unexpected end"},
		{"describe", "\x00\xff", 400, "a request is a JSON object"},
		{"describe", strings.Repeat("[", maxBody), 400, "a request is a JSON object"},
		{"describe", strings.Repeat("[", maxBody+1), 413, "larger than 65536 bytes"},
		{"describe", `{"game":"` + strings.Repeat("x", 4<<20) + `"}`, 413, "larger than 65536 bytes"},
		{"load", `{"game":"hex","file":"` + strings.Repeat(`\"`, 30<<10) + `"}`, 400, "is not a move"}, // the largest file of the page
		{"describe", `{"game":"chess"}`, 400, "no such game"},
		{"describe", `{"game":"quad(size=99)"}`, 400, "size=99 is not allowed"},
		{"descibe", `{}`, 404, "there is nothing at /api/descibe"},
		{"position", `{"game":"quad-5x5","moves":["mark r1 c1 c1"]}`, 400, "is not a move of this game"},
		{"choose", agent("perfect"), 400, "an agent is one of"},
		{"choose", agent("net:nowhere"), 400, `there is no \"nowhere\" in`},
		{"choose", agent("net:"), 400, "needs the path"},
		{"choose", agent("net:.."), 400, "is not a path within the folder of runs"},
		{"choose", agent("net:quad/../../runs/quad"), 400, "is not a path within the folder of runs"},
		{"choose", agent("net:quad/../quad"), 400, "is not a path within the folder of runs"},
		{"choose", agent("net:" + dir + "/../outside"), 400, "is not a path within the folder of runs"},
		{"choose", agent("net:" + dir + "2/quad"), 400, "is not a path within the folder of runs"},
		{"choose", agent("net:" + outside), 400, "is not a path within the folder of runs"},
		{"choose", agent("policy:/etc/passwd"), 400, "is not a path within the folder of runs"},
		{"choose", agent("net:link"), 400, "leads out of the folder of runs"},
		{"choose", agent("net:up/outside.safetensors"), 400, "leads out of the folder of runs"},
		{"choose", agent("net:dangling"), 400, "there is no"},
		{"choose", agent(`net:a\u0000b`), 400, "cannot be read"},
		{"choose", agent("net:."), 400, "neither a run nor a checkpoint"},
		{"choose", agent("net:notes.txt"), 400, "no network in notes.txt: "},
		{"choose", agent("net:quad@7"), 400, "only of 1"},
		{"choose", `{"game":"quad-7x7","agent":"net:quad"}`, 400, "it plays quad-5x5"},
		{"choose", agent("mcts:20001"), 400, "it needs 1 to 20000 simulations"},
		{"choose", agent("net:quad,sims=20001"), 400, "it needs 1 to 20000 simulations"},
		{"choose", agent("net:quad,time=1s"), 400, "sims=20000,time=1s"},
		{"choose", agent("net:quad,sims=20000,time=11s"), 400, "up to 10s"},
		{"choose", agent("net:quad,threads=65"), 400, "it needs 1 to "},
		{"choose", agent("alphabeta:9"), 400, "1 to 8 plies"},
		{"choose", agent("solver:1000001"), 400, "1 to 1000000 nodes"},
		{"analyze", `{"game":"quad-5x5","agent":"net:quad","simulations":20001}`, 400, "from 0 to 20000"},
	} {
		c.refuses(c.request("POST", "/api/"+b.op, b.body), b.status, strings.ReplaceAll(b.want, `\"`, `"`))
	}
	// A body whose length is not announced is bounded as well.
	r := c.request("POST", "/api/describe", "")
	r.Body, r.ContentLength = io.NopCloser(io.LimitReader(zeros{}, 1<<30)), -1
	c.refuses(r, http.StatusRequestEntityTooLarge, "larger than 65536 bytes")
	for _, kind := range []string{"text/plain", "", "application/x-www-form-urlencoded", "application/json-seq", "application/json, text/plain"} {
		c.refuses(c.request("POST", "/api/describe", `{"game":"quad-5x5"}`, "Content-Type: "+kind), http.StatusUnsupportedMediaType, "application/json")
	}
	for _, path := range []string{"/nowhere", "/static/", "/static/doc.go", "/static/../web.go", "/static/uplot", "/..%2f..%2fetc/passwd", "//", "/api", "/favicon.ico"} {
		c.refuses(c.request("GET", path, ""), http.StatusNotFound, "there is nothing at /")
	}
	for path, methods := range map[string]string{"/": "GET, HEAD", "/api/describe": "POST", "/api/about": "GET, HEAD", "/static/dom.js": "GET, HEAD"} {
		for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS"} {
			response := c.refuses(c.request(method, path, ""), http.StatusMethodNotAllowed, method+" is not allowed at "+path)
			if got := response.Header.Get("Allow"); got != methods {
				t.Errorf("%s: allowed is %q, want %q", path, got, methods)
			}
		}
	}
	everything := c.request("OPTIONS", "/", "", "Host: example.com")
	everything.URL.Opaque = "*"
	c.refuses(everything, http.StatusForbidden, "is not this server")
	everything = c.request("OPTIONS", "/", "")
	everything.URL.Opaque = "*"
	c.refuses(everything, http.StatusNotFound, "there is nothing at *")
}

// Browsers get errors as pages, except from the API and of files.
func TestErrorPages(t *testing.T) {
	c := start(t, Options{Threads: 1})
	const browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
	response, body := c.do(c.request("GET", "/run/<b>", "", browser))
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusNotFound || kind != "text/html; charset=utf-8" {
		t.Errorf("an unknown page: %d of type %q", response.StatusCode, kind)
	}
	if !strings.Contains(body, "There is nothing at /run/&lt;b&gt;.") || !strings.Contains(body, `href="/runs"`) {
		t.Errorf("an unknown page: %s", body)
	}
	for _, path := range []string{"/api/nowhere", "/static/nowhere"} {
		c.refuses(c.request("GET", path, "", browser), http.StatusNotFound, "there is nothing at "+path)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Requests with an unknown Host header are rejected: DNS rebinding.
func TestHosts(t *testing.T) {
	c := start(t, Options{})
	for _, host := range []string{"localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:99", "[::1]", "[::1]:5"} {
		if response, body := c.do(c.request("GET", "/api/about", "", "Host: "+host)); response.StatusCode != 200 {
			t.Errorf("%s: %d %s", host, response.StatusCode, body)
		}
	}
	foreign := []string{"example.com", "localhost.example.com", "127.0.0.1.example.com:80", "127.0.0.2", "192.168.1.1", "x@localhost", "localhost,x", "[localhost]x"}
	for _, host := range foreign {
		for _, r := range []*http.Request{c.request("GET", "/", "", "Host: "+host), c.request("POST", "/api/describe", `{"game":"quad-5x5"}`, "Host: "+host)} {
			c.refuses(r, http.StatusForbidden, "is not this server; its address is http://127.0.0.1:")
		}
	}
	// The name that was chosen may be written in any case, as may its address.
	s, err := listen(Options{Address: "127.0.0.1:0"}, defaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	s.host = "MyBox"
	named := serve(t, s)
	named.base = "http://" + s.listener.Addr().String() + "/"
	for _, host := range []string{"mybox:80", "MyBox", "127.0.0.1"} {
		if response, body := named.do(named.request("GET", "/api/about", "", "Host: "+host)); response.StatusCode != 200 {
			t.Errorf("%s: %d %s", host, response.StatusCode, body)
		}
	}
	// On all addresses any is good, as digits: a name may lead anywhere.
	c = start(t, Options{Address: "0.0.0.0:0", Token: "secret-secret"})
	for _, host := range []string{"192.168.1.1:80", "[fe80::1]:80", "localhost"} {
		c.refuses(c.request("GET", "/", "", "Host: "+host), http.StatusUnauthorized, "token")
	}
	c.refuses(c.request("GET", "/", "", "Host: example.com"), http.StatusForbidden, "is not this server")
}

// Requests from other origins are rejected, but links to pages work.
func TestOrigins(t *testing.T) {
	c := start(t, Options{})
	self := "Origin: " + strings.TrimSuffix(c.base, "/")
	type call struct {
		method, path string
		headers      []string
	}
	for _, a := range []call{
		{"POST", "/api/describe", nil},
		{"POST", "/api/describe", []string{self}},
		{"POST", "/api/describe", []string{self, "Sec-Fetch-Site: same-origin"}},
		{"GET", "/api/about", []string{"Sec-Fetch-Site: same-origin"}},
		{"GET", "/api/about", []string{"Sec-Fetch-Site: none"}},
		{"GET", "/", []string{"Sec-Fetch-Site: cross-site"}},
	} {
		if response, body := c.do(c.request(a.method, a.path, `{"game":"quad-5x5"}`, a.headers...)); response.StatusCode != 200 {
			t.Errorf("%v: %d %s", a, response.StatusCode, body)
		}
	}
	for _, a := range []call{
		{"POST", "/api/describe", []string{"Origin: https://example.com"}},
		{"POST", "/api/describe", []string{"Origin: null"}},
		{"POST", "/api/describe", []string{"Origin: http://127.0.0.1:1"}},
		{"POST", "/api/describe", []string{self, "Sec-Fetch-Site: cross-site"}},
		{"POST", "/api/describe", []string{"Sec-Fetch-Site: same-site"}},
		{"POST", "/", []string{"Sec-Fetch-Site: cross-site"}},
		{"GET", "/api/about", []string{"Sec-Fetch-Site: cross-site"}},
		{"GET", "/api/about", []string{"Origin: https://example.com"}},
		{"GET", "/static/dom.js", []string{"Sec-Fetch-Site: cross-site"}},
		{"GET", "/api/runs", []string{"Sec-Fetch-Site: same-site"}},
	} {
		c.refuses(c.request(a.method, a.path, `{"game":"quad-5x5"}`, a.headers...), http.StatusForbidden, "other origins have no access")
	}
}

func TestToken(t *testing.T) {
	c := start(t, Options{Address: "0.0.0.0:0"})
	other := start(t, Options{Address: "0.0.0.0:0"})
	if len(c.token) < 20 || c.token == other.token || !strings.HasSuffix(c.URL(), "/?token="+c.token) || c.Local() {
		t.Fatalf("addresses %s and %s", c.URL(), other.URL())
	}
	_, port, _ := net.SplitHostPort(c.listener.Addr().String())
	c.base = "http://127.0.0.1:" + port
	question := `{"game":"quad-5x5"}`
	for _, r := range []*http.Request{
		c.request("GET", "/", ""), c.request("GET", "/?token=", ""), c.request("GET", "/?token="+other.token, ""), c.request("GET", "/static/dom.js", ""),
		c.request("GET", "/api/about?token="+c.token, ""), c.request("POST", "/api/describe", question), c.request("POST", "/api/describe", question, "Cookie: ludus-"+port+"="),
		c.request("POST", "/api/describe", question, "Cookie: ludus-"+port+"="+other.token), c.request("POST", "/api/describe", question, "Authorization: Bearer x"),
	} {
		c.refuses(r, http.StatusUnauthorized, "the token is missing or wrong")
	}
	// The page that says so in a browser needs no other file, since they all need the token.
	_, page := c.do(c.request("GET", "/", "", "Accept: text/html"))
	if !strings.Contains(page, "The token is missing or wrong") || strings.Contains(page, "/static/") || strings.Contains(page, "<a ") {
		t.Errorf("without a token: %s", page)
	}
	response, body := c.do(c.request("GET", "/?token="+c.token, ""))
	cookies := response.Cookies()
	if response.StatusCode != 200 || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode ||
		response.Header.Get("Refresh") != "0; url=/" || strings.Contains(body, c.token) ||
		!strings.Contains(body, `<link rel="icon" href="data:,">`) { // or browsers ask for /favicon.ico
		t.Fatalf("first visit: %d %v %s", response.StatusCode, response.Header, body)
	}
	for _, proof := range []string{"Cookie: " + cookies[0].Name + "=" + cookies[0].Value, "Authorization: Bearer " + c.token} {
		for _, r := range []*http.Request{c.request("GET", "/", "", proof), c.request("POST", "/api/describe", question, proof)} {
			if response, body := c.do(r); response.StatusCode != 200 || strings.Contains(body, c.token) {
				t.Errorf("%s: %d %s", proof, response.StatusCode, body)
			}
		}
	}
	// On loopback there is none, unless the options want one.
	if s := start(t, Options{}); s.token != "" || !s.Local() || strings.Contains(s.URL(), "?") {
		t.Errorf("loopback: %s", s.URL())
	}
	s := start(t, Options{Token: "my-own-token"})
	s.refuses(s.request("GET", "/", ""), http.StatusUnauthorized, "open the address")
}

func TestOptions(t *testing.T) {
	taken := start(t, Options{})
	for _, b := range []struct {
		options Options
		want    string
	}{
		{Options{Address: "5838"}, "HOST:PORT, such as 127.0.0.1:5838"},
		{Options{Address: "127.0.0.1:99999"}, "invalid port"},
		{Options{Address: taken.listener.Addr().String()}, "already in use; is another ludus running there? --addr 127.0.0.1:0 uses any free port"},
		{Options{Address: "127.0.0.1:0", Token: "short"}, "8 to 128 letters"},
		{Options{Address: "127.0.0.1:0", Token: "with spaces in it"}, "8 to 128 letters"},
	} {
		if s, err := Listen(b.options); err == nil || !strings.Contains(err.Error(), b.want) {
			t.Errorf("%+v: error %v; want one that says %q", b.options, err, b.want)
			s.Close()
		}
	}
	s, err := Listen(Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Clients that are too slow are disconnected.
func TestSlowClients(t *testing.T) {
	c := start(t, Options{}, func(l *limits) { l.read, l.idle = 200*time.Millisecond, 200*time.Millisecond })
	for _, sent := range []string{
		"", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\n",
		"POST /api/describe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", // and then nothing
	} {
		conn, err := net.Dial("tcp", c.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, sent); err != nil {
			t.Fatal(err)
		}
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		answer, err := io.ReadAll(conn)
		if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q keeps the connection: %s", sent, answer)
		}
		if strings.HasPrefix(sent, "POST") && !bytes.Contains(answer, []byte("408 Request Timeout")) ||
			strings.HasPrefix(sent, "POST") && !bytes.Contains(answer, []byte("did not arrive completely within 200ms")) {
			t.Errorf("half a body: %s", answer)
		}
		conn.Close()
	}
	// Long headers are not read to their end, which the client may notice before it reads the answer.
	response, err := c.http.Do(c.request("GET", "/", "", "X-Long: "+strings.Repeat("x", 2*maxHeader)))
	if err == nil {
		response.Body.Close()
		if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("long headers: %d", response.StatusCode)
		}
	}
}
