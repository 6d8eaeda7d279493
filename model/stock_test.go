package model

import (
	"fmt"
	"math"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/env"
	"ludus/model/infer"
)

// stock trains the same network and loss with Gorgonia's own operations, machine and Adam solver, on [B, C, H, W]. It
// is the oracle of Trainer's tests and far slower. Gorgonia's matrix products use all cores.
type stock struct {
	game   *env.Game
	params *parameters
	size   int // B

	g       *G.ExprGraph
	vm      G.VM
	solver  G.Solver
	total   *G.Node
	targets stockTargets

	// One per parameter.
	nodes  G.Nodes
	grads  G.Nodes
	names  []string
	places [][]int // element i of a node is element places[node][i] of the weights' tensor
}

// stockTargets is the memory of the graph's inputs, as in [Batch]. Shares are weights divided by B.
type stockTargets struct {
	inputs, classes, goals []float32
	policy, reply          stockPolicy
}

type stockPolicy struct{ target, legal, share []float32 }

// newStock builds the graph for batches of the given size on a copy of the trainer's parameters. config has the
// weights of the losses.
func newStock(tr *Trainer, config Config, size int, rate float64) *stock {
	building.Lock()
	defer building.Unlock()
	s := &stock{game: tr.game, params: tr.params, size: size, g: G.NewGraph()}
	s.total = s.build(config)
	s.grads = must(G.Grad(s.total, s.nodes...))
	s.vm = G.NewTapeMachine(s.g, G.BindDualValues(s.nodes...))
	s.solver = G.NewAdamSolver(
		G.WithLearnRate(rate), G.WithBeta1(beta1), G.WithBeta2(beta2), G.WithEps(float64(epsilon)))
	return s
}

// Step does one update and returns the total loss before it. The batch has the size that the graph was built for.
func (s *stock) Step(b *Batch) (float64, error) {
	total, err := s.run(b)
	if err != nil {
		return 0, err
	}
	if err := s.solver.Step(G.NodesToValueGrads(s.nodes)); err != nil {
		return 0, fmt.Errorf("stock solver: %w", err)
	}
	return total, nil
}

// Close frees the machine. The network must not be used afterwards.
func (s *stock) Close() error { return s.vm.Close() }

// run computes the total loss and the gradients.
func (s *stock) run(b *Batch) (float64, error) {
	if b.Size != s.size {
		panic("model: batch of another size")
	}
	to := s.targets
	copy(to.inputs, b.Inputs)
	load := func(to stockPolicy, target, legal, weights []float32) {
		copy(to.target, target)
		copy(to.legal, legal)
		for i, w := range weights {
			to.share[i] = w / float32(b.Size)
		}
	}
	load(to.policy, b.Policy, b.LegalMask, b.PolicyWeight)
	load(to.reply, b.Reply, b.ReplyMask, b.ReplyWeight)
	copy(to.classes, b.Outcome)
	copy(to.goals, b.Goals)
	s.vm.Reset()
	if err := s.vm.RunAll(); err != nil {
		return 0, fmt.Errorf("stock graph: %w", err)
	}
	return float64(*s.total.Value().(*G.F32)), nil
}

// stockInput adds a named input of the given shape and returns it with its memory.
func stockInput(g *G.ExprGraph, name string, shape ...int) (node *G.Node, data []float32) {
	node = newInput(g, name, &data, shape...)
	return node, data
}

// tensor returns the parameter of that name.
func (s *stock) tensor(name string) *infer.Tensor {
	return &s.params.tensors[slices.IndexFunc(s.params.tensors, func(t infer.Tensor) bool { return t.Name == name })]
}

// weight adds the tensor of that name as an input. Element i of the input is element place(i) of the tensor.
func (s *stock) weight(name string, place func(i int) int, shape ...int) *G.Node {
	from := s.tensor(name).Data
	n, data := stockInput(s.g, name, shape...)
	places := make([]int, len(from))
	for i := range from {
		places[i] = place(i)
		data[i] = from[places[i]]
	}
	s.nodes, s.names, s.places = append(s.nodes, n), append(s.names, name), append(s.places, places)
	return n
}

func same(i int) int { return i }

// perChannel applies op to x [B, C, H, W] and a weight with one value per channel.
func (s *stock) perChannel(op func(a, b *G.Node, left, right []byte) (*G.Node, error), x *G.Node, name string) *G.Node {
	return must(op(x, s.weight(name, same, 1, x.Shape()[1], 1, 1), nil, []byte{0, 2, 3}))
}

