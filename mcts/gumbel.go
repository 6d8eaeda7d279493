package mcts

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// halving is sequential halving over the root's open moves (Karnin, Koren and Somekh 2013). It starts with the m moves
// of the largest g + logit + sigma(q), visits each in turn, and at the end of a phase keeps the better half, two at
// least. With n moves in a phase of S simulations in all, each gets max(1, floor(S / (ceil(log2 m) n))) visits, as in
// mctx's sequence of considered visits; what rounding leaves over goes to further phases of two.
//
// The candidates of a phase are fixed at its start. One that is proven or dead meanwhile is passed over, since its value
// needs no simulation, and the others get its visits; when none is left, halving starts anew with the open moves and
// the simulations that remain.
type halving struct {
	gumbel     []float64 // g, for each of the root's moves
	logits     []float64 // of the root's moves
	total      int       // S
	most       int       // m
	size       int       // n of this phase
	candidates []int     // moves of this phase, best first
	next       int       // the candidate to visit
	left       int       // simulations of this phase
}

// draw draws the noise g ~ Gumbel(0, 1) of n moves, or none where rng is nil.
func (h *halving) draw(n int, rng *rand.Rand) {
	h.gumbel = h.gumbel[:0]
	for range n {
		g := 0.0
		if rng != nil {
			g = -math.Log(rng.ExpFloat64())
		}
		h.gumbel = append(h.gumbel, g)
	}
}

// judge takes the logits of the root's moves.
func (h *halving) judge(logits []float32) {
	h.logits = h.logits[:0]
	for _, l := range logits {
		h.logits = append(h.logits, float64(l))
	}
}

// begin forgets the phase.
func (h *halving) begin() { h.candidates, h.left = h.candidates[:0], 0 }

// advance counts the visit of the candidate that was picked.
func (h *halving) advance() {
	h.left--
	h.next++
}

// budget sets the simulations of a phase.
func (h *halving) budget() {
	h.left = h.total
	if h.most > 1 {
		log2 := bits.Len(uint(h.most - 1))
		h.left = h.size * max(1, h.total/(log2*h.size))
	}
}

// sampled is m before it is limited by the number of moves.
func (c *Config) sampled(simulations int) int {
	if c.Candidates > 0 {
		return c.Candidates
	}
	return min(max(simulations/4, 4), 16)
}

// pickCandidate returns which of the root's moves is the next candidate, or none where leaves in flight must be backed up
// before the next phase can choose its candidates.
func (s *Search) pickCandidate() int32 {
	t, h := &s.tree, &s.halving
	nd := &t.nodes[root]
	floor := nd.floor
	for {
		if h.left > 0 {
			for range h.candidates {
				if h.next >= len(h.candidates) {
					h.next = 0
				}
				i := int32(h.candidates[h.next])
				if t.open(&t.edges[nd.edges+i], nd.player, floor) {
					return i
				}
				h.next++
			}
		}
		if s.taken > 0 {
			return none
		}
		s.nextPhase(floor)
	}
}

// nextPhase chooses the candidates of the next phase.
func (s *Search) nextPhase(floor uint8) {
	t, h := &s.tree, &s.halving
	p, edges := t.nodes[root].player, t.edgesOf(root)
	isClosed := func(i int) bool { return !t.open(&edges[i], p, floor) }
	h.candidates = slices.DeleteFunc(h.candidates, isClosed)
	if len(h.candidates) > 0 {
		h.size = max(2, h.size/2)
	} else {
		for i := range edges {
			if !isClosed(i) {
				h.candidates = append(h.candidates, i)
			}
		}
		h.total = s.budget - s.started
		h.most = min(s.cfg.sampled(s.budget), len(h.candidates))
		h.size = h.most
	}
	scores := s.scores[:len(edges)]
	s.scoreRoot(scores)
	h.candidates = leading(h.candidates, scores, min(h.size, len(h.candidates)))
	h.next = 0
	h.budget()
}

