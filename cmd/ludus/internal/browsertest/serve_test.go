package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"ludus/checkpoints"
	"ludus/cmd/ludus/internal/web"
	"ludus/env/games"
	"ludus/env/naming"
	"ludus/model/infer/infertest"
)

// A first visit with the token opens the page. The token is then neither in the address nor readable by scripts.
func TestTokenInBrowser(t *testing.T) {
	b := Start(t)
	address, _ := serve(t, web.Options{Token: "a-token-of-mine"})
	tab := b.Open(t, address)
	tab.Wait(`location.search === "" && document.readyState === "complete" && !!document.querySelector("h1")`)
	if state := Eval[string](tab, `fetch("/api/about").then((r) => r.status + document.cookie + document.referrer)`); state != "200" {
		t.Errorf("the page's request: %s", state)
	}
}

// A fault of a page's own code is an exception, not a lost connection.
func TestFaultOfPageInBrowser(t *testing.T) {
	b, dir := Start(t), t.TempDir()
	address, _ := serve(t, web.Options{Runs: dir})
	tab := b.Open(t, address+"runs")
	tab.Wait(`document.querySelector("#live").dataset.state === "on" && document.querySelector("#where").textContent !== ""`)
	Eval[bool](tab, `document.querySelector("#where").remove() === undefined`)
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run", "config.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	all := ""
	for end := time.Now().Add(10 * time.Second); !strings.Contains(all, "TypeError") && time.Now().Before(end); time.Sleep(settling) {
		all += strings.Join(tab.Problems(), "\n")
	}
	if state := Eval[string](tab, `document.querySelector("#live").dataset.state`); !strings.Contains(all, "TypeError") || state != "on" {
		t.Errorf("the connection is %s, problems are %q", state, all)
	}
}

// A page of another origin gets nothing from the server, even if it has the same host.
func TestOtherOriginInBrowser(t *testing.T) {
	b := Start(t)
	own, _ := serve(t, web.Options{})
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><link rel=icon href=data:,><title>elsewhere</title>"))
	}))
	defer foreign.Close()
	for _, address := range []string{foreign.URL, strings.Replace(foreign.URL, "127.0.0.1", "localhost", 1)} {
		tab := b.Open(t, address)
		for _, options := range []string{`{}`, `{mode: "no-cors"}`, `{mode: "no-cors", method: "POST", body: "{}"}`, `{method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}`} {
			script := `fetch("` + own + `api/about", ` + options + `).then((r) => "answered " + r.status + r.type, () => "nothing")`
			if got := Eval[string](tab, script); got != "nothing" {
				t.Errorf("%s from %s: %s", options, address, got)
			}
		}
		if got := Eval[string](tab, `new Promise((done) => {
			const script = document.createElement("script");
			script.src = "`+own+`static/dom.js";
			script.onload = () => done("loaded");
			script.onerror = () => done("nothing");
			document.head.append(script);
		})`); got != "nothing" {
			t.Errorf("a script from %s: %s", address, got)
		}
		tab.Problems() // there are many, and that is right
	}
}

// People play on the server's page.
func TestPlayOnServer(t *testing.T) {
	b, dir := Start(t), t.TempDir()
	address, _ := serve(t, web.Options{Runs: dir})
	all := []string{turned, sixes, placed, moved, fallen, "free-for-all-2p"}
	front := Front{Name: "web", Games: all, Address: func(t *testing.T, name string) string {
		game := games.Must(name)
		file := naming.FileName(game.Name) + ".safetensors"
		weights := infertest.RandomWeights(game, 4, 1, 1).Marshal()
		if err := checkpoints.WriteSharedFile(filepath.Join(dir, file), weights); err != nil { // others read it
			t.Fatal(err)
		}
		return address + "?" + url.Values{"game": {game.Name}, "agent": {"net:" + file}}.Encode()
	}}
	front.Test(t, b)
	front.TestControls(t, b)
}

