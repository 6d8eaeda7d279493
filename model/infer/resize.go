package infer

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ludus/env"
)

// Resize returns the weights as a start for training another game of the same family, such as Hex on a larger board: all
// tensors that do not depend on the size of the board are copied. The hidden layer of the outcome head has weights per
// cell: both boards are laid over each other, and each new cell gets the weights of the cells that it covers, by area. So
// an even board has the same sums on both. Rows and columns keep their meaning only if the family's tensors have the same
// planes and its moves the same kinds; otherwise Resize returns an error.
//
// Source: convolutions are the same on boards of all sizes; KataGo trains on several at once (Wu 2019, arXiv 1902.10565).
func (w *Weights) Resize(from, to *env.Game) (*Weights, error) {
	if from.Family != to.Family || from.Sheet != "" || to.Sheet != "" {
		return nil, fmt.Errorf("a network for %s, which is no other size of %s", from.Name, to.Name)
	}
	if err := w.Validate(from); err != nil {
		return nil, err
	}
	config := w.Config
	config.Game = to.Name
	resized := NewWeights(to, config, rand.New(rand.NewPCG(0, 0))) // all values are replaced
	resized.ValueScale = w.ValueScale
	if len(resized.Tensors) != len(w.Tensors) {
		return nil, fmt.Errorf("a network for %s, whose layers are others than those for %s", from.Name, to.Name)
	}
	for i, old := range w.Tensors {
		switch t := &resized.Tensors[i]; {
		case t.Name == old.Name && slices.Equal(t.Shape, old.Shape):
			copy(t.Data, old.Data)
		case t.Name == old.Name && t.Name == "outcome.hidden.weight":
			spread(t.Data, old.Data, from.Tensor, to.Tensor)
		default:
			return nil, fmt.Errorf("a network for %s, whose %q is %v; for %s it is %q %v", from.Name, old.Name, old.Shape, to.Name, t.Name, t.Shape)
		}
	}
	return resized, nil
}

// spread lays the weights old [hiddenWidth, cells of from, outcomeWidth] over the board to.
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
