package onnx

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"ludus/env"
	"ludus/model/infer"
	pb "ludus/model/infer/onnx/internal/onnxpb"
)

// Names of a model's input and outputs.
const (
	Input   = "tensor"
	Policy  = "policy"
	Outcome = "outcome"
	Value   = "value"
	Goals   = "goals"
)

// Versions of the ONNX format.
const (
	irVersion = 8
	opset     = 17
)

// Marshal returns network w of game as an ONNX model. producer is this program's version, "" if unknown. Equal
// arguments give equal bytes. It returns an error if w is not a complete network of game.
func Marshal(game *env.Game, w *infer.Weights, producer string) ([]byte, error) {
	if err := w.Validate(game); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	properties, err := metadata(game, w)
	if err != nil {
		return nil, err
	}
	b := &builder{weights: channelsFirst(w, game.Tensor.Cells()), graph: &pb.GraphProto{Name: proto.String(game.Name)}}
	b.network(game)
	model := &pb.ModelProto{
		IrVersion:       proto.Int64(irVersion),
		OpsetImport:     []*pb.OperatorSetIdProto{{Domain: proto.String(""), Version: proto.Int64(opset)}},
		ProducerName:    proto.String("ludus"),
		ProducerVersion: proto.String(producer),
		DocString: proto.String("Plays " + game.Name + "; input and outputs are in the frame of the player to move. " +
			"The metadata explains how to encode a position and how to read the outputs."),
		Graph:         b.graph,
		MetadataProps: properties,
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(model)
}

// network adds the whole network of game.
func (b *builder) network(game *env.Game) {
	b.graph.Input = append(b.graph.Input, tensorInfo(Input, game.Tensor.C, game.Tensor.H, game.Tensor.W))
	x := b.tower(game)

	policy := b.relu(b.pointwise("policy.hidden", x))
	logits := []string{b.flatten(b.pointwise("policy.planes", policy))}
	cells := b.flatten(b.relu(b.pointwise("outcome.cells", x)))
	hidden := b.relu(b.linear("outcome.hidden", cells))
	if game.PolicyExtras > 0 {
		logits = append(logits, b.linear("policy.extras", hidden))
	}
	b.output(b.node("Concat", Policy, logits, integer("axis", 1)), game.NumActions())

	classes := b.linear("outcome.classes", hidden)
	b.output(b.node("Softmax", Outcome, []string{classes}, integer("axis", 1)), len(game.Classes))
	utilities := make([]float32, len(game.Classes))
	for i, class := range game.Classes {
		utilities[i] = class.Utility
	}
	b.output(b.node("MatMul", Value, []string{Outcome, b.constant("utilities", utilities, len(utilities))}))
	if game.GoalHead {
		b.output(b.linear(Goals, hidden), 2)
	}
}

// tower adds the stem and the residual blocks and returns the name of their output.
func (b *builder) tower(game *env.Game) string {
	x := b.relu(b.conv("stem.", "", Input))
	for i := range b.weights.Config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		y := b.conv(prefix, "2", b.relu(b.conv(prefix, "1", x)))
		x = b.relu(b.node("Add", prefix+"sum", []string{x, y}))
		if len(game.Figures) > 0 {
			x = b.figureLayer(game, prefix, x)
		}
	}
	return x
}

// figureLayer adds a figure layer. Products with matrices of zeros and scales add up figures and cells.
func (b *builder) figureLayer(game *env.Game, prefix, x string) string {
	board, figures := game.Tensor, len(game.Figures)
	cells := board.Cells()
	scales := infer.NewFigureSums(game, 8)
	toFigures, toCells := make([]float32, cells*figures), make([]float32, figures*cells) // [cells, figures] and its transpose
	for i, figure := range game.Figures {
		for _, cell := range figure {
			toFigures[int(cell)*figures+i], toCells[i*cells+int(cell)] = scales.FigureScale, scales.CellScale
		}
	}
	weight, bias := b.weights.Lookup(prefix+"figures.weight"), b.weights.Lookup(prefix+"figures.bias")
	scaled := make([]float32, len(bias.Data))
	for i, v := range bias.Data {
		scaled[i] = v * scales.FigureScale
	}
	multiply := func(name, x string, matrix []float32, shape ...int) string {
		return b.node("MatMul", prefix+name, []string{x, b.constant(prefix+name+".matrix", matrix, shape...)})
	}
	y := b.reshape(prefix+"cells.flat", b.matrix(prefix+"figures", x, weight), len(bias.Data), cells)
	y = b.node("Add", prefix+"figures.sum", []string{
		multiply("figures.product", y, toFigures, cells, figures), b.constant(bias.Name, scaled, len(scaled), 1),
	})
	y = multiply("cells.product", b.relu(y), toCells, figures, cells)
	y = b.matrix(prefix+"cells", b.reshape(prefix+"cells.board", y, len(bias.Data), board.H, board.W),
		b.weights.Lookup(prefix+"cells.weight"))
	return b.relu(b.node("Add", prefix+"cells.sum", []string{x, y}))
}

// channelsFirst returns weights with the inputs of outcome.hidden in ONNX's order: channels first, then cells.
func channelsFirst(w *infer.Weights, cells int) *infer.Weights {
	swapped := w.Clone()
	from, to := w.Lookup("outcome.hidden.weight"), swapped.Lookup("outcome.hidden.weight")
	in := from.Shape[1]
	channels := in / cells
	for i, v := range from.Data {
		row, cell, c := i/in, i%in/channels, i%channels
		to.Data[row*in+c*cells+cell] = v
	}
	return swapped
}
