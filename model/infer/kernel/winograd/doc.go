// Package winograd computes the matrices of Winograd's minimal filtering for the lines of a board: n cells, a kernel of
// three taps, zero padding at both ends.
//
// The convolution of a line d [n] with a kernel g [3], y[i] = g[0] d[i-1] + g[1] d[i] + g[2] d[i+1], is
//
//	y = Aᵀ ((G g) ∘ (B d))
//
// with P products instead of 3 n. Sources: Winograd 1980, with the construction of Toom and Cook; Lavin and Gray 2016
// apply it to networks as F(m x m, 3 x 3) on overlapping tiles. Here a line of up to 8 cells is one tile, and B has no
// columns for the padding. A longer line is divided into tiles of one size, of which the last may end early. All have
// the same points, so they share the products' weights G g. B also reads the neighbouring tiles' nearest cells, so the
// tiles' inputs overlap, but their outputs do not. In two dimensions each matrix acts on columns, then on rows.
// Gradients use the transposes: Bᵀ and A from y to d, Gᵀ from y to g.
package winograd
