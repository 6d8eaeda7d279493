package model

import (
	"fmt"
	"math"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/env"
	"ludus/model/infer"
)

// stock is the same network and loss as graph, built of Gorgonia's own operations on [B, C, H, W].
type stock struct {
	game    *env.Game
	g       *G.ExprGraph
	weights *infer.Weights
	nodes   G.Nodes
	names   []string
	places  [][]int // element i of a node is element places[node][i] of the weights' tensor of its name
}

func must(n *G.Node, err error) *G.Node {
	if err != nil {
		panic(err)
	}
	return n
}

func (s *stock) constant(name string, data []float32, shape ...int) *G.Node {
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(append([]float32(nil), data...)))
	return G.NewTensor(s.g, tensor.Float32, len(shape), G.WithShape(shape...), G.WithName(name), G.WithValue(value))
}

// weight adds the tensor of that name with its elements in another order.
func (s *stock) weight(name string, place func(i int) int, shape ...int) *G.Node {
	from := s.weights.Lookup(name).Data
	places, data := make([]int, len(from)), make([]float32, len(from))
	for i := range from {
		places[i] = place(i)
		data[i] = from[places[i]]
	}
	n := s.constant(name, data, shape...)
	s.nodes, s.names, s.places = append(s.nodes, n), append(s.names, name), append(s.places, places)
	return n
}

func same(i int) int { return i }

// perChannel broadcasts a weight of one value a channel over x [B, C, H, W].
func (s *stock) perChannel(op func(a, b *G.Node, left, right []byte) (*G.Node, error), x *G.Node, name string) *G.Node {
	return must(op(x, s.weight(name, same, 1, x.Shape()[1], 1, 1), nil, []byte{0, 2, 3}))
}

func (s *stock) conv(prefix, suffix string, x, residual *G.Node) *G.Node {
	in, out := x.Shape()[1], s.weights.Config.Channels
	oihw := func(i int) int { return (i/(9*in)*9+i%9)*in + i/9%in }
	w := s.weight(prefix+"conv"+suffix, oihw, out, in, 3, 3)
	y := must(G.Conv2d(x, w, tensor.Shape{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}))
	y = s.perChannel(G.BroadcastAdd, s.perChannel(G.BroadcastHadamardProd, y, prefix+"scale"+suffix), prefix+"bias"+suffix)
	if residual != nil {
		y = must(G.Add(y, residual))
	}
	return must(G.Rectify(y))
}

func (s *stock) pointwise(name string, x *G.Node) *G.Node {
	shape := s.weights.Lookup(name + ".weight").Shape
	w := s.weight(name+".weight", same, shape[0], shape[1], 1, 1)
	y := must(G.Conv2d(x, w, tensor.Shape{1, 1}, []int{0, 0}, []int{1, 1}, []int{1, 1}))
	return s.perChannel(G.BroadcastAdd, y, name+".bias")
}

// dense multiplies x [B, in] by the transposed weights; column i of x is input order(i) of the layer.
func (s *stock) dense(name string, x *G.Node, order func(i int) int) *G.Node {
	shape := s.weights.Lookup(name + ".weight").Shape
	out, in := shape[0], shape[1]
	w := s.weight(name+".weight", func(i int) int { return i%out*in + order(i/out) }, in, out)
	return must(G.BroadcastAdd(must(G.Mul(x, w)), s.weight(name+".bias", same, 1, out), nil, []byte{0}))
}

// crossEntropy is the sum of weight (log sum legal exp(x) - target x), which needs targets that sum to 1.
func (s *stock) crossEntropy(x, target, weight, legal *G.Node) *G.Node {
	exp := must(G.Exp(x))
	if legal != nil {
		exp = must(G.HadamardProd(exp, legal))
	}
	logSum := must(G.Log(must(G.Sum(exp, 1))))
	rows := must(G.Sub(logSum, must(G.Sum(must(G.HadamardProd(target, x)), 1))))
	return must(G.Sum(must(G.HadamardProd(rows, weight))))
}

// build returns the total loss of a batch.
func (s *stock) build(b *Batch, goalWeight float64) *G.Node {
	game, shape := s.game, s.game.Tensor
	x := s.conv("stem.", "", s.constant("input", b.Inputs, b.Size, shape.C, shape.H, shape.W), nil)
	for i := range s.weights.Config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		x = s.conv(prefix, "2", s.conv(prefix, "1", x, nil), x)
	}
	planes := s.pointwise("policy.planes", must(G.Rectify(s.pointwise("policy.hidden", x))))
	logits := must(G.Reshape(planes, tensor.Shape{b.Size, game.PolicyPlanes * shape.Cells()}))
	cells := must(G.Rectify(s.pointwise("outcome.cells", x)))
	width := cells.Shape()[1]
	flat := must(G.Reshape(cells, tensor.Shape{b.Size, width * shape.Cells()}))
	cellsFirst := func(i int) int { return i%shape.Cells()*width + i/shape.Cells() }
	hidden := must(G.Rectify(s.dense("outcome.hidden", flat, cellsFirst)))
	logits = must(G.Concat(1, logits, s.dense("policy.extras", hidden, same)))

	share := make([]float32, b.Size)
	for i := range share {
		share[i] = 1 / float32(b.Size)
	}
	policyShare := make([]float32, b.Size)
	for i, w := range b.PolicyWeight {
		policyShare[i] = w / float32(b.Size)
	}
	actions, k := game.NumActions(), len(game.Classes)
	policy := s.crossEntropy(logits, s.constant("policy", b.Policy, b.Size, actions),
		s.constant("policy share", policyShare, b.Size), s.constant("legal", b.Legal, b.Size, actions))
	outcome := s.crossEntropy(s.dense("outcome.classes", hidden, same), s.constant("classes", b.Classes, b.Size, k),
		s.constant("share", share, b.Size), nil)
	errors := must(G.Square(must(G.Sub(s.dense("goals", hidden, same), s.constant("goals", b.Goals, b.Size, 2)))))
	goals := must(G.Mul(must(G.Sum(errors)), G.NewConstant(float32(goalWeight/float64(b.Size)))))
	return must(G.Add(must(G.Add(policy, outcome)), goals))
}

// TestStockOracle compares loss and gradients with a graph of Gorgonia's own operations.
func TestStockOracle(t *testing.T) {
	game := boardGame(4, 3, 4, 2, 2, 3, true)
	w := randomWeights(game, 8, 2, 1)
	b := randomBatch(game, 32, 2)
	tr := newTrainer(t, game, w, DefaultConfig(), nil)
	got, err := tr.run(b, &tr.training)
	if err != nil {
		t.Fatal(err)
	}
	s := &stock{game: game, g: G.NewGraph(), weights: w}
	total := s.build(b, DefaultConfig().GoalWeight)
	gradients, err := G.Grad(total, s.nodes...)
	if err != nil {
		t.Fatal(err)
	}
	vm := G.NewTapeMachine(s.g)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		t.Fatal(err)
	}
	if want := scalar(total); math.Abs(got.Total-want) > 1e-5 {
		t.Errorf("loss %.7f; stock operations have %.7f", got.Total, want)
	}
	if len(s.names) != len(tr.live.names) {
		t.Fatalf("oracle has %d parameters; want %d", len(s.names), len(tr.live.names))
	}
	for i, name := range s.names {
		want := gradients[i].Value().Data().([]float32)
		ours := tr.gradients[0][tr.live.index[name]]
		for j, v := range want {
			if g := ours[s.places[i][j]]; math.Abs(float64(g-v)) > 1e-5 {
				t.Errorf("%s: gradient %v; stock operations have %v", name, g, v)
				break
			}
		}
	}
}
