package mcts

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// position is a position of a hand-made game: a leaf with its class as seen by the first player, or a mover with moves,
// numbered from 0.
type position struct {
	name    string
	player  env.Player
	class   int
	moves   []*position
	logits  []float64 // of the moves; nil is all zero
	utility float64   // evaluation, for the first player
	id      uint64
}

func end(class int) *position { return &position{class: class} }

func first(moves ...*position) *position { return &position{player: env.First, moves: moves} }

func second(moves ...*position) *position { return &position{player: env.Second, moves: moves} }

// worth sets the evaluation, for the first player.
func (p *position) worth(utility float64) *position { p.utility = utility; return p }

// priors sets the evaluation's policy.
func (p *position) priors(probabilities ...float64) *position {
	for _, x := range probabilities {
		p.logits = append(p.logits, math.Log(x))
	}
	return p
}

// tableState plays a hand-made game.
type tableState struct{ at *position }

func (s *tableState) Player() env.Player               { return s.at.player }
func (s *tableState) Done() bool                       { return len(s.at.moves) == 0 }
func (s *tableState) Apply(a env.Action)               { s.at = s.at.moves[a] }
func (s *tableState) Outcome() int                     { return s.at.class }
func (s *tableState) Goals() [2]int                    { return [2]int{} }
func (s *tableState) Key() env.Key                     { return env.Key{s.at.id} }
func (s *tableState) Encode(dst []float32)             { clear(dst) }
func (s *tableState) CopyFrom(src env.State)           { *s = *src.(*tableState) }
func (s *tableState) Detail() string                   { return s.at.name }
func (s *tableState) Pieces(dst []uint8) []uint8       { return dst }
func (s *tableState) WinningCells(dst []int32) []int32 { return dst }
func (s *tableState) CanonicalKey() (env.Key, int)     { return s.Key(), 0 }
func (s *tableState) Legal(dst []env.Action) []env.Action {
	for a := range s.at.moves {
		dst = append(dst, env.Action(a))
	}
	return dst
}

func (s *tableState) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	return endings(dst, s, func() env.State { next := *s; return &next })
}

func (s *tableState) RandomAction(r uint64) env.Action { return pick(s, r) }

// pick is State.RandomAction by the legal list.
func pick(s env.State, r uint64) env.Action {
	legal := s.Legal(nil)
	i, _ := bits.Mul64(r, uint64(len(legal)))
	return legal[i]
}

// endings is State.TerminalActions by playing every legal action on a copy.
func endings(dst []env.TerminalAction, s env.State, copied func() env.State) []env.TerminalAction {
	for _, a := range s.Legal(nil) {
		next := copied()
		if next.Apply(a); next.Done() {
			dst = append(dst, env.TerminalAction{Action: a, Outcome: next.Outcome()})
		}
	}
	return dst
}

// newGame describes a game of A actions in a row and K classes of evenly spaced utilities. Second's frame is reversed.
func newGame(A, K int, state func() env.State) *env.Game {
	g := &env.Game{
		Name: "table", Tensor: env.Shape{C: 1, H: 1, W: A}, Planes: []string{"nothing"}, PolicyPlanes: 1,
		PolicyNames: []string{"move"}, ActionTexts: make([]string, A), NewState: state,
	}
	for k := range K {
		g.Classes = append(g.Classes, env.Class{Name: fmt.Sprint(k), Utility: float32(K-1-2*k) / float32(K-1)})
	}
	frame := make([]env.Action, A)
	for a := range frame {
		frame[a] = env.Action(A - 1 - a)
	}
	return g.Finish(frame)
}

// table makes a game of K classes from its positions.
func table(K int, start *position) *env.Game {
	var id uint64
	most := 1
	var number func(p *position)
	number = func(p *position) {
		id++
		p.id = id
		most = max(most, len(p.moves))
		for _, m := range p.moves {
			number(m)
		}
	}
	number(start)
	return newGame(most, K, func() env.State { return &tableState{start} })
}

// tableEvaluator evaluates hand-made positions as they say; illegal moves get an enormous logit.
type tableEvaluator struct{ game *env.Game }

func (ev tableEvaluator) Evaluate(states []env.State, logits, classes, goals []float32) {
	A, K := ev.game.NumActions(), len(ev.game.Classes)
	for i, state := range states {
		at := state.(*tableState).at
		frame := ev.game.Frame(at.player)
		for a := range A {
			logit := 1e6
			if a < len(at.moves) {
				logit = 0
				if at.logits != nil {
					logit = at.logits[a]
				}
			}
			logits[i*A+int(frame[a])] = float32(logit)
		}
		u := at.utility
		if at.player == env.Second {
			u = -u
		}
		row := classes[i*K : (i+1)*K]
		clear(row)
		row[0], row[K-1] = float32((1+u)/2), float32((1-u)/2)
	}
}

// maze is a family of pseudo-random games: everything follows from a hash of the moves played. Players may move several
// times in a row.
type maze struct{ actions, classes, plies int }

func (m maze) game(seed uint64) *env.Game {
	g := newGame(m.actions, m.classes, func() env.State { return &mazeState{maze: m, hash: mix(seed)} })
	g.MaxPlies = m.plies
	return g
}

