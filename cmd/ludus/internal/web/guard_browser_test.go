package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/browsertest"
)

// In a browser, a first visit with the token opens the page and all it asks for, and leaves no token where a script or the
// next page could read it.
func TestTokenInBrowser(t *testing.T) {
	c := start(t, Options{Token: "a-token-of-mine", Threads: 1})
	tab := browsertest.Open(t, c.URL())
	tab.Wait(`location.search === "" && document.readyState === "complete" && !!document.querySelector("h1")`)
	if state := browsertest.Ask[string](tab, `fetch("/api/about").then((r) => r.status + document.cookie + document.referrer)`); state != "200" {
		t.Errorf("the page's question: %s", state)
	}
}

// A page of another origin, be it of the same host, gets nothing from the server, in no way that a browser offers.
func TestOtherOriginInBrowser(t *testing.T) {
	c := start(t, Options{Threads: 1})
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><link rel=icon href=data:,><title>elsewhere</title>"))
	}))
	defer foreign.Close()
	for _, address := range []string{foreign.URL, strings.Replace(foreign.URL, "127.0.0.1", "localhost", 1)} {
		tab := browsertest.Open(t, address)
		for _, options := range []string{`{}`, `{mode: "no-cors"}`, `{mode: "no-cors", method: "POST", body: "{}"}`, `{method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}`} {
			script := `fetch("` + c.base + `api/about", ` + options + `).then((r) => "answered " + r.status + r.type, () => "nothing")`
			if got := browsertest.Ask[string](tab, script); got != "nothing" {
				t.Errorf("%s from %s: %s", options, address, got)
			}
		}
		if got := browsertest.Ask[string](tab, `new Promise((done) => {
			const script = document.createElement("script");
			script.src = "`+c.base+`static/dom.js";
			script.onload = () => done("loaded");
			script.onerror = () => done("nothing");
			document.head.append(script);
		})`); got != "nothing" {
			t.Errorf("a script from %s: %s", address, got)
		}
		tab.Complaints() // there are many, and that is right
	}
}
