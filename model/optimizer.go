package model

import (
	"fmt"
	"math"
	"slices"
)

// Constants of the optimizer; the decay rates and epsilon are those of the papers.
const (
	clipNorm float64 = 1     // largest norm of the gradient over all parameters
	momentum float32 = 0.95  // decay rate of Muon's momentum
	beta1    float64 = 0.9   // decay rate of Adam's first moment
	beta2    float64 = 0.999 // decay rate of Adam's second moment
	epsilon  float32 = 1e-8  // added to Adam's denominator
)

// optimizer updates the weights of hidden layers by [muon] and all other parameters by AdamW, which is Adam with
// decoupled weight decay. It clips the gradient's norm and keeps a moving average of the weights. With gradient g,
// scaled to a norm of at most clipNorm over all parameters, step t of AdamW computes
//
//	m = b1 m + (1-b1) g        v = b2 v + (1-b2) g^2
//	w = w - rate (m / (1-b1^t) / (sqrt(v / (1-b2^t)) + eps) + decay w)
//	average = average + (w - average) / h
//
// Only parameters of two or more axes decay: matrices and convolutions, not scales and biases. h is averageHorizon(t).
// Source: Loshchilov and Hutter 2019, "Decoupled weight decay regularization", algorithm 2.
type optimizer struct {
	config  Config
	params  *parameters
	moment1 [][]float32 // m; of a hidden layer, Muon's momentum
	moment2 [][]float32 // v; of a hidden layer unused
	average [][]float32
	steps   int

	parallel   func(n int, do func(i int)) // runs the chunks of a step
	chunks     []chunk
	hidden     []hiddenLayer
	adamChunks []int       // indices of the chunks that AdamW updates
	gradients  [][]float32 // [parameter] of the current step
	squareSums []float64   // sum of squares of each chunk's gradient
	factors    adam        // of the current step
	rate       float32     // of the current step
	squareFunc func(i int) // method squareChunk, bound once to save allocations
	updateFunc func(i int) // method update
}

// hiddenLayer is a parameter that Muon updates.
type hiddenLayer struct {
	parameter int
	muon      *muon
}

// newOptimizer returns an optimizer of p.
func newOptimizer(config Config, p *parameters, parallel func(n int, do func(i int))) *optimizer {
	o := &optimizer{
		config: config, params: p, moment1: p.zeros(), moment2: p.zeros(), average: p.zeros(),
		parallel: parallel, chunks: p.chunks(),
	}
	isHidden := make([]bool, len(p.values))
	for i, v := range p.values {
		copy(o.average[i], v)
		if m := newMuon(&p.tensors[i]); m != nil {
			o.hidden, isHidden[i] = append(o.hidden, hiddenLayer{i, m}), true
		}
	}
	slices.SortStableFunc(o.hidden, func(a, b hiddenLayer) int { // the longest task first
		return len(p.values[b.parameter]) - len(p.values[a.parameter])
	})
	for i, c := range o.chunks {
		if !isHidden[c.parameter] {
			o.adamChunks = append(o.adamChunks, i)
		}
	}
	o.squareSums = make([]float64, len(o.chunks))
	o.squareFunc, o.updateFunc = o.squareChunk, o.update
	return o
}

// step updates all parameters from their gradients. If a gradient is not finite it returns an error and changes no
// parameter.
func (o *optimizer) step(rate float64, gradients [][]float32) error {
	o.gradients = gradients
	scale, err := o.clip()
	if err != nil {
		return err
	}
	o.steps++
	t := float64(o.steps)
	o.factors = adam{
		gradientScale: scale,
		beta1:         float32(beta1), oneMinusBeta1: float32(1 - beta1),
		beta2: float32(beta2), oneMinusBeta2: float32(1 - beta2),
		epsilon:      epsilon,
		stepSize:     float32(rate / (1 - math.Pow(beta1, t))),
		rootScale:    float32(1 / math.Sqrt(1-math.Pow(beta2, t))),
		weightDecay:  float32(rate * o.config.WeightDecay),
		averageShare: float32(1 / averageHorizon(t)),
	}
	o.rate = float32(rate)
	o.parallel(len(o.hidden)+len(o.adamChunks), o.updateFunc)
	return nil
}

// clip computes the gradient's norm and returns the factor, at most 1, that limits it to clipNorm. It returns an error
// if the norm is not finite.
func (o *optimizer) clip() (float32, error) {
	o.parallel(len(o.chunks), o.squareFunc)
	sum := 0.0
	for _, v := range o.squareSums {
		sum += v
	}
	norm := math.Sqrt(sum)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return 0, fmt.Errorf("%w: the gradient norm is %v", ErrDiverged, norm)
	}
	if norm <= clipNorm {
		return 1, nil
	}
	return float32(clipNorm / norm), nil
}

// squareChunk writes the sum of squares of chunk i's gradients to o.squareSums[i].
func (o *optimizer) squareChunk(i int) { o.squareSums[i] = sumOfSquares(o.chunks[i].of(o.gradients)) }

// sumOfSquares returns the sum of squares of x. It uses four independent sums, so additions do not wait for each other.
func sumOfSquares(x []float32) float64 {
	var sums [4]float64
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d := float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])
		sums[0] += a * a
		sums[1] += b * b
		sums[2] += c * c
		sums[3] += d * d
	}
	for _, v := range x {
		sums[0] += float64(v) * float64(v)
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}

// update updates hidden layer i, if there are more than i of them; otherwise one of AdamW's chunks.
func (o *optimizer) update(i int) {
	if i < len(o.hidden) {
		h := o.hidden[i]
		h.muon.update(&o.factors, o.rate, momentum,
			o.params.values[h.parameter], o.gradients[h.parameter], o.moment1[h.parameter], o.average[h.parameter])
		return
	}
	i = o.adamChunks[i-len(o.hidden)]
	c, factors := o.chunks[i], o.factors
	if len(o.params.tensors[c.parameter].Shape) == 1 {
		factors.weightDecay = 0
	}
	factors.update(c.of(o.params.values), c.of(o.gradients), c.of(o.moment1), c.of(o.moment2), c.of(o.average))
}

// averageHorizon is the number of steps that the moving average covers after t steps: 5 % of them, at least 20. During
// the first 20 steps it covers all of them (t) equally, so the initial weights leave no trace.
func averageHorizon(t float64) float64 { return min(t, max(20, 0.05*t)) }
