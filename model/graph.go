package model

import (
	"fmt"
	"math"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/env"
	"ludus/model/infer"
)

// shardRows is the number of samples of one graph. A batch is cut into shards of this size whatever runs them, so sums
// have the same order on any number of cores.
const shardRows = 32

// builder adds layers to one graph. That Gorgonia refuses one is a mistake in this package, and panics.
type builder struct {
	batch   int
	scratch scratch
}

// apply adds an op to the graph.
func (b *builder) apply(o *op, inputs ...*gorgonia.Node) *gorgonia.Node {
	return check(o.apply(inputs...))
}

// sum adds two scalars.
func (b *builder) sum(x, y *gorgonia.Node) *gorgonia.Node { return check(gorgonia.Add(x, y)) }

func check[T any](result T, err error) T {
	if err != nil {
		panic("model: graph that Gorgonia refuses: " + err.Error())
	}
	return result
}

// graph is the network and its loss on one shard, with or without gradients, ready to run again and again. Its weights
// are those of the parameters that it was built on, by reference. It has one user at a time.
type graph struct {
	game *env.Game
	vm   gorgonia.VM

	// The inputs' memory, filled by load.
	input                       []float32 // [rows, H, W, padded C]
	legal, policy, policyWeight []float32
	classes, weight             []float32 // weight is 1/B for a sample, 0 for the padding of the last shard
	goals, goalWeight           []float32
	goalFactor                  float64

	logits, outcome, goalsOut                *gorgonia.Node // predictions
	policyLoss, outcomeLoss, goalLoss, total *gorgonia.Node // goalLoss is nil without a goal head

	gradients gorgonia.Nodes // in the order of the parameters; nil without gradients
}

// newGraph builds the network and its loss on the weights of p.
func newGraph(game *env.Game, p *parameters, goalWeight float64, withGradients bool) *graph {
	building.Lock()
	defer building.Unlock()
	g := gorgonia.NewGraph()
	gr := &graph{game: game, goalFactor: goalWeight}
	nodes := p.nodes(g)
	b := &builder{batch: shardRows}
	gr.build(g, b, p.config, func(name string) *gorgonia.Node { return nodes[p.index[name]] })
	if withGradients {
		gr.gradients = check(gorgonia.Grad(gr.total, nodes...))
	}
	gr.vm = gorgonia.NewTapeMachine(g)
	return gr
}

// input adds a named input of the given shape and returns its memory.
func input(g *gorgonia.ExprGraph, name string, shape ...int) (*gorgonia.Node, []float32) {
	data := infer.Aligned(tensor.Shape(shape).TotalSize())
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
	node := gorgonia.NewTensor(g, tensor.Float32, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(name),
		gorgonia.WithValue(value))
	return node, data
}

// build adds the inputs, the tower and the heads.
func (gr *graph) build(g *gorgonia.ExprGraph, b *builder, config infer.Config, weight func(string) *gorgonia.Node) {
	shape := gr.game.Tensor
	x, data := input(g, "input", b.batch, shape.H, shape.W, infer.PadChannels(shape.C))
	gr.input = data

	layer := func(prefix, suffix string, x, residual *gorgonia.Node, isInput bool) *gorgonia.Node {
		y := b.conv(prefix+"conv"+suffix, x, weight(prefix+"conv"+suffix), isInput)
		return b.affine(prefix+"affine"+suffix, y, weight(prefix+"scale"+suffix), weight(prefix+"bias"+suffix), residual)
	}
	x = layer("stem.", "", x, nil, true)
	for i := range config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		x = layer(prefix, "2", layer(prefix, "1", x, nil, false), x, false)
	}
	gr.buildHeads(g, b, x, weight)
}

