package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/env"
)

// fakeBook knows positions in which two moves or fewer were played: the last legal move is the best.
type fakeBook struct {
	game   *env.Game
	second float64 // value of the second move; that of the best one is 0.5
	proven bool
	lost   bool // with proven
}

func (f *fakeBook) Analysis(state env.State) *Analysis {
	legal := state.Legal(nil)
	if len(legal) < len(f.game.NewState().Legal(nil))-2 {
		return nil
	}
	a := &Analysis{Player: state.Player(), Value: new(0.5), Proven: f.proven}
	last := len(legal) - 1
	a.Moves = []MoveInfo{{Action: legal[last], Value: new(0.5)}, {Action: legal[last-1], Value: new(f.second)}}
	if f.proven {
		a.Value, a.Moves[0].Value = new(1.), new(1.)
	}
	if f.lost {
		a.Value = new(-1.)
	}
	return a
}

func (*fakeBook) Digest() string { return "digest" }

// withBook returns the factory of a spec with a fake book.
func withBook(t *testing.T, game *env.Game, spec string, b *fakeBook) *Factory {
	t.Helper()
	b.game = game
	return parse(t, game, spec).WithBooks(func(g *env.Game, path string) (Book, error) {
		if g != game || path != "a.book" {
			t.Errorf("book %s of %s", path, g.Name)
		}
		return b, nil
	})
}

// Agents with a book play its moves as long as it has the position, in matches and in choosers, too, and then search.
func TestBookMoves(t *testing.T) {
	game := quad()
	for _, text := range []string{"net:1,sims=20", "net:1,sims=20,search=puct", "policy:1", "net:1,sims=20,solve=2000",
		"mcts:30", "alphabeta:2", "solver:1000"} {
		f, plain := withBook(t, game, text+",book=a.book", &fakeBook{second: 0.49}), newAgent(t, game, text)
		if origin, err := f.Load(); err != nil || !strings.HasSuffix(origin.Digest, "+digest") {
			t.Errorf("%+v, %v", origin, err)
		}
		a, err := f.New(3)
		if err != nil {
			t.Fatal(err)
		}
		chooser, err := f.NewChooser(4)
		if err != nil {
			t.Fatal(err)
		}
		state := game.NewState()
		plain.Reset(3)
		for ply := range 5 {
			legal := state.Legal(nil)
			want := legal[len(legal)-1]
			if ply > 2 {
				plain.Reset(3)
				if want, err = plain.Choose(context.Background(), state); err != nil {
					t.Fatal(err)
				}
				a.Reset(3)
			}
			got, err := a.Choose(context.Background(), state)
			chosen := make([]Choice, 1)
			err2 := chooser.Choose(context.Background(), []env.State{state}, nil, []uint64{3}, chosen)
			if err != nil || err2 != nil || got != want || chosen[0] != (Choice{Move: want}) {
				t.Errorf("%s, ply %d: %v and %v, want %v, %v", text, ply, got, chosen[0], want, errors.Join(err, err2))
			}
			a.Observe(want)
			state.Apply(want)
		}
	}
}

// With a temperature and against people an agent varies its play among moves about as good as the book's best.
func TestBookVariety(t *testing.T) {
	game := quad()
	state := game.NewState()
	for _, c := range []struct {
		spec   string
		people bool
		book   fakeBook
		moves  int // that are played
	}{
		{"net:1", false, fakeBook{second: 0.49}, 1}, {"net:1,temp=1", false, fakeBook{second: 0.49}, 2}, {"mcts:9", false, fakeBook{second: 0.49}, 1}, {"mcts:9", true, fakeBook{second: 0.49}, 2}, {"net:1", true, fakeBook{second: 0.49}, 2},
		{"net:1", true, fakeBook{second: 0.4}, 1}, {"net:1", true, fakeBook{second: 0.99, proven: true}, 1},
	} {
		f := withBook(t, game, c.spec+",book=a.book", &c.book)
		if c.people {
			f = f.ForPeople()
		}
		a, err := f.New(1)
		if err != nil {
			t.Fatal(err)
		}
		played := map[env.Action]bool{}
		for seed := range uint64(20) {
			a.Reset(seed)
			move, err := a.Choose(context.Background(), state)
			if err != nil {
				t.Fatal(err)
			}
			played[move] = true
		}
		legal := state.Legal(nil)
		if len(played) != c.moves || !played[legal[len(legal)-1]] {
			t.Errorf("%+v: moves %v", c, played)
		}
	}
}

