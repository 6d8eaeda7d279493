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
func (s *Search) pickPUCT(n int32) int32 {
	t := &s.tree
	st := t.standing(n)
	nd := &t.nodes[n]
	sign := t.sign(nd.player)
	N := float64(st.visits + st.flight)
	c := s.cfg.Exploration + s.cfg.ExplorationLog*math.Log((N+s.cfg.ExplorationBase)/s.cfg.ExplorationBase)
	bonus := c * math.Sqrt(N+0.01)
	firstPlay := sign*nd.sum/float64(nd.visits) - s.cfg.FirstPlayReduction*math.Sqrt(st.mass)
	chosen, most := none, math.Inf(-1)
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if !t.live(e, nd.player, st.floor) || n == root && e.proven() {
			continue
		}
		visits, lost := float64(t.visits(e)), float64(t.flight(e))
		q := firstPlay
		if visits > 0 || e.proven() {
			q = sign * t.completed(e, 0)
		}
		if lost > 0 {
			q = (visits*q - lost) / (visits + lost)
		}
		if score := q + bonus*float64(e.prior)/(1+visits+lost); score > most {
			chosen, most = nd.first+int32(i), score
		}
	}
	return chosen
}
