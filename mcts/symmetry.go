package mcts

import "ludus/env"

// symmetricMean averages the evaluations of a position's images under all symmetries of the game, because a network
// does not evaluate them exactly alike.
type symmetricMean struct {
	game   *env.Game
	images []image
	result evaluation // sum over the images so far, in the position's own orientation; at the end their mean
}

func newSymmetricMean(game *env.Game) *symmetricMean {
	m := &symmetricMean{game: game, images: make([]image, len(game.Symmetries))}
	tensor := make([]float32, game.Tensor.Size())
	for i := range m.images {
		m.images[i] = image{symmetry: &game.Symmetries[i], tensor: tensor}
	}
	m.result.logits, m.result.classes = make([]float32, game.NumActions()), make([]float32, len(game.Classes))
	if game.GoalHead {
		m.result.goals = make([]float32, 2)
	}
	return m
}

// addTo adds the images of a search's leaf to the pending leaves of b.
func (m *symmetricMean) addTo(b *Batcher, search *Search, leaf int, state env.State) {
	clear(m.result.logits)
	clear(m.result.classes)
	clear(m.result.goals)
	for i := range m.images {
		m.images[i].State = state
		b.pending = append(b.pending, pendingLeaf{search, leaf, &m.images[i], i})
	}
}

// add adds the evaluation of the position's image under a symmetry; images come in the order of the symmetries. It
// reports whether this was the last one; then m.result is the mean.
func (m *symmetricMean) add(symmetry int, e evaluation) (complete bool) {
	for a, to := range m.game.Symmetries[symmetry].Actions {
		m.result.logits[a] += e.logits[to]
	}
	for k, p := range e.classes {
		m.result.classes[k] += p
	}
	for i, g := range e.goals {
		m.result.goals[i] += g
	}
	if symmetry < len(m.images)-1 {
		return false
	}
	scale := 1 / float32(len(m.images))
	for _, values := range [][]float32{m.result.logits, m.result.classes, m.result.goals} {
		for i := range values {
			values[i] *= scale
		}
	}
	return true
}

// image is a position that encodes as its image under a symmetry.
type image struct {
	env.State
	symmetry *env.Symmetry
	tensor   []float32 // [C, H, W] scratch
}

// Encode implements [env.State].
func (i *image) Encode(dst []float32) {
	i.State.Encode(i.tensor)
	i.symmetry.Transform(dst, i.tensor)
}
