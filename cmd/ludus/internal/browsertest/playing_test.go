package browsertest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"ludus/env"
)

// piecesScript reads the drawn board: names of pieces by the cells' names.
const piecesScript = `(() => {
	const labels = [...document.querySelectorAll("#board .label")], found = {};
	const at = (e, name) => Number(e.getAttribute(name)), near = (e, name, place) => Math.abs(at(e, name) - place) < 0.01;
	const line = labels.length > 0 ? at(labels.at(-1), "y") : 0; // column labels stand there
	const rows = labels.filter((e) => !near(e, "y", line)), columns = labels.filter((e) => near(e, "y", line));
	const bottom = Math.max(...rows.map((e) => at(e, "y"))), hexagons = document.querySelector("#board polygon.cell") !== null;
	for (const piece of document.querySelectorAll("#board .piece")) {
		const box = piece.getBBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
		const row = rows.find((e) => near(e, "y", y));
		const column = columns.find((e) => near(e, "x", hexagons ? x - (bottom - y) / 2 : x));
		const name = /named-(\S+)/.exec(piece.getAttribute("class"));
		found[column.textContent + row.textContent] = name ? name[1] : "";
	}
	return found;
})()`

// Pieces reads the board in #board: names of pieces by the cells' names.
func (t *Tab) Pieces() map[string]string {
	t.Helper()
	return Eval[map[string]string](t, piecesScript)
}

// PiecesOf is what Pieces must return for a state.
func PiecesOf(game *env.Game, state env.State) map[string]string {
	found := map[string]string{}
	for cell, kind := range state.Pieces(nil) {
		if kind == 0 {
			continue
		}
		piece := game.Drawing.Pieces[kind-1]
		found[game.CellName(int32(cell))] = piece.Name
	}
	return found
}

// Playing is the play page in a tab. It follows the game by the rules and compares everything that the page shows with
// them.
type Playing struct {
	*Tab
	Game  *env.Game
	Reach func(selector string) // Click or Tap
	State env.State             // after the moves that the page lists

	Moves []string // from the start to State
}

// view is what the page shows.
type view struct {
	State, Status, Message string
	Moves                  []string // texts of the list of moves, without the start
	Shown                  string   // number of moves before the position shown
	Pieces                 map[string]string
	Last, Won              []int32        // marked cells: of the last move, of the win
	Cells                  map[int]string // accessible names by cell
	Focus                  bool           // whether a cell has the focus
}

const viewScript = `(() => {
	const text = (id) => document.getElementById(id).textContent.trim();
	const list = [...document.querySelectorAll("#moves [data-ply]")];
	const cellsUnder = (marks) => [...document.querySelectorAll(marks)].map((mark) => {
		const { left, right, top, bottom } = mark.getBoundingClientRect(), x = (left + right) / 2, y = (top + bottom) / 2;
		const over = (e) => { const r = e.getBoundingClientRect(); return r.left < x && x < r.right && r.top < y && y < r.bottom; };
		return Number([...document.querySelectorAll("#board [data-cell]")].find(over)?.dataset.cell ?? -1);
	});
	return {
		State: document.body.dataset.state, Status: text("status"), Message: text("message"),
		Moves: list.filter((e) => e.dataset.ply !== "0").map((e) => e.textContent),
		Shown: list.find((e) => e.hasAttribute("aria-current"))?.dataset.ply || "0",
		Pieces: ` + piecesScript + `,
		Last: cellsUnder("#board .last"), Won: cellsUnder("#board circle.won:not(.ground)"),
		Cells: Object.fromEntries([...document.querySelectorAll("#board [data-cell]")].map((e) => [e.dataset.cell, e.getAttribute("aria-label")])),
		Focus: document.activeElement.matches("#board [data-cell]"),
	};
})()`

// NewPlaying waits for the play page in a tab and closes the rules, which cover the board of a phone.
func NewPlaying(tab *Tab, game *env.Game) *Playing {
	tab.Helper()
	p := &Playing{Tab: tab, Game: game, Reach: tab.Click}
	p.Follow("ready")
	Eval[bool](tab, `document.getElementById("about").open = false`)
	return p
}

// See returns what the page shows now.
func (p *Playing) See() view {
	p.Helper()
	return Eval[view](p.Tab, viewScript)
}

// Follow waits until the page is in one of the states, replays the moves it lists, and checks everything it shows.
func (p *Playing) Follow(states ...string) view {
	p.Helper()
	p.Wait(fmt.Sprintf("[%s].includes(document.body.dataset.state)", strings.Join(quoted(append(states, "error")), ", ")))
	v := p.See()
	p.check(v, states)
	return v
}

func quoted(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = fmt.Sprintf("%q", word)
	}
	return all
}

