package model

import (
	"math"
	"testing"

	"ludus/model/infer/kernel"
)

func gaussians(n int, seed uint64) []float32 {
	rng := newRand(seed)
	x := kernel.Aligned(n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// distance is the root mean square of the differences, relative to that of want.
func distance(got, want []float32) float64 {
	d, norm := 0.0, 0.0
	for i, v := range want {
		d += math.Pow(float64(got[i]-v), 2)
		norm += math.Pow(float64(v), 2)
	}
	return math.Sqrt(d / norm)
}

// TestConvolvers compares the Winograd convolver with the direct one, forward and backward, on every size of board,
// with and without accumulation.
func TestConvolvers(t *testing.T) {
	for h := 3; h <= 20; h++ {
		for w := 3; w <= 20; w++ {
			testConvolvers(t, h, w, false)
			testConvolvers(t, h, w, true)
		}
	}
}

func testConvolvers(t *testing.T, h, w int, accumulate bool) {
	const rows, in, out = 5, 24, 8
	f := newFolded(gaussians(out*9*in, 3), gaussians(out, 6))
	s := &scratch{rows: rows}
	x, dy := gaussians(rows*h*w*in, 1), gaussians(rows*h*w*out, 2)
	bias, before := gaussians(out, 4), gaussians(max(len(x), len(dy), len(f.product)), 5)
	var y, dx, dWeights [2][]float32
	for i, c := range []convolver{f.convolver(h, w), &direct{h, w, f}} {
		for _, prepare := range c.prepare() {
			prepare(&s.kernel)
		}
		y[i] = append(y[i], before[:len(dy)]...)
		c.forward(s, x, y[i], kernel.Epilogue{Bias: bias, Accumulate: accumulate, ReLU: true})
		dx[i], dWeights[i] = append(dx[i], before[:len(x)]...), append(dWeights[i], before[:len(f.product)]...)
		c.backward(s, x, dy, dx[i], dWeights[i], accumulate)
	}
	for name, pair := range map[string][2][]float32{"result": y, "input's gradient": dx, "weights' gradient": dWeights} {
		if d := distance(pair[0], pair[1]); !(d < 5e-5) {
			t.Errorf("%dx%d, accumulate %v: %s is %.1e off", h, w, accumulate, name, d)
		}
	}
}
