package train

import (
	"math"

	"ludus/model"
	"ludus/model/infer"
	"ludus/train/rundir"
)

// A generation's network is examined on one held-out position for so many of the generation's simulations, and on more of
// them, for its calibration, where the run is judged: about 0.6 % of the time spent playing and learning.
const (
	simulationsExamined   = 512
	simulationsCalibrated = 64
	leastExamined         = 32
	calibrationBins       = 10
)

// examine notes in m what the network makes of held-out games.
func (r *run) examine(m *rundir.Metrics, network *infer.Network) {
	n := max(m.Simulations/simulationsExamined, leastExamined)
	if r.judgingDue() {
		n = max(m.Simulations/simulationsCalibrated, leastExamined)
	}
	if n = min(n, r.learner.heldOut.positions); n == 0 {
		return
	}
	e := r.learner.examine(network, n)
	m.PolicyEntropy = e.entropy()
	if r.judgingDue() {
		m.Calibration = e.calibration()
		m.CalibrationError = calibrationError(m.Calibration)
	}
}

// examination is what a network makes of positions.
type examination struct {
	batch     *model.Batch
	logits    []float32 // [n, A]
	classes   []float32 // [n, K]
	predicted []float64 // the mover's expected score
	actual    []float64 // the mover's score at the game's end
}

// examine evaluates n of the held-out positions, at even distances from the oldest to the newest. No generator is used.
func (l *learner) examine(network *infer.Network, n int) *examination {
	game, w := l.window.game, &l.heldOut
	actions, classes, size := game.NumActions(), len(game.Classes), game.Tensor.Size()
	e := &examination{
		batch: model.NewBatch(game, n), logits: make([]float32, n*actions), classes: make([]float32, n*classes),
		predicted: make([]float64, n), actual: make([]float64, n),
	}
	var d draws
	for i := range n {
		d.positions = append(d.positions, i*w.positions/n)
		d.symmetries = append(d.symmetries, 0) // the identity
	}
	l.parallel(batchParts, func(part int) {
		lo, hi := part*n/batchParts, (part+1)*n/batchParts
		if lo == hi {
			return
		}
		l.writers[part].fill(e.batch, lo, hi, w, &d, 0)
		network.NewEvaluator(hi-lo).EvaluateTensors(
			e.batch.Inputs[lo*size:hi*size], e.logits[lo*actions:hi*actions], e.classes[lo*classes:hi*classes], nil)
	})
	for i := range n {
		g, ply := w.position(d.positions[i])
		e.actual[i] = (1 + game.UtilityFor(g.movers[ply], g.outcome)) / 2
		for k, p := range e.classes[i*classes : (i+1)*classes] {
			e.predicted[i] += float64(p) * (1 + float64(game.Classes[k].Utility)) / 2
		}
	}
	return e
}

// entropy is the mean entropy of the policy over the legal actions, in nats.
func (e *examination) entropy() float64 {
	sum, n := 0.0, len(e.actual)
	actions := len(e.logits) / n
	for i := range n {
		sum += maskedEntropy(e.logits[i*actions:(i+1)*actions], e.batch.LegalMask[i*actions:(i+1)*actions])
	}
	return sum / float64(n)
}

// maskedEntropy is the entropy in nats of softmax(logits) over the actions where legal is not 0, one at least:
// H = log Z - sum p l, with the largest logit taken off.
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

// calibration sorts the positions into bins of equal width by the expected score. Bins without positions are left out.
func (e *examination) calibration() (bins []rundir.CalibrationBin) {
	var all [calibrationBins]rundir.CalibrationBin
	for i, p := range e.predicted {
		b := &all[min(max(int(p*calibrationBins), 0), calibrationBins-1)]
		b.Predicted += p
		b.Actual += e.actual[i]
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

// calibrationError is the mean distance of expected and actual scores over the bins, by their counts (expected
// calibration error: Guo et al. 2017, section 2). Chance keeps it above 0 for a perfect network: with n positions by about
// 1 / sqrt(n), and by more where they come from few games.
func calibrationError(bins []rundir.CalibrationBin) float64 {
	sum, n := 0.0, 0
	for _, b := range bins {
		sum += float64(b.Count) * math.Abs(b.Predicted-b.Actual)
		n += b.Count
	}
	return sum / float64(n)
}
