package mcts

import (
	"math/bits"
	"slices"

	"ludus/env"
)

// none is the index of a node or move that does not exist.
const none = int32(-1)

// root is the index of the root node, and of the edge that leads to it.
const root = int32(0)

// node is a visited position. The edge that leads to it holds its visits and value.
type node struct {
	rawValue        float64 // utility of the network's evaluation, for the first player
	visitedPrior    float64 // sum of the priors of the moves that have a child and are not pruned
	unexpandedPrior float64 // sum of the priors of the moves without an edge
	parent          int32   // index of the parent, or none
	inEdge          int32   // index of the edge from the parent
	firstMove       int32   // index of the first move in tree.actions and tree.priors
	numMoves        int32
	firstEdge       int32 // index of the first edge in tree.edges
	numEdges        int32 // the first numEdges moves have an edge
	prunedVisits    int32 // visits and virtual visits of pruned moves
	player          env.Player
	guaranteed      uint8 // worst class that the player to move gets with the best move so far; 0 is the best class
	evaluated       bool  // the evaluation is backed up
	hasPriors       bool  // the logits of the moves are turned into priors
}

// edge is an expanded move. Its class lies between two bounds.
type edge struct {
	valueSum      float64 // sum of the utilities backed up, for the first player
	value         float64 // completed value for the player who moves; set once the edge is visited or proven
	priorShare    float64 // prior / (1 + visits + virtualVisits)
	prior         float32
	visits        int32  // evaluations backed up, the child's own included
	virtualVisits int32  // simulations through the edge that wait for an evaluation
	child         int32  // index of the node; none before the first visit
	pliesToEnd    uint16 // plies from the child to the end of the game; of a proven edge
	best, worst   uint8  // best and worst class still possible, as seen by the first player
	excluded      bool   // never selected: pruned, or proven at the root
}

func (e *edge) proven() bool { return e.best == e.worst }

// tree is a search tree in slabs.
//
// The moves of a node lie side by side, and so do its edges, which belong to the first of its moves. At the root all
// moves have an edge and ascend by action. Elsewhere a move gets an edge when expansion proves it or when it is first
// selected, in the order of the priors. So a node's moves are: those with edges; then the next to be selected; then the
// others, ascending by action. Edges have room for a power of two and are copied when they outgrow it. Unsearched moves
// thus take little memory, and a small tree lies close together.
type tree struct {
	utilities     []float64            // [K] the first player's, by class, falling
	nodes         []node               // nodes[0] is the root
	actions       []env.Action         // of all moves
	priors        []float32            // of all moves: first their logits, then the softmax of these
	edges         []edge               // edges[0] leads to the root
	classSums     []float32            // [nodes, K] sums of class probabilities backed up, as seen by the first player
	boundsChanged bool                 // since Search.decided was last computed
	endings       []env.TerminalAction // scratch
	replies       []env.TerminalAction // scratch
}

// reset empties the tree and adds a root without moves, and edge 0, which leads to it: a node's visits and value are
// those of its edge, so the root needs one, too.
func (t *tree) reset(player env.Player) {
	t.clear()
	t.edges = append(t.edges, edge{prior: 1, worst: t.worstClass()}) // any class is possible
	t.addNode(none, root, player)
}

// clear removes all nodes and edges, the root too, and keeps their memory.
func (t *tree) clear() {
	t.nodes, t.actions, t.priors = t.nodes[:0], t.actions[:0], t.priors[:0]
	t.edges, t.classSums = t.edges[:0], t.classSums[:0]
	t.boundsChanged = true
}

// worstClass is the worst class as seen by the first player, K - 1.
func (t *tree) worstClass() uint8 { return uint8(len(t.utilities) - 1) }

// addNode appends a node without moves and makes edge inEdge lead to it.
func (t *tree) addNode(parent, inEdge int32, player env.Player) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{parent: parent, inEdge: inEdge, player: player, guaranteed: t.worstClass()})
	t.classSums = append(t.classSums, make([]float32, len(t.utilities))...)
	t.edges[inEdge].child = n
	return n
}

// extend lengthens s by n entries with undefined content.
func extend[T any](s []T, n int) []T { return slices.Grow(s, n)[:len(s)+n] }

// edgesOf returns the edges of node n, valid until the next expansion.
func (t *tree) edgesOf(n int32) []edge {
	nd := &t.nodes[n]
	return t.edges[nd.firstEdge : nd.firstEdge+nd.numEdges]
}

// actionsOf returns the moves of node n, valid until the next expansion.
func (t *tree) actionsOf(n int32) []env.Action {
	nd := &t.nodes[n]
	return t.actions[nd.firstMove : nd.firstMove+nd.numMoves]
}

