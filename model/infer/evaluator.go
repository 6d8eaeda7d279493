package infer

import (
	"math"
	"slices"

	"ludus/env"
	"ludus/model/infer/kernel"
)

// maxRows is the largest number of rows that go through the network together: few enough for the activations of their
// cells to stay in the second-level cache.
const maxRows = 32

// Evaluator runs a network on one goroutine, whose scratch memory it holds.
type Evaluator struct {
	network *Network
	kernel  kernel.Scratch
	rows    int // rows for which the scratch memory has room

	tensor  []float32    // [C, H, W] of one state
	input   []float32    // [rows, H, W, padded C]
	tower   [2][]float32 // [rows, H, W, padded channels] activations
	policy  []float32    // [rows, H, W, policyWidth]
	planes  []float32    // [rows, H, W, padded policy planes]
	cells   []float32    // [rows, H, W, channels of the outcome head's cells]
	pooled  []float32    // [rows, 3, the same channels] of a pooled network
	hidden  []float32    // [rows, hiddenWidth]
	outputs []float32    // [rows, padded outputs] of a last layer
	figures []float32    // [rows, figures, padded channels]
}

// NewEvaluator returns an evaluator that is fastest for batches of up to maxBatch rows. Larger ones work, too.
func (n *Network) NewEvaluator(maxBatch int) *Evaluator {
	rows := min(max(maxBatch, 1), maxRows)
	cells := rows * n.Game.Tensor.Cells()
	e := &Evaluator{
		network: n,
		rows:    rows,
		tensor:  make([]float32, n.Game.Tensor.Size()),
		input:   kernel.Aligned(cells * n.planes),
		policy:  kernel.Aligned(cells * policyWidth),
		planes:  kernel.Aligned(cells * n.policyPlanes.paddedOut),
		cells:   kernel.Aligned(cells * n.outcomeCells.paddedOut),
		hidden:  kernel.Aligned(rows * hiddenWidth),
		outputs: kernel.Aligned(rows * max(n.policyExtras.paddedOut, n.outcomeClasses.paddedOut, n.goals.paddedOut)),
	}
	for i := range e.tower {
		e.tower[i] = kernel.Aligned(cells * n.channels)
	}
	if n.pooling != nil {
		e.pooled = kernel.Aligned(rows * n.outcomeHidden.in)
	}
	if n.sums != nil {
		e.figures = kernel.Aligned(rows * len(n.Game.Figures) * n.channels)
	}
	return e
}

// Evaluate evaluates B states, which are not done and not retained. It fills logits [B, A], unmasked, for the A actions
// of the game; classes [B, K], the probabilities of its K outcome classes; and goals [B, 2], the expected goals / 100
// with the mover's own first. All are in the frame of each position's mover. goals is nil for games without a goal
// head, or if the caller does not need it. Evaluate panics on slices of another size.
func (e *Evaluator) Evaluate(states []env.State, logits, classes, goals []float32) {
	e.evaluate(len(states), func(i int) []float32 {
		states[i].Encode(e.tensor)
		return e.tensor
	}, logits, classes, goals)
}

// EvaluateTensors is [Evaluator.Evaluate] for encoded states [B, C, H, W].
func (e *Evaluator) EvaluateTensors(tensors, logits, classes, goals []float32) {
	size := len(e.tensor)
	if len(tensors)%size != 0 {
		panic("infer: not a whole number of tensors")
	}
	e.evaluate(len(tensors)/size, func(i int) []float32 {
		return tensors[i*size : (i+1)*size]
	}, logits, classes, goals)
}

// evaluate evaluates a batch of tensors [C, H, W]; tensor(i) is valid until its next call.
func (e *Evaluator) evaluate(batch int, tensor func(i int) []float32, logits, classes, goals []float32) {
	game := e.network.Game
	A, K, cells := game.NumActions(), len(game.Classes), game.Tensor.Cells()
	if len(logits) != batch*A || len(classes) != batch*K || goals != nil && (!game.GoalHead || len(goals) != 2*batch) {
		panic("infer: logits, classes or goals do not have the batch's size")
	}
	for first := 0; first < batch; first += e.rows {
		rows := min(e.rows, batch-first)
		for i := range rows {
			kernel.ChannelsLast(e.input[i*cells*e.network.planes:], tensor(first+i), game.Tensor.C, cells)
		}
		e.forwardTower(rows)
		e.forwardOutcome(rows, classes[first*K:])
		if goals != nil {
			e.linear(&e.network.goals, rows, e.outputs, e.hidden, withoutReLU)
			e.copyOutputs(&e.network.goals, rows, goals[2*first:], 2)
		}
		e.forwardPolicy(rows, logits[first*A:])
	}
}

