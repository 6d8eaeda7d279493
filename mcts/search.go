package mcts

import (
	"math/rand/v2"

	"ludus/env"
)

// Search is a search of one position. It has one owner and is reused from position to position: [Search.Start] keeps
// the memory, and a warm search allocates nothing.
type Search struct {
	game  *env.Game
	cfg   Config
	cache *Cache // or nil

	position env.State // the root's
	logits   []float32 // of the legal moves of a leaf, ascending by action
	places   []int32   // where they stand in the tree
	scores   []float64 // [moves of a node]
	dist     []float32 // [K]
	bonuses  []float64 // of PUCT, by N

	tree, spare tree // spare is what Advance copies into

	selfPlay      bool
	settled       bool // decided, as far as the tree had no news since
	budget        int  // simulations asked for
	started, done int  // simulations selected and backed up
	halving       halving

	slots   []slot
	taken   int  // slots of this round
	waiting int  // those of them that wait for an evaluation
	closed  bool // no further selection in this round

	batch batch // of Run

	moves       []Move
	moveClasses []float32 // [moves, K]
}

// slot is a leaf in flight.
type slot struct {
	state   env.State
	key     env.Key
	node    int32
	waiting bool
	classes []float32 // [K] First's, once evaluated
}

// New returns a search for a game. The cache may be nil; otherwise it is shared by the searches of one goroutine. New
// panics if the configuration is not valid.
func New(game *env.Game, cfg Config, cache *Cache) *Search {
	if cfg.Validate() != nil {
		panic("mcts: invalid configuration")
	}
	K := len(game.Classes)
	s := &Search{game: game, cfg: cfg, cache: cache, dist: make([]float32, K)}
	s.position = game.NewState()
	for _, c := range game.Classes {
		s.tree.utility = append(s.tree.utility, float64(c.Utility))
	}
	s.spare.utility = s.tree.utility
	s.slots = make([]slot, cfg.Leaves)
	for i := range s.slots {
		s.slots[i].state = game.NewState()
		s.slots[i].classes = make([]float32, K)
	}
	if cfg.Rule == PUCT {
		s.bonuses = cfg.bonuses()
	}
	s.tree.reset(env.First)
	return s
}

// Start begins a search of a position that is not done, with an empty tree and a number of simulations; the evaluation
// of the root itself is not one of them, so that 0 is allowed. The state is not retained.
//
// A generator makes it a search of self-play: the Gumbel rule draws its noise from it, at once, one number for each
// legal move (PUCT draws none), and the search ends as soon as the best move is certain. With nil there is no noise, and
// a root where no more is certain than the worst outcome uses its simulations up.
func (s *Search) Start(state env.State, simulations int, rng *rand.Rand) {
	if state.Done() {
		panic("mcts: Start from a finished game")
	}
	s.position.CopyFrom(state)
	s.selfPlay = rng != nil
	s.plant()
	if s.cfg.Rule == Gumbel {
		s.halving.draw(len(s.tree.edgesOf(root)), rng)
	}
	s.begin(simulations)
}

// plant makes an empty tree at the search's position.
func (s *Search) plant() {
	s.tree.reset(s.position.Player())
	s.expand(root, s.position)
}

// begin opens a budget.
func (s *Search) begin(simulations int) {
	if simulations < 0 {
		panic("mcts: negative number of simulations")
	}
	s.budget, s.started, s.done = simulations, 0, 0
	s.taken, s.waiting, s.closed = 0, 0, false
	s.halving.begin()
}

// Advance plays a legal action at the root, by whichever player, and keeps the part of the tree below it. Until
// [Search.Continue] gives the search new simulations it has none. The rule must be PUCT, since visits of an earlier
// search break the halving, and no leaf may be in flight.
func (s *Search) Advance(a env.Action) {
	if s.cfg.Rule != PUCT {
		panic("mcts: Advance needs the PUCT rule")
	}
	if s.taken > 0 {
		panic("mcts: Advance with leaves in flight")
	}
	child := s.edgeOf(a).child
	s.position.Apply(a)
	s.begin(0)
	switch {
	case s.position.Done():
		s.tree.reset(s.position.Player())
	case child == none || s.tree.nodes[child].count == 0:
		s.plant()
	default:
		s.spare.copySubtree(&s.tree, child)
		s.tree, s.spare = s.spare, s.tree
	}
}

