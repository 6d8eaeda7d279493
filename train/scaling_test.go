package train

import (
	"context"
	"errors"
	"testing"

	"ludus/train/rundir"
)

// TestScaling checks the rows of a small measurement: all have the same work, and more computed cores take no longer.
func TestScaling(t *testing.T) {
	game := newGame(t, "tic-tac-toe")
	settings := rundir.DefaultSettings(game)
	settings.ParallelGames, settings.Channels, settings.Blocks, settings.BatchSize = 64, 8, 1, 64
	rows, err := MeasureScaling(t.Context(), game, settings, []int{1, 2}, []int{1, 4, 64}, func(int, bool) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5 {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	for i, want := range []Scaling{{Cores: 1}, {Cores: 2}, {Cores: 1, Computed: true}, {Cores: 4, Computed: true}, {Cores: 64, Computed: true}} {
		r, generations := rows[i], 1
		if !r.Computed {
			generations = scalingRounds
		}
		if r.Cores != want.Cores || r.Computed != want.Computed || r.Positions != generations*64*maxPlies || r.Samples == 0 {
			t.Errorf("row %d is %+v", i, r)
		}
		if r.Play <= 0 || r.Learn <= 0 || r.Seconds < r.Play+r.Learn {
			t.Errorf("row %d has times %+v", i, r)
		}
		if i > 2 && r.Learn > rows[2].Learn {
			t.Errorf("computed: %d cores learn for %g s, one for %g s", r.Cores, r.Learn, rows[2].Learn)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureScaling(ctx, game, settings, nil, []int{2}, func(int, bool) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped measurement returns %v", err)
	}
}
