package model

import "ludus/model/infer/kernel"

// matrix holds the weights [outputs, inputs] of a linear layer in the orders that products read. The trainer computes
// them once per step, and all graphs share them.
type matrix struct {
	weights         []float32 // the parameter
	inputs, outputs int
	in, out         int       // inputs and outputs, each padded to a multiple of 8
	padded          []float32 // [out, in]; shares memory with weights if that has no padding
	transposed      []float32 // [in, out]
	identity        []float32 // [outputs, out]
}

func newMatrix(outputs, inputs int, weights []float32) *matrix {
	in, out := kernel.PadChannels(inputs), kernel.PadChannels(outputs)
	m := &matrix{
		weights: weights, inputs: inputs, outputs: outputs, in: in, out: out, padded: weights,
		transposed: kernel.Aligned(in * out), identity: kernel.Aligned(outputs * out),
	}
	if m.isPadded() {
		m.padded = kernel.Aligned(out * in)
	}
	for i := range outputs {
		m.identity[i*out+i] = 1
	}
	return m
}

func (m *matrix) isPadded() bool { return m.inputs < m.in || m.outputs < m.out }

// prepare brings padded and transposed up to date. A matrix product with the identity transposes faster than a loop.
func (m *matrix) prepare(k *kernel.Scratch) {
	k.Gemm(&kernel.Gemm{
		M: m.inputs, N: m.out, K: m.outputs, A: m.weights, ARow: 1, ACol: m.inputs,
		B: m.identity, BRow: m.out, BPanel: kernel.RowMajor, C: m.transposed, CRow: m.out,
	})
	if m.isPadded() {
		for o := range m.outputs {
			copy(m.padded[o*m.in:], m.weights[o*m.inputs:(o+1)*m.inputs])
		}
	}
}

// gradient computes the gradient of the weights from n rows of the input x [n, in] and of the output's gradient dy
// [n, out].
func (m *matrix) gradient(s *scratch, n int, x, dy, dWeights []float32) {
	padded := dWeights
	if m.isPadded() {
		padded = s.get(bufferGradient, m.out*m.in)
	}
	s.multiply(kernel.Gemm{
		M: m.out, N: m.in, K: n, A: dy, ARow: 1, ACol: m.out,
		B: x, BRow: m.in, BPanel: kernel.RowMajor, C: padded, CRow: m.in,
	})
	if m.isPadded() {
		for o := range m.outputs {
			copy(dWeights[o*m.inputs:(o+1)*m.inputs], padded[o*m.in:])
		}
	}
}
