package browsertest

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/naming"
)

// Front is a page with the play app: a person in the first seat against an agent, unless its address says otherwise.
type Front struct {
	Name  string   // for names of screenshots
	Games []string // that are played to their ends
	// Address returns the app's address for a game, without a part after #.
	Address func(t *testing.T, game string) string
}

// Small games of the tests.
var (
	placed = "quad(size=4,quads=4,whites=2,corners=cut)"    // pieces are placed, by two kinds of moves
	moved  = "breakthrough(columns=3,rows=5,captures=true)" // pieces are moved
	passed = "free-for-all(size=5,steps=30,objective=win)"  // a move may touch no cell
	fallen = "golden-rectangle(columns=4,rows=4,span=3)"    // pieces fall
	turned = "othello(size=4)"                              // moves change other cells too
	sixes  = "hex(size=4,swap=1)"                           // cells are hexagons, and a move may touch no cell
)

// Test plays games and uses everything that needs an answer of the page's engine or server.
func (f Front) Test(t *testing.T, b *Browser) {
	for _, name := range f.Games {
		f.run(t, b, "mouse "+name, name, f.mouse)
	}
	f.run(t, b, "analysis of moved pieces", moved, toggleAnalysis)
	f.run(t, b, "more simulations", "quad-7x7", analyzeDeeper) // whose first position is not proven
	f.run(t, b, "share", placed, share)
	f.run(t, b, "reload", placed, reload)
	f.run(t, b, "agents", placed, agentsPlay)
}

// TestControls uses the controls of the app. All fronts share their scripts, so one front is enough.
func (f Front) TestControls(t *testing.T, b *Browser) {
	for _, name := range []string{sixes, "breakthrough-6x6", "quad-7x7", "golden-rectangle", "connect-four"} {
		f.run(t, b, "won "+name, name, f.won)
	}
	f.run(t, b, "analysis of placed pieces", "quad-5x5", toggleAnalysis)
	f.run(t, b, "sides", moved, changeSides)
	f.run(t, b, "proven", moved, showProven)
	f.run(t, b, "strength", placed, changeStrength)
	f.run(t, b, "shortcuts", placed, shortcuts) // with a suggestion
	f.run(t, b, "rules", "breakthrough(columns=4,rows=5,captures=true)", f.rules)
	f.run(t, b, "broken links", placed, brokenLinks)
	f.run(t, b, "pass", passed, pass)
	f.run(t, b, "swap of a piece", sixes, swapPiece)
	f.run(t, b, "keyboard", moved, keyboard)
	f.run(t, b, "touch", moved, touch)
	f.run(t, b, "small cells", "gomoku-19x19", tapTwice)
	f.run(t, b, "small hexagons", "hex(size=19,swap=0)", tapTwice)
	f.run(t, b, "undo", placed, undo)
	f.run(t, b, "flip", moved, flip)
	f.run(t, b, "flip hexagons", sixes, flip)
	f.run(t, b, "steps", placed, steps)
	f.run(t, b, "deselect", moved, deselect)
	f.run(t, b, "falling", fallen, fall)
	f.run(t, b, "no jumps", placed, stay)
	f.run(t, b, "kinds of moves", placed, kindsOfMoves)
	f.run(t, b, "theme", placed, changeTheme)
	f.run(t, b, "accessibility", placed, screenReader)
}

// run runs a parallel subtest with the app in a tab of its own.
func (f Front) run(t *testing.T, b *Browser, title, name string, test func(p *Playing)) {
	t.Run(title, func(t *testing.T) {
		t.Parallel()
		game := games.Must(name)
		test(NewPlaying(b.Open(t, f.Address(t, name)), game))
	})
}

// random returns a generator of moves, the same in every test of a game.
func random(p *Playing) *rand.PCG { return rand.NewPCG(1, uint64(p.Game.NumActions())) }

// playWithoutSearch sets the agent's strength to the network alone, which replies at once.
func playWithoutSearch(p *Playing) {
	p.Helper()
	p.Focus("#strength1")
	p.Press(kb.Home)
}

// agentName returns the label of the agent that the page starts with.
func agentName(p *Playing) string {
	p.Helper()
	value := Eval[string](p.Tab, `document.getElementById("seat1").value`)
	if value == "person" || Eval[string](p.Tab, `document.getElementById("seat0").value`) != "person" {
		p.Fatalf("at first %q sits in the second seat", value)
	}
	return value
}

