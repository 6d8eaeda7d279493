package model

import (
	"math"
	"strings"

	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// Muon's constants: steps and coefficients of the Newton-Schulz iteration x -> a x + b x³ + c x⁵ (Jordan et al. 2024),
// and a factor that gives updates the root mean square that those of AdamW have (Liu et al. 2025, section 2.2).
const (
	newtonSchulzSteps = 5
	newtonSchulzA     = 3.4445
	newtonSchulzB     = -4.7750
	newtonSchulzC     = 2.0315
	muonScale         = 0.2
)

// muon updates the weights W [r, c] of one hidden layer; a convolution is the matrix [outputs, 9 inputs]. It keeps the
// momentum m of the gradient g, and moves W against the orthogonal matrix U nearest to g + b m (Nesterov's momentum):
//
//	m = b m + g        U = orthogonal(g + b m)
//	W = W - rate (0.2 sqrt(max(r, c)) U + decay W)
//
// U has the singular vectors of g + b m, and singular values near 1. So W learns as fast in the directions of small
// gradients as in those of large ones. Source: Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural
// networks"; the scale is from Liu et al. 2025, "Muon is scalable for LLM training".
type muon struct {
	rows, columns    int       // of W
	r, c             int       // likewise, padded for the kernel; the padding of x is 0
	x, next          []float32 // [r, c]
	transposed       []float32 // [c, r]
	s, p, q, product []float32 // [r, r]; see orthogonalise
	identity         []float32 // [r, r]
	kernel           kernel.Scratch
}

// newMuon returns the update of a tensor. It is nil for those that AdamW updates: vectors, the first layer and the last
// layers.
func newMuon(t *infer.Tensor) *muon {
	hidden := strings.HasPrefix(t.Name, "blocks.") || strings.HasSuffix(t.Name, ".hidden.weight") ||
		strings.HasSuffix(t.Name, ".cells.weight")
	if !hidden || len(t.Shape) == 1 {
		return nil
	}
	m := &muon{rows: t.Shape[0], columns: len(t.Data) / t.Shape[0]}
	m.r, m.c = kernel.PadChannels(m.rows), kernel.PadChannels(m.columns)
	m.x, m.next, m.transposed = kernel.Aligned(m.r*m.c), kernel.Aligned(m.r*m.c), kernel.Aligned(m.r*m.c)
	for _, square := range []*[]float32{&m.s, &m.p, &m.q, &m.product, &m.identity} {
		*square = kernel.Aligned(m.r * m.r)
	}
	for i := range m.r {
		m.identity[i*m.r+i] = 1
	}
	return m
}

// update updates w, its momentum and its moving average from the gradient g, which it overwrites. f has the factors of
// the step: gradientScale clips g, weightDecay is rate times decay.
func (m *muon) update(f *adam, rate, beta float32, w, g, momentum, average []float32) {
	for i, v := range g {
		v *= f.gradientScale
		momentum[i] = beta*momentum[i] + v
		g[i] = v + beta*momentum[i]
	}
	scale := float32(1 / (math.Sqrt(sumOfSquares(g)) + 1e-12)) // finite even if g is 0
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
			w[i] -= step*v + f.weightDecay*w[i]
			average[i] += f.averageShare * (w[i] - average[i])
		}
	}
}

// orthogonalise moves the singular values of X = m.x, which are at most 1, close to 1. A step is X = P X with
// P = a I + b S + c S² and S = X Xᵀ. S is smaller than X, and all these matrices but X commute, so the steps compute
// S = P S P instead, and X is multiplied once, by the product Q of all P. Rows and columns of zeros stay zero.
func (m *muon) orthogonalise() {
	r, c := m.r, m.c
	m.kernel.Gemm(&kernel.Gemm{ // a product with the identity transposes faster than a loop
		M: c, N: r, K: r, A: m.x, ARow: 1, ACol: c,
		B: m.identity, BRow: r, BPanel: kernel.RowMajor, C: m.transposed, CRow: r,
	})
	m.multiply(m.s, m.x, m.transposed, r, c)
	for step := range newtonSchulzSteps {
		m.multiply(m.p, m.s, m.s, r, r)
		for i, s := range m.s {
			m.p[i] = newtonSchulzB*s + newtonSchulzC*m.p[i]
		}
		for i := range r {
			m.p[i*r+i] += newtonSchulzA
		}
		if step == 0 {
			copy(m.q, m.p)
		} else {
			m.multiply(m.product, m.p, m.q, r, r)
			m.q, m.product = m.product, m.q
		}
		if step < newtonSchulzSteps-1 {
			m.multiply(m.product, m.p, m.s, r, r)
			m.multiply(m.s, m.product, m.p, r, r)
		}
	}
	m.multiply(m.next, m.q, m.x, c, r)
	m.x, m.next = m.next, m.x
}

// multiply computes dst [r, columns] = a [r, inner] b [inner, columns].
func (m *muon) multiply(dst, a, b []float32, columns, inner int) {
	m.kernel.Gemm(&kernel.Gemm{
		M: m.r, N: columns, K: inner, A: a, ARow: inner, ACol: 1,
		B: b, BRow: columns, BPanel: kernel.RowMajor, C: dst, CRow: columns,
	})
}
