package plan

import (
	"slices"
	"testing"
	"time"

	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

func TestChangedSettings(t *testing.T) {
	game := recordtest.Game(t, "quad-7x7")
	s := rundir.DefaultSettings(game)
	s.RatingShare, s.KeepEvery = 0, 3
	if changed := ChangedSettings(game, &s); len(changed) > 0 {
		t.Errorf("%v do not change the strength", changed)
	}
	s.Channels, s.Blocks = 64, 5 // as a longer run has
	if changed := ChangedSettings(game, &s); len(changed) > 0 {
		t.Errorf("%v are those of a longer run", changed)
	}
	s.Channels, s.Blocks, s.ValueMix = 52, 4, 0.5
	if changed := ChangedSettings(game, &s); !slices.Equal(changed, []string{"channels=52", "value_mix=0.5"}) {
		t.Errorf("changed settings %v", changed)
	}
}

// A run of the default length on two cores has the small network.
func TestNetworkSize(t *testing.T) {
	for _, c := range []struct {
		game             string
		coreTime         time.Duration
		channels, blocks int
	}{
		{"quad-7x7", 2 * DefaultTime, 32, 4},
		{"quad-5x5", 2 * DefaultTime, 32, 3}, // up to 25 cells
		{"quad-7x7", 119 * time.Minute, 32, 4},
		{"quad-7x7", 2 * time.Hour, 64, 5}, // an hour on two cores
		{"quad-5x5", 2 * time.Hour, 64, 4},
	} {
		channels, blocks := NetworkSize(recordtest.Game(t, c.game), Length{Time: c.coreTime / 2}, 2)
		if channels != c.channels || blocks != c.blocks {
			t.Errorf("%s, %v: network %dx%d, want %dx%d", c.game, c.coreTime, channels, blocks, c.channels, c.blocks)
		}
	}
}
