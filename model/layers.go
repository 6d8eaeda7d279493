package model

import (
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/model/infer"
)

// conv is the 3x3 convolution of x [B, H, W, in] by weights [out, 3, 3, planes], planes <= in; further channels of x are
// zeros that pad it to a multiple of 4. The gradient of x is left out where x is the network's input.
func (b *builder) conv(name string, x, weights *gorgonia.Node, isInput bool) *gorgonia.Node {
	h, w, in := x.Shape()[1], x.Shape()[2], x.Shape()[3]
	out, planes := weights.Shape()[0], weights.Shape()[3]
	c := &convolution{b.batch, h, w, in, out, planes, &b.scratch}
	o := &op{name: name, shape: tensor.Shape{b.batch, h, w, out}, wrt: []bool{!isInput, true}, forward: c.forward}
	o.backward = func(nodes gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		g := &op{name: name + ".grad", shape: weights.Shape()}
		if isInput {
			g.forward = c.weightGradient
			grads, err := g.applyGradient(nil, nodes[0], grad)
			if err != nil {
				return nil, err
			}
			return gorgonia.Nodes{nil, grads[0]}, nil
		}
		dx := newSide("x", x.Shape())
		g.forward = func(in [][]float32, dw []float32) {
			c.weightGradient(in, dw)
			c.inputGradient(in[1], in[2], dx.data)
		}
		grads, err := g.applyGradient([]side{dx}, nodes[0], grad, nodes[1])
		if err != nil {
			return nil, err
		}
		return gorgonia.Nodes{grads[1], grads[0]}, nil
	}
	return b.apply(o, x, weights)
}

type convolution struct {
	batch, h, w, in, out, planes int
	scratch                      *scratch
}

// forward convolves each row of in[0] by in[1].
func (c *convolution) forward(in [][]float32, out []float32) {
	weights := in[1]
	if c.planes < c.in {
		weights = c.scratch.get(1, c.out*9*c.in)
		clear(weights)
		for i := range c.out * 9 {
			copy(weights[i*c.in:], in[1][i*c.planes:(i+1)*c.planes])
		}
	}
	clear(out)
	c.convolve(out, in[0], weights, c.in, c.out)
}

func (c *convolution) convolve(dst, src, weights []float32, in, out int) {
	cells := c.h * c.w
	columns := c.scratch.get(0, cells*9*in)
	for i := range c.batch {
		to, from := dst[i*cells*out:(i+1)*cells*out], src[i*cells*in:(i+1)*cells*in]
		infer.Conv3x3(to, from, weights, columns, c.h, c.w, in, out)
	}
}

// inputGradient convolves the output's gradient by the weights turned by half a turn, their channels exchanged.
func (c *convolution) inputGradient(dy, weights, dx []float32) {
	turned := c.scratch.get(1, c.in*9*c.out)
	for o := range c.out {
		for tap := range 9 {
			for i, v := range weights[(o*9+tap)*c.planes : (o*9+tap+1)*c.planes] {
				turned[(i*9+8-tap)*c.out+o] = v
			}
		}
	}
	clear(dx)
	c.convolve(dx, dy, turned, c.out, c.in)
}

// weightGradient sums, over all cells of all rows, the products of the output's gradient in[1] and the neighbourhoods of
// in[0]. Both are transposed some rows of the batch at a time, so that cells lie side by side and dot products are long.
func (c *convolution) weightGradient(in [][]float32, dw []float32) {
	cells := c.h * c.w
	step := min(c.batch, 4*((256/4+cells-1)/cells)) // rows of the batch at a time, a multiple of 4
	padded := dw
	if c.planes < c.in {
		padded = c.scratch.get(0, c.out*9*c.in)
	}
	clear(padded)
	for first := 0; first < c.batch; first += step {
		n := min(step, c.batch-first) * cells
		x := transpose(c.scratch.get(1, c.in*n), in[0][first*cells*c.in:], n, c.in)
		dy := transpose(c.scratch.get(2, c.out*n), in[1][first*cells*c.out:], n, c.out)
		columns := c.scratch.get(3, 9*c.in*n)
		c.shift(columns, x, n)
		infer.GemmNT(c.out, 9*c.in, n, dy, n, columns, n, padded, 9*c.in)
	}
	if c.planes < c.in {
		for i := range c.out * 9 {
			copy(dw[i*c.planes:(i+1)*c.planes], padded[i*c.in:])
		}
	}
}

