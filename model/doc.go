// Package model trains the networks of package infer: a Gorgonia graph of the network and its loss, Gorgonia's
// automatic differentiation, and a solver of our own.
//
// # Loss
//
// For a batch of B samples, each in its mover's frame,
//
//	total = policy + outcome + GoalWeight goals
//	policy  = 1/B sum over samples of PolicyWeight times the cross-entropy of the target over the legal actions
//	outcome = 1/B sum over samples of the cross-entropy of the target over the outcome classes
//	goals   = 1/B sum over samples of the squared errors of both goals / 100, where the game has a goal head
//
// Illegal actions are left out of the policy's normalisation, so they get neither probability nor gradient. Weight
// decay is no part of the loss: the solver does it (AdamW). Source: Silver et al. 2018, "A general reinforcement
// learning algorithm", equation 1, with classes in place of the value.
//
// # Shards
//
// A batch is cut into shards of up to 64 samples. Each runs through a graph of its own that shares the weights' memory;
// the gradients are added in the shards' order. Who runs them is the caller's matter (see [NewTrainer]), so the result
// has the same bits on any number of goroutines; the package starts none.
//
// # Graph
//
// The graph has one operation of our own (type op) for each of: the stem, every residual block, the heads, the loss.
// Gorgonia differentiates it; the gradient of an operation is one more operation, which computes those of all its
// inputs at once. Each owns and reuses its results, and no value feeds two operations that are differentiated, so
// Gorgonia adds no additions of its own. A machine of our own (type machine) runs them: with the solver's work cut into
// pieces of the parameters, a warm step allocates nothing. Activations are [B, H, W, C], C padded to a multiple of 8.
// Convolutions and products are those of package kernel: with the transforms x -> V, weights -> U, M = V U -> y of a
// convolution, its gradients are dM = A dy, dV = dM Uᵀ -> dx, dU = Vᵀ dM -> the weights' gradient.
//
// [Stock] is a second graph, of Gorgonia's own operations: the tests' oracle, and the yardstick of the speed.
//
// # Speed
//
// A step's time, 64x5 on 7x7 at batch 128, one core with AVX-512 (BenchmarkStep's profile): products of matrices 50 %,
// transforms of boards 25 %, transforms of weights 10 %; gradients of ReLUs, scales folded into weights, AdamW with all
// that belongs to it, and copies some 3 % each. It does the work of 1.5 to 1.7 times the core's peak, counted as direct
// convolutions, because 81 points stand for 441 products of cells and taps. The products themselves run at 0.6 to 0.7
// of the peak: a layer's planes are 4 MB and come from the second-level cache and beyond; within the first they would
// reach 0.85. Blocks of fewer boards, and transformed inputs kept for the weights' gradient, were no faster.
//
// What is left out: batch norm, learning-rate schedules (a step takes its rate), the choice of samples, and all but
// float32.
package model
