package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/rundir"
)

// fakeForecast returns options and the forecast of a plain run of game on a machine that nobody measured.
func fakeForecast(t *testing.T, name string) (*env.Game, *train.Options, *train.Forecast) {
	t.Helper()
	game, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	f := &train.Forecast{
		Config: *rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game)), Parameters: 69656, Seconds: 600,
		Generations: 200, Positions: 1_500_000, Samples: 3_400_000,
	}
	f.Config.Plan = rundir.Plan{Seconds: 600, ParallelGames: 256, PliesPerGeneration: 30}
	return game, &train.Options{Game: game, Dir: "runs/" + name, Threads: 4}, f
}

func TestPlanText(t *testing.T) {
	_, o, f := fakeForecast(t, "quad-5x5")
	var out bytes.Buffer
	newPlan(o, f).write(&out)
	text := out.String()
	for _, want := range []string{
		"quad-5x5 for 10m on 4 cores: a new run in runs/quad-5x5. Nothing was changed.",
		"network      32 channels, 3 blocks, 69,656 parameters",
		"generations  about 200, each of 30 plies in 256 parallel games",
		"games        about 160,000\n",
		"positions    about 1.5 million, 2500 per second",
		"samples      about 3.4 million, 5700 per second",
		"\n2m30s   ", "a guess\n", "\n5m      ", "\n10m     4.", "\n20m     ", "They follow from trainings of the game by an earlier version of ludus,\nwhich learned from ", " samples per second on each core.", `"ludus games quad-5x5 --json" lists these trainings as zoo.curve`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, " \n") {
		t.Errorf("spaces at the end of a line in\n%s", text)
	}
	const busy = "This machine is busy: ludus got 70 % of the CPU time"
	if strings.Contains(text, "busy") {
		t.Errorf("a machine that was not measured is busy:\n%s", text)
	}
	f.CPUShare = 0.7
	out.Reset()
	if newPlan(o, f).write(&out); !strings.Contains(out.String(), busy) {
		t.Errorf("%q is missing in\n%s", busy, out.String())
	}
	f.Generation, f.Games, f.Config.Plan.CPU = 50, 1234, true
	out.Reset()
	newPlan(o, f).write(&out)
	text = out.String()
	for _, want := range []string{"runs take less time on the\nclock", "for 10m of CPU time", "the run runs/quad-5x5, generation 50 so far", "games        about 1200\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "20m") {
		t.Errorf("a run that goes on has other lengths in\n%s", text)
	}
}

// Where the errors cannot be expected, the plan says why.
func TestPlanWithoutErrors(t *testing.T) {
	for _, c := range []struct {
		game   string
		change func(c *rundir.Config)
		want   string
	}{
		{"tic-tac-toe", func(*rundir.Config) {}, "No expected strength: no trainings of tic-tac-toe are recorded. The run's"},
		{"quad-5x5", func(c *rundir.Config) { c.From = "abc" }, "start from random weights, this run does not."},
		{"quad-5x5", func(c *rundir.Config) { c.Settings.Simulations = 64 }, "default settings, this run has simulations=64."},
		{"quad-5x5", func(c *rundir.Config) { c.Settings.Channels = 128 }, "this run has channels=128."},
		{"quad-5x5", func(c *rundir.Config) { c.Settings.Channels, c.Settings.Blocks, c.Settings.RatingShare = 64, 4, 0 }, "length  network alone"},
	} {
		game, o, f := fakeForecast(t, c.game)
		c.change(&f.Config)
		var out bytes.Buffer
		newPlan(o, f).write(&out)
		if !strings.Contains(out.String(), c.want) || !strings.Contains(out.String(), "positions    about 1.5 million") || !strings.Contains(out.String(), "games        a") {
			t.Errorf("%q is missing in\n%s", c.want, out.String())
		}
		if short, _ := expectation(game, &f.Config, f.Positions); (short == "") != strings.Contains(c.want, "this run") && c.game != "tic-tac-toe" {
			t.Errorf("%s: the status says %q", c.want, short)
		}
	}
}

