package learn

import (
	"math"
	"math/rand/v2"
	"slices"

	"ludus/env"
	"ludus/model"
	"ludus/train/record"
)

// sample names a training sample: the index of a position in a window, and a symmetry of the game to transform it by.
type sample struct{ position, symmetry int }

// drawSamples appends n samples drawn from w, which must hold a position. A position that w holds n times is sqrt(n) times
// as likely as one that it holds once.
func drawSamples(dst []sample, n int, w *window, rng *rand.Rand) []sample {
	for len(dst) < n {
		position := rng.IntN(w.positions)
		g, ply := w.find(position)
		if count := w.counts[g.keys[ply]]; count > 1 && rng.Float64()*math.Sqrt(float64(count)) >= 1 {
			continue // reject, so a repeated position is accepted with probability 1 / sqrt(count)
		}
		dst = append(dst, sample{position, rng.IntN(len(w.game.Symmetries))})
	}
	return dst
}

// sampler writes samples as rows of a batch. It is not safe for concurrent use.
type sampler struct {
	game    *env.Game
	state   env.State
	start   env.State
	tensor  []float32
	legal   []env.Action
	policy  []float32
	classes []float32
}

// newSampler returns a sampler for positions of game.
func newSampler(game *env.Game) *sampler {
	return &sampler{
		game: game, state: game.NewState(), start: game.NewState(),
		tensor: make([]float32, game.Tensor.Size()), classes: make([]float32, len(game.Classes)),
	}
}

// write writes a sample of w to row i of the batch, in the mover's frame: the position's tensor and targets and, if a ply
// follows, that ply's policy target as the reply. valueMix is the share of the search's class distribution in the outcome
// target.
func (s *sampler) write(batch *model.Batch, i int, w *window, x sample, valueMix float64) {
	g, ply := w.find(x.position)
	turn := &s.game.Symmetries[x.symmetry]
	p, mover := &g.Plies[ply], g.movers[ply]
	actions, classes := s.game.NumActions(), len(s.game.Classes)

	row := func(x []float32) []float32 { return x[i*actions : (i+1)*actions] }
	frame := s.game.Frame(mover)
	batch.ReplyWeight[i] = 0
	s.state.CopyFrom(s.start)
	for at, p := range g.Positions(s.state) {
		if at == ply {
			s.state.Encode(s.tensor)
			turn.Transform(batch.Inputs[i*len(s.tensor):(i+1)*len(s.tensor)], s.tensor)
			batch.PolicyWeight[i] = s.writePolicy(row(batch.LegalMask), row(batch.Policy), p, frame, turn)
		}
		if at > ply {
			batch.ReplyWeight[i] = s.writePolicy(row(batch.ReplyMask), row(batch.Reply), p, frame, turn)
			break
		}
	}

	mix := float32(valueMix)
	if p.Proven >= 0 {
		mix = 0 // the class is exact, so the search's distribution is not needed
	}
	target := batch.Outcome[i*classes : (i+1)*classes]
	clear(target)
	s.addOutcome(target, 1-mix, g, ply, mover)
	if mix > 0 {
		p.Classes.Normalise(s.classes)
		for k, q := range s.classes {
			target[k] += mix * q
		}
	}
	goals := env.ByPlayer(mover, g.Goals) // the mover's goal first
	batch.Goals[2*i], batch.Goals[2*i+1] = float32(goals[0])/100, float32(goals[1])/100
}

// writePolicy writes the mask of legal actions and the policy target [A] of ply p, whose position is s.state. Absolute
// action a stands at turn.Actions[frame[a]]. It returns the target's weight, 1 or 0.
func (s *sampler) writePolicy(mask, target []float32, p *record.Ply, frame []env.Action, turn *env.Symmetry) (weight float32) {
	s.legal = s.state.Legal(s.legal[:0])
	s.policy = slices.Grow(s.policy[:0], len(s.legal))[:len(s.legal)]
	p.Policy.Normalise(s.policy)
	clear(mask)
	clear(target)
	for j, a := range s.legal {
		to := turn.Actions[frame[a]]
		mask[to], target[to] = 1, s.policy[j]
	}
	if p.TrainPolicy {
		weight = 1
	}
	return weight
}

// addOutcome adds share times a ply's outcome target to target [K], which is in the frame of mover. The part of the ply's
// own search is not included.
func (s *sampler) addOutcome(target []float32, share float32, g *windowGame, ply int, mover env.Player) {
	label := g.labels[ply]
	if label < 0 {
		target[s.game.ClassFor(mover, g.Outcome)] += share
		return
	}
	p, player := &g.Plies[label], g.movers[label]
	if p.Proven >= 0 {
		target[s.game.ClassFor(mover, s.game.ClassFor(player, int(p.Proven)))] += share
		return
	}
	p.Classes.Normalise(s.classes)
	for k, q := range s.classes {
		target[s.game.ClassFor(mover, s.game.ClassFor(player, k))] += share * q // player's class to First's to mover's
	}
}