// leading puts the n candidates of the largest scores first, best first, the lower ones first among equals, and returns
// them.
func leading(candidates []int, scores []float64, n int) []int {
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

// scoreRoot writes g + logit + sigma(q) of the root's moves into dst.
func (s *Search) scoreRoot(dst []float64) {
	t, h := &s.tree, &s.halving
	st := t.standing(root)
	sign, sigma := t.nodes[root].player.Sign(), s.sigma(st)
	edges := t.edgesOf(root)
	for i := range edges {
		dst[i] = h.gumbel[i] + h.logits[i] + sigma*t.estimate(&edges[i], sign, st.mix)
	}
}

// sigma is the factor of sigma(q) = (VisitOffset + max_a N(a)) c q for the mover's utility q.
func (s *Search) sigma(st standing) float64 {
	return (s.cfg.VisitOffset + float64(st.most)) * s.cfg.ValueScale
}

// improve writes the improved policy pi' = softmax(logit + sigma(completed q)) of node n, by its moves with edges, into
// dst, 0 for dead ones. A move without an edge has its prior times bare over sum, worked out in this order, as for the
// others, or equal moves would differ by rounding.
//
// In terms of the priors, pi' is p e^(sigma q) over its sum, and the moves without an edge, which all have the mixed
// value, enter the sum as one.
func (s *Search) improve(dst []float64, n int32, st standing) (bare, sum float64) {
	t := &s.tree
	nd := &t.nodes[n]
	sign, sigma := nd.player.Sign(), s.sigma(st)
	mix := sign * min(max(st.mix, t.utility[t.worst()]), t.utility[0])
	edges := t.edgesOf(n)
	most := math.Inf(-1)
	if nd.made < nd.count {
		most = mix
	}
	for i := range edges {
		e := &edges[i]
		if !t.live(e, nd.player, nd.floor) {
			dst[i] = math.Inf(-1)
			continue
		}
		dst[i] = t.estimate(e, sign, st.mix)
		most = max(most, dst[i])
	}
	if nd.made < nd.count {
		bare = math.Exp(sigma * (mix - most))
		sum = nd.rest * bare
	}
	for i, q := range dst {
		if dst[i] = 0; q >= -1 {
			dst[i] = float64(edges[i].prior) * math.Exp(sigma*(q-most))
			sum += dst[i]
		}
	}
	for i := range dst {
		dst[i] /= sum
	}
	return bare, sum
}

// normalise divides dst by its sum.
func normalise(dst []float64) {
	var sum float64
	for _, x := range dst {
		sum += x
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// pickImproved returns the live move of the largest pi'(a) - N(a) / (1 + sum_b N(b)), which keeps the visits in
// proportion to the improved policy. A simulation in flight counts as a visit, not as a value: the rule spreads by
// visits alone. Source: Danihelka et al. 2022, section 5.
//
// Of the moves without an edge only the likeliest can have the largest score, so that only that one is looked at.
func (s *Search) pickImproved(n int32) int32 {
	t := &s.tree
	st := t.standing(n)
	nd := &t.nodes[n]
	policy := s.scores[:nd.made]
	bare, sum := s.improve(policy, n, st)
	total := float64(1 + st.visits + st.flight)
	actions, edges := t.actionsOf(n), t.edgesOf(n)
	chosen, most := none, math.Inf(-1)
	for i := range edges {
		e := &edges[i]
		if e.closed {
			continue
		}
		score := policy[i] - float64(e.visits+e.flight)/total
		if score > most || score == most && actions[i] < actions[chosen] {
			chosen, most = int32(i), score
		}
	}
	if nd.made < nd.count {
		score := float64(t.priors[nd.first+nd.made]) * bare / sum
		if score > most || score == most && actions[nd.made] < actions[chosen] {
			chosen = nd.made
		}
	}
	return chosen
}
