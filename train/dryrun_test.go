package train

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/train/rundir"
)

// contents maps the files below dir to their contents.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A dry run leaves no folder behind, and its plan is that of the run.
func TestDryRun(t *testing.T) {
	o := tiny(t, filepath.Join(t.TempDir(), "run"), 8)
	p, err := DryRun(t.Context(), o, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		t.Error("the dry run made a folder")
	}
	positions := 8 * 12 * 3
	samples := int(8 * 0.8 * float64(positions)) // validation_share is 0.2
	if p.Generation != 0 || p.Generations != 8 || p.Positions != positions || p.Samples != samples || p.Seconds <= 0 || p.Parameters == 0 {
		t.Errorf("preview %+v; want %d positions, %d samples", p, positions, samples)
	}

	s := mustTrain(t, o)
	if s.Config.Plan != p.Config.Plan || s.Config.Settings != p.Config.Settings {
		t.Errorf("the run has %+v, the dry run %+v", s.Config, p.Config)
	}
	before := contents(t, o.Dir)
	if _, err := DryRun(t.Context(), o, 0); err == nil || !strings.Contains(err.Error(), "the run is finished (generation 8 of 8)") {
		t.Errorf("a finished run: %v", err)
	}
	o.Generations = 16
	if p, err = DryRun(t.Context(), o, 0); err != nil {
		t.Fatal(err)
	}
	count := countersOf(t, o.Dir)
	if p.Generation != 8 || p.Generations != 16 || p.Positions != 2*count.Positions || p.Samples != 2*16*count.Steps || p.Games != 2*count.Games {
		t.Errorf("twice as many generations: %+v after %+v", p, count)
	}
	o.Settings["simulations"] = 7
	if _, err := DryRun(t.Context(), o, 0); err == nil || !strings.Contains(err.Error(), "simulations=7 (the run has 6)") {
		t.Errorf("other settings: %v", err)
	}
	after := contents(t, o.Dir)
	for name := range after {
		if before[name] != after[name] || len(before) != len(after) {
			t.Errorf("a dry run changed %s", name)
		}
	}
}

// A faster machine and a longer time never do less.
func TestPreviewGrows(t *testing.T) {
	p := &Preview{Config: *rundir.NewConfig("quad-5x5", 1, rundir.DefaultSettings(newGame(t, "quad-5x5")))}
	p.Config.Plan = rundir.Plan{Generations: 100, ParallelGames: 256, PliesPerGeneration: 8}
	samples := func(seconds float64, c cost) int {
		p.Config.Plan.Seconds = seconds
		p.fill(c, 2.5/p.Config.Settings.SamplesPerPosition)
		return p.Samples
	}
	slow := cost{position: 5e-4, step: 0.05, generation: 0.05}
	for seconds := 60.0; seconds < 1e5; seconds *= 2 {
		n := samples(seconds, slow)
		if samples(2*seconds, slow) < n {
			t.Errorf("%.0f s: %d samples, %d in twice the time", seconds, n, p.Samples)
		}
		for _, fast := range []cost{
			{position: 4e-4, step: 0.05, generation: 0.05}, {position: 5e-4, step: 0.04, generation: 0.05},
			{position: 5e-4, step: 0.05, generation: 0.04},
		} {
			if samples(seconds, fast) < n {
				t.Errorf("%.0f s: %d samples, %d with %+v", seconds, n, p.Samples, fast)
			}
		}
		// The work fills the time.
		samples(seconds, slow)
		spent := float64(p.Positions)*(slow.position+2.5/256*slow.step) + float64(p.Generations)*slow.generation
		if share := spent / seconds; share > 0.95 || share < 0.8 {
			t.Errorf("%d positions take %.2f of %.0f s", p.Positions, share, seconds)
		}
	}
}

func TestChangedSettings(t *testing.T) {
	game := newGame(t, "quad-7x7")
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
		channels, blocks := networkSize(newGame(t, c.game), c.coreTime)
		if channels != c.channels || blocks != c.blocks {
			t.Errorf("%s, %v: network %dx%d, want %dx%d", c.game, c.coreTime, channels, blocks, c.channels, c.blocks)
		}
	}
}

// TestCPUShare: only other programs make the share small, not waiting threads, and not threads without a core.
func TestCPUShare(t *testing.T) {
	for _, c := range []struct {
		name           string
		used, idle     float64 // of 10 seconds
		threads, cores int
		want           float64
	}{
		{"a quiet machine", 20, 0, 2, 2, 1},
		{"one core taken by others", 10, 0, 2, 2, 0.5},
		{"threads that wait for others", 12, 8, 2, 2, 1},
		{"more threads than cores", 20, 0, 8, 2, 1},
		{"the same, busy", 10, 0, 8, 2, 0.5},
		{"fewer threads than cores", 10, 0, 1, 16, 1},
		{"clocks that differ a little", 20.2, 0, 2, 2, 1},
	} {
		if got := cpuShare(c.used, Throughput{Seconds: 10, Idle: c.idle}, c.threads, c.cores); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
