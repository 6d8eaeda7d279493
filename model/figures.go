package model

import (
	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// figures is what the figure layers of a graph share. They run one after another, forward and back again.
type figures struct {
	sums         *infer.FigureSums
	cells, count int // of a board
	channels     int // padded
	layers       []*figureLayer
	gradient     []float32 // [boards, count, channels] of the figures that the layer before has computed
}

func newFigures(game *env.Game, channels int) *figures {
	count := len(game.Figures)
	return &figures{
		sums: infer.NewFigureSums(game, channels), cells: game.Tensor.Cells(), count: count, channels: channels,
		gradient: kernel.Aligned(shardRows * count * channels),
	}
}

// figureLayer is a figure layer, which package infer defines. Inputs: x, the matrices P and Q.
type figureLayer struct {
	*figures
	before, after      *figureLayer // nil for the first and the last layer
	toFigures, toCells *linear
	values             []float32 // [boards, count, channels] of the figures
	cellSums           []float32 // input of toCells
	scratch            *scratch
}

// newLayer adds a layer behind the others.
func (f *figures) newLayer(channels int, s *scratch) *figureLayer {
	l := &figureLayer{
		figures:   f,
		toFigures: newLinear(f.cells, channels, channels, false, s), toCells: newLinear(f.cells, channels, channels, true, s),
		values:   kernel.Aligned(shardRows * f.count * f.channels),
		cellSums: kernel.Aligned(shardRows * f.cells * f.channels), scratch: s,
	}
	l.toFigures.y = kernel.Aligned(shardRows * f.cells * f.channels)
	if n := len(f.layers); n > 0 {
		l.before = f.layers[n-1]
		l.before.after = l
	}
	f.layers = append(f.layers, l)
	return l
}

// cellsOf is the part of board i in x [boards, cells, channels].
func (f *figures) cellsOf(x []float32, i int) []float32 {
	n := f.cells * f.channels
	return x[i*n : (i+1)*n]
}

// figuresOf is the part of board i in x [boards, count, channels].
func (f *figures) figuresOf(x []float32, i int) []float32 {
	n := f.count * f.channels
	return x[i*n : (i+1)*n]
}

func (l *figureLayer) forward(in [][]float32, y []float32) {
	worker := &l.scratch.worker
	l.toFigures.forward(in[0], in[1], nil)
	for i := range l.scratch.rows {
		var before []float32
		if l.before != nil {
			before = l.figuresOf(l.before.values, i)
		}
		values := l.figuresOf(l.values, i)
		worker.Sums(l.sums.ToFigures, values, l.cellsOf(l.toFigures.y, i), before, 1, true)
		worker.Sums(l.sums.ToCells, l.cellsOf(l.cellSums, i), values, nil, l.sums.Scale, false)
	}
	l.toCells.y = y
	l.toCells.forwardResidual(l.cellSums, in[2], in[0])
}

// backward: dIn[0] and dy share memory. toCells.backward turns dy into the gradient before the ReLU, which is also that
// of the skip connection; toFigures.backward adds the gradient through the figures.
func (l *figureLayer) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	worker := &l.scratch.worker
	dCellSums := l.scratch.get(bufferHidden, len(l.cellSums))
	l.toCells.y, l.toCells.dy = y, dy
	l.toCells.backward(l.cellSums, in[2], dCellSums, dIn[2], nil, false)

	l.toFigures.dy = l.scratch.get(bufferSum, len(l.cellSums))
	unused := l.scratch.get(bufferChannels, l.channels)
	for i := range l.scratch.rows {
		gradient := l.figuresOf(l.gradient, i)
		var after []float32
		if l.after != nil {
			after = gradient
		}
		worker.Sums(l.sums.ToFigures, gradient, l.cellsOf(dCellSums, i), after, l.sums.Scale, false)
		worker.ReLUGradient(l.figuresOf(l.values, i), gradient, gradient, unused, l.count, l.channels)
		worker.Sums(l.sums.ToCells, l.cellsOf(l.toFigures.dy, i), gradient, nil, 1, false)
	}
	l.toFigures.backward(in[0], in[1], dIn[0], dIn[1], nil, true)
}
