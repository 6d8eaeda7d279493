package report

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tab is a page in Chromium. It fails its test where the page complains or asks the network for anything.
type tab struct {
	*testing.T
	ctx context.Context
	own string // the page's address

	mu       sync.Mutex // guards what follows
	requests []string
	messages []string
}

// open shows a file in a new browser. Where Chromium is not installed the test is skipped, unless LUDUS_TEST_BROWSER is
// set; LUDUS_SHOTS names a folder that is to keep screenshots.
func open(t *testing.T, path string) *tab {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("LUDUS_TEST_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip("Chromium is not installed")
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.UserDataDir(t.TempDir()))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		// A browser that is asked to end may still be writing its profile; the test's folder is removed after it has ended.
		if err := chromedp.Cancel(ctx); err != nil {
			t.Log(err)
		}
		cancel()
	})
	b := &tab{T: t, ctx: ctx, own: "file://" + path}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.own))
	t.Cleanup(b.checkQuiet)
	return b
}

// listen notes requests and complaints.
func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; url != b.own && !strings.HasPrefix(url, "data:") {
			b.requests = append(b.requests, url)
		}
	case *log.EventEntryAdded:
		b.messages = append(b.messages, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.messages = append(b.messages, fmt.Sprint(e.Type))
	}
}

func (b *tab) checkQuiet() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) > 0 || len(b.messages) > 0 {
		b.Errorf("the page asks for %q and complains %q", b.requests, b.messages)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if chromedp.FromContext(b.ctx).Target == nil {
		ctx = b.ctx // the browser would end with the time limit of its first call
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// ask evaluates a script.
func ask[T any](b *tab, script string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return value
}

func (b *tab) text(selector string) string {
	b.Helper()
	return ask[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// prefer sets the colours that the system asks for.
func (b *tab) prefer(theme string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	})
	if err != nil {
		b.Fatal(err)
	}
}

// shoot keeps a screenshot of the whole page where that is asked for.
func (b *tab) shoot(name string) {
	b.Helper()
	folder := os.Getenv("LUDUS_SHOTS")
	if folder == "" {
		return
	}
	data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), data, 0o666)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// A person looks through the report of a run.
func TestReportInBrowser(t *testing.T) {
	dir := trained(t, "quad-5x5")
	if _, err := Write(t.Context(), dir, Full); err != nil {
		t.Fatal(err)
	}
	b := open(t, filepath.Join(dir, FileName))
	t.Run("curves", func(t *testing.T) { b.hover(t) })
	t.Run("games", func(t *testing.T) { b.stepThrough(t) })
	t.Run("colours", func(t *testing.T) { b.changeColours(t) })
	t.Run("narrow", func(t *testing.T) { b.narrow(t) })
}

// hover reads the values under the mouse in every chart.
func (b *tab) hover(t *testing.T) {
	charts := ask[[]string](b, `[...document.querySelectorAll("[data-chart]")].map((f) => f.dataset.chart)`)
	drawn := ask[int](b, `document.querySelectorAll("[data-chart] canvas").length`)
	if len(charts) < 15 || drawn != len(charts) {
		t.Fatalf("%d of %d charts are drawn", drawn, len(charts))
	}
	for _, id := range charts {
		figure := fmt.Sprintf(`[data-chart=%q]`, id)
		newest := b.text(figure + " .u-legend")
		b.do(chromedp.ScrollIntoView(chromedp.CSS(figure)))
		at := ask[[]float64](b, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect();
			return [r.left + 2, r.top + r.height / 2]; })()`, figure+" .u-over"))
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]), chromedp.Sleep(50*time.Millisecond))
		oldest := b.text(figure + " .u-legend")
		if oldest == newest || strings.Contains(newest, "undefined") || !strings.ContainsAny(oldest, "0123456789") {
			t.Errorf("%s: the readout is %q under the mouse and %q away from it", id, oldest, newest)
		}
	}
	b.shoot("wide-hover")
}

// seen is what the game viewer shows.
type seen struct{ Ply, Board, Value, Moves, Status string }

func (b *tab) seen() seen {
	return ask[seen](b, `(() => { const text = (id) => document.getElementById(id).textContent;
		return { Ply: text("ply"), Board: document.getElementById("board").innerHTML, Value: text("value"),
			Moves: text("moves"), Status: text("status") }; })()`)
}

// stepThrough steps through a game by buttons, by keys and by its list of moves.
func (b *tab) stepThrough(t *testing.T) {
	start := b.seen()
	if !strings.HasPrefix(start.Ply, "ply 0 of") || !strings.Contains(start.Moves, "(mark r") || start.Status != "x to move; quads left x 8, o 8" {
		t.Fatalf("at the start: %+v", start)
	}
	b.do(chromedp.Click(chromedp.CSS(`[data-go="next"]`)))
	first := b.seen()
	if !strings.HasPrefix(first.Ply, "ply 1 of") || first.Board == start.Board || first.Moves == start.Moves || first.Value == "" {
		t.Errorf("after the first move: %+v", first)
	}
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	if second := b.seen(); !strings.HasPrefix(second.Ply, "ply 2 of") || second.Board == first.Board {
		t.Errorf("after the right arrow: %+v", second)
	}
	b.do(chromedp.KeyEvent(kb.ArrowLeft))
	if back := b.seen(); back != first {
		t.Errorf("back again: %+v, before %+v", back, first)
	}
	b.do(chromedp.Click(chromedp.CSS(`[data-go="last"]`)))
	if last := b.seen(); !strings.HasPrefix(last.Status, "over: ") {
		t.Errorf("at the end: %+v", last)
	}
	b.do(chromedp.Click(chromedp.CSS(`#record button[data-ply="1"]`)))
	if again := b.seen(); again != first {
		t.Errorf("by the list of moves: %+v", again)
	}
	ask[any](b, `(() => { const s = document.getElementById("game"); s.value = 2; s.dispatchEvent(new Event("change")); })()`)
	if other := b.seen(); !strings.HasPrefix(other.Ply, "ply 0 of") || !strings.Contains(b.text("#game option:checked"), "mcts:200") {
		t.Errorf("the third game: %+v", other)
	}
}

// board reads the drawn board: the names of pieces by the labels of their row and column.
func (b *tab) board() map[string]string {
	b.Helper()
	return ask[map[string]string](b, `(() => {
		const labels = [...document.querySelectorAll("#board .label")], found = {};
		const near = (e, name, at) => Math.abs(Number(e.getAttribute(name)) - at) < 0.01;
		const edge = Math.min(...labels.map((e) => Number(e.getAttribute("x")))); // row labels stand there
		for (const piece of document.querySelectorAll("#board circle.piece")) {
			const [x, y] = [piece.cx.baseVal.value, piece.cy.baseVal.value];
			const row = labels.find((e) => near(e, "x", edge) && near(e, "y", y));
			const column = labels.find((e) => !near(e, "x", edge) && near(e, "x", x));
			found[row.textContent + " " + column.textContent] = /named-(\w+)/.exec(piece.getAttribute("class"))[1];
		}
		return found;
	})()`)
}

// Pieces stand where the moves' texts say, on boards that are drawn downwards and upwards.
func TestBoardsInBrowser(t *testing.T) {
	for _, c := range []struct {
		game, text, top string // text: the form of a move; top: the label of the uppermost row
		start           map[string]string
	}{
		{"quad(size=4,quads=4,whites=0)", `\(mark (?<row>r\d) (?<column>c\d)\)`, "r1", map[string]string{}},
		{"breakthrough(columns=3,rows=5)", `\(move \d \d (?<column>\d) (?<row>\d)\)`, "5", map[string]string{
			"1 1": "white", "1 2": "white", "1 3": "white", "2 1": "white", "2 2": "white", "2 3": "white",
			"4 1": "black", "4 2": "black", "4 3": "black", "5 1": "black", "5 2": "black", "5 3": "black",
		}},
	} {
		dir := trained(t, c.game)
		if _, err := Write(t.Context(), dir, Full); err != nil {
			t.Fatal(err)
		}
		b := open(t, filepath.Join(dir, FileName))
		before := b.board()
		if !maps.Equal(before, c.start) {
			t.Errorf("%s begins with %v", c.game, before)
		}
		if top := ask[string](b, `[...document.querySelectorAll("#board .label")].filter((e) => e.getAttribute("x") < 0.5)
			.reduce((a, b) => Number(a.getAttribute("y")) < Number(b.getAttribute("y")) ? a : b).textContent`); top != c.top {
			t.Errorf("%s: the uppermost row is %s", c.game, top)
		}
		move := regexp.MustCompile(c.text)
		words := move.FindStringSubmatch(b.text("#moves .played th"))
		if words == nil {
			t.Fatalf("%s: no move is marked as played", c.game)
		}
		to := words[move.SubexpIndex("row")] + " " + words[move.SubexpIndex("column")]
		first := b.text("#record button .who")
		b.do(chromedp.Click(chromedp.CSS(`[data-go="next"]`)))
		if after := b.board(); after[to] != first || before[to] == first {
			t.Errorf("%s: after %s by %s the board is %v", c.game, words[0], first, after)
		}
	}
}

// changeColours follows the system's wish and then the button.
func (b *tab) changeColours(t *testing.T) {
	background := func() string { return ask[string](b, "getComputedStyle(document.body).backgroundColor") }
	b.prefer("light")
	light := background()
	b.shoot("wide-light")
	b.prefer("dark")
	dark := background()
	b.shoot("wide-dark")
	if light == dark {
		t.Errorf("light and dark have the same background %s", light)
	}
	b.do(chromedp.Click(chromedp.CSS("#theme")))
	if background() != light {
		t.Error("the button does not turn dark to light")
	}
	b.do(chromedp.Click(chromedp.CSS("#theme")))
	if background() != dark {
		t.Error("the button does not turn light to dark")
	}
}

// narrow looks at the page on a phone, and on one turned round.
func (b *tab) narrow(t *testing.T) {
	for _, width := range []int64{360, 640, 800, 1000} {
		b.do(chromedp.EmulateViewport(width, 800), chromedp.Sleep(200*time.Millisecond))
		if wide := ask[int64](b, "document.documentElement.scrollWidth"); wide > width {
			t.Errorf("at %d px the page is %d px wide; too wide are %s", width, wide, ask[string](b, fmt.Sprintf(
				`[...document.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > %d).map((e) => e.tagName + "." + e.className).slice(0, 5).join(", ")`, width)))
		}
		if width == 360 {
			b.shoot("narrow-dark")
		}
	}
}

// Texts with markup do nothing in a browser either.
func TestMarkupInBrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, evilPage(t), 0o666); err != nil {
		t.Fatal(err)
	}
	b := open(t, path)
	if title := ask[string](b, "document.title"); title != evil {
		t.Errorf("the title is %q", title)
	}
	if !strings.Contains(b.text("[data-chart=evil] .u-legend"), evil) {
		t.Error("the chart does not show the text as it is")
	}
}
