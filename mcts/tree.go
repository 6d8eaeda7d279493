package mcts

import (
	"math"
	"math/bits"
	"slices"

	"ludus/env"
)

// none stands for an index that does not exist.
const none = int32(-1)

// root is the index of the root, both as a node and as the edge that would lead to it.
const root = int32(0)

// node is a position that was visited. What was backed up to it is counted by the edge that leads to it.
type node struct {
	raw          float64 // the network's utility, First's
	mass         float64 // prior of the live moves that have a node
	rest         float64 // prior of the moves without an edge
	parent       int32
	via          int32 // edge from the parent
	first, count int32 // its moves
	edges, made  int32 // the edges of the first so many of them
	lost         int32 // visits of dead moves, those in flight among them
	player       env.Player
	floor        uint8 // the rank that the mover has for certain
	evaluated    bool  // by the network, and backed up
	weighed      bool  // its moves have priors and are in order
}

// edge is a legal move that has been looked at. Its outcome lies between two of First's classes.
type edge struct {
	sum         float64 // of the utilities backed up, First's
	value       float64 // completed value for the mover, once visited or proven
	share       float64 // prior / (1 + visits + flight)
	prior       float32
	visits      int32  // utilities backed up, the evaluation of the child among them
	flight      int32  // simulations through it that wait for an evaluation
	child       int32  // node, none before the first visit
	plies       uint16 // of a proven edge: from the child to the end of the game
	top, bottom uint8  // First's best and worst class still possible
	closed      bool   // not to be selected: dead, or proven at the root
}

func (e *edge) proven() bool { return e.top == e.bottom }

// tree is a search tree in slabs.
//
// The moves of a node lie side by side, and so do its edges, which belong to the first of the moves. At the root all
// moves have an edge and ascend by action. Elsewhere a move gets its edge when it ends the game, or when it is first
// selected, which happens in the order of the priors: first come the moves with edges; then the next one to be
// selected; then the others, ascending by action. A node has room for a power of two of edges and moves them when it
// needs more, so that what was not searched takes no memory and a small tree lies close together.
type tree struct {
	utility []float64 // of First's classes [K], falling
	nodes   []node
	actions []env.Action // of all moves
	priors  []float32    // of all moves: their logits at first, then the softmax of those
	edges   []edge       // the first one leads to the root
	classes []float32    // [nodes, K] sums of First's class probabilities backed up
	news    bool         // bounds have changed
	endings []env.Ending // scratch
}

// reset empties the tree but for a root without moves.
func (t *tree) reset(player env.Player) {
	t.nodes, t.actions, t.priors, t.edges, t.classes = t.nodes[:0], t.actions[:0], t.priors[:0], t.edges[:0], t.classes[:0]
	t.edges = append(t.edges, edge{prior: 1, bottom: t.worst()})
	t.add(none, root, player)
	t.news = true
}

// worst is First's worst class.
func (t *tree) worst() uint8 { return uint8(len(t.utility) - 1) }

// add appends a node without moves at the end of an edge.
func (t *tree) add(parent, via int32, player env.Player) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{parent: parent, via: via, player: player, floor: t.worst()})
	for range t.utility {
		t.classes = append(t.classes, 0)
	}
	t.edges[via].child = n
	return n
}

// extend lengthens s by n entries of any value.
func extend[T any](s []T, n int) []T { return slices.Grow(s, n)[:len(s)+n] }

// edgesOf returns the edges of node n, valid until the next expansion.
func (t *tree) edgesOf(n int32) []edge {
	nd := &t.nodes[n]
	return t.edges[nd.edges : nd.edges+nd.made]
}

// actionsOf and priorsOf return what belongs to all moves of node n, valid until the next expansion.
func (t *tree) actionsOf(n int32) []env.Action {
	nd := &t.nodes[n]
	return t.actions[nd.first : nd.first+nd.count]
}

func (t *tree) priorsOf(n int32) []float32 {
	nd := &t.nodes[n]
	return t.priors[nd.first : nd.first+nd.count]
}

// into returns the edge that leads to node n.
func (t *tree) into(n int32) *edge { return &t.edges[t.nodes[n].via] }

