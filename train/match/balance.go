package match

import (
	"context"
	"slices"
	"sync"

	"ludus/env"
	"ludus/env/solver"
)

// balance is the solver's result for an opening.
type balance uint8

const (
	unchecked  balance = iota
	balanced           // neither side can force a win
	unsolved           // the solver reached its limit
	unbalanced         // one side can force a win
)

// BalanceChecker finds the openings of a game that are lost for one side. It remembers what it has solved, and is safe
// for concurrent use.
type BalanceChecker struct {
	game *env.Game
	draw int // class of a draw

	mutex    sync.Mutex // guards the fields below
	solver   *solver.Solver
	balances map[env.Key]balance
}

const (
	// balanceNodes is the node limit of each of the solver's two searches of an opening (for a win, and for a draw):
	// about a second. All 420 openings of two plies in Quad 5x5 take a quarter of a second together.
	balanceNodes = 2_000_000
	balanceBytes = 16 << 20 // size of the solver's table
	// BalancePlies is the longest game, in plies, whose openings are checked.
	BalancePlies = 20
)

// drawClass is the index in game.Classes of the class with utility 0; -1 if the game has no draws.
func drawClass(game *env.Game) int {
	return slices.IndexFunc(game.Classes, func(c env.Class) bool { return c.Utility == 0 })
}

// NewBalanceChecker returns a checker that has solved nothing yet.
func NewBalanceChecker(game *env.Game) *BalanceChecker {
	return &BalanceChecker{game: game, draw: drawClass(game), balances: make(map[env.Key]balance)}
}

// check solves a state that is not terminal. The only error is that of ctx.
func (b *BalanceChecker) check(ctx context.Context, state env.State) (balance, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	key := state.Key()
	if known, ok := b.balances[key]; ok {
		return known, nil
	}
	if b.solver == nil {
		b.solver = solver.New(b.game, balanceBytes)
	}
	found := b.solve(state, solver.Limits{Nodes: balanceNodes, Stop: func() bool { return ctx.Err() != nil }})
	if err := ctx.Err(); err != nil {
		return unchecked, err
	}
	b.balances[key] = found
	return found, nil
}

// solve checks whether First can do better than a draw and, if not, whether it can draw.
func (b *BalanceChecker) solve(state env.State, l solver.Limits) balance {
	wins, ok := b.solver.Reaches(state, b.draw-1, l)
	switch {
	case !ok:
		return unsolved
	case wins:
		return unbalanced
	}
	draws, ok := b.solver.Reaches(state, b.draw, l)
	switch {
	case !ok:
		return unsolved
	case !draws:
		return unbalanced
	}
	return balanced
}