// forwardTower runs the stem and the blocks on e.input and leaves the last activations in e.tower[0]. The last
// convolution of a block adds to its destination (true): that is the skip connection.
func (e *Evaluator) forwardTower(rows int) {
	n := e.network
	x, middle := e.tower[0], e.tower[1]
	e.conv(&n.stem, rows, x, e.input, false)
	for i := range n.blocks {
		b := &n.blocks[i]
		if len(b.figures) == 0 {
			e.conv(&b.convs[0], rows, middle, x, false)
			e.conv(&b.convs[1], rows, x, middle, true)
			continue
		}
		copy(middle, x[:rows*n.Game.Tensor.Cells()*n.channels]) // a convolution does not work in place
		e.conv(&b.convs[0], rows, x, middle, true)
		for j := range b.figures {
			e.figureLayer(&b.figures[j], rows, x, i == 0 && j == 0)
		}
	}
}

// conv computes dst = relu(conv(x) + bias), or relu(dst + conv(x) + bias) if residual. dst is not x.
func (e *Evaluator) conv(c *conv, rows int, dst, x []float32, residual bool) {
	e.kernel.Conv(c.Conv, dst, x, rows, kernel.Epilogue{Bias: c.bias, ReLU: true, Accumulate: residual})
}

// forwardOutcome runs the outcome head on the tower's output: it writes the class probabilities to classes [rows, K]
// and leaves the head's hidden layer in e.hidden for the goals and the policy's single entries.
func (e *Evaluator) forwardOutcome(rows int, classes []float32) {
	n := e.network
	e.linear(&n.outcomeCells, rows*n.Game.Tensor.Cells(), e.cells, e.tower[0], withReLU)
	x := e.cells
	if n.pooling != nil {
		x = e.pooled
		n.pooling.Forward(x, e.cells, rows, n.outcomeCells.out)
	}
	e.linear(&n.outcomeHidden, rows, e.hidden, x, withReLU)
	e.linear(&n.outcomeClasses, rows, e.outputs, e.hidden, withoutReLU)
	k := n.outcomeClasses.out
	e.copyOutputs(&n.outcomeClasses, rows, classes, k)
	for i := range rows {
		softmax(classes[i*k : (i+1)*k])
	}
}

// forwardPolicy runs the policy head on the tower's output and e.hidden: it writes the logits to logits [rows, A].
func (e *Evaluator) forwardPolicy(rows int, logits []float32) {
	n := e.network
	cells, actions := n.Game.Tensor.Cells(), n.Game.NumActions()
	e.linear(&n.policyHidden, rows*cells, e.policy, e.tower[0], withReLU)
	e.linear(&n.policyPlanes, rows*cells, e.planes, e.policy, withoutReLU)
	planes, padded := n.policyPlanes.out, n.policyPlanes.paddedOut
	for i := range rows {
		from, to := e.planes[i*cells*padded:], logits[i*actions:(i+1)*actions]
		for p := range planes {
			at := p
			for cell := range cells {
				to[p*cells+cell] = from[at]
				at += padded
			}
		}
	}
	if n.policyExtras.out > 0 {
		e.linear(&n.policyExtras, rows, e.outputs, e.hidden, withoutReLU)
		e.copyOutputs(&n.policyExtras, rows, logits[planes*cells:], actions)
	}
}

// Values of the argument relu.
const (
	withReLU    = true
	withoutReLU = false
)

// linear computes dst [rows, paddedOut] = x [rows, in] W + b, with ReLU if relu.
func (e *Evaluator) linear(l *linear, rows int, dst, x []float32, relu bool) {
	e.multiply(l, rows, dst, x, l.bias, 0, relu)
}

// multiply computes dst [rows, paddedOut] = x [rows, in] W + init, with ReLU if relu. The rows of init are initRow
// apart; nil means zeros.
func (e *Evaluator) multiply(l *linear, rows int, dst, x, init []float32, initRow int, relu bool) {
	e.kernel.Gemm(&kernel.Gemm{
		M: rows, N: l.paddedOut, K: l.in, A: x, ARow: l.in, ACol: 1, B: l.weights, BRow: 16, BPanel: 16 * l.in,
		C: dst, CRow: l.paddedOut, Init: init, InitRow: initRow, ReLU: relu,
	})
}

// copyOutputs copies the rows of e.outputs, without padding, to dst, where they begin stride apart.
func (e *Evaluator) copyOutputs(l *linear, rows int, dst []float32, stride int) {
	for i := range rows {
		copy(dst[i*stride:], e.outputs[i*l.paddedOut:i*l.paddedOut+l.out])
	}
}

// softmax replaces logits x, at least one, by probabilities: exp(x) / sum exp(x).
func softmax(x []float32) {
	top := slices.Max(x)
	sum := 0.0
	for i, v := range x {
		exp := math.Exp(float64(v - top))
		sum += exp
		x[i] = float32(exp)
	}
	for i, v := range x {
		x[i] = float32(float64(v) / sum)
	}
}
