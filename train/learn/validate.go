package learn

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/rundir"
)

// Validation evaluates the network that plays a generation on positions of the validation set: one per
// simulationsPerValidation simulations of the generation, and at least minValidation.
const (
	simulationsPerValidation = 512
	minValidation            = 32
)

// Validate sets in m the mean entropy of the network's policy on the validation set of game's size. It draws no random
// numbers, so it does not affect training.
func (l *Learner) Validate(m *rundir.Metrics, game *env.Game, network *infer.Network) {
	s := l.sizes[l.index(game)]
	if n := min(max(m.Simulations/simulationsPerValidation, minValidation), s.validation.positions); n > 0 {
		m.PolicyEntropy = l.policyEntropy(s, network, n)
	}
}

// policyEntropy is the mean entropy in nats of the network's policy over the legal actions, in n positions of the validation
// set of size s, evenly spaced from the oldest to the newest.
func (l *Learner) policyEntropy(s *size, network *infer.Network, n int) float64 {
	game, w := s.game, &s.validation
	batch := model.NewBatch(game, n)
	l.samples = l.samples[:0]
	for i := range n {
		l.samples = append(l.samples, sample{position: i * w.positions / n}) // untransformed: symmetry 0 is the identity
	}
	l.write(batch, s, w, 0) // value mix 0: targets are not used
	actions, size := game.NumActions(), game.Tensor.Size()
	entropies := make([]float64, n)
	l.parallel(batchParts, func(part int) {
		lo, hi := part*n/batchParts, (part+1)*n/batchParts
		if lo == hi {
			return
		}
		logits, classes := make([]float32, (hi-lo)*actions), make([]float32, (hi-lo)*len(game.Classes))
		network.NewEvaluator(hi-lo).EvaluateTensors(batch.Inputs[lo*size:hi*size], logits, classes, nil)
		for i := lo; i < hi; i++ {
			entropies[i] = maskedEntropy(logits[(i-lo)*actions:(i-lo+1)*actions], batch.LegalMask[i*actions:(i+1)*actions])
		}
	})
	return stat.Mean(entropies, nil)
}

// maskedEntropy is the entropy in nats of softmax(logits) over the actions where legal is not 0, at least one.
func maskedEntropy(logits, legal []float32) float64 {
	var p []float64
	for a, l := range logits {
		if legal[a] != 0 {
			p = append(p, float64(l))
		}
	}
	logSum := floats.LogSumExp(p)
	for i, l := range p {
		p[i] = math.Exp(l - logSum)
	}
	return stat.Entropy(p)
}
