// Package kernel contains the inner loops of networks: matrix products, sums of rows, 3x3 convolutions of boards, and
// the Winograd transforms of these convolutions and their gradients.
//
// Everything is float32. Activations are [rows, H, W, C]: a row is a board, C a multiple of 8. Matrices are row-major
// unless strides say otherwise. The result of a row has the same bits in every batch. A [Scratch] holds the arguments
// and scratch memory of one goroutine. The package starts no goroutine, and calls allocate nothing once scratch is
// large enough.
//
// A 3x3 convolution runs in three steps, the second for each point p of the transform:
//
//	V = B d Bᵀ         TransformInput: activations to a plane [rows, tiles, in] per point
//	M[p] = V[p] U[p]   Gemm, with U = G g Gᵀ from the weights (TransformWeights or NewConv)
//	y = Aᵀ M A         TransformOutput, with bias, residual and ReLU (Epilogue)
//
// where d and y are the input and output of a tile and channel, and g is a 3x3 kernel; package winograd explains A, B
// and G, and how a board is divided into tiles. The gradient runs each step transposed: TransformOutputGradient; Gemm
// with U[p]ᵀ (for the input) or V[p]ᵀ (for the weights); TransformInputGradient or TransformWeightsGradient.
//
// On amd64 the loops are assembly for AVX2 with FMA or AVX-512, written by the program in generate; the package picks
// one when the program starts. Both give the same bits. On other machines, or with build tag purego, they are Go code,
// whose results differ in rounding: it rounds each product before adding it, and its transforms add terms in another
// order. GODEBUG=cpu.avx512f=off or GODEBUG=cpu.avx2=off selects the next slower version.
package kernel
