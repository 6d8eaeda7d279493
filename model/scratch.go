package model

import "ludus/model/infer/kernel"

// Indices of the buffers.
const (
	bufferV        = iota // V, the transformed inputs, or im2col rows
	bufferM               // M, the transformed outputs
	bufferU               // gradient of U, the transformed weights
	bufferGradient        // gradient of padded weights
	bufferSum             // gradient of a ReLU's input or of a figure layer's products P x; a figure layer's products Q h
	bufferHidden          // gradient between the convolutions of a block; products P x or sums of a figure layer, their gradient
	bufferChannels        // one value per channel
	bufferCount
)

// scratch is shared by what one goroutine runs one after another, such as the layers of a graph: the number of samples in
// the current run and temporary memory.
type scratch struct {
	rows    int // samples of the current run
	kernel  kernel.Scratch
	gemm    kernel.Gemm // arguments of the current product
	buffers [bufferCount][]float32
}

// get returns n values of buffer i with undefined content.
func (s *scratch) get(i, n int) []float32 {
	if len(s.buffers[i]) < n {
		s.buffers[i] = kernel.Aligned(n)
	}
	return s.buffers[i][:n]
}

// planes returns buffer i as matrices in the Winograd domain, one per point, each with the given number of values.
func (s *scratch) planes(i, points, values int) kernel.Planes {
	stride := kernel.PlaneStride(values)
	return kernel.Planes{Data: s.get(i, points*stride), Stride: stride}
}

// multiply computes the matrix product g.
func (s *scratch) multiply(g kernel.Gemm) {
	s.gemm = g
	s.kernel.Gemm(&s.gemm)
}
