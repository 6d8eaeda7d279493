// Package infer holds a network's weights, reads and writes them as files, and runs the network forward.
//
// # Network
//
// A residual tower of 3x3 convolutions on the mover's board, without batch norm. In games with figures, such as lines of
// four ([env.Game.Figures]), a block of a new network is a convolution and two figure layers:
//
//	stem     relu(scale conv(x) + bias)                                         planes -> channels
//	block    relu(x + scale2 conv2(relu(scale1 conv1(x) + bias1)) + bias2)      channels -> channels
//	  or     relu(x + scale conv(x) + bias), then twice:                        channels -> channels
//	         h(f) = relu(h(f) + sum of P x over the cells of figure f)
//	         relu(x + Q sum of h(f) / sqrt(k m) over the figures f through the cell)
//	policy   1x1 to 32, relu, 1x1 to the policy's planes; single entries are linear in the outcome's hidden layer
//	outcome  1x1 to 16, relu, flatten, linear to 64, relu, linear to the classes
//	  or     1x1 to 32, relu, pool, linear to 64, relu, linear to the classes; so no weight depends on the board's size
//	goals    linear in the outcome's hidden layer to both goals / 100, the mover's first ([env.Game.GoalHead])
//
// k is the number of cells of the largest figure, m the number of figures through the cell with most of them. Like the
// cells, the figures have channels h(f), which start at 0 and are kept from layer to layer. All figures share the
// matrices P (blocks.I.J.figures.weight) and Q (blocks.I.J.cells.weight), so what is learned about one holds for all: a
// figure layer passes messages between cells and figures. Sources: Gilmer et al. 2017, "Neural message passing for
// quantum chemistry"; Zaheer et al. 2017, "Deep sets".
//
// Every scale follows a convolution directly, so [NewNetwork] folds it into the convolution's weights.
//
// A fixed variance of the initial weights takes the place of normalisation: He's normal(0, 2/fan-in), with all scales
// 1. The last convolution of every block and the matrix Q start at zero, so a new tower computes the stem alone and
// is scaled like it at any depth. The last layers of the heads start at zero, so a new network has uniform policies and
// classes. Sources: He et al. 2015, "Delving deep into rectifiers"; KataGo, docs/KataGoMethods.md, "Fixed Variance
// Initialization".
//
// # Conventions
//
// Everything is float32 and in the mover's frame. Inputs are [B, C, H, W] as [env.State] encodes them; activations are
// [H, W, C], those of figures [figures, C]. Weights are [out, 3, 3, in] for 3x3 convolutions and [out, in] for 1x1
// convolutions and linear layers; the outcome's hidden layer has its inputs ordered by cells, then channels, or if
// pooled by the values of [Pooling], then channels. Logits are unmasked, classes are probabilities, goals are divided by
// 100.
//
// A row of a batch depends on its own input alone: a position has the same bits in every batch.
//
// A weights file is in the safetensors format (https://github.com/huggingface/safetensors): little-endian float32 values,
// with the architecture and the value scale in the metadata. [Weights.MarshalHalf] writes half precision (F16), which
// changes policies by 0.0002 on average (half the sum of differences over the moves) in trained networks.
//
// Not here: training (package model), batch norm, inference in half precision, goroutines.
package infer