// buildHeads adds the heads and losses on the tower's output x.
func (gr *graph) buildHeads(g *gorgonia.ExprGraph, b *builder, x *gorgonia.Node, weight func(string) *gorgonia.Node) {
	shape := gr.game.Tensor
	linear := func(name string, x *gorgonia.Node, rectify bool, shape ...int) *gorgonia.Node {
		return b.linear(name, x, weight(name+".weight"), weight(name+".bias"), rectify, shape...)
	}
	width := func(name string) int { return weight(name + ".weight").Shape()[0] }
	onBoard := func(name string, x *gorgonia.Node, rectify bool) *gorgonia.Node {
		return linear(name, x, rectify, b.batch, shape.H, shape.W, width(name))
	}
	hidden := linear("outcome.hidden", onBoard("outcome.cells", x, true), true, b.batch, width("outcome.hidden"))
	aside := hidden
	if gr.game.PolicyExtras > 0 && gr.game.GoalHead {
		aside = b.branch("outcome.aside", hidden)
	}
	var extras *gorgonia.Node
	if gr.game.PolicyExtras > 0 {
		extras = linear("policy.extras", aside, false, b.batch, gr.game.PolicyExtras)
	}
	gr.logits = b.policy("policy", onBoard("policy.planes", onBoard("policy.hidden", x, true), false), extras)
	gr.outcome = linear("outcome.classes", hidden, false, b.batch, len(gr.game.Classes))

	var policy, policyWeight, legal, classes, rowWeight *gorgonia.Node
	policy, gr.policy = input(g, "policy target", b.batch, gr.game.NumActions())
	legal, gr.legal = input(g, "legal", b.batch, gr.game.NumActions())
	policyWeight, gr.policyWeight = input(g, "policy weight", b.batch)
	classes, gr.classes = input(g, "classes", b.batch, len(gr.game.Classes))
	rowWeight, gr.weight = input(g, "weight", b.batch)
	gr.policyLoss = b.crossEntropy("policy loss", gr.logits, policy, policyWeight, legal)
	gr.outcomeLoss = b.crossEntropy("outcome loss", gr.outcome, classes, rowWeight, nil)
	gr.total = b.sum(gr.policyLoss, gr.outcomeLoss)
	if gr.game.GoalHead {
		var goals, goalWeight *gorgonia.Node
		goals, gr.goals = input(g, "goals target", b.batch, 2)
		goalWeight, gr.goalWeight = input(g, "goal weight", b.batch)
		gr.goalsOut = linear("goals", aside, false, b.batch, 2)
		gr.goalLoss = b.squaredError("goal loss", gr.goalsOut, goals, goalWeight)
		gr.total = b.sum(gr.total, gr.goalLoss)
	}
}

// load fills the inputs with rows first.. of a batch; rows past its end get weight 0.
func (gr *graph) load(batch *Batch, first int) (entropy float64) {
	n := min(shardRows, batch.Size-first)
	shape, actions, k := gr.game.Tensor, gr.game.NumActions(), len(gr.game.Classes)
	cells, padded := shape.Cells(), infer.PadChannels(shape.C)
	for i := range n {
		from := batch.Inputs[(first+i)*shape.Size() : (first+i+1)*shape.Size()]
		to := gr.input[i*cells*padded : (i+1)*cells*padded]
		for c := range shape.C {
			for cell, v := range from[c*cells : (c+1)*cells] {
				to[cell*padded+c] = v
			}
		}
	}
	copy(gr.legal, batch.Legal[first*actions:(first+n)*actions])
	copy(gr.policy, batch.Policy[first*actions:(first+n)*actions])
	copy(gr.classes, batch.Classes[first*k:(first+n)*k])
	copy(gr.goals, batch.Goals[first*2:(first+n)*2])
	clear(gr.policyWeight)
	clear(gr.weight)
	clear(gr.goalWeight)
	for i := range n {
		gr.policyWeight[i] = batch.PolicyWeight[first+i] / float32(batch.Size)
		gr.weight[i] = 1 / float32(batch.Size)
		if gr.goalWeight != nil {
			gr.goalWeight[i] = float32(gr.goalFactor / float64(batch.Size))
		}
		entropy += float64(gr.policyWeight[i]) * entropyOf(gr.policy[i*actions:(i+1)*actions])
	}
	return entropy
}

// entropyOf is the entropy of a distribution, in nats.
func entropyOf(p []float32) float64 {
	h := 0.0
	for _, v := range p {
		if v > 0 {
			h -= float64(v) * math.Log(float64(v))
		}
	}
	return h
}

// run computes the shard's part of the losses and, if the graph has them, its gradients.
func (gr *graph) run(batch *Batch, first int) (Losses, error) {
	entropy := gr.load(batch, first)
	gr.vm.Reset()
	if err := gr.vm.RunAll(); err != nil {
		return Losses{}, fmt.Errorf("training graph: %w", err)
	}
	l := Losses{Entropy: entropy, Policy: scalar(gr.policyLoss), Outcome: scalar(gr.outcomeLoss)}
	l.Total = l.Policy + l.Outcome
	if gr.goalLoss != nil {
		weighted := scalar(gr.goalLoss)
		l.Total += weighted
		if gr.goalFactor > 0 {
			l.Goals = weighted / gr.goalFactor
		}
	}
	return l, nil
}

func scalar(n *gorgonia.Node) float64 { return float64(*n.Value().(*gorgonia.F32)) }

// copyGradients copies the gradients of the last run to dst, which has one slice a parameter.
func (gr *graph) copyGradients(dst [][]float32) {
	for i, n := range gr.gradients {
		copy(dst[i], n.Value().(*tensor.Dense).Float32s())
	}
}
