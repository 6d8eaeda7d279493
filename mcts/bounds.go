package mcts

import "ludus/env"

// bounds returns the best and the worst class of e still possible, as classes of player p: 0 is p's best.
func (t *tree) bounds(e *edge, p env.Player) (best, worst uint8) {
	if p == env.First {
		return e.best, e.worst
	}
	return t.worstClass() - e.worst, t.worstClass() - e.best
}

// canImprove reports whether player p, who has the class guaranteed for certain, may still get a better one from e.
func (t *tree) canImprove(e *edge, p env.Player, guaranteed uint8) bool {
	best, _ := t.bounds(e, p)
	return best < guaranteed
}

// pruned reports whether e cannot beat what a sibling has for certain: it neither can improve on the guaranteed class nor
// guarantees it itself. Every node has a move that is not pruned, and every unproven node one that can improve; a move
// without an edge can.
func (t *tree) pruned(e *edge, p env.Player, guaranteed uint8) bool {
	best, worst := t.bounds(e, p)
	return best >= guaranteed && worst != guaranteed
}

// propagateBounds passes the bounds of node n's moves on towards the root while they change anything. The player to move
// takes the best move, so both the best and the worst case of a node are the least classes, for that player, among its
// moves. Source: Cazenave and Saffidine 2010.
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
			best = 0
		}
		nd.guaranteed = worst
		t.updatePruned(n)
		bounds := edge{best: best, worst: worst}
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
		if n = nd.parent; n != none {
			t.updateValue(e, t.nodes[n].player)
		}
	}
}

// updatePruned recomputes what depends on which of node n's moves are pruned: excluded, prunedVisits and visitedPrior.
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

// bestProven returns the move of node n, among those proven to give First's class, that its player prefers: the quickest
// win, the slowest of anything else, then the most visited, then the likeliest by prior.
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
		switch {
		case e.pliesToEnd != c.pliesToEnd:
			if e.pliesToEnd < c.pliesToEnd == winning {
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
