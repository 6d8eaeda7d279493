package winograd

import (
	"math"
	"slices"
)

// MinLine and MaxLine are the lengths of the shortest and the longest line.
const (
	MinLine = 3
	MaxLine = 8
)

// Matrices holds the Winograd transforms A, B and G of a line of N cells. Row p of each belongs to point p.
type Matrices struct {
	P    int
	A, B [][]float64 // [P, N]
	G    [][]float64 // [P, 3]
}

// segments[n] are the sizes of the tiles that make up a line of n cells. Tiles of more than seven cells would lose too
// much precision.
var segments = [MaxLine + 1][]int{3: {3}, 4: {4}, 5: {5}, 6: {6}, 7: {7}, 8: {4, 4}}

// points are the m + 1 finite points of a tile of m cells; the last point is infinity. They had the smallest error in a
// search over a few hundred sets of fractions whose products float32 represents exactly: with 64 channels on a square
// board a root-mean-square relative error of 6e-7 (3 cells) to 1e-5 (7 cells). Opposite points share half of their
// sums.
//
// Not used: x² + 1 with six points (±3/8, ±7/8, ±3/2) for 7 cells. It has a twelfth of the error, but takes 10 products
// per line instead of 9, and networks on 7x7 evaluate 22 % fewer positions per second. With the points below, the value
// of a trained quad-7x7 network was off by at most 1.7e-4 in 10,000 positions.
var points = [MaxLine][]float64{
	3: {0.5, -0.5, 1.75, -1.75},
	4: {0.75, -0.75, 1.5, -1.5, 0},
	5: {0.375, -0.375, 1, -1, 1.75, -1.75},
	6: {0.5, -0.5, 1, -1, 2, -2, 0},
	7: {0.25, -0.25, 0.75, -0.75, 1.25, -1.25, 2, -2},
}

// Has reports whether there are matrices for a line of n cells.
func Has(n int) bool { return n >= MinLine && n <= MaxLine }

// New returns the matrices for a line of n cells. It panics if Has(n) is false.
func New(n int) Matrices {
	if !Has(n) {
		panic("winograd: no matrices for a line of this length")
	}
	var m Matrices
	first := 0
	for _, size := range segments[n] {
		a, b, g := tile(size)
		for j := range g {
			rowA, rowB := make([]float64, n), make([]float64, n)
			copy(rowA[first:], a[j])
			for i, v := range b[j] {
				if cell := first + i - 1; cell >= 0 && cell < n {
					rowB[cell] = v
				}
			}
			m.A, m.B, m.G = append(m.A, rowA), append(m.B, rowB), append(m.G, g[j])
		}
		first += size
	}
	m.P = len(m.G)
	return m
}

// tile returns the matrices of m outputs: A [m+2, m], G [m+2, 3], and B [m+2, m+2], which covers the m cells and one on
// either side. For a point p and the other finite points q, the row of A is p^0, p^1, ...; that of G is p^0, p^1, p^2
// divided by the product of p - q; that of B has the coefficients of the product of x - q. For infinity, the rows of A
// and G contain only the highest power, and that of B the product over all finite points.
func tile(m int) (a, b, g [][]float64) {
	finite := points[m]
	for j := range m + 2 {
		rowA, rowB, rowG := make([]float64, m), make([]float64, m+2), make([]float64, 3)
		poly := []float64{1}
		divisor := 1.0
		for l, q := range finite {
			if l == j {
				continue
			}
			poly = timesRoot(poly, q)
			if j < len(finite) {
				divisor *= finite[j] - q
			}
		}
		copy(rowB, poly)
		if j == len(finite) {
			rowA[m-1], rowG[2] = 1, 1
		} else {
			powers(rowA, finite[j], 1)
			powers(rowG, finite[j], 1/divisor)
		}
		a, b, g = append(a, rowA), append(b, rowB), append(g, rowG)
	}
	return a, b, g
}

// timesRoot returns the polynomial poly times x - q. Coefficients start with the lowest power.
func timesRoot(poly []float64, q float64) []float64 {
	product := make([]float64, len(poly)+1)
	for i, c := range poly {
		product[i+1] += c
		product[i] -= q * c
	}
	return product
}

// powers fills dst with first, first*p, first*p*p, ...
func powers(dst []float64, p, first float64) {
	for i := range dst {
		dst[i] = first
		first *= p
	}
}

// Paired is a matrix [P, N] prepared for products with about half of its multiplications. Most of its rows come in pairs
// for opposite points, which differ only in the signs of some columns. With e the sum of a pair's terms of equal sign,
// and o that of the others in the first row, the two rows give e + o and e - o. In products with the transposed matrix,
// where the rows multiply x and y, equal coefficients multiply x + y and opposite ones x - y.
type Paired struct {
	Rows    [][]Term // [P]; of a pair, the first row has the terms of e, the second those of o
	Columns [][]Term // [N]; of a pair, the first row stands for x + y, the second for x - y
	Pair    []bool   // [P] whether this row and the next are a pair
}

// Term is one nonzero product of a sum: Factor times the element with this index.
type Term struct {
	Index  int
	Factor float32
}

// Pair finds the pairs of a matrix.
func Pair(matrix [][]float64) *Paired {
	m := &Paired{make([][]Term, len(matrix)), make([][]Term, len(matrix[0])), make([]bool, len(matrix))}
	add := func(row, column int, c float64) {
		if c != 0 {
			m.Rows[row] = append(m.Rows[row], Term{column, float32(c)})
			m.Columns[column] = append(m.Columns[column], Term{row, float32(c)})
		}
	}
	opposite := func(x, y float64) bool { return math.Abs(x) == math.Abs(y) }
	for i := 0; i < len(matrix); i++ {
		m.Pair[i] = i+1 < len(matrix) && slices.EqualFunc(matrix[i], matrix[i+1], opposite)
		for j, c := range matrix[i] {
			if m.Pair[i] && matrix[i+1][j] != c {
				add(i+1, j, c)
			} else {
				add(i, j, c)
			}
		}
		if m.Pair[i] {
			i++
		}
	}
	return m
}