// expand gives node n, at the given position, its legal moves. Those that end the game have their edges and exact bounds
// at once, and what follows from them is passed on to the root.
func (t *tree) expand(n int32, state env.State) {
	first := int32(len(t.actions))
	t.actions = state.Legal(t.actions)
	count := int32(len(t.actions)) - first
	t.priors = extend(t.priors, int(count))
	nd := &t.nodes[n]
	nd.first, nd.count, nd.edges = first, count, int32(len(t.edges))
	if n == root {
		t.makeAll()
	}
	t.endings = state.Endings(t.endings[:0])
	if len(t.endings) == 0 {
		return
	}
	i := int32(0)
	for _, ending := range t.endings {
		for t.actions[first+i] != ending.Action {
			i++
		}
		var e *edge
		if n == root {
			e = &t.edges[nd.edges+i]
		} else {
			e = t.makeEdge(n, i)
		}
		e.top, e.bottom = uint8(ending.Outcome), uint8(ending.Outcome)
		t.settle(e, nd.player)
		i++
	}
	t.prove(n)
}

// makeEdge gives move i of node n, one without, an edge.
func (t *tree) makeEdge(n, i int32) *edge {
	nd := &t.nodes[n]
	if int(nd.made) == room(nd.made) {
		t.moveEdges(n, room(nd.made+1))
	}
	place := nd.first + nd.made
	t.rotate(place, nd.first+i)
	e := &t.edges[nd.edges+nd.made]
	*e = edge{prior: t.priors[place], share: float64(t.priors[place]), child: none, bottom: t.worst()}
	nd.made++
	return e
}

// room is how many edges the node has memory for that has so many.
func room(made int32) int {
	if made == 0 {
		return 0
	}
	return 1 << bits.Len32(uint32(made-1))
}

// moveEdges gives node n new room for its edges.
func (t *tree) moveEdges(n int32, room int) {
	nd := &t.nodes[n]
	from, to := nd.edges, int32(len(t.edges))
	t.edges = extend(t.edges, room)
	nd.edges = to
	for i := range nd.made {
		t.edges[to+i] = t.edges[from+i]
		if child := t.edges[to+i].child; child != none {
			t.nodes[child].via = to + i
		}
	}
}

// rotate takes a move to an earlier place and shifts those between.
func (t *tree) rotate(to, from int32) {
	if to == from {
		return
	}
	action, prior := t.actions[from], t.priors[from]
	copy(t.actions[to+1:from+1], t.actions[to:from])
	copy(t.priors[to+1:from+1], t.priors[to:from])
	t.actions[to], t.priors[to] = action, prior
}

// next gives the next move of node n an edge and lines another one up.
func (t *tree) next(n int32) {
	nd := &t.nodes[n]
	e := t.makeEdge(n, nd.made)
	nd.rest -= float64(e.prior)
	if nd.rest < 1e-6 { // too little is left of a difference
		nd.rest = total(t.priors[nd.first+nd.made : nd.first+nd.count])
	}
	t.lineUp(n, e.prior)
}

func total(priors []float32) (sum float64) {
	for _, p := range priors {
		sum += float64(p)
	}
	return sum
}

// lineUp brings the likeliest of node n's moves without an edge, the first of equal ones, to their front. None has a
// prior above the bound.
func (t *tree) lineUp(n int32, bound float32) {
	nd := &t.nodes[n]
	first := nd.first + nd.made
	priors := t.priors[first : nd.first+nd.count]
	best := 0
	for i, p := range priors {
		if p == bound {
			best = i
			break
		}
		if p > priors[best] {
			best = i
		}
	}
	if best > 0 {
		t.rotate(first, first+int32(best))
	}
}

// ascends reports whether the moves of node n, which was not judged yet, ascend by action: nothing was put before others.
func (t *tree) ascends(n int32) bool {
	nd := &t.nodes[n]
	return nd.made == 0 || nd.made == nd.count
}

// ascending appends the places of node n's moves to dst by ascending action. The node was not judged yet, so that both
// the moves with edges and the others ascend.
func (t *tree) ascending(dst []int32, n int32) []int32 {
	nd := &t.nodes[n]
	i, j := nd.first, nd.first+nd.made
	for end := nd.first + nd.count; i < nd.first+nd.made || j < end; {
		if j == end || i < nd.first+nd.made && t.actions[i] < t.actions[j] {
			dst = append(dst, i)
			i++
		} else {
			dst = append(dst, j)
			j++
		}
	}
	return dst
}

// ranks are the best and the worst outcome of e still possible, as classes of player p: 0 is p's best.
func (t *tree) ranks(e *edge, p env.Player) (best, worst uint8) {
	if p == env.First {
		return e.top, e.bottom
	}
	return t.worst() - e.bottom, t.worst() - e.top
}

// open reports whether a move can still turn out better than the floor of its node.
func (t *tree) open(e *edge, p env.Player, floor uint8) bool {
	best, _ := t.ranks(e, p)
	return best < floor
}

