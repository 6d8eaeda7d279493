package mcts

import "ludus/env"

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
	winning := p.Sign()*t.utility[class] > 0
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