func (s *stock) conv(prefix, suffix string, x, residual *G.Node) *G.Node {
	in, out := x.Shape()[1], s.params.weights.Config.Channels
	oihw := func(i int) int { return (i/(9*in)*9+i%9)*in + i/9%in }
	w := s.weight(prefix+"conv"+suffix, oihw, out, in, 3, 3)
	y := must(G.Conv2d(x, w, tensor.Shape{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}))
	y = s.perChannel(G.BroadcastAdd, s.perChannel(G.BroadcastHadamardProd, y, prefix+"scale"+suffix), prefix+"bias"+suffix)
	if residual != nil {
		y = must(G.Add(y, residual))
	}
	return must(G.Rectify(y))
}

// figureLayer applies a figure layer to x [B, C, H, W] and to the figures [B C, figures], which are nil before the
// first layer.
func (s *stock) figureLayer(prefix string, x, before *G.Node) (y, values *G.Node) {
	shape, figures := x.Shape().Clone(), len(s.game.Figures)
	b, c, cells := shape[0], shape[1], shape[2]*shape[3]
	incidence := make([]float32, cells*figures) // [cells, figures]
	through, size, most := make([]int, cells), 0, 0
	for i, figure := range s.game.Figures {
		size = max(size, len(figure))
		for _, cell := range figure {
			incidence[int(cell)*figures+i] = 1
			through[cell]++
			most = max(most, through[cell])
		}
	}
	matrix := func(name string) *G.Node {
		n, data := stockInput(s.g, prefix+name, cells, figures)
		copy(data, incidence)
		return n
	}
	scale := func(x *G.Node, terms int) *G.Node {
		return must(G.Mul(x, G.NewConstant(float32(1/math.Sqrt(float64(terms))))))
	}
	weight := func(name string) *G.Node { return s.weight(prefix+name, same, c, c, 1, 1) }
	conv := func(x *G.Node, name string) *G.Node {
		return must(G.Conv2d(x, weight(name), tensor.Shape{1, 1}, []int{0, 0}, []int{1, 1}, []int{1, 1}))
	}
	values = must(G.Reshape(conv(x, "figures.weight"), tensor.Shape{b * c, cells}))
	values = must(G.Mul(values, matrix("to figures")))
	if before != nil {
		values = must(G.Add(values, before))
	}
	values = must(G.Rectify(values))
	y = must(G.Reshape(must(G.Mul(values, must(G.Transpose(matrix("to cells"), 1, 0)))), shape))
	return must(G.Rectify(must(G.Add(conv(scale(y, size*most), "cells.weight"), x)))), values
}

func (s *stock) pointwise(name string, x *G.Node) *G.Node {
	shape := s.tensor(name + ".weight").Shape
	w := s.weight(name+".weight", same, shape[0], shape[1], 1, 1)
	y := must(G.Conv2d(x, w, tensor.Shape{1, 1}, []int{0, 0}, []int{1, 1}, []int{1, 1}))
	return s.perChannel(G.BroadcastAdd, y, name+".bias")
}

// dense multiplies x [B, in] by the transposed weights; column i of x is input order(i) of the layer.
func (s *stock) dense(name string, x *G.Node, order func(i int) int) *G.Node {
	shape := s.tensor(name + ".weight").Shape
	out, in := shape[0], shape[1]
	w := s.weight(name+".weight", func(i int) int { return i%out*in + order(i/out) }, in, out)
	return must(G.BroadcastAdd(must(G.Mul(x, w)), s.weight(name+".bias", same, 1, out), nil, []byte{0}))
}

// crossEntropy is the sum of weight (log sum legal exp(x) - target x). Targets must sum to 1.
func (s *stock) crossEntropy(x, target, weight, legal *G.Node) *G.Node {
	exp := must(G.Exp(x))
	if legal != nil {
		exp = must(G.HadamardProd(exp, legal))
	}
	logSum := must(G.Log(must(G.Sum(exp, 1))))
	rows := must(G.Sub(logSum, must(G.Sum(must(G.HadamardProd(target, x)), 1))))
	return must(G.Sum(must(G.HadamardProd(rows, weight))))
}

