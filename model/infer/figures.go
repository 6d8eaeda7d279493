package infer

import (
	"fmt"
	"math"

	"ludus/env"
	"ludus/model/infer/kernel"
)

// FigureLayers is the number of figure layers in a block that has any.
const FigureLayers = 2

// FigureLayerPrefix is the prefix of the names of a figure layer's tensors; blocks and their layers count from 0.
func FigureLayerPrefix(block, layer int) string { return fmt.Sprintf("blocks.%d.%d.", block, layer) }

// FigureSums are the sums of figure layers, for the rows of one board. ToFigures takes [cells, columns] to
// [figures, columns]: it adds up the cells of each figure. ToCells does the reverse: it adds up the figures through each
// cell.
type FigureSums struct {
	ToFigures, ToCells *kernel.Sums
	// AtFigures means that the matrices multiply sums over cells and values of figures, because there are fewer figures than
	// cells. Otherwise they multiply values of cells and sums over figures. Both are the same but for rounding.
	AtFigures bool
	// Scale of the sums over figures: 1 / sqrt(k m), k and m as in the package comment. So one layer keeps the variance of
	// independent terms of mean zero. The kept channels and the positive mean of ReLU outputs still make sums grow.
	Scale float32
}

// NewFigureSums prepares the sums for a game with figures. columns is a multiple of 8.
func NewFigureSums(game *env.Game, columns int) *FigureSums {
	return &FigureSums{
		ToFigures: kernel.NewSums(game.Figures, columns), ToCells: kernel.NewSums(throughCells(game), columns),
		AtFigures: len(game.Figures) < game.Tensor.Cells(), Scale: FigureScale(game),
	}
}

// FigureScale returns the scale of [FigureSums].
func FigureScale(game *env.Game) float32 {
	return float32(1 / math.Sqrt(float64(longest(game.Figures)*longest(throughCells(game)))))
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

// longest is the length of the longest list.
func longest(lists [][]int32) int {
	most := 1
	for _, list := range lists {
		most = max(most, len(list))
	}
	return most
}

// figureLayer is a figure layer, packed for the kernels.
type figureLayer struct{ figures, cells linear }

// figureLayer runs a figure layer on rows boards x [rows, H, W, channels], in place. It adds to the figures, or starts
// them if it is the first layer.
func (e *Evaluator) figureLayer(l *figureLayer, rows int, x []float32, first bool) {
	n, sums := e.network, e.tower[1]
	cells, figures := n.Game.Tensor.Cells(), len(n.Game.Figures)
	boardSize, figuresSize := cells*n.channels, figures*n.channels
	if n.sums.AtFigures {
		for i := range rows {
			e.kernel.Sums(n.sums.ToFigures, sums[i*figuresSize:], x[i*boardSize:], nil, 1, withoutReLU) // scale 1
		}
		before := e.figures
		if first {
			before = nil
		}
		e.multiply(&l.figures, rows*figures, e.figures, sums, before, n.channels, withReLU)
		e.multiply(&l.cells, rows*figures, sums, e.figures, nil, 0, withoutReLU) // nil: no bias
		for i := range rows {
			board := x[i*boardSize:]
			e.kernel.Sums(n.sums.ToCells, board, sums[i*figuresSize:], board, n.sums.Scale, withReLU) // plus x: the skip connection
		}
		return
	}
	e.multiply(&l.figures, rows*cells, sums, x, nil, 0, withoutReLU) // nil: no bias
	for i := range rows {
		board, figures := sums[i*boardSize:(i+1)*boardSize], e.figures[i*figuresSize:(i+1)*figuresSize]
		before := figures
		if first {
			before = nil
		}
		e.kernel.Sums(n.sums.ToFigures, figures, board, before, 1, withReLU) // scale 1
		e.kernel.Sums(n.sums.ToCells, board, figures, nil, n.sums.Scale, withoutReLU)
	}
	e.multiply(&l.cells, rows*cells, x, sums, x, n.channels, withReLU) // plus x: the skip connection
}
