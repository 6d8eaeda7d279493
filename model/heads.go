package model

import (
	"ludus/env"
	"ludus/model/infer/kernel"
)

// headLayer is one linear layer of the heads.
type headLayer struct {
	*linear
	name string
	from int  // index of the layer it reads; -1 is the tower
	last bool // no later layer reads the same input: in backward it is the first to write that gradient
}

// heads are all layers after the tower. Inputs: the tower's output x [rows, H, W, channels], then weights and bias of
// each layer. An output row has the policy logits in the order of actions, the outcome logits, and the goals if the
// game has a goal head.
type heads struct {
	cells, outputs int
	layers         []headLayer // each after the layer it reads
	planes         int         // index of the layer with the policy planes
	single         []int       // layers with one row per sample, in output order after the planes
	scratch        *scratch
}

// newHeads returns the heads of game. weights gives the weights of a layer by name.
func newHeads(game *env.Game, weights func(name string) *matrix, s *scratch) *heads {
	h := &heads{cells: game.Tensor.Cells(), scratch: s}
	add := func(name string, from, rowsPerSample int, relu bool) int {
		for i := range h.layers {
			h.layers[i].last = h.layers[i].last && h.layers[i].from != from
		}
		l := newLinear(rowsPerSample, weights(name), relu, s)
		l.y, l.dy = kernel.Aligned(partRows*rowsPerSample*l.out), kernel.Aligned(partRows*rowsPerSample*l.out)
		h.layers = append(h.layers, headLayer{l, name, from, true})
		return len(h.layers) - 1
	}
	h.planes = add("policy.planes", add("policy.hidden", -1, h.cells, true), h.cells, false)
	hidden := add("outcome.hidden", add("outcome.cells", -1, h.cells, true), 1, true)
	if game.PolicyExtras > 0 {
		h.single = append(h.single, add("policy.extras", hidden, 1, false))
	}
	h.single = append(h.single, add("outcome.classes", hidden, 1, false))
	if game.GoalHead {
		h.single = append(h.single, add("goals", hidden, 1, false))
	}
	h.outputs = h.layers[h.planes].outputs * h.cells
	for _, i := range h.single {
		h.outputs += h.layers[i].outputs
	}
	return h
}

// memory returns the input x of layer p and the slice dx for the gradient of x: the tower's, or those of layer p.from.
func (h *heads) memory(p headLayer, tower, dTower []float32) (x, dx []float32) {
	if p.from < 0 {
		return tower, dTower
	}
	return h.layers[p.from].y, h.layers[p.from].dy
}

// forward computes all layers and copies the results to output rows.
func (h *heads) forward(in [][]float32, out []float32) {
	for i, p := range h.layers {
		x, _ := h.memory(p, in[0], nil)
		p.forward(x, in[2+2*i])
	}
	planes := h.layers[h.planes]
	for r := range h.scratch.rows {
		row := out[r*h.outputs : (r+1)*h.outputs]
		for cell := range h.cells {
			for p, v := range planes.y[(r*h.cells+cell)*planes.out:][:planes.outputs] {
				row[p*h.cells+cell] = v
			}
		}
		row = row[planes.outputs*h.cells:]
		for _, i := range h.single {
			p := h.layers[i]
			row = row[copy(row, p.y[r*p.out:][:p.outputs]):]
		}
	}
}

// backward copies the gradient of the output rows to the layers and runs them in reverse order.
func (h *heads) backward(in [][]float32, _, dOut []float32, dIn [][]float32) {
	planes := h.layers[h.planes]
	for r := range h.scratch.rows {
		row := dOut[r*h.outputs : (r+1)*h.outputs]
		for cell := range h.cells {
			to := planes.dy[(r*h.cells+cell)*planes.out:][:planes.outputs]
			for p := range to {
				to[p] = row[p*h.cells+cell]
			}
		}
		row = row[planes.outputs*h.cells:]
		for _, i := range h.single {
			p := h.layers[i]
			row = row[copy(p.dy[r*p.out:][:p.outputs], row):]
		}
	}
	for i := len(h.layers) - 1; i >= 0; i-- {
		p := h.layers[i]
		x, dx := h.memory(p, in[0], dIn[0])
		p.backward(x, dx, dIn[1+2*i], dIn[2+2*i], !p.last)
	}
}
