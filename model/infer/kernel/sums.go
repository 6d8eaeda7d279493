package kernel

import (
	"math"
	"slices"
	"unsafe"
)

// Sums are sums of rows of a matrix: sum i is that of the rows in a list. It is immutable and safe to share.
type Sums struct {
	columns int
	rows    int     // least number of rows that the matrix must have
	counts  []int32 // number of terms of each sum
	offsets []int32 // byte offset of each term's row, sum by sum
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

// sumArgs are the arguments of a sums function. step and startStep are the distances of the rows of destination and start
// in bytes, startStep 0 if there is no start; counts and offsets are those of Sums. floor is the smallest result: 0 for
// ReLU, or -Inf.
type sumArgs struct {
	source, destination, start unsafe.Pointer
	counts, offsets            unsafe.Pointer
	step, startStep            int
	rows, vectors              int
	scale, floor               float32
}

// Sums computes dst [sums, columns] = start + scale times the sums of rows of src, with ReLU if relu. start [sums, columns]
// may be dst; nil means zeros. dst must not overlap src. The terms are added in the order of their list, so all
// instruction sets give the same bits, except the sign of zero.
func (s *Scratch) Sums(sums *Sums, dst, src, start []float32, scale float32, relu bool) {
	if len(sums.counts) == 0 || len(dst) < len(sums.counts)*sums.columns || len(src) < sums.rows*sums.columns {
		panic("kernel: Sums needs at least one list, and dst and src that hold its rows")
	}
	startStep := 4 * sums.columns
	if start == nil {
		start, startStep = s.zeros(sums.columns), 0
	} else if len(start) < len(sums.counts)*sums.columns {
		panic("kernel: Sums needs a start that holds a row for each list")
	}
	set := active
	if sums.columns%set.lanes != 0 {
		set = set.tail
	}
	s.sums = sumArgs{
		source: pointer(src), destination: pointer(dst), start: pointer(start),
		counts: unsafe.Pointer(unsafe.SliceData(sums.counts)), offsets: unsafe.Pointer(unsafe.SliceData(sums.offsets)),
		step: 4 * sums.columns, startStep: startStep, rows: len(sums.counts), vectors: sums.columns / set.lanes,
		scale: scale, floor: float32(math.Inf(-1)),
	}
	if relu {
		s.sums.floor = 0
	}
	set.sums(&s.sums)
}

// pureSums is the Go version of the kernel behind Scratch.Sums: row i of destination is that of start plus scale times
// the sum of the next counts[i] rows of source, whose byte offsets are in offsets. floor 0 means ReLU. It takes 8
// columns at a time; steps are in bytes.
func pureSums(p *sumArgs) {
	for j := range p.vectors {
		term := 0 // an index: a pointer must not pass the end of its array
		for i := range p.rows {
			var sum [8]float32
			for range *(*int32)(unsafe.Add(p.counts, 4*i)) {
				add(&sum, at(p.source, int(*(*int32)(unsafe.Add(p.offsets, 4*term)))+32*j))
				term++
			}
			start := at(p.start, i*p.startStep+32*j)
			for k := range sum {
				sum[k] = start[k] + float32(sum[k]*p.scale) // rounds the product, so it is not fused with the addition
			}
			if p.floor == 0 {
				rectify(&sum)
			}
			*at(p.destination, i*p.step+32*j) = sum
		}
	}
}
