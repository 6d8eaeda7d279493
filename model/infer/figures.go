package infer

import (
	"math"

	"ludus/env"
	"ludus/model/infer/kernel"
)

// FigureSums are the sums of a figure layer, for the rows of one board. ToFigures takes [cells, columns] to
// [figures, columns]: it adds up the cells of each figure. ToCells does the reverse: it adds up the figures through each
// cell. The scales, one over the root of the largest number of terms, keep sums as large as their terms.
type FigureSums struct {
	ToFigures, ToCells     *kernel.Sums
	FigureScale, CellScale float32
}

// NewFigureSums prepares the sums for a game with figures. columns is a multiple of 8.
func NewFigureSums(game *env.Game, columns int) *FigureSums {
	through := make([][]int32, game.Tensor.Cells()) // figures through each cell
	for i, figure := range game.Figures {
		for _, cell := range figure {
			through[cell] = append(through[cell], int32(i))
		}
	}
	return &FigureSums{
		ToFigures: kernel.NewSums(game.Figures, columns), FigureScale: rootScale(game.Figures),
		ToCells: kernel.NewSums(through, columns), CellScale: rootScale(through),
	}
}

// rootScale is one over the root of the length of the longest list.
func rootScale(lists [][]int32) float32 {
	most := 1
	for _, list := range lists {
		most = max(most, len(list))
	}
	return float32(1 / math.Sqrt(float64(most)))
}

// figureLayer is a figure layer, packed for the kernels.
type figureLayer struct{ figures, cells linear }

// figureLayer runs a figure layer on rows boards x [rows, H, W, channels], in place.
func (e *Evaluator) figureLayer(l *figureLayer, rows int, x []float32) {
	n := e.network
	size := n.Game.Tensor.Cells() * n.channels
	e.worker.Gemm(&kernel.Gemm{
		M: rows * n.Game.Tensor.Cells(), N: n.channels, K: n.channels, A: x, ARow: n.channels, ACol: 1,
		B: l.figures.weights, BRow: 16, BPanel: 16 * n.channels, C: e.tower[1], CRow: n.channels,
	})
	for i := range rows {
		sums := e.tower[1][i*size : (i+1)*size]
		e.worker.Sums(n.sums.ToFigures, e.figures, sums, l.figures.bias, n.sums.FigureScale, true)
		e.worker.Sums(n.sums.ToCells, sums, e.figures, nil, n.sums.CellScale, false)
	}
	e.worker.Gemm(&kernel.Gemm{
		M: rows * n.Game.Tensor.Cells(), N: n.channels, K: n.channels, A: e.tower[1], ARow: n.channels, ACol: 1,
		B: l.cells.weights, BRow: 16, BPanel: 16 * n.channels, C: x, CRow: n.channels, Init: x, InitRow: n.channels, ReLU: true,
	})
}
