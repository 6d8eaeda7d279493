package board

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
)

// Diagram is a picture for the rules: a move of one kind, or the end of a won game.
type Diagram struct {
	Caption string  `json:"caption"`
	Pieces  string  `json:"pieces"`          // before the move, or at the end; see [Pieces]
	Move    string  `json:"move,omitempty"`  // its name
	Player  int     `json:"player"`          // who makes the move, or has won
	After   string  `json:"after,omitempty"` // pieces after a move that does more than to place or move a piece
	WonBy   []int32 `json:"wonBy,omitempty"` // cells, see [env.State]
}

// Number of random games that Diagrams looks at, and the ply from which it takes examples of moves.
const (
	diagramGames = 30
	diagramPly   = 2
)

// Diagrams returns a diagram for every kind of move that has cells and does not end the game, and one of a won game. They
// come from random games, always the same, in which players win at once if they can.
func Diagrams(game *env.Game) []Diagram {
	d := &diagrams{game: game, kinds: make(map[string]bool)}
	for seed := range uint64(diagramGames) {
		d.play(rand.NewPCG(seed, 0))
	}
	if d.end.Caption != "" {
		d.list = append(d.list, d.end)
	}
	return d.list
}

// diagrams collects diagrams.
type diagrams struct {
	game  *env.Game
	list  []Diagram
	kinds map[string]bool // kinds of moves in list

	end      Diagram // of the best won game so far, which has winning cells if any has, and few plies
	endPlies int
}

// play plays a game and adds what it shows.
func (d *diagrams) play(rng *rand.PCG) {
	state := d.game.NewState()
	before, after := state.Pieces(nil), []uint8(nil)
	for ply := 0; ; ply++ {
		if state.Done() {
			d.addEnd(state, ply)
			return
		}
		player, pieces := state.Player(), Pieces(state)
		action := winning(d.game, state)
		if action < 0 {
			action = state.RandomAction(rng.Uint64())
		}
		state.Apply(action)
		after = state.Pieces(after[:0])
		if cells := d.game.Drawing.ActionCells[action]; cells != env.NoCells && !state.Done() {
			kind := kindOf(d.game, action, before, after)
			if !d.kinds[kind] && ply >= diagramPly {
				d.kinds[kind] = true
				name := d.game.ActionNames[action]
				diagram := Diagram{
					Caption: fmt.Sprintf("%s: %s plays %s", kind, d.game.Players[player], name),
					Pieces:  pieces, Move: name, Player: int(player),
				}
				if doesMore(before, after, cells) {
					diagram.After = Pieces(state)
				}
				d.list = append(d.list, diagram)
			}
		}
		before = append(before[:0], after...)
	}
}

// winning returns an action that wins at once, or -1.
func winning(game *env.Game, state env.State) env.Action {
	for _, t := range state.TerminalActions(nil) {
		if game.UtilityFor(state.Player(), t.Outcome) == 1 {
			return t.Action
		}
	}
	return -1
}

// kindOf returns the kind of an action with cells, given the pieces before and after it: its verb, and for a step its
// direction, or that it captures or leaves a piece behind.
func kindOf(game *env.Game, a env.Action, before, after []uint8) string {
	cells, width := game.Drawing.ActionCells[a], int32(game.Tensor.W)
	if cells.From == env.NoCell {
		if notation.Drops(game) {
			return "drop"
		}
		return game.Verb(a)
	}
	switch {
	case before[cells.To] > 0:
		return "capture"
	case after[cells.From] > 0:
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

// doesMore reports whether a move does more than to place or move a piece: it changes other cells, or leaves a piece
// behind.
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

// addEnd keeps the end of a won game if it is better than the one before.
func (d *diagrams) addEnd(state env.State, plies int) {
	goals, wonBy := state.Goals(), state.WinningCells(nil)
	if goals[0] == goals[1] {
		return
	}
	old, ringed := len(d.end.WonBy) > 0, len(wonBy) > 0
	if d.end.Caption != "" && (old && !ringed || old == ringed && plies >= d.endPlies) {
		return
	}
	winner := slices.Index(goals[:], max(goals[0], goals[1]))
	d.endPlies = plies
	d.end = Diagram{
		Caption: fmt.Sprintf("%s wins, %d to %d", d.game.Players[winner], goals[winner], goals[1-winner]),
		Pieces:  Pieces(state), Player: winner, WonBy: wonBy,
	}
}
