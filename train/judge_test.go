package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	if s.Rated != nil || len(s.Judged) > 0 {
		t.Errorf("a run that is not to be rated was: %+v, %+v", s.Rated, s.Judged)
	}
	for _, name := range []string{"arena.jsonl", "ratings.json"} {
		if _, err := os.Stat(filepath.Join(never, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o = tiny(t, often, generations)
	o.Settings["rating_share"] = 0.5
	told := 0
	o.Observe = func(e Event) {
		if e.Rated != nil {
			told++
		}
	}
	if s := mustTrain(t, o); s.Rated == nil || len(s.Judged) != len(baselines) || told != generations {
		t.Errorf("rated %+v, judged %+v, told %d times", s.Rated, s.Judged, told)
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
	if final != len(baselines) {
		t.Errorf("%s: %d final matches", dir, final)
	}
	table, err := rundir.ReadRatings(dir)
	if err != nil {
		t.Fatal(err)
	}
	games := 0
	for _, m := range matches {
		games += m.Games
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

// TestNewerRatings: a run that goes back to an older checkpoint forgets the ratings of those after it, and makes them again.
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
		if e.Phase == "playing" || e.Metrics != nil { // all is loaded
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

// TestDamagedRatings: ratings.json follows from the matches, so that one that is damaged ends nothing.
func TestDamagedRatings(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, tiny(t, dir, 2))
	if err := checkpoints.WriteFile(filepath.Join(dir, "ratings.json"), []byte("{")); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, tiny(t, dir, 3))
	wholeRatings(t, dir, 3)
}
