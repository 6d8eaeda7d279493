// Package envtest is the conformance suite of package env: every game runs [Run] in its tests.
//
// The suite knows nothing of a game's rules. It plays random games and checks what package env promises of every game:
// legal lists, drawings, copies, keys, classes and goals, texts, the mover's frame, symmetries, tensors and the cost of a warm
// game. Rules are for a game's own tests: counts, transcripts, positions worked out by hand.
package envtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env"
)

// laws are what every game keeps. A law returns the first breach.
var laws = []struct {
	name  string
	check func(g *env.Game) error
}{
	{"Shape", checkShape},
	{"Classes", checkClasses},
	{"Frames", checkFrames},
	{"Symmetries", checkSymmetries},
	{"Drawing", checkDrawing},
	{"WonBy", checkWonBy},
	{"Play", checkPlay},
	{"Pick", checkPick},
	{"Endings", checkEndings},
	{"Copies", checkCopies},
	{"Keys", checkKeys},
	{"SymmetricPlay", checkSymmetricPlay},
	{"Canonical", checkCanonical},
	{"EqualTensors", checkEqualTensors},
	{"Allocations", checkAllocations},
}

// Run checks every law of package env on game g, each in a subtest of its own. The same game is always checked in the
// same way.
func Run(t *testing.T, g *env.Game) {
	for _, law := range laws {
		t.Run(law.name, func(t *testing.T) {
			if err := law.check(g); err != nil {
				t.Errorf("%s: %v", g.Name, err)
			}
		})
	}
}

// Positions returns n unfinished positions of random games, each its own copy.
func Positions(g *env.Game, seed uint64, n int) []env.State {
	rng := rand.New(rand.NewPCG(seed, 0))
	var list []env.State
	for len(list) < n {
		w := newWalk(g)
		for ; !w.state.Done() && len(list) < n; w.step(rng) {
			list = append(list, clone(g, w.state))
		}
	}
	return list
}

// walk is a game being played, with its moves so far.
type walk struct {
	game  *env.Game
	state env.State
	moves []env.Action
	legal []env.Action
}

func newWalk(g *env.Game) *walk { return &walk{game: g, state: g.NewState()} }

// step plays a random legal move.
func (w *walk) step(rng *rand.Rand) {
	w.legal = w.state.Legal(w.legal[:0])
	w.play(w.legal[rng.IntN(len(w.legal))])
}

func (w *walk) play(a env.Action) {
	w.state.Apply(a)
	w.moves = append(w.moves, a)
}

// errorf is an error that tells the moves that lead to the position.
func (w *walk) errorf(format string, args ...any) error {
	texts := make([]string, len(w.moves))
	for i, a := range w.moves {
		texts[i] = w.game.ActionTexts[a]
	}
	return fmt.Errorf("%s\nafter %s", fmt.Sprintf(format, args...), strings.Join(texts, " "))
}

// eachPosition plays n random games and visits every position, the last ones included.
func eachPosition(g *env.Game, n int, visit func(w *walk) error) error {
	for i := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		w := newWalk(g)
		for {
			if err := visit(w); err != nil {
				return err
			}
			if w.state.Done() {
				break
			}
			w.step(rng)
		}
	}
	return nil
}

// clone is an independent copy of s.
func clone(g *env.Game, s env.State) env.State {
	c := g.NewState()
	c.CopyFrom(s)
	return c
}

// tensor is the mover's tensor of s.
func tensor(g *env.Game, s env.State) []float32 {
	x := make([]float32, g.Tensor.Size())
	s.Encode(x)
	return x
}

// inFrame are the legal actions in the mover's frame, ascending.
func inFrame(g *env.Game, s env.State) []env.Action { return mapped(s.Legal(nil), g.Frame(s.Player())) }

// mapped applies a permutation to each action and sorts the result.
func mapped(actions, by []env.Action) []env.Action {
	list := make([]env.Action, len(actions))
	for i, a := range actions {
		list[i] = by[a]
	}
	slices.Sort(list)
	return list
}
