package envtest

import (
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// broken is a state with one fault.
type broken struct {
	env.State
	fault string
	cells int // of the board
	scrap []env.Action
}

func (b *broken) CopyFrom(src env.State) {
	if b.fault != "shared copy" {
		b.State.CopyFrom(src.(*broken).State)
		return
	}
	b.State = src.(*broken).State
}

func (b *broken) Legal(dst []env.Action) []env.Action {
	n := len(dst)
	dst = b.State.Legal(dst)
	switch b.fault {
	case "descending":
		slices.Reverse(dst[n:])
	case "drops dst":
		return dst[n:]
	case "allocates":
		b.scrap = make([]env.Action, len(dst))
	case "forgets a move":
		if b.Player() == env.Second && len(dst)-n > 1 {
			return dst[:len(dst)-1]
		}
	}
	return dst
}

func (b *broken) RandomAction(r uint64) env.Action {
	if b.fault == "never picks the last" {
		r -= r >> 8
	}
	return b.State.RandomAction(r)
}

func (b *broken) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	n := len(dst)
	dst = b.State.TerminalActions(dst)
	switch {
	case len(dst) == n:
	case b.fault == "forgets an ending":
		return dst[:len(dst)-1]
	case b.fault == "ending of the mover" && b.Player() == env.Second:
		dst[n].Outcome = 6 - dst[n].Outcome
	}
	return dst
}

func (b *broken) Encode(dst []float32) {
	size := len(dst)
	last := dst[size-1]
	b.State.Encode(dst)
	switch b.fault {
	case "last entry unwritten":
		dst[size-1] = last
	case "no stocks of whites": // the last two planes
		clear(dst[size-2*b.cells:])
	case "lopsided": // cell 1 of plane 1
		dst[b.cells+1] = 1
	}
}

func (b *broken) Pieces(dst []uint8) []uint8 {
	n := len(dst)
	dst = b.State.Pieces(dst)
	switch {
	case b.fault == "pieces drop dst":
		return dst[n:]
	case b.fault == "hides a kind of piece":
		for i, piece := range dst[n:] {
			if piece == 3 {
				dst[n+i] = 0
			}
		}
	case b.fault == "draws the mover's pieces" && b.Player() == env.Second:
		for i, piece := range dst[n:] {
			if piece == 1 || piece == 2 {
				dst[n+i] = 3 - piece
			}
		}
	}
	return dst
}

func (b *broken) WinningCells(dst []int32) []int32 {
	n := len(dst)
	dst = b.State.WinningCells(dst)
	switch {
	case b.fault == "won before the end" && !b.Done():
		return append(dst, 5)
	case len(dst) == n:
	case b.fault == "won drops dst":
		return dst[n:]
	case b.fault == "won by another cell":
		dst[n]++
	case b.fault == "won by a cell twice":
		return append(dst, dst[n])
	case b.fault == "won by all but one":
		return dst[:len(dst)-1]
	case b.fault == "won in the lower half" && dst[n] < 4:
		return dst[:n]
	}
	return dst
}

func (b *broken) Key() env.Key {
	k := b.State.Key()
	switch b.fault {
	case "key without stocks":
		k[6] &= 1
	case "poor hash":
		return env.Key{k.Hash() & 0xff}
	}
	return k
}

func (b *broken) CanonicalKey() (env.Key, int) {
	key, symmetry := b.State.CanonicalKey()
	switch b.fault {
	case "forgets a symmetry":
		return b.Key(), 0
	case "wrong symmetry":
		return key, 0
	}
	return key, symmetry
}

func (b *broken) Outcome() int {
	if b.fault == "outcome of the mover" && b.Player() == env.First {
		return 6 - b.State.Outcome()
	}
	return b.State.Outcome()
}

// TestFaultyStates checks that a law fails for every fault of a state.
func TestFaultyStates(t *testing.T) {
	findFaults(t, "quad(size=5,quads=3,whites=2,corners=left)", map[string]string{
		"shared copy": "Copies", "descending": "Play", "drops dst": "Play", "allocates": "Allocations",
		"forgets a move": "SymmetricPlay", "last entry unwritten": "Play", "no stocks of whites": "EqualTensors",
		"lopsided": "SymmetricPlay", "key without stocks": "Keys", "poor hash": "Keys",
		"outcome of the mover": "Play", "never picks the last": "RandomAction",
		"pieces drop dst": "Drawing", "hides a kind of piece": "Drawing", "draws the mover's pieces": "Drawing",
		"forgets an ending": "TerminalActions", "ending of the mover": "TerminalActions",
		"forgets a symmetry": "CanonicalKey", "wrong symmetry": "CanonicalKey", "none": "",
	})
	findFaults(t, "quad(size=4,quads=6,whites=0,corners=full)", map[string]string{ // squares often win this game
		"won before the end": "WinningCells", "won drops dst": "WinningCells", "won by another cell": "WinningCells", "won by a cell twice": "WinningCells",
		"won by all but one": "WinningCells", "won in the lower half": "SymmetricPlay", "none": "",
	})
}

