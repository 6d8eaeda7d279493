package learn

import (
	"math"

	"ludus/model"
	"ludus/model/infer"
	"ludus/train/rundir"
)

// Validation evaluates the network that plays a generation on positions of the validation set: one per
// simulationsPerValidation simulations of the generation, in rated generations one per simulationsPerCalibration for the
// calibration, and at least minValidation. That takes about 0.6 % of the time of playing and learning.
const (
	simulationsPerValidation  = 512
	simulationsPerCalibration = 64
	minValidation             = 32
	calibrationBins           = 10
)

// Validate sets in m the entropy of the network's policy on the validation set and, if calibrate, its calibration. It
// draws no random numbers, so it does not affect training.
func (l *Learner) Validate(m *rundir.Metrics, network *infer.Network, calibrate bool) {
	n := m.Simulations / simulationsPerValidation
	if calibrate {
		n = m.Simulations / simulationsPerCalibration
	}
	n = min(max(n, minValidation), l.validation.positions)
	if n == 0 {
		return
	}
	p := l.predict(network, n)
	m.PolicyEntropy = p.entropy()
	if calibrate {
		m.Calibration = p.calibration()
		m.CalibrationError = calibrationError(m.Calibration)
	}
}

// predictions holds a network's evaluations of n positions of the validation set, with A actions and K classes.
type predictions struct {
	batch     *model.Batch
	logits    []float32 // [n, A]
	classes   []float32 // [n, K]
	predicted []float64 // [n] the mover's expected score
	actual    []float64 // [n] the mover's score according to the outcome target
}

// predict evaluates n positions of the validation set, evenly spaced from the oldest to the newest.
func (l *Learner) predict(network *infer.Network, n int) *predictions {
	game, w := l.validation.game, &l.validation
	actions, classes, size := game.NumActions(), len(game.Classes), game.Tensor.Size()
	p := &predictions{
		batch: model.NewBatch(game, n), logits: make([]float32, n*actions), classes: make([]float32, n*classes),
		predicted: make([]float64, n), actual: make([]float64, n),
	}
	l.samples = l.samples[:0]
	for i := range n {
		l.samples = append(l.samples, sample{position: i * w.positions / n}) // untransformed: symmetry 0 is the identity
	}
	l.write(p.batch, w, 0)
	l.parallel(batchParts, func(part int) {
		lo, hi := part*n/batchParts, (part+1)*n/batchParts
		if lo < hi {
			network.NewEvaluator(hi-lo).EvaluateTensors(
				p.batch.Inputs[lo*size:hi*size], p.logits[lo*actions:hi*actions], p.classes[lo*classes:hi*classes], nil)
		}
	})
	for i := range n {
		for k, class := range game.Classes {
			score := (1 + float64(class.Utility)) / 2
			p.predicted[i] += score * float64(p.classes[i*classes+k])
			p.actual[i] += score * float64(p.batch.Outcome[i*classes+k])
		}
	}
	return p
}

// entropy is the mean entropy of the policy over the legal actions, in nats.
func (p *predictions) entropy() float64 {
	sum, n := 0.0, len(p.actual)
	actions := len(p.logits) / n
	for i := range n {
		sum += maskedEntropy(p.logits[i*actions:(i+1)*actions], p.batch.LegalMask[i*actions:(i+1)*actions])
	}
	return sum / float64(n)
}

// maskedEntropy is the entropy in nats of p = softmax(logits) over the actions where legal is not 0, at least one:
// H = log Z - sum p l, where l are the logits minus the largest one and Z = sum exp l.
func maskedEntropy(logits, legal []float32) float64 {
	top := math.Inf(-1)
	for a, l := range logits {
		if legal[a] != 0 {
			top = max(top, float64(l))
		}
	}
	z, weighted := 0.0, 0.0
	for a, l := range logits {
		if legal[a] != 0 {
			x := float64(l) - top
			p := math.Exp(x)
			z += p
			weighted += p * x
		}
	}
	return math.Log(z) - weighted/z
}

// calibration groups the positions by predicted score into ten bins of equal width, and leaves out empty bins.
func (p *predictions) calibration() (bins []rundir.CalibrationBin) {
	var all [calibrationBins]rundir.CalibrationBin
	for i, predicted := range p.predicted {
		b := &all[min(max(int(predicted*calibrationBins), 0), calibrationBins-1)]
		b.Predicted += predicted
		b.Actual += p.actual[i]
		b.Count++
	}
	for _, b := range all {
		if b.Count > 0 {
			b.Predicted /= float64(b.Count)
			b.Actual /= float64(b.Count)
			bins = append(bins, b)
		}
	}
	return bins
}

// calibrationError is the expected calibration error: the mean difference between predicted and actual scores of the bins,
// weighted by their counts (Guo et al. 2017, section 2). Chance keeps it above 0 even for a perfect network: by about 1 /
// sqrt(n) for n independent positions, and by more if they come from few games.
func calibrationError(bins []rundir.CalibrationBin) float64 {
	sum, n := 0.0, 0
	for _, b := range bins {
		sum += float64(b.Count) * math.Abs(b.Predicted-b.Actual)
		n += b.Count
	}
	return sum / float64(n)
}