const (
	ready    = `document.body?.dataset.state === "ready"`
	rival    = `document.querySelector("#seat1").value`
	ownAgent = "net:quad.safetensors,sims=2"
)

// waitForList waits until the server's list of runs contains a text: scans of the folder are a second apart.
func waitForList(tab *Tab, text string) {
	tab.Wait(fmt.Sprintf(`(window.listed ??= {}, window.listed[%[1]q] ??= (async () => {
		while (!(await (await fetch("/api/runs")).text()).includes(%[1]q)) await new Promise((done) => setTimeout(done, 100));
		window.listed[%[1]q] = true;
	})(), window.listed[%[1]q] === true)`, text))
}

// Numbers on the board: the first player's expected score after the best move to a cell, or else visits of all of them.
// A turn is all moves that one player made in a row.
func TestBoardNumbers(t *testing.T) {
	b := Start(t)
	address, _ := serve(t, web.Options{Runs: t.TempDir()})
	tab := b.Open(t, address)
	tab.Wait(ready)
	const actions = `{ "c3": { from: -1, to: 12 }, "block c3": { from: -1, to: 12 }, "d4": { from: -1, to: 18 }, "pass": { from: -1, to: -1 } }`
	for _, c := range []struct{ player, wants, want string }{
		{"x", "{ value: true }", `[[12,"88"],[18,"50"]]`},
		{"o", "{ value: true }", `[[12,"13"],[18,"50"]]`},
		{"o", "{ value: true, visits: true }", `[[12,"13"],[18,"50"]]`},
		{"o", "{ visits: true }", `[[12,12],[18,4]]`},
		{"o", "{ prior: true }", `[]`},
	} {
		got := Eval[string](tab, fmt.Sprintf(`import("/static/analysis.js").then(({ boardMarks }) => JSON.stringify([...boardMarks({ player: %q, simulations: 16, moves: [
			{ move: "c3", visits: 10, value: 0.25, prior: 0.5 }, { move: "block c3", visits: 2, value: 0.75, prior: 0.1 },
			{ move: "d4", visits: 4, value: -0.001, prior: 0.4 }, { move: "pass", visits: 0, value: null, prior: 0 }] }, %s, %s, ["x", "o"]).numbers]))`, c.player, actions, c.wants))
		if got != c.want {
			t.Errorf("%s to move, %s: %s, want %s", c.player, c.wants, got, c.want)
		}
	}
	// Without values marks follow the prior, and leave out small ones.
	for wants, want := range map[string]string{"{ visits: true }": `["c3","d4"]`, "{ prior: true }": `["c3","d4"]`} {
		got := Eval[string](tab, fmt.Sprintf(`import("/static/analysis.js").then(({ boardMarks }) => JSON.stringify(boardMarks({ player: "x", simulations: 16, moves: [
			{ move: "c3", visits: 10, prior: 0.5 }, { move: "block c3", visits: 2, prior: 0.04 },
			{ move: "d4", visits: 4, prior: 0.4 }, { move: "pass", visits: 0, prior: 0 }] }, %s, %s, ["x", "o"]).shades.map(({ move }) => move)))`, actions, wants))
		if got != want {
			t.Errorf("marks of %s: %s, want %s", wants, got, want)
		}
	}
	for ply, want := range map[int]string{0: "[]", 1: "[1]", 2: "[2]", 3: "[2,3]", 4: "[2,3,4]", 5: "[5]"} {
		got := Eval[string](tab, fmt.Sprintf(`import("/static/history.js").then(({ GameHistory }) => JSON.stringify(
			GameHistory.prototype.turn.call({ positions: [0, 1, 1, 1, 0, 1].map((player) => ({ player })) }, %d)))`, ply))
		if got != want {
			t.Errorf("the turn up to move %d is %s, want %s", ply, got, want)
		}
	}
}

