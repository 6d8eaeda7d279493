package kernel

import (
	"math"
	"unsafe"
)

// reluArgs are the arguments of a ReLU gradient function. A row has vectors of 8 floats; rows are step bytes apart.
type reluArgs struct {
	y, dy, dx, sums     unsafe.Pointer
	step, rows, vectors int
}

// ReLUGradient computes the gradient dx of a ReLU's input from its output y and the output's gradient dy: dx = dy where
// y > 0, else 0. It sets sums [columns] to the sum of dx over rows. y, dy and dx are [rows, columns], columns a
// multiple of 8; dx may be dy.
func (s *Scratch) ReLUGradient(y, dy, dx, sums []float32, rows, columns int) {
	n := rows * columns
	if n == 0 || columns%8 != 0 || len(y) < n || len(dy) < n || len(dx) < n || len(sums) < columns {
		panic("kernel: ReLUGradient needs rows >= 1, columns a multiple of 8, and slices of that size")
	}
	s.relu = reluArgs{
		y: pointer(y), dy: pointer(dy), dx: pointer(dx), sums: pointer(sums),
		step: 4 * columns, rows: rows, vectors: columns / 8,
	}
	active.reluGradient(&s.relu)
}

// pureReLUGradient is the Go version of the kernel behind Scratch.ReLUGradient: for each vector of 8 columns it writes
// dx and the sums over rows.
func pureReLUGradient(p *reluArgs) {
	for j := range p.vectors {
		var sum [8]float32
		for i := range p.rows {
			offset := i*p.step + 32*j
			y, dy, dx := at(p.y, offset), at(p.dy, offset), at(p.dx, offset)
			for k := range sum {
				passed := where(y[k], dy[k])
				dx[k] = passed
				sum[k] += passed
			}
		}
		*at(p.sums, 32*j) = sum
	}
}

// where returns v if y, the output of a ReLU, is positive, else 0. It has no branch, which would often be mispredicted.
func where(y, v float32) float32 {
	bits := int32(math.Float32bits(y))
	positive := (-bits & ^bits) >> 31 // all ones or, also for -0, all zeros
	return math.Float32frombits(math.Float32bits(v) & uint32(positive))
}
