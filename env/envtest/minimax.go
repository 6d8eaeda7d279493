package envtest

import (
	"slices"

	"ludus/env"
)

// Minimax solves positions of a small game by exhaustive search. It checks what other solvers find.
type Minimax struct {
	game   *env.Game
	solved map[env.Key]int // First's class
}

// NewMinimax returns a Minimax that has solved nothing yet.
func NewMinimax(game *env.Game) *Minimax { return &Minimax{game, map[env.Key]int{}} }

// Class returns First's class in state under best play by both.
func (m *Minimax) Class(state env.State) int {
	if state.Done() {
		return state.Outcome()
	}
	if class, ok := m.solved[state.Key()]; ok {
		return class
	}
	classes := m.Moves(state)
	best := slices.Min(classes)
	if state.Player() == env.Second {
		best = slices.Max(classes)
	}
	m.solved[state.Key()] = best
	return best
}

// Moves returns First's class after each legal move.
func (m *Minimax) Moves(state env.State) (classes []int) {
	next := m.game.NewState()
	for _, a := range state.Legal(nil) {
		next.CopyFrom(state)
		next.Apply(a)
		classes = append(classes, m.Class(next))
	}
	return classes
}
