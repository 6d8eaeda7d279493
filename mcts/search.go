package mcts

import (
	"math/rand/v2"
	"slices"

	"ludus/env"
)

// Search searches one position at a time. It has one owner. [Search.Start] reuses the memory of the last position, so a
// warm search allocates nothing.
type Search struct {
	game *env.Game
	cfg  Config

	position     env.State // at the root
	reply        env.State // scratch of an expansion
	rootClasses  []float32 // [K] of the root's evaluation, for its player; empty if unknown
	rootGoals    []float32 // [2] of the root's evaluation, own first; empty if unknown
	explorations []float64 // PUCT's exploration by N

	tree, spare tree // Advance copies into spare

	selfPlay      bool // Start was given a generator
	cachedDecided bool // cached result of decide; valid until a bound changes
	budget        int  // simulations to do
	started, done int  // simulations selected and backed up
	halving       halving

	// A round selects up to Config.PendingLeaves leaves and backs them up together.
	round       []leaf
	roundSize   int  // leaves of the current round
	pending     int  // leaves of the round without an evaluation
	roundClosed bool // the round takes no more leaves

	logits  []float32 // scratch: of a leaf's legal moves
	places  []int32   // scratch: indices of a leaf's moves in tree.priors
	scores  []float64 // scratch: by move of a node
	classes []float32 // scratch [K]
	moves   []Move
}

// leaf is a selected node of the current round.
type leaf struct {
	state   env.State
	key     env.Key // of state; only with a cache
	node    int32
	classes []float32 // [K] probabilities as seen by the first player, once evaluated
}

// New returns a search for a game. It panics if a setting is out of its range.
func New(game *env.Game, cfg Config) *Search {
	if !cfg.valid() {
		panic("mcts: a setting of the search is out of its range")
	}
	K := len(game.Classes)
	s := &Search{game: game, cfg: cfg, position: game.NewState(), reply: game.NewState(), classes: make([]float32, K)}
	for _, c := range game.Classes {
		s.tree.utilities = append(s.tree.utilities, float64(c.Utility))
	}
	s.spare.utilities = s.tree.utilities
	s.round = make([]leaf, cfg.PendingLeaves)
	for i := range s.round {
		s.round[i].state = game.NewState()
		s.round[i].classes = make([]float32, K)
	}
	if cfg.Rule == PUCT {
		s.explorations = cfg.explorations()
	}
	s.tree.reset(env.First)
	return s
}

// Start begins a search of a position that is not done, with an empty tree and a number of simulations. The evaluation
// of the root is not one of them, so 0 is allowed. The state is not retained. No leaf may be pending.
//
// With a generator this is a search of self-play: the Gumbel rule draws its noise at once, one number for each legal
// move (PUCT draws none), and the search ends as soon as the best move is certain. Without (nil) there is no noise, and
// a root that guarantees no more than the worst class uses up its simulations.
func (s *Search) Start(state env.State, simulations int, rng *rand.Rand) {
	if state.Done() {
		panic("mcts: Start from a finished game")
	}
	if s.pending > 0 {
		panic("mcts: Start with pending leaves")
	}
	s.dropRound()
	s.position.CopyFrom(state)
	s.selfPlay = rng != nil
	s.resetTree()
	if s.cfg.Rule == Gumbel {
		s.halving.sampleNoise(len(s.tree.edgesOf(root)), rng)
	}
	s.setBudget(simulations)
}

// resetTree empties the tree, adds the root, expands it and forgets its evaluation.
func (s *Search) resetTree() {
	s.tree.reset(s.position.Player())
	s.rootClasses, s.rootGoals = s.rootClasses[:0], s.rootGoals[:0]
	s.expand(root, s.position)
}

// setBudget sets the number of simulations to do, none of them done yet. No leaf may be pending.
func (s *Search) setBudget(simulations int) {
	s.budget, s.started, s.done = simulations, 0, 0
	s.roundClosed = false
	s.halving.reset()
}

// dropRound forgets the leaves of the current round. Their virtual visits stay in the tree, so the search must then
// begin anew.
func (s *Search) dropRound() {
	s.roundSize, s.pending, s.roundClosed = 0, 0, false
}