// edgeOf returns the root's edge of a legal action.
func (s *Search) edgeOf(a env.Action) *edge {
	edges := s.tree.edgesOf(root)
	for i := range edges {
		if s.tree.actionsOf(root)[i] == a {
			return &edges[i]
		}
	}
	panic("mcts: the action is not legal at the root")
}

// Continue gives the search simulations beyond those that its tree holds.
func (s *Search) Continue(simulations int) {
	if s.position.Done() {
		panic("mcts: Continue in a finished game")
	}
	if s.taken > 0 {
		panic("mcts: Continue with leaves in flight")
	}
	s.begin(simulations)
}

// Simulations is the number of simulations done since Start or Continue. What an earlier search left in the tree is
// not counted.
func (s *Search) Simulations() int { return s.done }

// Done reports whether the search has ended: its simulations are used up, or the best move is certain.
func (s *Search) Done() bool { return s.taken == 0 && s.finished() }

// finished reports whether no simulation should start any more.
func (s *Search) finished() bool {
	return s.tree.nodes[root].evaluated && (s.started >= s.budget || s.decided())
}

// decided reports whether searching on cannot change the choice: the root is proven, or one move's worst is at least
// every other's best. Outside self-play it is not enough that all other moves are lost, as the last one may be lost as
// well, and sooner.
func (s *Search) decided() bool {
	if s.tree.news {
		s.tree.news, s.settled = false, s.decide()
	}
	return s.settled
}

func (s *Search) decide() bool {
	t := &s.tree
	if t.edges[root].proven() {
		return true
	}
	i := s.certain()
	if i < 0 {
		return false
	}
	p := t.nodes[root].player
	_, worst := t.ranks(&t.edgesOf(root)[i], p)
	return s.selfPlay || worst < t.worst()
}

// certain returns the root's move whose worst is at least every other's best, or -1.
func (s *Search) certain() int {
	t := &s.tree
	p, floor := t.nodes[root].player, t.nodes[root].floor
	chosen, least := -1, t.worst()
	edges := t.edgesOf(root)
	for i := range edges {
		best, worst := t.ranks(&edges[i], p)
		if worst == floor && (chosen < 0 || best < least) {
			chosen, least = i, best
		}
	}
	for i := range edges {
		if i != chosen && t.open(&edges[i], p, floor) {
			return -1
		}
	}
	return chosen
}

// Select walks to the next leaf that the network must judge and returns its number, to be given to [Search.Leaf] and
// [Search.Backup]. Simulations that need no evaluation are done on the way. It returns false when there is nothing to
// select before the leaves in flight are backed up, or when the search is done.
func (s *Search) Select() (leaf int, ok bool) {
	for {
		leaf, progress := s.Step()
		if progress != Stepped {
			return leaf, progress == Selected
		}
	}
}

// Progress says what a step has done.
type Progress uint8

const (
	Stepped  Progress = iota // something that needs no evaluation
	Selected                 // a leaf, which waits for its evaluation
	Blocked                  // nothing: leaves in flight must be backed up first, or the search is done
)

// Step does at most one simulation of [Search.Select], so that a caller can look up from a long search in between. The leaf
// is one only where it is selected.
func (s *Search) Step() (leaf int, progress Progress) {
	progress = s.step()
	return s.taken - 1, progress
}

// step does at most one simulation. Leaves are selected in rounds of up to cfg.Leaves, and all leaves of a round are
// backed up together, in their order, those found in the cache as well: what the cache holds changes nothing.
func (s *Search) step() Progress {
	if s.closed || s.taken == len(s.slots) || s.finished() {
		if s.taken == 0 || s.waiting > 0 {
			return Blocked
		}
		s.flush()
		return Stepped
	}
	slot := &s.slots[s.taken]
	n := s.descend(slot.state)
	if n == none {
		s.closed = true
		return Stepped
	}
	s.tree.launch(n)
	if n != root {
		s.started++
		if s.cfg.Rule == Gumbel {
			s.halving.advance()
		}
		if s.tree.into(n).proven() {
			clear(s.dist)
			s.tree.land(n, s.dist)
			s.done++
			return Stepped
		}
	}
	slot.node = n
	s.taken++
	if s.recall(slot) {
		return Stepped
	}
	slot.waiting = true
	s.waiting++
	return Selected
}

