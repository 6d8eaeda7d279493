package mcts

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"ludus/env"
)

// Move is what a search knows about a legal move at the root. Utilities and classes are those of the player to move.
type Move struct {
	Action env.Action
	Visits int     // simulations through the move, including those of earlier searches in a kept tree
	Prior  float32 // the network's probability among the legal moves
	// Policy is the search's probability, 0 for pruned moves. Gumbel: the improved policy, softmax(logit +
	// sigma(completed q)). PUCT: the share of the visits, or of the priors if there are no visits; but 1 for a proven
	// move that is worth more than the most visited one. At a proven root: the share of the priors among the moves that
	// keep the proven value.
	Policy float32
	Value  float64 // completed: mean of the utilities backed up, exact if proven, the mixed value if unvisited
	// Lower and Upper bound the exact utility; equal if proven.
	Lower, Upper float32
}

// Moves returns the legal moves at the root, ascending by action. The root must be evaluated. The search owns the
// slice; the next call overwrites it.
func (s *Search) Moves() []Move {
	s.mustBeEvaluated()
	t := &s.tree
	p, edges := t.nodes[root].player, t.edgesOf(root)
	mixedValue, actions := t.summarize(root).mixedValue, t.actionsOf(root)
	policy := s.policy()
	s.moves = s.moves[:0]
	for i := range edges {
		e := &edges[i]
		best, worst := t.bounds(e, p)
		s.moves = append(s.moves, Move{
			Action: actions[i],
			Visits: int(e.visits),
			Prior:  e.prior,
			Policy: float32(policy[i]),
			Value:  p.Sign()*t.completedValue(e, mixedValue) + 0, // 0 rather than -0
			Lower:  s.game.Classes[worst].Utility,
			Upper:  s.game.Classes[best].Utility,
		})
	}
	return s.moves
}

// Actions returns the legal moves at the root in the order of [Search.Moves]. The search owns the slice, which is valid
// until it gets another position.
func (s *Search) Actions() []env.Action { return s.tree.actionsOf(root) }

// RootEvaluation returns the network's evaluation of the root, for the player to move: class probabilities [K], and
// expected goals / 100 [2], own first, if the game has a goal head. Both are empty before the root is evaluated and
// after [Search.Advance]. The search owns them; they are valid until it gets another position.
func (s *Search) RootEvaluation() (classes, goals []float32) { return s.rootClasses, s.rootGoals }

func (s *Search) mustBeEvaluated() {
	if !s.tree.nodes[root].evaluated {
		panic("mcts: the root is not evaluated yet")
	}
}

// policy computes Move.Policy of the root's moves. The result is s.scores.
func (s *Search) policy() []float64 {
	t := &s.tree
	edges := t.edgesOf(root)
	policy := s.scores[:len(edges)]
	switch e := t.edges[root]; {
	case e.proven():
		for i := range edges {
			policy[i] = 0
			if edges[i].proven() && edges[i].best == e.best {
				policy[i] = float64(edges[i].prior)
			}
		}
	case s.cfg.Rule == Gumbel:
		s.improvedPolicy(policy, root, t.summarize(root))
		return policy
	default:
		s.visitWeights(policy)
	}
	var total float64
	for _, x := range policy {
		total += x
	}
	for i := range policy {
		policy[i] /= total
	}
	return policy
}

// visitWeights writes the unnormalized policy of a PUCT search to dst: the visits of the moves that are not pruned,
// their priors if there are no visits yet, or all weight on the chosen move if it is proven. The root itself must not
// be proven.
func (s *Search) visitWeights(dst []float64) {
	t := &s.tree
	visits := t.summarize(root).visits
	edges, p, guaranteed := t.edgesOf(root), t.nodes[root].player, t.nodes[root].guaranteed
	chosen := s.mostVisited()
	for i := range edges {
		e := &edges[i]
		dst[i] = 0
		switch {
		case edges[chosen].proven():
			if i == chosen {
				dst[i] = 1
			}
		case t.pruned(e, p, guaranteed):
		case visits > 0:
			dst[i] = float64(e.visits)
		default:
			dst[i] = float64(e.prior)
		}
	}
}

