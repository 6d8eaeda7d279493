package model

import (
	"math"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// crossEntropy is the scalar
//
//	sum over rows r of weight[r] (-sum over i of target[r,i] log p[r,i])
//	p[r,i] = legal[r,i] exp(x[r,i]) / sum over j of legal[r,j] exp(x[r,j])
//
// for logits x and targets [B, n], weights [B], and legal [B, n] of zeros and ones, nil for all ones. A target's row
// sums to 1 and is zero where legal is, so the gradient is weight (p - target). Rows of weight 0 may hold anything.
func (b *builder) crossEntropy(name string, x, target, weight, legal *gorgonia.Node) *gorgonia.Node {
	rows, n := x.Shape()[0], x.Shape()[1]
	inputs, wrt := []*gorgonia.Node{x, target, weight}, []bool{true, false, false, false}
	if legal != nil {
		inputs = append(inputs, legal)
	}
	gradient := make([]float32, rows*n) // weight (p - target), left by the forward run
	o := &op{name: name, shape: tensor.ScalarShape(), wrt: wrt[:len(inputs)]}
	o.forward = func(in [][]float32, out []float32) {
		sum := 0.0
		clear(gradient)
		for r := range rows {
			w := in[2][r]
			if w == 0 {
				continue
			}
			row := func(x []float32) []float32 { return x[r*n : (r+1)*n] }
			var mask []float32
			if legal != nil {
				mask = row(in[3])
			}
			sum += float64(w) * crossEntropyRow(row(in[0]), row(in[1]), mask, w, row(gradient))
		}
		out[0] = float32(sum)
	}
	o.backward = scaled(name, x, gradient, len(inputs))
	return b.apply(o, inputs...)
}

// crossEntropyRow returns one row's cross-entropy and fills its gradient, times weight.
func crossEntropyRow(x, target, legal []float32, weight float32, gradient []float32) float64 {
	top := math.Inf(-1)
	for i, v := range x {
		if legal == nil || legal[i] != 0 {
			top = max(top, float64(v))
		}
	}
	sum := 0.0
	for i, v := range x {
		if legal == nil || legal[i] != 0 {
			sum += math.Exp(float64(v) - top)
		}
	}
	logSum, loss := top+math.Log(sum), 0.0
	for i, v := range x {
		if legal != nil && legal[i] == 0 {
			continue
		}
		logP := float64(v) - logSum
		loss -= float64(target[i]) * logP
		gradient[i] = weight * (float32(math.Exp(logP)) - target[i])
	}
	return loss
}

// squaredError is the scalar
//
//	sum over rows r of weight[r] sum over i of (x[r,i] - target[r,i])^2
func (b *builder) squaredError(name string, x, target, weight *gorgonia.Node) *gorgonia.Node {
	rows, n := x.Shape()[0], x.Shape()[1]
	gradient := make([]float32, rows*n)
	o := &op{name: name, shape: tensor.ScalarShape(), wrt: []bool{true, false, false}}
	o.forward = func(in [][]float32, out []float32) {
		sum := 0.0
		for i, v := range in[0] {
			w, d := in[2][i/n], v-in[1][i]
			sum += float64(w) * float64(d) * float64(d)
			gradient[i] = 2 * w * d
		}
		out[0] = float32(sum)
	}
	o.backward = scaled(name, x, gradient, 3)
	return b.apply(o, x, target, weight)
}

// scaled is the backward function of a scalar loss of x whose forward run leaves the gradient: it multiplies that by the
// loss's own.
func scaled(name string, x *gorgonia.Node, gradient []float32, arity int) backward {
	return func(_ gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
		g := &op{name: name + ".grad", shape: x.Shape()}
		g.forward = func(in [][]float32, dx []float32) {
			for i, v := range gradient {
				dx[i] = v * in[1][0]
			}
		}
		nodes := make(gorgonia.Nodes, arity)
		var err error
		nodes[0], err = g.apply(out, grad) // out, for the order of running
		return nodes, err
	}
}