// descend plays from the root to a leaf, which it leaves in state: a node not yet visited, or a proven one. It returns
// none where the way leads to a leaf in flight.
func (s *Search) descend(state env.State) int32 {
	t := &s.tree
	state.CopyFrom(s.position)
	n := root
	for t.nodes[n].evaluated {
		if !t.nodes[n].weighed {
			t.weigh(n)
		}
		i := s.pick(n)
		if i == none {
			return none
		}
		nd := &t.nodes[n]
		if i == nd.made {
			t.next(n)
		}
		state.Apply(t.actions[nd.first+i])
		e := &t.edges[nd.edges+i]
		if e.child == none {
			nd.mass += float64(e.prior)
			child := t.add(n, nd.edges+i, state.Player())
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
	if t.into(n).flight > 0 {
		return none
	}
	return n
}

// pick returns which of the moves of node n, an evaluated and unproven one, a simulation takes.
func (s *Search) pick(n int32) int32 {
	switch {
	case s.cfg.Rule == PUCT:
		return s.pickPUCT(n)
	case n == root:
		return s.pickCandidate()
	default:
		return s.pickImproved(n)
	}
}

func (s *Search) expand(n int32, state env.State) {
	s.tree.expand(n, state)
	if count := s.tree.nodes[n].count; len(s.scores) < int(count) {
		s.scores = make([]float64, s.game.NumActions())
	}
}

// recall evaluates a slot from the cache, if that is possible.
func (s *Search) recall(slot *slot) bool {
	if s.cache == nil {
		return false
	}
	slot.key = slot.state.Key()
	logits, classes, ok := s.cache.get(&slot.key)
	if !ok {
		return false
	}
	if s.tree.ascends(slot.node) {
		copy(s.tree.priorsOf(slot.node), logits)
	} else {
		s.places = s.tree.ascending(s.places[:0], slot.node)
		for i, place := range s.places {
			s.tree.priors[place] = logits[i]
		}
	}
	s.judge(slot, classes)
	return true
}

// remember puts the evaluation of a slot into the cache; the logits stand in the tree.
func (s *Search) remember(slot *slot, classes []float32) {
	if s.tree.ascends(slot.node) {
		s.cache.put(&slot.key, s.tree.priorsOf(slot.node), classes)
		return
	}
	s.places = s.tree.ascending(s.places[:0], slot.node)
	s.logits = s.logits[:0]
	for _, place := range s.places {
		s.logits = append(s.logits, s.tree.priors[place])
	}
	s.cache.put(&slot.key, s.logits, classes)
}

// judge evaluates a slot, the logits of which stand in the tree.
func (s *Search) judge(slot *slot, classes []float32) {
	if slot.node == root {
		s.halving.judge(s.tree.priorsOf(root))
	}
	s.game.ClassesFor(slot.classes, s.tree.nodes[slot.node].player, classes)
	s.tree.judge(slot.node, slot.classes)
}

// Leaf returns the position of a selected leaf. It belongs to the search and lasts until the leaf is backed up.
func (s *Search) Leaf(leaf int) env.State { return s.slots[leaf].state }

// Backup gives a selected leaf its evaluation: unmasked logits [A] and class probabilities [K], both in the frame of
// the leaf's mover. Leaves may be backed up in any order; from the first one on, no more are selected until all are.
func (s *Search) Backup(leaf int, logits, classes []float32) {
	slot := &s.slots[leaf]
	if leaf >= s.taken || !slot.waiting {
		panic("mcts: Backup of a leaf that is not waiting")
	}
	if len(logits) != s.game.NumActions() || len(classes) != len(slot.classes) {
		panic("mcts: Backup with an evaluation of the wrong shape")
	}
	nd := &s.tree.nodes[slot.node]
	frame := s.game.Frame(nd.player)
	priors := s.tree.priorsOf(slot.node)
	for i, a := range s.tree.actionsOf(slot.node) {
		priors[i] = logits[frame[a]]
	}
	if s.cache != nil {
		s.remember(slot, classes)
	}
	s.judge(slot, classes)
	slot.waiting, s.closed = false, true
	s.waiting--
	if s.waiting == 0 {
		s.flush()
	}
}

// flush backs up the leaves of a round.
func (s *Search) flush() {
	for i := range s.slots[:s.taken] {
		slot := &s.slots[i]
		if slot.node != root {
			s.done++
		}
		s.tree.land(slot.node, slot.classes)
		s.tree.nodes[slot.node].evaluated = true
	}
	s.taken, s.closed = 0, false
}
