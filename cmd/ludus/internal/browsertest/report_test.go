package browsertest

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"ludus/cmd/ludus/internal/report"
)

const evil = `</script><script>document.title="evil"</script><!--"'&`

// writeReport trains a run and writes its report, and returns the report's file: address.
func writeReport(t *testing.T, game string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	trainRun(t, dir, game)
	if _, err := report.Write(dir); err != nil {
		t.Fatal(err)
	}
	return fileAddress(filepath.Join(dir, report.FileName))
}

// A report: charts, sample games, colours and narrow screens.
func TestReportInBrowser(t *testing.T) {
	b := Start(t).Open(t, writeReport(t, "quad-5x5"))
	t.Run("curves", func(t *testing.T) { hover(t, b) })
	t.Run("games", func(t *testing.T) { stepThrough(t, b) })
	t.Run("colours", func(t *testing.T) { b.CheckThemes(); b.Click("#theme") })
	t.Run("narrow", func(t *testing.T) { narrow(t, b) })
}

// hover checks the values under the mouse in every chart that has any.
func hover(t *testing.T, b *Tab) {
	charts := Eval[[]string](b, `[...document.querySelectorAll("[data-chart]:not(:has(.missing))")].map((f) => f.dataset.chart)`)
	drawn := Eval[int](b, `document.querySelectorAll("[data-chart] canvas").length`)
	if len(charts) < 12 || drawn != len(charts) {
		t.Fatalf("%d of %d charts are drawn", drawn, len(charts))
	}
	for _, id := range charts {
		figure := fmt.Sprintf(`[data-chart=%q]`, id)
		newest := b.Text(figure + " .u-legend")
		b.Hover(figure+" .u-over", 0.01)
		oldest := b.Text(figure + " .u-legend")
		if oldest == newest || strings.Contains(newest, "undefined") || !strings.ContainsAny(oldest, "0123456789") {
			t.Errorf("%s: the readout is %q under the mouse and %q away from it", id, oldest, newest)
		}
	}
	b.Shoot("wide-hover")
}

// seen is the content of the game viewer.
type seen struct{ Ply, Board, Value, Moves, Status string }

func seenIn(b *Tab) seen {
	return Eval[seen](b, `(() => { const text = (id) => document.getElementById(id).textContent;
		return { Ply: text("ply"), Board: document.getElementById("board").innerHTML, Value: text("value"),
			Moves: text("moves") + text("note"), Status: text("status") }; })()`)
}

// stepThrough steps through a game by buttons, keys and the list of moves.
func stepThrough(t *testing.T, b *Tab) {
	start := seenIn(b)
	if !strings.HasPrefix(start.Ply, "ply 0 of") || !regexp.MustCompile(`[a-e][1-5]`).MatchString(start.Moves) || strings.Contains(start.Moves, "mark") || !strings.HasPrefix(start.Status, "x to move; quads left x 8, o 8") {
		t.Fatalf("at the start: %+v", start)
	}
	b.Click(`[data-go="next"]`)
	first := seenIn(b)
	if !strings.HasPrefix(first.Ply, "ply 1 of") || first.Board == start.Board || first.Moves == start.Moves || first.Value == "" {
		t.Errorf("after the first move: %+v", first)
	}
	b.Press(kb.ArrowRight)
	if second := seenIn(b); !strings.HasPrefix(second.Ply, "ply 2 of") || second.Board == first.Board {
		t.Errorf("after the right arrow: %+v", second)
	}
	b.Press(kb.ArrowLeft)
	if back := seenIn(b); back != first {
		t.Errorf("back again: %+v, before %+v", back, first)
	}
	b.Click(`[data-go="last"]`)
	if last := seenIn(b); !strings.HasPrefix(last.Status, "over: ") {
		t.Errorf("at the end: %+v", last)
	}
	b.Click(`#record button[data-ply="1"]`)
	if again := seenIn(b); again != first {
		t.Errorf("by the list of moves: %+v", again)
	}
	b.Choose("#game", "2")
	if other := seenIn(b); !strings.HasPrefix(other.Ply, "ply 0 of") || !strings.Contains(b.Text("#game option:checked"), "generation 4, game ") {
		t.Errorf("the third game: %+v", other)
	}
}

// Pieces are drawn on the cells that moves name, and row 1 is at the bottom.
func TestBoardsInBrowser(t *testing.T) {
	browser := Start(t)
	for _, c := range []struct {
		game, text, top string // text: the form of a move; top: the label of the uppermost row
		start           map[string]string
	}{
		{"quad(size=4,quads=4,whites=0)", `^(?<to>[a-d][1-4])\b`, "4", map[string]string{}},
		{"breakthrough(columns=3,rows=5)", `^[a-c]\d-(?<to>[a-c]\d)\b`, "5", map[string]string{
			"a1": "white", "b1": "white", "c1": "white", "a2": "white", "b2": "white", "c2": "white",
			"a4": "black", "b4": "black", "c4": "black", "a5": "black", "b5": "black", "c5": "black",
		}},
	} {
		b := browser.Open(t, writeReport(t, c.game))
		before := b.Pieces()
		if !maps.Equal(before, c.start) {
			t.Errorf("%s begins with %v", c.game, before)
		}
		if top := Eval[string](b, `[...document.querySelectorAll("#board .label")].filter((e) => e.getAttribute("x") < 0.5)
			.reduce((a, b) => Number(a.getAttribute("y")) < Number(b.getAttribute("y")) ? a : b).textContent`); top != c.top {
			t.Errorf("%s: the uppermost row is %s", c.game, top)
		}
		move := regexp.MustCompile(c.text)
		words := move.FindStringSubmatch(strings.TrimPrefix(b.Text("#note"), "● "))
		if words == nil {
			t.Fatalf("%s: no move is said to be played", c.game)
		}
		to := words[move.SubexpIndex("to")]
		first := strings.TrimPrefix(b.Text("#record [data-ply='1'] .hidden"), " by ")
		b.Click(`[data-go="next"]`)
		if after := b.Pieces(); after[to] != first || before[to] == first {
			t.Errorf("%s: after %s by %s the board is %v", c.game, words[0], first, after)
		}
	}
}

