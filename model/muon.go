package model

import (
	"math"
	"strings"

	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// Muon's constants. The coefficients are those of the quintic Newton-Schulz iteration.
const (
	newtonSchulzSteps = 5
	newtonSchulzA     = 3.4445
	newtonSchulzB     = -4.7750
	newtonSchulzC     = 2.0315
	muonScale         = 0.2 // gives an update the root mean square that AdamW's have (Liu et al. 2025, section 2.2)
)

// muon updates the weights W [r, c] of one hidden layer, a convolution being the matrix [outputs, 9 inputs]. It keeps a
// momentum m of the gradient g and moves W along the nearest matrix with orthogonal rows or columns:
//
//	m = b m + g        U = orthogonal(g + b m)
//	W = W - rate (0.2 sqrt(max(r, c)) U + decay W)
//
// So all directions of the matrix are learned equally fast, not only those of the largest gradients. Source: Jordan et
// al. 2024, "Muon: An optimizer for hidden layers"; the scale is from Liu et al. 2025, "Muon is scalable for LLM
// training".
type muon struct {
	rows, columns   int       // of W
	r, c            int       // padded to multiples of 8
	x, next         []float32 // [r, c]
	transposed      []float32 // [c, r]
	square, quartic []float32 // [r, r]: X Xᵀ and (X Xᵀ)²
	worker          kernel.Worker
}

// newMuon returns the update of a tensor; nil if AdamW updates it: a vector, the first layer or a last layer.
func newMuon(t *infer.Tensor) *muon {
	hidden := strings.HasPrefix(t.Name, "blocks.") || strings.HasSuffix(t.Name, ".hidden.weight") ||
		strings.HasSuffix(t.Name, ".cells.weight")
	if !hidden || len(t.Shape) == 1 {
		return nil
	}
	m := &muon{rows: t.Shape[0], columns: len(t.Data) / t.Shape[0]}
	m.r, m.c = kernel.PadChannels(m.rows), kernel.PadChannels(m.columns)
	m.x, m.next, m.transposed = kernel.Aligned(m.r*m.c), kernel.Aligned(m.r*m.c), kernel.Aligned(m.r*m.c)
	m.square, m.quartic = kernel.Aligned(m.r*m.r), kernel.Aligned(m.r*m.r)
	return m
}

// update updates w, its momentum and its moving average from the gradient g. f has the factors of the step.
func (m *muon) update(f *kernel.Adam, rate, beta float32, w, g, momentum, average []float32) {
	norm := 0.0
	for i, v := range g {
		v *= f.GradientScale
		momentum[i] = beta*momentum[i] + v
		g[i] = v + beta*momentum[i]
		norm += float64(g[i]) * float64(g[i])
	}
	scale := float32(1 / (math.Sqrt(norm) + 1e-12))
	for row := range m.rows {
		x := m.x[row*m.c:][:m.columns]
		for i, v := range g[row*m.columns:][:m.columns] {
			x[i] = scale * v
		}
	}
	m.orthogonalise()
	step := rate * muonScale * float32(math.Sqrt(float64(max(m.rows, m.columns))))
	for row := range m.rows {
		from := row * m.columns
		w, average := w[from:from+m.columns], average[from:from+m.columns]
		for i, v := range m.x[row*m.c:][:m.columns] {
			w[i] -= step*v + f.WeightDecay*w[i]
			average[i] += f.AverageShare * (w[i] - average[i])
		}
	}
}

// orthogonalise moves the singular values of m.x, which are at most 1, close to 1, by steps X = a X + (b S + c S²) X
// with S = X Xᵀ. Zero rows and columns stay zero.
func (m *muon) orthogonalise() {
	r, c := m.r, m.c
	for range newtonSchulzSteps {
		for i := range r {
			for j, v := range m.x[i*c : (i+1)*c] {
				m.transposed[j*r+i] = v
			}
		}
		multiply := func(dst, a, b []float32, columns, inner int) {
			m.worker.Gemm(&kernel.Gemm{
				M: r, N: columns, K: inner, A: a, ARow: inner, ACol: 1, B: b, BRow: columns, BPanel: 16, C: dst, CRow: columns,
			})
		}
		multiply(m.square, m.x, m.transposed, r, c)
		multiply(m.quartic, m.square, m.square, r, r)
		for i, s := range m.square {
			m.quartic[i] = newtonSchulzB*s + newtonSchulzC*m.quartic[i]
		}
		for i := range r {
			m.quartic[i*r+i] += newtonSchulzA
		}
		multiply(m.next, m.quartic, m.x, c, r)
		m.x, m.next = m.next, m.x
	}
}
