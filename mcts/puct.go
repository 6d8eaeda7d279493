package mcts

import "math"

// pickPUCT returns the live move, at the root the open move, of the largest
//
//	q(a) + c(N) p(a) sqrt(N + 0.01) / (1 + N(a)),   c(N) = c_0 + c_1 ln((N + B) / B),
//
// q being the mover's completed value of a visited move, N the visits of all live moves; the 0.01 lets the priors decide
// the first visit. An unvisited move has the first-play value: the node's mean less a reduction that goes with the root
// of the prior already visited. A simulation in flight counts as a lost visit, since the bonus alone would send the
// next one down the same way. At the root a proven move would learn nothing from a visit; below it the visits to it
// weigh in its parent's mean. Source: KataGo, searchexplorehelpers.cpp.
//
// Of the moves without an edge only the likeliest can have the largest score, so that only that one is looked at.
func (s *Search) pickPUCT(n int32) int32 {
	t := &s.tree
	nd := &t.nodes[n]
	in := t.into(n)
	bonus := s.bonus(in.visits + in.flight - 1 - nd.lost) // all visits of n but its own evaluation's went on to a move
	firstPlay := nd.player.Sign()*in.sum/float64(in.visits) - s.cfg.FirstPlayReduction*math.Sqrt(nd.mass)
	chosen, most := none, math.Inf(-1)
	actions, edges := t.actionsOf(n), t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.closed {
			continue
		}
		q := e.value
		switch {
		case e.flight > 0:
			visits, lost := float64(e.visits), float64(e.flight)
			q = (visits*q - lost) / (visits + lost)
		case e.visits == 0 && !e.proven():
			q = firstPlay
		}
		if score := q + bonus*e.share; score > most || score == most && actions[i] < actions[chosen] {
			chosen, most = int32(i), score
		}
	}
	if nd.made < nd.count {
		score := firstPlay + bonus*float64(t.priors[nd.first+nd.made])
		if score > most || score == most && actions[nd.made] < actions[chosen] {
			chosen = nd.made
		}
	}
	return chosen
}

// bonus is c(N) sqrt(N + 0.01).
func (s *Search) bonus(visits int32) float64 {
	if int(visits) < len(s.bonuses) {
		return s.bonuses[visits]
	}
	return s.cfg.bonus(float64(visits))
}

func (c *Config) bonus(N float64) float64 {
	return (c.Exploration + c.ExplorationLog*math.Log((N+c.ExplorationBase)/c.ExplorationBase)) * math.Sqrt(N+0.01)
}

// bonuses lists bonus for small N, which most nodes have: the logarithm would be a good part of a pick.
func (c *Config) bonuses() []float64 {
	list := make([]float64, 512)
	for N := range list {
		list[N] = c.bonus(float64(N))
	}
	return list
}
