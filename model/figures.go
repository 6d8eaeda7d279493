package model

import (
	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// figureLayer is a figure layer, which package infer defines. Inputs: x; weights and bias of the figures; weights of the
// cells.
type figureLayer struct {
	sums               *infer.FigureSums
	toFigures, toCells *linear
	count, channels    int       // of the figures [count, channels] of a board
	bias               []float32 // [channels], padded copy
	cellSums           []float32 // input of toCells
	scratch            *scratch
}

func newFigureLayer(game *env.Game, sums *infer.FigureSums, channels int, s *scratch) *figureLayer {
	cells, padded := game.Tensor.Cells(), kernel.PadChannels(channels)
	l := &figureLayer{
		sums:      sums,
		toFigures: newLinear(cells, channels, channels, false, s), toCells: newLinear(cells, channels, channels, true, s),
		count: len(game.Figures), channels: padded, bias: kernel.Aligned(padded),
		cellSums: kernel.Aligned(shardRows * cells * padded), scratch: s,
	}
	l.toFigures.y = kernel.Aligned(shardRows * cells * padded)
	return l
}

// board is the part of board i in x [boards, cells, channels].
func (l *figureLayer) board(x []float32, i int) []float32 {
	n := l.toCells.rowsPerSample * l.channels
	return x[i*n : (i+1)*n]
}

// figures computes the figures of board i. They are not kept for all boards, which would take a multiple of the memory.
func (l *figureLayer) figures(i int) []float32 {
	figures := l.scratch.get(bufferFigures, l.count*l.channels)
	l.scratch.worker.Sums(l.sums.ToFigures, figures, l.board(l.toFigures.y, i), l.bias, l.sums.FigureScale, true)
	return figures
}

func (l *figureLayer) forward(in [][]float32, y []float32) {
	l.toFigures.forward(in[0], in[1], nil)
	copy(l.bias, in[2])
	for i := range l.scratch.rows {
		l.scratch.worker.Sums(l.sums.ToCells, l.board(l.cellSums, i), l.figures(i), nil, l.sums.CellScale, false)
	}
	l.toCells.y = y
	l.toCells.forwardResidual(l.cellSums, in[3], in[0])
}

// backward: dIn[0] and dy share memory. toCells.backward turns dy into the gradient before the ReLU, which is also that
// of the skip connection; toFigures.backward adds the gradient through the figures.
func (l *figureLayer) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	worker := &l.scratch.worker
	dCellSums := l.scratch.get(bufferHidden, len(l.cellSums))
	l.toCells.y, l.toCells.dy = y, dy
	l.toCells.backward(l.cellSums, in[3], dCellSums, dIn[3], nil, false)

	l.toFigures.dy = l.scratch.get(bufferSum, len(l.cellSums))
	dFigures, dBias := l.scratch.get(bufferFiguresGradient, l.count*l.channels), l.scratch.get(bufferChannels, l.channels)
	clear(dIn[2])
	for i := range l.scratch.rows {
		worker.Sums(l.sums.ToFigures, dFigures, l.board(dCellSums, i), nil, l.sums.CellScale*l.sums.FigureScale, false)
		worker.ReLUGradient(l.figures(i), dFigures, dFigures, dBias, l.count, l.channels)
		for c := range dIn[2] {
			dIn[2][c] += dBias[c]
		}
		worker.Sums(l.sums.ToCells, l.board(l.toFigures.dy, i), dFigures, nil, 1, false)
	}
	l.toFigures.backward(in[0], in[1], dIn[0], dIn[1], nil, true)
}