// mouse plays a whole game by clicks, and checks the layout in its middle and at its end.
func (f Front) mouse(p *Playing) {
	playWithoutSearch(p)
	rng := random(p)
	p.PlayOn(rng, 8)
	f.checkLayout(p, "middle")
	p.PlayOn(rng, p.Game.MaxPlies)
	if !p.State.Done() {
		p.Fatal("the game is not over")
	}
	f.checkLayout(p, "end")
	goals := p.State.Goals()
	result := map[int]string{-1: "The agent wins", 0: "A draw", 1: "You win"}[cmp.Compare(goals[0], goals[1])]
	if status := p.Text("#status"); !strings.HasPrefix(status, result+". Game over: ") {
		p.Errorf("goals are %v, the status is %q, which does not begin with %q and the score", goals, status, result)
	}
	p.Click("#new")
	p.Wait(listedMoves + " === 0")
	p.Follow("ready")
}

// checkLayout checks that the page fits a phone and that cells are large enough for a finger. It takes screenshots.
func (f Front) checkLayout(p *Playing, when string) {
	p.Helper()
	p.CheckWidths(fmt.Sprintf("%s-%s-%s", f.Name, naming.FileName(p.Game.Name), when), func(width int64) {
		if side := Eval[float64](p.Tab, `Math.min(...[...document.querySelectorAll("#board [data-cell]")].map((e) => e.getBoundingClientRect())
			.map((r) => Math.min(r.width, r.height)))`); side < 24 {
			p.Errorf("on a screen of %d px a cell has %.0f px", width, side)
		}
	})
}

// won opens a game that ends with winning cells, and the position before the end. It checks the layout at the start,
// too.
func (f Front) won(p *Playing) {
	f.checkLayout(p, "start")
	var moves []string
	for seed := uint64(0); len(p.State.WinningCells(nil)) == 0; seed++ {
		rng := rand.NewPCG(seed, 0)
		for p.State, moves = p.Game.NewState(), nil; !p.State.Done(); {
			a := p.State.RandomAction(rng.Uint64())
			moves = append(moves, p.Game.ActionNames[a])
			p.State.Apply(a)
		}
	}
	p.Visit(Eval[string](p.Tab, "location.href") + "#moves=" + url.PathEscape(strings.Join(moves, ";")))
	p.Follow("over")
	f.checkLayout(p, "won")
	p.Press("[")
	p.shows(len(moves) - 1)
}

// keyboard plays a whole game with the keyboard, while pieces move visibly.
func keyboard(p *Playing) {
	p.Animate()
	rng := random(p)
	onBoard := func() bool { return p.See().Focus }
	for presses := 0; !onBoard(); presses++ {
		if presses == 60 {
			p.Fatal("Tab does not lead to the board")
		}
		p.Press(kb.Tab)
	}
	choose := []string{kb.Enter, " "}
	p.Reach = func(selector string) {
		p.moveFocus(selector)
		p.Press(choose[0])
		slices.Reverse(choose)
	}
	p.PlayOn(rng, p.Game.MaxPlies)
	if !p.State.Done() {
		p.Error("the game is not over")
	}
}

// moveFocus moves the focus to a cell with arrow keys.
func (p *Playing) moveFocus(selector string) {
	p.Helper()
	var to int
	if _, err := fmt.Sscanf(selector, "#board [data-cell=\"%d\"]", &to); err != nil {
		p.Fatalf("%s: %v", selector, err)
	}
	width := p.Game.Tensor.W
	for range p.Game.Tensor.Cells() {
		at := Eval[int](p.Tab, "Number(document.activeElement.dataset.cell ?? -1)")
		switch {
		case at == to:
			return
		case at < 0:
			p.Fatal("the focus left the board")
		case at%width < to%width:
			p.Press(kb.ArrowRight)
		case at%width > to%width:
			p.Press(kb.ArrowLeft)
		case at < to:
			p.Press(kb.ArrowUp)
		default:
			p.Press(kb.ArrowDown)
		}
	}
	p.Fatalf("arrow keys do not lead to cell %d", to)
}

// shortcuts uses the keyboard shortcuts that the page lists.
func shortcuts(p *Playing) {
	playWithoutSearch(p)
	p.PlayOn(random(p), 4)
	listed := p.Text("#keys")
	for _, key := range []string{"u", "h", "n", "f", "[", "]"} {
		if !strings.Contains(listed, key) {
			p.Errorf("the list of keys does not contain %q: %q", key, listed)
		}
	}
	played := len(p.Moves)
	p.Press("[")
	p.shows(played - 1)
	p.Press("]")
	p.shows(played)
	p.Press("u")
	p.Wait(fmt.Sprintf("%s < %d", listedMoves, played))
	p.Follow("ready")
	undone := len(p.Moves)
	p.Press("h")
	p.Wait(hinted)
	if p.Follow("ready"); len(p.Moves) != undone {
		p.Errorf("a hint was played: %q", p.Moves)
	}
	p.PlayOn(random(p), undone+2)
	if Eval[bool](p.Tab, hinted) {
		p.Error("the hint stays after a move")
	}
	before := slices.Clone(p.Moves)
	p.Focus("#board [tabindex='0']")
	p.Press("n")
	p.Wait(listedMoves + " === 0")
	p.Follow("ready")
	p.goBack(before)
	if !p.See().Focus {
		p.Error("the way back to the old game takes the focus from the board")
	}
}

