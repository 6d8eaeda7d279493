package mcts

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// halving is the state of sequential halving over the root's moves (Karnin, Koren and Somekh 2013; Danihelka et al.
// 2022, section 3). It starts with the m moves of the largest g + logit + sigma(q), where g is Gumbel noise, and visits
// each in turn; at the end of a phase it keeps the better half, at least two. A phase with n moves of a search of S
// simulations gives each of them max(1, floor(S / (ceil(log2 m) n))) visits, as in mctx's sequence of considered
// visits. Simulations that rounding leaves over go to further phases of two.
//
// The candidates of a phase are fixed at its start. One that is proven or pruned meanwhile is skipped, because its
// value needs no simulation, and the others get its visits. If none is left, halving starts again with the moves that
// can still improve on the root's guaranteed class, and with the remaining simulations.
type halving struct {
	gumbel      []float64 // [root moves] g
	logits      []float32 // [root moves]
	simulations int       // S
	considered  int       // m
	size        int       // n of the current phase
	candidates  []int     // root moves of the current phase, best first
	next        int       // index in candidates
	remaining   int       // simulations of the current phase
}

// sampleNoise sets the noise g of n moves: drawn from Gumbel(0, 1), or 0 if rng is nil.
func (h *halving) sampleNoise(n int, rng *rand.Rand) {
	h.gumbel = h.gumbel[:0]
	for range n {
		g := 0.0
		if rng != nil {
			g = -math.Log(rng.ExpFloat64())
		}
		h.gumbel = append(h.gumbel, g)
	}
}

// reset makes the next selection start halving anew.
func (h *halving) reset() { h.candidates, h.remaining = h.candidates[:0], 0 }

// countVisit counts a visit of the candidate that selectCandidate returned.
func (h *halving) countVisit() {
	h.remaining--
	h.next++
}

// numCandidates is the number of root moves that sequential halving starts with (m in Danihelka et al. 2022), if the
// root has that many: as set, or a quarter of the simulations, from 4 to 16.
func (c *Config) numCandidates(simulations int) int {
	if c.candidates > 0 {
		return c.candidates
	}
	return min(max(simulations/4, 4), 16)
}

// selectCandidate returns the root move to visit next. It returns none if pending leaves must be backed up first:
// before the next phase chooses its candidates, and before another pass over them, unless anotherPass allows it. The
// visits of one pass do not depend on each other's values, so leaving them pending together costs no playing strength.
func (s *Search) selectCandidate() int32 {
	t, h := &s.tree, &s.halving
	nd := &t.nodes[root]
	for {
		if h.remaining > 0 {
			for range h.candidates {
				if h.next >= len(h.candidates) {
					if s.roundSize > 0 && !s.anotherPass() {
						return none
					}
					h.next = 0
				}
				i := int32(h.candidates[h.next])
				if t.canImprove(&t.edges[nd.firstEdge+i], nd.player, nd.guaranteed) {
					return i
				}
				h.next++
			}
		}
		if s.roundSize > 0 {
			return none
		}
		s.nextPhase()
	}
}

// anotherPass reports whether each candidate may get another pending leaf; see Config.CandidateShare.
func (s *Search) anotherPass() bool {
	edges := s.tree.edgesOf(root)
	return !slices.ContainsFunc(s.halving.candidates, func(i int) bool {
		e := &edges[i]
		return e.virtualVisits > 0 && float64(e.virtualVisits+1) > s.cfg.CandidateShare*float64(e.visits)
	})
}

// nextPhase chooses the candidates of the next phase: the better half of the current ones that can still improve, or,
// if there are none, a new start with all moves that can. Then it sets the phase's number of simulations.
func (s *Search) nextPhase() {
	t, h := &s.tree, &s.halving
	nd, edges := &t.nodes[root], t.edgesOf(root)
	cannotImprove := func(i int) bool { return !t.canImprove(&edges[i], nd.player, nd.guaranteed) }
	h.candidates = slices.DeleteFunc(h.candidates, cannotImprove)
	if len(h.candidates) > 0 {
		h.size = max(2, h.size/2)
	} else {
		for i := range edges {
			if !cannotImprove(i) {
				h.candidates = append(h.candidates, i)
			}
		}
		h.simulations = s.budget - s.started
		h.considered = min(s.cfg.numCandidates(s.budget), len(h.candidates))
		h.size = h.considered
	}
	scores := s.scores[:len(edges)]
	s.scoreRoot(scores)
	h.candidates = topScores(h.candidates, scores, min(h.size, len(h.candidates)))
	h.next, h.remaining = 0, h.simulations
	if h.considered > 1 {
		log2 := bits.Len(uint(h.considered - 1))
		h.remaining = h.size * max(1, h.simulations/(log2*h.size))
	}
}

