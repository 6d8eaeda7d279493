package infer

import (
	"math"

	"ludus/env"
)

// Evaluator runs a network. It holds the scratch memory of one goroutine.
type Evaluator struct {
	network *Network

	tensor  []float32    // a state's tensor [C, H, W]
	input   []float32    // [H, W, padded C]
	columns []float32    // im2col rows
	tower   [3][]float32 // activations [H, W, channels], in turn
	policy  []float32    // [H, W, policyWidth]
	planes  []float32    // [H, W, PolicyPlanes]
	cells   []float32    // [H, W, outcomeWidth]
	hidden  []float32    // [hiddenWidth]
	goals   []float32    // [B, 2] of the last batch
}

// NewEvaluator returns an evaluator for batches of up to maxBatch rows; a larger one works, but allocates once.
func (n *Network) NewEvaluator(maxBatch int) *Evaluator {
	shape, channels := n.game.Tensor, n.config.Channels
	cells := shape.Cells()
	e := &Evaluator{
		network: n,
		tensor:  make([]float32, shape.Size()),
		input:   make([]float32, cells*PadChannels(shape.C)),
		columns: make([]float32, cells*9*max(channels, PadChannels(shape.C))),
		policy:  make([]float32, cells*policyWidth),
		planes:  make([]float32, cells*n.game.PolicyPlanes),
		cells:   make([]float32, cells*outcomeWidth),
		hidden:  make([]float32, hiddenWidth),
	}
	for i := range e.tower {
		e.tower[i] = make([]float32, cells*channels)
	}
	if n.game.GoalHead {
		e.goals = make([]float32, 0, 2*maxBatch)
	}
	return e
}

// Evaluate judges states, which must not be done and are not retained. It fills logits [B, A], unmasked, and class
// probabilities [B, K], all in each mover's frame. Both must have exactly these sizes.
func (e *Evaluator) Evaluate(states []env.State, logits, classes []float32) {
	e.begin(len(states), logits, classes)
	for i, s := range states {
		s.Encode(e.tensor)
		e.row(i, e.tensor, logits, classes)
	}
}

// EvaluateTensors is Evaluate on tensors [B, C, H, W] that were encoded before.
func (e *Evaluator) EvaluateTensors(inputs, logits, classes []float32) {
	size := len(e.tensor)
	if len(inputs)%size != 0 {
		panic("infer: inputs are no whole number of tensors")
	}
	e.begin(len(inputs)/size, logits, classes)
	for i := range len(inputs) / size {
		e.row(i, inputs[i*size:(i+1)*size], logits, classes)
	}
}

// Goals are the predicted goals / 100 [B, 2] of the last batch, each mover's own first, for games with a goal head;
// otherwise nil. The slice is valid until the next batch.
func (e *Evaluator) Goals() []float32 { return e.goals }

// begin checks the sizes of the results and makes room for goals.
func (e *Evaluator) begin(batch int, logits, classes []float32) {
	game := e.network.game
	if len(logits) != batch*game.NumActions() || len(classes) != batch*len(game.Classes) {
		panic("infer: logits or classes do not have the batch's size")
	}
	if !game.GoalHead {
		return
	}
	if cap(e.goals) < 2*batch {
		e.goals = make([]float32, 2*batch)
	}
	e.goals = e.goals[:2*batch]
}

// row evaluates row i of a batch.
func (e *Evaluator) row(i int, tensor, logits, classes []float32) {
	actions, k := e.network.game.NumActions(), len(e.network.game.Classes)
	e.interleave(tensor)
	e.heads(e.runTower(), logits[i*actions:(i+1)*actions], classes[i*k:(i+1)*k])
	if e.goals != nil {
		e.network.goals.apply(1, e.goals[2*i:2*i+2], e.hidden)
	}
}

// interleave turns a tensor [C, H, W] into the padded [H, W, C] input.
func (e *Evaluator) interleave(tensor []float32) {
	shape := e.network.game.Tensor
	cells, padded := shape.Cells(), PadChannels(shape.C)
	for c := range shape.C {
		for cell, v := range tensor[c*cells : (c+1)*cells] {
			e.input[cell*padded+c] = v
		}
	}
}

// runTower returns the activations after the last block.
func (e *Evaluator) runTower() []float32 {
	x, mid, y := e.tower[0], e.tower[1], e.tower[2]
	e.conv(&e.network.stem, x, e.input, nil)
	for i := range e.network.blocks {
		block := &e.network.blocks[i]
		e.conv(&block[0], mid, x, nil)
		e.conv(&block[1], y, mid, x)
		x, y = y, x
	}
	return x
}

// conv is dst = relu(conv(src) + bias + residual), residual nil for none.
func (e *Evaluator) conv(l *linear, dst, src, residual []float32) {
	fillBias(dst, l.bias, residual)
	shape := e.network.game.Tensor
	Conv3x3(dst, src, l.weight, e.columns, shape.H, shape.W, l.in/9, l.out)
	relu(dst)
}

// heads turns the tower's activations into one row of logits and of classes.
func (e *Evaluator) heads(x, logits, classes []float32) {
	n := e.network
	cells := n.game.Tensor.Cells()
	n.policyHidden.apply(cells, e.policy, x)
	relu(e.policy)
	n.policyPlanes.apply(cells, e.planes, e.policy)
	planes := n.game.PolicyPlanes
	for p := range planes {
		for cell := range cells {
			logits[p*cells+cell] = e.planes[cell*planes+p]
		}
	}
	n.outcomeCells.apply(cells, e.cells, x)
	relu(e.cells)
	n.outcomeHidden.apply(1, e.hidden, e.cells)
	relu(e.hidden)
	if n.game.PolicyExtras > 0 {
		n.policyExtras.apply(1, logits[planes*cells:], e.hidden)
	}
	n.outcomeClasses.apply(1, classes, e.hidden)
	softmax(classes)
}

// apply computes dst [rows, out] from x [rows, in].
func (l *linear) apply(rows int, dst, x []float32) {
	fillBias(dst, l.bias, nil)
	GemmNT(rows, l.out, l.in, x, l.in, l.weight, l.in, dst, l.out)
}

// fillBias sets every row of dst to bias, plus residual's row where there is one.
func fillBias(dst, bias, residual []float32) {
	n := len(bias)
	for i := 0; i < len(dst); i += n {
		row := dst[i : i+n]
		if residual == nil {
			copy(row, bias)
			continue
		}
		from := residual[i : i+n]
		for j, b := range bias {
			row[j] = b + from[j]
		}
	}
}

func relu(x []float32) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}

// softmax replaces x by exp(x) / sum exp(x).
func softmax(x []float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v - top))
	}
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v-top)) / sum)
	}
}
