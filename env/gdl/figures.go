package gdl

import (
	"slices"

	"ludus/env/gdl/gates"
)

// Limits of the sets of cells called figures.
const (
	minFigures     = 2       // with fewer, convolutions are better than figure layers
	minFigureCells = 3       // least cells of a figure: pairs are too many and say too little
	maxFigureCells = 16      // most cells of a figure, which also has at most half of the board's
	maxThroughCell = 64      // most figures through a cell, on average
	maxFigureSets  = 1 << 14 // most sets, counted before subsets of others are removed
)

// figures returns [env.Game.Figures]: sets of cells that matter together, such as four in a line or the corners of a
// square. A figure is a set of cells on which fluents of one kind, such as one player's pieces, must all be true for
// terminal or for a goal.
//
// Subsets of other figures are removed. If too few or too many figures remain, there are none. Networks use figures
// only to wire their layers, so a missing one does no harm.
func (f *finder) figures() [][]int32 {
	board := 0
	for _, exists := range f.game.env.Drawing.Cells {
		if exists {
			board++
		}
	}
	list := f.conditions(min(maxFigureCells, board/2))
	if len(list) > maxFigureSets {
		return nil
	}
	list = largest(list)
	total := 0
	for _, cells := range list {
		total += len(cells)
	}
	if len(list) < minFigures || total > maxThroughCell*board {
		return nil
	}
	return list
}

// conditions returns the sets of cells, of at most most cells each, on which terminal or a goal needs fluents of one
// kind.
func (f *finder) conditions(most int) (list [][]int32) {
	circuit := f.game.circuit
	results := []gates.Ref{circuit.Terminal}
	for _, goals := range circuit.Goals {
		for _, goal := range goals {
			results = append(results, goal.Holds)
		}
	}
	onCell := make([]bool, len(circuit.Next))
	for i, s := range f.spots[:len(onCell)] { // the fluents, which come first
		onCell[i] = !s.line && len(s.cells) > 0
	}
	for _, product := range circuit.Products(results, onCell) {
		sets := f.cellsByKind(product)
		if slices.ContainsFunc(sets, func(cells []int32) bool { return len(cells) > most }) {
			continue // a condition on the whole board, such as a number of pieces
		}
		for _, cells := range sets {
			if len(cells) >= minFigureCells {
				list = append(list, cells)
			}
		}
	}
	return list
}

// cellsByKind splits a conjunction of fluents by kind, and returns the cells of each kind. Fluents are of one kind if
// they differ only in their coordinates. The cell of a fluent is the one on which the tensor shows it.
func (f *finder) cellsByKind(product []int32) (sets [][]int32) {
	g := f.game
	var kinds []uint64
	for _, i := range product {
		k := slices.Index(kinds, f.spots[i].name)
		if k < 0 {
			k = len(kinds)
			kinds, sets = append(kinds, f.spots[i].name), append(sets, nil)
		}
		sets[k] = append(sets[k], g.tensor.entries[i][0].index%int32(g.env.Tensor.Cells()))
	}
	for k, cells := range sets {
		slices.Sort(cells)
		sets[k] = slices.Compact(cells)
	}
	return sets
}

// largest removes duplicates and sets that are subsets of others, and sorts the rest.
func largest(list [][]int32) (kept [][]int32) {
	slices.SortFunc(list, slices.Compare)
	list = slices.CompactFunc(list, slices.Equal)
	through := map[int32][]int{} // indices of the sets that contain a cell
	for i, cells := range list {
		for _, cell := range cells {
			through[cell] = append(through[cell], i)
		}
	}
	for i, cells := range list {
		within := func(k int) bool { return k != i && isSubset(cells, list[k]) }
		if !slices.ContainsFunc(through[cells[0]], within) {
			kept = append(kept, cells)
		}
	}
	return kept
}

// isSubset reports whether b has all elements of a; both are in ascending order.
func isSubset(a, b []int32) bool {
	return !slices.ContainsFunc(a, func(x int32) bool { _, found := slices.BinarySearch(b, x); return !found })
}
