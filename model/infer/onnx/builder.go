package onnx

import (
	"encoding/binary"

	"ludus/model/infer"
	pb "ludus/model/protobuf"
)

// Fields of the messages in onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), a line for each
// message.
const modelIRVersion, modelProducer, modelProducerVersion, modelDoc, modelGraph, modelOpset, modelMetadata = 1, 2, 3, 6, 7, 8, 14
const opsetDomain, opsetVersion = 1, 2
const entryKey, entryValue = 1, 2
const graphNode, graphName, graphInitializer, graphInput, graphOutput = 1, 2, 5, 11, 12
const nodeInput, nodeOutput, nodeName, nodeOpType, nodeAttribute = 1, 2, 3, 4, 5
const attributeName, attributeInt, attributeInts, attributeType = 1, 3, 8, 20
const tensorDims, tensorElement, tensorName, tensorRawData = 1, 2, 8, 9
const valueName, valueType = 1, 2
const typeTensor = 1
const tensorTypeElement, tensorTypeShape = 1, 2
const shapeDim = 1
const dimValue, dimParam = 1, 2

// Values of enums: types of attributes, types of elements.
const attributeTypeInt, attributeTypeInts = 2, 7
const elementFloat, elementInt64 = 1, 7

// builder adds the operators and constants of a network to a graph. Every name is unique.
type builder struct {
	weights                           *infer.Weights
	nodes, constants, inputs, outputs []byte // fields of the graph
}

// node adds an operator with one output of the same name and returns that name.
func (b *builder) node(op, name string, inputs []string, attributes ...[]byte) string {
	var fields [][]byte
	for _, x := range inputs {
		fields = append(fields, pb.Bytes(nodeInput, x))
	}
	fields = append(fields, pb.Bytes(nodeOutput, name), pb.Bytes(nodeName, name), pb.Bytes(nodeOpType, op))
	b.nodes = append(b.nodes, pb.Message(graphNode, append(fields, attributes...)...)...)
	return name
}

// relu adds max(x, 0) and returns the name of the result.
func (b *builder) relu(x string) string { return b.node("Relu", x+".relu", []string{x}) }

// flatten adds a reshape of [B, C, H, W] to [B, C*H*W].
func (b *builder) flatten(x string) string {
	return b.node("Flatten", x+".flat", []string{x}, integer("axis", 1))
}

// conv adds a 3x3 convolution with its scale folded in.
func (b *builder) conv(prefix, suffix, x string) string {
	name := prefix + "conv" + suffix
	weight, scale := b.weights.Lookup(name), b.weights.Lookup(prefix+"scale"+suffix)
	out, in := weight.Shape[0], weight.Shape[3]
	folded := make([]float32, len(weight.Data)) // [out, in, 3, 3] from [out, 3, 3, in]
	for i, v := range weight.Data {
		o, tap, c := i/(9*in), i/in%9, i%in // output, tap, input
		folded[(o*in+c)*9+tap] = v * scale.Data[o]
	}
	w := b.constant(name+".weight", folded, out, in, 3, 3)
	bias := b.constant(name+".bias", b.weights.Lookup(prefix+"bias"+suffix).Data, out)
	return b.node("Conv", name, []string{x, w, bias}, integers("kernel_shape", 3, 3), integers("pads", 1, 1, 1, 1))
}

// pointwise adds a 1x1 convolution with a bias.
func (b *builder) pointwise(name, x string) string {
	return b.conv1x1(name, x, b.weights.Lookup(name+".weight"), b.bias(name))
}

// conv1x1 adds a 1x1 convolution with the given weights and perhaps a bias.
func (b *builder) conv1x1(name, x string, weight *infer.Tensor, bias ...string) string {
	w := b.constant(name+".weight", weight.Data, weight.Shape[0], weight.Shape[1], 1, 1)
	return b.node("Conv", name, append([]string{x, w}, bias...), integers("kernel_shape", 1, 1))
}

// linear adds a linear layer, x Wᵀ + b, with the named weights W [out, in], and returns the name of its output.
func (b *builder) linear(name, x string) string {
	weight := b.weights.Lookup(name + ".weight")
	w := b.constant(name+".weight", weight.Data, weight.Shape...)
	return b.node("Gemm", name, []string{x, w, b.bias(name)}, integer("transB", 1))
}

// bias adds the bias of a layer as a constant, and returns its name.
func (b *builder) bias(name string) string {
	bias := b.weights.Lookup(name + ".bias")
	return b.constant(bias.Name, bias.Data, bias.Shape...)
}

// constant adds a float32 constant and returns its name.
func (b *builder) constant(name string, data []float32, dims ...int) string {
	b.tensor(name, elementFloat, data, dims...)
	return name
}

// tensor adds a constant whose elements, a slice of numbers, have the given type.
func (b *builder) tensor(name string, element int, data any, dims ...int) {
	raw, _ := binary.Append(nil, binary.LittleEndian, data) // never fails on slices of numbers
	fields := repeated(tensorDims, dims)
	fields = append(fields, pb.Int(tensorElement, element), pb.Bytes(tensorName, name), pb.Bytes(tensorRawData, raw))
	b.constants = append(b.constants, pb.Message(graphInitializer, fields...)...)
}

// output declares a value of shape [B, dims...] as an output of the model; see valueInfo.
func (b *builder) output(name string, dims ...any) {
	b.outputs = append(b.outputs, valueInfo(graphOutput, name, append([]any{"batch"}, dims...)...)...)
}

// valueInfo describes a float32 input or output of the graph. A dimension is a number, or a name if any number will do.
func valueInfo(field pb.Field, name string, dims ...any) []byte {
	var sizes [][]byte
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			sizes = append(sizes, pb.Message(shapeDim, pb.Int(dimValue, d)))
		case string:
			sizes = append(sizes, pb.Message(shapeDim, pb.Bytes(dimParam, d)))
		}
	}
	tensor := pb.Message(typeTensor, pb.Int(tensorTypeElement, elementFloat), pb.Message(tensorTypeShape, sizes...))
	return pb.Message(field, pb.Bytes(valueName, name), pb.Message(valueType, tensor))
}

// integer is an attribute with one integer.
func integer(name string, value int) []byte {
	return pb.Message(nodeAttribute, pb.Bytes(attributeName, name), pb.Int(attributeInt, value),
		pb.Int(attributeType, attributeTypeInt))
}

// integers is an attribute with a list of integers.
func integers(name string, values ...int) []byte {
	fields := append([][]byte{pb.Bytes(attributeName, name)}, repeated(attributeInts, values)...)
	return pb.Message(nodeAttribute, append(fields, pb.Int(attributeType, attributeTypeInts))...)
}

// repeated returns a repeated field of integers.
func repeated(field pb.Field, values []int) (fields [][]byte) {
	for _, v := range values {
		fields = append(fields, pb.Int(field, v))
	}
	return fields
}
