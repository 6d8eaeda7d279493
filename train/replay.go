package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"ludus/env"
	"ludus/model"
	"ludus/train/suite"
)

// The replay window grows by a power law with exponent windowExponent and initial slope windowSlope (KataGo: Wu 2019,
// appendix C), up to maxWindow positions, about 100 MB.
const (
	windowExponent = 0.65
	windowSlope    = 0.4
	maxWindow      = 500_000
)

// windowSize returns W(n), the number of positions that a window should hold after n were added in total:
//
//	W(n) = c + 0.4 (n^0.65 - c^0.65) / (0.65 c^-0.35) for n > c, otherwise n,
//
// but at most the larger of c and most.
func windowSize(n, c, most int) int {
	if n <= c {
		return n
	}
	start := float64(c)
	grown := math.Pow(float64(n), windowExponent) - math.Pow(start, windowExponent)
	size := int(start + windowSlope*grown/(windowExponent*math.Pow(start, windowExponent-1)))
	return min(size, max(c, most))
}

// windowGame is a finished game in a window.
type windowGame struct {
	*record
	movers []env.Player // who moves at each searched ply
	keys   []uint64     // hash of the canonical key of each searched position
	labels []int        // by searched ply: the later ply, or the same, that gives its outcome target; see labelsOf
	first  int          // number of its first position in the window
}

// mistakeLoss is the least utility that a drawn move loses, by the search's values before and after it, for the move to
// count as a mistake.
const mistakeLoss = 0.3

// labelsOf returns, for each searched ply, the ply whose value is its outcome target, or -1 for the outcome of the game.
// This is the first ply from there on that is proven or whose move is a mistake of exploration, because what came after
// a mistake says nothing about the plies before it. Source: lc0's rescorer.
func labelsOf(game *env.Game, r *record, movers []env.Player) []int {
	labels := make([]int, len(r.plies))
	label := -1
	after := game.UtilityFor(env.First, r.outcome) // First's utility after ply i
	for i := len(r.plies) - 1; i >= 0; i-- {
		p := &r.plies[i]
		value := movers[i].Sign() * p.value(game)
		if p.proven >= 0 || p.explored && movers[i].Sign()*(value-after) > mistakeLoss {
			label = i
		}
		labels[i], after = label, value
	}
	return labels
}

// window holds the newest games of the training or the validation set: the fewest with a given number of positions.
type window struct {
	game      *env.Game
	games     []windowGame
	positions int
	keepOut   bool             // positions of suite.KeptOut are neither samples nor replies
	trainable int              // positions, without those that are kept out
	counts    map[uint64]int32 // how often the window holds each position, by its windowGame.keys
}

// add appends games and then drops the oldest games that are not needed to hold size positions. It returns the growth
// of the weight of all positions: a position that the window holds n times has the weight sqrt(n), so that frequent ones
// do not crowd out the others.
func (w *window) add(games []*record, size int) (weight float64) {
	if w.counts == nil {
		w.counts = map[uint64]int32{}
	}
	for _, r := range games {
		movers, keys := replay(w.game, r)
		w.games = append(w.games, windowGame{record: r, movers: movers, keys: keys, labels: labelsOf(w.game, r, movers)})
		w.positions += len(r.plies)
		for _, key := range keys {
			if w.keptOut(key) {
				continue
			}
			w.trainable++
			n := float64(w.counts[key])
			weight += math.Sqrt(n+1) - math.Sqrt(n)
			w.counts[key]++
		}
	}
	drop := 0
	for drop < len(w.games) && w.positions-len(w.games[drop].plies) >= size {
		w.positions -= len(w.games[drop].plies)
		for _, key := range w.games[drop].keys {
			if w.keptOut(key) {
				continue
			}
			w.trainable--
			if w.counts[key]--; w.counts[key] == 0 {
				delete(w.counts, key)
			}
		}
		drop++
	}
	w.games = append(w.games[:0:0], w.games[drop:]...)
	first := 0
	for i := range w.games {
		w.games[i].first = first
		first += len(w.games[i].plies)
	}
	return weight
}

// keptOut reports whether the window keeps the position with this hash of its canonical key out of training.
func (w *window) keptOut(key uint64) bool { return w.keepOut && suite.KeptOut(key) }

// moversOf returns the player to move at each searched ply of r.
func moversOf(game *env.Game, r *record) []env.Player {
	movers, _ := replay(game, r)
	return movers
}

// replay returns the player to move at each searched ply of r, and the hash of the position's canonical key.
func replay(game *env.Game, r *record) (movers []env.Player, keys []uint64) {
	state := game.NewState()
	for _, a := range r.opening {
		state.Apply(a)
	}
	movers, keys = make([]env.Player, len(r.plies)), make([]uint64, len(r.plies))
	for i := range r.plies {
		key, _ := state.CanonicalKey()
		movers[i], keys[i] = state.Player(), key.Hash()
		state.Apply(r.plies[i].action)
	}
	return movers, keys
}

