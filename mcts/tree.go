package mcts

import (
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
	actions []env.Action         // of all moves
	priors  []float32            // of all moves: their logits at first, then the softmax of those
	edges   []edge               // the first one leads to the root
	classes []float32            // [nodes, K] sums of First's class probabilities backed up
	news    bool                 // bounds have changed
	endings []env.TerminalAction // scratch
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
	t.endings = state.TerminalActions(t.endings[:0])
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