// MoveClasses writes to dst the mean class distribution [K] backed up through the root's move i, in the order of
// [Search.Moves], as seen by the player to move. It is one-hot if the move is proven, and the root's if it is
// unvisited.
func (s *Search) MoveClasses(dst []float32, i int) {
	s.mustBeEvaluated()
	t := &s.tree
	p, e := t.nodes[root].player, &t.edgesOf(root)[i]
	if e.proven() {
		clear(dst)
		dst[s.game.ClassFor(p, int(e.best))] = 1
		return
	}
	n := root
	if e.visits > 0 {
		n = e.child
	}
	visits := float32(t.incoming(n).visits)
	for k, sum := range t.sumsOf(n) {
		dst[s.game.ClassFor(p, k)] = sum / visits
	}
}

// Best returns the action to play at the root. A move that is certainly best comes first. Among moves proven to give
// the value of the root it is the quickest win, or else the slowest end, then the most visited, then the likeliest.
// Otherwise Gumbel takes the winner of sequential halving, in which proven moves take part even if they were no
// candidates, and PUCT the most visited move.
func (s *Search) Best() env.Action {
	s.mustBeEvaluated()
	t := &s.tree
	i := s.certainBest()
	switch {
	case t.edges[root].proven():
		i = t.bestProven(root, t.edges[root].best)
	case i >= 0:
	case s.cfg.Rule == Gumbel:
		i = s.halvingWinner()
	default:
		i = s.mostVisited()
	}
	return t.actionsOf(root)[i]
}

// Line appends to dst the principal variation that begins with the root's move i, in the order of [Search.Moves]: the
// most visited moves, and from a proven position on those that Best prefers. It has at most so many plies and ends
// where the search has not been; it is empty if move i is neither visited nor proven.
func (s *Search) Line(dst []env.Action, i, plies int) []env.Action {
	s.mustBeEvaluated()
	t, n := &s.tree, root
	s.reply.CopyFrom(s.position)
	for ; plies > 0 && i >= 0; plies-- {
		nd := &t.nodes[n]
		a, e := t.actions[nd.firstMove+int32(i)], &t.edges[nd.firstEdge+int32(i)]
		if e.visits == 0 && !e.proven() {
			return dst
		}
		dst = append(dst, a)
		s.reply.Apply(a)
		n = e.child
		if n != none && t.nodes[n].numEdges > 0 {
			i = t.likeliest(n)
			continue
		}
		if e.proven() && plies > 1 && !s.reply.Done() { // expansion has seen that the reply ends the game
			for _, ending := range s.reply.TerminalActions(nil) {
				if ending.Outcome == int(e.best) {
					return append(dst, ending.Action)
				}
			}
		}
		return dst
	}
	return dst
}

// likeliest returns the move of node n, as an index into its edges, that the principal variation takes; -1 if none is
// visited. The node has edges.
func (t *tree) likeliest(n int32) int {
	if e := t.incoming(n); e.proven() {
		return t.bestProven(n, e.best)
	}
	nd, edges, chosen := &t.nodes[n], t.edgesOf(n), -1
	for i := range edges {
		e := &edges[i]
		if e.visits > 0 && !t.pruned(e, nd.player, nd.guaranteed) && (chosen < 0 || e.visits > edges[chosen].visits) {
			chosen = i
		}
	}
	return chosen
}

// halvingWinner returns the root move with the largest g + logit + sigma(q) among the last candidates of sequential
// halving and the moves proven to give the guaranteed class. The last candidates are the most visited of the moves that
// can improve on that class.
func (s *Search) halvingWinner() int {
	t := &s.tree
	edges, p, guaranteed := t.edgesOf(root), t.nodes[root].player, t.nodes[root].guaranteed
	scores := s.scores[:len(edges)]
	s.scoreRoot(scores)
	var visits int32
	for i := range edges {
		if t.canImprove(&edges[i], p, guaranteed) {
			visits = max(visits, edges[i].visits)
		}
	}
	chosen := -1
	for i := range edges {
		e := &edges[i]
		if t.pruned(e, p, guaranteed) || t.canImprove(e, p, guaranteed) && e.visits < visits {
			continue
		}
		if chosen < 0 || scores[i] > scores[chosen] {
			chosen = i
		}
	}
	return chosen
}

