package solver

import (
	"math"

	"ludus/env"
)

// Unknown stands for a class that was not found within the limits.
const Unknown = -1

// Limits bound the work of one call. Whichever comes first ends it.
type Limits struct {
	Nodes int         // positions visited, at most; 0 is no limit
	Stop  func() bool // asked every few thousand nodes; nil is never
}

// most is the largest number of nodes.
func (l Limits) most() int {
	if l.Nodes == 0 {
		return math.MaxInt
	}
	return l.Nodes
}

// Solver solves positions of one game. It has one owner, and is used again and again: the table is kept from call to
// call, so that positions of one game or near each other share what was found.
//
// The same calls with limits of nodes alone give the same answers and the same numbers of nodes.
type Solver struct {
	game    *env.Game
	inverse [][]env.Action // by symmetry: the actions of its inverse
	table   table
	frames  []frame    // by ply from the position that is being solved
	history [2][]int32 // by player and action: how often it answered the question of late, in [0, certain)

	nodes   int
	limit   int         // nodes that the call may visit
	pause   int         // nodes at which the limits are looked at next
	stop    func() bool // may be nil
	told    bool        // stop said so
	stopped bool        // the search in progress has no answer
}

// frame is what the search keeps of one ply.
type frame struct {
	state   env.State
	moves   []env.Action
	scores  []int32
	endings []env.TerminalAction
	answer  env.Action // the move that answered the question here, or -1
}

// patience is how many nodes are visited between two questions to Limits.Stop.
const patience = 4096

// New returns a solver whose table takes tableBytes, or a little if that is less.
func New(game *env.Game, tableBytes int) *Solver {
	if game.NumActions() > none || len(game.Classes) > 256 {
		panic("solver: more actions or classes than an entry of the table can tell")
	}
	s := &Solver{game: game, frames: make([]frame, game.MaxPlies+1)}
	s.table.buckets = make([][4]entry, max(1, tableBytes/bucketBytes))
	for _, symmetry := range game.Symmetries {
		inverse := make([]env.Action, game.NumActions())
		for a, b := range symmetry.Actions {
			inverse[b] = env.Action(a)
		}
		s.inverse = append(s.inverse, inverse)
	}
	for i := range s.frames {
		s.frames[i].state = game.NewState()
	}
	for p := range s.history {
		s.history[p] = make([]int32, game.NumActions())
	}
	return s
}

// Solve returns First's class in state under best play by both players; ok is false, and class Unknown, where the limits
// ran out. The state must not be done; it is neither changed nor retained.
func (s *Solver) Solve(state env.State, l Limits) (class int, ok bool) {
	s.begin(state, l)
	s.allow(l.most(), l)
	class = s.solve(0, len(s.game.Classes)/2)
	return class, class != Unknown
}

// Reaches reports whether First reaches class k or a better one in state under best play by both players, which is less
// work than finding the class; ok is false where the limits ran out. The state must not be done; it is neither changed
// nor retained.
func (s *Solver) Reaches(state env.State, k int, l Limits) (reached, ok bool) {
	s.begin(state, l)
	s.allow(l.most(), l)
	class := s.search(0, k)
	return class <= k, !s.stopped
}

// BestMove returns a legal move in state that keeps First's class, one that ends the game if there is any, and that class; ok
// is false, and they are -1 and Unknown, where the limits ran out. The state must not be done; it is neither changed nor
// retained.
func (s *Solver) BestMove(state env.State, l Limits) (a env.Action, class int, ok bool) {
	if class, ok = s.Solve(state, l); !ok {
		return -1, Unknown, false
	}
	root := &s.frames[0]
	if ending := s.findMoves(root, state.Player()); root.answer >= 0 && ending == class {
		return root.answer, class, true
	}
	s.order(root, state.Player(), s.remembered(state))
	for i := range root.moves {
		a := root.pick(i)
		switch s.after(a, class) {
		case class:
			return a, class, true
		case Unknown:
			return -1, Unknown, false
		}
	}
	panic("solver: no move keeps the value")
}

// SolveMoves appends to dst, for each legal move in state in ascending order, First's class after it, or Unknown where the
// limits, which are for all moves together, ran out. The state must not be done; it is neither changed nor retained.
//
// SolveMoves that are quickly solved come first: all are tried with few nodes, then those that are left with more.
func (s *Solver) SolveMoves(state env.State, l Limits, dst []int) []int {
	s.begin(state, l)
	root := &s.frames[0]
	root.moves = state.Legal(root.moves[:0])
	before := len(dst)
	for range root.moves {
		dst = append(dst, Unknown)
	}
	values, guess := dst[before:], len(s.game.Classes)/2
	for share := firstShare; ; share *= shareGrowth {
		if share > l.most()/shareGrowth {
			share = l.most()
		}
		left := 0
		for i, a := range root.moves {
			if values[i] != Unknown {
				continue
			}
			s.allow(share, l)
			if values[i] = s.after(a, guess); values[i] == Unknown {
				left++
			} else {
				guess = values[i]
			}
		}
		if left == 0 || s.nodes >= l.most() || s.told {
			return dst
		}
	}
}

// The nodes a move is tried with by SolveMoves at first, and how they grow: what is begun again costs a seventh more.
const (
	firstShare  = 64
	shareGrowth = 8
)

// Nodes is how many positions the last call visited, or the present one has visited so far.
func (s *Solver) Nodes() int { return s.nodes }

// Clear forgets all that was found: the solver is as good as new.
func (s *Solver) Clear() {
	clear(s.table.buckets)
	s.table.age = 0
	for p := range s.history {
		clear(s.history[p])
	}
}
