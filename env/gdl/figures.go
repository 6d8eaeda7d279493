package gdl

import (
	"fmt"
	"slices"

	"ludus/env"
	"ludus/env/gdl/gates"
)

// Limits of figures.
const (
	minFigures     = 2       // fewer are not worth the figure layers, which take the place of convolutions
	minFigureCells = 3       // of one figure: pairs of cells are too many and say too little
	maxFigureCells = 16      // of one figure, which also has at most half of the board's cells
	maxThroughCell = 64      // figures through a cell, on average
	maxFigureSets  = 1 << 14 // before those within others are left out
)

// figures returns [env.Game.Figures]: the sets of cells on which fluents of one kind, such as one player's pieces, must be
// true together for terminal or for a goal, as four in a line or the corners of a square. Subsets of others are left out,
// and all are if they are too few or too many. Networks use figures as wiring only, so missing ones do no harm.
func (f *finder) figures(second frame) [][]int32 {
	board := 0
	for _, exists := range f.game.env.Drawing.Cells {
		if exists {
			board++
		}
	}
	list := largest(f.closed(f.conditions(min(maxFigureCells, board/2)), second))
	total := 0
	for _, cells := range list {
		total += len(cells)
	}
	if len(list) < minFigures || total > maxThroughCell*board {
		return nil
	}
	return list
}

// conditions returns the sets of cells, each of at most so many cells, in the products of terminal and the goals.
func (f *finder) conditions(most int) (list [][]int32) {
	circuit := f.game.circuit
	results := []gates.Ref{circuit.Terminal}
	for _, goals := range circuit.Goals {
		for _, goal := range goals {
			results = append(results, goal.Holds)
		}
	}
	onCell := make([]bool, len(circuit.Next))
	for i, s := range f.spots[:len(onCell)] {
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

// closed returns the closure of the sets under the symmetries and the frame; nil if it is too large.
func (f *finder) closed(list [][]int32, second frame) (all [][]int32) {
	maps := f.game.env.Symmetries // the identity is one
	if second.actions != nil {
		maps = append(slices.Clip(maps), env.Symmetry{Cells: second.cells})
	}
	known := map[string]bool{}
	add := func(cells []int32) {
		if key := fmt.Sprint(cells); !known[key] {
			known[key] = true
			all = append(all, cells)
		}
	}
	for _, cells := range list {
		add(cells)
	}
	for k := 0; k < len(all); k++ {
		if len(all) > maxFigureSets {
			return nil
		}
		for _, m := range maps {
			var image []int32
			for _, cell := range all[k] {
				image = append(image, m.Cells[cell])
			}
			slices.Sort(image)
			add(image)
		}
	}
	return all
}

// cellsByKind returns the cells of a product's fluents, a set for each kind: fluents that differ in their coordinates only.
// The cell of a fluent is the one on which the tensor shows it.
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

// largest returns the sets that are no subsets of others, in lexicographic order.
func largest(list [][]int32) (kept [][]int32) {
	slices.SortFunc(list, slices.Compare)
	through := map[int32][]int{} // by cell: sets
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
	for _, x := range b {
		if len(a) > 0 && a[0] == x {
			a = a[1:]
		}
	}
	return len(a) == 0
}
