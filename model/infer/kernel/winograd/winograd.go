package winograd

import (
	"math"
	"slices"
)

// MinLine and MaxLine are the lengths of the shortest and the longest line.
const (
	MinLine = 3
	MaxLine = 20
)

// sizes[n] is the number of cells of the tiles of a line of n cells; the last tile may have fewer. A line of up to 8
// cells is one tile. Longer lines have tiles of 5 or 6 cells, or of 7, the least precise, where those save a quarter of
// the products of a square board.
var sizes = [MaxLine + 1]int{
	3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8,
	9: 5, 10: 5, 11: 6, 12: 6, 13: 7, 14: 7, 15: 5, 16: 6, 17: 6, 18: 6, 19: 5, 20: 5,
}

// Has reports whether a line of n cells can be divided into tiles.
func Has(n int) bool { return n >= MinLine && n <= MaxLine }

// Tile is a part of a line that is transformed alone: the cells from First on.
type Tile struct {
	First int
	Shape Shape
	Index int // index of Shape in Shapes
}

// Shape is what decides a tile's matrices.
type Shape struct {
	Size          int // cells of a full tile; tiles of one size have the same points
	Cells         int // cells of the tile, fewer than Size if the line ends
	Before, After int // number of neighbours that it reads before and after its cells: 1, or 0 at an end of the line
}

// Shapes are the shapes of all tiles.
var Shapes = func() (shapes []Shape) {
	for n := MinLine; n <= MaxLine; n++ {
		for _, t := range divide(n) {
			if !slices.Contains(shapes, t.Shape) {
				shapes = append(shapes, t.Shape)
			}
		}
	}
	return shapes
}()

// Line returns the tiles of a line of n cells. It panics if Has(n) is false.
func Line(n int) []Tile {
	if !Has(n) {
		panic("winograd: no tiles for a line of this length")
	}
	tiles := divide(n)
	for i := range tiles {
		tiles[i].Index = slices.Index(Shapes, tiles[i].Shape)
	}
	return tiles
}

// divide returns the tiles of a line of n cells, without their indices.
func divide(n int) (tiles []Tile) {
	size := sizes[n]
	for first := 0; first < n; first += size {
		s := Shape{Size: size, Cells: min(size, n-first)}
		s.Before, s.After = min(first, 1), min(n-first-s.Cells, 1)
		tiles = append(tiles, Tile{First: first, Shape: s})
	}
	return tiles
}

// Matrices holds the Winograd transforms A, B and G of a tile. Row p of each belongs to point p.
type Matrices struct {
	P int
	A [][]float64 // [P, Cells]
	B [][]float64 // [P, Before + Cells + After]
	G [][]float64 // [P, 3]
}

// parts are the numbers of cells of which a tile of 8 cells consists. Each has points of its own, because points for
// more than seven cells would lose too much precision.
var parts = []int{4, 4}

// points are the m + 1 finite points of a tile of m cells; the last point is infinity. They had the smallest error in a
// search over a few hundred sets of fractions whose products float32 represents exactly: with 64 channels on a square
// board a root-mean-square relative error of 6e-7 (3 cells) to 1e-5 (7 cells). Opposite points share half of their
// sums.
//
// Not used: x² + 1 with six points (±3/8, ±7/8, ±3/2) for 7 cells. It has a twelfth of the error, but takes 10 products
// per line instead of 9, and networks on 7x7 evaluate 22 % fewer positions per second. With the points below, the value
// of a trained quad-7x7 network was off by at most 1.7e-4 in 10,000 positions.
var points = [8][]float64{
	3: {0.5, -0.5, 1.75, -1.75},
	4: {0.75, -0.75, 1.5, -1.5, 0},
	5: {0.375, -0.375, 1, -1, 1.75, -1.75},
	6: {0.5, -0.5, 1, -1, 2, -2, 0},
	7: {0.25, -0.25, 0.75, -0.75, 1.25, -1.25, 2, -2},
}

// Matrices returns the matrices of tiles of this shape.
func (s Shape) Matrices() Matrices {
	split := parts
	if s.Size < 8 {
		split = []int{s.Size}
	}
	var m Matrices
	first := 0
	for _, size := range split {
		a, b, g := tile(size)
		for j := range g {
			rowA, rowB := make([]float64, s.Size), make([]float64, s.Size+2)
			copy(rowA[first:], a[j])
			copy(rowB[first:], b[j])
			m.A = append(m.A, rowA[:s.Cells])
			m.B = append(m.B, rowB[1-s.Before:1+s.Cells+s.After])
			m.G = append(m.G, g[j])
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

// Paired is a matrix [P, N] prepared for products with about half of its multiplications. Most of its rows come in
// pairs for opposite points, which differ only in the signs of some columns. With e the sum of a pair's terms of equal
// sign, and o that of the others in the first row, the two rows give e + o and e - o. In products with the transposed
// matrix, where the rows multiply x and y, equal coefficients multiply x + y and opposite ones x - y.
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
