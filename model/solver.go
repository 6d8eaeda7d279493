package model

import (
	"fmt"
	"math"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/model/infer/kernel"
)

// adamW is a gorgonia.Solver: Adam with decoupled weight decay, clipping of the gradient's norm, and a moving average of
// the weights. With gradient g, scaled so that the norm over all parameters is at most Clip, step t does
//
//	m = b1 m + (1-b1) g        v = b2 v + (1-b2) g^2
//	w = w - rate (m / (1-b1^t) / (sqrt(v / (1-b2^t)) + eps) + decay w)
//	average = average + (w - average) / h
//
// where only parameters of two axes or more decay: matrices and convolutions, not scales and biases; h is the average's
// horizon. Source: Loshchilov and Hutter 2019, "Decoupled weight decay regularization", algorithm 2.
type adamW struct {
	config  Config
	rate    float64
	steps   int
	first   [][]float32 // m, one slice a parameter
	second  [][]float32 // v
	average [][]float32

	parallel func(n int, do func(i int)) // runs the pieces of a step
	pieces   []piece
	gather   func(piece)     // called for every piece before its gradient is read
	squares  []float64       // sum of the squares of each piece's gradient
	workers  []kernel.Worker // one a piece

	// What the pieces of the step being done share.
	model       []gorgonia.ValueGrad
	factors     kernel.Adam
	square, one func(piece int) // the methods squareOf and updatePiece, bound once
}

func newAdamW(
	config Config, p *parameters, average [][]float32, parallel func(n int, do func(i int)), gather func(piece),
) *adamW {
	s := &adamW{
		config: config, first: p.zeros(), second: p.zeros(), average: average,
		parallel: parallel, pieces: p.pieces(), gather: gather,
	}
	s.squares, s.workers = make([]float64, len(s.pieces)), make([]kernel.Worker, len(s.pieces))
	s.square, s.one = s.squareOf, s.updatePiece
	return s
}

// Step updates the values of all parameters from their gradients. A gradient that is not finite is an error and changes
// nothing.
func (s *adamW) Step(model []gorgonia.ValueGrad) error {
	s.model = model
	scale, err := s.clip()
	if err != nil {
		return err
	}
	s.steps++
	t, c := float64(s.steps), s.config
	s.factors = kernel.Adam{
		Scale: scale, B1: float32(c.Beta1), C1: float32(1 - c.Beta1), B2: float32(c.Beta2), C2: float32(1 - c.Beta2),
		Eps:   float32(c.Eps),
		Rate:  float32(s.rate / (1 - math.Pow(c.Beta1, t))),
		Root:  float32(1 / math.Sqrt(1-math.Pow(c.Beta2, t))),
		Decay: float32(s.rate * c.Decay),
		Share: float32(1 / horizon(t)),
	}
	s.parallel(len(s.pieces), s.one)
	return nil
}

// clip returns the factor that brings the gradient's norm down to the limit, at most 1.
func (s *adamW) clip() (float32, error) {
	s.parallel(len(s.pieces), s.square)
	sum := 0.0
	for _, v := range s.squares {
		sum += v
	}
	norm := math.Sqrt(sum)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return 0, fmt.Errorf("%w: the gradient's norm is %v", ErrDiverged, norm)
	}
	if norm <= s.config.Clip {
		return 1, nil
	}
	return float32(s.config.Clip / norm), nil
}

func (s *adamW) squareOf(i int) {
	s.gather(s.pieces[i])
	_, g := s.slices(s.pieces[i])
	var sums [4]float64 // side by side, as no addition needs to wait for the one before it
	for ; len(g) >= 4; g = g[4:] {
		a, b, c, d := float64(g[0]), float64(g[1]), float64(g[2]), float64(g[3])
		sums[0] += a * a
		sums[1] += b * b
		sums[2] += c * c
		sums[3] += d * d
	}
	for _, v := range g {
		sums[0] += float64(v) * float64(v)
	}
	s.squares[i] = sums[0] + sums[1] + sums[2] + sums[3]
}

func (s *adamW) updatePiece(i int) {
	p, factors := s.pieces[i], s.factors
	if len(s.model[p.parameter].Value().Shape()) == 1 {
		factors.Decay = 0
	}
	w, g := s.slices(p)
	s.workers[i].Adam(factors, w, g, p.of(s.first), p.of(s.second), p.of(s.average))
}

// slices returns a piece's values and gradient, which must be dense.
func (s *adamW) slices(p piece) (w, g []float32) {
	grad, err := s.model[p.parameter].Grad()
	if err != nil {
		panic("model: parameter without a gradient")
	}
	value := s.model[p.parameter].Value().(*tensor.Dense).Float32s()
	return value[p.from:p.to], grad.(*tensor.Dense).Float32s()[p.from:p.to]
}

// The average's horizon: a share of the steps so far, and a least number of steps.
const (
	averageShare = 0.05
	averageSteps = 20
)

// horizon is max(averageSteps, averageShare t) after t steps; the first steps are averaged alike (t), so that the fresh
// weights leave no trace.
func horizon(t float64) float64 { return min(t, max(averageSteps, averageShare*t)) }

// parameter is one parameter's value and gradient, as gorgonia.Solver takes them.
type parameter struct{ value, grad *tensor.Dense }

func (p parameter) Value() gorgonia.Value         { return p.value }
func (p parameter) Grad() (gorgonia.Value, error) { return p.grad, nil }