// findFaults checks that each fault breaks the named law; "" stands for none.
func findFaults(t *testing.T, name string, faults map[string]string) {
	t.Helper()
	good := games.Must(name)
	for fault, law := range faults {
		g := *good
		g.NewState = func() env.State {
			return &broken{State: good.NewState(), fault: fault, cells: good.Tensor.H * good.Tensor.W}
		}
		if found := breaches(&g); law == "" && len(found) > 0 || law != "" && !slices.Contains(found, law) {
			t.Errorf("fault %q: broken laws %v, want %s", fault, found, law)
		}
	}
}

// TestFaultyGames checks that a law fails for every fault of a game's description.
func TestFaultyGames(t *testing.T) {
	good := games.Must("breakthrough(columns=3,rows=5,captures=false)")
	for _, fault := range []struct {
		law   string
		spoil func(g *env.Game)
	}{
		{"Shape", func(g *env.Game) { g.ActionTexts[0] = g.ActionTexts[1] }},
		{"Classes", func(g *env.Game) { g.Classes[1].Utility = -0.5 }},
		{"Frames", func(g *env.Game) { g.Frame(env.Second)[0] = 1 }},
		{"Frames", func(g *env.Game) { // straight up becomes straight down, but the board is not turned
			for up, n := g.Tensor.Cells(), g.Tensor.Cells(); up < 2*n; up++ {
				g.Frame(env.Second)[up], g.Frame(env.Second)[up+3*n] = env.Action(up+3*n), env.Action(up)
			}
		}},
		{"Symmetries", func(g *env.Game) {
			s := g.Symmetries[1]
			s.Actions[3], s.Actions[4] = s.Actions[4], s.Actions[3]
		}},
		{"Figures", func(g *env.Game) { g.Figures = [][]int32{{0, 1}} }}, // without its mirror image
		{"Figures", func(g *env.Game) { g.Figures = [][]int32{{1, 0}, {5, 4}} }},
		{"Figures", func(g *env.Game) { g.Figures = [][]int32{{0, 1}, {4, 5}} }}, // not turned round
		{"Figures", func(g *env.Game) { g.Figures = [][]int32{{0, 5, 30, 35}, {0, 5, 30, 35}} }},
		{"Figures", func(g *env.Game) { g.Figures = [][]int32{{0}, {5}, {30}, {35}} }},
		{"Figures", func(g *env.Game) { g.Figures = [][]int32{{0, 36}} }},
		{"Figures", func(g *env.Game) { g.Figures = [][]int32{{-1, 5}} }},
		{"Play", func(g *env.Game) { g.MaxPlies, g.UsualPlies = 5, 5 }},
		{"Drawing", func(g *env.Game) {
			g.Drawing.Columns = slices.Clone(g.Drawing.Columns)
			slices.Reverse(g.Drawing.Columns)
		}},
		{"Drawing", func(g *env.Game) {
			g.Drawing.Pieces = slices.Clone(g.Drawing.Pieces)
			slices.Reverse(g.Drawing.Pieces)
		}},
	} {
		g := *good
		g.ActionTexts, g.Classes = slices.Clone(g.ActionTexts), slices.Clone(g.Classes)
		g.Symmetries = slices.Clone(g.Symmetries)
		g.Symmetries[1].Actions = slices.Clone(g.Symmetries[1].Actions)
		g.Finish(slices.Clone(g.Frame(env.Second)))
		fault.spoil(&g)
		if found := breaches(&g); !slices.Contains(found, fault.law) {
			t.Errorf("broken laws %v, want %s", found, fault.law)
		}
	}
}

// breaches returns the names of the laws that a game breaks.
func breaches(g *env.Game) (names []string) {
	for _, law := range laws {
		if law.check(g) != nil {
			names = append(names, law.name)
		}
	}
	return names
}

func TestPositions(t *testing.T) {
	g := games.Must("quad-5x5")
	a, b := Positions(g, 1, 100), Positions(g, 1, 100)
	if len(a) != 100 || len(b) != 100 {
		t.Fatalf("%d and %d positions, want 100", len(a), len(b))
	}
	for i := range a {
		if a[i].Done() || a[i].Key() != b[i].Key() {
			t.Fatalf("position %d is done, or not the same for the same seed", i)
		}
	}
}
