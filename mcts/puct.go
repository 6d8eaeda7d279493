package mcts

import "math"

// selectPUCT returns the move of node n that is not pruned and, at the root, not proven, with the largest
//
//	q(a) + c(N) p(a) sqrt(N + 0.01) / (1 + N(a)),   c(N) = cpuct + cpuctLog ln((N + cpuctBase) / cpuctBase).
//
// q is the completed value, for the player to move, of a visited move; p is its prior. N counts the visits of the moves
// that are not pruned; the 0.01 lets the priors decide the first visit. An unvisited move has the first-play value: the
// node's mean value less fpuReduction times the square root of visitedPrior. A virtual visit counts as a lost game,
// since the exploration term alone would send the next simulation down the same path. At the root a visit to a proven
// move would tell nothing new; below the root it changes the mean of its parent. Source: KataGo,
// searchexplorehelpers.cpp.
//
// Among the moves without an edge only the one with the largest prior can score best.
func (s *Search) selectPUCT(n int32) int32 {
	t := &s.tree
	nd := &t.nodes[n]
	in := t.incoming(n)
	exploration := s.exploration(in.visits + in.virtualVisits - 1 - nd.prunedVisits) // one visit is n's own evaluation
	firstPlay := nd.player.Sign()*in.valueSum/float64(in.visits) - fpuReduction*math.Sqrt(nd.visitedPrior)
	chosen, bestScore := none, math.Inf(-1)
	actions, edges := t.actionsOf(n), t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.excluded {
			continue
		}
		q := e.value
		switch {
		case e.virtualVisits > 0:
			visits, lost := float64(e.visits), float64(e.virtualVisits)
			q = (visits*q - lost) / (visits + lost)
		case e.visits == 0 && !e.proven():
			q = firstPlay
		}
		score := q + exploration*e.priorShare
		if score > bestScore || score == bestScore && actions[i] < actions[chosen] {
			chosen, bestScore = int32(i), score
		}
	}
	if nd.numEdges < nd.numMoves {
		score := firstPlay + exploration*float64(t.priors[nd.firstMove+nd.numEdges])
		if score > bestScore || score == bestScore && actions[nd.numEdges] < actions[chosen] {
			chosen = nd.numEdges
		}
	}
	return chosen
}

// exploration is c(N) sqrt(N + 0.01) for N visits, from the table where it reaches.
func (s *Search) exploration(visits int32) float64 {
	if int(visits) < len(s.explorations) {
		return s.explorations[visits]
	}
	return s.cfg.exploration(float64(visits))
}

func (c *Config) exploration(N float64) float64 {
	return (cpuct + c.cpuctLog*math.Log((N+cpuctBase)/cpuctBase)) * math.Sqrt(N+0.01)
}

// explorations tabulates exploration for N < 512, because computing the logarithm would take much of a selection.
func (c *Config) explorations() []float64 {
	list := make([]float64, 512)
	for N := range list {
		list[N] = c.exploration(float64(N))
	}
	return list
}
