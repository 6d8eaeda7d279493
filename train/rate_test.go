package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ludus/checkpoints"
	"ludus/train/rundir"
)

// TestRatingDoesNotMatter: however much a run is rated, its games and weights are the same.
func TestRatingDoesNotMatter(t *testing.T) {
	const generations = 5
	never, often := t.TempDir(), t.TempDir()
	o := tiny(t, never, generations)
	o.Settings["rating_share"] = 0
	s := mustTrain(t, o)
	if s.Rating != nil || len(s.Matches) > 0 {
		t.Errorf("a run that is not to be rated has rating %+v, matches %+v", s.Rating, s.Matches)
	}
	for _, name := range []string{"arena.jsonl", "ratings.json"} {
		if _, err := os.Stat(filepath.Join(never, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o = tiny(t, often, generations)
	o.Settings["rating_share"] = 0.5
	notified := 0
	o.Observe = func(e Event) {
		if e.Rating != nil {
			notified++
		}
	}
	if s := mustTrain(t, o); s.Rating == nil || len(s.Matches) != len(baselines)+peerCheckpoints || notified != generations {
		t.Errorf("rating %+v, matches %+v, %d events", s.Rating, s.Matches, notified)
	}
	sameRun(t, never, often, generations)
	sameMetrics(t, never, often, generations)
	wholeRatings(t, often, generations)
}

// wholeRatings checks that a run of few generations has each of its matches once, and rates every generation.
func wholeRatings(t *testing.T, dir string, generations int) {
	t.Helper()
	matches, warnings, err := rundir.MatchesFile.Read(dir)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	seen, final := make(map[string]bool), 0
	for _, m := range matches {
		key := fmt.Sprintf("%s %s %d", m.Agent, m.Opponent, m.Number)
		if before := fmt.Sprintf("%s %s %d", m.Agent, m.Opponent, m.Number-1); seen[key] || m.Number < 1 || m.Number > 1 && !seen[before] {
			t.Errorf("%s: match %s is there twice, or one before it is missing", dir, key)
		}
		seen[key] = true
		if m.Final && m.Generation == generations {
			final++
		}
	}
	if want := len(baselines) + min(peerCheckpoints, generations-1); final != want {
		t.Errorf("%s: %d final matches, want %d", dir, final, want)
	}
	table, err := rundir.ReadRatings(dir)
	if err != nil {
		t.Fatal(err)
	}
	games := 0
	for _, m := range matches {
		if !m.Final || !slices.Contains(baselines, m.Opponent) { // see ratings.Pool
			games += m.Games
		}
	}
	if table.Games != games {
		t.Errorf("%s: ratings follow from %d games of %d", dir, table.Games, games)
	}
	for g := 1; g <= generations; g++ {
		if table.Find(g) == nil {
			t.Errorf("%s: generation %d is not rated", dir, g)
		}
	}
}

// TestFinalPeers: the last checkpoint is rated against the checkpoints before it, not against baselines alone, however
// little time there is.
func TestFinalPeers(t *testing.T) {
	const generations = 6
	dir := t.TempDir()
	s := mustTrain(t, tiny(t, dir, generations))
	var opponents []string
	for _, m := range s.Matches {
		if m.Games < 4 {
			t.Errorf("%d games against %s", m.Games, m.Opponent)
		}
		opponents = append(opponents, m.Opponent)
	}
	if want := []string{"random", "greedy", "mcts:200", "net@3", "net@4", "net@5"}; !slices.Equal(opponents, want) {
		t.Errorf("the last checkpoint played %v, want %v", opponents, want)
	}
	if s.Rating == nil || *s.Rating.Generation != generations {
		t.Errorf("rating %+v", s.Rating)
	}
}

// TestNewerRatings: a run that goes back to an older checkpoint drops the ratings of later ones and makes them again.
func TestNewerRatings(t *testing.T) {
	const generations = 4
	dir := t.TempDir()
	mustTrain(t, tiny(t, dir, generations))
	for _, g := range []int{3, 4} {
		path := filepath.Join(dir, "checkpoints", checkpointName(g), "weights.safetensors")
		if err := os.Truncate(path, 100); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := tiny(t, dir, generations)
	o.Observe = func(e Event) {
		if isPhase(e, Playing) || e.Metrics != nil { // all is loaded
			cancel()
		}
	}
	if _, err := Train(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if table, err := rundir.ReadRatings(dir); err != nil || table.Find(2) == nil || table.Find(3) != nil {
		t.Errorf("gone back to generation 2, the ratings are %+v, %v", table, err)
	}
	mustTrain(t, tiny(t, dir, generations))
	wholeRatings(t, dir, generations)
}

// TestDamagedRatings: a damaged ratings.json is computed again from the matches.
func TestDamagedRatings(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, tiny(t, dir, 2))
	if err := checkpoints.WriteFile(filepath.Join(dir, "ratings.json"), []byte("{")); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, tiny(t, dir, 3))
	wholeRatings(t, dir, 3)
}
