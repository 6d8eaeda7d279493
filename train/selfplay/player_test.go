package selfplay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

// TestGeneration counts the plies of a generation, by game and in all, when games wait for their turn.
func TestGeneration(t *testing.T) {
	game := games.Must("quad-5x5")
	settings := rundir.DefaultSettings(game)
	for _, threads := range []int{1, 3} {
		play := newPlayer(newGames(game, &settings, 1, 80), threads, 64)
		for _, g := range play.games {
			g.meanPlies = 10
		}
		for generation := 1; generation <= 3; generation++ {
			play.setEvaluator(uniform)
			play.begin(2)
			if err := play.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i, g := range play.games {
				plies := len(g.record.Plies)
				for _, r := range g.finished {
					plies += len(r.Plies)
				}
				if plies != 2*generation || g.search != nil {
					t.Fatalf("%d threads: game %d has %d plies after generation %d of 2", threads, i, plies, generation)
				}
			}
			if n := play.played.Load(); n != int64(2*len(play.games)) {
				t.Fatalf("%d threads: %d plies counted in generation %d", threads, n, generation)
			}
		}
	}
}

// testAssignment returns an assignment with a small untrained network, ready for play.
func testAssignment(t *testing.T, game *env.Game) *Assignment {
	t.Helper()
	n := &Assignment{Game: game, Settings: rundir.DefaultSettings(game), Simulations: 16, MeanPlies: 20,
		Weights: infer.NewWeights(game, infer.Config{Game: game.Name, Channels: 4, Blocks: 1}, rand.New(rand.NewPCG(1, 1)))}
	if err := n.Prepare(); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRoundStops: a round that is stopped returns the games that have ended.
func TestRoundStops(t *testing.T) {
	n := testAssignment(t, games.Must("tic-tac-toe"))
	play := NewPlayer(n.Game, &n.Settings, 1, 8, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for play.played.Load() < 200 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	result, err := play.Round(ctx, n, 1<<20)
	if !errors.Is(err, context.Canceled) || len(result.Finished) == 0 {
		t.Errorf("%d finished games, error %v", len(result.Finished), err)
	}
}

// TestStoppedAtOnce: a run whose context has ended advances one game by one batch, and runs that go on play the same games.
func TestStoppedAtOnce(t *testing.T) {
	game := games.Must("tic-tac-toe")
	settings := rundir.DefaultSettings(game)
	played := func(ctx context.Context) []byte {
		play := NewPlayer(game, &settings, 1, 8, 1)
		for _, g := range play.games {
			g.meanPlies, g.simulations = 10, 8
		}
		play.setEvaluator(uniform)
		play.begin(3)
		for first := true; play.played.Load() < 3*8; first = false {
			err := play.run(ctx)
			if !errors.Is(err, ctx.Err()) || first && err != nil && len(play.threads[0].active) != 1 {
				t.Fatalf("%d games are active, error %v", len(play.threads[0].active), err)
			}
		}
		return play.MarshalGames()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if !bytes.Equal(played(ended), played(t.Context())) {
		t.Error("stops change the games")
	}
}

// TestShortRounds: short rounds with the same network need hardly more evaluations than a long one.
func TestShortRounds(t *testing.T) {
	n := testAssignment(t, games.Must("tic-tac-toe"))
	evaluations := func(rounds, plies int) (total int) {
		play := NewPlayer(n.Game, &n.Settings, 1, 8, 1)
		for range rounds {
			result, err := play.Round(t.Context(), n, plies)
			if err != nil {
				t.Fatal(err)
			}
			total += result.Evaluations
		}
		return total
	}
	if long, short := evaluations(1, 24), evaluations(24, 1); short > long+long/20 {
		t.Errorf("%d evaluations in a long round, %d in short ones", long, short)
	}
}

// TestPlayVersion compares a hash of games that a worker plays and rescores with that of the present PlayVersion. If the
// games change, workers of an earlier build play other games than the learner expects, so they must be refused.
func TestPlayVersion(t *testing.T) {
	if kernel.InstructionSet() == "Go" {
		t.Skip("the kernels in Go round differently from those in assembly, for which the hash was recorded")
	}
	const version, want = 3, "f5db91a43538925d563ac8186fe901f9d4d1ab454d388d53c9ece0f611eeb25e"
	hash := sha256.New()
	for _, name := range []string{"quad-5x5", "breakthrough-6x6"} {
		n := testAssignment(t, games.Must(name))
		play := NewPlayer(n.Game, &n.Settings, 7, 8, 1)
		result, err := play.Round(t.Context(), n, 60)
		if err == nil {
			err = NewRescorer(n.Game, n.Settings.SolverNodes, 1).Rescore(t.Context(), result.Finished)
		}
		if err != nil || len(result.Finished) < 8 {
			t.Fatalf("%s: %d games, error %v", name, len(result.Finished), err)
		}
		for _, r := range result.Finished {
			hash.Write(r.Append(nil))
		}
	}
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want || version != record.PlayVersion {
		t.Errorf("workers play other games than those of version %d: increase the play version (PlayVersion in message.go), and write it here "+
			"with the hash %s", version, got)
	}
}

// FuzzGames parses any games in progress: those that parse can continue, and are written the same.
func FuzzGames(f *testing.F) {
	game := games.Must("quad(size=4,quads=3,whites=1)")
	settings := rundir.DefaultSettings(game)
	fresh := func() *Player { return NewPlayer(game, &settings, 1, 2, 1) }
	player := fresh()
	f.Add(player.MarshalGames())
	rng := rand.New(rand.NewPCG(3, 4))
	for _, g := range player.games { // one that is in the middle of its game
		g.record = recordtest.Random(game, rng)
		g.record.Plies, g.record.Done, g.opened = g.record.Plies[:2], false, true
	}
	f.Add(player.MarshalGames())
	f.Fuzz(func(t *testing.T, data []byte) {
		player := fresh()
		if err := player.UnmarshalGames(data); err != nil {
			if !errors.Is(err, record.ErrRecord) {
				t.Fatal(err)
			}
			return
		}
		written := player.MarshalGames()
		again := fresh()
		if err := again.UnmarshalGames(written); err != nil || !bytes.Equal(again.MarshalGames(), written) {
			t.Errorf("games change on the way through bytes: %v", err)
		}
		for _, g := range player.games {
			if g.state.Done() || len(g.state.Legal(nil)) == 0 {
				t.Error("a game in progress is over")
			}
		}
	})
}
