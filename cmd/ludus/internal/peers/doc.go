// Package peers compares exported models and our inference with ONNX Runtime (in Node, package onnxruntime-node). It holds
// tests and a benchmark only. The engine is a process that runs a script of this package and exchanges lines of JSON with
// the test.
//
// Node looks for onnxruntime-node in the folder that NODE_PATH names, and in node_modules of the current folder and its
// parents.
//
//	npm install --ignore-scripts onnxruntime-node@1.30.0
//
// The tests compare exported models in ONNX Runtime with our inference, check them with ONNX's checker (Python's package
// onnx, Debian's python3-onnx), and run the examples of model/infer/onnx. The benchmark measures both sides:
//
//	go test -run '^$' -bench . ./cmd/ludus/internal/peers
//
// Tests and benchmarks that need what is not installed are skipped; LUDUS_TEST_PEERS makes tests fail instead.
package peers
