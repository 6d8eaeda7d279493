package model

import (
	"fmt"
	"math"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// adamW is a gorgonia.Solver: Adam with decoupled weight decay and clipping of the gradient's norm. With gradient g,
// scaled so that the norm over all parameters is at most Clip, step t does
//
//	m = b1 m + (1-b1) g        v = b2 v + (1-b2) g^2
//	w = w - rate (m / (1-b1^t) / (sqrt(v / (1-b2^t)) + eps) + decay w)
//
// where only parameters of two axes or more decay: matrices and convolutions, not scales and biases.
// Source: Loshchilov and Hutter 2019, "Decoupled weight decay regularization", algorithm 2.
type adamW struct {
	config Config
	rate   float64
	steps  int
	first  [][]float32 // m, one slice a parameter
	second [][]float32 // v
}

// Step updates the values of all parameters from their gradients, which it may scale. A gradient that is not finite is
// an error and changes nothing.
func (s *adamW) Step(model []gorgonia.ValueGrad) error {
	scale, err := s.clip(model)
	if err != nil {
		return err
	}
	s.steps++
	u := update{
		scale: scale, b1: float32(s.config.Beta1), b2: float32(s.config.Beta2), eps: float32(s.config.Eps),
		rate1: float32(s.rate / (1 - math.Pow(s.config.Beta1, float64(s.steps)))),
		root2: float32(1 / math.Sqrt(1-math.Pow(s.config.Beta2, float64(s.steps)))),
	}
	for i, p := range model {
		w, g, err := valueAndGrad(p)
		if err != nil {
			return err
		}
		u.decay = 0
		if len(p.Value().Shape()) > 1 {
			u.decay = float32(s.rate * s.config.Decay)
		}
		u.apply(w, g, s.first[i], s.second[i])
	}
	return nil
}

// clip returns the factor that brings the gradient's norm down to the limit, at most 1.
func (s *adamW) clip(model []gorgonia.ValueGrad) (float32, error) {
	sum := 0.0
	for _, p := range model {
		_, g, err := valueAndGrad(p)
		if err != nil {
			return 0, err
		}
		for _, v := range g {
			sum += float64(v) * float64(v)
		}
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

func valueAndGrad(p gorgonia.ValueGrad) (w, g []float32, err error) {
	grad, err := p.Grad()
	if err != nil {
		return nil, nil, fmt.Errorf("solver: %w", err)
	}
	value, ok := p.Value().(*tensor.Dense)
	gradient, ok2 := grad.(*tensor.Dense)
	if !ok || !ok2 {
		return nil, nil, fmt.Errorf("solver: value %T and gradient %T; want dense tensors", p.Value(), grad)
	}
	return value.Float32s(), gradient.Float32s(), nil
}

// update holds the factors of one step.
type update struct {
	scale, b1, b2, eps float32
	rate1              float32 // rate / (1 - b1^t)
	root2              float32 // 1 / sqrt(1 - b2^t)
	decay              float32 // rate decay, 0 for what does not decay
}

func (u update) apply(w, g, m, v []float32) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	for i := range w {
		d := g[i] * u.scale
		m[i] = u.b1*m[i] + (1-u.b1)*d
		v[i] = u.b2*v[i] + (1-u.b2)*d*d
		root := float32(math.Sqrt(float64(v[i])))
		w[i] -= u.rate1*m[i]/(root*u.root2+u.eps) + u.decay*w[i]
	}
}

// parameter is one parameter's value and gradient, as gorgonia.Solver takes them.
type parameter struct{ value, grad *tensor.Dense }

func (p parameter) Value() gorgonia.Value         { return p.value }
func (p parameter) Grad() (gorgonia.Value, error) { return p.grad, nil }
