package model

import (
	"fmt"
	"math"
	"slices"

	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// partRows is the largest number of samples in a graph. A batch is divided into the fewest parts of equal size, whatever
// the number of cores, so sums always have the same order.
const partRows = 16

// layer is a differentiable part of the network. Its inputs in are the output of the layer before and its leaves' values.
// forward may keep values for backward.
type layer interface {
	// forward computes out from the inputs.
	forward(in [][]float32, out []float32)
	// backward computes the gradient dIn[i] of each input in[i] from the output's gradient dOut; dIn[0] is nil in the first
	// layer. If the first input has the output's shape, dIn[0] and dOut share memory, which saves cache.
	backward(in [][]float32, out, dOut []float32, dIn [][]float32)
}

// node is a layer in a graph, with its memory.
type node struct {
	layer
	leaves  []*leaf
	in, dIn [][]float32
	out     []float32
}

// graph is the network with its loss for one part of a batch: a chain of layers. One goroutine may use it at a time.
type graph struct {
	game    *env.Game
	scratch scratch
	input   []float32 // [rows, H, W, C padded]
	nodes   []node
	outputs []float32 // of the last layer, heads
	loss    *loss
}

// newGraph builds the graph of a network with parameters p.
func newGraph(game *env.Game, p *parameters, config Config) *graph {
	shape, channels := game.Tensor, kernel.PadChannels(p.weights.Config.Channels)
	board := partRows * shape.Cells() * channels // values of an activation of the tower
	gradient := kernel.Aligned(board)            // of these; each layer replaces its output's gradient by its input's
	x := kernel.Aligned(partRows * shape.Cells() * kernel.PadChannels(shape.C))
	g := &graph{game: game, input: x, loss: newLoss(game, config)}
	add := func(l layer, values int, names ...string) {
		n := node{layer: l, in: [][]float32{x}, dIn: make([][]float32, 1+len(names)), out: kernel.Aligned(values)}
		for _, name := range names {
			n.leaves, n.in = append(n.leaves, p.leaf(name)), append(n.in, p.leaf(name).values)
		}
		if len(g.nodes) > 0 {
			n.dIn[0] = gradient
		}
		g.nodes, x = append(g.nodes, n), n.out
	}
	conv := func(name string) *conv { return newConv(shape.H, shape.W, p.leaf(name).folded, &g.scratch) }
	add(stem{conv("stem.conv")}, board, "stem.conv", "stem.bias")
	var shared *figures
	if len(game.Figures) > 0 {
		shared = newFigures(game, channels)
	}
	for i := range p.weights.Config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		if shared == nil {
			block := newBlock(conv(prefix+"conv1"), conv(prefix+"conv2"), &g.scratch)
			add(block, board, prefix+"conv1", prefix+"bias1", prefix+"conv2", prefix+"bias2")
			continue
		}
		add(residual{conv(prefix + "conv")}, board, prefix+"conv", prefix+"bias")
		for layer := range infer.FigureLayers {
			prefix := infer.FigureLayerPrefix(i, layer)
			toFigures, toCells := p.leaf(prefix+"figures.weight"), p.leaf(prefix+"cells.weight")
			add(shared.newLayer(toFigures.matrix, toCells.matrix, &g.scratch), board, toFigures.name, toCells.name)
		}
	}
	heads := newHeads(game, func(name string) *matrix { return p.leaf(name + ".weight").matrix }, &g.scratch)
	var names []string
	for _, l := range heads.layers {
		names = append(names, l.name+".weight", l.name+".bias")
	}
	add(heads, partRows*heads.outputs, names...)
	g.outputs = x
	return g
}

// forward computes the losses of n samples of a batch, from row first, as shares of those of the batch.
func (g *graph) forward(batch *Batch, first, n int) Losses {
	g.scratch.rows = n
	shape, size := g.game.Tensor, len(g.input)/partRows
	for i := range n {
		kernel.ChannelsLast(g.input[i*size:], batch.Inputs[(first+i)*shape.Size():], shape.C, shape.Cells())
	}
	for _, node := range g.nodes {
		node.forward(node.in, node.out)
	}
	return g.loss.compute(g.outputs, batch, first, n)
}

// backward writes the gradients of the losses that forward computed to those of part i of the leaves.
func (g *graph) backward(i int) {
	gradient := g.loss.gradient
	for _, node := range slices.Backward(g.nodes) {
		for j, l := range node.leaves {
			node.dIn[1+j] = l.part(i)
		}
		node.backward(node.in, node.out, gradient, node.dIn)
		gradient = node.dIn[0]
	}
}

// Entropy is the entropy of a distribution in nats.
func Entropy(p []float32) float64 {
	h := 0.0
	for _, v := range p {
		if v > 0 {
			h -= float64(v) * math.Log(float64(v))
		}
	}
	return h
}