// Before a game the page says who wins with best play, and offers the other seat. After it a review lists the moves
// that gave value away; each leads to its position. A new game hides the review.
func TestReview(t *testing.T) {
	b := Start(t)
	address, _ := serve(t, web.Options{Runs: t.TempDir()})
	tab := b.Open(t, address+"?game=quad-5x5#seats=person,zoo&moves="+url.QueryEscape(strings.Join(lostGame, ";")))
	tab.reviewLostGame()
	items := Eval[[]string](tab, `[...document.querySelectorAll("#review li span")].map((item) => item.innerText)`)
	if len(items) != 3 || !strings.HasPrefix(items[0], "x gives away 100 % (100 % to 0 %, proven), a blunder. Better: c3") || !strings.HasPrefix(items[1], "o gives away ") {
		t.Errorf("the review lists %q", items)
	}
	if summary := tab.Text("#review tbody"); summary != "x450 %2250.0 %o475 %1125.0 %" {
		t.Errorf("the summary is %q", summary)
	}
	// A request that is aborted while its body arrives is no error of the server.
	aborted := Eval[string](tab, `import("/static/http.js").then(async ({ getJSON }) => {
		const { fetch } = window;
		window.fetch = async () => ({ ok: true, status: 200, statusText: "OK", json: () => Promise.reject(new DOMException("aborted", "AbortError")) });
		try { return await getJSON("/api/games").then(() => "no error", ({ name }) => name); } finally { window.fetch = fetch; }
	})`)
	if aborted != "AbortError" {
		t.Errorf("an aborted request ends with %s", aborted)
	}
	tab.CheckWidths("review", nil)
	tab.Click("#review li:nth-child(2) button:last-child") // o's blunder: the person gets o, and the agent x
	tab.Wait(`document.querySelectorAll("#moves [data-ply]").length === 4 && !document.getElementById("review").checkVisibility()`)
	tab.Wait(`document.body.dataset.state === "ready" && document.querySelector("#seat0").value !== "person" && document.querySelector("#seat1").value === "person"`)
	Eval[any](tab, "history.back()")
	tab.Wait(`document.body.dataset.state === "over" && document.querySelector("#seat0").value === "person"`)
	tab.Click("#new")
	tab.Wait(`document.getElementById("outlook").checkVisibility()`)
	if text := tab.Text("#outlook"); text != "With best play x wins. Take the harder side" {
		t.Errorf("before the game the page says %q", text)
	}
	tab.Click("#other-seat")
	tab.Wait(`document.querySelector("#seat1").value === "person" && document.querySelectorAll("#moves li").length > 1`)
}

// lostGame is a game of quad-5x5 in which both sides blunder, and x loses.
var lostGame = []string{"b2", "d3", "a2", "d4", "d1", "c4", "e3", "c3"}

// reviewLostGame reviews lostGame and looks at its first mistake: the move and the better one are marked before it.
func (t *Tab) reviewLostGame() {
	t.Helper()
	t.Wait(`document.getElementById("ask-review")?.checkVisibility()`)
	Eval[bool](t, `document.getElementById("about").open = false`)
	t.Click("#ask-review")
	t.Wait(`document.querySelector("#review svg")`)
	if text := t.Text("#review .lost"); text != "x lost the game with 5. d1: from there o wins with best play, proven." {
		t.Errorf("the review says %q", text)
	}
	t.Click("#review li button")
	t.Wait(`document.getElementById("past").textContent.includes("move 2 of 8")`)
	if n := Eval[int](t, `document.querySelectorAll("#board .played-ring").length + 10 * document.querySelectorAll("#board .hint-ring").length`); n != 11 {
		t.Errorf("the board has %d marks of the better move, and %d of the move played", n/10, n%10)
	}
	if note := t.Text("#note"); !strings.HasPrefix(note, "3. a2 gives away 100 % (100 % to 0 %, proven), a blunder. Better: ") {
		t.Errorf("the note is %q", note)
	}
}

