package kernel

import (
	"math"
	"unsafe"
)

// gating is one call of a gate function: lines of vectors of 8 floats, step bytes apart in y, dy and dx.
type gating struct {
	y, dy, dx, sums     unsafe.Pointer
	step, rows, vectors int
}

// Gate computes the gradient dx of a ReLU's argument from that of its result y, dx = dy where y > 0, else 0, and the
// sum of dx over rows. All but sums [columns] are [rows, columns], columns a multiple of 8; dx may be dy.
func (w *Worker) Gate(y, dy, dx, sums []float32, rows, columns int) {
	n := rows * columns
	if n == 0 || columns%8 != 0 || len(y) < n || len(dy) < n || len(dx) < n || len(sums) < columns {
		panic("kernel: a gate needs rows, and columns in eights")
	}
	w.gating = gating{pointer(y), pointer(dy), pointer(dx), pointer(sums), 4 * columns, rows, columns / 8}
	active.gate(&w.gating)
}

// Adam holds the factors of one step of AdamW and of the weights' moving average, see [Worker.Adam].
type Adam struct {
	Scale        float32 // of the gradient
	B1, C1       float32 // memory of the first moment, and 1 - B1
	B2, C2       float32 // of the second
	Eps          float32
	Rate         float32 // rate / (1 - B1^t)
	Root         float32 // 1 / sqrt(1 - B2^t)
	Decay, Share float32 // of the weights, by rate; of the new weights in the average
}

// adam is one call of an adam function: values of vectors of 8 floats.
type adam struct {
	factors             Adam
	w, g, m, v, average unsafe.Pointer
	vectors             int
}

// Adam does one step on slices of one length: with d = Scale g,
//
//	m = B1 m + C1 d        v = B2 v + C2 d^2
//	weights = weights - (Rate m / (Root sqrt(v) + Eps) + Decay weights)
//	average = average + Share (weights - average)
func (w *Worker) Adam(factors Adam, weights, g, m, v, average []float32) {
	n := len(weights)
	g, m, v, average = g[:n], m[:n], v[:n], average[:n]
	w.adam = adam{factors, pointer(weights), pointer(g), pointer(m), pointer(v), pointer(average), n / 8}
	if n >= 8 {
		active.adam(&w.adam)
	}
	for i := n &^ 7; i < n; i++ {
		factors.step(&weights[i], &g[i], &m[i], &v[i], &average[i])
	}
}

// step is Adam's on one value. Products are rounded before they are added, so that all paths agree bit for bit.
func (f *Adam) step(w, g, m, v, average *float32) {
	d := *g * f.Scale
	*m = float32(f.B1**m) + float32(f.C1*d)
	*v = float32(f.B2**v) + float32(f.C2*d*d)
	root := float32(float32(math.Sqrt(float64(*v)))*f.Root) + f.Eps
	*w -= f.Rate**m/root + float32(f.Decay**w)
	*average += float32(f.Share * (*w - *average))
}

func pureGate(p *gating) {
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

// where is v if y, the result of a ReLU, is positive, and else 0: without a branch, which would go wrong half of the
// time.
func where(y, v float32) float32 {
	bits := int32(math.Float32bits(y))
	positive := (-bits & ^bits) >> 31 // all ones or, also for -0, all zeros
	return math.Float32frombits(math.Float32bits(v) & uint32(positive))
}

func pureAdam(p *adam) {
	for i := range p.vectors {
		w, g, m, v, average := at(p.w, 32*i), at(p.g, 32*i), at(p.m, 32*i), at(p.v, 32*i), at(p.average, 32*i)
		for k := range w {
			p.factors.step(&w[k], &g[k], &m[k], &v[k], &average[k])
		}
	}
}