// live reports whether a move is open or is known to give the floor. Other moves are dead: they cannot beat a sibling.
// Every node has a live move, and every unproven node an open one; a move without an edge is open there.
func (t *tree) live(e *edge, p env.Player, floor uint8) bool {
	best, worst := t.ranks(e, p)
	return best < floor || worst == floor
}

// prove passes the bounds of node n's moves on towards the root, as far as they change anything. The mover takes the
// better of its moves: both its best and its worst case are the least ranks among them.
func (t *tree) prove(n int32) {
	t.news = true
	for n != none {
		nd := &t.nodes[n]
		edges := t.edgesOf(n)
		best, worst := t.worst(), t.worst()
		for i := range edges {
			b, w := t.ranks(&edges[i], nd.player)
			best, worst = min(best, b), min(worst, w)
		}
		if nd.made < nd.count {
			best = 0
		}
		nd.floor = worst
		t.close(n)
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
		if n = nd.parent; n != none {
			t.settle(e, t.nodes[n].player)
		}
	}
}

// close notes which of node n's moves are dead or, at the root, proven.
func (t *tree) close(n int32) {
	nd := &t.nodes[n]
	nd.lost, nd.mass = 0, 0
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		live := t.live(e, nd.player, nd.floor)
		e.closed = !live || n == root && e.proven()
		switch {
		case !live:
			nd.lost += e.visits + e.flight
		case e.child != none:
			nd.mass += float64(e.prior)
		}
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
		case e.visits != c.visits:
			if e.visits > c.visits {
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

// completed is First's utility of a move: the mean of what was backed up, or mix where it was not visited, clamped to
// the move's bounds.
func (t *tree) completed(e *edge, mix float64) float64 {
	value := mix
	if e.visits > 0 {
		value = e.sum / float64(e.visits)
	}
	return min(max(value, t.utility[e.bottom]), t.utility[e.top])
}

// estimate is completed for the mover, whose sign is given.
func (t *tree) estimate(e *edge, sign, mix float64) float64 {
	if e.visits > 0 {
		return e.value
	}
	return sign * t.completed(e, mix)
}

// settle sets the value of an edge that was visited or proven, for player p, its mover.
func (t *tree) settle(e *edge, p env.Player) { e.value = t.sign(p) * t.completed(e, 0) }

// standing sums up the live moves of a node.
type standing struct {
	visits int32   // of all live moves
	flight int32   // of all live moves
	most   int32   // visits of the most visited one
	mix    float64 // v_mix, First's utility
}

// standing sums up the live moves of an evaluated node.
func (t *tree) standing(n int32) standing {
	nd := &t.nodes[n]
	var st standing
	var visited, weighted float64 // for the mover
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.child == none || !t.live(e, nd.player, nd.floor) {
			continue
		}
		st.visits += e.visits
		st.flight += e.flight
		st.most = max(st.most, e.visits)
		if e.visits > 0 {
			p := float64(e.prior)
			visited += p
			weighted += p * e.value
		}
	}
	st.mix = nd.raw
	if visited > 0 {
		N := float64(st.visits)
		st.mix = (nd.raw + t.sign(nd.player)*N*weighted/visited) / (1 + N)
	}
	return st
}

// leastLogit is how far a logit may lie below the largest of its siblings; it is raised to that. Thus a prior is a
// normal number and a visited move weighs something.
const leastLogit = -80

// judge gives node n an evaluation: its mover's class probabilities, which it writes into dst as First's. The logits of
// its moves stand where their priors will be.
func (t *tree) judge(n int32, classes, dst []float32) {
	nd := &t.nodes[n]
	for k, p := range classes {
		if nd.player == env.Second {
			k = len(classes) - 1 - k
		}
		dst[k] = p
	}
	nd.raw = t.value(dst)
	if math.IsNaN(nd.raw) {
		panic("mcts: the evaluation is not a number")
	}
	if n == root {
		t.weigh(n)
	}
}

// weigh turns the logits of node n's moves into priors, which most nodes never need, being leaves.
func (t *tree) weigh(n int32) {
	nd := &t.nodes[n]
	nd.weighed = true
	priors := t.priorsOf(n)
	if softmax(priors); priors[0] != priors[0] {
		panic("mcts: the evaluation is not a number")
	}
	edges := t.edgesOf(n)
	for i := range edges {
		edges[i].prior, edges[i].share = priors[i], float64(priors[i])
	}
	nd.rest = total(priors[nd.made:])
	t.lineUp(n, 1)
}

// softmax turns logits into probabilities. All are NaN if a logit is.
func softmax(x []float32) {
	most, even := x[0], x[0]-x[0] == 0
	for _, l := range x {
		if l > most {
			most = l
		}
		if l != x[0] {
			even = false
		}
	}
	if even {
		for i := range x {
			x[i] = float32(1 / float64(len(x)))
		}
		return
	}
	var sum float64
	for i, l := range x {
		x[i] = float32(math.Exp(float64(max(l-most, leastLogit))))
		sum += float64(x[i])
	}
	scale := 1 / sum
	for i, p := range x {
		x[i] = float32(float64(p) * scale)
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
	for n != none {
		nd := &t.nodes[n]
		e := &t.edges[nd.via]
		e.flight++
		e.share = float64(e.prior) / float64(1+e.visits+e.flight)
		if e.closed { // by what this simulation found
			t.close(nd.parent)
		}
		n = nd.parent
	}
}

// land backs First's class probabilities up from node n, where its simulation is no longer in flight. From a proven
// node on the exact outcome takes their place; classes is overwritten.
func (t *tree) land(n int32, classes []float32) {
	value := t.value(classes)
	for n != none {
		nd := &t.nodes[n]
		e := &t.edges[nd.via]
		if e.proven() {
			value = t.utility[e.top]
			clear(classes)
			classes[e.top] = 1
		}
		e.flight--
		e.visits++
		e.sum += value
		sums := t.sums(n)
		for k, p := range classes {
			sums[k] += p
		}
		if n = nd.parent; n != none {
			t.settle(e, t.nodes[n].player)
		}
	}
}

// sums are the sums [K] of First's class probabilities backed up to node n.
func (t *tree) sums(n int32) []float32 {
	K := len(t.utility)
	return t.classes[int(n)*K : int(n+1)*K]
}

// copySubtree makes t a copy of what lies below node n of src, n becoming the root.
func (t *tree) copySubtree(src *tree, n int32) {
	t.nodes, t.actions, t.priors, t.edges, t.classes = t.nodes[:0], t.actions[:0], t.priors[:0], t.edges[:0], t.classes[:0]
	if nd := &src.nodes[n]; nd.evaluated && !nd.weighed {
		src.weigh(n)
	}
	t.edges = append(t.edges, *src.into(n))
	t.edges[root].closed = false
	t.graft(src, n, none, root)
	for i := int32(0); i < int32(len(t.nodes)); i++ {
		nd := t.nodes[i] // still that of src but for its parent
		t.nodes[i].first, t.nodes[i].edges = int32(len(t.actions)), int32(len(t.edges))
		t.actions = append(t.actions, src.actions[nd.first:nd.first+nd.count]...)
		t.priors = append(t.priors, src.priors[nd.first:nd.first+nd.count]...)
		t.edges = append(t.edges, src.edges[nd.edges:nd.edges+nd.made]...)
		if i == root {
			t.makeAll()
		} else {
			t.edges = extend(t.edges, room(nd.made)-int(nd.made))
		}
		for j := range t.edgesOf(i) {
			via := t.nodes[i].edges + int32(j)
			if child := t.edges[via].child; child != none {
				t.graft(src, child, i, via)
			}
		}
	}
	t.news = true
}

// graft copies node n of src to the end of edge via.
func (t *tree) graft(src *tree, n, parent, via int32) {
	t.edges[via].child = int32(len(t.nodes))
	nd := src.nodes[n]
	nd.parent, nd.via = parent, via
	t.nodes = append(t.nodes, nd)
	t.classes = append(t.classes, src.sums(n)...)
}

// makeAll gives all moves of the root, whose edges are the last ones, an edge and sorts them by action.
func (t *tree) makeAll() {
	nd := &t.nodes[root]
	for _, p := range t.priors[nd.first+nd.made : nd.first+nd.count] {
		t.edges = append(t.edges, edge{prior: p, share: float64(p), child: none, bottom: t.worst()})
	}
	nd.made, nd.rest = nd.count, 0
	actions, priors, edges := t.actionsOf(root), t.priorsOf(root), t.edgesOf(root)
	for i := range actions {
		for j := i; j > 0 && actions[j] < actions[j-1]; j-- {
			actions[j], actions[j-1] = actions[j-1], actions[j]
			priors[j], priors[j-1] = priors[j-1], priors[j]
			edges[j], edges[j-1] = edges[j-1], edges[j]
		}
	}
	t.close(root)
}
