// Package model trains the networks of package infer. It builds a Gorgonia graph of the network and its loss, uses
// Gorgonia's automatic differentiation, and has an optimizer of its own: Muon for
// hidden layers, AdamW for the rest.
//
// # Loss
//
// For a batch of B samples, each in the frame of its player to move,
//
//	total   = policy + outcome + GoalWeight goals
//	policy  = 1/B sum over samples of PolicyWeight times the cross-entropy of the target over the legal actions
//	outcome = 1/B sum over samples of the cross-entropy of the target over the outcome classes
//	goals   = 1/B sum over samples of the squared errors of both goals / 100, if the game has a goal head
//
// The policy's softmax covers legal actions only, so illegal actions get neither probability nor gradient. Weight decay
// is not part of the loss; the optimizer applies it. Source: Silver et al. 2018, "A general reinforcement
// learning algorithm", equation 1, with outcome classes instead of a scalar value.
//
// # Shards
//
// The trainer divides a batch into shards of up to 64 samples. Each shard runs through a graph of its own; all graphs
// share the weights' memory. Gradients are added in the order of the shards, so results have the same bits on any
// number of goroutines. The caller runs the shards (see [NewTrainer]); the package starts no goroutine.
//
// # Graph
//
// A graph reads the weights of a convolution multiplied by its scale (type folded), and other parameters as they are. The
// trainer folds scales into weights before the shards, and splits the summed gradients of the products after them.
//
// The graph has one operation (type op) for each of: stem, block of two convolutions, single convolution of a block (type
// residual), figure layer, heads, loss. Gorgonia differentiates it: the gradient of an operation is one more operation
// that computes the gradients of all its inputs. Each operation owns and reuses its output. No value feeds two
// differentiated operations, so Gorgonia inserts no additions; the channels of figures and their gradients, which several
// figure layers share, pass outside the graph (type figures). A virtual machine of this package (type machine) runs the
// graph; a step allocates nothing after the first ones. Activations are [B, H, W, C] with C padded to a multiple of 8.
// Package kernel computes convolutions and matrix products. A convolution transforms x to V and the weights to U,
// multiplies M = V U, and transforms M to y; its gradients are dM = A dy, dV = dM Uᵀ (then dx) and dU = Vᵀ dM (then the
// weights' gradient).
//
// The tests compare it with a second graph of Gorgonia's own operations.
//
// # Speed
//
// Profile of a step of the default networks without figure layers, with AdamW, at batch 256, one core with AVX-512
// (BenchmarkStep): matrix products 55 to 60 %, board transforms 22 to 25 %, weight transforms 4 to 6 %, sums, norm and
// AdamW 5 %, ReLU gradients, losses and copies 3 % each. The products run at 0.8 to 0.95 of the core's peak. A sample has
// three times the products of an evaluation, so it cannot cost less than about three evaluations; package train measures
// 3.8 to 4.0 (BenchmarkLearn).
//
// Tried and not kept: blocks of 16 or 32 boards that fit the second-level cache (no difference); transforming weights once
// per step (32x3 on 5x5: no difference in a run, 64x5 on 7x7: 9 to 18 % slower); keeping V for the weights' gradient (32x3 on
// 5x5: 5 % faster alone, no difference in a run; 64x5: 5 to 10 % slower). All of these save work, but read more memory.
//
// Not here: batch norm, learning-rate schedules (each step takes its rate), sampling, types other than float32.
package model
