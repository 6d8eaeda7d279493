package bench

import (
	"math/rand/v2"

	"ludus/env"
	"ludus/model"
)

// positions returns n unfinished positions of random games.
func positions(game *env.Game, n int) []env.State {
	rng, state := newRand(), game.NewState()
	var list []env.State
	for len(list) < n {
		list = append(list, game.NewState())
		list[len(list)-1].CopyFrom(state)
		legal := state.Legal(nil)
		state.Apply(legal[rng.IntN(len(legal))])
		if state.Done() {
			state = game.NewState()
		}
	}
	return list
}

// encoded returns the tensors [n, C, H, W] of n positions.
func encoded(game *env.Game, n int) []float32 {
	size := game.Tensor.Size()
	inputs := make([]float32, n*size)
	for i, s := range positions(game, n) {
		s.Encode(inputs[i*size : (i+1)*size])
	}
	return inputs
}

// randomBatch returns a batch of n samples with random moves and outcomes as targets.
func randomBatch(game *env.Game, n int) *model.Batch {
	b, rng := model.NewBatch(game, n), newRand()
	copy(b.Inputs, encoded(game, n))
	actions, classes := game.NumActions(), len(game.Classes)
	for i, s := range positions(game, n) {
		legal, frame := s.Legal(nil), game.Frame(s.Player())
		for _, a := range legal {
			b.LegalMask[i*actions+int(frame[a])] = 1
		}
		b.Policy[i*actions+int(frame[legal[rng.IntN(len(legal))]])] = 1
		b.PolicyWeight[i] = 1
		copy(b.ReplyMask[i*actions:(i+1)*actions], b.LegalMask[i*actions:])
		copy(b.Reply[i*actions:(i+1)*actions], b.Policy[i*actions:])
		b.ReplyWeight[i] = 1
		b.Outcome[i*classes+rng.IntN(classes)] = 1
	}
	return b
}

// newRand returns a generator with a fixed seed.
func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) }
