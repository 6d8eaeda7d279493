// Package infer holds a network's weights, reads and writes them as files, and runs them forward.
//
// # Network
//
// A residual tower of 3x3 convolutions on the mover's board, without batch norm:
//
//	stem     relu(scale conv(x) + bias)                                         planes -> channels
//	block    relu(x + scale2 conv2(relu(scale1 conv1(x) + bias1)) + bias2)      channels -> channels
//	policy   1x1 to 32, relu, 1x1 to the policy's planes; single entries are linear in the outcome's hidden layer
//	outcome  1x1 to 16, relu, flatten, linear to 64, relu, linear to the classes
//	goals    linear in the outcome's hidden layer to both goals / 100, the mover's first ([env.Game.GoalHead])
//
// Every affine follows a convolution directly, so [NewNetwork] folds it into the convolution's weights and what runs is
// convolution, bias, residual and ReLU.
//
// Weights start with a fixed variance in place of a normalisation: He's normal(0, 2/fan-in) with all scales 1, and zero
// for every second convolution of a block, so that a fresh tower is the stem alone and stays as well scaled as it,
// whatever its depth. All last layers of the heads are zero: a fresh network has uniform policies and classes. Sources:
// He et al. 2015, "Delving deep into rectifiers"; KataGo, docs/KataGoMethods.md, "Fixed Variance Initialization".
//
// # Conventions
//
// All is float32 and in the mover's frame. Inputs are [B, C, H, W] as [env.State] encodes them; inside, activations are
// [H, W, C], a cell's channels side by side. Convolution weights are [out, 3, 3, in], those of 1x1 convolutions and
// linear layers [out, in]; the flattened outcome layer counts cells first, then channels. Logits are unmasked, classes
// probabilities, goals shares of 100.
//
// A row of a batch depends on nothing but its own input: the same position has the same bits in every batch.
//
// A weights file is in the safetensors format (https://github.com/huggingface/safetensors): all values little-endian
// float32, the architecture in the metadata.
//
// What is left out: training (package model), batch norm, half precision, and any goroutine.
package infer
