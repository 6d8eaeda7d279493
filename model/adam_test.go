package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAdam compares with the formula in float64.
func TestAdam(t *testing.T) {
	f := adam{
		gradientScale: 0.5, beta1: 0.9, oneMinusBeta1: 0.1, beta2: 0.99, oneMinusBeta2: 0.01, epsilon: 1e-8,
		stepSize: 0.01, rootScale: 1.5, weightDecay: 0.001, averageShare: 0.25,
	}
	const n = 21
	rng := rand.New(rand.NewPCG(1, 2))
	var x, was [5][]float32 // weights, g, m, v, average
	for i := range x {
		for range n {
			x[i] = append(x[i], float32(rng.NormFloat64()))
		}
	}
	for i, v := range x[3] {
		x[3][i] = v * v
	}
	for i := range x {
		was[i] = slices.Clone(x[i])
	}
	f.update(x[0], x[1], x[2], x[3], x[4])
	for i := range n {
		d := 0.5 * float64(was[1][i])
		m, v := 0.9*float64(was[2][i])+0.1*d, 0.99*float64(was[3][i])+0.01*d*d
		weight := float64(was[0][i]) - (0.01*m/(1.5*math.Sqrt(v)+1e-8) + 0.001*float64(was[0][i]))
		average := float64(was[4][i]) + 0.25*(weight-float64(was[4][i]))
		for j, want := range []float64{weight, float64(was[1][i]), m, v, average} {
			if got := float64(x[j][i]); math.Abs(got-want) > 1e-6 {
				t.Errorf("value %d of slice %d: %v, want %v", i, j, got, want)
			}
		}
	}
}