// priorsOf returns the priors of node n's moves, or their logits before computePriors, valid until the next expansion.
func (t *tree) priorsOf(n int32) []float32 {
	nd := &t.nodes[n]
	return t.priors[nd.firstMove : nd.firstMove+nd.numMoves]
}

// incoming returns the edge that leads to node n.
func (t *tree) incoming(n int32) *edge { return &t.edges[t.nodes[n].inEdge] }

// sumsOf returns the sums [K] of the class probabilities, as seen by the first player, backed up to node n.
func (t *tree) sumsOf(n int32) []float32 {
	K := len(t.utilities)
	return t.classSums[int(n)*K : int(n+1)*K]
}

// expand gives node n its legal moves in state. Moves that end the game get an edge with exact bounds, which are
// propagated towards the root. At the root, moves after which the opponent can win at once get one too; looking for
// them at every node would take longer than it gains. next is scratch.
func (t *tree) expand(n int32, state, next env.State) {
	first := int32(len(t.actions))
	t.actions = state.Legal(t.actions)
	count := int32(len(t.actions)) - first
	t.priors = extend(t.priors, int(count))
	nd := &t.nodes[n]
	nd.firstMove, nd.numMoves, nd.firstEdge = first, count, int32(len(t.edges))
	if n == root {
		t.addRootEdges()
	}
	t.endings = state.TerminalActions(t.endings[:0])
	endings, wins, found := t.endings, t.wins(t.endings, nd.player), false
	for i := range count {
		a, class, plies := t.actions[first+i], uint8(0), uint16(0)
		switch {
		case len(endings) > 0 && endings[0].Action == a:
			class, endings = uint8(endings[0].Outcome), endings[1:]
		case n == root && !wins && t.refuted(state, next, a, nd.player):
			class, plies = t.bestClass(nd.player.Opponent()), 1
		default:
			continue
		}
		var e *edge
		if n == root {
			e = &t.edges[nd.firstEdge+i]
		} else {
			e = t.addEdge(n, i)
		}
		e.best, e.worst, e.pliesToEnd = class, class, plies
		t.updateValue(e, nd.player)
		found = true
	}
	if found {
		t.propagateBounds(n)
	}
}

// bestClass is the best class for player p, as seen by the first player.
func (t *tree) bestClass(p env.Player) uint8 {
	if p == env.First {
		return 0
	}
	return t.worstClass()
}

// wins reports whether one of the endings has the best class for p.
func (t *tree) wins(endings []env.TerminalAction, p env.Player) bool {
	for _, ending := range endings {
		if uint8(ending.Outcome) == t.bestClass(p) {
			return true
		}
	}
	return false
}

// refuted reports whether the opponent of p, who plays a in state, can then end the game at once with its best class.
// The move a does not end the game; next is scratch.
func (t *tree) refuted(state, next env.State, a env.Action, p env.Player) bool {
	next.CopyFrom(state)
	next.Apply(a)
	if next.Player() == p {
		return false
	}
	t.replies = next.TerminalActions(t.replies[:0])
	return t.wins(t.replies, p.Opponent())
}

// addEdge gives an edge to move i of node n, an index into the node's moves; the move has none yet. It shifts the move
// behind those that have one, and returns the edge.
func (t *tree) addEdge(n, i int32) *edge {
	nd := &t.nodes[n]
	if int(nd.numEdges) == edgeRoom(nd.numEdges) {
		t.growEdges(n, edgeRoom(nd.numEdges+1))
	}
	place := nd.firstMove + nd.numEdges
	t.shiftMove(place, nd.firstMove+i)
	e := &t.edges[nd.firstEdge+nd.numEdges]
	*e = edge{prior: t.priors[place], priorShare: float64(t.priors[place]), child: none, worst: t.worstClass()}
	nd.numEdges++
	return e
}

// edgeRoom is the capacity of the block allocated for n edges: n rounded up to a power of two; 0 for none.
func edgeRoom(n int32) int {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len32(uint32(n-1))
}

// growEdges copies the edges of node n to new memory with the given room.
func (t *tree) growEdges(n int32, room int) {
	nd := &t.nodes[n]
	from, to := nd.firstEdge, int32(len(t.edges))
	t.edges = extend(t.edges, room)
	nd.firstEdge = to
	for i := range nd.numEdges {
		t.edges[to+i] = t.edges[from+i]
		if child := t.edges[to+i].child; child != none {
			t.nodes[child].inEdge = to + i
		}
	}
}

// shiftMove shifts a move from index from to an earlier index, and those between back by one.
func (t *tree) shiftMove(to, from int32) {
	if to == from {
		return
	}
	action, prior := t.actions[from], t.priors[from]
	copy(t.actions[to+1:from+1], t.actions[to:from])
	copy(t.priors[to+1:from+1], t.priors[to:from])
	t.actions[to], t.priors[to] = action, prior
}

