package check_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/train"
	"ludus/train/check"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

const runGame = "quad(size=4,quads=4,whites=1)"

// newRun trains a tiny run of three generations.
func newRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	_, err := train.Train(t.Context(), train.Options{
		Dir: dir, Game: games.Must(runGame), Generations: 3, Threads: 2,
		Settings: map[string]float64{"parallel_games": 12, "plies_per_generation": 8, "simulations": 4, "channels": 4, "blocks": 1,
			"batch_size": 16, "replay_window": 100, "rating_share": 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// edit changes a file of a run.
func edit(t *testing.T, path string, change func(data []byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(data), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// replaceInMetrics returns a damage that replaces a text in every line of metrics.
func replaceInMetrics(old, by string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, rundir.MetricsFile.Name), func(data []byte) []byte {
			return bytes.ReplaceAll(data, []byte(old), []byte(by))
		})
	}
}

// changeGames returns a damage that writes other games of generation 3, whose first is number first of the run.
func changeGames(change func(records []*record.Record, first int) ([]*record.Record, int)) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		records, first, err := record.Read(games.Must(runGame), dir, 3)
		if err == nil {
			records, first = change(records, first)
			err = record.Write(dir, 3, first, records)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestRun(t *testing.T) {
	sound := newRun(t)
	report, err := check.Run(t.Context(), sound)
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("a new run has faults %q, error %v", report.Faults, err)
	}
	if report.Generation != 3 || report.Games == 0 || report.Positions == 0 || report.Checkpoints == 0 {
		t.Errorf("report %+v", report)
	}
	flip := func(data []byte) []byte { data[len(data)/2] ^= 1; return data }
	metrics := rundir.MetricsFile.Name
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		want   string // in a fault; "" if there must be none
	}{
		"weights": {
			func(t *testing.T, dir string) {
				edit(t, filepath.Join(dir, rundir.CheckpointsDir, "000003", rundir.WeightsPart), flip)
			}, rundir.WeightsPart,
		},
		"games": {func(t *testing.T, dir string) { edit(t, rundir.GamesPath(dir, 2), flip) }, "000002.games"},
		"lost games": {
			func(t *testing.T, dir string) { os.Remove(rundir.GamesPath(dir, 2)) }, "000002.games",
		},
		"other games": {
			changeGames(func(records []*record.Record, first int) ([]*record.Record, int) { return records, first + 1 }), "is number",
		},
		"garbled line": {
			func(t *testing.T, dir string) {
				if err := os.WriteFile(filepath.Join(dir, rundir.MatchesFile.Name), []byte("{\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}, rundir.MatchesFile.Name,
		},
		"wrong total": {replaceInMetrics(`"steps":`, `"steps":9`), "training steps"},
		"a game less": {
			changeGames(func(records []*record.Record, first int) ([]*record.Record, int) { return records[1:], first }), "the files hold",
		},
		"a board that the run does not train": {
			changeGames(func(records []*record.Record, first int) ([]*record.Record, int) {
				larger := games.Must("quad(size=5,quads=4,whites=1)")
				records[0] = recordtest.Message(larger, rand.New(rand.NewPCG(1, 1)), 1).Records[0]
				return records, first
			}), "game 0: the run does not train quad(size=5",
		},
		"other number of games":     {replaceInMetrics(`"games":`, `"games":9`), metrics + " counts"},
		"other number of positions": {replaceInMetrics(`"positions":`, `"positions":9`), "positions up to generation"},
		"cut off before the checkpoint": {
			func(t *testing.T, dir string) {
				m := rundir.Metrics{Generation: 4}
				if err := rundir.MetricsFile.Append(dir, &m); err != nil {
					t.Fatal(err)
				}
			}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(sound)); err != nil {
				t.Fatal(err)
			}
			c.damage(t, dir)
			report, err := check.Run(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(report.Faults, "\n")
			if c.want == "" && text != "" || !strings.Contains(text, c.want) {
				t.Errorf("faults %q, want one about %q", text, c.want)
			}
		})
	}
}

func TestNoRun(t *testing.T) {
	if _, err := check.Run(context.Background(), t.TempDir()); !errors.Is(err, rundir.ErrNoRun) {
		t.Errorf("error %v, want one about a folder that is no run", err)
	}
}