// check replays the listed moves and compares the position with what is drawn and written.
func (p *Playing) check(v view, states []string) {
	p.Helper()
	if !slices.Contains(states, v.State) {
		p.Fatalf("the app's state is %q, message %q", v.State, v.Message)
	}
	p.State, p.Moves = p.Game.NewState(), nil
	var last []int32 // cells of the moves that one player made in a row
	mover := p.State.Player()
	for i, text := range v.Moves {
		a := p.find(text)
		if a < 0 {
			p.Fatalf("entry %d in the list of moves, %q, is no legal move of %s", i+1, text, p.Game.Board(p.State))
		}
		if p.State.Player() != mover {
			mover, last = p.State.Player(), nil
		}
		before := p.State.Pieces(nil)
		p.State.Apply(a)
		p.Moves = append(p.Moves, p.Game.ActionNames[a])
		last = append(last, p.Game.Drawing.ActionCells[a].From, p.Game.Drawing.ActionCells[a].To)
		if p.Game.Drawing.ActionCells[a] == env.NoCells { // a swap marks the piece that it changes
			for cell, piece := range p.State.Pieces(nil) {
				if piece != 0 && piece != before[cell] {
					last = append(last, int32(cell))
				}
			}
		}
	}
	if want := slices.DeleteFunc(last, func(cell int32) bool { return cell < 0 }); !slices.Equal(v.Last, want) {
		p.Errorf("after %q, cells %v are marked, want %v", p.Moves, v.Last, want)
	}
	if v.Shown != fmt.Sprint(len(p.Moves)) {
		p.Errorf("after %d moves, the list marks %s", len(p.Moves), v.Shown)
	}
	if p.State.Done() != (v.State == "over") {
		p.Errorf("the app's state is %q at %s", v.State, p.Game.Board(p.State))
	}
	p.compare(v, p.State)
}

// At returns the position after the first moves of the list.
func (p *Playing) At(ply int) env.State {
	p.Helper()
	state := p.Game.NewState()
	for _, text := range p.Moves[:ply] {
		a, err := p.Game.ParseAction(text)
		if err != nil {
			p.Fatal(err)
		}
		state.Apply(a)
	}
	return state
}

// find returns the legal move that a text of the list contains, or -1.
func (p *Playing) find(text string) env.Action {
	for _, a := range p.State.Legal(nil) {
		if strings.Contains(text, ". "+p.Game.ActionNames[a]+" by ") {
			return a
		}
	}
	return -1
}

// compare compares the board, its buttons and the status with a position.
func (p *Playing) compare(v view, state env.State) {
	p.Helper()
	if want := PiecesOf(p.Game, state); !maps.Equal(v.Pieces, want) {
		p.Errorf("drawn are %v, want %v", v.Pieces, want)
	}
	if once := strings.Replace(v.Status, " to move again", " to move", 1); !strings.Contains(once, p.Game.Status(state)) {
		p.Errorf("the status is %q, want %q", v.Status, p.Game.Status(state))
	}
	won := state.WinningCells(nil)
	if !slices.Equal(v.Won, won) {
		p.Errorf("marked as what won are %v, want %v", v.Won, won)
	}
	for _, cell := range won {
		if name := p.Game.CellName(cell); !strings.Contains(v.Status, name) {
			p.Errorf("the status is %q, which does not say that %s won", v.Status, name)
		}
	}
	pieces := state.Pieces(nil)
	for cell, exists := range p.Game.Drawing.Cells {
		name, found := v.Cells[cell]
		if found != exists {
			p.Errorf("cell %d has a button: %v, want %v", cell, found, exists)
		}
		if !exists {
			continue
		}
		words := []string{p.Game.CellName(int32(cell))}
		if pieces[cell] > 0 {
			words = append(words, p.Game.Drawing.Pieces[pieces[cell]-1].Name)
		}
		for _, word := range words {
			if !strings.Contains(name, word) {
				p.Errorf("cell %d is called %q, which does not contain %q", cell, name, word)
			}
		}
	}
}

// Move plays a legal move by pressing its cells, or its button if it has no cells.
func (p *Playing) Move(a env.Action) {
	p.Helper()
	text := p.Game.ActionNames[a]
	touch := p.Game.Drawing.ActionCells[a]
	switch {
	case touch == env.NoCells:
		p.Reach(fmt.Sprintf("#extras [data-move=%q]", text))
	case touch.From >= 0:
		p.Reach(cellOf(touch.From))
		p.Reach(cellOf(touch.To))
	default:
		if radio := fmt.Sprintf("[name=verb][value=%q]", p.Game.Verb(a)); Eval[bool](p.Tab, fmt.Sprintf(
			"document.querySelector('#verb').checkVisibility() && !document.querySelector(%q).checked", radio)) {
			p.Reach(radio)
		}
		p.Reach(cellOf(touch.To))
	}
}

// cellOf is the selector of a cell's button.
func cellOf(cell int32) string { return fmt.Sprintf(`#board [data-cell="%d"]`, cell) }

// Turn plays a move and waits until it is listed and the agent has replied, if there is one.
func (p *Playing) Turn(a env.Action) {
	p.Helper()
	text := p.Game.ActionNames[a]
	before := len(p.Moves)
	p.Move(a)
	p.Wait(fmt.Sprintf(`document.querySelectorAll("#moves [data-ply]:not([data-ply='0'])").length > %d`, before))
	v := p.Follow("ready", "over")
	if len(p.Moves) <= before || p.Moves[before] != text {
		p.Fatalf("%s was played, listed is %q", text, p.Moves[min(before, len(p.Moves)):])
	}
	if !v.Focus && p.Game.Drawing.ActionCells[a] != env.NoCells {
		p.Errorf("after %s the focus is not on the board", text)
	}
}

// PlayOn plays random moves for the person until the game is over or has a number of moves, including the agent's.
func (p *Playing) PlayOn(rng *rand.PCG, moves int) {
	p.Helper()
	for !p.State.Done() && len(p.Moves) < moves {
		p.Turn(p.State.RandomAction(rng.Uint64()))
	}
}
