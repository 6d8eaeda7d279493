package mcts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ludus/env"
)

// position is a position of a hand-made game: a leaf with its class as seen by the first player, or a mover with moves,
// numbered from 0.
type position struct {
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

// tableState plays a hand-made game. It has only the methods that a search calls.
type tableState struct {
	env.State // nil
	at        *position
}

func (s *tableState) Player() env.Player     { return s.at.player }
func (s *tableState) Done() bool             { return len(s.at.moves) == 0 }
func (s *tableState) Apply(a env.Action)     { s.at = s.at.moves[a] }
func (s *tableState) Outcome() int           { return s.at.class }
func (s *tableState) Key() env.Key           { return env.Key{s.at.id} }
func (s *tableState) CopyFrom(src env.State) { *s = *src.(*tableState) }

func (s *tableState) Legal(dst []env.Action) []env.Action {
	for a := range s.at.moves {
		dst = append(dst, env.Action(a))
	}
	return dst
}

func (s *tableState) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	for a, next := range s.at.moves {
		if len(next.moves) == 0 {
			dst = append(dst, env.TerminalAction{Action: env.Action(a), Outcome: next.class})
		}
	}
	return dst
}

// newGame describes a game of A actions in a row and K classes of evenly spaced utilities. Second's frame is reversed.
// The caller sets NewState.
func newGame(A, K int) *env.Game {
	g := &env.Game{
		Name: "table", Tensor: env.Shape{C: 1, H: 1, W: A}, Planes: []string{"nothing"}, PolicyPlanes: 1,
		PolicyNames: []string{"move"}, ActionTexts: make([]string, A),
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
	g := newGame(most, K)
	g.NewState = func() env.State { return &tableState{at: start} }
	return g
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
	g := newGame(m.actions, m.classes)
	g.MaxPlies = m.plies
	env.Derive(g, mazePosition{maze: m, hash: mix(seed)})
	return g
}

// mazePosition is a position of a maze; see env.Derive.
type mazePosition struct {
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

func (m *mazePosition) Player() env.Player         { return env.Player(m.hash >> 7 & 1) }
func (m *mazePosition) Apply(a env.Action)         { m.hash, m.ply = mix(m.hash+uint64(a)+1), m.ply+1 }
func (m *mazePosition) Key() env.Key               { return env.Key{m.hash, uint64(m.ply)} }
func (m *mazePosition) Encode(dst []float32)       { clear(dst) }
func (m *mazePosition) Pieces(dst []uint8) []uint8 { return dst }

func (m *mazePosition) Outcome() int {
	if m.ply == m.plies || m.ply > 0 && m.hash%8 == 0 {
		return int(m.hash >> 20 % uint64(m.classes))
	}
	return env.Unfinished
}

func (m *mazePosition) Legal(dst []env.Action) []env.Action {
	for a := range m.actions {
		if m.hash>>(30+a)&3 != 0 || a == int(m.hash>>10%uint64(m.actions)) {
			dst = append(dst, env.Action(a))
		}
	}
	return dst
}

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
		if goals != nil {
			goals[2*i], goals[2*i+1] = rng.Float32(), rng.Float32()
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

// rules returns, for each number of pending leaves, settings with either rule; Gumbel's once more with several for each
// candidate.
func rules(leaves ...int) (configs []Config) {
	for _, n := range leaves {
		gumbel := DefaultConfig()
		gumbel.PendingLeaves = n
		puct := gumbel
		puct.Rule = PUCT
		configs = append(configs, gumbel, puct)
		if n > 1 {
			gumbel.CandidateShare = 0.5
			configs = append(configs, gumbel)
		}
	}
	return configs
}

func (r Rule) String() string { return [...]string{"Gumbel", "PUCT"}[r] }
