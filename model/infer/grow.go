package infer

import (
	"fmt"
	"math/rand/v2"

	"ludus/env"
)

// Grow returns a network with more channels and blocks, or as many, that computes the same as w. The new weights are
// drawn as for a new network, but old channels do not read new ones, and new blocks add nothing; training changes that.
// Grow returns an error if w does not fit game, and for a smaller or impossible size.
//
// Source: Chen, Goodfellow and Shlens 2016, "Net2Net: Accelerating learning via knowledge transfer", with new channels
// instead of copies.
func (w *Weights) Grow(game *env.Game, channels, blocks int, rng *rand.Rand) (*Weights, error) {
	if err := w.Validate(game); err != nil {
		return nil, err
	}
	config := w.Config
	if channels < config.Channels || blocks < config.Blocks {
		return nil, fmt.Errorf("channels=%d and blocks=%d; the network has %d and %d, which can only grow", channels, blocks,
			config.Channels, config.Blocks)
	}
	config.Channels, config.Blocks = channels, blocks
	if err := config.Validate(game); err != nil {
		return nil, err
	}
	grown := newWeights(game, config, w.HasFigureLayers(), rng)
	grown.ValueScale = w.ValueScale
	for _, old := range w.Tensors {
		t := grown.Lookup(old.Name)
		if len(t.Shape) == 1 {
			copy(t.Data, old.Data)
			continue
		}
		inputs, before := t.Shape[len(t.Shape)-1], old.Shape[len(old.Shape)-1]
		for row := range len(old.Data) / before {
			into := t.Data[row*inputs:][:inputs]
			clear(into[copy(into, old.Data[row*before:][:before]):])
		}
	}
	return grown, nil
}
