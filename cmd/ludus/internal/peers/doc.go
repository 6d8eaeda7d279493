// Package peers runs other engines beside ours, so that speeds can be compared on one machine at one time: ONNX Runtime
// for inference (in Node, by the package onnxruntime-node) and PyTorch for training (in Python). Each is a process of its
// own that runs a script of this package; they exchange lines of JSON. Neither is needed for anything else: where one is
// not installed, starting it fails with [ErrMissing].
//
// onnxruntime-node is looked for where Node looks for packages: in the folder that NODE_PATH names, or in node_modules of
// the current folder and those above it.
//
//	npm install --ignore-scripts onnxruntime-node@1.30.0
//	apt-get install python3-torch
//
// Tests compare exported models in ONNX Runtime with our inference, have them looked at by ONNX's checker (Python's package
// onnx, Debian's python3-onnx), and run the examples of model/infer/onnx. What is not installed is skipped.
package peers
