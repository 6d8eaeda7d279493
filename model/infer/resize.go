package infer

import (
	"fmt"
	"slices"

	"ludus/env"
)

// Resize returns the weights as a network for another game of the same family, such as Hex on a larger board. All tensors
// that do not depend on the size of the board are copied: all of them if the network is pooled. Otherwise the hidden
// layer of the outcome head has weights per cell: both boards are laid over each other, and each new cell gets the weights
// of the cells that it covers, by area. So a feature that is equal on all cells gives the same hidden layer on both boards.
// Resize returns an error if inputs, kinds of moves or outcome classes differ in number. It does not compare rules.
//
// Source: convolutions are the same on boards of all sizes; KataGo trains on several at once (Wu 2019, arXiv 1902.10565).
func (w *Weights) Resize(from, to *env.Game) (*Weights, error) {
	if from.Family != to.Family || from.Sheet != "" || to.Sheet != "" {
		return nil, fmt.Errorf("a network for %s, which is no other size of %s", from.Name, to.Name)
	}
	if err := w.Validate(from); err != nil {
		return nil, err
	}
	resized := &Weights{Config: w.Config, ValueScale: w.ValueScale}
	resized.Config.Game = to.Name
	layout := layout(resized.Config, to, w.HasFigureLayers() && len(to.Figures) > 0)
	if len(layout) != len(w.Tensors) {
		return nil, misfit(from, to)
	}
	for i, old := range w.Tensors {
		t := Tensor{layout[i].name, layout[i].shape, make([]float32, product(layout[i].shape))}
		resized.Tensors = append(resized.Tensors, t)
		switch {
		case t.Name == old.Name && slices.Equal(t.Shape, old.Shape):
			copy(t.Data, old.Data)
		case t.Name == old.Name && t.Name == "outcome.hidden.weight":
			spread(t.Data, old.Data, from.Tensor, to.Tensor)
		default:
			return nil, misfit(from, to)
		}
	}
	return resized, nil
}

// misfit is the error about a network that has other inputs or outputs.
func misfit(from, to *env.Game) error {
	numbers := func(g *env.Game) string {
		return fmt.Sprintf("%d planes, %d kinds of moves on cells, %d other moves, %d outcome classes", g.Tensor.C,
			g.PolicyPlanes, g.PolicyExtras, len(g.Classes))
	}
	return fmt.Errorf("a network for %s does not fit %s, whose rules differ in more than the size of the board: "+
		"it has %s, not %s",
		from.Name, to.Name, numbers(from), numbers(to))
}

// spread computes the weights of a layer that reads all cells of a board for another board size: each cell of to gets
// the weights of the cells of from that it covers, by area. old is [hiddenWidth, cells of from, outcomeWidth].
func spread(weights, old []float32, from, to env.Shape) {
	clear(weights)
	rows, columns := overlaps(from.H, to.H), overlaps(from.W, to.W)
	for unit := range hiddenWidth {
		for cell := range to.Cells() {
			into := weights[(unit*to.Cells()+cell)*outcomeWidth:][:outcomeWidth]
			for r, high := range rows[cell/to.W] {
				for c, wide := range columns[cell%to.W] {
					if high*wide == 0 {
						continue
					}
					for k, v := range old[(unit*from.Cells()+r*from.W+c)*outcomeWidth:][:outcomeWidth] {
						into[k] += high * wide * v
					}
				}
			}
		}
	}
}

// overlaps divides a line into from and into to parts of equal length and returns, for each of the latter, which share of
// each of the former it covers.
func overlaps(from, to int) [][]float32 {
	shares := make([][]float32, to)
	for i := range shares {
		shares[i] = make([]float32, from)
		for j := range shares[i] { // in units of 1 / (from to)
			covered := min((i+1)*from, (j+1)*to) - max(i*from, j*to)
			shares[i][j] = float32(max(covered, 0)) / float32(to)
		}
	}
	return shares
}
