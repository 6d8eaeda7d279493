package model

import (
	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// figures is what the figure layers of a graph share. The layers run one after another, forward and back again.
type figures struct {
	sums         *infer.FigureSums
	cells, count int          // numbers of cells and of figures of a board
	channels     int          // channels of a figure, padded
	last         *figureLayer // the layer added last; nil without layers
	// gradient of the loss by the figures' channels [boards, count, channels]: backward of a layer turns that of its output
	// into that of its input. nil in a graph without gradients.
	gradient []float32
}

func newFigures(game *env.Game, channels int, withGradients bool) *figures {
	f := &figures{
		sums: infer.NewFigureSums(game, channels), cells: game.Tensor.Cells(), count: len(game.Figures), channels: channels,
	}
	if withGradients {
		f.gradient = f.newValues()
	}
	return f
}

// newValues allocates memory [boards, count, channels].
func (f *figures) newValues() []float32 { return kernel.Aligned(partRows * f.count * f.channels) }

// figureLayer is a figure layer, which package infer defines. Inputs: x, the matrices P and Q.
type figureLayer struct {
	*figures
	before, after      *figureLayer // before is nil in the first layer, after in the last
	toFigures, toCells *linear
	values             []float32 // [boards, count, channels] of the figures; shared by all layers without gradients
	cellSums           []float32 // input of toCells; nil with sums.AtFigures
	scratch            *scratch
}

// newLayer adds a layer behind the others.
func (f *figures) newLayer(toFigures, toCells *matrix, s *scratch) *figureLayer {
	l := &figureLayer{figures: f, before: f.last, scratch: s}
	if f.sums.AtFigures {
		l.toFigures = newLinear(f.count, toFigures, true, s) // with ReLU
		l.toCells = newLinear(f.count, toCells, false, s)    // without ReLU
	} else {
		l.toFigures = newLinear(f.cells, toFigures, false, s)
		l.toCells = newLinear(f.cells, toCells, true, s)
		l.cellSums = kernel.Aligned(partRows * f.cells * f.channels)
	}
	if l.before != nil {
		l.before.after = l
	}
	if f.gradient == nil && l.before != nil {
		l.values = l.before.values
	} else {
		l.values = f.newValues()
	}
	f.last = l
	return l
}

// cellsOf returns the part of x [boards, cells, channels] that belongs to board i.
func (f *figures) cellsOf(x []float32, i int) []float32 {
	n := f.cells * f.channels
	return x[i*n : (i+1)*n]
}

// figuresOf returns the part of x [boards, figures, channels] that belongs to board i.
func (f *figures) figuresOf(x []float32, i int) []float32 {
	n := f.count * f.channels
	return x[i*n : (i+1)*n]
}

// forward computes the figures, relu(before + sum of P x over their cells), and y = relu(Q s + x), where s is the
// scaled sum of the figures through a cell.
func (l *figureLayer) forward(in [][]float32, y []float32) {
	k := &l.scratch.kernel
	if l.sums.AtFigures {
		x := l.sumCells(in[0], 1)
		l.toFigures.y = l.values
		if l.before != nil {
			l.toFigures.forwardResidual(x, l.before.values)
		} else {
			l.toFigures.forward(x, nil) // nil: no bias
		}
		l.toCells.y = l.scratch.get(bufferSum, len(l.values))
		l.toCells.forward(l.values, nil)
		for i := range l.scratch.rows {
			k.Sums(l.sums.ToCells, l.cellsOf(y, i), l.figuresOf(l.toCells.y, i), l.cellsOf(in[0], i), l.sums.Scale, true) // ReLU
		}
		return
	}
	l.toFigures.y = l.scratch.get(bufferHidden, len(l.cellSums))
	l.toFigures.forward(in[0], nil) // nil: no bias
	for i := range l.scratch.rows {
		var before []float32
		if l.before != nil {
			before = l.figuresOf(l.before.values, i)
		}
		values := l.figuresOf(l.values, i)
		k.Sums(l.sums.ToFigures, values, l.cellsOf(l.toFigures.y, i), before, 1, true)     // scale 1, ReLU
		k.Sums(l.sums.ToCells, l.cellsOf(l.cellSums, i), values, nil, l.sums.Scale, false) // from 0, no ReLU
	}
	l.toCells.y = y
	l.toCells.forwardResidual(l.cellSums, in[0])
}

// sumCells returns scale times the sums of the cells of each figure, of x [boards, cells, channels], in bufferHidden.
func (l *figureLayer) sumCells(x []float32, scale float32) []float32 {
	sums := l.scratch.get(bufferHidden, len(l.values))
	for i := range l.scratch.rows {
		l.scratch.kernel.Sums(l.sums.ToFigures, l.figuresOf(sums, i), l.cellsOf(x, i), nil, scale, false) // no ReLU
	}
	return sums
}

// backward computes the gradients of a figure layer; dIn[0] and dy share memory, and neither matrix has a bias (nil).
// toCells.backward turns dy into the gradient before the ReLU, which is also that of the skip connection;
// toFigures.backward adds the gradient through the figures.
func (l *figureLayer) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	k := &l.scratch.kernel
	if l.sums.AtFigures {
		channelSums := l.scratch.get(bufferChannels, l.channels) // a required output, not used
		k.ReLUGradient(y, dy, dy, channelSums, l.scratch.rows*l.cells, l.channels)
		l.toCells.dy = l.sumCells(dy, l.sums.Scale)
		l.toCells.backward(l.values, l.gradient, dIn[2], nil, l.after != nil)
		l.toFigures.y, l.toFigures.dy = l.values, l.gradient
		dSums := l.scratch.get(bufferSum, len(l.values))
		l.toFigures.backward(l.sumCells(in[0], 1), dSums, dIn[1], nil, false)
		for i := range l.scratch.rows {
			dx := l.cellsOf(dIn[0], i)
			k.Sums(l.sums.ToCells, dx, l.figuresOf(dSums, i), dx, 1, false) // scale 1, no ReLU
		}
		return
	}
	dCellSums := l.scratch.get(bufferHidden, len(l.cellSums))
	l.toCells.y, l.toCells.dy = y, dy
	l.toCells.backward(l.cellSums, dCellSums, dIn[2], nil, false)

	l.toFigures.dy = l.scratch.get(bufferSum, len(l.cellSums))
	sums := l.scratch.get(bufferChannels, l.channels) // a required output, not used
	for i := range l.scratch.rows {
		gradient := l.figuresOf(l.gradient, i)
		var after []float32
		if l.after != nil {
			after = gradient
		}
		k.Sums(l.sums.ToFigures, gradient, l.cellsOf(dCellSums, i), after, l.sums.Scale, false) // no ReLU
		k.ReLUGradient(l.figuresOf(l.values, i), gradient, gradient, sums, l.count, l.channels)
		k.Sums(l.sums.ToCells, l.cellsOf(l.toFigures.dy, i), gradient, nil, 1, false) // from 0, scale 1, no ReLU
	}
	l.toFigures.backward(in[0], dIn[0], dIn[1], nil, true)
}