// records returns the games of the window, oldest first.
func (w *window) records() []*record {
	all := make([]*record, len(w.games))
	for i := range w.games {
		all[i] = w.games[i].record
	}
	return all
}

// find returns the game and the searched ply of a position; position 0 is the oldest in the window.
func (w *window) find(position int) (*windowGame, int) {
	k := sort.Search(len(w.games), func(k int) bool { return w.games[k].first > position }) - 1
	return &w.games[k], position - w.games[k].first
}

// sample is a training sample: a position of a window, transformed by one of the game's symmetries.
type sample struct{ position, symmetry int }

// drawSamples appends n samples drawn from w, which must hold a position that is not kept out. A position that w holds n times is sqrt(n) times as likely as one that it
// holds once.
func drawSamples(dst []sample, n int, w *window, rng *rand.Rand) []sample {
	for len(dst) < n {
		position := rng.IntN(w.positions)
		g, ply := w.find(position)
		if w.keptOut(g.keys[ply]) {
			continue
		}
		if count := w.counts[g.keys[ply]]; count > 1 && rng.Float64()*math.Sqrt(float64(count)) >= 1 {
			continue // accepted with probability 1 / sqrt(count)
		}
		dst = append(dst, sample{position, rng.IntN(len(w.game.Symmetries))})
	}
	return dst
}

// sampler writes samples to batches. It is not safe for concurrent use.
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

// write sets row i of the batch to a sample of w, in the mover's frame: the tensor and targets of the position and, if a ply
// follows, the policy target of that ply as the reply. valueMix is the share of the search's class distribution in the
// outcome target.
func (e *sampler) write(batch *model.Batch, i int, w *window, s sample, valueMix float64) {
	g, ply := w.find(s.position)
	turn := &e.game.Symmetries[s.symmetry]
	e.state.CopyFrom(e.start)
	for _, a := range g.opening {
		e.state.Apply(a)
	}
	for _, p := range g.plies[:ply] {
		e.state.Apply(p.action)
	}
	p, mover := &g.plies[ply], g.movers[ply]
	actions, classes := e.game.NumActions(), len(e.game.Classes)

	e.state.Encode(e.tensor)
	turn.Transform(batch.Inputs[i*len(e.tensor):(i+1)*len(e.tensor)], e.tensor)

	row := func(x []float32) []float32 { return x[i*actions : (i+1)*actions] }
	frame := e.game.Frame(mover)
	batch.PolicyWeight[i] = e.writePolicy(row(batch.LegalMask), row(batch.Policy), p, frame, turn)
	batch.ReplyWeight[i] = 0
	if ply+1 < len(g.plies) && !w.keptOut(g.keys[ply+1]) {
		e.state.Apply(p.action)
		batch.ReplyWeight[i] = e.writePolicy(row(batch.ReplyMask), row(batch.Reply), &g.plies[ply+1], frame, turn)
	}

	target := batch.Outcome[i*classes : (i+1)*classes]
	clear(target)
	mix := float32(valueMix)
	if p.proven >= 0 {
		mix = 0 // the label is exact
	}
	e.addOutcome(target, 1-mix, g, ply, mover)
	if mix > 0 {
		normalise(e.classes, p.classes)
		for k, q := range e.classes {
			target[k] += mix * q
		}
	}
	goals := env.ByPlayer(mover, g.goals) // the mover's first
	batch.Goals[2*i], batch.Goals[2*i+1] = float32(goals[0])/100, float32(goals[1])/100
}

// writePolicy sets a row's mask of legal actions and its target [A] to those of ply p, whose position is e.state: absolute
// action a stands at turn.Actions[frame[a]]. It returns the weight of the target, 1 or 0.
func (e *sampler) writePolicy(mask, target []float32, p *ply, frame []env.Action, turn *env.Symmetry) (weight float32) {
	e.legal = e.state.Legal(e.legal[:0])
	e.policy = slices.Grow(e.policy[:0], len(e.legal))[:len(e.legal)]
	normalise(e.policy, p.policy)
	clear(mask)
	clear(target)
	for j, a := range e.legal {
		to := turn.Actions[frame[a]]
		mask[to], target[to] = 1, e.policy[j]
	}
	if p.trainPolicy {
		weight = 1
	}
	return weight
}

// addOutcome adds share times the outcome target of a ply, without the part of its own search, to target [K], which is
// in the frame of mover.
func (e *sampler) addOutcome(target []float32, share float32, g *windowGame, ply int, mover env.Player) {
	label := g.labels[ply]
	if label < 0 {
		target[e.game.ClassFor(mover, g.outcome)] += share
		return
	}
	p, player := &g.plies[label], g.movers[label]
	if p.proven >= 0 {
		target[e.game.ClassFor(mover, e.game.ClassFor(player, int(p.proven)))] += share
		return
	}
	normalise(e.classes, p.classes)
	for k, q := range e.classes {
		target[e.game.ClassFor(mover, e.game.ClassFor(player, k))] += share * q
	}
}
