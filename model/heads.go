package model

import (
	"ludus/env"
	"ludus/model/infer/kernel"
)

// linear is y = W x + bias for every row of x, through a ReLU if rectify. x is read as rows of in values whatever its
// shape, so that it is a 1x1 convolution of boards as well as a layer on flattened ones.
type linear struct {
	rows            int
	inputs, outputs int // as the weights [outputs, inputs] have them
	in, out         int // as x [rows, in] and y [rows, out] are stored, padded with zeros
	rectify         bool
	packed, bias    []float32 // [in, out] and [out], the weights of the last forward run
	y, dy           []float32
	scratch         *scratch
}

func newLinear(rows, inputs, outputs int, rectify bool, s *scratch) *linear {
	in, out := lanes(inputs), lanes(outputs)
	return &linear{
		rows: rows, inputs: inputs, outputs: outputs, in: in, out: out, rectify: rectify, scratch: s,
		packed: kernel.Aligned(in * out), bias: kernel.Aligned(out), y: kernel.Aligned(rows * out), dy: kernel.Aligned(rows * out),
	}
}

// forward computes y.
func (l *linear) forward(x, weights, bias []float32) {
	transpose(l.packed, l.out, weights, l.inputs, l.outputs, l.inputs)
	copy(l.bias, bias)
	l.scratch.multiply(kernel.Gemm{
		M: l.rows, N: l.out, K: l.in, A: x, ARow: l.in, ACol: 1, B: l.packed, BRow: l.out, BPanel: 16,
		C: l.y, CRow: l.out, Init: l.bias, ReLU: l.rectify,
	})
}

// backward computes the gradients of weights and bias and adds that of x to dx, from the gradient of y in dy, which it
// may change.
func (l *linear) backward(x, dx, dWeights, dBias []float32) {
	if l.rectify {
		sums := l.scratch.get(7, l.out)
		l.scratch.worker.Gate(l.y, l.dy, l.dy, sums, l.rows, l.out)
		copy(dBias, sums)
	} else {
		l.sum(dBias)
	}
	turned := l.scratch.get(0, l.out*l.in) // [out, in]
	transpose(turned, l.in, l.packed, l.out, l.in, l.out)
	l.scratch.multiply(kernel.Gemm{
		M: l.rows, N: l.in, K: l.out, A: l.dy, ARow: l.out, ACol: 1, B: turned, BRow: l.in, BPanel: 16,
		C: dx, CRow: l.in, Init: dx, InitRow: l.in,
	})
	l.scratch.multiply(kernel.Gemm{
		M: l.out, N: l.in, K: l.rows, A: l.dy, ARow: 1, ACol: l.out, B: x, BRow: l.in, BPanel: 16, C: turned, CRow: l.in,
	})
	for o := range l.outputs {
		copy(dWeights[o*l.inputs:(o+1)*l.inputs], turned[o*l.in:])
	}
}

// sum adds up the rows of dy.
func (l *linear) sum(dBias []float32) {
	clear(dBias)
	for r := range l.rows {
		for o, v := range l.dy[r*l.out:][:len(dBias)] {
			dBias[o] += v
		}
	}
}

// part is one layer of the heads.
type part struct {
	*linear
	name string
	from int // the part that it follows; -1 is the tower
}

// heads are all that follows the tower. Inputs: the tower's x [rows, H, W, channels], then weights and bias of each part.
// A row of the output has the policy's logits in the order of actions, the outcome's logits, and the goals if there are
// any.
type heads struct {
	rows, cells, outputs int
	parts                []part // each after the one that it follows
	planes               int    // the part with the policy's planes
	single               []int  // parts with one row a sample, in the order of the output after the planes
}

// newHeads returns the heads of a network whose layers have the given widths.
func newHeads(game *env.Game, rows int, width func(part string) (inputs, outputs int), s *scratch) *heads {
	h := &heads{rows: rows, cells: game.Tensor.Cells()}
	add := func(name string, from, rows int, rectify bool) int {
		inputs, outputs := width(name)
		h.parts = append(h.parts, part{newLinear(rows, inputs, outputs, rectify, s), name, from})
		return len(h.parts) - 1
	}
	h.planes = add("policy.planes", add("policy.hidden", -1, rows*h.cells, true), rows*h.cells, false)
	hidden := add("outcome.hidden", add("outcome.cells", -1, rows*h.cells, true), rows, true)
	if game.PolicyExtras > 0 {
		h.single = append(h.single, add("policy.extras", hidden, rows, false))
	}
	h.single = append(h.single, add("outcome.classes", hidden, rows, false))
	if game.GoalHead {
		h.single = append(h.single, add("goals", hidden, rows, false))
	}
	h.outputs = h.parts[h.planes].outputs * h.cells
	for _, i := range h.single {
		h.outputs += h.parts[i].outputs
	}
	return h
}

// memory returns what part p reads: its input x and where the gradient of that goes.
func (h *heads) memory(p part, tower, dTower []float32) (x, dx []float32) {
	if p.from < 0 {
		return tower, dTower
	}
	return h.parts[p.from].y, h.parts[p.from].dy
}

func (h *heads) forward(in [][]float32, out []float32) {
	for i, p := range h.parts {
		x, _ := h.memory(p, in[0], nil)
		p.forward(x, in[1+2*i], in[2+2*i])
	}
	planes := h.parts[h.planes]
	for r := range h.rows {
		row := out[r*h.outputs : (r+1)*h.outputs]
		for cell := range h.cells {
			for p, v := range planes.y[(r*h.cells+cell)*planes.out:][:planes.outputs] {
				row[p*h.cells+cell] = v
			}
		}
		row = row[planes.outputs*h.cells:]
		for _, i := range h.single {
			p := h.parts[i]
			row = row[copy(row, p.y[r*p.out:][:p.outputs]):]
		}
	}
}

func (h *heads) backward(in [][]float32, _, dOut []float32, dIn [][]float32) {
	for _, p := range h.parts {
		clear(p.dy)
	}
	clear(dIn[0])
	planes := h.parts[h.planes]
	for r := range h.rows {
		row := dOut[r*h.outputs : (r+1)*h.outputs]
		for cell := range h.cells {
			to := planes.dy[(r*h.cells+cell)*planes.out:][:planes.outputs]
			for p := range to {
				to[p] = row[p*h.cells+cell]
			}
		}
		row = row[planes.outputs*h.cells:]
		for _, i := range h.single {
			p := h.parts[i]
			row = row[copy(p.dy[r*p.out:][:p.outputs], row):]
		}
	}
	for i := len(h.parts) - 1; i >= 0; i-- {
		x, dx := h.memory(h.parts[i], in[0], dIn[0])
		h.parts[i].backward(x, dx, dIn[1+2*i], dIn[2+2*i])
	}
}
