package mcts

import (
	"math"

	"ludus/env"
)

// none stands for an index that does not exist.
const none = int32(-1)

// root is the index of the root, both as a node and as the edge that would lead to it.
const root = int32(0)

// node is a position that was visited. All its values are for First.
type node struct {
	sum          float64 // of the utilities backed up
	raw          float64 // the network's utility
	parent       int32
	via          int32 // edge from the parent
	first, count int32 // its edges
	visits       int32 // utilities backed up, its own evaluation among them
	flight       int32 // simulations below that wait for an evaluation
	player       env.Player
	evaluated    bool // by the network, and backed up
}

// edge is a legal move. Its outcome lies between two of First's classes.
type edge struct {
	action      env.Action
	child       int32   // node, none before the first visit
	logit       float32 // less the largest of its siblings
	prior       float32 // softmax of the logits
	plies       uint16  // of a proven edge: from the child to the end of the game
	top, bottom uint8   // First's best and worst class still possible
}

func (e *edge) proven() bool { return e.top == e.bottom }

// tree is a search tree in three slabs.
type tree struct {
	utility []float64 // of First's classes [K], falling
	nodes   []node
	edges   []edge    // the edges of one node lie side by side, ascending by action; the first one leads to the root
	classes []float32 // [nodes, K] sums of First's class probabilities backed up
}

// reset empties the tree but for a root without moves.
func (t *tree) reset(player env.Player) {
	t.nodes, t.edges, t.classes = t.nodes[:0], t.edges[:0], t.classes[:0]
	t.edges = append(t.edges, edge{bottom: t.worst()})
	t.add(none, root, player)
}

// worst is First's worst class.
func (t *tree) worst() uint8 { return uint8(len(t.utility) - 1) }

// add appends a node without moves at the end of an edge.
func (t *tree) add(parent, via int32, player env.Player) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{parent: parent, via: via, player: player})
	for range t.utility {
		t.classes = append(t.classes, 0)
	}
	t.edges[via].child = n
	return n
}

// edgesOf returns the moves of node n, valid until the next expansion.
func (t *tree) edgesOf(n int32) []edge {
	nd := &t.nodes[n]
	return t.edges[nd.first : nd.first+nd.count]
}

// into returns the edge that leads to node n.
func (t *tree) into(n int32) *edge { return &t.edges[t.nodes[n].via] }

// expand gives node n, at the given position, its legal moves, and plays each once on scratch to see whether it ends
// the game. The bounds that follow are passed on to the root.
func (t *tree) expand(n int32, state, scratch env.State, legal []env.Action) {
	t.nodes[n].first, t.nodes[n].count = int32(len(t.edges)), int32(len(legal))
	for _, a := range legal {
		e := edge{action: a, child: none, bottom: t.worst()}
		scratch.CopyFrom(state)
		scratch.Apply(a)
		if scratch.Done() {
			e.top = uint8(scratch.Outcome())
			e.bottom = e.top
		}
		t.edges = append(t.edges, e)
	}
	t.prove(n)
}

// ranks are the best and the worst outcome of e still possible, as classes of player p: 0 is p's best.
func (t *tree) ranks(e *edge, p env.Player) (best, worst uint8) {
	if p == env.First {
		return e.top, e.bottom
	}
	return t.worst() - e.bottom, t.worst() - e.top
}

// floor is the rank that the mover of a node has for certain: the least of its moves' worst.
func (t *tree) floor(n int32) uint8 {
	floor, p, edges := t.worst(), t.nodes[n].player, t.edgesOf(n)
	for i := range edges {
		_, worst := t.ranks(&edges[i], p)
		floor = min(floor, worst)
	}
	return floor
}

// open reports whether a move can still turn out better than the floor of its node.
func (t *tree) open(e *edge, p env.Player, floor uint8) bool {
	best, _ := t.ranks(e, p)
	return best < floor
}

// live reports whether a move is open or is known to give the floor. Other moves are dead: they cannot beat a sibling.
// Every node has a live move, and every unproven node an open one.
func (t *tree) live(e *edge, p env.Player, floor uint8) bool {
	best, worst := t.ranks(e, p)
	return best < floor || worst == floor
}

// prove passes the bounds of node n's moves on towards the root, as far as they change anything. The mover takes the
// better of its moves: both its best and its worst case are the least ranks among them.
func (t *tree) prove(n int32) {
	for n != none {
		nd := &t.nodes[n]
		edges := t.edgesOf(n)
		best, worst := t.worst(), t.worst()
		for i := range edges {
			b, w := t.ranks(&edges[i], nd.player)
			best, worst = min(best, b), min(worst, w)
		}
		bounds := edge{top: best, bottom: worst}
		if nd.player == env.Second {
			bounds.top, bounds.bottom = t.worst()-worst, t.worst()-best
		}
		if bounds.proven() {
			bounds.plies = 1 + edges[t.exact(n, bounds.top)].plies
		}
		e := &t.edges[nd.via]
		if e.top == bounds.top && e.bottom == bounds.bottom && e.plies == bounds.plies {
			return
		}
		e.top, e.bottom, e.plies = bounds.top, bounds.bottom, bounds.plies
		n = nd.parent
	}
}

// exact returns which of node n's moves, proven to give the class, its mover prefers: the quickest win, the slowest of
// anything else, then the most visited, then the likeliest by prior.
func (t *tree) exact(n int32, class uint8) int {
	edges, p := t.edgesOf(n), t.nodes[n].player
	winning := t.sign(p)*t.utility[class] > 0
	chosen := -1
	for i := range edges {
		e := &edges[i]
		if !e.proven() || e.top != class {
			continue
		}
		if chosen < 0 {
			chosen = i
			continue
		}
		c := &edges[chosen]
		switch {
		case e.plies != c.plies:
			if e.plies < c.plies == winning {
				chosen = i
			}
		case t.visits(e) != t.visits(c):
			if t.visits(e) > t.visits(c) {
				chosen = i
			}
		case e.prior > c.prior:
			chosen = i
		}
	}
	return chosen
}

