package mcts

import "ludus/env"

// Evaluator judges positions. It fills logits [B, A], unmasked and in each mover's frame, and outcome probabilities
// classes [B, K], each mover's, for B states. The states are not done, and neither changed nor retained. A row depends
// on its own state alone.
type Evaluator interface {
	Evaluate(states []env.State, logits, classes []float32)
}

// Uniform is an Evaluator that knows nothing: all moves alike, all classes equally likely, utility 0.
type Uniform struct{}

// Evaluate implements Evaluator.
func (Uniform) Evaluate(states []env.State, logits, classes []float32) {
	clear(logits)
	share := float32(len(states)) / float32(len(classes))
	for i := range classes {
		classes[i] = share
	}
}