// goBack goes back in the browser's history, as the note says, to a game that another one replaced.
func (p *Playing) goBack(moves []string) {
	p.Helper()
	if note := p.Text("#note"); !strings.Contains(note, "The browser's Back returns to the old game") {
		p.Errorf("the note is %q; it must say how to get the old game back", note)
	}
	Eval[any](p.Tab, "history.back()")
	p.Wait(fmt.Sprintf("%s === %d", listedMoves, len(moves)))
	if p.Follow("ready"); !slices.Equal(p.Moves, moves) {
		p.Errorf("the browser's Back leads to %q, want %q", p.Moves, moves)
	}
	if note := p.Text("#note"); note != "" {
		p.Errorf("back in the old game the note is %q", note)
	}
}

// rules reads the rules, which are open until they are closed.
func (f Front) rules(p *Playing) {
	open := func() bool { return Eval[bool](p.Tab, `document.getElementById("about").open`) }
	p.Reach("#rules")
	p.Wait(`document.getElementById("about").open`)
	for _, want := range append(strings.Split(p.Game.Rules, "\n"), p.Game.Strategy) {
		if text := p.Text("#about"); !strings.Contains(text, want) {
			p.Errorf("the rules are %q, without %q", text, want)
		}
	}
	if n := Eval[int](p.Tab, `document.querySelectorAll("#about figure .piece").length`); n < 20 {
		p.Errorf("the diagrams have %d pieces", n)
	}
	p.CheckNames()
	p.Visit(Eval[string](p.Tab, "location.href"))
	p.Follow("ready")
	if !open() {
		p.Error("the rules are closed on the next visit")
	}
	f.checkLayout(p, "rules")
	p.Resize(360, 740)
	p.Reach("#about summary")
	p.Wait(fmt.Sprintf("localStorage.getItem(%q) === 'closed'", "ludus-rules "+p.Game.Name)) // written after the rules are closed
	p.Visit(Eval[string](p.Tab, "location.href"))
	p.Follow("ready")
	if open() {
		p.Error("the page forgets that the rules were closed")
	}
	p.PlayOn(random(p), 2)
}

// flip turns the board: the first row is above, and everything else stays right.
func flip(p *Playing) {
	playWithoutSearch(p)
	top := func(cell int) float64 {
		return Eval[float64](p.Tab, fmt.Sprintf("document.querySelector(%q).getBoundingClientRect().top", cellOf(int32(cell))))
	}
	cells := p.Game.Drawing.Cells
	first, last := slices.Index(cells, true), len(cells)-1
	for !cells[last] {
		last--
	}
	for _, above := range []int{last, first} {
		if below := first + last - above; top(above) >= top(below) {
			p.Errorf("cell %d is not above cell %d", above, below)
		}
		p.PlayOn(random(p), len(p.Moves)+2)
		p.Focus(cellOf(int32(first)))
		p.Press("f")
		p.Follow("ready")
		if at := Eval[int](p.Tab, "Number(document.activeElement.dataset.cell)"); at != first {
			p.Errorf("the focus went from cell %d to %d", first, at)
		}
	}
}

const (
	listedMoves = `document.querySelectorAll("#moves [data-ply]:not([data-ply='0'])").length`
	hinted      = `document.querySelectorAll("#board .hint").length > 0`
)

// shows checks that an earlier position is shown.
func (p *Playing) shows(ply int) {
	p.Helper()
	p.Wait(fmt.Sprintf(`(document.querySelector("#moves [aria-current]")?.dataset.ply || "0") === "%d"`, ply))
	p.compare(p.See(), p.At(ply))
}

// touch plays a whole game on a phone.
func touch(p *Playing) {
	p.Resize(360, 740)
	p.Touch()
	p.Reach = p.Tap
	playWithoutSearch(p)
	p.PlayOn(random(p), p.Game.MaxPlies)
	if !p.State.Done() {
		p.Error("the game is not over")
	}
}

