package model

import (
	"math"

	"ludus/model/infer"
)

// lanes is the number of channels, a multiple of 8, that a layer's input or output of c channels is stored with. Further
// channels are zeros.
func lanes(c int) int { return (c + 7) &^ 7 }

// scratch is memory that the layers of one graph share; they run one after another.
type scratch struct{ buffers [6][]float32 }

// get returns buffer i with n values of any content.
func (s *scratch) get(i, n int) []float32 {
	if len(s.buffers[i]) < n {
		s.buffers[i] = infer.Aligned(n)
	}
	return s.buffers[i][:n]
}

// conv is y = relu(scale conv(x) + bias + residual), a 3x3 convolution of boards x [rows, H, W, in] with weights
// [maps, 3, 3, planes]; in and out are the lanes of planes and maps. The scale is folded into the weights.
type conv struct {
	rows, h, w   int
	planes, maps int
	in, out      int
	folded       []float32 // [out, 3, 3, in], of the last forward run
	scratch      *scratch
}

func newConv(rows, h, w, planes, maps int, s *scratch) *conv {
	in, out := lanes(planes), lanes(maps)
	return &conv{rows, h, w, planes, maps, in, out, infer.Aligned(out * 9 * in), s}
}

// size is the number of values of y.
func (c *conv) size() int { return c.rows * c.h * c.w * c.out }

// forward computes y; residual may be nil.
func (c *conv) forward(x, weights, scale, bias, residual, y []float32) {
	for o, s := range scale {
		for tap := o * 9; tap < o*9+9; tap++ {
			row := c.folded[tap*c.in : tap*c.in+c.planes]
			for i, v := range weights[tap*c.planes : (tap+1)*c.planes] {
				row[i] = s * v
			}
		}
	}
	if residual == nil {
		clear(y)
	} else {
		copy(y, residual)
	}
	c.convolve(y, x, c.folded, c.in, c.out)
	for i := 0; i < len(y); i += c.out {
		row := y[i:][:len(bias)]
		for o, v := range bias {
			row[o] = max(row[o]+v, 0)
		}
	}
}

// convolve adds the convolution of src to dst.
func (c *conv) convolve(dst, src, weights []float32, in, out int) {
	cells := c.h * c.w
	columns := c.scratch.get(0, cells*9*in)
	for i := range c.rows {
		to, from := dst[i*cells*out:(i+1)*cells*out], src[i*cells*in:(i+1)*cells*in]
		infer.Conv3x3(to, from, weights, columns, c.h, c.w, in, out)
	}
}

// gate computes the gradient dSum of the ReLU's argument, and its sum dBias over all cells.
func (c *conv) gate(y, dy, dSum, dBias []float32) {
	clear(dBias)
	for i := 0; i < len(y); i += c.out {
		y, dy, dSum := y[i:][:len(dBias)], dy[i:][:len(dBias)], dSum[i:][:len(dBias)]
		for o, v := range dy {
			v = where(y[o], v)
			dSum[o] = v
			dBias[o] += v
		}
	}
}

// where is v if y, the result of a ReLU, is positive, and else 0: without a branch that half of the time goes wrong.
func where(y, v float32) float32 {
	positive := -int32(math.Float32bits(y)) >> 31 // all ones or all zeros
	return math.Float32frombits(math.Float32bits(v) & uint32(positive))
}

// backward computes the gradients of weights and scale and, unless dx is nil, that of x plus the addend, if any, from
// that of the ReLU's argument.
func (c *conv) backward(x, weights, scale, dSum, addend, dx, dWeights, dScale []float32) {
	folded := c.scratch.get(4, len(c.folded))
	c.weightGradient(x, dSum, folded)
	for o, s := range scale {
		sum := float32(0)
		for tap := o * 9; tap < o*9+9; tap++ {
			w, dw := weights[tap*c.planes:(tap+1)*c.planes], dWeights[tap*c.planes:(tap+1)*c.planes]
			for i, g := range folded[tap*c.in:][:len(w)] {
				sum += g * w[i]
				dw[i] = g * s
			}
		}
		dScale[o] = sum
	}
	if dx == nil {
		return
	}
	if addend == nil {
		clear(dx)
	} else {
		copy(dx, addend)
	}
	c.inputGradient(dSum, dx)
}

