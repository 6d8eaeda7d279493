// Package onnx writes a network as an ONNX model (https://onnx.ai), IR version 8 and operator set 17, which other engines
// and languages run. Shapes, with B rows, A actions and K classes, all float32 and in the mover's frame:
//
//	tensor   [B, C, H, W]   in: a position as [env.State] encodes it
//	policy   [B, A]         logits, unmasked, in the order of [infer.Evaluator]
//	outcome  [B, K]         class probabilities
//	value    [B]            the mover's expected utility: the sum of utilities times probabilities
//	goals    [B, 2]         goals / 100, the mover's first, of games with a goal head
//
// B is free. Every scale is folded into the convolution before it. What is left out: reading models.
package onnx
