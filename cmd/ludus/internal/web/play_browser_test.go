package web

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/browsertest"
	"ludus/env"
)

// People play on the server's page.
func TestPlaying(t *testing.T) {
	dir := t.TempDir()
	c := start(t, Options{Runs: dir, Threads: 2})
	front := browsertest.Front{Name: "web", Address: func(t *testing.T, name string) string {
		game := gameOf(t, name)
		file := env.FileName(game.Name) + ".safetensors"
		if err := os.WriteFile(filepath.Join(dir, file), weights(game, 1).Marshal(), 0o666); err != nil {
			t.Fatal(err)
		}
		return c.base + "?" + url.Values{"game": {game.Name}, "agent": {"net:" + file}}.Encode()
	}}
	front.Test(t)
}

const (
	ready    = `document.body?.dataset.state === "ready"`
	rival    = `document.querySelector("#seat1").value`
	ownAgent = "net:quad.safetensors,sims=2"
)

// The page begins with what was trained, takes any agent's text and any game, and its links lead to all of it.
func TestChoosing(t *testing.T) {
	dir := runsFolder(t)
	trainRun(t, filepath.Join(dir, "trained"))
	c := start(t, Options{Runs: dir, Threads: 1})
	tab := browsertest.Open(t, c.base)
	tab.Wait(ready + " && " + rival + ` === "trained"`)
	tab.Click("#more summary")
	tab.Focus("#agent")
	tab.Press("net:nowhere", "\r")
	tab.Wait(`document.querySelector("#more [role=alert]").textContent.includes("nowhere")`)
	refused := tab.Complaints()
	if len(refused) != 1 || !strings.Contains(refused[0], "with a status of 400") || browsertest.Ask[string](tab, rival) != "trained" {
		t.Errorf("after an agent that there is not: %q", refused)
	}
	browsertest.Ask[any](tab, `document.querySelector("#agent").select()`)
	tab.Press(ownAgent, "\r")
	tab.Wait(rival + ` === "` + ownAgent + `"`)
	tab.Click(`#board [data-cell="12"]`)
	tab.Wait(ready + ` && document.querySelectorAll("#moves [data-ply]").length === 3`)
	tab.Click("#share")
	tab.Wait(`location.hash !== ""`)
	tab.Visit(browsertest.Ask[string](tab, "location.href"))
	tab.Wait(`document.querySelectorAll("#moves [data-ply]").length === 3 && ` + rival + ` === "` + ownAgent + `"`)

	tab.Choose("#game", "golden-rectangle") // by keys, which go through the list
	tab.Click("#choose-game button")
	tab.Wait(ready + ` && document.title.startsWith("golden-rectangle")`)
	tab.Choose("#game", "")
	tab.Focus("#choose-game input")
	tab.Press("quad(size=4,quads=4,whites=2)", "\r")
	tab.Wait(ready + ` && document.title.startsWith("quad(size=4,")`)
}

// Of a game that there is not, the page says so, and offers others and nothing more.
func TestUnknownGame(t *testing.T) {
	c := start(t, Options{Threads: 1})
	tab := browsertest.Open(t, c.base+"?game=quadd-5x5")
	tab.Wait(`document.querySelector("#message")?.textContent.includes("did you mean")`)
	tab.Complaints() // the browser notes the server's refusal
	shown := browsertest.Ask[string](tab, `[...document.querySelectorAll("main :is(button, select, input, summary)")]
		.filter((e) => e.checkVisibility()).map((e) => e.id).join()`)
	if shown != "retry" {
		t.Errorf("shown beside the message: %s", shown)
	}
	for _, width := range []int64{360, 1280} {
		tab.Resize(width, 700)
		tab.CheckWidth()
		for _, theme := range []string{"light", "dark"} {
			tab.Prefer(theme)
			tab.Shoot(fmt.Sprintf("web-unknown-%d-%s", width, theme))
		}
	}
	tab.Choose("#game", "quad-5x5")
	tab.Click("#choose-game button")
	tab.Wait(ready + ` && document.querySelector(".panel").checkVisibility()`)
}

// A page whose server has ended says so, and plays on with the next one.
func TestServerGone(t *testing.T) {
	s, err := listen(Options{Address: "127.0.0.1:0", Threads: 1}, defaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	tab := browsertest.Open(t, s.base()+"?game=quad-5x5&agent=greedy")
	tab.Wait(ready)
	address := s.listener.Addr().String()
	cancel()
	<-ended
	tab.Click(`#board [data-cell="12"]`)
	tab.Wait(`document.querySelector("#message").textContent.includes("does not answer")`)
	tab.Shoot("web-server-gone")
	tab.Complaints() // the browser notes that nobody answers
	start(t, Options{Address: address, Threads: 1})
	tab.Click("#retry")
	tab.Wait(ready)
	tab.Click(`#board [data-cell="12"]`)
	tab.Wait(ready + ` && document.querySelectorAll("#moves [data-ply]").length === 3`)
}
