package diagrams

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"ludus/env"
)

// Diagram is a picture for the rules: a move of one kind, or the end of a won game.
type Diagram struct {
	Caption string  `json:"caption"`
	Pieces  string  `json:"pieces"`          // see [Pieces]; before a step, after a placement, or at the end of the game
	Move    string  `json:"move,omitempty"`  // name of the move
	Player  int     `json:"player"`          // player who makes the move, or has won
	After   string  `json:"after,omitempty"` // pieces after a move that changes more than placing or moving one piece does
	WonBy   []int32 `json:"wonBy,omitempty"` // winning cells, see [env.State]
}

// Number of random games, and the first ply whose moves are used as examples.
const (
	diagramGames = 60
	diagramPly   = 2
)

// drawn caches the results of Of, by *env.Game.
var drawn sync.Map

// Of returns diagrams of a game: one for each kind of move that changes the board, and one of a won game. There is a second
// won game if a shape with an empty cell can win, such as three corners of a square. The diagrams come from random games,
// the same in each call. In half of the games players win as soon as they can; in the others they avoid it, which shows late
// ends. The result is cached; the caller must not change it.
func Of(game *env.Game) []Diagram {
	if list, known := drawn.Load(game); known {
		return list.([]Diagram)
	}
	d := &diagrams{game: game, kinds: make(map[string]bool)}
	for seed := range uint64(diagramGames) {
		d.play(rand.NewPCG(seed, 0), seed%2 == 0)
	}
	d.list = append(d.list, d.others...)
	for _, end := range d.ends {
		if end.Caption != "" {
			d.list = append(d.list, end.Diagram)
		}
	}
	drawn.Store(game, d.list)
	return d.list
}

// diagrams collects the diagrams of a game while random games are played.
type diagrams struct {
	game   *env.Game
	list   []Diagram
	others []Diagram       // one for each move without cells that changes the board, such as a swap
	kinds  map[string]bool // kinds of moves that were examined
	// Best ends of won games so far, winning cells first, then few plies; the second is of a shape with an empty cell.
	ends [2]struct {
		Diagram
		plies int // length of the game
	}
}

// play plays a random game and collects its diagrams. If win, players win as soon as they can; otherwise they avoid it.
func (d *diagrams) play(rng *rand.PCG, win bool) {
	state := d.game.NewState()
	var before []uint8
	for ply := 0; ; ply++ {
		if state.Done() {
			d.addEnd(state, ply)
			return
		}
		before = state.Pieces(before[:0])
		player, action := state.Player(), d.choose(state, rng, win)
		state.Apply(action)
		d.addMove(state, action, player, ply, before)
	}
}

// addMove adds a diagram of the move that led to state, given the pieces before it, if there is none of its kind. Moves
// on the board count from diagramPly on, and only if they do not end the game; others only if they change the board.
func (d *diagrams) addMove(state env.State, action env.Action, player env.Player, ply int, before []uint8) {
	after := state.Pieces(nil)
	cells, kind := d.game.Drawing.ActionCells[action], kindOf(d.game, action, player, before, after)
	onBoard := cells != env.NoCells
	if d.kinds[kind] || onBoard && (ply < diagramPly || state.Done()) {
		return
	}
	d.kinds[kind] = true
	name := d.game.ActionNames[action]
	caption := fmt.Sprintf("%s: %s plays %s", kind, d.game.Players[player], name)
	if !onBoard {
		caption = fmt.Sprintf("%s: the board before and after %s plays it", kind, d.game.Players[player])
	}
	diagram := Diagram{Caption: caption, Pieces: PiecesText(before), Move: name, Player: int(player)}
	if doesMore(before, after, cells) {
		diagram.After = PiecesText(after)
	} else if cells.From == env.NoCell {
		diagram.Pieces = PiecesText(after)
	}
	switch {
	case onBoard:
		d.list = append(d.list, diagram)
	case diagram.After != "" && !state.Done():
		d.others = append(d.others, diagram)
	}
}