// narrow checks the layout on narrow screens.
func narrow(t *testing.T, b *Tab) {
	for _, width := range []int64{360, 640, 800, 1000} {
		b.Resize(width, 800)
		b.CheckWidth()
		if width == 360 {
			b.Shoot("narrow-dark")
		}
	}
}

// Markup in texts is shown as text.
func TestMarkupInBrowser(t *testing.T) {
	b := Start(t)
	chart := report.Chart{
		ID: "evil", Title: evil, Note: evil, X: evil, Unit: evil, Lines: []report.Line{{Name: evil, X: []float64{1}, Y: []float64{2}}},
	}
	page := report.Page{
		Title: evil, Subtitle: evil, Warnings: []string{evil}, Facts: []report.Fact{{Name: evil, Value: evil}},
		Settings: []report.Setting{{Key: evil, Value: evil, Default: evil, Doc: evil, Changed: true}},
		Sections: []report.Section{{
			ID: "s", Title: evil, Note: evil, Charts: []report.Chart{chart, {ID: "none", Title: evil, Missing: evil}},
			Ladders: []report.Ladder{{ID: "l", Title: evil, Note: evil, Unit: evil, Bars: []report.Bar{{Name: evil, Detail: evil, High: 1}}}},
		}},
	}
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	tab := b.Open(t, onDisk(t, html))
	if title := Eval[string](tab, "document.title"); title != evil {
		t.Errorf("the title is %q", title)
	}
	if !strings.Contains(tab.Text("[data-chart=evil] .u-legend"), evil) {
		t.Error("the chart does not show the text as it is")
	}
}

// The reader of a comparison can choose the x axis.
func TestChoosingTheAxis(t *testing.T) {
	browser, dir := Start(t), t.TempDir()
	trainRun(t, dir, placed)
	a, errA := report.ReadRun(dir)
	b, errB := report.ReadRun(dir)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	a.Name, b.Name = "a", "b"
	for i := range a.Generations { // the runs have no second in common
		a.Generations[i].Seconds, b.Generations[i].Seconds = float64(i+1), 1.3*float64(i+1)
	}
	page := report.Page{Title: a.Game.Name, Axes: true, Sections: report.Sections(a, b)}
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	tab := browser.Open(t, onDisk(t, html))
	name := `[data-chart="window"] .u-legend .u-series .u-label`
	if got := tab.Text(name); !strings.HasPrefix(got, "generation") {
		t.Errorf("curves are drawn over %q", got)
	}
	pointAtAll(t, tab, "window", "a: window", "b: window")
	tab.Choose("#axis", "seconds")
	if got := tab.Text(name); !strings.HasPrefix(got, "seconds of training") {
		t.Errorf("with seconds chosen, curves are drawn over %q", got)
	}
	pointAtAll(t, tab, "window", "a: window", "b: window")
}

// pointAtAll hovers over the middle of a chart and expects a value of each line in the legend.
func pointAtAll(t *testing.T, b *Tab, chart string, lines ...string) {
	t.Helper()
	figure := fmt.Sprintf(`[data-chart=%q]`, chart)
	b.Hover(figure+" .u-over", 0.45)
	legend := b.Text(figure + " .u-legend")
	for _, line := range lines {
		if _, value, found := strings.Cut(legend, line); !found || !regexp.MustCompile(`^\W*\d`).MatchString(value) {
			t.Errorf("under the mouse, the legend of %s has no value of %s: %q", chart, line, legend)
		}
	}
}

// TestOnlyLaddersInBrowser: a section may have ladders and no charts, as in ludus compare.
func TestOnlyLaddersInBrowser(t *testing.T) {
	page := report.Page{Title: "ladder", Sections: []report.Section{{ID: "arms", Title: "Arms", Ladders: []report.Ladder{{
		ID: "error", Title: "error", Unit: "% of moves",
		Bars: []report.Bar{{Name: "simulations=16", Value: 3, Low: 2, High: 4, Detail: "-10 %"}},
	}}}}}
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	b := Start(t).Open(t, onDisk(t, html))
	text := b.Text("#ladder-error")
	for _, word := range []string{"simulations=16", "2.00 to 4.00", "-10 %"} {
		if !strings.Contains(text, word) {
			t.Errorf("the ladder shows %q, without %q", text, word)
		}
	}
}
