package infertest

import (
	"math/rand/v2"

	"ludus/env"
	"ludus/model/infer"
)

// RandomWeights returns weights without zero tensors, so the network is far from uniform and every part of it matters. The
// network is pooled if the game's default network is.
// Equal arguments give equal weights.
func RandomWeights(game *env.Game, channels, blocks int, seed uint64) *infer.Weights {
	rng := rand.New(rand.NewPCG(seed, 0))
	config := infer.DefaultConfig(game)
	config.Channels, config.Blocks = channels, blocks
	w := infer.NewWeights(game, config, rng)
	for _, tensor := range w.Tensors {
		for i := range tensor.Data {
			tensor.Data[i] += float32(0.2 * rng.NormFloat64())
		}
	}
	return w
}
