package agent

import (
	"cmp"
	"math"
	"slices"

	"ludus/env"
	"ludus/env/solver"
	"ludus/mcts"
)

// exactSearch asks the solver, within a node limit, which root moves of a network's search keep the position's value.
// It asks in the order of the network's preference.
type exactSearch struct {
	game    *env.Game
	solver  *solver.Solver
	nodes   int  // node limit per move
	cleared bool // whether the table holds results of the current game only
	won     bool // the network's search has proven a win, and its favourite is the quickest

	after    env.State // scratch: the position after a move
	moves    []rootMove
	terminal []env.TerminalAction
}

// rootMove is a legal move as the network's search and the solver see it. Classes and utilities are the mover's.
type rootMove struct {
	action      env.Action
	estimate    float64 // utility according to the network's search
	policy      float32 // the search's probability
	prior       float32 // the network's probability
	best, worst int     // the move's exact class lies in [best, worst]
	proven      bool    // by the network's search, too
}

func newExactSearch(game *env.Game, s *solver.Solver, nodes int) *exactSearch {
	return &exactSearch{game: game, solver: s, nodes: nodes, after: game.NewState()}
}

// setMoves copies the root moves of a search and sorts them: favourite first, then by the search's policy and by prior.
// A move that is neither visited nor proven is estimated as the position is.
func (e *exactSearch) setMoves(search *mcts.Search, favourite env.Action) {
	e.moves = e.moves[:0]
	value := search.Value()
	_, proven := search.Proven()
	e.won = proven && value > 0
	for _, m := range search.Moves() {
		estimate := value
		if m.Visits > 0 || m.Lower == m.Upper {
			estimate = m.Value
		}
		e.moves = append(e.moves, rootMove{
			action: m.Action, estimate: estimate, policy: m.Policy, prior: m.Prior,
			best: 0, worst: len(e.game.Classes) - 1, // any class: the solver knows nothing yet
			proven: m.Lower == m.Upper,
		})
	}
	slices.SortStableFunc(e.moves, func(a, b rootMove) int {
		switch favourite {
		case a.action:
			return -1
		case b.action:
			return 1
		}
		return cmp.Or(cmp.Compare(b.policy, a.policy), cmp.Compare(b.prior, a.prior))
	})
}

// bounds returns the best and the worst class that the mover can reach in the position. They are equal if it is solved.
func (e *exactSearch) bounds() (best, worst int) {
	best, worst = len(e.game.Classes)-1, len(e.game.Classes)-1
	for i := range e.moves {
		best, worst = min(best, e.moves[i].best), min(worst, e.moves[i].worst)
	}
	return best, worst
}

// solve narrows the bounds of the moves until the position's value is known, a limit is reached, or stop returns true.
// It first asks the solver whether a move reaches the class that the network expects, then the next better or worse
// one. Each move gets few nodes at first, then more. Where the node limit is too low for all lines of three plies, it
// gives up if nothing is decided about any move once each has had nodes for every reply.
func (e *exactSearch) solve(state env.State, stop func() bool) {
	if !e.cleared {
		e.solver.Clear()
		e.cleared = true
	}
	e.setTerminal(state)
	const firstBudget, budgetGrowth = 64, 8 // as in solver.SolveMoves
	spent, class := 0, classNear(e.game, e.moves[0].estimate)
	moves, narrowed := len(e.moves), false
	for budget := firstBudget; ; budget *= budgetGrowth {
		for decided := true; decided; { // until the budget no longer decides whether class can be reached
			best, worst := e.bounds()
			if best == worst {
				return
			}
			class = min(max(class, best), worst-1) // still open: some move may reach it, none is known to
			decided = true
			for i := range e.moves {
				m := &e.moves[i]
				if m.best > class { // known not to reach it
					continue
				}
				limit := min(budget, e.nodes-spent)
				if limit <= 0 || stop() {
					return
				}
				e.after.CopyFrom(state)
				e.after.Apply(m.action)
				reached, ok := e.solver.ReachesFor(state.Player(), e.after, class, solver.Limits{Nodes: limit, Stop: stop})
				spent += e.solver.Nodes()
				narrowed = narrowed || ok
				switch {
				case !ok:
					decided = false
				case !reached:
					m.best = class + 1
				default:
					m.worst = class
				}
				if reached && ok {
					decided = true
					break
				}
			}
		}
		if !narrowed && budget >= moves && moves*moves*moves > e.nodes {
			return
		}
	}
}

// setTerminal sets the bounds of the moves that end the game.
func (e *exactSearch) setTerminal(state env.State) {
	e.terminal = state.TerminalActions(e.terminal[:0])
	for _, t := range e.terminal {
		i := slices.IndexFunc(e.moves, func(m rootMove) bool { return m.action == t.Action })
		class := e.game.ClassFor(state.Player(), t.Outcome)
		e.moves[i].best, e.moves[i].worst = class, class
	}
}

// classNear returns the class whose utility is nearest to a value.
func classNear(game *env.Game, value float64) (class int) {
	distance := func(k int) float64 { return math.Abs(float64(game.Classes[k].Utility) - value) }
	for k := range game.Classes {
		if distance(k) < distance(class) {
			class = k
		}
	}
	return class
}

// choose returns the move to play after solve. In a solved position it is the first move known to keep the value.
// Otherwise it is the first move that is neither known to lose nor worse than another; but a move with a better proven
// value replaces it if that exceeds the network's estimate of the first.
func (e *exactSearch) choose() env.Action {
	best, worst := e.bounds()
	known := slices.IndexFunc(e.moves, func(m rootMove) bool { return m.worst == worst })
	lost := len(e.game.Classes) - 1
	if best == worst {
		return e.moves[known].action
	}
	first := slices.IndexFunc(e.moves, func(m rootMove) bool { return m.best <= worst && m.best < lost })
	if worst < lost && e.utility(worst) > e.moves[first].estimate {
		first = known
	}
	return e.moves[first].action
}

func (e *exactSearch) utility(class int) float64 { return float64(e.game.Classes[class].Utility) }

// improve corrects an analysis of the same position with the results of solve: values are clamped to the proven bounds,
// so a move with an exact class gets its utility, and best play as its line unless the search has proven another. The
// chosen move comes first.
func (e *exactSearch) improve(a *Analysis, state env.State, chosen env.Action) {
	best, worst := e.bounds()
	if best == worst {
		markProven(e.game, a, worst)
	} else if a.Value != nil {
		*a.Value = min(max(*a.Value, e.utility(worst)), e.utility(best))
	}
	for i := range a.Moves {
		info := &a.Moves[i]
		m := e.moves[slices.IndexFunc(e.moves, func(m rootMove) bool { return m.action == info.Action })]
		low, high := e.utility(m.worst), e.utility(m.best)
		value := low // the exact value if m.best == m.worst
		if m.best < m.worst {
			if info.Value == nil {
				continue
			}
			value = min(max(*info.Value, low), high)
		} else if !m.proven {
			line := lineAfter(e.solver, e.after, state, m.action, e.game.ClassFor(state.Player(), m.best))
			if len(line) > 1 || info.Line == nil {
				info.Line = line
			}
		}
		info.Value = &value
	}
	sortMoves(a.Moves, chosen)
}
