package mcts

import (
	"cmp"

	"ludus/env"
)

// bounds returns the best and the worst class that e can still lead to, as seen by player p: 0 is the best for p.
func (t *tree) bounds(e *edge, p env.Player) (best, worst uint8) {
	if p == env.First {
		return e.best, e.worst
	}
	return t.worstClass() - e.worst, t.worstClass() - e.best
}

// canImprove reports whether move e can still give player p, who moves, a better class than guaranteed, the class that
// p can already force at this node.
func (t *tree) canImprove(e *edge, p env.Player, guaranteed uint8) bool {
	best, _ := t.bounds(e, p)
	return best < guaranteed
}

// pruned reports whether move e is useless: its best class is no better than the node's guaranteed one, and e does not
// guarantee that class itself. Every node has a move that is not pruned. Every unproven node has one that can improve on
// the guaranteed class; moves that have no edge yet always can.
func (t *tree) pruned(e *edge, p env.Player, guaranteed uint8) bool {
	best, worst := t.bounds(e, p)
	return best >= guaranteed && worst != guaranteed
}

// propagateBounds recomputes the bounds of node n from those of its moves, then those of its parent, and so on until
// nothing changes. The player to move takes the best move, so as seen by that player a node's best class is the
// smallest best class of its moves, and its worst class the smallest worst class. Source: Cazenave and Saffidine 2010.
func (t *tree) propagateBounds(n int32) {
	t.boundsChanged = true
	for n != none {
		nd := &t.nodes[n]
		edges := t.edgesOf(n)
		best, worst := t.worstClass(), t.worstClass()
		for i := range edges {
			b, w := t.bounds(&edges[i], nd.player)
			best, worst = min(best, b), min(worst, w)
		}
		if nd.numEdges < nd.numMoves {
			best = 0 // a move without an edge may still have any class
		}
		nd.guaranteed = worst
		t.updatePruned(n)
		bounds := edge{best: best, worst: worst} // turned below if Second moves: edges have First's view
		if nd.player == env.Second {
			bounds.best, bounds.worst = t.worstClass()-worst, t.worstClass()-best
		}
		if bounds.proven() {
			bounds.pliesToEnd = 1 + edges[t.bestProven(n, bounds.best)].pliesToEnd
		}
		e := &t.edges[nd.inEdge]
		if e.best == bounds.best && e.worst == bounds.worst && e.pliesToEnd == bounds.pliesToEnd {
			return
		}
		e.best, e.worst, e.pliesToEnd = bounds.best, bounds.worst, bounds.pliesToEnd
		n = nd.parent
		if n != none {
			t.updateValue(e, t.nodes[n].player)
		}
	}
}

// updatePruned finds out which moves of node n are pruned, and sets the node's prunedVisits and visitedPrior and its
// edges' excluded accordingly.
func (t *tree) updatePruned(n int32) {
	nd := &t.nodes[n]
	nd.prunedVisits, nd.visitedPrior = 0, 0
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		pruned := t.pruned(e, nd.player, nd.guaranteed)
		e.excluded = pruned || n == root && e.proven()
		switch {
		case pruned:
			nd.prunedVisits += e.visits + e.virtualVisits
		case e.child != none:
			nd.visitedPrior += float64(e.prior)
		}
	}
}

// bestProven returns the move, as an index into node n's edges, that the player there prefers among those proven to end
// in class (as seen by the first player): the quickest if it is a win, otherwise the slowest. Ties go to the most
// visited move, then to the highest prior.
func (t *tree) bestProven(n int32, class uint8) int {
	edges, p := t.edgesOf(n), t.nodes[n].player
	winning := p.Sign()*t.utilities[class] > 0
	chosen := -1
	for i := range edges {
		e := &edges[i]
		if !e.proven() || e.best != class {
			continue
		}
		if chosen < 0 {
			chosen = i
			continue
		}
		c := &edges[chosen]
		plies := cmp.Compare(e.pliesToEnd, c.pliesToEnd)
		if winning {
			plies = -plies
		}
		if cmp.Or(plies, cmp.Compare(e.visits, c.visits), cmp.Compare(e.prior, c.prior)) > 0 {
			chosen = i
		}
	}
	return chosen
}