// The plan says whether its recorded trainings are older than the methods of today.
func TestRecordedBy(t *testing.T) {
	older, a, b := zoo.Trained{}, zoo.Trained{Commit: "0123abc"}, zoo.Trained{Commit: "4567def"}
	for want, trained := range map[string][]zoo.Trained{
		"an earlier version of ludus":         {a, older},
		"ludus at commit 0123abc":             {a, a},
		"ludus at commit 0123abc and 4567def": {b, a},
	} {
		if got := recordedBy(trained); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

func TestSpeedOf(t *testing.T) {
	trained := []zoo.Trained{
		{Channels: 32, Blocks: 3, Samples: 6000, SamplesPerPosition: 8, Seconds: 10, Cores: 2},
		{Channels: 32, Blocks: 3, Samples: 8000, SamplesPerPosition: 8, Seconds: 10, Cores: 4},
		{Channels: 32, Blocks: 3, Samples: 900, SamplesPerPosition: 4, Seconds: 10, Cores: 1},
		{Channels: 64, Blocks: 3, Samples: 100, SamplesPerPosition: 8, Seconds: 10, Cores: 1},
	}
	settings := func(channels, blocks int) *rundir.Settings {
		return &rundir.Settings{Channels: channels, Blocks: blocks, SamplesPerPosition: 8}
	}
	four := settings(32, 3)
	if four.SamplesPerPosition = 4; *speedOf(trained, four) != (recordedSpeed{900.0 / 10, 900.0 / 10}) {
		t.Errorf("with 4 samples per position: %v", speedOf(trained, four))
	}
	if got := speedOf(trained, settings(32, 3)); *got != (recordedSpeed{200, 300}) || got.String() != "which learned from 200 to 300 samples per second on each core" {
		t.Errorf("%v", got)
	}
	if got := speedOf(trained, settings(64, 3)); *got != (recordedSpeed{10, 10}) || !strings.Contains(got.String(), "from 10 samples") {
		t.Errorf("%v", got)
	}
	if got := speedOf(trained, settings(32, 4)); got != nil {
		t.Errorf("without a training of that size: %v", got)
	}
}

// The samples of a position are those of the run's setting, less what repeated positions and the validation share take, although
// the recorded trainings drew 8.
func TestSamplesPerPosition(t *testing.T) {
	game, _, f := fakeForecast(t, "golden-rectangle")
	if got := samplesPerPosition(game, &f.Config); got < 2 || got > 3.8 {
		t.Errorf("%v samples of a position, with the setting 4", got)
	}
	f.Config.Settings.Simulations = 64
	if got := samplesPerPosition(game, &f.Config); got != 0 {
		t.Errorf("%v samples of a position, but no such training is recorded", got)
	}
}

// A faster machine and a longer time never make the expected errors worse.
func TestPlanImproves(t *testing.T) {
	_, o, f := fakeForecast(t, "golden-rectangle")
	var before []expectedStrength
	for f.Positions = 1e4; f.Positions < 1e8; f.Positions *= 2 {
		errors := newPlan(o, f).Expected
		for i := range errors {
			if i > 0 && errors[i].Alone.Value > errors[i-1].Alone.Value {
				t.Errorf("worse after a longer time: %+v", errors)
			}
			if before != nil && (errors[i].Alone.Value > before[i].Alone.Value || errors[i].Search.High > before[i].Search.High) {
				t.Errorf("worse on a faster machine: %+v, then %+v", before[i], errors[i])
			}
		}
		before = errors
	}
}

// The status of a training has the expected error at its end, once that is known.
func TestExpectation(t *testing.T) {
	game, _, f := fakeForecast(t, "quad-5x5")
	dir := t.TempDir()
	f.Config.Plan.Generations = 200
	if err := f.Config.Write(dir); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := watcher{progress: &progress{w: &out}, dir: dir, game: game}
	if got := w.expect(0); got != "" || out.Len() > 0 {
		t.Errorf("before anything is known: %q, %s", got, out.String())
	}
	for range 2 {
		if got := w.expect(1_338_880); !strings.HasPrefix(got, "expected at the end: error 1.11 % (0.") {
			t.Errorf("status %q", got)
		}
	}
	if strings.Count(out.String(), "\n") != 1 || !strings.HasPrefix(out.String(), "expected at the end: moves lose value in 4.47 % (3.") {
		t.Errorf("log %q", out.String())
	}
}

// --dry-run measures this machine and leaves no file behind.
func TestDryRun(t *testing.T) {
	dir := t.TempDir()
	var p plan
	if err := json.Unmarshal([]byte(run(t, dir, "", "train", "quad-5x5", "--time", "2s", "--dry-run", "--json")), &p); err != nil {
		t.Fatal(err)
	}
	if p.Game != "quad-5x5" || p.Run != filepath.Join("runs", "quad-5x5") || p.Seconds != 2 || p.Samples == 0 || p.CPUShare <= 0 || p.CPUShare > 1 || p.RecordedSpeed == nil || len(p.Expected) != 4 || p.NotExpected != "" {
		t.Errorf("%+v", p)
	}
	if out := run(t, dir, "", "train", "tic-tac-toe", "--generations", "3", "--dry-run", "--set", "parallel_games=8"); !strings.Contains(out,
		"about 3, each of 8 plies in 8 parallel games") || !strings.Contains(out, "No expected strength") {
		t.Errorf("train --dry-run prints\n%s", out)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("files %v, %v", entries, err)
	}
	fails(t, dir, 2, "--json needs --dry-run", "train", "quad-5x5", "--json")
}