// shift writes for each of the 9 taps the boards x [in, n] moved so that a cell holds the tap's neighbour, zero outside.
func (c *convolution) shift(dst, x []float32, n int) {
	for tap := range 9 {
		dy, dx := tap/3-1, tap%3-1
		offset := dy*c.w + dx
		lo, hi := max(0, -offset), min(n, n-offset)
		for i := range c.in {
			row := dst[(tap*c.in+i)*n : (tap*c.in+i+1)*n]
			clear(row[:lo])
			copy(row[lo:hi], x[i*n+lo+offset:i*n+hi+offset])
			clear(row[hi:])
			c.clearOutside(row, dy, dx)
		}
	}
}

// clearOutside zeroes the cells of boards whose neighbour at (dy, dx) is outside.
func (c *convolution) clearOutside(row []float32, dy, dx int) {
	cells := c.h * c.w
	for board := 0; board < len(row); board += cells {
		if dy < 0 {
			clear(row[board : board+c.w])
		} else if dy > 0 {
			clear(row[board+cells-c.w : board+cells])
		}
		if dx == 0 {
			continue
		}
		column := 0
		if dx > 0 {
			column = c.w - 1
		}
		for i := board + column; i < board+cells; i += c.w {
			row[i] = 0
		}
	}
}

// transpose writes src [rows, columns] to dst [columns, rows] and returns dst.
func transpose(dst, src []float32, rows, columns int) []float32 {
	for r := range rows {
		for c, v := range src[r*columns : (r+1)*columns] {
			dst[c*rows+r] = v
		}
	}
	return dst
}

// affine is relu(scale x + bias), and relu(scale x + bias + residual) if residual is not nil; scale and bias are
// [channels].
func (b *builder) affine(name string, x, scale, bias, residual *gorgonia.Node) *gorgonia.Node {
	channels := scale.Shape()[0]
	o := &op{name: name, shape: x.Shape(), wrt: []bool{true, true, true}}
	inputs := []*gorgonia.Node{x, scale, bias}
	if residual != nil {
		o.wrt = append(o.wrt, true)
		inputs = append(inputs, residual)
	}
	o.forward = func(in [][]float32, y []float32) {
		for i := 0; i < len(y); i += channels {
			row, x := y[i:i+channels], in[0][i:i+channels]
			scale, bias := in[1][:channels], in[2][:channels]
			if residual == nil {
				for c, v := range x {
					row[c] = max(v*scale[c]+bias[c], 0)
				}
				continue
			}
			from := in[3][i : i+channels]
			for c, v := range x {
				row[c] = max(v*scale[c]+bias[c]+from[c], 0)
			}
		}
	}
	o.backward = func(nodes gorgonia.Nodes, y, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		dScale, dBias := newSide("scale", scale.Shape()), newSide("bias", bias.Shape())
		sides := []side{dScale, dBias}
		var gated []float32
		if residual != nil {
			dResidual := newSide("residual", x.Shape())
			sides = append(sides, dResidual)
			gated = dResidual.data
		}
		g := &op{name: name + ".grad", shape: x.Shape()}
		g.forward = func(in [][]float32, dx []float32) {
			affineGradient(in[0], in[1], in[2], in[3], dx, dScale.data, dBias.data, gated)
		}
		return g.applyGradient(sides, x, scale, y, grad)
	}
	return b.apply(o, inputs...)
}

// affineGradient fills dx, dScale, dBias and, if not nil, the gradient of the residual, which is that of the output
// where the output is positive.
func affineGradient(x, scale, y, dy, dx, dScale, dBias, dResidual []float32) {
	clear(dScale)
	clear(dBias)
	channels := len(scale)
	for i := 0; i < len(x); i += channels {
		x, y, dy, dx := x[i:i+channels], y[i:i+channels], dy[i:i+channels], dx[i:i+channels]
		dScale, dBias := dScale[:len(x)], dBias[:len(x)]
		for c, v := range x {
			g := dy[c]
			if y[c] <= 0 {
				g = 0
			}
			dScale[c] += g * v
			dBias[c] += g
			dx[c] = g * scale[c]
		}
		if dResidual != nil {
			row := dResidual[i : i+channels]
			for c, g := range dy {
				if y[c] <= 0 {
					g = 0
				}
				row[c] = g
			}
		}
	}
}