// crowdedRows counts the rows whose label is over a cell, or that have buttons over each other.
const crowdedRows = `(() => {
	const box = (e) => e.getBoundingClientRect(), cells = [...document.querySelectorAll("#board [data-cell]")].map(box);
	const cellsBeside = (label) => cells.filter((cell) => Math.abs(cell.top + cell.bottom - label.top - label.bottom) < 2);
	const crowded = (label, row) => row.some((cell, i) => cell.left < (i > 0 ? row[i - 1].right - 0.5 : label.right));
	return [...document.querySelectorAll("#board .label.row")].map(box).filter((label) => crowded(label, cellsBeside(label))).length;
})()`

// tapTwice plays on cells that are too small for a finger: the first tap marks a move, which another tap may change and
// a button plays, too.
func tapTwice(p *Playing) {
	p.Do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch))
	playWithoutSearch(p)
	const marked = `document.querySelectorAll("#board .hint-ring").length`
	for _, name := range []string{"c3", "f6"} {
		p.Tap(fmt.Sprintf(`#board [aria-label^="%s,"]`, name))
		p.Wait(fmt.Sprintf(`document.getElementById("note").textContent === "%s: tap again to play it" && %s === 1`, name, marked))
	}
	p.Tap("#hint") // takes the mark away
	p.Wait(`document.getElementById("note").textContent.startsWith("Hint for")`)
	p.Tap(`#board [aria-label^="f6,"]`)
	p.Wait(`document.getElementById("note").textContent.startsWith("f6: tap again") && ` + marked + " === 1")
	if n := Eval[int](p.Tab, listedMoves); n != 0 {
		p.Errorf("the first taps played %d moves", n)
	}
	p.Tap(`#board [aria-label^="f6,"]`)
	p.Wait(listedMoves + " === 2 && " + marked + " === 0")
	p.Tap(`#board [aria-label^="h9,"]`)
	p.Tap(`#extras [data-move="h9"]`)
	p.Wait(listedMoves + " === 4 && " + marked + " === 0 && !document.querySelector('#extras button')")
	pieces, first := p.Pieces(), p.Game.Players[env.First]
	if pieces["f6"] != first || pieces["h9"] != first || pieces["c3"] == first {
		p.Errorf("the pieces are %v", pieces)
	}
	if n := Eval[int](p.Tab, crowdedRows); n > 0 {
		p.Errorf("%d rows have labels over cells or buttons over each other", n)
	}
	p.CheckWidth()
	p.Shoot("small-cells-" + p.Game.Family)
	if text := p.Text("#note"); strings.Contains(text, "tap") {
		p.Errorf("after the move the note is %q", text)
	}
}

// undo takes back all moves.
func undo(p *Playing) {
	playWithoutSearch(p)
	p.PlayOn(random(p), 6)
	for len(p.Moves) > 0 {
		before := slices.Clone(p.Moves)
		p.Click("#undo")
		p.Wait(fmt.Sprintf("%s < %d", listedMoves, len(before)))
		p.Follow("ready")
		if !slices.Equal(p.Moves, before[:len(p.Moves)]) || p.State.Player() != env.First {
			p.Fatalf("%q undone is %q", before, p.Moves)
		}
	}
	if !Eval[bool](p.Tab, `document.getElementById("undo").disabled`) {
		p.Error("at the start there is something to undo")
	}
}

// steps steps through the list of moves, and plays another move in an earlier position. The browser's Back button
// undoes that.
func steps(p *Playing) {
	playWithoutSearch(p)
	p.PlayOn(random(p), 6)
	for ply := range p.Moves[1:] {
		p.Click(fmt.Sprintf(`#moves [data-ply="%d"]`, ply+1))
		p.shows(ply + 1)
	}
	for ply := len(p.Moves) - 2; ply >= 0; ply-- {
		p.Press("[")
		p.shows(ply)
	}
	before := slices.Clone(p.Moves)
	legal := p.Game.NewState().Legal(nil)
	other := legal[slices.IndexFunc(legal, func(a env.Action) bool { return p.Game.ActionNames[a] != p.Moves[0] })]
	p.Move(other)
	p.Wait(fmt.Sprintf(`document.querySelector("#moves [data-ply='1']").textContent.includes(%q)`, p.Game.ActionNames[other]))
	p.Follow("ready")
	for ply := 1; ply < len(p.Moves); ply++ { // only the agent's turn, which may have several moves
		if p.At(ply).Player() == env.First {
			p.Fatalf("after another first move the list still holds %q", p.Moves)
		}
	}
	p.goBack(before)
	p.Click(`#moves [data-ply="0"]`)
	p.Click("#resume")
	p.Wait(listedMoves + " === 0")
	p.Follow("ready")
	p.goBack(before)
}

