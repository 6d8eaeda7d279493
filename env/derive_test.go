package env_test

import (
	"slices"
	"testing"

	"ludus/env"
)

// pile is a position of Nim with one pile: players take one or two pieces in turn; whoever takes the last one wins.
type pile struct {
	left   int
	player env.Player
}

func (p *pile) Player() env.Player { return p.player }

func (p *pile) Outcome() int {
	if p.left > 0 {
		return env.Unfinished
	}
	return int(p.player.Opponent())
}

func (p *pile) Legal(dst []env.Action) []env.Action {
	return append(dst, []env.Action{0, 1}[:min(p.left, 2)]...)
}

func (p *pile) Apply(a env.Action) { p.left, p.player = p.left-int(a)-1, p.player.Opponent() }

func (p *pile) Key() env.Key { return env.Key{uint64(p.left), uint64(p.player)} }

func (p *pile) Encode(dst []float32) {
	for i := range dst {
		dst[i] = min(max(float32(p.left-i), 0), 1)
	}
}

func (p *pile) Pieces(dst []uint8) []uint8 {
	for i := range 9 {
		dst = append(dst, uint8(min(max(p.left-i, 0), 1)))
	}
	return dst
}

// quickPile also has all methods that Derive can supply, each with a recognisable result.
type quickPile struct{ pile }

func (p *quickPile) RandomAction(uint64) env.Action { return 1 }
func (p *quickPile) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	return append(dst, env.TerminalAction{Action: 7})
}
func (p *quickPile) CanonicalKey() (env.Key, int)     { return env.Key{7}, 7 }
func (p *quickPile) Goals() [2]int                    { return [2]int{7, 7} }
func (p *quickPile) WinningCells(dst []int32) []int32 { return append(dst, 7) }
func (p *quickPile) Detail() string                   { return "seven" }

func pileGame() *env.Game {
	g := &env.Game{
		Tensor: env.Shape{H: 1, W: 9}, Planes: []string{"pieces: 1 on each of the first cells"},
		PolicyNames: []string{"take one", "take two"}, PolicyExtras: 2, Classes: env.WinLoss, MaxPlies: 9,
		Drawing: env.Drawing{Rows: env.Labels("", 1, 1), Columns: env.Labels("", 1, 9), Pieces: []env.Piece{{Name: "piece", Neutral: true}}},
	}
	g.AddAction("one", env.NoCells)
	g.AddAction("two", env.NoCells)
	return g.Finish(nil)
}

func TestDerive(t *testing.T) {
	g := pileGame()
	env.Derive(g, pile{left: 3})
	s := g.NewState()
	if a, b := s.RandomAction(0), s.RandomAction(1<<63); a != 0 || b != 1 {
		t.Errorf("random actions %d and %d, want 0 and 1", a, b)
	}
	if list := s.TerminalActions(nil); list != nil {
		t.Errorf("terminal actions of three pieces: %v", list)
	}
	s.Apply(0)
	if list, want := s.TerminalActions(nil), []env.TerminalAction{{Action: 1, Outcome: 1}}; !slices.Equal(list, want) {
		t.Errorf("terminal actions %v, want %v", list, want)
	}
	s.Apply(1)
	if list := s.Legal(nil); !s.Done() || s.Outcome() != 1 || s.Goals() != [2]int{0, 100} || list != nil {
		t.Errorf("done %t, outcome %d, goals %v, legal %v", s.Done(), s.Outcome(), s.Goals(), list)
	}
	if key, symmetry := s.CanonicalKey(); key != s.Key() || symmetry != 0 || s.WinningCells(nil) != nil || s.Detail() != "" {
		t.Error("without symmetries, winning cells and a detail the defaults are others")
	}
}

func TestDeriveTakesOwnMethods(t *testing.T) {
	g := pileGame()
	env.Derive(g, quickPile{pile{left: 3}})
	s := g.NewState()
	terminal := s.TerminalActions(nil)
	key, symmetry := s.CanonicalKey()
	if s.RandomAction(0) != 1 || len(terminal) != 1 || terminal[0].Action != 7 || key[0] != 7 || symmetry != 7 ||
		s.Goals() != [2]int{7, 7} || !slices.Equal(s.WinningCells(nil), []int32{7}) || s.Detail() != "seven" {
		t.Error("Derive does not use the game's own methods")
	}
}

func TestBoard(t *testing.T) {
	g := pileGame()
	g.Players = [2]string{"a", "b"}
	env.Derive(g, pile{left: 2})
	if got, want := g.Board(g.NewState()), "1  P  P  .  .  .  .  .  .  .\n   a  b  c  d  e  f  g  h  i\na to move\n"; got != want {
		t.Errorf("board\n%swant\n%s", got, want)
	}
}
