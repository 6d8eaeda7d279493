package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/train"
	"ludus/train/rundir"
)

// The plan shows the run's size and the recorded trainings of its game.
func TestPlanText(t *testing.T) {
	for _, c := range []struct {
		name, game string
		change     func(*train.Preview)
		want       []string
		without    string
	}{
		{"a new run", "quad-5x5", func(*train.Preview) {}, []string{
			"quad-5x5 for 10m on 4 cores: a new run in runs/quad-5x5. Nothing was changed.",
			"network      32 channels, 3 blocks, 69,656 parameters",
			"generations  about 200, each of 30 plies in 256 parallel games",
			"games        about 160,000\n",
			"positions    about 1.5 million, 2500 per second",
			"samples      about 3.4 million, 5700 per second",
			"\n1.3 million", "32x3     4.47 % (", "ludus train quad-5x5 --time 2m --seed 1 --set rating_share=0\n",
		}, "boards"},
		{"a busy machine", "quad-5x5", func(p *train.Preview) { p.CPUShare = 0.7 },
			[]string{"This machine is busy: ludus got 70 % of the CPU time", "a run does more in an hour"}, ""},
		{"a run that goes on", "quad-5x5", func(p *train.Preview) {
			p.CPUShare, p.Generation, p.Games, p.Config.Plan.CPU = 0.7, 50, 1234, true
			p.Seconds = 3600
		}, []string{
			"a run does more in an hour", "for 1h of CPU time", "the run runs/quad-5x5, generation 50 so far", "games        about 1200\n",
		}, ""},
		{"several boards", "hex", func(*train.Preview) {}, []string{
			"boards       5x5, 7x7, 9x9, 11x11, from small to large\n", "each of 30 plies (more on smaller boards) in 256 parallel games",
		}, ""},
		{"no recorded training", "tic-tac-toe", func(*train.Preview) {},
			[]string{"No training of tic-tac-toe is recorded", "games        about 330,000\n"}, "64 simulations"},
	} {
		game := games.Must(c.game)
		p := &train.Preview{
			Config: *rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game)), Parameters: 69656, Seconds: 600,
			Generations: 200, Positions: 1_500_000, Samples: 3_400_000,
		}
		p.Config.Plan = rundir.Plan{Seconds: 600, ParallelGames: 256, PliesPerGeneration: 30}
		c.change(p)
		var out bytes.Buffer
		newPlan(&train.Options{Game: game, Dir: "runs/" + c.game, Threads: 4}, p, recordedTrainings(game)).write(&out)
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", c.name, want, out.String())
			}
		}
		if c.without != "" && strings.Contains(out.String(), c.without) || strings.Contains(out.String(), " \n") {
			t.Errorf("%s: %q or spaces at the end of a line in\n%s", c.name, c.without, out.String())
		}
	}
}

// Recorded trainings tell how many samples of a position are left: less than the setting.
func TestSampleShare(t *testing.T) {
	for name, want := range map[string]bool{"golden-rectangle": true, "tic-tac-toe": false} {
		game := games.Must(name)
		recorded := recordedTrainings(game)
		if share, length := sampleShare(recorded), meanLength(recorded); want != (share > 0.4 && share < 0.95 && length > 10) || !want && share != 0 {
			t.Errorf("%s: share %v, length %v", name, share, length)
		}
	}
}

// --dry-run measures this machine and leaves no file behind.
func TestDryRun(t *testing.T) {
	dir := t.TempDir()
	var p dryRunPlan
	if err := json.Unmarshal([]byte(run(t, dir, "", "train", "quad-5x5", "--time", "2s", "--dry-run", "--json")), &p); err != nil {
		t.Fatal(err)
	}
	if p.Game != "quad-5x5" || p.Run != filepath.Join("runs", "quad-5x5") || p.Seconds != 2 || p.Samples == 0 || p.CPUShare <= 0 || p.CPUShare > 1 || len(p.Recorded) < 3 {
		t.Errorf("%+v", p)
	}
	if out := run(t, dir, "", "train", "tic-tac-toe", "--generations", "3", "--dry-run", "--set", "parallel_games=8"); !strings.Contains(out,
		"about 3, each of 8 plies in 8 parallel games") || !strings.Contains(out, "No training of tic-tac-toe is recorded") {
		t.Errorf("train --dry-run prints\n%s", out)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("files %v, %v", entries, err)
	}
	fails(t, dir, 2, "--json needs --dry-run", "train", "quad-5x5", "--json")
}
