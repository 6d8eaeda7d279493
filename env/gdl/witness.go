package gdl

import (
	"context"

	"ludus/env"
	"ludus/env/gdl/gates"
)

// Witness is a random game that proves a mistake in a sheet: its last position breaks a law of games.
type Witness struct {
	Law       string            // the broken law: what is wrong in the last position
	Game      *env.Game         // only Players, Tensor and Drawing are set
	Positions []WitnessPosition // from the start
}

// WitnessPosition is a position of a [Witness].
type WitnessPosition struct {
	Facts  []string // the true fluents
	Pieces []uint8  // see [env.State.Pieces]
	Mover  int      // the first role with a choice, or 0
	Moves  []string // each role's move in this position; nil in the last position
}

// FindWitness looks in random games for a position that breaks a law of games. Until the end every role must have a
// legal move, and at most one role several; at the end every role must have exactly one goal; and a game must end
// within 5,000 plies. The circuit may have any number of roles. It returns nil if it finds none or ctx ends.
func FindWitness(ctx context.Context, circuit *gates.Circuit) *Witness {
	w, law, game := randomGames(ctx, circuit, func(*walk) {})
	if law == "" {
		return nil
	}
	return w.witness(law, game)
}

// witness replays a game of the walk, and returns it with all its positions.
func (w *walk) witness(law string, game int) *Witness {
	c, p := w.Circuit, w.Circuit.Program
	g := sketch(c)
	again := newWalk(c, 0, 1) // one game; its moves are given, so the seed has no effect
	x := &Witness{Law: law, Game: g.env}
	for ply := 0; ; ply++ {
		position := WitnessPosition{Pieces: g.appendBoard(nil), Facts: factsIn(c, again.Values, 0)}
		for i := range p.Fluents {
			if again.Values.Get(c.Fluent(i))&1 != 0 {
				g.draw(position.Pieces, i)
			}
		}
		c.Position(again.Values)
		again.FindLegal(1) // 1: the set of game 0
		for role := len(again.Legal) - 1; role >= 0; role-- {
			if len(again.Legal[role][0]) > 1 {
				position.Mover = role
			}
		}
		if ply == w.plies[game] {
			x.Positions = append(x.Positions, position)
			return x
		}
		for role, m := range w.movesOf(game, ply) {
			position.Moves = append(position.Moves, p.Terms.Text(p.Moves[role][m]))
		}
		x.Positions = append(x.Positions, position)
		again.Apply(1, func(int) []int32 { return w.movesOf(game, ply) })
	}
}

// sketch returns a game with its players, board and drawing only, so that positions of a sheet that New refuses can be
// shown.
func sketch(circuit *gates.Circuit) *game {
	p := circuit.Program
	g := &game{circuit: circuit, turns: &turns{}, env: &env.Game{}}
	for role := range min(2, len(p.Roles)) {
		g.env.Players[role] = p.Terms.Text(p.Roles[role])
	}
	b, _ := findBoard(p, nil) // nil: values may be coordinates
	setBoard(g.env, p, b)
	g.setTensor(b, circuit.NewFolder())
	g.env.Tensor.C = len(g.env.Planes)
	return g
}