// Without a trained run the opponent is the shipped agent, and the menus mark runs that have hardly trained. A run that
// is better beyond chance comes before it.
func TestFirstOpponent(t *testing.T) {
	b, dir := Start(t), filepath.Join(t.TempDir(), "runs") // there is no such folder yet
	address, _ := serve(t, web.Options{Runs: dir})
	tab := b.Open(t, address)
	tab.Wait(ready + " && " + rival + ` === "shipped agent" && document.title.startsWith("quad-5x5")`)
	tab.Choose("#seat1", "tree search") // which does not play without a search
	tab.Focus("#strength1")
	tab.Press(kb.Home)
	if text := tab.Text("#strength-text1"); text != "4 simulations" {
		t.Errorf("the weakest tree search has %s", text)
	}

	trainRun(t, filepath.Join(dir, "new"), "quad-5x5")
	if err := os.Remove(filepath.Join(dir, "new", "arena.jsonl")); err != nil {
		t.Fatal(err)
	}
	waitForList(tab, `"name":"new"`)
	tab.Visit(address + "?game=quad-5x5")
	tab.Wait(ready + " && " + rival + ` === "shipped agent"`)
	tab.Click(`#board [data-cell="12"]`)
	tab.Wait(ready + ` && document.querySelectorAll("#moves [data-ply]").length === 3`)
	tab.Click(`#board [data-cell="12"]`)
	if text := tab.Text("#note"); text != "c3 is taken: x is on it" {
		t.Errorf("after a press on a taken cell the note is %q", text)
	}
	if text := Eval[string](tab, `document.querySelector("#seat1").lastElementChild.textContent`); text != "new (untrained)" {
		t.Errorf("the last opponent is %s", text)
	}

	trainRun(t, filepath.Join(dir, "rated"), "quad-5x5")
	waitForList(tab, `"name":"rated"`)
	tab.Visit(address + "?game=quad-5x5&again")
	tab.Wait(ready + " && " + rival + ` === "shipped agent"`) // it is better
	trainRun(t, filepath.Join(dir, "best"), "quad-5x5")
	raiseScore(t, filepath.Join(dir, "best"))
	waitForList(tab, `"value":0.96`)
	tab.Visit(address + "?game=quad-5x5&best")
	tab.Wait(ready + " && " + rival + ` === "best"`)
	if text := Eval[string](tab, `document.querySelector("#seat1").selectedOptions[0].textContent`); text != "best (96 % against the shipped agent, gen. 4)" {
		t.Errorf("the first opponent is %s", text)
	}
	for spec, want := range map[string]string{
		"net:rated@1": "rated@1 (12 % against the shipped agent)", "net:rated@3": "rated@3 (untrained)",
		"net:rated": "rated (20 % against the shipped agent, gen. 4)", "zoo": "shipped agent (1189 Elo)", "net:rated@1,sims=2": "net:rated@1,sims=2",
	} {
		tab.Visit(address + "?" + url.Values{"game": {"quad-5x5"}, "agent": {spec}}.Encode())
		tab.Wait(ready)
		if text := Eval[string](tab, `document.querySelector("#seat1").selectedOptions[0].textContent`); text != want {
			t.Errorf("the opponent %s is called %s, want %s", spec, text, want)
		}
	}
	tab.CheckWidths("web-opponent", nil)
}

// A game without a trained agent says so, and how to train one. Of other sizes the shipped agent is the opponent.
func TestAdviceToTrain(t *testing.T) {
	b := Start(t)
	address, _ := serve(t, web.Options{Runs: t.TempDir()})
	tab := b.Open(t, address)
	const advice = `[...document.querySelectorAll("#play .note")].map((e) => e.textContent).filter((text) => text.includes("no trained agent")).join()`
	for game, want := range map[string]string{
		"quad-5x5":    "",
		"hex(size=3)": "",
		"line-up(width=5,height=5,line=4,gravity=0)": "There is no trained agent of line-up(width=5,height=5,line=4,gravity=0) yet. " +
			"ludus train \"line-up(width=5,height=5,line=4,gravity=0)\" trains one.",
		"quad(size=11,quads=20,whites=5,corners=full)": "There is no trained agent of quad(size=11,quads=20,whites=5,corners=full) yet. " +
			"ludus train \"quad(size=11,quads=20,whites=5,corners=full)\" trains one.",
	} {
		tab.Visit(address + "?" + url.Values{"game": {game}}.Encode())
		tab.Wait(ready)
		tab.Wait(fmt.Sprintf(`document.querySelectorAll("#game option").length > 0 && %s === %q`, advice, want))
		if text := Eval[string](tab, `document.querySelector("#seat1").selectedOptions[0].textContent`); strings.HasPrefix(game, "hex") && text != "shipped agent (of hex-5x5)" {
			t.Errorf("the opponent in %s is %s", game, text)
		}
		if want != "" {
			tab.CheckWidth()
			tab.Shoot("web-advice")
		}
	}
}

