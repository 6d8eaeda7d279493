package train

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/rundir"
)

// How a game of self-play starts. Without a varied start self-play collapses to one game.
const (
	emptyStart  = 0.50 // share of games from the starting position
	randomStart = 0.25 // after some random plies; the rest: after a few plies drawn from the network's policy
	driftPlies  = 6    // at most this many of the latter
	driftHeat   = 1.5  // their temperature
	deepestOpen = 0.60 // openings go no deeper than this share of the mean length of a game
)

// slot plays one game after another. It has one owner at a time; what survives a generation is its generator and the
// record of its unfinished game.
type slot struct {
	game     *env.Game
	settings *rundir.Settings
	search   *mcts.Search
	pcg      *rand.PCG
	rng      *rand.Rand

	rec     *record
	state   env.State
	opened  bool // the opening of rec is complete
	drift   int  // plies of the opening still to be drawn from the policy
	explore int  // searched plies still to be drawn rather than chosen

	searching bool
	waiting   bool         // for the evaluation of leaf
	leaf      int          // of the search
	left      int          // plies to play in this generation
	meanPlies float64      // mean length of the games so far
	finished  []*record    // games that ended in this generation
	simulated int          // simulations of this generation
	weights   []float64    // scratch
	legal     []env.Action // scratch
	target    []float32    // [A] scratch
	classes   []float32    // [K] scratch
}

func newSlot(game *env.Game, settings *rundir.Settings, seed uint64, index int) *slot {
	pcg := newPCG(seed, "slot", index)
	return &slot{
		game: game, settings: settings, pcg: pcg, rng: rand.New(pcg), rec: &record{}, state: game.NewState(),
		target: make([]float32, game.NumActions()), classes: make([]float32, len(game.Classes)),
	}
}

// advance moves the slot on until a leaf waits for its evaluation (true) or its plies are played (false).
func (s *slot) advance() bool {
	for {
		switch {
		case s.searching:
			if leaf, ok := s.search.Select(); ok {
				s.leaf, s.waiting = leaf, true
				return true
			}
			s.searching = false
			s.simulated += s.search.Simulations()
			if s.opened {
				s.playPly()
			} else {
				s.playDrift()
			}
		case s.left == 0:
			return false
		case !s.opened && s.drift == 0:
			s.open()
		case !s.opened:
			s.start(0, nil) // the root's evaluation alone
		default:
			s.start(s.settings.Simulations, s.rng)
		}
	}
}

func (s *slot) start(simulations int, rng *rand.Rand) {
	s.search.Start(s.state, simulations, rng)
	s.searching = true
}

// open draws how the next game starts, and plays its random plies.
func (s *slot) open() {
	deepest := max(1, int(deepestOpen*s.meanPlies))
	s.rec.opening = s.rec.opening[:0]
	s.state = s.game.NewState()
	r := s.rng.Float64()
	switch {
	case r < emptyStart:
	case r < emptyStart+randomStart:
		for range 1 + s.rng.IntN(deepest) {
			s.legal = s.state.Legal(s.legal[:0])
			s.playOpening(s.legal[s.rng.IntN(len(s.legal))])
			if s.state.Done() {
				return // try again
			}
		}
	default:
		s.drift = 1 + s.rng.IntN(min(driftPlies, deepest))
		return
	}
	s.beginSearched()
}

func (s *slot) playOpening(a env.Action) {
	s.state.Apply(a)
	s.rec.opening = append(s.rec.opening, a)
}

// playDrift plays one ply of the opening, drawn from the network's policy at a temperature.
func (s *slot) playDrift() {
	moves := s.search.Moves()
	s.weights = s.weights[:0]
	for i := range moves {
		s.weights = append(s.weights, math.Pow(float64(moves[i].Prior), 1/driftHeat))
	}
	s.playOpening(moves[draw(s.rng, s.weights)].Action)
	s.drift--
	if s.state.Done() {
		s.drift = 0 // not opened: open tries again
	} else if s.drift == 0 {
		s.beginSearched()
	}
}

func (s *slot) beginSearched() {
	s.opened = true
	s.explore = s.settings.ExplorationPlies
	if s.explore > 2 {
		s.explore += s.rng.IntN(5) - 2
	}
}

// playPly records the finished search and plays its move.
func (s *slot) playPly() {
	actions := s.search.Actions()
	target, classes := s.target[:len(actions)], s.classes
	p := ply{proven: -1, teaches: s.search.PolicyTarget(target) > 0}
	if class, ok := s.search.Proven(); ok {
		p.proven = int8(class)
	}
	choice := s.choose(actions, target)
	p.action = actions[choice]
	s.search.MoveClasses(classes, choice)
	shares := quantise(quantise(make([]uint16, 0, len(target)+len(classes)), target), classes)
	p.policy, p.classes = shares[:len(target):len(target)], shares[len(target):]
	s.rec.plies = append(s.rec.plies, p)
	s.state.Apply(p.action)
	s.left--
	if s.state.Done() {
		s.rec.done, s.rec.outcome, s.rec.goals = true, s.state.Outcome(), s.state.Goals()
		s.finished = append(s.finished, s.rec)
		s.rec, s.opened = &record{}, false
	}
}

// choose returns the index of the action to play: drawn from the policy target mixed with the uniform distribution while
// the game is to be varied, then the search's best.
func (s *slot) choose(actions []env.Action, target []float32) int {
	if s.explore > 0 {
		s.explore--
		s.weights = s.weights[:0]
		for _, p := range target {
			s.weights = append(s.weights, (1-s.settings.ExplorationFraction)*float64(p)+s.settings.ExplorationFraction/float64(len(actions)))
		}
		return draw(s.rng, s.weights)
	}
	return slices.Index(actions, s.search.Best())
}

// draw returns an index with a probability proportional to its weight.
func draw(rng *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x := rng.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// append writes what survives a generation.
func (s *slot) append(dst []byte) []byte {
	state, err := s.pcg.MarshalBinary()
	if err != nil {
		panic("train: " + err.Error()) // a PCG always marshals
	}
	dst = binary.AppendUvarint(dst, uint64(len(state)))
	dst = append(dst, state...)
	opened := byte(0)
	if s.opened {
		opened = 1
	}
	dst = append(dst, opened)
	dst = binary.AppendUvarint(dst, uint64(s.explore))
	return s.rec.append(dst)
}

// slot reads what slot.append wrote into s.
func (r *reader) slot(s *slot) {
	state := r.bytes(r.uvarint(1 << 10))
	if r.err == nil {
		if err := s.pcg.UnmarshalBinary(state); err != nil {
			r.fail("generator: %v", err)
		}
	}
	s.opened = r.bytes(1)[0] == 1
	s.explore = r.uvarint(1 << 20)
	s.rec = r.record()
	if r.err != nil || s.rec.done {
		r.fail("its game is finished")
		return
	}
	s.state = s.game.NewState()
	for _, a := range s.rec.moves() {
		s.state.Apply(a)
	}
}

// marshalSlots writes the slots' generators and unfinished games.
func marshalSlots(slots []*slot) []byte {
	var data []byte
	for _, s := range slots {
		data = s.append(data)
	}
	return data
}

// unmarshalSlots reads into slots what marshalSlots wrote for as many.
func unmarshalSlots(game *env.Game, data []byte, slots []*slot) error {
	r := &reader{game: game, data: data}
	for i, s := range slots {
		if r.slot(s); r.err != nil {
			return fmt.Errorf("slot %d: %w", i, r.err)
		}
	}
	if len(r.data) > 0 {
		r.fail("%d bytes are left over", len(r.data))
	}
	return r.err
}
