package mcts

import (
	"math"

	"ludus/env"
)

// completed is First's utility of a move: the mean of what was backed up, or mix where it was not visited, clamped to
// the move's bounds.
func (t *tree) completed(e *edge, mix float64) float64 {
	value := mix
	if e.visits > 0 {
		value = e.sum / float64(e.visits)
	}
	return min(max(value, t.utility[e.bottom]), t.utility[e.top])
}

// estimate is completed for the mover, whose sign is given.
func (t *tree) estimate(e *edge, sign, mix float64) float64 {
	if e.visits > 0 {
		return e.value
	}
	return sign * t.completed(e, mix)
}

// settle sets the value of an edge that was visited or proven, for player p, its mover.
func (t *tree) settle(e *edge, p env.Player) { e.value = p.Sign() * t.completed(e, 0) }

// standing sums up the live moves of a node.
type standing struct {
	visits int32   // of all live moves
	flight int32   // of all live moves
	most   int32   // visits of the most visited one
	mix    float64 // v_mix, First's utility
}

// standing sums up the live moves of an evaluated node.
func (t *tree) standing(n int32) standing {
	nd := &t.nodes[n]
	var st standing
	var visited, weighted float64 // for the mover
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.child == none || !t.live(e, nd.player, nd.floor) {
			continue
		}
		st.visits += e.visits
		st.flight += e.flight
		st.most = max(st.most, e.visits)
		if e.visits > 0 {
			p := float64(e.prior)
			visited += p
			weighted += p * e.value
		}
	}
	st.mix = nd.raw
	if visited > 0 {
		N := float64(st.visits)
		st.mix = (nd.raw + nd.player.Sign()*N*weighted/visited) / (1 + N)
	}
	return st
}

// leastLogit is how far a logit may lie below the largest of its siblings; it is raised to that. Thus a prior is a
// normal number and a visited move weighs something.
const leastLogit = -80

// judge gives node n an evaluation: First's class probabilities. The logits of its moves stand where their priors will be.
func (t *tree) judge(n int32, classes []float32) {
	nd := &t.nodes[n]
	nd.raw = t.value(classes)
	if math.IsNaN(nd.raw) {
		panic("mcts: the evaluation is not a number")
	}
	if n == root {
		t.weigh(n)
	}
}

// weigh turns the logits of node n's moves into priors, which most nodes never need, being leaves.
func (t *tree) weigh(n int32) {
	nd := &t.nodes[n]
	nd.weighed = true
	priors := t.priorsOf(n)
	if softmax(priors); priors[0] != priors[0] {
		panic("mcts: the evaluation is not a number")
	}
	edges := t.edgesOf(n)
	for i := range edges {
		edges[i].prior, edges[i].share = priors[i], float64(priors[i])
	}
	nd.rest = total(priors[nd.made:])
	t.lineUp(n, 1)
}

// softmax turns logits into probabilities. All are NaN if a logit is.
func softmax(x []float32) {
	most, even := x[0], x[0]-x[0] == 0
	for _, l := range x {
		if l > most {
			most = l
		}
		if l != x[0] {
			even = false
		}
	}
	if even {
		for i := range x {
			x[i] = float32(1 / float64(len(x)))
		}
		return
	}
	var sum float64
	for i, l := range x {
		x[i] = float32(math.Exp(float64(max(l-most, leastLogit))))
		sum += float64(x[i])
	}
	scale := 1 / sum
	for i, p := range x {
		x[i] = float32(float64(p) * scale)
	}
}

// value is First's utility of First's class probabilities. Opposite classes have opposite utilities, so that it is
// sum_{k < K/2} u_k (p_k - p_{K-1-k}), exactly 0 where the two players stand alike.
func (t *tree) value(classes []float32) float64 {
	var v float64
	for k := range len(classes) / 2 {
		v += t.utility[k] * (float64(classes[k]) - float64(classes[len(classes)-1-k]))
	}
	return v
}

// launch counts a simulation to node n as in flight.
func (t *tree) launch(n int32) {
	for n != none {
		nd := &t.nodes[n]
		e := &t.edges[nd.via]
		e.flight++
		e.share = float64(e.prior) / float64(1+e.visits+e.flight)
		if e.closed { // by what this simulation found
			t.close(nd.parent)
		}
		n = nd.parent
	}
}

// land backs First's class probabilities up from node n, where its simulation is no longer in flight. From a proven
// node on the exact outcome takes their place; classes is overwritten.
func (t *tree) land(n int32, classes []float32) {
	value := t.value(classes)
	for n != none {
		nd := &t.nodes[n]
		e := &t.edges[nd.via]
		if e.proven() {
			value = t.utility[e.top]
			clear(classes)
			classes[e.top] = 1
		}
		e.flight--
		e.visits++
		e.sum += value
		sums := t.sums(n)
		for k, p := range classes {
			sums[k] += p
		}
		if n = nd.parent; n != none {
			t.settle(e, t.nodes[n].player)
		}
	}
}

// sums are the sums [K] of First's class probabilities backed up to node n.
func (t *tree) sums(n int32) []float32 {
	K := len(t.utility)
	return t.classes[int(n)*K : int(n+1)*K]
}