// sign turns First's utility into player p's.
func (t *tree) sign(p env.Player) float64 {
	if p == env.First {
		return 1
	}
	return -1
}

// visits is N(s, a), without what is in flight.
func (t *tree) visits(e *edge) int32 {
	if e.child == none {
		return 0
	}
	return t.nodes[e.child].visits
}

// flight is the number of simulations below e that wait for an evaluation.
func (t *tree) flight(e *edge) int32 {
	if e.child == none {
		return 0
	}
	return t.nodes[e.child].flight
}

// completed is First's utility of a move: the mean of what was backed up, or mix where it was not visited, clamped to
// the move's bounds.
func (t *tree) completed(e *edge, mix float64) float64 {
	value := mix
	if t.visits(e) > 0 {
		c := &t.nodes[e.child]
		value = c.sum / float64(c.visits)
	}
	return min(max(value, t.utility[e.bottom]), t.utility[e.top])
}

// standing sums up the live moves of a node.
type standing struct {
	floor  uint8
	visits int32   // of all live moves
	flight int32   // of all live moves
	most   int32   // visits of the most visited one
	mass   float64 // prior of those visited or in flight
	mix    float64 // v_mix, First's utility
}

// standing sums up the live moves of an evaluated node.
func (t *tree) standing(n int32) standing {
	nd := &t.nodes[n]
	st := standing{floor: t.floor(n)}
	var visited, weighted float64
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.child == none || !t.live(e, nd.player, st.floor) {
			continue
		}
		c := &t.nodes[e.child]
		st.visits += c.visits
		st.flight += c.flight
		st.most = max(st.most, c.visits)
		p := max(float64(e.prior), math.SmallestNonzeroFloat32) // a visited move weighs something
		st.mass += p
		if c.visits > 0 {
			visited += p
			weighted += p * t.completed(e, 0)
		}
	}
	st.mix = nd.raw
	if visited > 0 {
		N := float64(st.visits)
		st.mix = (nd.raw + N*weighted/visited) / (1 + N)
	}
	return st
}

// judge gives node n an evaluation: logits of its legal moves, and its mover's class probabilities, which it writes
// into dst as First's.
func (t *tree) judge(n int32, logits, classes, dst []float32) {
	nd := &t.nodes[n]
	for k, p := range classes {
		if nd.player == env.Second {
			k = len(classes) - 1 - k
		}
		dst[k] = p
	}
	nd.raw = t.value(dst)
	most := logits[0]
	for _, l := range logits {
		most = max(most, l)
	}
	var sum float64
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		e.logit = logits[i] - most
		e.prior = float32(math.Exp(float64(e.logit)))
		sum += float64(e.prior)
	}
	if math.IsNaN(sum) || math.IsNaN(nd.raw) {
		panic("mcts: the evaluation is not a number")
	}
	for i := range edges {
		edges[i].prior = float32(float64(edges[i].prior) / sum)
	}
}

// value is First's utility of First's class probabilities. Opposite classes have opposite utilities, so that it is
// sum_{k < K/2} u_k (p_k - p_{K-1-k}), exactly 0 where the two players stand alike.
func (t *tree) value(classes []float32) float64 {
	var v float64
	for k := range len(classes) / 2 {
		v += t.utility[k] * (float64(classes[k]) - float64(classes[len(classes)-1-k]))
	}
	return v
}

// launch counts a simulation to node n as in flight.
func (t *tree) launch(n int32) {
	for ; n != none; n = t.nodes[n].parent {
		t.nodes[n].flight++
	}
}

// land backs First's class probabilities up from node n, where its simulation is no longer in flight. From a proven
// node on the exact outcome takes their place; classes is overwritten.
func (t *tree) land(n int32, classes []float32) {
	value := t.value(classes)
	for n != none {
		nd := &t.nodes[n]
		if e := &t.edges[nd.via]; e.proven() {
			value = t.utility[e.top]
			clear(classes)
			classes[e.top] = 1
		}
		nd.flight--
		nd.visits++
		nd.sum += value
		sums := t.sums(n)
		for k, p := range classes {
			sums[k] += p
		}
		n = nd.parent
	}
}

// sums are the sums [K] of First's class probabilities backed up to node n.
func (t *tree) sums(n int32) []float32 {
	K := len(t.utility)
	return t.classes[int(n)*K : int(n+1)*K]
}

// copySubtree makes t a copy of what lies below node n of src, n becoming the root.
func (t *tree) copySubtree(src *tree, n int32) {
	t.nodes, t.edges, t.classes = t.nodes[:0], t.edges[:0], t.classes[:0]
	t.edges = append(t.edges, *src.into(n))
	t.graft(src, n, none, root)
	for i := 0; i < len(t.nodes); i++ {
		nd := t.nodes[i]
		first := int32(len(t.edges))
		t.nodes[i].first = first
		t.edges = append(t.edges, src.edges[nd.first:nd.first+nd.count]...)
		for j := first; j < int32(len(t.edges)); j++ {
			if child := t.edges[j].child; child != none {
				t.graft(src, child, int32(i), j)
			}
		}
	}
}

// graft copies node n of src to the end of edge via.
func (t *tree) graft(src *tree, n, parent, via int32) {
	t.edges[via].child = int32(len(t.nodes))
	nd := src.nodes[n]
	nd.parent, nd.via = parent, via
	t.nodes = append(t.nodes, nd)
	t.classes = append(t.classes, src.sums(n)...)
}