type mazeState struct {
	maze
	hash uint64
	ply  int
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (s *mazeState) Player() env.Player               { return env.Player(s.hash >> 7 & 1) }
func (s *mazeState) Done() bool                       { return s.ply == s.plies || s.ply > 0 && s.hash%8 == 0 }
func (s *mazeState) Apply(a env.Action)               { s.hash, s.ply = mix(s.hash+uint64(a)+1), s.ply+1 }
func (s *mazeState) Outcome() int                     { return int(s.hash >> 20 % uint64(s.classes)) }
func (s *mazeState) Goals() [2]int                    { return [2]int{} }
func (s *mazeState) Key() env.Key                     { return env.Key{s.hash, uint64(s.ply)} }
func (s *mazeState) Encode(dst []float32)             { clear(dst) }
func (s *mazeState) CopyFrom(src env.State)           { *s = *src.(*mazeState) }
func (s *mazeState) Detail() string                   { return fmt.Sprint(s.hash) }
func (s *mazeState) Pieces(dst []uint8) []uint8       { return dst }
func (s *mazeState) WinningCells(dst []int32) []int32 { return dst }
func (s *mazeState) CanonicalKey() (env.Key, int)     { return s.Key(), 0 }
func (s *mazeState) Legal(dst []env.Action) []env.Action {
	for a := range s.actions {
		if s.hash>>(30+a)&3 != 0 || a == int(s.hash>>10%uint64(s.actions)) {
			dst = append(dst, env.Action(a))
		}
	}
	return dst
}

func (s *mazeState) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	return endings(dst, s, func() env.State { next := *s; return &next })
}

func (s *mazeState) RandomAction(r uint64) env.Action { return pick(s, r) }

// hashed is a deterministic evaluator whose evaluations follow from the position's hash.
type hashed struct {
	game  *env.Game
	scale float32 // of the logits
}

func (h hashed) Evaluate(states []env.State, logits, classes, goals []float32) {
	A, K := h.game.NumActions(), len(h.game.Classes)
	for i, state := range states {
		key := state.Key()
		rng := rand.New(rand.NewPCG(key.Hash(), 7))
		for a := range A {
			logits[i*A+a] = h.scale * float32(rng.NormFloat64())
		}
		row, sum := classes[i*K:(i+1)*K], float32(0)
		for k := range row {
			row[k] = float32(rng.ExpFloat64())
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
	}
}

// counting counts evaluated positions.
type counting struct {
	Evaluator
	positions, batches int
}

func (c *counting) Evaluate(states []env.State, logits, classes, goals []float32) {
	c.positions += len(states)
	c.batches++
	c.Evaluator.Evaluate(states, logits, classes, goals)
}

// run is Search.Run without a cache.
func run(s *Search, ev Evaluator) { s.Run(NewBatcher(s.game, ev, 64, 0)) }

// classesOf returns Search.MoveClasses of the root's move i.
func classesOf(s *Search, i int) []float32 {
	classes := make([]float32, len(s.game.Classes))
	s.MoveClasses(classes, i)
	return classes
}

// selectLeaf does simulations until one needs an evaluation, which it returns, or nil if the search is done or blocked.
func selectLeaf(s *Search) *selectedLeaf {
	l := &selectedLeaf{batcher: NewBatcher(s.game, nil, 1, 0)}
	for s.Step(l.batcher) {
		if len(l.batcher.pending) > 0 {
			return l
		}
	}
	return nil
}

// selectedLeaf is a pending leaf with a batcher of its own, so that leaves can be backed up in any order.
type selectedLeaf struct{ batcher *Batcher }

func (l *selectedLeaf) state() env.State { return l.batcher.pending[0].state }

func (l *selectedLeaf) backUp(ev Evaluator) {
	l.batcher.evaluator = ev
	l.batcher.Flush()
}

func newGenerator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// move is a move of a node with its edge.
type move struct {
	action env.Action
	edge
}

// movesOf lists the moves of node n by ascending action; those without an edge have one that says nothing.
func (t *tree) movesOf(n int32) []move {
	nd := &t.nodes[n]
	if nd.evaluated && !nd.hasPriors {
		t.computePriors(n)
	}
	moves := make([]move, nd.numMoves)
	for i, e := range t.edgesOf(n) {
		moves[i].edge = e
	}
	for i := range moves {
		if int32(i) >= nd.numEdges {
			moves[i].edge = edge{child: none, worst: t.worstClass()}
		}
		moves[i].action, moves[i].prior = t.actionsOf(n)[i], t.priorsOf(n)[i]
	}
	slices.SortFunc(moves, func(a, b move) int { return int(a.action - b.action) })
	return moves
}

func mustGame(t testing.TB, name string) *env.Game {
	t.Helper()
	g, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// solve returns the class of a position, as seen by the first player, under best play, by brute force.
func solve(g *env.Game, state env.State) int {
	class, _ := solveWithin(g, state, math.MaxInt)
	return class
}

// solveWithin is solve with a limit on the positions looked at; it returns -1 and the rest, 0, where that is too few.
func solveWithin(g *env.Game, state env.State, limit int) (class, rest int) {
	if limit == 0 {
		return -1, 0
	}
	limit--
	if state.Done() {
		return state.Outcome(), limit
	}
	best := len(g.Classes)
	for _, a := range state.Legal(nil) {
		if class, limit = solveWithin(g, g.After(state, a), limit); class < 0 {
			return -1, 0
		}
		best = min(best, g.ClassFor(state.Player(), class))
	}
	return g.ClassFor(state.Player(), best), limit
}

// rules returns settings with each rule and so many pending leaves; Gumbel's once more with several for each candidate.
func rules(leaves int) []Config {
	gumbel := DefaultConfig()
	gumbel.PendingLeaves = leaves
	puct := gumbel
	puct.Rule = PUCT
	configs := []Config{gumbel, puct}
	if leaves > 1 {
		gumbel.CandidateShare = 0.5
		configs = append(configs, gumbel)
	}
	return configs
}

func (r Rule) String() string { return [...]string{"Gumbel", "PUCT"}[r] }
