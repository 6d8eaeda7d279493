// Package peers compares this module with other engines: ONNX Runtime for inference (in Node, package onnxruntime-node) and
// PyTorch for training (in Python). It holds tests and benchmarks only. Each engine is a process that runs a script of this
// package and exchanges lines of JSON with the test.
//
// Node looks for onnxruntime-node in the folder that NODE_PATH names, and in node_modules of the current folder and its
// parents.
//
//	npm install --ignore-scripts onnxruntime-node@1.30.0
//	apt-get install python3-torch
//
// The tests compare exported models in ONNX Runtime with our inference, check them with ONNX's checker (Python's package
// onnx, Debian's python3-onnx), and run the examples of model/infer/onnx. The benchmarks measure both sides in turn:
//
//	go test -run '^$' -bench . ./cmd/ludus/internal/peers
//
// Without an engine its tests and benchmarks are skipped; LUDUS_TEST_PEERS makes tests fail instead.
package peers