// topScores returns the n candidates of the largest scores, best first, the lower index first among equals. It reorders
// candidates. A partial selection: sorting them all took a fifth of a search without a network.
func topScores(candidates []int, scores []float64, n int) []int {
	for i := range n {
		best := i
		for j := i + 1; j < len(candidates); j++ {
			a, b := candidates[best], candidates[j]
			if scores[b] > scores[a] || scores[b] == scores[a] && b < a {
				best = j
			}
		}
		candidates[i], candidates[best] = candidates[best], candidates[i]
	}
	return candidates[:n]
}

// scoreRoot writes the score g + logit + sigma(q) of each root move to dst; q is the completed value.
func (s *Search) scoreRoot(dst []float64) {
	t, h := &s.tree, &s.halving
	sm := t.summarize(root)
	sign, scale := t.nodes[root].player.Sign(), s.sigmaScale(sm)
	edges := t.edgesOf(root)
	for i := range edges {
		dst[i] = h.gumbel[i] + float64(h.logits[i]) + scale*t.moverValue(&edges[i], sign, sm.mixedValue)
	}
}

// sigmaScale returns the factor of q in sigma(q) = (maxVisitInit + max_a N(a)) ValueScale q (Danihelka et al. 2022,
// section 3.4).
func (s *Search) sigmaScale(sm summary) float64 {
	return (s.cfg.maxVisitInit + float64(sm.maxVisits)) * s.cfg.ValueScale
}

// improvedPolicy writes pi' = softmax(logit + sigma(completed q)) of node n's moves with edges to dst, 0 for pruned
// ones (Danihelka et al. 2022, section 4). For the moves without an edge it returns two factors: each has the
// probability prior * unexpanded / total. Compute it in this order, as for the others, or equal moves would differ by
// rounding.
//
// In terms of the priors p, pi' is p e^sigma(q) divided by its sum. The moves without an edge all have the mixed value
// and enter the sum as one term.
func (s *Search) improvedPolicy(dst []float64, n int32, sm summary) (unexpanded, total float64) {
	t := &s.tree
	nd := &t.nodes[n]
	sign, scale := nd.player.Sign(), s.sigmaScale(sm)
	mixed := sign * min(max(sm.mixedValue, t.utilities[t.worstClass()]), t.utilities[0])
	edges := t.edgesOf(n)
	maxValue := math.Inf(-1)
	if nd.numEdges < nd.numMoves {
		maxValue = mixed
	}
	for i := range edges {
		e := &edges[i]
		if t.pruned(e, nd.player, nd.guaranteed) {
			dst[i] = math.Inf(-1)
			continue
		}
		dst[i] = t.moverValue(e, sign, sm.mixedValue)
		maxValue = max(maxValue, dst[i])
	}
	if nd.numEdges < nd.numMoves {
		unexpanded = math.Exp(scale * (mixed - maxValue))
		total = nd.unexpandedPrior * unexpanded
	}
	for i, q := range dst {
		if dst[i] = 0; q >= -1 { // pruned moves have -Inf
			dst[i] = float64(edges[i].prior) * math.Exp(scale*(q-maxValue))
			total += dst[i]
		}
	}
	for i := range dst {
		dst[i] /= total
	}
	return unexpanded, total
}

// selectImproved returns the move of node n, not pruned, with the largest pi'(a) - N(a) / (1 + sum_b N(b)), which keeps
// the visits in proportion to the improved policy. A virtual visit counts as a visit but does not change the value,
// because visits alone make this rule spread out. Source: Danihelka et al. 2022, section 5.
//
// Among the moves without an edge only the one with the largest prior can score best.
func (s *Search) selectImproved(n int32) int32 {
	t := &s.tree
	sm := t.summarize(n)
	nd := &t.nodes[n]
	policy := s.scores[:nd.numEdges]
	unexpanded, total := s.improvedPolicy(policy, n, sm)
	visits := float64(1 + sm.visits + sm.virtualVisits)
	actions, edges := t.actionsOf(n), t.edgesOf(n)
	chosen, bestScore := none, math.Inf(-1)
	for i := range edges {
		e := &edges[i]
		if e.excluded {
			continue
		}
		score := policy[i] - float64(e.visits+e.virtualVisits)/visits
		if score > bestScore || score == bestScore && actions[i] < actions[chosen] {
			chosen, bestScore = int32(i), score
		}
	}
	if nd.numEdges < nd.numMoves {
		score := float64(t.priors[nd.firstMove+nd.numEdges]) * unexpanded / total
		if score > bestScore || score == bestScore && actions[nd.numEdges] < actions[chosen] {
			chosen = nd.numEdges
		}
	}
	return chosen
}
