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
	identity        []float32 // [out, out]
	turned, bias    []float32 // [in, out] and [out], the weights of the last forward run
	y, dy           []float32
	scratch         *scratch
}

func newLinear(rows, inputs, outputs int, rectify bool, s *scratch) *linear {
	in, out := lanes(inputs), lanes(outputs)
	l := &linear{
		rows: rows, inputs: inputs, outputs: outputs, in: in, out: out, rectify: rectify, scratch: s,
		identity: kernel.Aligned(out * out), turned: kernel.Aligned(in * out), bias: kernel.Aligned(out),
		y: kernel.Aligned(rows * out), dy: kernel.Aligned(rows * out),
	}
	for i := range out {
		l.identity[i*out+i] = 1
	}
	return l
}

// forward computes y. A product turns the weights faster than a loop.
func (l *linear) forward(x, weights, bias []float32) {
	copy(l.bias, bias)
	l.scratch.multiply(kernel.Gemm{
		M: l.inputs, N: l.out, K: l.outputs, A: weights, ARow: 1, ACol: l.inputs, B: l.identity, BRow: l.out, BPanel: 16,
		C: l.turned, CRow: l.out,
	})
	l.scratch.multiply(kernel.Gemm{
		M: l.rows, N: l.out, K: l.in, A: x, ARow: l.in, ACol: 1, B: l.turned, BRow: l.out, BPanel: 16,
		C: l.y, CRow: l.out, Init: l.bias, ReLU: l.rectify,
	})
}

// backward computes the gradients of weights and bias and that of x, which it adds to dx if accumulate, from the gradient of
// y in dy, which it may change.
func (l *linear) backward(x, weights, dx, dWeights, dBias []float32, accumulate bool) {
	if l.rectify {
		sums := l.scratch.get(7, l.out)
		l.scratch.worker.Gate(l.y, l.dy, l.dy, sums, l.rows, l.out)
		copy(dBias, sums)
	} else {
		l.sum(dBias)
	}
	padded, dPadded := weights, dWeights // [out, in]
	if l.inputs < l.in || l.outputs < l.out {
		padded, dPadded = l.scratch.get(0, l.out*l.in), l.scratch.get(1, l.out*l.in)
		clear(padded)
		for o := range l.outputs {
			copy(padded[o*l.in:], weights[o*l.inputs:(o+1)*l.inputs])
		}
	}
	g := kernel.Gemm{
		M: l.rows, N: l.in, K: l.out, A: l.dy, ARow: l.out, ACol: 1, B: padded, BRow: l.in, BPanel: 16, C: dx, CRow: l.in,
	}
	if accumulate {
		g.Init, g.InitRow = dx, l.in
	}
	l.scratch.multiply(g)
	l.scratch.multiply(kernel.Gemm{
		M: l.out, N: l.in, K: l.rows, A: l.dy, ARow: 1, ACol: l.out, B: x, BRow: l.in, BPanel: 16, C: dPadded, CRow: l.in,
	})
	if l.inputs < l.in || l.outputs < l.out {
		for o := range l.outputs {
			copy(dWeights[o*l.inputs:(o+1)*l.inputs], dPadded[o*l.in:])
		}
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
	from int  // the part that it follows; -1 is the tower
	last bool // of those that follow the same: on the way back the first
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
		for i := range h.parts {
			h.parts[i].last = h.parts[i].last && h.parts[i].from != from
		}
		h.parts = append(h.parts, part{newLinear(rows, inputs, outputs, rectify, s), name, from, true})
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
		p := h.parts[i]
		x, dx := h.memory(p, in[0], dIn[0])
		p.backward(x, in[1+2*i], dx, dIn[1+2*i], dIn[2+2*i], !p.last)
	}
}