// The page starts with a trained agent that is better than the shipped one, and accepts any agent spec and game; links
// contain all of it.
func TestChoosing(t *testing.T) {
	b, dir := Start(t), t.TempDir()
	trainRun(t, filepath.Join(dir, "trained"), "quad-5x5")
	raiseScore(t, filepath.Join(dir, "trained"))
	if err := os.WriteFile(filepath.Join(dir, "quad.safetensors"), infertest.RandomWeights(games.Must("quad-5x5"), 4, 1, 1).Marshal(), 0o666); err != nil {
		t.Fatal(err)
	}
	address, _ := serve(t, web.Options{Runs: dir})
	tab := b.Open(t, address)
	tab.Wait(ready + " && " + rival + ` === "trained"`)
	tab.Click("#more summary")
	tab.Focus("#agent")
	tab.Press("net:nowhere", "\r")
	tab.Wait(`document.querySelector("#more [role=alert]").textContent.includes("nowhere")`)
	refused := tab.Problems()
	if len(refused) != 1 || !strings.Contains(refused[0], "with a status of 400") || Eval[string](tab, rival) != "trained" {
		t.Errorf("after an agent that there is not: %q", refused)
	}
	Eval[any](tab, `document.querySelector("#agent").select()`)
	tab.Press(ownAgent, "\r")
	tab.Wait(rival + ` === "` + ownAgent + `"`)
	tab.Click(`#board [data-cell="12"]`)
	tab.Wait(ready + ` && document.querySelectorAll("#moves [data-ply]").length === 3`)
	tab.Click("#share")
	tab.Wait(`location.hash !== ""`)
	tab.Visit(Eval[string](tab, "location.href"))
	tab.Wait(`document.querySelectorAll("#moves [data-ply]").length === 3 && ` + rival + ` === "` + ownAgent + `"`)

	trainRun(t, filepath.Join(dir, "other"), "hex(size=4)") // the newest run
	waitForList(tab, `"name":"other"`)
	tab.Visit(address)
	tab.Wait(ready + ` && document.title.startsWith("hex(size=4") && [...document.querySelector("#seat1").options].some((o) => o.textContent === "shipped agent (of hex-5x5)")`)

	tab.Choose("#game", "golden-rectangle") // by keys, which go through the list
	tab.Click("#choose-game button")
	tab.Wait(ready + ` && document.title.startsWith("golden-rectangle")`)
	tab.Choose("#game", "")
	tab.Wait(`document.querySelector("#choose-game .sizes").innerText.includes("quad(size=4..13,")`)
	if text := tab.Text("#choose-game .sizes"); !strings.Contains(text, "hex(size=2..19,swap=0..1)") || !strings.Contains(text, "default: size=11, swap=1") {
		t.Errorf("the sizes are %s", text)
	}
	tab.Focus("#choose-game input")
	tab.Press("quad(size=4,quads=4,whites=2", "\r")
	tab.Wait(`document.querySelector("#game-error").textContent.includes("the ) at the end is missing")`)
	tab.Problems() // the browser notes the server's refusal
	if !Eval[bool](tab, ready+` && document.title.startsWith("golden-rectangle") && document.activeElement.value === "quad(size=4,quads=4,whites=2" && document.querySelector("#choose-game .sizes").checkVisibility()`) {
		t.Error("a wrong size leaves the game, or takes the text away")
	}
	tab.Resize(360, 740)
	tab.CheckWidth()
	tab.Resize(1280, 900)
	tab.Press(")", "\r") // behind the text
	tab.Wait(ready + ` && document.title.startsWith("quad(size=4,")`)

	tab.Visit(address + "?game=tic-tac-toe&agent=solver:9") // whose analysis cannot be deeper
	tab.Wait(ready + ` && document.querySelector("#deeper").textContent === "Show the analysis"`)
	tab.Click("#deeper")
	tab.Wait(`document.querySelector("#deeper").textContent === "solver:9 makes no simulations" && document.querySelectorAll("#analysis tbody tr").length > 2`)
}

