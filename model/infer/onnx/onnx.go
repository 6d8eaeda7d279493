package onnx

import (
	"fmt"
	"slices"

	"ludus/env"
	"ludus/model/infer"
	pb "ludus/model/protobuf"
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
	b := &builder{weights: w}
	if !w.Config.Pooled {
		b.weights = channelsFirst(w, game.Tensor.Cells())
	}
	board, actions := []any{game.Tensor.C, game.Tensor.H, game.Tensor.W}, any(game.NumActions())
	if anySize(game, w) {
		board, actions = []any{game.Tensor.C, "rows", "columns"}, "actions"
	}
	b.network(game, actions)
	doc := "Plays " + game.Name + "; input and outputs are in the frame of the player to move. " +
		"The metadata and docs/ONNX.md of ludus explain how to encode a position, what its planes mean, and how to read the outputs."
	return slices.Concat(
		pb.Int(modelIRVersion, irVersion), pb.Bytes(modelProducer, "ludus"), pb.Bytes(modelProducerVersion, producer),
		pb.Bytes(modelDoc, doc),
		pb.Message(modelGraph, b.nodes, pb.Bytes(graphName, game.Name), b.constants,
			valueInfo(graphInput, Input, board...), b.outputs),
		pb.Message(modelOpset, pb.Bytes(opsetDomain, ""), pb.Int(opsetVersion, opset)),
		properties,
	), nil
}

// anySize reports whether the model takes boards of any size: if the network is pooled and the game is one of a family.
// Figures are lists of cells, constants of the model, so games with figures have one size.
func anySize(game *env.Game, w *infer.Weights) bool {
	return w.Config.Pooled && len(game.Figures) == 0 && game.Sheet == ""
}

// network adds the whole network of game; actions is the length of a policy, a number or a name.
func (b *builder) network(game *env.Game, actions any) {
	x := b.tower(game)

	policy := b.relu(b.pointwise("policy.hidden", x))
	logits := []string{b.flatten(b.pointwise("policy.planes", policy))}
	cells := b.relu(b.pointwise("outcome.cells", x))
	if b.weights.Config.Pooled {
		cells = b.pool(cells)
	} else {
		cells = b.flatten(cells)
	}
	hidden := b.relu(b.linear("outcome.hidden", cells))
	if game.PolicyExtras > 0 {
		logits = append(logits, b.linear("policy.extras", hidden))
	}
	b.output(b.node("Concat", Policy, logits, integer("axis", 1)), actions)

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

// pool adds the pooling of x [B, C, H, W] to [B, 3 C], see [infer.Pooling]; H and W are those of the input at hand.
func (b *builder) pool(x string) string {
	mean := b.flatten(b.node("GlobalAveragePool", "pool.mean", []string{x}))
	top := b.flatten(b.node("GlobalMaxPool", "pool.max", []string{x}))
	sides := b.node("Shape", "pool.sides", []string{x}, integer("start", 2))
	sides = b.node("Cast", "pool.sides.float", []string{sides}, integer("to", elementFloat))
	side := b.node("Sqrt", "pool.side", []string{b.node("ReduceProd", "pool.cells", []string{sides})})
	less := b.node("Sub", "pool.less", []string{side, b.constant("pool.middle", []float32{14}, 1)})
	factor := b.node("Div", "pool.factor", []string{less, b.constant("pool.range", []float32{10}, 1)})
	scaled := b.node("Mul", "pool.scaled", []string{mean, factor})
	return b.node("Concat", "pool", []string{mean, scaled, top}, integer("axis", 1))
}

// tower adds the stem and the blocks, and returns the name of their output.
func (b *builder) tower(game *env.Game) string {
	x, figures := b.relu(b.conv("stem.", "", Input)), ""
	if len(game.Figures) > 0 {
		b.figureMatrices(game)
	}
	for i := range b.weights.Config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		if len(game.Figures) == 0 {
			x = b.residual(prefix+"sum", x, b.conv(prefix, "2", b.relu(b.conv(prefix, "1", x))))
			continue
		}
		x = b.residual(prefix+"sum", x, b.conv(prefix, "", x))
		for layer := range infer.FigureLayers {
			x, figures = b.figureLayer(game, infer.FigureLayerPrefix(i, layer), x, figures)
		}
	}
	return x
}

// residual adds relu(x + y); the sum has the given name.
func (b *builder) residual(name, x, y string) string {
	return b.relu(b.node("Add", name, []string{x, y}))
}

// Names of the matrices that add up the cells of figures [cells, figures] and the figures through cells [figures, cells].
const (
	toFigures = "figures.matrix"
	toCells   = "cells.matrix"
)

// figureMatrices adds both matrices. ONNX has no sums over lists, so products with constant matrices add up: an entry of
// the first is 1 where the cell is in the figure, one of the second the scale of the sums, others are 0.
func (b *builder) figureMatrices(game *env.Game) {
	cells, figures := game.Tensor.Cells(), len(game.Figures)
	first, second, scale := make([]float32, cells*figures), make([]float32, figures*cells), infer.FigureScale(game)
	for i, figure := range game.Figures {
		for _, cell := range figure {
			first[int(cell)*figures+i], second[i*cells+int(cell)] = 1, scale
		}
	}
	b.constant(toFigures, first, cells, figures)
	b.constant(toCells, second, figures, cells)
}

// figureLayer adds a figure layer. figures is the figures' values after the layer before, or "" in the first layer.
func (b *builder) figureLayer(game *env.Game, prefix, x, figures string) (cells, values string) {
	board, channels := game.Tensor, b.weights.Config.Channels
	y := b.conv1x1(prefix+"figures", x, b.weights.Lookup(prefix+"figures.weight"))
	y = b.node("MatMul", prefix+"figures.sum", []string{b.reshape(y, channels, board.Cells()), toFigures})
	if figures != "" {
		y = b.node("Add", prefix+"figures.all", []string{y, figures})
	}
	values = b.relu(y)
	y = b.node("MatMul", prefix+"cells.sum", []string{values, toCells})
	y = b.conv1x1(prefix+"cells", b.reshape(y, channels, board.H, board.W), b.weights.Lookup(prefix+"cells.weight"))
	return b.residual(prefix+"cells.all", x, y), values
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