// deselect selects a piece, deselects it, and selects another one.
func deselect(p *Playing) {
	playWithoutSearch(p)
	chosen := func() string {
		return Eval[string](p.Tab, `[...document.querySelectorAll("#board [aria-pressed=true]")].map((e) => e.dataset.cell).join()`)
	}
	var from []int32
	for _, a := range p.State.Legal(nil) {
		from = append(from, p.Game.Drawing.ActionCells[a].From)
	}
	first, last := slices.Min(from), slices.Max(from)
	p.Click(cellOf(first))
	if got := chosen(); got != fmt.Sprint(first) {
		p.Errorf("cell %d was clicked, chosen is %q", first, got)
	}
	p.Press(kb.Escape)
	if got := chosen(); got != "" {
		p.Errorf("after Escape %q is chosen", got)
	}
	p.Click(cellOf(first))
	p.Click(cellOf(last))
	if got := chosen(); got != fmt.Sprint(last) {
		p.Errorf("another piece, %d, was clicked, chosen is %q", last, got)
	}
	wrong := int32(0) // a cell that is neither a piece to select nor a target of the selected one
	for slices.ContainsFunc(p.State.Legal(nil), func(a env.Action) bool {
		move := p.Game.Drawing.ActionCells[a]
		return move.From == wrong || move == env.FromTo{From: last, To: wrong}
	}) {
		wrong++
	}
	p.Click(cellOf(wrong))
	p.Wait(`document.getElementById("note").textContent.includes("cannot move to")`)
	if got := chosen(); got != fmt.Sprint(last) {
		p.Errorf("after a refused move of %d, chosen is %q", last, got)
	}
	p.Click(cellOf(last))
	if got := chosen(); got != "" {
		p.Errorf("after a second press on a piece %q is chosen", got)
	}
	p.PlayOn(random(p), 2)
}

// fall presses the top cell of a column in a game with falling pieces: a key does nothing, mouse and touch drop a
// piece.
func fall(p *Playing) {
	playWithoutSearch(p)
	top := cellOf(int32(p.Game.Tensor.Cells() - 2))
	p.Focus(top)
	p.Press(kb.Enter)
	if v := p.Follow("ready"); len(v.Moves) > 0 {
		p.Errorf("a key plays %q", v.Moves)
	}
	p.Click(top)
	p.Wait(listedMoves + " === 2")
	p.Follow("ready")
	p.Touch()
	p.Tap(top)
	p.Wait(listedMoves + " === 4")
	p.Follow("ready")
	if p.Moves[0] != "c1" || !strings.HasPrefix(p.Moves[2], "c") {
		p.Errorf("the moves are %q", p.Moves)
	}
}

// toggleAnalysis switches the parts of the agent's analysis on and off.
func toggleAnalysis(p *Playing) {
	playWithoutSearch(p)
	p.PlayOn(random(p), 2)
	for _, c := range []struct{ box, drawn string }{
		{"#show-prior", `document.querySelectorAll("#board .heat, #board .arrow").length > 0`},
		{"#show-visits", `[...document.querySelectorAll("#board .number")].some((e) => Number(e.textContent) > 0)`},
		{"#show-value", `document.getElementById("value").checkVisibility() && document.getElementById("value").hasAttribute("aria-valuenow") && document.querySelectorAll("#board .number").length > 0`},
	} {
		if Eval[bool](p.Tab, fmt.Sprintf("document.querySelector(%q).checked", c.box)) {
			p.Reach(c.box)
		}
		p.Wait("!(" + c.drawn + ")")
		p.Reach(c.box)
		p.Wait(c.drawn)
		p.Turn(p.State.RandomAction(0))
		p.Wait(c.drawn)
		p.CheckNames()
		p.Reach(c.box)
		p.Wait("!(" + c.drawn + ")")
		p.Click("#undo") // or the game might end
		p.Follow("ready")
	}
}

// stay checks that the board and the buttons stay where they are, whatever is shown beside them.
func stay(p *Playing) {
	playWithoutSearch(p)
	const places = `["#board", "#undo", "#hint"].map((name) => Object.values(document.querySelector(name).getBoundingClientRect().toJSON()).join()).join()`
	for _, width := range []int64{360, 1280} {
		p.Resize(width, 800)
		p.PlayOn(random(p), 2)
		Eval[any](p.Tab, "scrollTo(0, 0)")
		before := Eval[string](p.Tab, places)
		for _, step := range []struct{ what, script, shown string }{
			{"a hint", `document.querySelector("#hint").click()`, hinted},
			{"values", `document.querySelector("#show-value").click()`, `document.getElementById("value").checkVisibility()`},
			{"an earlier position", `document.querySelector("#back").click()`, `document.getElementById("past").checkVisibility()`},
			{"no values", `document.querySelector("#show-value").click()`, `!document.getElementById("value").checkVisibility()`},
			{"the newest position", `document.querySelector("#newest").click()`, `!document.getElementById("past").checkVisibility()`},
		} {
			Eval[any](p.Tab, step.script)
			p.Wait(step.shown)
			if after := Eval[string](p.Tab, places); after != before {
				p.Errorf("%d pixels wide, with %s the board and buttons are at %s, before at %s", width, step.what, after, before)
			}
		}
	}
}

