package model

import (
	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// headLayer is one linear layer of the heads.
type headLayer struct {
	*linear
	name   string
	from   int     // index of the layer it reads, or fromTower
	last   bool    // no later layer reads the same input: in backward it is the first to write that gradient
	pooled *pooled // of the cells that it reads; nil if it reads them as they are
}

// pooled is the pooled output of a layer, for the only layer that reads it.
type pooled struct {
	*infer.Pooling
	cells *linear   // the layer of the cells
	y, dy []float32 // [rows, 3, channels]
}

// fromTower as headLayer.from means that a layer reads the tower's output.
const fromTower = -1

// heads are all layers after the tower. Inputs: the tower's output x [rows, H, W, channels], then weights and bias of
// each layer. An output row has the policy logits in the order of actions, likewise those of the reply, the outcome
// logits, and the goals if the game has a goal head. The reply is the policy target after the sample's move.
type heads struct {
	outputs      int
	layers       []headLayer // ordered: each after the layer that it reads
	outputLayers []int       // indices of the layers whose results make an output row, in its order
	scratch      *scratch
}

// newHeads returns the heads of a network of game. weights gives the weights of a layer by name.
func newHeads(game *env.Game, config infer.Config, weights func(name string) *matrix, s *scratch) *heads {
	h, cells := &heads{scratch: s}, game.Tensor.Cells()
	// add adds a layer that reads layer from, with ReLU if relu, and returns its index.
	add := func(name string, from, rowsPerSample int, relu bool) int {
		for i := range h.layers {
			h.layers[i].last = h.layers[i].last && h.layers[i].from != from
		}
		l := newLinear(rowsPerSample, weights(name), relu, s)
		l.y, l.dy = kernel.Aligned(partRows*rowsPerSample*l.out), kernel.Aligned(partRows*rowsPerSample*l.out)
		h.layers = append(h.layers, headLayer{l, name, from, true, nil}) // nil: not pooled
		return len(h.layers) - 1
	}
	policy := add("policy.hidden", fromTower, cells, true)
	outcome := add("outcome.cells", fromTower, cells, true)
	hidden := add("outcome.hidden", outcome, 1, true)
	if config.Pooled {
		n := partRows * h.layers[hidden].in
		h.layers[hidden].pooled = &pooled{
			infer.NewPooling(cells), h.layers[outcome].linear, kernel.Aligned(n), kernel.Aligned(n),
		}
	}
	for _, head := range []string{"policy", "reply"} {
		h.outputLayers = append(h.outputLayers, add(head+".planes", policy, cells, false))
		if game.PolicyExtras > 0 {
			h.outputLayers = append(h.outputLayers, add(head+".extras", hidden, 1, false))
		}
	}
	h.outputLayers = append(h.outputLayers, add("outcome.classes", hidden, 1, false))
	if game.GoalHead {
		h.outputLayers = append(h.outputLayers, add("goals", hidden, 1, false))
	}
	for _, i := range h.outputLayers {
		h.outputs += h.layers[i].outputs * h.layers[i].rowsPerSample
	}
	return h
}

// memory returns the input x of layer p and the slice dx for the gradient of x: the tower's, or those of layer p.from.
func (h *heads) memory(p headLayer, tower, dTower []float32) (x, dx []float32) {
	switch {
	case p.from == fromTower:
		return tower, dTower
	case p.pooled != nil:
		return p.pooled.y, p.pooled.dy
	}
	return h.layers[p.from].y, h.layers[p.from].dy
}

// forward computes all layers and copies the results to output rows.
func (h *heads) forward(in [][]float32, out []float32) {
	for i, p := range h.layers {
		if p.pooled != nil {
			p.pooled.Forward(p.pooled.y, p.pooled.cells.y, h.scratch.rows, p.pooled.cells.out)
		}
		x, _ := h.memory(p, in[0], nil) // nil: no gradient
		p.forward(x, in[2+2*i])
	}
	for r := range h.scratch.rows {
		row := out[r*h.outputs : (r+1)*h.outputs]
		for _, i := range h.outputLayers {
			p := h.layers[i]
			n := p.rowsPerSample
			for cell := range n {
				for plane, v := range p.y[(r*n+cell)*p.out:][:p.outputs] {
					row[plane*n+cell] = v // [cell, plane] to [plane, cell]
				}
			}
			row = row[p.outputs*n:]
		}
	}
}

// backward copies the gradient of the output rows to the layers and runs them in reverse order.
func (h *heads) backward(in [][]float32, _, dOut []float32, dIn [][]float32) {
	for r := range h.scratch.rows {
		row := dOut[r*h.outputs : (r+1)*h.outputs]
		for _, i := range h.outputLayers {
			p := h.layers[i]
			n := p.rowsPerSample
			for cell := range n {
				to := p.dy[(r*n+cell)*p.out:][:p.outputs]
				for plane := range to {
					to[plane] = row[plane*n+cell]
				}
			}
			row = row[p.outputs*n:]
		}
	}
	for i := len(h.layers) - 1; i >= 0; i-- {
		p := h.layers[i]
		x, dx := h.memory(p, in[0], dIn[0])
		p.backward(x, dx, dIn[1+2*i], dIn[2+2*i], !p.last)
		if p.pooled != nil {
			p.pooled.Backward(p.pooled.cells.dy, p.pooled.cells.y, x, dx, h.scratch.rows, p.pooled.cells.out)
		}
	}
}
