package mcts

import (
	"math"

	"ludus/env"
)

// completedValue is the first player's utility of a move: the mean of the utilities backed up, or mixedValue if it was
// not visited, clamped to the move's bounds.
func (t *tree) completedValue(e *edge, mixedValue float64) float64 {
	value := mixedValue
	if e.visits > 0 {
		value = e.valueSum / float64(e.visits)
	}
	return min(max(value, t.utilities[e.worst]), t.utilities[e.best])
}

// moverValue is completedValue for the player who moves, whose sign is given.
func (t *tree) moverValue(e *edge, sign, mixedValue float64) float64 {
	if e.visits > 0 {
		return e.value
	}
	return sign * t.completedValue(e, mixedValue)
}

// updateValue sets e.value of a visited or proven edge; p is the player who moves.
func (t *tree) updateValue(e *edge, p env.Player) { e.value = p.Sign() * t.completedValue(e, 0) }

// summary sums up the moves of a node that are not pruned.
type summary struct {
	visits        int32
	virtualVisits int32
	maxVisits     int32   // of one move
	mixedValue    float64 // v_mix of the package comment, for the first player
}

// summarize sums up the moves of node n, which is evaluated.
func (t *tree) summarize(n int32) summary {
	nd := &t.nodes[n]
	var s summary
	var visitedPrior, weightedValue float64 // weightedValue: sum of prior times value, for the player to move
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.child == none || t.pruned(e, nd.player, nd.guaranteed) {
			continue
		}
		s.visits += e.visits
		s.virtualVisits += e.virtualVisits
		s.maxVisits = max(s.maxVisits, e.visits)
		if e.visits > 0 {
			p := float64(e.prior)
			visitedPrior += p
			weightedValue += p * e.value
		}
	}
	s.mixedValue = nd.rawValue
	if visitedPrior > 0 {
		N := float64(s.visits)
		s.mixedValue = (nd.rawValue + nd.player.Sign()*N*weightedValue/visitedPrior) / (1 + N)
	}
	return s
}

// setEvaluation sets the raw value of node n from classes, the outcome probabilities as seen by the first player. The
// caller has already put the logits of its moves into t.priors; the root's are turned into priors here.
func (t *tree) setEvaluation(n int32, classes []float32) {
	nd := &t.nodes[n]
	nd.rawValue = t.utility(classes)
	if math.IsNaN(nd.rawValue) {
		panic("mcts: the evaluation is not a number")
	}
	if n == root {
		t.computePriors(n)
	}
}

// computePriors turns the logits of node n's moves into priors. A node below the root gets them at its second visit,
// which most never have.
func (t *tree) computePriors(n int32) {
	nd := &t.nodes[n]
	nd.hasPriors = true
	priors := t.priorsOf(n)
	if softmax(priors); priors[0] != priors[0] { // NaN
		panic("mcts: the evaluation is not a number")
	}
	edges := t.edgesOf(n)
	for i := range edges {
		edges[i].prior, edges[i].priorShare = priors[i], float64(priors[i])
	}
	nd.unexpandedPrior = sum(priors[nd.numEdges:])
	t.likeliestFirst(n, 1) // no prior is above 1
}

// minLogit is the smallest logit relative to the largest of the siblings. Lower ones are raised to it, so every prior
// is a normal number above 0.
const minLogit = -80

// softmax turns the logits of the legal moves into probabilities. All are NaN if a logit is.
func softmax(x []float32) {
	top, equal := x[0], x[0]-x[0] == 0 // false if x[0] is not finite
	for _, l := range x {
		if l > top {
			top = l
		}
		if l != x[0] {
			equal = false
		}
	}
	if equal {
		for i := range x {
			x[i] = float32(1 / float64(len(x)))
		}
		return
	}
	var total float64
	for i, l := range x {
		x[i] = float32(math.Exp(float64(max(l-top, minLogit))))
		total += float64(x[i])
	}
	scale := 1 / total
	for i, p := range x {
		x[i] = float32(float64(p) * scale)
	}
}

// utility is the first player's expected utility, given the class probabilities as seen by that player. Opposite
// classes have opposite utilities, so it is sum_{k < K/2} u_k (p_k - p_{K-1-k}): exactly 0 where both players have the
// same probabilities.
func (t *tree) utility(classes []float32) float64 {
	var u float64
	for k := range len(classes) / 2 {
		u += t.utilities[k] * (float64(classes[k]) - float64(classes[len(classes)-1-k]))
	}
	return u
}

// addVirtualVisit counts a simulation on the way from the root to node n, before its value is known.
func (t *tree) addVirtualVisit(n int32) {
	for n != none {
		nd := &t.nodes[n]
		e := &t.edges[nd.inEdge]
		e.virtualVisits++
		e.priorShare = float64(e.prior) / float64(1+e.visits+e.virtualVisits)
		if e.excluded { // by bounds that this simulation found
			t.updatePruned(nd.parent)
		}
		n = nd.parent
	}
}

// backUp adds class probabilities, as seen by the first player, to every node from n to the root and turns the virtual
// visits into visits. At a proven node the exact class replaces the probabilities, for it and all nodes above. backUp
// overwrites classes.
func (t *tree) backUp(n int32, classes []float32) {
	value := t.utility(classes)
	for n != none {
		nd := &t.nodes[n]
		e := &t.edges[nd.inEdge]
		if e.proven() {
			value = t.utilities[e.best]
			clear(classes)
			classes[e.best] = 1
		}
		e.virtualVisits--
		e.visits++
		e.valueSum += value
		sums := t.sumsOf(n)
		for k, p := range classes {
			sums[k] += p
		}
		n = nd.parent
		if n != none {
			t.updateValue(e, t.nodes[n].player)
		}
	}
}