// changeSides swaps the players: the agent moves first, and the board turns to the person's side. A button turns it
// back.
func changeSides(p *Playing) {
	playWithoutSearch(p)
	firstBelow := func() bool {
		return Eval[bool](p.Tab, fmt.Sprintf("document.querySelector(%q).getBoundingClientRect().top > document.querySelector(%q).getBoundingClientRect().top",
			cellOf(int32(slices.Index(p.Game.Drawing.Cells, true))), cellOf(int32(p.Game.Tensor.Cells()-2))))
	}
	if !firstBelow() {
		p.Error("the first player's side is above")
	}
	name := agentName(p)
	p.Click("#swap")
	p.Wait(listedMoves + " > 0")
	p.Follow("ready")
	if first := Eval[string](p.Tab, `document.getElementById("seat0").value`); first != name || p.State.Player() != env.Second || firstBelow() {
		p.Errorf("after swapping sides %q has the first seat, %s is to move, and the first side is below: %t", first, p.Game.Players[p.State.Player()], firstBelow())
	}
	p.Click("#flip")
	if !firstBelow() {
		p.Error("the button does not turn the board back")
	}
	p.Click("#swap")
	p.Wait(`document.getElementById("seat1").value === ` + fmt.Sprintf("%q", name))
	p.Follow("ready")
	p.PlayOn(random(p), 2)
}

// kindsOfMoves plays a move of the second kind: the page then returns to the first kind, and says who moves again.
func kindsOfMoves(p *Playing) {
	playWithoutSearch(p)
	chosen := func() string { return Eval[string](p.Tab, `document.querySelector("[name=verb]:checked").value`) }
	before := chosen()
	for _, a := range p.State.Legal(nil) {
		if p.Game.Verb(a) != before {
			mover := p.State.Player()
			p.Turn(a)
			if after := chosen(); after != before {
				p.Errorf("after %s the page stays at %q", p.Game.ActionNames[a], after)
			}
			status := p.Text("#status")
			if again := strings.Contains(status, " to move again"); again != (p.State.Player() == mover) {
				p.Errorf("after %s the status is %q", p.Game.ActionNames[a], status)
			}
			return
		}
	}
	p.Fatal("all moves are of one kind")
}

// analyzeDeeper analyses the first position with more and more simulations, without a change of the settings. A hint
// from a shallower analysis goes away.
func analyzeDeeper(p *Playing) {
	p.Click("#hint")
	p.Wait(hinted)
	for _, simulations := range []string{"256", "1024"} {
		p.Click("#deeper")
		p.Wait(`document.querySelector("#analysis p").textContent.includes(" ` + simulations + ` simulations")`)
		if numbers := Eval[[]int](p.Tab, `[...document.querySelectorAll("#board .number")].map((e) => Number(e.textContent))`); len(numbers) == 0 || slices.Max(numbers) > 100 {
			p.Errorf("with %s simulations the numbers on the board are %v; they must be expected scores, not visits", simulations, numbers)
		}
		if note := p.Text("#note"); Eval[bool](p.Tab, hinted) || note != "" {
			p.Errorf("with %s simulations an old hint stays; the note is %q", simulations, note)
		}
		p.Click("#hint")
		p.Wait(hinted + ` && document.querySelector("#note").textContent.startsWith("Hint for x: " +
			document.querySelector("#analysis tbody tr:nth-child(2) th").textContent.split(" (chosen)")[0])`)
	}
	p.Wait(`!document.getElementById("deeper").textContent.includes("…")`)
	p.PlayOn(random(p), 2)
	p.Wait(`document.querySelector("#analysis p").textContent.includes(" 64 simulations")`)
	const rows = `document.querySelectorAll("#analysis tbody tr").length - 1` // without that of the position
	if n := Eval[int](p.Tab, rows); n != 5 {
		p.Errorf("the table lists %d moves", n)
	}
	p.Click("#all-moves")
	if n := Eval[int](p.Tab, rows); n != len(p.State.Legal(nil)) {
		p.Errorf("the table of all moves lists %d", n)
	}
}

