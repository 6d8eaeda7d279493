package train

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/rundir"
)

func TestReadGames(t *testing.T) {
	dir := t.TempDir()
	o := tiny(t, dir, 6)
	mustTrain(t, o)
	generations, err := rundir.GamesGenerations(dir)
	if err != nil || !slices.Equal(generations, []int{1, 2, 3, 4, 5, 6}) {
		t.Fatalf("generations %v, %v", generations, err)
	}
	number, searched := 0, 0
	for _, g := range generations {
		games, err := ReadGames(o.Game, dir, g)
		if err != nil {
			t.Fatal(err)
		}
		for _, played := range games {
			if played.Number != number {
				t.Fatalf("game %d has number %d", number, played.Number)
			}
			number++
			searched += len(played.Plies)
			checkPlayed(t, o.Game, &played)
		}
	}
	if searched == 0 {
		t.Error("no move was searched")
	}

	if _, err := ReadGames(o.Game, dir, 7); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a generation that is not there: %v", err)
	}
	if err := os.WriteFile(rundir.GamesPath(dir, 2), []byte("torn"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadGames(o.Game, dir, 2); !errors.Is(err, checkpoints.ErrDamaged) {
		t.Errorf("a damaged file: %v", err)
	}
	if generations, err := rundir.GamesGenerations(t.TempDir()); len(generations) > 0 || err != nil {
		t.Errorf("a folder without games: %v, %v", generations, err)
	}
}

// checkPlayed replays a game: its moves are legal and lead to its goals, and policies cover the legal moves.
func checkPlayed(t *testing.T, game *env.Game, played *SelfPlayGame) {
	t.Helper()
	state := game.NewState()
	for i, a := range played.Moves {
		legal := state.Legal(nil)
		if !slices.Contains(legal, a) {
			t.Fatalf("game %d: move %d is not legal", played.Number, i+1)
		}
		if i >= played.Opening {
			p := played.Plies[i-played.Opening]
			sum := float32(0)
			for _, share := range p.Policy {
				sum += share
			}
			if len(p.Policy) != len(legal) || math.Abs(float64(sum)-1) > 1e-3 || math.Abs(p.Value) > 1 {
				t.Errorf("game %d, move %d: %d shares for %d moves sum to %v, value %v", played.Number, i+1, len(p.Policy), len(legal), sum, p.Value)
			}
		}
		state.Apply(a)
	}
	if !state.Done() || state.Goals() != played.Goals || len(played.Plies)+played.Opening != len(played.Moves) {
		t.Errorf("game %d: its end is not the recorded one", played.Number)
	}
}

// TestSearched: a value is First's, whoever moves: the exact one if proven, otherwise the expected utility of the
// classes.
func TestSearched(t *testing.T) {
	game := newGame(t, "quad-5x5")
	r := randomRecord(game, rand.New(rand.NewPCG(3, 4)))
	for i := 0; i < len(r.plies); i += 3 {
		r.plies[i].proven = 0 // the mover's best class
	}
	state := game.NewState()
	for _, a := range r.opening {
		state.Apply(a)
	}
	for i, p := range r.searchedPlies(game) {
		proven, want := i%3 == 0, float64(game.Classes[0].Utility)
		if !proven {
			sum := 0.0
			want = 0
			for class, share := range r.plies[i].classes {
				sum += float64(share)
				want += float64(share) * float64(game.Classes[class].Utility)
			}
			want /= sum
		}
		if state.Player() != env.First {
			want = -want
		}
		if math.Abs(p.Value-want) > 1e-6 || p.Proven != proven {
			t.Errorf("ply %d: %v, proven %v, want %v", i, p.Value, p.Proven, want)
		}
		for k, share := range p.Policy {
			if want := float64(share) * float64(r.plies[i].policy[0]) / float64(r.plies[i].policy[k]); math.Abs(want-float64(p.Policy[0])) > 1e-5 {
				t.Errorf("ply %d: shares %v of %v", i, p.Policy, r.plies[i].policy)
			}
		}
		state.Apply(r.plies[i].action)
	}
}
