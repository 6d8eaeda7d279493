package onnx

import (
	"fmt"
	"slices"

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

// tower adds the stem, the residual blocks and the figure layers, and returns the name of their output.
func (b *builder) tower(game *env.Game) string {
	x := b.relu(b.conv("stem.", "", Input))
	if len(game.Figures) > 0 {
		b.figureMatrices(game)
	}
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

// Names of the matrices that add up the cells of figures [cells, figures] and the figures through cells [figures, cells].
const (
	toFigures = "figures.matrix"
	toCells   = "cells.matrix"
)

// figureMatrices adds both matrices. ONNX has no sums over lists, so products with constant matrices add up: an entry is the
// scale of the sum where the cell is in the figure, else 0.
func (b *builder) figureMatrices(game *env.Game) {
	cells, figures := game.Tensor.Cells(), len(game.Figures)
	figureScale, cellScale := infer.FigureScales(game)
	first, second := make([]float32, cells*figures), make([]float32, figures*cells)
	for i, figure := range game.Figures {
		for _, cell := range figure {
			first[int(cell)*figures+i], second[i*cells+int(cell)] = figureScale, cellScale
		}
	}
	b.constant(toFigures, first, cells, figures)
	b.constant(toCells, second, figures, cells)
}

// figureLayer adds a figure layer.
func (b *builder) figureLayer(game *env.Game, prefix, x string) string {
	board, channels := game.Tensor, b.weights.Config.Channels
	figureScale, _ := infer.FigureScales(game)
	bias := slices.Clone(b.weights.Lookup(prefix + "figures.bias").Data)
	for i := range bias {
		bias[i] *= figureScale
	}
	y := b.conv1x1(prefix+"figures", x, b.weights.Lookup(prefix+"figures.weight"))
	y = b.node("MatMul", prefix+"figures.sum", []string{b.reshape(y, channels, board.Cells()), toFigures})
	y = b.relu(b.node("Add", prefix+"figures.all", []string{y, b.constant(prefix+"figures.bias", bias, channels, 1)}))
	y = b.node("MatMul", prefix+"cells.sum", []string{y, toCells})
	y = b.conv1x1(prefix+"cells", b.reshape(y, channels, board.H, board.W), b.weights.Lookup(prefix+"cells.weight"))
	return b.relu(b.node("Add", prefix+"cells.all", []string{x, y}))
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
