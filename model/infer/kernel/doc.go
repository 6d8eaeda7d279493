// Package kernel has the loops that networks spend their time in: products of matrices, 3x3 convolutions of boards, and
// the transforms that Winograd's convolutions and their gradients are made of.
//
// Conventions: float32; activations are [rows, H, W, C] (a row is a board, C a multiple of 8), matrices row-major
// unless strides say otherwise. A row's result has the same bits whatever the batch around it. A [Worker] holds one
// goroutine's arguments and scratch; nothing here starts a goroutine, and a warm call allocates nothing.
//
// A 3x3 convolution of a board with n points' planes goes
//
//	V = B d        Input, transforms activations into a plane [rows, in] for each point
//	M[p] = V[p] U[p]   Gemm, U = G g from the weights (Weights or NewConv)
//	y = Aᵀ M       Output, with bias, sum and ReLU on the way
//
// and back, each step transposed: OutputGradient, Gemm with U[p]ᵀ (to the input) or V[p]ᵀ (to the weights),
// InputGradient, WeightsGradient. Package winograd has the matrices and the reasons.
//
// On amd64 the loops are assembly for AVX2 with FMA or for AVX-512, written by the program in generate and chosen when
// the program starts; both give the same bits. Elsewhere, or with the build tag purego, they are Go, which agrees
// within rounding only: it rounds each product before it is added, and a transform adds its terms in another order.
// GODEBUG=cpu.avx512f=off or cpu.avx2=off in the environment makes a program use the next path.
package kernel
