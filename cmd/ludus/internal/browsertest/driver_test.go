package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// scripted is a page with a script.
func scripted(script string) string {
	return `<!doctype html><title>page</title><link rel="icon" href="data:,"><body style="margin:0"><script>` + script + `</script>`
}

// servePages serves pages by their paths.
func servePages(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if text, ok := pages[r.URL.Path]; ok {
			fmt.Fprint(w, text)
		} else {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Every forbidden action of a page or its worker is recorded.
func TestProblems(t *testing.T) {
	b := Start(t)
	foreign := servePages(t, map[string]string{"/": "foreign"})
	fetching := func(script string) string {
		return script + `.then(() => 0, () => 0).then(() => { document.title = "done"; })`
	}
	working := func(script string) string {
		return fmt.Sprintf(`const w = new Worker(URL.createObjectURL(new Blob([%q])));
			w.onmessage = w.onerror = () => { document.title = "done"; };`, script+";postMessage(0)")
	}
	for _, c := range []struct{ name, script, want string }{
		{"nothing", `document.title = "done"`, ""},
		{"worker", working(""), ""},
		{"console", `console.log("a word"); document.title = "done"`, "a word"},
		{"exception", `document.title = "done"; throw new Error("broken")`, "broken"},
		{"request", fetching(fmt.Sprintf("fetch(%q)", foreign)), foreign},
		{"worker's console", working(`console.log("a word")`), "a word"},
		{"worker's exception", working(`throw new Error("broken")`), "broken"},
		{"worker's request", working(fmt.Sprintf(`try { importScripts(%q) } catch {}`, foreign)), foreign},
		{"worker's fetch", working(fmt.Sprintf(`fetch(%q).finally(() => postMessage(1)); throw 0`, foreign)), foreign},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for place, address := range map[string]string{
				"disk": onDisk(t, []byte(scripted(c.script))), "server": servePages(t, map[string]string{"/": scripted(c.script)}),
			} {
				tab := b.Open(t, address)
				tab.Wait(`document.title === "done"`)
				all := strings.Join(tab.Problems(), "\n")
				for end := time.Now().Add(10 * time.Second); !strings.Contains(all, c.want) && time.Now().Before(end); time.Sleep(settling) {
					all += strings.Join(tab.Problems(), "\n")
				}
				if c.want == "" && all != "" || !strings.Contains(all, c.want) {
					t.Errorf("from %s: problems are %q, want %q", place, all, c.want)
				}
				if c.want != "" { // what else comes of it is no matter
					time.Sleep(6 * settling)
					tab.Problems()
				}
			}
		})
	}
}

// A page may make requests to its own server; a file: page may not load another file.
func TestOwnOrigin(t *testing.T) {
	b := Start(t)
	script := fmt.Sprintf(`fetch(%q).then((r) => r.text()).then((text) => { document.title = text; })`, "/own")
	b.Open(t, servePages(t, map[string]string{"/": scripted(script), "/own": "own"})).Wait(`document.title === "own"`)
	tab := b.Open(t, onDisk(t, []byte(scripted(`document.body.append(Object.assign(new Image(), { src: "other.png", onerror: () => { document.title = "done"; } }))`))))
	tab.Wait(`document.title === "done"`)
	if all := strings.Join(tab.Problems(), "\n"); !strings.Contains(all, "other.png") {
		t.Errorf("problems are %q", all)
	}
}
