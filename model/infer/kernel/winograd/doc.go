// Package winograd computes the matrices of Winograd's minimal filtering for a whole line of a board: n cells, a kernel
// of three taps, zero padding at both ends.
//
// The convolution of a line d [n] with a kernel g [3], y[i] = g[0] d[i-1] + g[1] d[i] + g[2] d[i+1], is
//
//	y = Aᵀ ((G g) ∘ (B d))
//
// with P products instead of 3 n. Sources: Winograd 1980, with the construction of Toom and Cook; Lavin and Gray 2016
// apply it to networks as F(m x m, 3 x 3) on overlapping tiles. Here a whole board is one tile, so tiles do not overlap
// and B has no columns for the padding. In two dimensions each matrix acts on columns, then on rows. Gradients use the
// transposes: Bᵀ and A from y to d, Gᵀ from y to g.
package winograd
