package envtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env"
)

// laws are what every game must satisfy. A law's check returns an error about the first violation.
var laws = []struct {
	name  string
	check func(g *env.Game) error
}{
	{"Shape", checkShape},
	{"Classes", checkClasses},
	{"Frames", checkFrames},
	{"Symmetries", checkSymmetries},
	{"Figures", checkFigures},
	{"Drawing", checkDrawing},
	{"WinningCells", checkWinningCells},
	{"Play", checkPlay},
	{"Length", checkLength},
	{"RandomAction", checkRandomAction},
	{"TerminalActions", checkTerminalActions},
	{"Copies", checkCopies},
	{"Keys", checkKeys},
	{"SymmetricPlay", checkSymmetricPlay},
	{"CanonicalKey", checkCanonicalKey},
	{"EqualTensors", checkEqualTensors},
	{"Allocations", checkAllocations},
}

// Run checks every law of package env on game g, each in a subtest. It plays the same random games every time.
func Run(t *testing.T, g *env.Game) {
	for _, law := range laws {
		t.Run(law.name, func(t *testing.T) {
			if err := law.check(g); err != nil {
				t.Errorf("%s: %v", g.Name, err)
			}
		})
	}
}

// Positions returns n unfinished positions of random games, each an independent copy.
func Positions(g *env.Game, seed uint64, n int) []env.State {
	rng := rand.New(rand.NewPCG(seed, 0))
	var list []env.State
	for len(list) < n {
		w := newWalk(g)
		for ; !w.State.Done() && len(list) < n; w.step(rng) {
			list = append(list, g.Copy(w.State))
		}
	}
	return list
}

// RandomPosition returns the position after so many random moves, or fewer where another one would end the game.
func RandomPosition(g *env.Game, rng *rand.Rand, plies int) env.State {
	state := g.NewState()
	for range plies {
		legal := state.Legal(nil)
		next := g.After(state, legal[rng.IntN(len(legal))])
		if next.Done() {
			break
		}
		state = next
	}
	return state
}

// walk is a game in progress.
type walk struct {
	*env.Replayer
	game *env.Game
}

func newWalk(g *env.Game) *walk { return &walk{env.NewReplayer(g), g} }

// step plays a random legal move.
func (w *walk) step(rng *rand.Rand) { _ = w.Play(w.Legal[rng.IntN(len(w.Legal))]) }

// errorf returns an error that lists the moves of the game.
func (w *walk) errorf(format string, args ...any) error {
	return fmt.Errorf("%s\nafter %s", fmt.Sprintf(format, args...), strings.Join(w.game.Texts(w.Moves), " "))
}

// eachPosition plays n random games, fewer if games are long or boards large, and visits every position, including the
// final ones.
func eachPosition(g *env.Game, n int, visit func(w *walk) error) error {
	for i := range max(2, n*75*49/max(75, g.MaxPlies)/max(49, g.Tensor.Cells())) {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		for w := newWalk(g); ; w.step(rng) {
			if err := visit(w); err != nil {
				return err
			}
			if w.State.Done() {
				break
			}
		}
	}
	return nil
}

// tensor returns the mover's tensor of s.
func tensor(g *env.Game, s env.State) []float32 {
	x := make([]float32, g.Tensor.Size())
	s.Encode(x)
	return x
}

// inFrame returns the legal actions in the mover's frame, ascending.
func inFrame(g *env.Game, s env.State) []env.Action { return mapped(s.Legal(nil), g.Frame(s.Player())) }

// mapped returns the images of actions under a permutation, ascending.
func mapped(actions, by []env.Action) []env.Action {
	list := make([]env.Action, len(actions))
	for i, a := range actions {
		list[i] = by[a]
	}
	slices.Sort(list)
	return list
}