// showProven shows the analysis of a position that a hint has proven, which cannot be analysed deeper.
func showProven(p *Playing) {
	p.Click("#hint")
	p.Wait(hinted + ` && document.getElementById("deeper").textContent === "Show the analysis"`)
	p.Click("#deeper")
	p.Wait(`document.getElementById("deeper").textContent === "Already proven" && document.getElementById("deeper").disabled`)
	if n := Eval[int](p.Tab, `document.querySelectorAll("#analysis tbody tr").length`); n < 2 || !strings.Contains(p.Text("#value"), "proven") {
		p.Errorf("the table has %d lines, the value is %q", n, p.Text("#value"))
	}
	p.Resize(360, 740)
	p.CheckWidth()
}

// changeStrength goes through all strengths, and plays at one with a search.
func changeStrength(p *Playing) {
	playWithoutSearch(p)
	stops := Eval[int](p.Tab, `(({ min, max, step }) => (max - min) / (step || 1) + 1)(document.getElementById("strength1"))`)
	labels := map[string]bool{}
	for range stops {
		labels[p.Text("#strength-text1")] = true
		p.Press(kb.ArrowRight)
	}
	if len(labels) != stops || stops < 5 || labels[""] {
		p.Errorf("%d stops have the labels %q", stops, slices.Sorted(maps.Keys(labels)))
	}
	p.Press(kb.Home, kb.ArrowRight, kb.ArrowRight)
	p.PlayOn(random(p), 4)
}

// share makes a link to an earlier position and opens it.
func share(p *Playing) {
	playWithoutSearch(p)
	p.PlayOn(random(p), 4)
	ply := 1
	for p.At(ply).Player() != env.First {
		ply++
	}
	p.Click(fmt.Sprintf(`#moves [data-ply="%d"]`, ply))
	p.Click("#share")
	p.Wait(`document.querySelector("#link input").value !== ""`)
	moves := slices.Clone(p.Moves[:ply])
	p.Visit(Eval[string](p.Tab, `document.querySelector("#link input").value`))
	p.Follow("ready")
	if !slices.Equal(p.Moves, moves) {
		p.Errorf("the link to %q leads to %q", moves, p.Moves)
	}
}

// reload reloads the page during a game: the moves, the players and the strength stay, and the game goes on.
func reload(p *Playing) {
	seen := func() []string {
		p.Helper()
		return append(slices.Clone(p.Moves), Eval[[]string](p.Tab, `["seat0", "seat1", "strength-text0", "strength-text1"].map((id) => {
			const { value, textContent, parentElement } = document.getElementById(id);
			return value ?? (parentElement.hidden ? "" : textContent);
		})`)...)
	}
	p.Focus("#strength1")
	p.Press(kb.Home, kb.ArrowRight)
	for range 2 {
		p.PlayOn(random(p), len(p.Moves)+2)
		before := seen()
		p.Visit(Eval[string](p.Tab, "location.href"))
		p.Follow("ready")
		if after := seen(); !slices.Equal(after, before) {
			p.Errorf("%q is %q after a reload", before, after)
		}
		p.Click("#swap")
		p.Wait(fmt.Sprintf("%s > %d", listedMoves, len(p.Moves)))
		p.Follow("ready")
	}
	p.Click("#new")
	p.Follow("ready")
	p.Visit(Eval[string](p.Tab, "location.href"))
	if p.Follow("ready"); len(p.Moves) > 0 {
		p.Errorf("after a new game a reload shows %q", p.Moves)
	}
}

// brokenLinks opens invalid links.
func brokenLinks(p *Playing) {
	address, _, _ := strings.Cut(Eval[string](p.Tab, "location.href"), "#")
	first := p.Game.ActionNames[p.State.Legal(nil)[0]]
	for _, part := range []string{
		"moves=" + url.PathEscape("(mark r9 c9)"), "moves=" + url.PathEscape(first+";"+first), "moves=%", "moves=%ff",
		"moves=" + strings.Repeat("x", 1e5), "moves=" + url.PathEscape("<img src=x onerror=alert(1)>"), "seats=nobody,nothing",
	} {
		p.Visit(address + "#" + part)
		p.Wait(`document.getElementById("message")?.textContent.trim()`)
		p.Follow("ready")
		if len(p.Moves) > 0 {
			p.Errorf("#%.40s leads to %q", part, p.Moves)
		}
		p.CheckWidth()
	}
	for _, complaint := range p.Problems() {
		if !strings.Contains(complaint, "with a status of 4") { // which browsers note of a server's refusals
			p.Error(complaint)
		}
	}
	p.PlayOn(random(p), 2)
	if message := p.Text("#message"); message != "" {
		p.Errorf("after a move the message stays: %q", message)
	}
}

