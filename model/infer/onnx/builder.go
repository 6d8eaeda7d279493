package onnx

import (
	"encoding/binary"

	"google.golang.org/protobuf/proto"

	"ludus/model/infer"
	pb "ludus/model/infer/onnx/internal/onnxpb"
)

// builder adds the operators and constants of a network to a graph. Every name is unique.
type builder struct {
	weights *infer.Weights
	graph   *pb.GraphProto
}

// node adds an operator with one output of the same name and returns that name.
func (b *builder) node(op, name string, inputs []string, attributes ...*pb.AttributeProto) string {
	b.graph.Node = append(b.graph.Node, &pb.NodeProto{
		OpType: proto.String(op), Name: proto.String(name),
		Input: inputs, Output: []string{name},
		Attribute: attributes,
	})
	return name
}

// relu adds max(x, 0).
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
		o, tap, c := i/(9*in), i/in%9, i%in
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

// reshape adds a change of shape to [B, dims...].
func (b *builder) reshape(x string, dims ...int) string {
	shape, _ := binary.Append(nil, binary.LittleEndian, append([]int64{-1}, int64s(dims)...)) // never fails on integers
	name := x + ".shape"
	b.graph.Initializer = append(b.graph.Initializer, &pb.TensorProto{
		Name: proto.String(name), DataType: proto.Int32(int32(pb.TensorProto_INT64)),
		Dims: []int64{int64(1 + len(dims))}, RawData: shape,
	})
	return b.node("Reshape", x+".reshaped", []string{x, name})
}

// linear adds a linear layer.
func (b *builder) linear(name, x string) string {
	weight := b.weights.Lookup(name + ".weight")
	w := b.constant(name+".weight", weight.Data, weight.Shape...)
	return b.node("Gemm", name, []string{x, w, b.bias(name)}, integer("transB", 1))
}

// bias adds the bias of a layer.
func (b *builder) bias(name string) string {
	bias := b.weights.Lookup(name + ".bias")
	return b.constant(bias.Name, bias.Data, bias.Shape...)
}

// constant adds a float32 constant and returns its name.
func (b *builder) constant(name string, data []float32, shape ...int) string {
	raw, _ := binary.Append(nil, binary.LittleEndian, data) // never fails on floats
	b.graph.Initializer = append(b.graph.Initializer, &pb.TensorProto{
		Name: proto.String(name), DataType: proto.Int32(int32(pb.TensorProto_FLOAT)),
		Dims: int64s(shape), RawData: raw,
	})
	return name
}

// output declares a value of shape [B, dims...] as an output of the model.
func (b *builder) output(name string, dims ...int) {
	b.graph.Output = append(b.graph.Output, tensorInfo(name, dims...))
}

// tensorInfo describes a float32 tensor [B, dims...].
func tensorInfo(name string, dims ...int) *pb.ValueInfoProto {
	shape := &pb.TensorShapeProto{Dim: []*pb.TensorShapeProto_Dimension{
		{Value: &pb.TensorShapeProto_Dimension_DimParam{DimParam: "batch"}},
	}}
	for _, d := range int64s(dims) {
		shape.Dim = append(shape.Dim, &pb.TensorShapeProto_Dimension{
			Value: &pb.TensorShapeProto_Dimension_DimValue{DimValue: d},
		})
	}
	return &pb.ValueInfoProto{Name: proto.String(name), Type: &pb.TypeProto{
		Value: &pb.TypeProto_TensorType{TensorType: &pb.TypeProto_Tensor{
			ElemType: proto.Int32(int32(pb.TensorProto_FLOAT)), Shape: shape,
		}},
	}}
}

// integer is an attribute with one integer.
func integer(name string, value int64) *pb.AttributeProto {
	return &pb.AttributeProto{Name: proto.String(name), Type: pb.AttributeProto_INT.Enum(), I: proto.Int64(value)}
}

// integers is an attribute with a list of integers.
func integers(name string, values ...int64) *pb.AttributeProto {
	return &pb.AttributeProto{Name: proto.String(name), Type: pb.AttributeProto_INTS.Enum(), Ints: values}
}

// int64s converts dimensions to ONNX's type.
func int64s(dims []int) []int64 {
	w := make([]int64, len(dims))
	for i, d := range dims {
		w[i] = int64(d)
	}
	return w
}
