package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ludus/model/infer"
)

// TestMuon compares one update of random matrices, wide, tall and of odd sizes, with the singular value decomposition:
// the update has the gradient's singular vectors and singular values near 1, times the scale.
func TestMuon(t *testing.T) {
	for _, shape := range [][]int{{32, 3, 3, 32}, {16, 8}, {12, 3, 3, 12}, {64, 400}} {
		tensor := &infer.Tensor{Name: "blocks.0.conv1", Shape: shape}
		rows, columns := shape[0], 1
		for _, n := range shape[1:] {
			columns *= n
		}
		tensor.Data = make([]float32, rows*columns)
		m := newMuon(tensor)
		rng := rand.New(rand.NewPCG(1, 2))
		g := make([]float32, rows*columns)
		gradient := mat.NewDense(rows, columns, nil)
		for i := range g {
			g[i] = float32(rng.NormFloat64())
			gradient.Set(i/columns, i%columns, float64(g[i]))
		}
		w, average := make([]float32, len(g)), make([]float32, len(g))
		m.update(&adam{gradientScale: 1, averageShare: 0.5}, 1, 0.95, w, g, make([]float32, len(g)), average)

		var svd mat.SVD
		if !svd.Factorize(gradient, mat.SVDThin) {
			t.Fatal("no decomposition")
		}
		var u, v, product, singular mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		update := mat.NewDense(rows, columns, nil)
		for i, x := range w {
			update.Set(i/columns, i%columns, -float64(x)/(0.2*math.Sqrt(float64(max(rows, columns)))))
			if average[i] != w[i]/2 {
				t.Fatalf("average %v of weight %v", average[i], w[i])
			}
		}
		product.Mul(u.T(), update)
		singular.Mul(&product, &v)
		for i := range min(rows, columns) {
			for j := range min(rows, columns) {
				x := singular.At(i, j)
				if i == j && (x < 0.3 || x > 1.3) || i != j && math.Abs(x) > 1e-3 {
					t.Errorf("%v: entry %d, %d in the basis of singular vectors is %v", shape, i, j, x)
				}
			}
		}
	}
}

// TestMuonUpdatesHiddenLayers lists what Muon updates.
func TestMuonUpdatesHiddenLayers(t *testing.T) {
	for name, want := range map[string]bool{
		"stem.conv": false, "blocks.1.conv2": true, "blocks.0.1.figures.weight": true, "blocks.0.1.cells.weight": true,
		"policy.hidden.weight": true, "policy.planes.weight": false,
		"outcome.cells.weight": true, "outcome.hidden.weight": true, "outcome.classes.weight": false, "goals.weight": false,
	} {
		if got := newMuon(&infer.Tensor{Name: name, Shape: []int{8, 8}, Data: make([]float32, 64)}) != nil; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if newMuon(&infer.Tensor{Name: "blocks.0.scale1", Shape: []int{8}, Data: make([]float32, 8)}) != nil {
		t.Error("Muon updates a vector")
	}
}

// TestMuonFactors checks three factors of an update: weight decay, momentum, which moves the weights on when the
// gradient is 0, and that the gradient's scale does not matter.
func TestMuonFactors(t *testing.T) {
	const n = 64
	tensor := &infer.Tensor{Name: "blocks.0.conv1", Shape: []int{8, 8}, Data: make([]float32, n)}
	gradient := func() []float32 {
		rng, g := rand.New(rand.NewPCG(3, 4)), make([]float32, n)
		for i := range g {
			g[i] = float32(rng.NormFloat64())
		}
		return g
	}
	update := func(f adam, w, g, momentum []float32) []float32 {
		newMuon(tensor).update(&f, 0.1, 0.95, w, g, momentum, make([]float32, n))
		return w
	}
	ones := func() []float32 { return slices.Repeat([]float32{1}, n) }
	momentum := make([]float32, n)
	plain := update(adam{gradientScale: 1}, ones(), gradient(), momentum)
	decayed := update(adam{gradientScale: 1, weightDecay: 0.25}, ones(), gradient(), make([]float32, n))
	scaled := update(adam{gradientScale: 0.5}, ones(), gradient(), make([]float32, n))
	further := update(adam{gradientScale: 1}, slices.Clone(plain), make([]float32, n), momentum)
	for i := range plain {
		if math.Abs(float64(plain[i]-decayed[i]-0.25)) > 1e-6 {
			t.Fatalf("weight 1 becomes %v, with decay 0.25 %v", plain[i], decayed[i])
		}
		if math.Abs(float64(plain[i]-scaled[i])) > 1e-5 {
			t.Fatalf("a gradient of half the size gives %v, want %v", scaled[i], plain[i])
		}
		if step := plain[i] - 1; math.Abs(float64(further[i]-plain[i]-step)) > 1e-5 {
			t.Fatalf("with momentum alone the weight changes by %v after %v", further[i]-plain[i], step)
		}
	}
}