// inputGradient adds to dx the convolution of the output's gradient by the weights turned by half a turn, their channels
// exchanged.
func (c *conv) inputGradient(dy, dx []float32) {
	turned := c.scratch.get(1, c.in*9*c.out)
	for o := range c.out {
		for tap := range 9 {
			for i, v := range c.folded[(o*9+tap)*c.in : (o*9+tap+1)*c.in] {
				turned[(i*9+8-tap)*c.out+o] = v
			}
		}
	}
	c.convolve(dx, dy, turned, c.out, c.in)
}

// weightGradient sums, over all cells of all rows, the products of the output's gradient and the neighbourhoods of x.
// Both are transposed some rows of the batch at a time, so that cells lie side by side and dot products are long.
func (c *conv) weightGradient(x, dy, dw []float32) {
	cells := c.h * c.w
	step := min(c.rows, 4*((256/4+cells-1)/cells)) // rows of the batch at a time, a multiple of 4
	clear(dw)
	for first := 0; first < c.rows; first += step {
		n := min(step, c.rows-first) * cells
		x := transpose(c.scratch.get(1, c.in*n), x[first*cells*c.in:], n, c.in)
		dy := transpose(c.scratch.get(2, c.out*n), dy[first*cells*c.out:], n, c.out)
		columns := c.scratch.get(3, 9*c.in*n)
		c.shift(columns, x, n)
		infer.GemmNT(c.out, 9*c.in, n, dy, n, columns, n, dw, 9*c.in)
	}
}

// shift writes for each of the 9 taps the boards x [in, n] moved so that a cell holds the tap's neighbour, zero outside.
func (c *conv) shift(dst, x []float32, n int) {
	for tap := range 9 {
		dy, dx := tap/3-1, tap%3-1
		offset := dy*c.w + dx
		lo, hi := max(0, -offset), min(n, n-offset)
		for i := range c.in {
			row := dst[(tap*c.in+i)*n : (tap*c.in+i+1)*n]
			clear(row[:lo])
			copy(row[lo:hi], x[i*n+lo+offset:i*n+hi+offset])
			clear(row[hi:])
			c.clearOutside(row, dy, dx)
		}
	}
}

// clearOutside zeroes the cells of boards whose neighbour at (dy, dx) is outside.
func (c *conv) clearOutside(row []float32, dy, dx int) {
	cells := c.h * c.w
	for board := 0; board < len(row); board += cells {
		if dy < 0 {
			clear(row[board : board+c.w])
		} else if dy > 0 {
			clear(row[board+cells-c.w : board+cells])
		}
		if dx == 0 {
			continue
		}
		column := 0
		if dx > 0 {
			column = c.w - 1
		}
		for i := board + column; i < board+cells; i += c.w {
			row[i] = 0
		}
	}
}

// transpose writes src [rows, columns] to dst [columns, rows] and returns dst.
func transpose(dst, src []float32, rows, columns int) []float32 {
	for r := range rows {
		for c, v := range src[r*columns : (r+1)*columns] {
			dst[c*rows+r] = v
		}
	}
	return dst
}

// stem is the network's first layer. Inputs: x, weights, scale, bias.
type stem struct{ *conv }

func (s stem) forward(in [][]float32, y []float32) {
	s.conv.forward(in[0], in[1], in[2], in[3], nil, y)
}

func (s stem) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	dSum := s.scratch.get(5, s.size())
	s.gate(y, dy, dSum, dIn[3])
	s.conv.backward(in[0], in[1], in[2], dSum, nil, nil, dIn[1], dIn[2])
}

// block is a residual block, relu(second(first(x)) + x). Inputs: x, then weights, scale and bias of both convolutions.
type block struct {
	first, second *conv
	hidden        []float32 // what is between them
	dHidden, dSum []float32
}

func newBlock(rows, h, w, channels int, s *scratch) *block {
	first, second := newConv(rows, h, w, channels, channels, s), newConv(rows, h, w, channels, channels, s)
	n := first.size()
	return &block{first, second, infer.Aligned(n), infer.Aligned(n), infer.Aligned(n)}
}

func (b *block) forward(in [][]float32, y []float32) {
	b.first.forward(in[0], in[1], in[2], in[3], nil, b.hidden)
	b.second.forward(b.hidden, in[4], in[5], in[6], in[0], y)
}

func (b *block) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	b.second.gate(y, dy, b.dSum, dIn[6])
	b.second.backward(b.hidden, in[4], in[5], b.dSum, nil, b.dHidden, dIn[4], dIn[5])
	b.first.gate(b.hidden, b.dHidden, b.dHidden, dIn[3])
	b.first.backward(in[0], in[1], in[2], b.dHidden, b.dSum, dIn[0], dIn[1], dIn[2])
}