// For an unknown game the page shows an error and only the choice of another game.
func TestUnknownGame(t *testing.T) {
	b := Start(t)
	address, _ := serve(t, web.Options{})
	tab := b.Open(t, address+"?game=quadd-5x5")
	tab.Wait(`document.querySelector("#message")?.textContent.includes("did you mean")`)
	tab.Problems() // the browser notes the server's refusal
	if text := tab.Text("main"); strings.Contains(text, "no trained agent") {
		t.Errorf("the page says %s", text)
	}
	shown := Eval[string](tab, `[...document.querySelectorAll("main :is(button, select, input, summary)")]
		.filter((e) => e.checkVisibility()).map((e) => e.id).join()`)
	if shown != "" || !Eval[bool](tab, `document.querySelector("#elsewhere").checkVisibility()`) {
		t.Errorf("shown beside the message: %q; a link to the runs must be", shown)
	}
	tab.CheckWidths("web-unknown", nil)
	tab.Choose("#game", "quad-5x5")
	tab.Click("#choose-game button")
	tab.Wait(ready + ` && document.querySelector(".panel").checkVisibility()`)
}

// If the server stops, the page says so; it continues once a server runs again.
func TestServerGone(t *testing.T) {
	b := Start(t)
	address, stop := serve(t, web.Options{})
	tab := b.Open(t, address+"?game=quad-5x5&agent=greedy")
	tab.Wait(ready)
	stop()
	tab.Click(`#board [data-cell="12"]`)
	tab.Wait(`document.querySelector("#message").textContent.includes("does not answer")`)
	tab.Shoot("web-server-gone")
	tab.Problems() // the browser notes that nobody answers
	serve(t, web.Options{Address: strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")})
	tab.Click("#retry")
	tab.Wait(ready)
	tab.Click(`#board [data-cell="12"]`)
	tab.Wait(ready + ` && document.querySelectorAll("#moves [data-ply]").length === 3`)
}

// addGeneration appends a copy of the last line of a run's metrics with another generation.
func addGeneration(t *testing.T, run string, generation int) {
	t.Helper()
	path := filepath.Join(run, "metrics.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	_, rest, _ := strings.Cut(lines[len(lines)-1], ",")
	if err := checkpoints.AppendLine(path, fmt.Appendf(nil, "{\"generation\":%d,%s", generation, rest)); err != nil {
		t.Fatal(err)
	}
}

// A run's page follows the run and keeps the reader's zoom.
func TestRunPageGrows(t *testing.T) {
	b, dir := Start(t), t.TempDir()
	run := filepath.Join(dir, "run")
	trainRun(t, run, "quad-5x5")
	address, _ := serve(t, web.Options{Runs: dir})
	tab := b.Open(t, address+"run?name=run")
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
	Eval[bool](tab, zoom)
	if at := atEnd(); at != "2" {
		t.Errorf("the part that is zoomed into ends at generation %s", at)
	}
	addGeneration(t, run, 5)
	tab.Wait(`document.querySelector("#facts").textContent.includes("Generations5 of 4")`)
	if at := atEnd(); at != "2" {
		t.Errorf("after another generation the zoomed part ends at generation %s", at)
	}
	Eval[bool](tab, `document.querySelector('`+curve+`').dispatchEvent(new MouseEvent("dblclick", { bubbles: true }))`)
	if at := atEnd(); at != "5" {
		t.Errorf("zoomed out, the curve ends at generation %s", at)
	}
	if err := os.RemoveAll(run); err != nil {
		t.Fatal(err)
	}
	tab.Wait(`document.querySelector("#message").textContent.includes("gone") && document.querySelector(".charts") === null`)
	for _, problem := range tab.Problems() {
		if !strings.Contains(problem, "with a status of 404") { // of a request for games while the run was being removed
			t.Error(problem)
		}
	}
}

// A link to a part of a run's page leads there although its content comes later. The ladder and the points of the
// rating curve lead to games against those checkpoints.
func TestRunPageLinks(t *testing.T) {
	b, dir := Start(t), t.TempDir()
	run := filepath.Join(dir, "run")
	trainRun(t, run, "quad-5x5")
	ratings := `{"version":2,"anchor":"random","games":9,"agents":[{"agent":"net@4","generation":4,"rating":120,"low":80,"high":161,"games":3},
		{"agent":"greedy","rating":88,"low":60,"high":116,"games":3},{"agent":"net@2","generation":2,"rating":12,"low":-20,"high":44,"games":3,"gone":true},
		{"agent":"random","rating":0,"low":-15,"high":15,"games":3}]}`
	if err := os.WriteFile(filepath.Join(run, "ratings.json"), []byte(ratings), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(run, "checkpoints", "000002")); err != nil {
		t.Fatal(err)
	}
	address, _ := serve(t, web.Options{Runs: dir})
	tab := b.Open(t, address+"run?name=run#games")
	tab.Wait(`document.querySelector("#ply")?.textContent.startsWith("ply 0 of ")`)
	tab.Wait(`Math.abs(document.querySelector("#games").getBoundingClientRect().top) < 80 && scrollY > 100`)
	if marked := tab.Text("#parts [aria-current]"); marked != "Games" {
		t.Errorf("at the games, the link to %q is marked", marked)
	}
	tab.Wait(`document.querySelectorAll("#curves tbody tr").length > 4`)
	links := Eval[[]string](tab, `[...document.querySelectorAll("#ladder-ratings a")].map((a) => a.textContent + " " + a.getAttribute("href"))`)
	want := []string{"net@4 /?game=quad-5x5&agent=net%3Arun%404", "greedy /?game=quad-5x5&agent=greedy", "random /?game=quad-5x5&agent=random"}
	if !slices.Equal(links, want) {
		t.Errorf("the ladder has the links %q, want %q", links, want)
	}
	// click clicks at a side of the chart where the pointer says that it can be clicked, and returns whether there is
	// such a place. All of it is one script: the layout may still move.
	click := func(side string) bool {
		return Eval[bool](tab, `(() => {
			const over = document.querySelector('[data-chart="rating"] .u-over');
			over.scrollIntoView({ behavior: "instant", block: "center" });
			const { left, right, top, bottom } = over.getBoundingClientRect();
			const act = (type, y) => document.elementFromPoint(`+side+`, y)?.dispatchEvent(
				new MouseEvent(type, { bubbles: true, movementX: 9, clientX: `+side+`, clientY: y }));
			for (let y = top; y < bottom; y++) {
				act("mousemove", y);
				if (over.style.cursor !== "pointer") continue;
				for (const type of ["mousedown", "mouseup", "click"]) act(type, y + 1);
				return true;
			}
			return false; })()`)
	}
	if click("left + 1") {
		t.Error("the first generation can be clicked, though its checkpoint is deleted")
	}
	if !click("right - 1") {
		t.Fatal("the last point of the rating curve cannot be clicked")
	}
	tab.Wait(`location.pathname === "/" && new URLSearchParams(location.search).get("agent") === "net:run@4"`)
}

// The list of runs puts runs of one game together, sorts them and leads to their comparison.
func TestRunsPage(t *testing.T) {
	b, dir := Start(t), t.TempDir()
	for name, game := range map[string]string{"a": "quad-5x5", "b": "quad-5x5", "c": placed} {
		trainRun(t, filepath.Join(dir, name), game)
	}
	scores := ""
	for g, won := range []int{3, 0, 4, 5, 20} {
		scores += scoreLine(games.Must("quad-5x5"), g, won)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "arena.jsonl"), []byte(scores), 0o666); err != nil {
		t.Fatal(err)
	}
	address, _ := serve(t, web.Options{Runs: dir})
	tab := b.Open(t, address+"runs")
	tab.Wait(`document.querySelectorAll("#runs li").length === 3`)
	tab.CheckNames()
	const shown = `[...document.querySelectorAll("#runs .run")].map((e) => ["h3", ".big", ".curve"].map((part) => e.querySelector(part).textContent).join(", ")).sort().join("; ")`
	if got := Eval[string](tab, shown); got != "a, score 80.0 %, 12.0 → 80.0 %; b, score 20.0 %, ; c, score 20.0 %, " {
		t.Errorf("scores and curves, of five scores or more, are %q", got)
	}
	tab.Choose("#sort", "name")
	const names = `[...document.querySelectorAll("#runs .group")].map((g) => g.querySelector("h2").textContent + ": " +
		[...g.querySelectorAll("h3")].map((e) => e.textContent).join()).sort().join("; ")`
	if got := Eval[string](tab, names); got != placed+": c; quad-5x5: a,b" {
		t.Errorf("the groups are %s", got)
	}
	if href := Eval[string](tab, `document.querySelector("#runs .play").getAttribute("href")`); !strings.Contains(href, "agent=net%3A") {
		t.Errorf("the button Play leads to %s", href)
	}
	tab.Resize(360, 740)
	tab.CheckWidth()
	tab.Resize(1280, 900)
	for _, name := range []string{"a", "b"} {
		tab.Click(`#runs input[value="` + name + `"]`)
	}
	tab.Click(`#runs .bar button:not([hidden])`)
	tab.Wait(`location.pathname === "/compare" && document.querySelectorAll("[data-chart] canvas").length > 10`)
	tab.CheckNames()
	pointAtAll(t, tab, "window", "a: window", "b: window")
	tab.Resize(360, 740)
	tab.Wait(`[...document.querySelectorAll(".uplot")].every((plot) => plot.clientWidth <= 360)`)
	tab.CheckWidth()
}

// A run's games can be stepped through by keys, analysed, and played on.
func TestRunPageGames(t *testing.T) {
	b, dir := Start(t), t.TempDir()
	trainRun(t, filepath.Join(dir, "a run"), "quad-5x5")
	address, _ := serve(t, web.Options{Runs: dir})
	tab := b.Open(t, address+"runs")
	tab.Wait(`document.querySelector("#runs li") !== null`)
	tab.CheckNames()
	tab.CheckWidth()
	tab.Shoot("runs")
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
	tab.Click("#ask")
	tab.Click(`#record [data-ply="2"]`)
	on := Eval[string](tab, `document.querySelector("#on").getAttribute("href")`)
	if !strings.HasPrefix(on, "/?game=quad-5x5&agent=net%3Aa+run#moves=") || strings.Count(on, "%3B") != 1 {
		t.Errorf("playing on leads to %s", on)
	}
	tab.Resize(360, 740)
	tab.Wait(`[...document.querySelectorAll(".uplot")].every((plot) => plot.clientWidth <= 360)`) // drawn anew a frame later
	tab.CheckWidth()
	tab.Shoot("run-360")
	tab.Resize(1280, 900)
	tab.Shoot("run")
	tab.Prefer("dark")
	tab.Shoot("run-dark")
	tab.Click("#on")
	tab.Wait(`document.querySelectorAll("#moves [data-ply]").length >= 2 && document.body.dataset.state === "ready"`)
}