// pass plays a move without cells.
func pass(p *Playing) {
	var moves []string
	for seed := uint64(0); moves == nil; seed++ {
		moves = toPass(p.Game, rand.NewPCG(seed, 0))
	}
	p.Visit(Eval[string](p.Tab, "location.href") + "#moves=" + url.PathEscape(strings.Join(moves, ";")))
	p.Follow("ready")
	if !slices.Equal(p.Moves, moves) {
		p.Fatalf("the link to %q leads to %q", moves, p.Moves)
	}
	p.Visit(Eval[string](p.Tab, "location.href.split('#')[0]") + "#moves=" + url.PathEscape(strings.Join(official(p), ";")))
	if p.Follow("ready"); !slices.Equal(p.Moves, moves) {
		p.Fatalf("the link with official texts of %q leads to %q", moves, p.Moves)
	}
	playWithoutSearch(p)
	p.Turn(p.State.Legal(nil)[0])
}

// swapPiece swaps in Hex: the piece is marked, and the note says whose it is.
func swapPiece(p *Playing) {
	p.Visit(Eval[string](p.Tab, "location.href") + "#seats=person,person&moves=b1")
	p.Follow("ready")
	legal := p.State.Legal(nil)
	p.Turn(legal[len(legal)-1])
	if note, pieces := p.Text("#note"), p.Pieces(); note != "The piece on a2 is blue now" || pieces["a2"] != "blue" {
		p.Errorf("after %q the note is %q, and the pieces are %v", p.Moves, note, pieces)
	}
}

// official returns the official texts of the moves listed.
func official(p *Playing) (texts []string) {
	for _, name := range p.Moves {
		a, err := p.Game.ParseAction(name)
		if err != nil {
			p.Fatal(err)
		}
		texts = append(texts, p.Game.ActionTexts[a])
	}
	return texts
}

// toPass returns random moves to a position in which the first player can only pass, nil if the random game has none.
func toPass(game *env.Game, rng *rand.PCG) []string {
	var moves []string
	for state := game.NewState(); !state.Done(); {
		legal := state.Legal(nil)
		if state.Player() == env.First && game.Drawing.ActionCells[legal[0]] == env.NoCells {
			return moves
		}
		a := state.RandomAction(rng.Uint64())
		moves = append(moves, game.ActionNames[a])
		state.Apply(a)
	}
	return nil
}

// agentsPlay lets the agent play against itself: it pauses, steps, and continues to the end.
func agentsPlay(p *Playing) {
	playWithoutSearch(p)
	p.PlayOn(random(p), 2)
	name := agentName(p)
	p.Click("#new")
	p.Follow("ready")
	// Pause with the choice, or the game could be over before the click on a busy machine.
	Eval[any](p.Tab, `document.getElementById("seat0").addEventListener("change", () => document.getElementById("pause").click(), { once: true })`)
	p.Choose("#seat0", name)
	p.Follow("paused")
	for range 2 {
		before := len(p.Moves)
		p.Click("#step")
		p.Wait(fmt.Sprintf("%s > %d", listedMoves, before))
		p.Follow("paused")
		if len(p.Moves) != before+1 {
			p.Errorf("a step made %d moves", len(p.Moves)-before)
		}
	}
	p.Click("#pause")
	p.Follow("over")
}

// changeTheme checks the colours, and that the reader's choice survives a reload.
func changeTheme(p *Playing) {
	chosen := p.CheckThemes()
	p.Visit(Eval[string](p.Tab, "location.href"))
	p.Follow("ready")
	if Eval[string](p.Tab, background) != chosen {
		p.Error("the page forgets the theme that was chosen")
	}
}

// screenReader checks what a screen reader gets.
func screenReader(p *Playing) {
	playWithoutSearch(p)
	p.CheckNames()
	p.PlayOn(random(p), 4)
	p.CheckNames()
	last := p.Moves[len(p.Moves)-1]
	spoken := Eval[string](p.Tab, `[...document.querySelectorAll("[aria-live]:not([aria-live=off]), [role=status], [role=alert]")]
		.map((e) => e.textContent).join(" | ")`)
	if !strings.Contains(spoken, last) {
		p.Errorf("the agent played %s, the page says %q", last, spoken)
	}
	roles := map[string]int{}
	for _, n := range p.Nodes() {
		roles[n.Role]++
	}
	for _, role := range []string{"button", "combobox", "slider", "checkbox", "list", "status"} {
		if roles[role] == 0 {
			p.Errorf("there is no %s among %v", role, roles)
		}
	}
	if role := Eval[string](p.Tab, `document.getElementById("message").getAttribute("role")`); role != "alert" {
		p.Errorf("the role of messages is %q", role)
	}
}
