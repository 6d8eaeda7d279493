package train

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ludus/checkpoints"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/shipped"
)

// TestMeasuringDoesNotMatter: however much a run is measured, its games and weights are the same. It is never rated.
func TestMeasuringDoesNotMatter(t *testing.T) {
	const generations = 5
	never, often := trained(t, generations), t.TempDir()
	o := tiny(t, often, generations)
	o.Settings["rating_share"] = 0.5
	var notified []rundir.Score
	o.Observe = func(e Event) {
		if e.Score != nil {
			notified = append(notified, *e.Score)
		}
	}
	mustTrain(t, o)
	for _, path := range []string{filepath.Join(never, "arena.jsonl"), filepath.Join(never, "ratings.json"), filepath.Join(often, "ratings.json")} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := len(notified); n == 0 || notified[n-1].Generation != generations {
		t.Errorf("notified of scores %+v", notified)
	}
	sameRun(t, never, often, generations)
	sameMetrics(t, never, often, generations)
	wholeScores(t, often, generations)
}

// wholeScores checks that a run has each of its matches once, all against its opponent, and a score of its last
// generation.
func wholeScores(t *testing.T, dir string, generations int) {
	t.Helper()
	matches, warnings, err := rundir.MatchesFile.Read(dir)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	opponent, next := shipped.Opponent(tiny(t, "", 1).Game), make(map[int]int)
	for _, m := range matches {
		next[m.Generation]++
		if m.Number != next[m.Generation] || m.Opponent != opponent || m.Agent != rundir.CheckpointName(m.Generation) {
			t.Errorf("%s: match %+v is there twice, or one before it is missing", dir, m)
		}
	}
	scores := rundir.Scores(matches, opponent, "")
	if n := len(scores); n == 0 || scores[n-1].Generation != generations || scores[n-1].Games < firstGames {
		t.Errorf("%s: scores %+v", dir, scores)
	}
}

// TestUnratedOpponent: a run is measured against the shipped agent also if that has no known rating.
func TestUnratedOpponent(t *testing.T) {
	o := measured(t, t.TempDir(), 1)
	o.Game = games.Must("golden-rectangle-9x9")
	o.Settings["parallel_games"], o.Settings["sizes"] = 2, 0
	mustTrain(t, o)
	matches, _, err := rundir.MatchesFile.Read(o.Dir)
	if scores := rundir.Scores(matches, agent.Zoo, shipped.Digest(o.Game)); err != nil || len(scores) != 1 || scores[0].Games < firstGames {
		t.Errorf("scores %+v, %v", scores, err)
	}
}

// TestNext: games are spent where they tell something, and the last checkpoint always plays.
func TestNext(t *testing.T) {
	half, lost := rundir.Score{}, rundir.Score{}
	half.Value = 0.5
	for _, c := range []struct {
		played played
		final  bool
		due    float64 // seconds; a game takes one
		want   int
	}{
		{played{}, false, 15, 0}, {played{}, false, 16, 16}, {played{}, false, 1000, 16}, {played{}, true, 0, 16},
		{played{score: half, games: 16, seconds: 16}, false, 50, 34},
		{played{score: half, games: 16, seconds: 16}, false, 1000, interimGames - 16},
		{played{score: lost, games: 16, seconds: 16}, false, 1000, 0},
		{played{score: lost, games: 16, seconds: 16}, true, 1000, finalGames - 16},
		{played{score: half, games: 16, seconds: 16}, true, 10, -6},
	} {
		c.played.secondsPerGame = 1
		if got := c.played.next(c.due, c.final); got != c.want {
			t.Errorf("%+v, %v s, final %v: %d games, want %d", c.played, c.due, c.final, got, c.want)
		}
	}
}

// TestSpending: a checkpoint gets the time since the last one that played, and the last one the share for the end, too.
func TestSpending(t *testing.T) {
	dir := trained(t, 5)
	o := tiny(t, dir, 5)
	opener, err := newOpener(o)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := opener.configure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run, err := opener.load(weights)
	if err != nil {
		t.Fatal(err)
	}
	r := run.meter
	r.config.Settings.RatingShare = 0.05
	opponent := shipped.Opponent(o.Game)
	for _, m := range []*rundir.MatchResult{
		{Generation: 4, Agent: "net@4", Opponent: opponent, Number: 1, Simulations: 64, Result: match.Result{Games: 20, Seconds: 5}},
		{Generation: 5, Agent: "net@5", Opponent: opponent, Number: 1, Simulations: 64, Result: match.Result{Games: 16, Seconds: 4}},
		{Agent: "greedy", Opponent: opponent, Result: match.Result{Games: 99}},
	} {
		if err := rundir.MatchesFile.Append(dir, m); err != nil {
			t.Fatal(err)
		}
	}
	p, err := r.played()
	if err != nil || p.last != 4 || p.games != 16 || p.secondsPerGame != 0.25 {
		t.Errorf("%+v, %v", p, err)
	}
	if interim, late, final := r.secondsDue(4, false), r.secondsDue(0, false), r.secondsDue(4, true); !(interim < late && interim < final) {
		t.Errorf("due are %v s, %v s without earlier matches, %v s at the end", interim, late, final)
	}
}

// TestNewerRatings: a run that goes back to an older checkpoint drops the ratings of later ones, which "ludus rate"
// made.
func TestNewerRatings(t *testing.T) {
	const generations = 5
	dir := t.TempDir()
	mustTrain(t, measured(t, dir, generations))
	ratings := &rundir.Ratings{Game: "quad", Agents: []rundir.Rating{{Agent: "net@5", Generation: new(5)}, {Agent: "random"}}}
	if err := ratings.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, g := range []int{4, 5} {
		path := filepath.Join(dir, "checkpoints", checkpointName(g), "weights.safetensors")
		if err := os.Truncate(path, 100); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := measured(t, dir, generations)
	o.Observe = func(e Event) {
		if isPhase(e, Playing) || e.Metrics != nil { // all is loaded
			cancel()
		}
	}
	if _, err := Train(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if table, err := rundir.ReadRatings(dir); err != nil || table.Find(5) != nil {
		t.Errorf("gone back to generation 3, the ratings are %+v, %v", table, err)
	}
	mustTrain(t, measured(t, dir, generations))
	wholeScores(t, dir, generations)
}

// TestDamagedRatings: a damaged ratings.json is computed again from the matches.
func TestDamagedRatings(t *testing.T) {
	dir := trained(t, 2)
	if err := checkpoints.WriteFile(filepath.Join(dir, "ratings.json"), []byte("{")); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, tiny(t, dir, 3))
	if _, err := rundir.ReadRatings(dir); err != nil {
		t.Error(err)
	}
}
