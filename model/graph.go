package model

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// partRows is the largest number of samples in a graph. A batch is divided into the fewest parts of equal size, whatever
// the number of cores, so sums always have the same order.
const partRows = 16

// graph is the network with its loss for one part of a batch, with or without gradients. It reads the parameters' leaves.
// One goroutine may use it at a time.
type graph struct {
	*size
	machine *machine
	scratch scratch

	// Memory of the inputs; load fills it.
	input                          []float32 // [rows, H, W, C padded]
	policy, legal, policyWeight    []float32
	reply, replyLegal, replyWeight []float32
	classes, goals, weight         []float32 // weight is 1/B for samples, 0 for unused rows

	outputs   []float32 // of heads
	loss      *loss
	gradients []*op // of the leaves; run sets the memory of their outputs. nil without gradients
}

// newGraph builds a graph of one size on the leaves of p.
func newGraph(size *size, p *parameters, config Config, withGradients bool) *graph {
	building.Lock()
	defer building.Unlock()
	g := gorgonia.NewGraph()
	gr := &graph{size: size, loss: newLoss(size.game, partRows, config)}
	var nodes gorgonia.Nodes
	leaves := map[string]leafNode{}
	for _, l := range p.leaves {
		n := input(g, l.name, l.values, l.shape...)
		nodes, leaves[l.name] = append(nodes, n), leafNode{n, l}
	}
	total := gr.build(g, p.weights, leaves, withGradients)
	if withGradients {
		for _, n := range must(gorgonia.Grad(total, nodes...)) {
			gr.gradients = append(gr.gradients, n.Op().(*op))
		}
	}
	gr.machine = newMachine(g)
	return gr
}

// leafNode pairs a leaf with its node in a graph.
type leafNode struct {
	*gorgonia.Node
	*leaf
}

// input adds a named input of the given shape that reads data.
func input(g *gorgonia.ExprGraph, name string, data []float32, shape ...int) *gorgonia.Node {
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
	return gorgonia.NewTensor(g, tensor.Float32, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(name),
		gorgonia.WithValue(value))
}

// newInput adds a named input of the given shape and sets data to its memory.
func newInput(g *gorgonia.ExprGraph, name string, data *[]float32, shape ...int) *gorgonia.Node {
	*data = kernel.Aligned(tensor.Shape(shape).TotalSize())
	return input(g, name, *data, shape...)
}

