package onnx

import (
	"fmt"
	"slices"

	"ludus/env"
	"ludus/model/infer"
	pb "ludus/model/protobuf"
)

// Names of a model's inputs and outputs.
const (
	Input   = "tensor"
	Figures = "figures" // of models of any size with figure layers
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
	rows, columns, actions := any(game.Tensor.H), any(game.Tensor.W), any(game.NumActions())
	if anySize(game, w) {
		rows, columns, actions = "rows", "columns", "actions"
	}
	b.inputs = valueInfo(graphInput, Input, "batch", game.Tensor.C, rows, columns)
	b.network(game, actions)
	doc := "Plays " + game.Name + "; input and outputs are in the frame of the player to move. " +
		"The metadata and docs/ONNX.md of ludus explain how to encode a position, what its planes mean, and how to read the outputs."
	return slices.Concat(
		pb.Int(modelIRVersion, irVersion), pb.Bytes(modelProducer, "ludus"), pb.Bytes(modelProducerVersion, producer),
		pb.Bytes(modelDoc, doc),
		pb.Message(modelGraph, b.nodes, pb.Bytes(graphName, game.Name), b.constants, b.inputs, b.outputs),
		pb.Message(modelOpset, pb.Bytes(opsetDomain, ""), pb.Int(opsetVersion, opset)),
		properties,
	), nil
}

// anySize reports whether the model takes boards of any size: if the network is pooled and the game is one of a family.
func anySize(game *env.Game, w *infer.Weights) bool { return w.Config.Pooled && game.Sheet == "" }

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
	if b.weights.HasFigureLayers() {
		b.figureShapes(game)
	}
	for i := range b.weights.Config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		if !b.weights.HasFigureLayers() {
			x = b.residual(prefix+"sum", x, b.conv(prefix, "2", b.relu(b.conv(prefix, "1", x))))
			continue
		}
		x = b.residual(prefix+"sum", x, b.conv(prefix, "", x))
		for layer := range infer.FigureLayers {
			x, figures = b.figureLayer(infer.FigureLayerPrefix(i, layer), x, figures)
		}
	}
	return x
}

// residual adds relu(x + y); the sum has the given name.
func (b *builder) residual(name, x, y string) string {
	return b.relu(b.node("Add", name, []string{x, y}))
}

// toCells is the matrix [figures, cells] that adds up and scales the figures through each cell.
const toCells = "cells.matrix"

// figureShapes adds what figure layers share. ONNX has no sums over lists, so products with matrices add up: Figures
// [cells, figures], which is 1 where the cell is in the figure, otherwise 0, and toCells, which follows from it with
// [infer.FigureScale]. Models of any size have Figures as an input, others as a constant.
func (b *builder) figureShapes(game *env.Game) {
	if anySize(game, b.weights) {
		b.inputs = append(b.inputs, valueInfo(graphInput, Figures, "cells", "figures")...)
	} else {
		cells, figures := game.Tensor.Cells(), len(game.Figures)
		matrix := make([]float32, cells*figures)
		for i, figure := range game.Figures {
			for _, cell := range figure {
				matrix[int(cell)*figures+i] = 1
			}
		}
		b.constant(Figures, matrix, cells, figures)
	}
	most := func(name string, axis int) string { // the most ones in a column (axis 0) or row (1)
		ones := b.node("ReduceL1", name, []string{Figures}, integers("axes", axis))
		return b.node("ReduceMax", name+".most", []string{ones})
	}
	product := b.node("Mul", "figures.product", []string{most("figures.cells", 0), most("cells.figures", 1)})
	transposed := b.node("Transpose", "figures.transposed", []string{Figures})
	b.node("Div", toCells, []string{transposed, b.node("Sqrt", "figures.divisor", []string{product})})
	b.tensor(flatBoard, elementInt64, []int64{0, 0, -1}, 3)
	b.tensor("board.start", elementInt64, []int64{0, 0}, 2)
	sides := b.node("Shape", "board.sides", []string{Input}, integer("start", 2))
	b.node("Concat", wholeBoard, []string{"board.start", sides}, integer("axis", 0))
}

// Shapes for Reshape, which keeps the length of a dimension where they have 0: [B, C, H*W] and [B, C, H, W].
const (
	flatBoard  = "board.flat"
	wholeBoard = "board.whole"
)

// figureLayer adds a figure layer. figures is the figures' values after the layer before, or "" in the first layer.
func (b *builder) figureLayer(prefix, x, figures string) (cells, values string) {
	y := b.conv1x1(prefix+"figures", x, b.weights.Lookup(prefix+"figures.weight"))
	y = b.node("Reshape", y+".flat", []string{y, flatBoard})
	y = b.node("MatMul", prefix+"figures.sum", []string{y, Figures})
	if figures != "" {
		y = b.node("Add", prefix+"figures.all", []string{y, figures})
	}
	values = b.relu(y)
	y = b.node("MatMul", prefix+"cells.sum", []string{values, toCells})
	y = b.node("Reshape", y+".board", []string{y, wholeBoard})
	y = b.conv1x1(prefix+"cells", y, b.weights.Lookup(prefix+"cells.weight"))
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