// The seed decides among equal moves of the book, and a search after the book has a time limit.
func TestBookAgent(t *testing.T) {
	game := quad()
	made, err := withBook(t, game, "mcts:1000000,book=a.book", &fakeBook{second: 0.49}).ForPeople().New(1)
	if err != nil {
		t.Fatal(err)
	}
	a := made.(*booked)
	state := game.NewState()
	choose := func() env.Action {
		move, err := a.ChooseWithin(t.Context(), state, 20*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		return move
	}
	for seed := range uint64(20) {
		a.Reset(seed)
		first := choose()
		a.Reset(seed)
		if again := choose(); again != first {
			t.Errorf("seed %d: %v and %v", seed, first, again)
		}
	}
	for range 3 {
		state.Apply(state.Legal(nil)[0])
	}
	if choose(); a.Agent.(*uct).nodes[0].visits >= 1_000_000 {
		t.Error("the search ignores the limit")
	}
}

// The values of the book replace those of the search.
func TestBookAnalysis(t *testing.T) {
	game := quad()
	state := game.NewState()
	for _, text := range []string{"net:1,sims=20", "policy:1", "mcts:30", "alphabeta:2"} {
		a, err := withBook(t, game, text+",book=a.book", &fakeBook{second: 0.4}).New(1)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := newAgent(t, game, text).Analyze(context.Background(), state, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Analyze(context.Background(), state, 0)
		if err != nil || *got.Value != 0.5 || got.Proven || got.Moves[0].Action != 23 || *got.Moves[0].Value != 0.5 {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		for _, m := range got.Moves[1:] {
			want := plain.Moves[slices.IndexFunc(plain.Moves, func(p MoveInfo) bool { return p.Action == m.Action })].Value
			if m.Action == 22 {
				want = new(0.4)
			}
			if (m.Value == nil) != (want == nil) || want != nil && *m.Value != *want {
				t.Errorf("%s: move %v is worth %v, want %v", text, m.Action, m.Value, want)
			}
		}
	}
	a, err := withBook(t, game, "net:1,sims=20,book=a.book", &fakeBook{proven: true}).New(1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Analyze(context.Background(), state, 0); err != nil || !got.Proven || *got.Value != 1 || *got.Goals != [2]float64{100, 0} {
		t.Errorf("%+v, %v", got, err)
	}
}

// A proof counts more than the book's estimate.
func TestBookAndProof(t *testing.T) {
	game := quad()
	a := &Analysis{Value: new(-1.), Proven: true, Moves: []MoveInfo{{Action: 3, Value: new(-1.)}}}
	r := reader{game: game, book: &fakeBook{game: game, second: 0.2}}
	r.improve(a, game.NewState())
	if *a.Value != -1 || !a.Proven || *a.Moves[0].Value != -1 {
		t.Errorf("%+v", a)
	}
}

// Against people an agent does not play the book's moves in lost positions.
func TestBookLost(t *testing.T) {
	game := quad()
	for _, lost := range []bool{false, true} {
		b := &fakeBook{game: game, lost: lost, proven: true}
		a, err := withBook(t, game, "net:1,sims=20,book=a.book", b).ForPeople().New(1)
		if err != nil {
			t.Fatal(err)
		}
		a.(*Batched).Begin(game.NewState())
		if known := a.(*Batched).known != nil; known == lost {
			t.Errorf("lost %v: plays the book's move: %v", lost, known)
		}
	}
}

// A factory that cannot read books refuses them, and the error of reading one is that of loading the agent.
func TestBookErrors(t *testing.T) {
	game := quad()
	f := parse(t, game, "net:1,book=a.book")
	if _, err := f.Load(); !errors.Is(err, ErrBook) || !strings.Contains(err.Error(), "books cannot be read here") {
		t.Error(err)
	}
	broken := errors.New("broken")
	f = f.WithBooks(func(*env.Game, string) (Book, error) { return nil, broken })
	_, err := f.New(1)
	if _, loaded := f.Load(); !errors.Is(err, broken) || !errors.Is(loaded, broken) {
		t.Error(err, loaded)
	}
}
