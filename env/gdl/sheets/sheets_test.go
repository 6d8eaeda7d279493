package sheets_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl/interpreter"
	"ludus/env/gdl/sheets"
)

// TestNatives plays random games by the sheets, with the slow interpreter, and by the native rules. The native games
// agree with the referee's transcripts.
func TestNatives(t *testing.T) {
	for sheet, name := range sheets.Natives {
		t.Run(sheet, func(t *testing.T) {
			t.Parallel()
			g := games.Must(name)
			o, err := interpreter.New(t.Context(), sheets.Text(sheet), interpreter.MaxTerms)
			if err != nil {
				t.Fatal(err)
			}
			n := 6
			if testing.Short() {
				n = 2
			}
			for i := range n {
				compareGame(t, g, o, rand.New(rand.NewPCG(uint64(i), 1)))
			}
		})
	}
}

// compareGame plays one random game on both.
func compareGame(t *testing.T, g *env.Game, o *interpreter.Game, rng *rand.Rand) {
	p, err := o.Start()
	if err != nil {
		t.Fatal(err)
	}
	s := g.NewState()
	for !s.Done() {
		if p.Terminal() {
			t.Fatalf("the sheet ends the game\n%s", g.Board(s))
		}
		legal := s.Legal(nil)
		texts := g.Texts(legal)
		slices.Sort(texts)
		mover := int(s.Player())
		if got := p.Legal(o.Roles[mover]); !slices.Equal(got, texts) {
			t.Fatalf("the sheet's legal moves are %v, want %v\n%s", got, texts, g.Board(s))
		}
		if got := p.Legal(o.Roles[1-mover]); !slices.Equal(got, []string{"noop"}) {
			t.Fatalf("the other player's legal moves are %v", got)
		}
		a := legal[rng.IntN(len(legal))]
		moves := []string{"noop", "noop"}
		moves[mover] = g.ActionTexts[a]
		if p, err = p.Next(moves); err != nil {
			t.Fatal(err)
		}
		s.Apply(a)
	}
	if !p.Terminal() {
		t.Fatalf("the sheet does not end the game\n%s", g.Board(s))
	}
	for i, goal := range s.Goals() {
		if got := p.Goals(o.Roles[i]); !slices.Equal(got, []int{goal}) {
			t.Fatalf("the sheet's goals of %s are %v, want %d\n%s", o.Roles[i], got, goal, g.Board(s))
		}
	}
}

// TestPlay plays a random game of every sheet: each player always has a move, and one goal at the end.
func TestPlay(t *testing.T) {
	for _, name := range sheets.Names() {
		o, err := interpreter.New(t.Context(), sheets.Text(name), interpreter.MaxTerms)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		p, err := o.Start()
		plies := 0
		for ; err == nil && !p.Terminal(); plies++ {
			moves := p.Random(rng)
			if moves == nil {
				t.Fatalf("%s: a player has no move in %v", name, p.True())
			}
			p, err = p.Next(moves)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, role := range o.Roles {
			if n := len(p.Goals(role)); n != 1 {
				t.Errorf("%s: %d goals of %s", name, n, role)
			}
		}
		t.Logf("%s: %d plies", name, plies)
	}
}