// choose returns the next action of a random game: one without cells of a kind that was not played yet, or one that wins at
// once, or a random one. If win is false, it avoids winning.
func (d *diagrams) choose(state env.State, rng *rand.PCG, win bool) env.Action {
	for _, a := range state.Legal(nil) {
		if d.game.Drawing.ActionCells[a] == env.NoCells && !d.kinds[d.game.Verb(a)] {
			return a
		}
	}
	var winning []env.Action
	for _, t := range state.TerminalActions(nil) {
		if d.game.UtilityFor(state.Player(), t.Outcome) == 1 {
			winning = append(winning, t.Action)
		}
	}
	if win && len(winning) > 0 {
		return winning[0]
	}
	action := state.RandomAction(rng.Uint64())
	for tries := 0; tries < 20 && slices.Contains(winning, action); tries++ {
		action = state.RandomAction(rng.Uint64())
	}
	return action
}

// kindOf returns the kind of an action, given the pieces before and after it: its verb, and for a step its direction, or
// that it captures or leaves a piece behind.
func kindOf(game *env.Game, a env.Action, player env.Player, before, after []uint8) string {
	d, cells, width := &game.Drawing, game.Drawing.ActionCells[a], int32(game.Tensor.W)
	switch {
	case cells.From == env.NoCell:
		switch verb := game.Verb(a); {
		case cells.To != env.NoCell && game.Drops():
			return "drop"
		case verb == "mark" && !strings.Contains(game.Rules, verb): // the rules use another word than the official text
			return "place"
		default:
			return verb
		}
	case d.IsOf(before[cells.To], player.Opponent()):
		return "capture"
	case d.IsOf(after[cells.From], env.First), d.IsOf(after[cells.From], env.Second):
		return game.Verb(a) + ", and a new piece appears"
	}
	rows, columns := cells.To/width-cells.From/width, cells.To%width-cells.From%width
	switch {
	case rows == 0 || columns == 0:
		return "straight " + game.Verb(a)
	case max(rows, -rows) == max(columns, -columns):
		return "diagonal " + game.Verb(a)
	}
	return game.Verb(a)
}

// doesMore reports whether a move changes more than its own cells, or leaves a piece behind.
func doesMore(before, after []uint8, cells env.FromTo) bool {
	if cells.From != env.NoCell && after[cells.From] > 0 {
		return true
	}
	for cell := range after {
		if c := int32(cell); c != cells.From && c != cells.To && after[cell] != before[cell] {
			return true
		}
	}
	return false
}

// addEnd keeps the end of a won game if it is better than the best one so far: if it alone has winning cells, or if the
// two are alike in this and it took fewer plies. Ends of games that nobody won are not shown.
func (d *diagrams) addEnd(state env.State, plies int) {
	goals, wonBy, pieces := state.Goals(), state.WinningCells(nil), Pieces(state)
	if goals[0] == goals[1] {
		return
	}
	best := &d.ends[0]
	if slices.ContainsFunc(wonBy, func(cell int32) bool { return pieces[cell] == '0' }) {
		best = &d.ends[1]
	}
	old, ringed := len(best.WonBy) > 0, len(wonBy) > 0
	if best.Caption != "" && (old && !ringed || old == ringed && plies >= best.plies) {
		return
	}
	winner := slices.Index(goals[:], max(goals[0], goals[1]))
	caption := fmt.Sprintf("%s wins, %d to %d", d.game.Players[winner], goals[winner], goals[1-winner])
	why := state.Detail()
	if d.game.GoalHead {
		why = "more points when the game ends"
	}
	if why != "" {
		caption += ": " + why
	}
	best.Diagram, best.plies = Diagram{Caption: caption, Pieces: pieces, Player: winner, WonBy: wonBy}, plies
}

// Pieces encodes the board as one character per cell: '0' plus the kind of piece, an entry of [env.State.Pieces]; '0' is an
// empty cell.
func Pieces(state env.State) string { return PiecesText(state.Pieces(nil)) }

// PiecesText is [Pieces] for the entries of State.Pieces.
func PiecesText(pieces []uint8) string {
	var b strings.Builder
	for _, piece := range pieces {
		b.WriteRune('0' + rune(piece))
	}
	return b.String()
}
