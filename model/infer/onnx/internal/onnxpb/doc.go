// Package onnxpb holds the Go bindings of ONNX's official message definitions. onnx-ml.proto is onnx/onnx-ml.proto of onnx
// 1.12.0, unchanged (https://github.com/onnx/onnx/blob/v1.12.0/onnx/onnx-ml.proto, licensed Apache-2.0; also in Debian 12's
// python3-onnx); IR version 8 is its newest. onnx-ml.pb.go is made from it by protoc 3.21.12, Debian 12's
// protobuf-compiler, and protoc-gen-go v1.36.12:
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go generate ./model/infer/onnx/internal/onnxpb
package onnxpb

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go_opt=Monnx-ml.proto=ludus/model/infer/onnx/internal/onnxpb onnx-ml.proto
