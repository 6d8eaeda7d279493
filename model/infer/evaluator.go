package infer

import (
	"iter"
	"math"
	"slices"

	"ludus/env"
	"ludus/model/infer/kernel"
)

// chunk is how many rows go through the whole network together: few enough for their activations to stay in the
// second-level cache.
const chunk = 32

// Evaluator runs a network. It holds the scratch memory of one goroutine.
type Evaluator struct {
	network *Network
	worker  kernel.Worker

	tensor []float32    // a state's tensor [C, H, W]
	input  []float32    // [chunk, H, W, planes]
	tower  [2][]float32 // activations [chunk, H, W, channels]
	policy []float32    // [chunk, H, W, policyWidth]
	planes []float32    // [chunk, H, W, padded policy planes]
	cells  []float32    // [chunk, H, W, outcomeWidth]
	hidden []float32    // [chunk, hiddenWidth]
	last   []float32    // [chunk, a last layer's padded outputs]
}

// NewEvaluator returns an evaluator for batches of up to maxBatch rows; a larger one works, but allocates once.
func (n *Network) NewEvaluator(maxBatch int) *Evaluator {
	rows := min(max(maxBatch, 1), chunk)
	cells := rows * n.game.Tensor.Cells()
	e := &Evaluator{
		network: n,
		tensor:  make([]float32, n.game.Tensor.Size()),
		input:   kernel.Aligned(cells * n.planes),
		policy:  kernel.Aligned(cells * policyWidth),
		planes:  kernel.Aligned(cells * n.policyPlanes.padded),
		cells:   kernel.Aligned(cells * outcomeWidth),
		hidden:  kernel.Aligned(rows * hiddenWidth),
		last:    kernel.Aligned(rows * max(n.policyExtras.padded, n.outcomeClasses.padded, n.goals.padded)),
	}
	for i := range e.tower {
		e.tower[i] = kernel.Aligned(cells * n.channels)
	}
	return e
}

// Evaluate evaluates B states, which must not be done and are not retained. It fills logits [B, A], unmasked; classes
// [B, K], probabilities; and goals [B, 2], the expected goals / 100 with the mover's own first. All are in each mover's
// frame. goals may be nil, and is for games without a goal head. It panics on slices of another size.
func (e *Evaluator) Evaluate(states []env.State, logits, classes, goals []float32) {
	e.checkSizes(len(states), logits, classes, goals)
	for first, rows := range e.chunks(len(states)) {
		for i, s := range states[first : first+rows] {
			s.Encode(e.tensor)
			e.interleave(i, e.tensor)
		}
		e.run(first, rows, logits, classes, goals)
	}
}

// EvaluateTensors is [Evaluator.Evaluate] for encoded tensors [B, C, H, W].
func (e *Evaluator) EvaluateTensors(inputs, logits, classes, goals []float32) {
	size := len(e.tensor)
	if len(inputs)%size != 0 {
		panic("infer: inputs are no whole number of tensors")
	}
	e.checkSizes(len(inputs)/size, logits, classes, goals)
	for first, rows := range e.chunks(len(inputs) / size) {
		for i := range rows {
			e.interleave(i, inputs[(first+i)*size:(first+i+1)*size])
		}
		e.run(first, rows, logits, classes, goals)
	}
}

func (e *Evaluator) checkSizes(batch int, logits, classes, goals []float32) {
	game := e.network.game
	if len(logits) != batch*game.NumActions() || len(classes) != batch*len(game.Classes) ||
		goals != nil && (!game.GoalHead || len(goals) != 2*batch) {
		panic("infer: logits, classes or goals do not have the batch's size")
	}
}

// chunks yields the first row and the number of rows of each part that a batch is run in.
func (e *Evaluator) chunks(batch int) iter.Seq2[int, int] {
	most := len(e.hidden) / hiddenWidth
	return func(yield func(first, rows int) bool) {
		for first := 0; first < batch; first += most {
			if !yield(first, min(most, batch-first)) {
				return
			}
		}
	}
}

// interleave turns row i's tensor [C, H, W] into the padded [H, W, C] input.
func (e *Evaluator) interleave(i int, tensor []float32) {
	shape, padded := e.network.game.Tensor, e.network.planes
	cells := shape.Cells()
	row := e.input[i*cells*padded : (i+1)*cells*padded]
	for c := range shape.C {
		at := c
		for _, v := range tensor[c*cells : (c+1)*cells] {
			row[at] = v
			at += padded
		}
	}
}

// run takes the input's rows through the network and fills the results' rows from first on.
func (e *Evaluator) run(first, rows int, logits, classes, goals []float32) {
	n := e.network
	x, middle := e.tower[0], e.tower[1]
	e.worker.Conv(n.stem.Conv, x, e.input, rows, kernel.Epilogue{Bias: n.stem.bias, ReLU: true})
	for i := range n.blocks {
		block := &n.blocks[i]
		e.worker.Conv(block[0].Conv, middle, x, rows, kernel.Epilogue{Bias: block[0].bias, ReLU: true})
		e.worker.Conv(block[1].Conv, x, middle, rows, kernel.Epilogue{Bias: block[1].bias, ReLU: true, Accumulate: true})
	}
	actions, k := n.game.NumActions(), len(n.game.Classes)
	e.outcome(rows, classes[first*k:])
	if goals != nil {
		e.apply(&n.goals, rows, e.last, e.hidden, false)
		e.take(&n.goals, rows, goals[2*first:], 2)
	}
	e.policyLogits(rows, logits[first*actions:])
}

// outcome fills classes [rows, K] and leaves the hidden layer.
func (e *Evaluator) outcome(rows int, classes []float32) {
	n := e.network
	e.apply(&n.outcomeCells, rows*n.game.Tensor.Cells(), e.cells, e.tower[0], true)
	e.apply(&n.outcomeHidden, rows, e.hidden, e.cells, true)
	e.apply(&n.outcomeClasses, rows, e.last, e.hidden, false)
	k := n.outcomeClasses.out
	e.take(&n.outcomeClasses, rows, classes, k)
	for i := range rows {
		softmax(classes[i*k : (i+1)*k])
	}
}

// policyLogits fills logits [rows, A]; it needs the outcome's hidden layer.
func (e *Evaluator) policyLogits(rows int, logits []float32) {
	n := e.network
	cells, actions := n.game.Tensor.Cells(), n.game.NumActions()
	e.apply(&n.policyHidden, rows*cells, e.policy, e.tower[0], true)
	e.apply(&n.policyPlanes, rows*cells, e.planes, e.policy, false)
	planes, padded := n.policyPlanes.out, n.policyPlanes.padded
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
		e.apply(&n.policyExtras, rows, e.last, e.hidden, false)
		e.take(&n.policyExtras, rows, logits[planes*cells:], actions)
	}
}

// apply computes dst [rows, padded] from x [rows, in].
func (e *Evaluator) apply(d *dense, rows int, dst, x []float32, relu bool) {
	e.worker.Gemm(&kernel.Gemm{
		M: rows, N: d.padded, K: d.in, A: x, ARow: d.in, ACol: 1, B: d.weights, BRow: 16, BPanel: 16 * d.in,
		C: dst, CRow: d.padded, Init: d.bias, ReLU: relu,
	})
}

// take copies the outputs of a last layer to rows of dst that are so far apart.
func (e *Evaluator) take(d *dense, rows int, dst []float32, stride int) {
	for i := range rows {
		copy(dst[i*stride:], e.last[i*d.padded:i*d.padded+d.out])
	}
}

// softmax replaces x by exp(x) / sum exp(x).
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
