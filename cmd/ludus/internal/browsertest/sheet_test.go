package browsertest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/sheet"
	"ludus/cmd/ludus/internal/web"
	"ludus/env"
	"ludus/env/gdl/sheets"
)

// serveSheet serves a watched sheet and returns the address. checked gets the result of each check.
func serveSheet(t *testing.T, path string, checked func(*sheet.Check)) string {
	t.Helper()
	w := sheet.NewWatcher(path, func(g *env.Game) string { return "found " + g.Name })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.Run(ctx, checked)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	address, _ := serve(t, web.Options{Sheet: w})
	return address
}

// The page of a watched sheet follows what is saved: a game that goes on by itself, an error with its line, a broken
// law.
func TestSheetPage(t *testing.T) {
	b := Start(t)
	path := filepath.Join(t.TempDir(), "my game.kif")
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	good := sheets.Text("tic-tac-toe")
	save(good)
	address := serveSheet(t, path, func(*sheet.Check) {})
	tab := b.Open(t, address+"sheet")
	tab.Animate() // else the game waits for the reader
	tab.Visit(address + "sheet")
	tab.Wait(`document.querySelector("#found").textContent.startsWith("found gdl(my-game-")`)
	tab.Wait(`document.querySelector("#ply").textContent.startsWith("ply 2 of")`)
	tab.Wait(`document.querySelectorAll("#board .piece").length >= 2`)
	tab.CheckNames()
	tab.Shoot("sheet-accepted")
	tab.Click("#run")
	ply := tab.Text("#ply")
	tab.Click("#another")
	tab.Wait(`document.querySelector("#ply").textContent.startsWith("ply 0 of")`)
	if tab.Text("#run") != "Go on" {
		t.Errorf("after a pause at %s the button says %q", ply, tab.Text("#run"))
	}

	save(good + "\n(<= terminal (not ?x))\n")
	tab.Wait(`document.querySelector("#problem").textContent.startsWith("line ")`)
	tab.Wait(`document.querySelector("#game-section").hidden && document.querySelector("#excerpt .at .place") !== null`)
	tab.Shoot("sheet-error")

	save(strings.Replace(good, "(<= (goal x 0) (line o))", "", 1))
	tab.Wait(`document.querySelector("#game-title").textContent.includes("x has no goal")`)
	tab.Wait(`document.querySelector("#facts").textContent.split("\n").length === 10`)
	tab.Wait(`document.querySelectorAll("#board .piece").length >= 5`)
	tab.CheckNames()
	tab.Shoot("sheet-broken")
	tab.Resize(390, 800)
	tab.CheckWidth()

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	tab.Wait(`document.querySelector("#state").textContent.startsWith("There is no sheet")`)
	save(sheets.Text("nim")) // without a board
	tab.Wait(`document.querySelector("#found").textContent.startsWith("found gdl(my-game-")`)
	tab.Wait(`document.querySelector("#record [data-ply]") !== null`)
	tab.CheckWidth()
	tab.Resize(1280, 900)
	tab.Shoot("sheet-nim")
	tab.Visit(Eval[string](tab, `document.querySelector("#play").href`))
	tab.Wait(`document.body.dataset.state === "ready"`)
}

// Cells of a sheet's game: slabs belong to nobody, so they are not captured; a cell of which no fact is true is drawn
// unlike an empty one; names stay in their tiles.
func TestSheetCells(t *testing.T) {
	b := Start(t)
	text, err := os.ReadFile("../../../../env/gdl/testdata/slabs.kif")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wwwwww", "blank"} {
		path := filepath.Join(t.TempDir(), "slabs.kif")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "slab", name)), 0o600); err != nil {
			t.Fatal(err)
		}
		checked := make(chan *sheet.Check, 1)
		address := serveSheet(t, path, func(c *sheet.Check) { checked <- c })
		tab := b.Open(t, address+"?game="+url.QueryEscape((<-checked).Game)+"#seats=person,person&moves=a1-a2;c3-c2")
		tab.Wait(`document.body.dataset.state === "ready" && document.querySelector('#board [data-cell="3"]') !== null`)
		label := func(cell string) string {
			return Eval[string](tab, `document.querySelector('#board [data-cell="`+cell+`"]').getAttribute("aria-label")`)
		}
		tab.Click(`#board [data-cell="3"]`)
		tab.Wait(`document.querySelector('#board [data-cell="3"]').getAttribute("aria-pressed") === "true"`)
		piece := ""
		if name != "blank" {
			piece = ", " + name
		}
		if got := label("4"); got != "b2"+piece+", can be reached" {
			t.Errorf("%s: b2 is %q", name, got)
		}
		if got, want := label("0"), map[bool]string{true: "a1, not there", false: "a1"}[name == "blank"]; got != want {
			t.Errorf("%s: a1 is %q", name, got)
		}
		if got := Eval[int](tab, `document.querySelectorAll("#board .cell.void").length`); (got > 0) != (name == "blank") {
			t.Errorf("%s: %d cells are void", name, got)
		}
		tab.Shoot("sheet-cells-" + name)
		if name == "blank" {
			continue
		}
		if !Eval[bool](tab, `[...document.querySelectorAll("#board .piecename")].every((name) => name.getBoundingClientRect().width < name.previousElementSibling.getBoundingClientRect().width)`) {
			t.Error("a name is wider than its tile")
		}
		tab.Click(`#board [data-cell="3"]`)
		tab.Click(`#board [data-cell="4"]`)
		tab.Wait(`document.body.textContent.includes("Select one of your pieces first")`)
	}
}
