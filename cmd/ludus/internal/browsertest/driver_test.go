package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
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
	foreign := servePages(t, map[string]string{"/page": "foreign", "/script": "", "/fetch": "foreign"})
	worker := fmt.Sprintf(`console.log("worker's word"); try { importScripts("%[1]s/script") } catch {}
		fetch("%[1]s/fetch"); throw new Error("worker's fault")`, foreign)
	const working = `const w = new Worker(URL.createObjectURL(new Blob([%q]))); w.onmessage = w.onerror = () => { document.title = "done"; };`
	good := scripted(fmt.Sprintf(working, "postMessage(0)"))
	bad := scripted(fmt.Sprintf(working, worker) + fmt.Sprintf(`console.log("page's word"); fetch("%[1]s/page"); new WebSocket("%[1]s/page");
		throw new Error("page's fault")`, foreign))
	server := servePages(t, map[string]string{"/good": good, "/bad": bad})
	for _, address := range []string{onDisk(t, []byte(good)), server + "/good"} {
		tab := b.Open(t, address)
		tab.Wait(`document.title === "done"`)
		time.Sleep(settling) // the end of the test looks for problems
	}
	for _, address := range []string{onDisk(t, []byte(bad)), server + "/bad"} {
		tab, all, missing := b.Open(t, address), "", []string(nil)
		for end := time.Now().Add(10 * time.Second); all == "" || len(missing) > 0 && time.Now().Before(end); time.Sleep(settling) {
			all += strings.Join(tab.Problems(), "\n")
			missing = slices.DeleteFunc([]string{
				"page's word", "page's fault", "requests " + foreign + "/page", "requests ws:", "error: ",
				"worker's word", "worker's fault", "requests " + foreign + "/script", "requests " + foreign + "/fetch",
			}, func(want string) bool { return strings.Contains(all, want) })
		}
		if len(missing) > 0 {
			t.Errorf("%s: problems are %q, without %q", address, all, missing)
		}
		time.Sleep(6 * settling)
		tab.Problems() // what else comes of it is no matter
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