// Advance plays a legal action at the root, by whichever player, and keeps the subtree below it. The search has no
// simulations left until [Search.Continue]. The rule must be PUCT, because kept visits break sequential halving, and no
// leaf may be pending.
func (s *Search) Advance(a env.Action) {
	if s.cfg.Rule != PUCT {
		panic("mcts: Advance needs the PUCT rule")
	}
	if s.roundSize > 0 {
		panic("mcts: Advance with pending leaves")
	}
	i := slices.Index(s.Actions(), a)
	if i < 0 {
		panic("mcts: Advance with an illegal action")
	}
	child := s.tree.edgesOf(root)[i].child
	s.position.Apply(a)
	s.setBudget(0)
	switch {
	case s.position.Done():
		s.tree.reset(s.position.Player())
	case child == none || s.tree.nodes[child].numMoves == 0: // not visited, or proven when added: not expanded
		s.resetTree()
	default:
		s.rootClasses, s.rootGoals = s.rootClasses[:0], s.rootGoals[:0]
		s.spare.copySubtree(&s.tree, child)
		s.tree, s.spare = s.spare, s.tree
	}
}

// Continue prepares the search to run that many more simulations in the same tree. The game must not be over.
func (s *Search) Continue(simulations int) {
	if s.position.Done() {
		panic("mcts: Continue in a finished game")
	}
	if s.roundSize > 0 {
		panic("mcts: Continue with pending leaves")
	}
	s.setBudget(simulations)
}

// Simulations is the number of simulations done since Start or Continue.
func (s *Search) Simulations() int { return s.done }

// Done reports whether the search has ended: its simulations are used up, or the best move is certain.
func (s *Search) Done() bool { return s.roundSize == 0 && s.finished() }

// finished reports whether no further simulation may start.
func (s *Search) finished() bool {
	return s.tree.nodes[root].evaluated && (s.started >= s.budget || s.decided())
}

// decided reports whether further simulations cannot change the chosen move.
func (s *Search) decided() bool {
	if s.tree.boundsChanged {
		s.tree.boundsChanged, s.cachedDecided = false, s.decide()
	}
	return s.cachedDecided
}

// decide computes the result of decided: the root is proven, or one move's worst class is at least as good as every
// other move's best. Outside self-play it is not enough that all other moves are lost, as the last one may be lost too,
// and sooner.
func (s *Search) decide() bool {
	t := &s.tree
	if t.edges[root].proven() {
		return true
	}
	return s.certainBest() >= 0 && (s.selfPlay || t.nodes[root].guaranteed < t.worstClass())
}

// certainBest returns the index of the root move whose worst class is at least as good as all others' best, or -1.
func (s *Search) certainBest() int {
	t := &s.tree
	p, guaranteed := t.nodes[root].player, t.nodes[root].guaranteed
	chosen, chosenBest := -1, t.worstClass()
	edges := t.edgesOf(root)
	for i := range edges {
		best, worst := t.bounds(&edges[i], p)
		if worst == guaranteed && (chosen < 0 || best < chosenBest) {
			chosen, chosenBest = i, best
		}
	}
	for i := range edges {
		if i != chosen && t.canImprove(&edges[i], p, guaranteed) {
			return -1
		}
	}
	return chosen
}

// Run searches until [Search.Done]. Up to Config.PendingLeaves leaves are evaluated at once.
func (s *Search) Run(b *Batcher) { s.RunUntil(b, nil) }

// RunUntil is Run that also ends when stop returns true. It calls stop, which may be nil, after every simulation and
// every batch. The root is always evaluated, and no leaf stays pending.
func (s *Search) RunUntil(b *Batcher, stop func() bool) {
	for {
		if !s.Step(b) { // done, or waiting for Flush
			if s.pending == 0 {
				return
			}
			b.Flush()
		}
		if stop != nil && s.tree.nodes[root].evaluated && stop() {
			break
		}
	}
	b.Flush()
	s.backUpRound()
}

// Step does at most one simulation: it selects a leaf and expands it. A proven leaf is backed up at once. Any other joins
// the current round and, unless its evaluation is cached, the pending leaves of b. Step returns false, and does nothing,
// if the search is done or must wait for [Batcher.Flush].
//
// A round takes up to Config.PendingLeaves leaves. They are backed up together and in order, cached ones too, so the cache
// does not affect results.
func (s *Search) Step(b *Batcher) bool {
	if s.roundClosed || s.roundSize == len(s.round) || s.finished() {
		if s.roundSize == 0 || s.pending > 0 {
			return false
		}
		s.backUpRound()
		return true
	}
	l := &s.round[s.roundSize]
	n := s.simulate(l.state)
	if n == none {
		s.roundClosed = true
		return true
	}
	s.tree.addVirtualVisit(n)
	if n != root {
		s.started++
		if s.cfg.Rule == Gumbel {
			s.halving.countVisit()
		}
		if s.tree.incoming(n).proven() {
			clear(s.classes) // backUp puts the exact class here
			s.tree.backUp(n, s.classes)
			s.done++
			return true
		}
	}
	l.node = n
	s.roundSize++
	if s.lookUp(b, l) {
		return true
	}
	s.pending++
	b.pending = append(b.pending, pendingLeaf{search: s, leaf: s.roundSize - 1, state: l.state})
	return true
}