// mostVisited returns the root move with the most visits, then the larger value, then the larger prior, among those
// that can improve on the guaranteed class. If a move proven to give the guaranteed class is worth more, it returns
// that one.
func (s *Search) mostVisited() int {
	t := &s.tree
	mixedValue := t.summarize(root).mixedValue
	edges, p, guaranteed := t.edgesOf(root), t.nodes[root].player, t.nodes[root].guaranteed
	value := func(e *edge) float64 { return p.Sign() * t.completedValue(e, mixedValue) }
	better := func(i, j int) bool {
		a, b := &edges[i], &edges[j]
		return cmp.Or(cmp.Compare(a.visits, b.visits), cmp.Compare(value(a), value(b)), cmp.Compare(a.prior, b.prior)) > 0
	}
	chosen, proven := -1, -1
	for i := range edges {
		e := &edges[i]
		switch {
		case t.canImprove(e, p, guaranteed):
			if chosen < 0 || better(i, chosen) {
				chosen = i
			}
		case !t.pruned(e, p, guaranteed):
			if proven < 0 || better(i, proven) {
				proven = i
			}
		}
	}
	if proven >= 0 && value(&edges[proven]) > value(&edges[chosen]) {
		return proven
	}
	return chosen
}

// Value is the root's utility for the player to move: the mean of its moves' values, weighted by [Move.Policy]; exact
// if proven.
func (s *Search) Value() float64 {
	s.mustBeEvaluated()
	t := &s.tree
	sign := t.nodes[root].player.Sign()
	if e := t.edges[root]; e.proven() {
		return sign*t.utilities[e.best] + 0 // 0 rather than -0
	}
	mixedValue := t.summarize(root).mixedValue
	edges := t.edgesOf(root)
	var value float64
	for i, p := range s.policy() {
		value += p * sign * t.completedValue(&edges[i], mixedValue)
	}
	return value
}

// Classes writes the root's class distribution [K], as seen by the player to move, to dst: the mean over its moves,
// weighted by [Move.Policy]; one-hot if proven.
func (s *Search) Classes(dst []float32) {
	s.mustBeEvaluated()
	clear(dst)
	if class, ok := s.Proven(); ok {
		dst[class] = 1
		return
	}
	for i, p := range s.policy() {
		s.MoveClasses(s.classes, i)
		for k, c := range s.classes {
			dst[k] += float32(p) * c
		}
	}
}

// Proven returns the root's exact class, as seen by the player to move, and whether the root is proven.
func (s *Search) Proven() (class int, ok bool) {
	e := &s.tree.edges[root]
	return s.game.ClassFor(s.tree.nodes[root].player, int(e.best)), e.proven()
}

// PolicyTarget appends [Move.Policy] of the root's moves to dst, in the order of [Search.Moves]. The weight of this
// training target is 1, or 0 if there is nothing to learn because the position has one legal move or all moves are
// proven to be equal.
func (s *Search) PolicyTarget(dst []float32) (target []float32, weight float32) {
	s.mustBeEvaluated()
	for _, p := range s.policy() {
		dst = append(dst, float32(p))
	}
	edges := s.tree.edgesOf(root)
	for i := range edges {
		if len(edges) > 1 && (!edges[i].proven() || edges[i].best != edges[0].best) {
			return dst, 1
		}
	}
	return dst, 0
}

// DrawIndex returns index i with a probability proportional to weights[i]^(1/temperature). The weights are 0 or more,
// at least one of them above 0; temperature is above 0. It overwrites weights.
func DrawIndex(rng *rand.Rand, weights []float64, temperature float64) int {
	if temperature != 1 {
		top := slices.Max(weights)
		for i, w := range weights {
			weights[i] = math.Pow(w/top, 1/temperature)
		}
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	x, last := rng.Float64()*total, 0
	for i, w := range weights {
		if w > 0 {
			last = i
		}
		x -= w
		if x < 0 {
			break
		}
	}
	return last // after rounding x may stay above 0
}
