package model

import "ludus/model/infer/kernel"

// padChannels is the number of channels, a multiple of 8, that a layer's input or output of c channels is stored with. Further
// channels are zeros.
func padChannels(c int) int { return (c + 7) &^ 7 }

// The buffers of a scratch.
const (
	bufferV        = iota // transformed inputs, or neighbourhoods
	bufferM               // transformed outputs
	bufferU               // transformed weights
	bufferWeights         // weights in another order
	bufferGradient        // and their gradient
	bufferSum             // gradient of a ReLU's argument
	bufferHidden          // gradient within a block
	bufferChannels        // one value a channel
	bufferCount
)

// scratch is what the layers of one graph share: the number of samples to run, of the shardRows that they have room
// for, and memory, as they run one after another.
type scratch struct {
	rows    int
	worker  kernel.Worker
	gemm    kernel.Gemm // the arguments of the product being done
	buffers [bufferCount][]float32
}

// get returns buffer i with n values of any content.
func (s *scratch) get(i, n int) []float32 {
	if len(s.buffers[i]) < n {
		s.buffers[i] = kernel.Aligned(n)
	}
	return s.buffers[i][:n]
}

// planes returns buffer i as matrices of so many values.
func (s *scratch) planes(i, points, values int) kernel.Planes {
	stride := kernel.PlaneStride(values)
	return kernel.Planes{Data: s.get(i, points*stride), Stride: stride}
}

// multiply runs a product on the graph's worker.
func (s *scratch) multiply(g kernel.Gemm) {
	s.gemm = g
	s.worker.Gemm(&s.gemm)
}