// build adds inputs, tower, heads and loss, and returns the total loss. leaves are the parameters' nodes by name.
func (gr *graph) build(
	g *gorgonia.ExprGraph, network *infer.Weights, leaves map[string]leafNode, withGradients bool,
) *gorgonia.Node {
	shape, s, config := gr.game.Tensor, &gr.scratch, network.Config
	conv := func(prefix, suffix string) (*conv, gorgonia.Nodes) {
		weights, bias := leaves[prefix+"conv"+suffix], leaves[prefix+"bias"+suffix]
		c := &conv{gr.convolvers[weights.folded], shape.Cells(), weights.folded.out, s}
		return c, gorgonia.Nodes{weights.Node, bias.Node}
	}
	x := newInput(g, "input", &gr.input, partRows, shape.H, shape.W, kernel.PadChannels(shape.C))
	board := tensor.Shape{partRows, shape.H, shape.W, kernel.PadChannels(config.Channels)}
	first, stemInputs := conv("stem.", "")
	var none gorgonia.Nodes // for layers without constant inputs
	x = apply("stem", stem{first}, board, gorgonia.Nodes{x}, append(gorgonia.Nodes{x}, stemInputs...))
	var shared *figures
	if network.HasFigureLayers() {
		shared = newFigures(gr.game, kernel.PadChannels(config.Channels), withGradients)
	}
	for i := range config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		if shared == nil {
			first, weights1 := conv(prefix, "1")
			second, weights2 := conv(prefix, "2")
			b := &block{first, second, kernel.Aligned(board.TotalSize()), s}
			x = apply(prefix, b, board, none, slices.Concat(gorgonia.Nodes{x}, weights1, weights2))
			continue
		}
		single, convInputs := conv(prefix, "")
		x = apply(prefix, residual{single}, board, none, append(gorgonia.Nodes{x}, convInputs...))
		for layer := range infer.FigureLayers {
			prefix := infer.FigureLayerPrefix(i, layer)
			toFigures, toCells := leaves[prefix+"figures.weight"], leaves[prefix+"cells.weight"]
			inputs := gorgonia.Nodes{x, toFigures.Node, toCells.Node}
			x = apply(prefix+"figures", shared.newLayer(toFigures.matrix, toCells.matrix, s), board, none, inputs)
		}
	}
	inputs := gorgonia.Nodes{x}
	h := newHeads(gr.game, config, func(name string) *matrix { return leaves[name+".weight"].matrix }, s)
	for _, p := range h.layers {
		inputs = append(inputs, leaves[p.name+".weight"].Node, leaves[p.name+".bias"].Node)
	}
	outputs := apply("heads", h, tensor.Shape{partRows, h.outputs}, none, inputs)
	gr.outputs = outputs.Op().(*op).out
	constant := gorgonia.Nodes{ // in the order of the inputs of loss
		newInput(g, "policy", &gr.policy, partRows, gr.game.NumActions()),
		newInput(g, "legal", &gr.legal, partRows, gr.game.NumActions()),
		newInput(g, "policy weight", &gr.policyWeight, partRows),
		newInput(g, "reply", &gr.reply, partRows, gr.game.NumActions()),
		newInput(g, "reply legal", &gr.replyLegal, partRows, gr.game.NumActions()),
		newInput(g, "reply weight", &gr.replyWeight, partRows),
		newInput(g, "classes", &gr.classes, partRows, len(gr.game.Classes)),
		newInput(g, "goals", &gr.goals, partRows, 2),
		newInput(g, "weight", &gr.weight, partRows),
	}
	return apply("loss", gr.loss, nil, constant, append(gorgonia.Nodes{outputs}, constant...)) // nil: a scalar
}

// load copies n rows of a batch, starting with row first, to the input nodes.
func (gr *graph) load(batch *Batch, first, n int) {
	gr.scratch.rows = n
	shape, actions, k := gr.game.Tensor, gr.game.NumActions(), len(gr.game.Classes)
	size := len(gr.input) / partRows // values of a row, with padding
	for i := range n {
		kernel.ChannelsLast(gr.input[i*size:], batch.Inputs[(first+i)*shape.Size():], shape.C, shape.Cells())
	}
	copy(gr.legal, batch.LegalMask[first*actions:(first+n)*actions])
	copy(gr.policy, batch.Policy[first*actions:(first+n)*actions])
	copy(gr.replyLegal, batch.ReplyMask[first*actions:(first+n)*actions])
	copy(gr.reply, batch.Reply[first*actions:(first+n)*actions])
	copy(gr.classes, batch.Outcome[first*k:(first+n)*k])
	copy(gr.goals, batch.Goals[first*2:(first+n)*2])
	clear(gr.policyWeight)
	clear(gr.replyWeight)
	clear(gr.weight)
	for i := range n {
		gr.policyWeight[i] = batch.PolicyWeight[first+i] / float32(batch.Size)
		gr.replyWeight[i] = batch.ReplyWeight[first+i] / float32(batch.Size)
		gr.weight[i] = 1 / float32(batch.Size)
	}
}

// run computes the losses of the part of n rows from row first, as parts of those of the batch, and, in a graph with
// gradients, writes their gradients to those of part i of the leaves.
func (gr *graph) run(batch *Batch, first, n int, leaves []*leaf, i int) Losses {
	gr.load(batch, first, n)
	for j, g := range gr.gradients {
		g.out = leaves[j].part(i)
	}
	gr.machine.run()
	return gr.loss.parts
}