// simulate follows the tree from the root to a leaf, an unvisited or proven node, which it adds and expands if it is
// new. It leaves the leaf's position in state. It returns none if the path leads to a pending leaf, or if sequential
// halving must first have its pending leaves backed up.
func (s *Search) simulate(state env.State) int32 {
	t := &s.tree
	state.CopyFrom(s.position)
	n := root
	for t.nodes[n].evaluated {
		if !t.nodes[n].hasPriors {
			t.computePriors(n)
		}
		i := s.selectMove(n)
		if i == none {
			return none
		}
		nd := &t.nodes[n]
		if i == nd.numEdges {
			t.addNextEdge(n)
		}
		state.Apply(t.actions[nd.firstMove+i])
		e := &t.edges[nd.firstEdge+i]
		if e.child == none {
			nd.visitedPrior += float64(e.prior)
			child := t.addNode(n, nd.firstEdge+i, state.Player())
			if !e.proven() {
				s.expand(child, state)
			}
			return child
		}
		n = e.child
		if e.proven() {
			return n
		}
	}
	if t.incoming(n).virtualVisits > 0 {
		return none
	}
	return n
}

// selectMove returns the move of node n, which is evaluated and not proven, that the next simulation takes: an index
// into the node's moves (numEdges for the first without an edge), or none, see selectCandidate.
func (s *Search) selectMove(n int32) int32 {
	switch {
	case s.cfg.Rule == PUCT:
		return s.selectPUCT(n)
	case n == root:
		return s.selectCandidate()
	default:
		return s.selectImproved(n)
	}
}

// expand gives node n its legal moves and makes s.scores long enough for them.
func (s *Search) expand(n int32, state env.State) {
	s.tree.expand(n, state, s.reply)
	if count := s.tree.nodes[n].numMoves; len(s.scores) < int(count) {
		s.scores = make([]float64, s.game.NumActions())
	}
}

// lookUp fills in a leaf's evaluation from the cache of b and reports whether it was there. Cached logits are in action
// order.
func (s *Search) lookUp(b *Batcher, l *leaf) bool {
	if b.cache == nil {
		return false
	}
	l.key = l.state.Key()
	e, ok := b.cache.get(&l.key)
	if !ok {
		return false
	}
	b.stats.CacheHits++
	s.places = s.tree.inActionOrder(s.places[:0], l.node)
	for i, place := range s.places {
		s.tree.priors[place] = e.logits[i]
	}
	s.setEvaluation(l, e)
	return true
}

// store puts a leaf's evaluation into the cache of b, with the logits that the tree holds in place of those in e.
func (s *Search) store(b *Batcher, l *leaf, e evaluation) {
	s.places = s.tree.inActionOrder(s.places[:0], l.node)
	s.logits = s.logits[:0]
	for _, place := range s.places {
		s.logits = append(s.logits, s.tree.priors[place])
	}
	e.logits = s.logits
	b.cache.put(&l.key, e)
}

// setEvaluation stores a leaf's evaluation except the logits, which the caller has already put into the tree.
func (s *Search) setEvaluation(l *leaf, e evaluation) {
	if l.node == root {
		s.halving.logits = append(s.halving.logits[:0], s.tree.priorsOf(root)...)
		s.rootClasses = append(s.rootClasses[:0], e.classes...)
		s.rootGoals = append(s.rootGoals[:0], e.goals...)
	}
	s.game.ClassesFor(l.classes, s.tree.nodes[l.node].player, e.classes)
	s.tree.setEvaluation(l.node, l.classes)
}

// receive stores b's evaluation of a pending leaf. After the first evaluation the round takes no more leaves; the last one
// backs it up.
func (s *Search) receive(b *Batcher, p *pendingLeaf, e evaluation) {
	l := &s.round[p.leaf]
	frame := s.game.Frame(s.tree.nodes[l.node].player)
	priors := s.tree.priorsOf(l.node)
	for i, a := range s.tree.actionsOf(l.node) {
		priors[i] = e.logits[frame[a]] // frame[a] is the policy index of action a
	}
	if b.cache != nil {
		s.store(b, l, e)
	}
	s.setEvaluation(l, e)
	s.roundClosed = true
	s.pending--
	if s.pending == 0 {
		s.backUpRound()
	}
}

// backUpRound backs up the leaves of the round, all of which are evaluated.
func (s *Search) backUpRound() {
	for i := range s.round[:s.roundSize] {
		l := &s.round[i]
		if l.node != root {
			s.done++
		}
		s.tree.backUp(l.node, l.classes)
		s.tree.nodes[l.node].evaluated = true
	}
	s.roundSize, s.roundClosed = 0, false
}
