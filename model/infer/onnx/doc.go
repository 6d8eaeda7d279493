// Package onnx writes networks as ONNX models (https://onnx.ai), IR version 8 and opset 17, for other engines and
// languages. docs/ONNX.md describes inputs, outputs and metadata.
//
// Scales are folded into the convolutions. A figure layer is two 1x1 convolutions and two products with constant matrices,
// [cells, figures] and [figures, cells]; the figures' channels pass on to the next figure layer. In games with many figures
// these products cost more than the convolutions.
//
// Not here: reading ONNX models.
package onnx
