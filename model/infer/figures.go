package infer

import (
	"math"

	"ludus/env"
	"ludus/model/infer/kernel"
)

// FigureSums are the sums of a figure layer, for the rows of one board. ToFigures takes [cells, columns] to
// [figures, columns]: it adds up the cells of each figure. ToCells does the reverse: it adds up the figures through each
// cell. The scales are one over the root of the largest number of terms, so sums of independent terms of mean zero keep
// their variance. Outputs of ReLU have a positive mean, so their sums still grow.
type FigureSums struct {
	ToFigures, ToCells     *kernel.Sums
	FigureScale, CellScale float32
}

// NewFigureSums prepares the sums for a game with figures. columns is a multiple of 8.
func NewFigureSums(game *env.Game, columns int) *FigureSums {
	s := &FigureSums{
		ToFigures: kernel.NewSums(game.Figures, columns), ToCells: kernel.NewSums(throughCells(game), columns),
	}
	s.FigureScale, s.CellScale = FigureScales(game)
	return s
}

// FigureScales returns the scales of [FigureSums].
func FigureScales(game *env.Game) (figure, cell float32) {
	return rootScale(game.Figures), rootScale(throughCells(game))
}

// throughCells lists the figures through each cell.
func throughCells(game *env.Game) [][]int32 {
	through := make([][]int32, game.Tensor.Cells())
	for i, figure := range game.Figures {
		for _, cell := range figure {
			through[cell] = append(through[cell], int32(i))
		}
	}
	return through
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

// figureLayer runs a figure layer on rows boards x [rows, H, W, channels], in place. The bias of a figure is added
// once, to the sum of its cells.
func (e *Evaluator) figureLayer(l *figureLayer, rows int, x []float32) {
	n, sums := e.network, e.tower[1]
	cells := n.Game.Tensor.Cells()
	e.multiply(&l.figures, rows*cells, sums, x, nil, 0, false)
	for i := range rows {
		board := sums[i*cells*n.channels : (i+1)*cells*n.channels]
		e.worker.Sums(n.sums.ToFigures, e.figures, board, l.figures.bias, n.sums.FigureScale, true)
		e.worker.Sums(n.sums.ToCells, board, e.figures, nil, n.sums.CellScale, false)
	}
	e.multiply(&l.cells, rows*cells, x, sums, x, n.channels, true)
}
