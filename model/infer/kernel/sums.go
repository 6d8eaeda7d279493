package kernel

import (
	"math"
	"slices"
	"unsafe"
)

// Sums are sums of rows of a matrix: sum i is that of the rows in a list. It is immutable and safe to share.
type Sums struct {
	columns int
	rows    int     // of the matrix that the lists refer to, at least
	counts  []int32 // of terms, by sum
	offsets []int32 // of the terms' rows in bytes, sum by sum
}

// NewSums prepares the sums of the rows in each list, for a matrix with the given number of columns, a multiple of 8.
func NewSums(lists [][]int32, columns int) *Sums {
	if columns%8 != 0 {
		panic("kernel: NewSums needs a multiple of 8 columns")
	}
	s := &Sums{columns: columns}
	for _, list := range lists {
		s.counts = append(s.counts, int32(len(list)))
		for _, row := range list {
			if row < 0 {
				panic("kernel: NewSums needs rows of 0 or more")
			}
			s.rows = max(s.rows, int(row)+1)
			s.offsets = append(s.offsets, 4*row*int32(columns))
		}
	}
	s.counts, s.offsets = slices.Clip(s.counts), slices.Clip(s.offsets)
	return s
}

// sumArgs are the arguments of a sums function. step is the distance of the destination's rows in bytes; counts and
// offsets are those of Sums. floor is the smallest result: 0 for ReLU, or -Inf.
type sumArgs struct {
	source, destination, start unsafe.Pointer
	counts, offsets            unsafe.Pointer
	step, rows, vectors        int
	scale, floor               float32
}

// Sums computes dst [sums, columns] = scale (start + the sums of rows of src), with ReLU if relu. start [columns] is the
// same for every sum; nil means zeros. dst must not overlap src. The terms are added in the order of their list, so all
// instruction sets give the same bits, except the sign of zero.
func (w *Worker) Sums(s *Sums, dst, src, start []float32, scale float32, relu bool) {
	if len(s.counts) == 0 || len(dst) < len(s.counts)*s.columns || len(src) < s.rows*s.columns {
		panic("kernel: Sums needs at least one list, and dst and src that hold its rows")
	}
	if start == nil {
		start = w.zeros(s.columns)
	}
	set := active
	if s.columns%set.lanes != 0 {
		set = set.tail
	}
	w.sums = sumArgs{
		source: pointer(src), destination: pointer(dst), start: pointer(start[:s.columns]),
		counts: unsafe.Pointer(unsafe.SliceData(s.counts)), offsets: unsafe.Pointer(unsafe.SliceData(s.offsets)),
		step: 4 * s.columns, rows: len(s.counts), vectors: s.columns / set.lanes,
		scale: scale, floor: float32(math.Inf(-1)),
	}
	if relu {
		w.sums.floor = 0
	}
	set.sums(&w.sums)
}

// pureSums is the Go version of the kernel behind Worker.Sums.
func pureSums(p *sumArgs) {
	for j := range p.vectors {
		term := 0 // an index: a pointer must not pass the end of its array
		for i := range p.rows {
			sum := *at(p.start, 32*j)
			for range *(*int32)(unsafe.Add(p.counts, 4*i)) {
				add(&sum, at(p.source, int(*(*int32)(unsafe.Add(p.offsets, 4*term)))+32*j))
				term++
			}
			for k := range sum {
				sum[k] *= p.scale
			}
			if p.floor == 0 {
				rectify(&sum)
			}
			*at(p.destination, i*p.step+32*j) = sum
		}
	}
}
