package solver

import "ludus/env"

// Unknown is returned instead of a class that was not found within the limits.
const Unknown = -1

// Limits bound the work of one call; the first one reached ends it.
type Limits struct {
	Nodes int         // maximal number of positions visited; 0 is no limit
	Stop  func() bool // called every few thousand nodes; true ends the call; may be nil
}

// Solver solves positions of one game. It is not safe for concurrent use. Its table is kept from call to call, so calls
// for related positions share their results.
//
// The same sequence of calls with node limits alone gives the same results and node counts.
type Solver struct {
	game    *env.Game
	inverse [][]env.Action // by symmetry: the actions of its inverse
	table   table
	stack   []*plyScratch // by ply from the position being solved; see ply
	history [2][]int32    // by player and action: share of recent tries that caused a cutoff, in [0, maxHistory)

	nodes     int    // visited by the call
	nodeLimit int    // of the current search
	nextCheck int    // number of nodes at which the limits are checked again
	limits    Limits // of the call; Nodes is not 0
	stopped   bool   // stop has returned true in this call
	aborted   bool   // the current search ended without a result
}

// plyScratch is the search's scratch for one ply.
type plyScratch struct {
	state      env.State
	moves      []env.Action // legal moves that do not end the game
	scores     []int32      // of moves
	terminal   []env.TerminalAction
	cutoffMove env.Action // the move that cut off the last search at this ply, or -1
}

// checkInterval is the number of nodes between two calls of Limits.Stop.
const checkInterval = 4096

// New returns a solver whose table takes tableBytes, or one bucket if that is more.
func New(game *env.Game, tableBytes int) *Solver {
	if len(game.Classes) > 256 {
		panic("solver: more classes than a table entry can hold")
	}
	s := &Solver{game: game, table: newTable(tableBytes)}
	for _, symmetry := range game.Symmetries {
		inverse := make([]env.Action, game.NumActions())
		for a, b := range symmetry.Actions {
			inverse[b] = env.Action(a)
		}
		s.inverse = append(s.inverse, inverse)
	}
	for p := range s.history {
		s.history[p] = make([]int32, game.NumActions())
	}
	return s
}

// ply returns the scratch for a ply.
func (s *Solver) ply(i int) *plyScratch {
	for len(s.stack) <= i {
		s.stack = append(s.stack, &plyScratch{state: s.game.NewState()})
	}
	return s.stack[i]
}

// Solve returns the value of state, which is First's class under perfect play, or Unknown and false if a limit was
// reached. The state must not be done; it is neither changed nor retained.
func (s *Solver) Solve(state env.State, l Limits) (class int, ok bool) {
	s.begin(state, l)
	class = s.solve(0, len(s.game.Classes)/2)
	return class, class != Unknown
}

// Reaches reports whether First reaches class k or better in state under perfect play. This is less work than finding
// the class. ok is false if a limit was reached. The state must not be done; it is neither changed nor retained.
func (s *Solver) Reaches(state env.State, k int, l Limits) (reached, ok bool) {
	s.begin(state, l)
	class := s.search(0, k)
	return class <= k, !s.aborted
}

// ReachesFor reports whether player reaches its own class k (see [env.Game.ClassFor]) or better in state under perfect
// play; otherwise it is as Reaches. k is not Second's worst class, which Second always reaches.
func (s *Solver) ReachesFor(player env.Player, state env.State, k int, l Limits) (reached, ok bool) {
	if player == env.First {
		return s.Reaches(state, k, l)
	}
	// First's classes are Second's in reverse: Second reaches k if First reaches nothing better than that outcome.
	better, ok := s.Reaches(state, s.game.ClassFor(env.Second, k)-1, l)
	return !better, ok
}

// BestMove returns an optimal move in state and the state's value, which is First's class under perfect play. It
// prefers a move that ends the game. If a limit was reached it returns -1, Unknown and false. The state must not be
// done; it is neither changed nor retained.
func (s *Solver) BestMove(state env.State, l Limits) (a env.Action, class int, ok bool) {
	class, ok = s.Solve(state, l)
	if !ok {
		return -1, Unknown, false
	}
	root := s.ply(0)
	if after := s.findMoves(root, state.Player()); root.cutoffMove >= 0 && after == class {
		return root.cutoffMove, class, true
	}
	s.scoreMoves(root, s.ply(1), s.tableMove(state))
	for i := range root.moves {
		a := root.pickMove(i)
		switch s.solveAfter(a, class) {
		case class:
			return a, class, true
		case Unknown:
			return -1, Unknown, false
		}
	}
	panic("solver: no move keeps the value")
}

// SolveMoves appends to dst First's class after each legal move in state, in ascending order of the moves, or Unknown
// for those not solved within the limits. The limits hold for all moves together. It searches after every move with few
// nodes, then after the unsolved ones with more. The state must not be done; it is neither changed nor retained.
func (s *Solver) SolveMoves(state env.State, l Limits, dst []int) []int {
	s.begin(state, l)
	root := s.ply(0)
	root.moves = state.Legal(root.moves[:0])
	before := len(dst)
	for range root.moves {
		dst = append(dst, Unknown)
	}
	classes, guess := dst[before:], len(s.game.Classes)/2
	for budget := firstBudget; ; budget *= budgetGrowth {
		if budget > s.limits.Nodes/budgetGrowth {
			budget = s.limits.Nodes // the last round: another one would exceed the limit
		}
		unsolved := 0
		for i, a := range root.moves {
			if classes[i] != Unknown {
				continue
			}
			s.limitNodes(budget)
			classes[i] = s.solveAfter(a, guess)
			if classes[i] == Unknown {
				unsolved++
			} else {
				guess = classes[i]
			}
		}
		if unsolved == 0 || s.nodes >= s.limits.Nodes || s.stopped {
			return dst
		}
	}
}

// SolveMoves gives each move firstBudget nodes, then budgetGrowth times as many each time; this costs a seventh more.
const (
	firstBudget  = 64
	budgetGrowth = 8
)

// Nodes returns the number of positions visited by the last call, or so far by the current one.
func (s *Solver) Nodes() int { return s.nodes }

// Clear forgets all results: the next calls behave as on a new solver. It takes little time after little work.
func (s *Solver) Clear() {
	s.table.clear()
	for p := range s.history {
		clear(s.history[p])
	}
}
