package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/browsertest"
)

// addGeneration adds a line like the last one to a run's metrics.
func addGeneration(t *testing.T, run string, generation int) {
	t.Helper()
	path := filepath.Join(run, "metrics.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	_, rest, _ := strings.Cut(lines[len(lines)-1], ",")
	data = fmt.Appendf(data, "{\"generation\":%d,%s\n", generation, rest)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A run's page grows with the run; what its reader has zoomed into stays.
func TestRunPageGrows(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	b := browsertest.Start(t)
	trainRun(t, run)
	c := start(t, Options{Runs: dir, Threads: 1})
	tab := b.Open(t, c.base+"run?name=run")
	const curve = `[data-chart="seconds"] .u-over`
	tab.Wait(`document.querySelector('` + curve + `') !== null && document.querySelector("#state").textContent === "finished"`)
	tab.CheckNames()
	atEnd := func() string {
		tab.Hover(curve, 0.5)
		tab.Hover(curve, 0.98)
		return tab.Text(`[data-chart="seconds"] .u-legend .u-series:first-child .u-value`)
	}
	if at := atEnd(); at != "4" {
		t.Errorf("the curve ends at generation %s", at)
	}
	zoom := `(() => { const over = document.querySelector('` + curve + `'), { left, top, width } = over.getBoundingClientRect();
		const at = (type, share) => over.dispatchEvent(new MouseEvent(type, { bubbles: true, movementX: 9, clientX: left + share * width, clientY: top + 50 }));
		at("mousemove", 0.05); at("mousedown", 0.05); at("mousemove", 0.4); at("mouseup", 0.4); return true; })()`
	browsertest.Ask[bool](tab, zoom)
	if at := atEnd(); at != "2" {
		t.Errorf("the part that is zoomed into ends at generation %s", at)
	}
	addGeneration(t, run, 5)
	tab.Wait(`document.querySelector("#facts").textContent.includes("Generations5")`)
	if at := atEnd(); at != "2" {
		t.Errorf("after another generation the zoomed part ends at generation %s", at)
	}
	browsertest.Ask[bool](tab, `document.querySelector('`+curve+`').dispatchEvent(new MouseEvent("dblclick", { bubbles: true }))`)
	if at := atEnd(); at != "5" {
		t.Errorf("zoomed out, the curve ends at generation %s", at)
	}
	if err := os.RemoveAll(run); err != nil {
		t.Fatal(err)
	}
	tab.Wait(`document.querySelector("#message").textContent.includes("gone") && document.querySelector(".charts") === null`)
}

// Games are stepped through by keys, the agent is asked what it thinks, and playing goes on from there.
func TestRunPageGames(t *testing.T) {
	dir := t.TempDir()
	b := browsertest.Start(t)
	trainRun(t, filepath.Join(dir, "a run"))
	c := start(t, Options{Runs: dir, Threads: 1})
	tab := b.Open(t, c.base+"runs")
	tab.Wait(`document.querySelector("#runs li") !== null`)
	tab.CheckNames()
	tab.CheckWidth()
	tab.Click("#runs a")
	tab.Wait(`location.pathname === "/run" && document.querySelector("#ply")?.textContent.startsWith("ply 0 of ")`)
	tab.Focus("#viewer")
	tab.Press("\u0303") // the right arrow
	tab.Wait(`document.querySelector("#ply").textContent.startsWith("ply 1 of ")`)
	if pieces := len(tab.Pieces()); pieces != 1 {
		t.Errorf("%d pieces after a move", pieces)
	}
	tab.Click("#ask")
	tab.Wait(`document.querySelector("#moves thead").textContent.includes("visits")`)
	tab.Choose("#source", "match.jsonl")
	tab.Wait(`document.querySelector("#game").textContent.includes("greedy first") && !document.querySelector("#table").hidden`)
	tab.Click(`#record [data-ply="2"]`)
	on := browsertest.Ask[string](tab, `document.querySelector("#on").getAttribute("href")`)
	if !strings.HasPrefix(on, "/?game=quad-5x5&agent=net%3Aa+run#moves=") || strings.Count(on, "mark") != 2 {
		t.Errorf("playing on leads to %s", on)
	}
	tab.Resize(360, 740)
	tab.Wait(`[...document.querySelectorAll(".uplot")].every((plot) => plot.clientWidth <= 360)`) // drawn anew a frame later
	tab.CheckWidth()
	tab.Shoot("run-360")
	tab.Resize(1280, 900)
	tab.Shoot("run")
	tab.Click("#on")
	tab.Wait(`document.querySelectorAll("#moves [data-ply]").length >= 2 && document.body.dataset.state === "ready"`)
}
