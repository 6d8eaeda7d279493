package mcts

import "ludus/env"

// Move is what a search knows of a legal move. Utilities, bounds and classes are those of the player to move at the
// root.
type Move struct {
	Action env.Action
	Visits int     // simulations through the move, those of earlier searches of the tree among them
	Prior  float32 // network's probability among the legal moves
	// Policy is the search's probability, 0 for moves that cannot beat a sibling. With Gumbel it is the improved policy,
	// softmax(logit + sigma(completed q)); with PUCT the share of the visits, or of the priors where there are none, but 1
	// for a move known exactly that is worth more than the most visited one. At a proven root it is the share of the
	// priors among the moves proven to keep the value.
	Policy float32
	Value  float64 // completed: mean of what was backed up, exact if proven, mixed value if unvisited
	Lo, Hi float32 // the exact utility lies between; equal if proven
	// Classes is the mean class distribution [K] backed up through the move, one-hot if proven, the root's if unvisited.
	Classes []float32
}

// Moves returns the legal moves at the root, ascending by action, once the root is evaluated. They are the search's and
// last until its next call.
func (s *Search) Moves() []Move {
	s.mustBeEvaluated()
	t := &s.tree
	p, edges, K := t.nodes[root].player, t.edgesOf(root), len(t.utility)
	sign, mix, actions := p.Sign(), t.standing(root).mix, t.actionsOf(root)
	policy := s.policy()
	if need := len(edges) * K; cap(s.moveClasses) < need {
		s.moveClasses = make([]float32, need)
	}
	s.moves = s.moves[:0]
	for i := range edges {
		e := &edges[i]
		best, worst := t.ranks(e, p)
		m := Move{
			Action:  actions[i],
			Visits:  int(e.visits),
			Prior:   e.prior,
			Policy:  float32(policy[i]),
			Value:   sign*t.completed(e, mix) + 0, // 0 rather than -0
			Lo:      s.game.Classes[worst].Utility,
			Hi:      s.game.Classes[best].Utility,
			Classes: s.moveClasses[i*K : (i+1)*K : (i+1)*K],
		}
		s.distribution(m.Classes, e)
		s.moves = append(s.moves, m)
	}
	return s.moves
}

// Actions returns the legal moves at the root in the order of [Search.Moves]. They are the search's and last until it is
// given another position.
func (s *Search) Actions() []env.Action { return s.tree.actionsOf(root) }

// MoveClasses writes [Move.Classes] of the root's move i, in the order of [Search.Moves], into dst.
func (s *Search) MoveClasses(dst []float32, i int) {
	s.mustBeEvaluated()
	if len(dst) != len(s.dist) {
		panic("mcts: MoveClasses into a slice of the wrong length")
	}
	s.distribution(dst, &s.tree.edgesOf(root)[i])
}

func (s *Search) mustBeEvaluated() {
	if !s.tree.nodes[root].evaluated {
		panic("mcts: the root is not evaluated yet")
	}
}

// policy returns Move.Policy of the root's moves, in s.scores.
func (s *Search) policy() []float64 {
	t := &s.tree
	edges := t.edgesOf(root)
	policy := s.scores[:len(edges)]
	switch e := t.edges[root]; {
	case e.proven():
		for i := range edges {
			policy[i] = 0
			if edges[i].proven() && edges[i].top == e.top {
				policy[i] = float64(edges[i].prior)
			}
		}
	case s.cfg.Rule == Gumbel:
		s.improve(policy, root, t.standing(root))
		return policy
	default:
		s.visitShare(policy)
	}
	normalise(policy)
	return policy
}

// visitShare writes the weights of PUCT's Move.Policy at an unproven root into dst.
func (s *Search) visitShare(dst []float64) {
	t := &s.tree
	st := t.standing(root)
	edges, p, floor := t.edgesOf(root), t.nodes[root].player, t.nodes[root].floor
	chosen := s.mostVisited()
	for i := range edges {
		e := &edges[i]
		dst[i] = 0
		switch {
		case edges[chosen].proven():
			if i == chosen {
				dst[i] = 1
			}
		case !t.live(e, p, floor):
		case st.visits > 0:
			dst[i] = float64(e.visits)
		default:
			dst[i] = float64(e.prior)
		}
	}
}

// distribution writes the class distribution of a root's move into dst, for the player to move.
func (s *Search) distribution(dst []float32, e *edge) {
	t := &s.tree
	p := t.nodes[root].player
	if e.proven() {
		clear(dst)
		dst[s.game.ClassFor(p, int(e.top))] = 1
		return
	}
	n := root
	if e.visits > 0 {
		n = e.child
	}
	visits := float32(t.into(n).visits)
	for k, sum := range t.sums(n) {
		dst[s.game.ClassFor(p, k)] = sum / visits
	}
}

