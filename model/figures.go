package model

import (
	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// figureLayer is a figure layer, which package infer defines. Inputs: x; weights and bias of the figures; weights of the
// cells.
type figureLayer struct {
	sums                *infer.FigureSums
	toFigures, toCells  *linear
	channels            int
	bias                []float32 // [channels], padded copy
	figures, dFigures   []float32 // [figures, channels] of one board
	cellSums, dCellSums []float32 // inputs of toCells
	scratch             *scratch
}

func newFigureLayer(game *env.Game, channels int, s *scratch) *figureLayer {
	cells := game.Tensor.Cells()
	l := &figureLayer{
		toFigures: newLinear(cells, channels, channels, false, s), toCells: newLinear(cells, channels, channels, true, s),
		channels: kernel.PadChannels(channels), scratch: s,
	}
	l.sums, l.bias = infer.NewFigureSums(game, l.channels), kernel.Aligned(l.channels)
	for _, buffer := range []*[]float32{&l.figures, &l.dFigures} {
		*buffer = kernel.Aligned(len(game.Figures) * l.channels)
	}
	for _, buffer := range []*[]float32{&l.cellSums, &l.dCellSums} {
		*buffer = kernel.Aligned(shardRows * cells * l.channels)
	}
	return l
}

// board is the part of board i in x [boards, cells, channels].
func (l *figureLayer) board(x []float32, i int) []float32 {
	n := l.toCells.rowsPerSample * l.channels
	return x[i*n : (i+1)*n]
}

// sumFigures computes the figures of board i. They are not kept for all boards: to compute them again costs less than to
// read them from memory.
func (l *figureLayer) sumFigures(i int) {
	l.scratch.worker.Sums(l.sums.ToFigures, l.figures, l.board(l.toFigures.y, i), l.bias, l.sums.FigureScale, true)
}

func (l *figureLayer) forward(in [][]float32, y []float32) {
	l.toFigures.forward(in[0], in[1], nil)
	copy(l.bias, in[2])
	for i := range l.scratch.rows {
		l.sumFigures(i)
		l.scratch.worker.Sums(l.sums.ToCells, l.board(l.cellSums, i), l.figures, nil, l.sums.CellScale, false)
	}
	l.toCells.y = y
	l.toCells.forwardResidual(l.cellSums, in[3], in[0])
}

// backward first leaves the gradient of the skip connection in dIn[0], which is dy, then adds the gradient through the
// figures.
func (l *figureLayer) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	l.toCells.y, l.toCells.dy = y, dy
	l.toCells.backward(l.cellSums, in[3], l.dCellSums, dIn[3], nil, false)
	worker, biasGradient := &l.scratch.worker, l.scratch.get(bufferChannels, l.channels)
	clear(dIn[2])
	for i := range l.scratch.rows {
		l.sumFigures(i)
		worker.Sums(l.sums.ToFigures, l.dFigures, l.board(l.dCellSums, i), nil, l.sums.CellScale*l.sums.FigureScale, false)
		worker.ReLUGradient(l.figures, l.dFigures, l.dFigures, biasGradient, len(l.figures)/l.channels, l.channels)
		for c := range dIn[2] {
			dIn[2][c] += biasGradient[c]
		}
		worker.Sums(l.sums.ToCells, l.board(l.toFigures.dy, i), l.dFigures, nil, 1, false)
	}
	l.toFigures.backward(in[0], in[1], dIn[0], dIn[1], nil, true)
}
