// Package winograd has the matrices of Winograd's minimal filtering for a whole line of a board: n cells, a kernel of
// three taps, and zeros beyond both ends.
//
// The convolution of a line d [n] with a kernel g [3], y[i] = g[0] d[i-1] + g[1] d[i] + g[2] d[i+1], is
//
//	y = Aᵀ ((G g) ∘ (B d))
//
// with P points in place of the 3 n products: Winograd 1980, by the construction of Toom and Cook; Lavin and Gray 2016
// bring it to networks as F(m x m, 3 x 3) on tiles that overlap. A board is small enough to be one tile, so nothing
// overlaps and the padding's zeros fall out of B. In two dimensions each matrix acts on columns and then on rows. The
// gradients are the transposes: of y to d by Bᵀ and A, of y to g by Gᵀ.
package winograd

// MaxLine is the longest line that has matrices, MinLine the shortest.
const (
	MinLine = 3
	MaxLine = 8
)

// Matrices are a line's. Rows are points.
type Matrices struct {
	N, P int
	A, B [][]float64 // [P, N]
	G    [][]float64 // [P, 3]
}

// segments splits a line into the tiles that its points come from, since more than seven cells to a tile cost too many
// digits.
var segments = [MaxLine + 1][]int{3: {3}, 4: {4}, 5: {5}, 6: {6}, 7: {7}, 8: {4, 4}}

// points are the finite points of a tile of m cells, m + 1 of them; infinity is the last. They are those with the
// smallest error in a search over a few hundred sets of fractions whose products float32 holds exactly: for 64 channels
// a relative error of 6e-7 (3 cells) to 1e-5 (7 cells), root mean square, on a square board. Points come in pairs of
// opposite sign, which share half of their sums.
//
// Left out: x² + 1 beside six points (3/8, 7/8, 3/2 and their opposites) for 7 cells. It takes 10 products a line where
// points alone take 9, and has a twelfth of their error, but networks on 7x7 evaluate 22 % fewer positions a second. What
// the points' error comes to in the end, in 10,000 positions of a trained quad-7x7 network: 1.7e-4 of value at most.
var points = [MaxLine][]float64{
	3: {0.5, -0.5, 1.75, -1.75},
	4: {0.75, -0.75, 1.5, -1.5, 0},
	5: {0.375, -0.375, 1, -1, 1.75, -1.75},
	6: {0.5, -0.5, 1, -1, 2, -2, 0},
	7: {0.25, -0.25, 0.75, -0.75, 1.25, -1.25, 2, -2},
}

// Has says whether there are matrices for a line of n cells.
func Has(n int) bool { return n >= MinLine && n <= MaxLine }

// New returns the matrices for a line of n cells; it panics if there are none.
func New(n int) Matrices {
	if !Has(n) {
		panic("winograd: no matrices for a line of this length")
	}
	m := Matrices{N: n}
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

// tile returns the matrices of m outputs: A [m+2, m], B [m+2, m+2] on the m cells and one on either side, G [m+2, 3].
// With point p of the others q: A's row is p^0, p^1, ..; G's is p^0, p^1, p^2 over the product of p - q; B's holds the
// coefficients of the product of x - q. Infinity's are the highest power alone, the same, and the product over all
// points.
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

// timesRoot returns poly times x - q, lowest power first.
func timesRoot(poly []float64, q float64) []float64 {
	product := make([]float64, len(poly)+1)
	for i, c := range poly {
		product[i+1] += c
		product[i] -= q * c
	}
	return product
}

// powers fills dst with first, first*p, first*p*p, ..
func powers(dst []float64, p, first float64) {
	for i := range dst {
		dst[i] = first
		first *= p
	}
}