// linear is W x + bias for each row of x [.., in], W [out, in], through a ReLU if rectify; the result has the given
// shape. x is read as rows of in values whatever its shape, so that it is a 1x1 convolution of boards as well as a
// layer on flattened ones.
func (b *builder) linear(name string, x, weights, bias *gorgonia.Node, rectify bool, shape ...int) *gorgonia.Node {
	out, in := weights.Shape()[0], weights.Shape()[1]
	l := &linearLayer{tensor.Shape(shape).TotalSize() / out, in, out, rectify, &b.scratch}
	o := &op{name: name, shape: shape, wrt: []bool{true, true, true}, forward: l.forward}
	o.backward = func(nodes gorgonia.Nodes, y, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		dw, db := newSide("weight", weights.Shape()), newSide("bias", bias.Shape())
		g := &op{name: name + ".grad", shape: x.Shape()}
		g.forward = func(in [][]float32, dx []float32) {
			l.gradient(in[0], in[1], in[2], in[3], dx, dw.data, db.data)
		}
		return g.applyGradient([]side{dw, db}, x, weights, y, grad)
	}
	return b.apply(o, x, weights, bias)
}

type linearLayer struct {
	rows, in, out int // rows and in are multiples of 4
	rectify       bool
	scratch       *scratch
}

func (l *linearLayer) forward(in [][]float32, y []float32) {
	for i := 0; i < len(y); i += l.out {
		copy(y[i:i+l.out], in[2])
	}
	infer.GemmNT(l.rows, l.out, l.in, in[0], l.in, in[1], l.in, y, l.out)
	if l.rectify {
		for i, v := range y {
			y[i] = max(v, 0)
		}
	}
}

// gradient fills dx, dw and db. The gated gradient of the output is padded to a multiple of 4 columns.
func (l *linearLayer) gradient(x, weights, y, dy, dx, dw, db []float32) {
	padded := infer.PadChannels(l.out)
	gated := l.scratch.get(0, l.rows*padded)
	clear(gated)
	for r := range l.rows {
		for o := range l.out {
			if i := r*l.out + o; !l.rectify || y[i] > 0 {
				gated[r*padded+o] = dy[i]
			}
		}
	}
	turned := l.scratch.get(1, l.in*padded)
	clear(turned)
	for o := range l.out {
		for i, v := range weights[o*l.in : (o+1)*l.in] {
			turned[i*padded+o] = v
		}
	}
	clear(dx)
	infer.GemmNT(l.rows, l.in, padded, gated, padded, turned, padded, dx, l.in)

	columns := transpose(l.scratch.get(2, padded*l.rows), gated, l.rows, padded)
	for o := range db {
		db[o] = 0
		for _, g := range columns[o*l.rows : (o+1)*l.rows] {
			db[o] += g
		}
	}
	clear(dw)
	cells := transpose(l.scratch.get(3, l.in*l.rows), x, l.rows, l.in)
	infer.GemmNT(l.out, l.in, l.rows, columns, l.rows, cells, l.rows, dw, l.in)
}

// branch returns a second node for x. A node's gradients are added in no fixed order where it has three uses or more,
// so each has two.
func (b *builder) branch(name string, x *gorgonia.Node) *gorgonia.Node {
	o := &op{name: name, shape: x.Shape(), wrt: []bool{true}}
	o.forward = func(in [][]float32, out []float32) { copy(out, in[0]) }
	o.backward = func(_ gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		return gorgonia.Nodes{grad}, nil
	}
	return b.apply(o, x)
}

// policy gathers logits [B, A] in the order of actions from planes [B, H, W, P] and, if not nil, extras [B, E].
func (b *builder) policy(name string, planes, extras *gorgonia.Node) *gorgonia.Node {
	cells, p := planes.Shape()[1]*planes.Shape()[2], planes.Shape()[3]
	inputs, wrt, single := []*gorgonia.Node{planes}, []bool{true}, 0
	if extras != nil {
		inputs, wrt, single = append(inputs, extras), append(wrt, true), extras.Shape()[1]
	}
	actions := p*cells + single
	o := &op{name: name, shape: tensor.Shape{b.batch, actions}, wrt: wrt}
	o.forward = func(in [][]float32, logits []float32) {
		for i := range b.batch {
			row := logits[i*actions : (i+1)*actions]
			transpose(row[:p*cells], in[0][i*p*cells:], cells, p)
			if extras != nil {
				copy(row[p*cells:], in[1][i*single:(i+1)*single])
			}
		}
	}
	o.backward = func(_ gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		var sides []side
		if extras != nil {
			sides = []side{newSide("extras", extras.Shape())}
		}
		g := &op{name: name + ".grad", shape: planes.Shape()}
		g.forward = func(in [][]float32, dPlanes []float32) {
			for i := range b.batch {
				row := in[0][i*actions : (i+1)*actions]
				transpose(dPlanes[i*p*cells:(i+1)*p*cells], row, p, cells)
				if extras != nil {
					copy(sides[0].data[i*single:(i+1)*single], row[p*cells:])
				}
			}
		}
		return g.applyGradient(sides, grad)
	}
	return b.apply(o, inputs...)
}