// Best returns the action to play at the root. A certain best move is taken; of several proven to give the value of the
// root, the quickest win, or what holds out longest otherwise, then the most visited, then the likeliest. Failing that,
// Gumbel takes the winner of the halving, in which moves known exactly take part whether sampled or not, and PUCT the
// most visited move.
func (s *Search) Best() env.Action {
	s.mustBeEvaluated()
	t := &s.tree
	i := s.certain()
	switch {
	case t.edges[root].proven():
		i = t.exact(root, t.edges[root].top)
	case i >= 0:
	case s.cfg.Rule == Gumbel:
		i = s.winner()
	default:
		i = s.mostVisited()
	}
	return t.actionsOf(root)[i]
}

// winner returns the root's move of the largest g + logit + sigma(q) among the most visited open moves, which are those
// that halving left over, and the moves known to give the floor.
func (s *Search) winner() int {
	t := &s.tree
	edges, p, floor := t.edgesOf(root), t.nodes[root].player, t.nodes[root].floor
	scores := s.scores[:len(edges)]
	s.scoreRoot(scores)
	var visits int32
	for i := range edges {
		if t.open(&edges[i], p, floor) {
			visits = max(visits, edges[i].visits)
		}
	}
	chosen := -1
	for i := range edges {
		e := &edges[i]
		if !t.live(e, p, floor) || t.open(e, p, floor) && e.visits < visits {
			continue
		}
		if chosen < 0 || scores[i] > scores[chosen] {
			chosen = i
		}
	}
	return chosen
}

// mostVisited returns the root's open move with the most visits, then the larger value, then the larger prior; or, if
// one is worth more, a move known to give the floor.
func (s *Search) mostVisited() int {
	t := &s.tree
	st := t.standing(root)
	edges, p, floor := t.edgesOf(root), t.nodes[root].player, t.nodes[root].floor
	sign := p.Sign()
	better := func(i, j int) bool {
		a, b := &edges[i], &edges[j]
		if a.visits != b.visits {
			return a.visits > b.visits
		}
		if va, vb := sign*t.completed(a, st.mix), sign*t.completed(b, st.mix); va != vb {
			return va > vb
		}
		return a.prior > b.prior
	}
	chosen, known := -1, -1
	for i := range edges {
		e := &edges[i]
		switch {
		case t.open(e, p, floor):
			if chosen < 0 || better(i, chosen) {
				chosen = i
			}
		case t.live(e, p, floor):
			if known < 0 || better(i, known) {
				known = i
			}
		}
	}
	if known >= 0 && sign*t.completed(&edges[known], st.mix) > sign*t.completed(&edges[chosen], st.mix) {
		return known
	}
	return chosen
}

// Value is the utility of the root for its player: that of the moves, averaged by [Move.Policy]; exact if proven.
func (s *Search) Value() float64 {
	s.mustBeEvaluated()
	t := &s.tree
	sign := t.nodes[root].player.Sign()
	if e := t.edges[root]; e.proven() {
		return sign*t.utility[e.top] + 0
	}
	mix := t.standing(root).mix
	edges := t.edgesOf(root)
	var value float64
	for i, p := range s.policy() {
		value += p * sign * t.completed(&edges[i], mix)
	}
	return value
}

// Classes writes the class distribution [K] of the root, for its player, into dst: that of the moves, averaged by
// [Move.Policy]; one-hot if proven.
func (s *Search) Classes(dst []float32) {
	if len(dst) != len(s.dist) {
		panic("mcts: Classes into a slice of the wrong length")
	}
	moves := s.Moves()
	clear(dst)
	if class, ok := s.Proven(); ok {
		dst[class] = 1
		return
	}
	for i := range moves {
		for k, p := range moves[i].Classes {
			dst[k] += moves[i].Policy * p
		}
	}
}

// Proven returns the exact class of the root for its player, if it is known.
func (s *Search) Proven() (class int, ok bool) {
	e := &s.tree.edges[root]
	return s.game.ClassFor(s.tree.nodes[root].player, int(e.top)), e.proven()
}

// PolicyTarget writes [Move.Policy] of the root's moves into dst, in the order of [Search.Moves]. The weight is 1, or 0
// where the position teaches nothing: it has one legal move, or all its moves are proven to be equal.
func (s *Search) PolicyTarget(dst []float32) (weight float32) {
	s.mustBeEvaluated()
	edges := s.tree.edgesOf(root)
	if len(dst) != len(edges) {
		panic("mcts: PolicyTarget into a slice of the wrong length")
	}
	for i, p := range s.policy() {
		dst[i] = float32(p)
	}
	for i := range edges {
		if len(edges) > 1 && (!edges[i].proven() || edges[i].top != edges[0].top) {
			return 1
		}
	}
	return 0
}
