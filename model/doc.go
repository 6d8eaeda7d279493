// Package model trains the networks of package infer. It builds a Gorgonia graph of the network and its loss, uses
// Gorgonia's automatic differentiation, and has an optimizer of its own: Muon for hidden layers, AdamW for the rest.
//
// # Loss
//
// For a batch of B samples, each in the frame of its player to move,
//
//	total   = policy + ReplyWeight reply + outcome + GoalWeight goals
//	policy  = 1/B sum over samples of PolicyWeight times the cross-entropy of the target over the legal actions
//	reply   = the same of the policy target after the sample's move, by a head of its own, in the sample's frame
//	outcome = 1/B sum over samples of the cross-entropy of the target over the outcome classes
//	goals   = 1/B sum over samples of the squared errors of both goals / 100, if the game has a goal head
//
// The policy's softmax covers legal actions only, so illegal actions get neither probability nor gradient. Weight decay
// is not part of the loss; the optimizer applies it. The reply head only makes the tower learn more from each game:
// networks for play do not have it. Sources: Silver et al. 2018, "A general reinforcement learning algorithm", equation 1,
// with outcome classes instead of a scalar value; Wu 2019, "Accelerating self-play learning in Go", section 3.4, for the
// reply.
//
// # Parts
//
// A step has five rounds of independent tasks; the caller runs those of a round on any number of goroutines (see
// [NewTrainer]), and the package starts none:
//
//	prepare  everything that derives from the weights, such as their Winograd transforms: two tasks per convolution
//	parts    losses and gradients of up to 16 samples, on a graph for each goroutine: 16 tasks for a batch of 256
//	reduce   the sums of the parts' gradients (type reduction)
//	norm     the sum of squares of the gradient, for clipping
//	update   Muon and AdamW, see optimizer
//
// Losses and gradients are added in the order of the parts, so results have the same bits on any number of goroutines.
// Small parts keep more cores busy, and what a layer computes stays in a core's cache; smaller ones than 16 samples make
// matrix products slow. All graphs share the weights' memory.
//
// A trainer of a pooled network takes batches of several sizes of its game. Each size (type size) has its graphs and the
// Winograd transforms of its boards, and a step prepares and runs those of its batch. The parameters, their gradients and
// the optimizer do not depend on the size. Source: KataGo trains one network on boards of many sizes (Wu 2019).
//
// # Graph
//
// A graph reads the weights of a convolution multiplied by its scale (type folded), matrices in two orders (type matrix),
// and other parameters as they are. The trainer folds scales into weights before the parts, and splits the summed gradients
// of the products after them.
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
// A sample has three times the matrix products of an evaluation, so it cannot cost less than about three evaluations.
// Without figure layers the products take some 60 % of a step and run at 0.8 to 0.95 of a core's peak.
//
// Not here: batch norm, learning-rate schedules (each step takes its rate), sampling, types other than float32.
package model