// build returns the total loss.
func (s *stock) build(config Config) *G.Node {
	shape := s.game.Tensor
	x, data := stockInput(s.g, "input", s.size, shape.C, shape.H, shape.W)
	s.targets.inputs = data
	x = s.conv("stem.", "", x, nil)
	var figures *G.Node
	for i := range s.params.weights.Config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		if len(s.game.Figures) == 0 {
			x = s.conv(prefix, "2", s.conv(prefix, "1", x, nil), x)
			continue
		}
		x = s.conv(prefix, "", x, x)
		for layer := range infer.FigureLayers {
			x, figures = s.figureLayer(infer.FigureLayerPrefix(i, layer), x, figures)
		}
	}
	policyHidden := must(G.Rectify(s.pointwise("policy.hidden", x)))
	cells := must(G.Rectify(s.pointwise("outcome.cells", x)))
	width := cells.Shape()[1]
	if s.params.weights.Config.Pooled {
		hidden := must(G.Rectify(s.dense("outcome.hidden", s.pool(cells), same)))
		return s.losses(policyHidden, hidden, config)
	}
	flat := must(G.Reshape(cells, tensor.Shape{s.size, width * shape.Cells()}))
	cellsFirst := func(i int) int { return i%shape.Cells()*width + i/shape.Cells() }
	hidden := must(G.Rectify(s.dense("outcome.hidden", flat, cellsFirst)))
	return s.losses(policyHidden, hidden, config)
}

// pool returns the values of x [B, C, H, W] by channel: the means, the means scaled by the board's size, the maxima.
func (s *stock) pool(x *G.Node) *G.Node {
	shape := x.Shape()
	board, values := tensor.Shape{shape[2], shape[3]}, tensor.Shape{shape[0], shape[1]}
	cells := board.TotalSize()
	shares, data := stockInput(s.g, "shares", cells, 1)
	for i := range data {
		data[i] = 1 / float32(cells)
	}
	mean := must(G.Mul(must(G.Reshape(x, tensor.Shape{shape[0] * shape[1], cells})), shares))
	mean = must(G.Reshape(mean, values))
	scale := (math.Sqrt(float64(cells)) - 14) / 10
	top := must(G.Reshape(must(G.MaxPool2D(x, board, []int{0, 0}, []int{1, 1})), values))
	return must(G.Concat(1, mean, must(G.Mul(mean, G.NewConstant(float32(scale)))), top))
}

// policyLoss returns the loss of the policy or the reply from the hidden layers of both heads.
func (s *stock) policyLoss(name string, policyHidden, hidden *G.Node, to *stockPolicy) *G.Node {
	planes, actions := s.pointwise(name+".planes", policyHidden), s.game.NumActions()
	logits := must(G.Reshape(planes, tensor.Shape{s.size, s.game.PolicyPlanes * s.game.Tensor.Cells()}))
	if s.game.PolicyExtras > 0 {
		logits = must(G.Concat(1, logits, s.dense(name+".extras", hidden, same)))
	}
	var target, legal, share *G.Node
	target, to.target = stockInput(s.g, name, s.size, actions)
	legal, to.legal = stockInput(s.g, name+" legal", s.size, actions)
	share, to.share = stockInput(s.g, name+" share", s.size)
	return s.crossEntropy(logits, target, share, legal)
}

// losses returns the total loss from the hidden layers of both heads.
func (s *stock) losses(policyHidden, hidden *G.Node, config Config) *G.Node {
	k, to := len(s.game.Classes), &s.targets
	total := s.policyLoss("policy", policyHidden, hidden, &to.policy)
	reply := s.policyLoss("reply", policyHidden, hidden, &to.reply)
	total = must(G.Add(total, must(G.Mul(reply, G.NewConstant(float32(config.ReplyWeight))))))

	classes, data := stockInput(s.g, "classes", s.size, k)
	share, shares := stockInput(s.g, "share", s.size)
	to.classes = data
	for i := range shares {
		shares[i] = 1 / float32(s.size)
	}
	total = must(G.Add(total, s.crossEntropy(s.dense("outcome.classes", hidden, same), classes, share, nil)))
	if s.game.GoalHead {
		goals, data := stockInput(s.g, "goals", s.size, 2)
		to.goals = data
		errors := must(G.Square(must(G.Sub(s.dense("goals", hidden, same), goals))))
		weight := G.NewConstant(float32(config.GoalWeight / float64(s.size)))
		total = must(G.Add(total, must(G.Mul(must(G.Sum(errors)), weight))))
	}
	return total
}
