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

// Adam holds the factors of one AdamW step and of the weights' moving average; see [Scratch.Adam].
type Adam struct {
	GradientScale        float32 // from clipping, at most 1
	Beta1, OneMinusBeta1 float32 // decay of the first moment
	Beta2, OneMinusBeta2 float32 // decay of the second moment
	Epsilon              float32
	StepSize             float32 // learning rate / (1 - Beta1^t)
	RootScale            float32 // 1 / sqrt(1 - Beta2^t)
	WeightDecay          float32 // learning rate times weight decay
	AverageShare         float32 // share of the new weights in the moving average
}

// adamArgs are the arguments of an adam function: slices w, g, m, v and average of that many vectors of 8 floats. See
// Scratch.Adam.
type adamArgs struct {
	factors             Adam
	w, g, m, v, average unsafe.Pointer
	vectors             int
}

// Adam does one AdamW step on slices of equal length. With d = GradientScale g,
//
//	m = Beta1 m + (1 - Beta1) d        v = Beta2 v + (1 - Beta2) d^2
//	weights = weights - (StepSize m / (RootScale sqrt(v) + Epsilon) + WeightDecay weights)
//	average = average + AverageShare (weights - average)
func (s *Scratch) Adam(factors Adam, weights, g, m, v, average []float32) {
	n := len(weights)
	g, m, v, average = g[:n], m[:n], v[:n], average[:n]
	s.adam = adamArgs{factors, pointer(weights), pointer(g), pointer(m), pointer(v), pointer(average), n / 8}
	if n >= 8 {
		active.adam(&s.adam)
	}
	for i := n &^ 7; i < n; i++ { // the rest after whole vectors of 8
		factors.step(&weights[i], &g[i], &m[i], &v[i], &average[i])
	}
}

// step updates one value. It rounds products before it adds them, so all instruction sets agree bit for bit.
func (a *Adam) step(w, g, m, v, average *float32) {
	d := *g * a.GradientScale
	*m = float32(a.Beta1**m) + float32(a.OneMinusBeta1*d)
	*v = float32(a.Beta2**v) + float32(a.OneMinusBeta2*d*d)
	root := float32(float32(math.Sqrt(float64(*v)))*a.RootScale) + a.Epsilon
	*w -= a.StepSize**m/root + float32(a.WeightDecay**w)
	*average += float32(a.AverageShare * (*w - *average))
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

// pureAdam is the Go version of the kernel behind Scratch.Adam.
func pureAdam(p *adamArgs) {
	for i := range p.vectors {
		w, g, m, v, average := at(p.w, 32*i), at(p.g, 32*i), at(p.m, 32*i), at(p.v, 32*i), at(p.average, 32*i)
		for k := range w {
			p.factors.step(&w[k], &g[k], &m[k], &v[k], &average[k])
		}
	}
}