// addNextEdge gives an edge to the likeliest move of node n that has none, and shifts the next likeliest to the front
// of the rest.
func (t *tree) addNextEdge(n int32) {
	nd := &t.nodes[n]
	e := t.addEdge(n, nd.numEdges)
	nd.unexpandedPrior -= float64(e.prior)
	if nd.unexpandedPrior < 1e-6 { // the difference has lost its precision
		nd.unexpandedPrior = sum(t.priors[nd.firstMove+nd.numEdges : nd.firstMove+nd.numMoves])
	}
	t.likeliestFirst(n, e.prior)
}

// sum adds up priors in double precision.
func sum(priors []float32) (total float64) {
	for _, p := range priors {
		total += float64(p)
	}
	return total
}

// likeliestFirst shifts the likeliest of node n's moves without an edge, among equals the earliest, to their front.
// None of them has a prior above bound, so the scan ends at a prior equal to it.
func (t *tree) likeliestFirst(n int32, bound float32) {
	nd := &t.nodes[n]
	first := nd.firstMove + nd.numEdges
	priors := t.priors[first : nd.firstMove+nd.numMoves]
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
		t.shiftMove(first, first+int32(best))
	}
}

// inActionOrder appends to dst the indices of node n's moves by ascending action. The node has no priors yet, so both
// the moves with edges and those without ascend.
func (t *tree) inActionOrder(dst []int32, n int32) []int32 {
	nd := &t.nodes[n]
	i, j := nd.firstMove, nd.firstMove+nd.numEdges
	for end := nd.firstMove + nd.numMoves; i < nd.firstMove+nd.numEdges || j < end; {
		if j == end || i < nd.firstMove+nd.numEdges && t.actions[i] < t.actions[j] {
			dst = append(dst, i)
			i++
		} else {
			dst = append(dst, j)
			j++
		}
	}
	return dst
}

// copySubtree makes t a copy of the subtree of src below node n, which becomes the root. t.nodes is the queue of a
// breadth-first search.
func (t *tree) copySubtree(src *tree, n int32) {
	t.clear()
	if nd := &src.nodes[n]; nd.evaluated && !nd.hasPriors {
		src.computePriors(n)
	}
	t.edges = append(t.edges, *src.incoming(n))
	t.edges[root].excluded = false
	t.copyNode(src, n, none, root)
	for i := int32(0); i < int32(len(t.nodes)); i++ {
		nd := t.nodes[i] // its indices are those of src
		t.nodes[i].firstMove, t.nodes[i].firstEdge = int32(len(t.actions)), int32(len(t.edges))
		t.actions = append(t.actions, src.actions[nd.firstMove:nd.firstMove+nd.numMoves]...)
		t.priors = append(t.priors, src.priors[nd.firstMove:nd.firstMove+nd.numMoves]...)
		t.edges = append(t.edges, src.edges[nd.firstEdge:nd.firstEdge+nd.numEdges]...)
		if i == root {
			t.addRootEdges()
		} else {
			t.edges = extend(t.edges, edgeRoom(nd.numEdges)-int(nd.numEdges))
		}
		for j := range t.edgesOf(i) {
			e := t.nodes[i].firstEdge + int32(j)
			if child := t.edges[e].child; child != none {
				t.copyNode(src, child, i, e)
			}
		}
	}
}

// copyNode appends a copy of node n of src and makes edge inEdge lead to it.
func (t *tree) copyNode(src *tree, n, parent, inEdge int32) {
	t.edges[inEdge].child = int32(len(t.nodes))
	nd := src.nodes[n]
	nd.parent, nd.inEdge = parent, inEdge
	t.nodes = append(t.nodes, nd)
	t.classSums = append(t.classSums, src.sumsOf(n)...)
}

// addRootEdges gives every move of the root an edge and sorts moves and edges by action (insertion sort). The root's
// edges are the last in memory, so new ones can be appended.
func (t *tree) addRootEdges() {
	nd := &t.nodes[root]
	for _, p := range t.priors[nd.firstMove+nd.numEdges : nd.firstMove+nd.numMoves] {
		t.edges = append(t.edges, edge{prior: p, priorShare: float64(p), child: none, worst: t.worstClass()})
	}
	nd.numEdges, nd.unexpandedPrior = nd.numMoves, 0
	actions, priors, edges := t.actionsOf(root), t.priorsOf(root), t.edgesOf(root)
	for i := range actions {
		for j := i; j > 0 && actions[j] < actions[j-1]; j-- {
			actions[j], actions[j-1] = actions[j-1], actions[j]
			priors[j], priors[j-1] = priors[j-1], priors[j]
			edges[j], edges[j-1] = edges[j-1], edges[j]
		}
	}
	t.updatePruned(root)
}
