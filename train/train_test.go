package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/checkpoints"
	"ludus/env/games"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/check"
	"ludus/train/plan"
	"ludus/train/rundir"
)

// tiny is a run that takes a second. Its strength is not measured.
func tiny(t testing.TB, dir string, generations int) Options {
	return Options{
		Dir: dir, Game: games.Must("quad(size=4,quads=4,whites=1)"), Generations: generations, Threads: 2,
		Settings: map[string]float64{"parallel_games": 12, "plies_per_generation": 3, "simulations": 6, "channels": 4, "blocks": 1, "batch_size": 16,
			"replay_window": 100, "validation_share": 0.2, "solver_nodes": 300, "rating_share": 0},
	}
}

// measured is a tiny run whose strength is measured.
func measured(t testing.TB, dir string, generations int) Options {
	o := tiny(t, dir, generations)
	delete(o.Settings, "rating_share")
	return o
}

// fixtures is the folder of the runs that trained copies, by their number of generations.
var fixtures string

// trained returns the folder of a finished tiny run, a copy for the test. A run of each length is trained once. Short
// mode skips the test: it is about files and plans, and others start the same goroutines.
func trained(t *testing.T, generations int) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short mode leaves out tests of the files of finished runs")
	}
	dir, fixture := t.TempDir(), filepath.Join(fixtures, checkpointName(generations))
	if _, err := os.Stat(fixture); err != nil {
		mustTrain(t, tiny(t, fixture, generations))
	}
	if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// stopAfter trains until the end of a generation; before the first one if it is 0.
func stopAfter(t *testing.T, o Options, generation int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Observe = func(e Event) {
		if e.Metrics != nil && e.Metrics.Generation == generation {
			cancel()
		}
	}
	if generation == 0 {
		cancel()
	}
	if _, err := Train(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// notes adds what a run notes to text.
func notes(o *Options, text *string) {
	o.Observe = func(e Event) {
		if e.Note != "" {
			*text += e.Note + "\n"
		}
	}
}

// mustTrain trains and checks the run's files.
func mustTrain(t testing.TB, o Options) *Summary {
	t.Helper()
	s := mustTrainDamaged(t, o)
	mustBeSound(t, o.Dir)
	return s
}

// mustBeSound fails if the files of a run have faults.
func mustBeSound(t testing.TB, dir string) {
	t.Helper()
	report, err := check.Run(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range report.Faults {
		t.Error(fault)
	}
}

// mustTrainDamaged trains in a directory with damaged files.
func mustTrainDamaged(t testing.TB, o Options) *Summary {
	t.Helper()
	s, err := Train(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestValueScaleGoesWithTheWeights: the weights of a run hold its value_scale, which searches with them use.
func TestValueScaleGoesWithTheWeights(t *testing.T) {
	o := tiny(t, t.TempDir(), 1)
	o.Settings["value_scale"] = 0.125
	mustTrain(t, o)
	weights, _, err := rundir.LoadWeights(agent.Reference{Path: o.Dir})
	if err != nil || weights.ValueScale != 0.125 {
		t.Errorf("value scale %v, error %v", weights.ValueScale, err)
	}
}

// sameRun compares the games and the newest weights of two runs, byte by byte, and their counters.
func sameRun(t *testing.T, a, b string, generations int) {
	t.Helper()
	mustBeSound(t, a)
	mustBeSound(t, b)
	var names []string
	parts, err := os.ReadDir(filepath.Join(a, "checkpoints", checkpointName(generations)))
	if err != nil || len(parts) < 4 {
		t.Fatalf("%d files in the checkpoint, error %v", len(parts), err)
	}
	for _, part := range parts {
		if part.Name() != "manifest.json" { // it holds times
			names = append(names, filepath.Join("checkpoints", checkpointName(generations), part.Name()))
		}
	}
	for g := 1; g <= generations; g++ {
		names = append(names, strings.TrimPrefix(rundir.GamesPath("", g), "/"))
	}
	for _, name := range names {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs between %s and %s", name, a, b)
		}
	}
	if x, y := countersOf(t, a), countersOf(t, b); !reflect.DeepEqual(x, y) {
		t.Errorf("counters %+v and %+v", x, y)
	}
}

// countersOf returns a run's counters without times and config.
func countersOf(t *testing.T, dir string) (c counters) {
	t.Helper()
	checkpoint, _, err := rundir.Checkpoints(dir).Newest()
	if err == nil {
		err = json.Unmarshal(checkpoint.Meta, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Seconds, c.CPUSeconds, c.Config = 0, 0, nil
	return c
}

// isPhase reports whether an event is progress in a phase.
func isPhase(e Event, phase Phase) bool { return e.Progress != nil && e.Progress.Phase == phase }

func checkpointName(id int) string { return fmt.Sprintf("%06d", id) }

func TestThreadsDoNotMatter(t *testing.T) {
	const generations = 6
	one, four := t.TempDir(), t.TempDir()
	o := tiny(t, one, generations)
	o.Settings["batch_size"] = 80     // several parts of gradients
	o.Settings["parallel_games"] = 40 // more than one worker plays at once, fewer than four do
	o.Threads = 1
	mustTrain(t, o)
	o.Dir, o.Threads = four, 4
	mustTrain(t, o)
	sameRun(t, one, four, generations)
	sameMetrics(t, one, four, generations)
}

func TestSeedMatters(t *testing.T) {
	first := trained(t, 2)
	o, seed := tiny(t, t.TempDir(), 2), uint64(2)
	o.Seed = &seed
	mustTrain(t, o)
	x, _ := os.ReadFile(rundir.GamesPath(first, 2))
	y, _ := os.ReadFile(rundir.GamesPath(o.Dir, 2))
	if bytes.Equal(x, y) {
		t.Error("two seeds gave the same games")
	}
}

// TestMain runs the tests, or the process that ChildVariable describes: "train DIR" for TestKill, else one of the fault
// tests.
func TestMain(m *testing.M) {
	description := os.Getenv(ChildVariable)
	var err error
	if description == "" {
		if fixtures, err = os.MkdirTemp("", "ludus-train-"); err == nil {
			code := m.Run()
			os.RemoveAll(fixtures)
			os.Exit(code)
		}
	} else if dir, ok := strings.CutPrefix(description, "train "); ok {
		_, err = Train(context.Background(), measured(&testing.B{}, dir, killGenerations))
	} else {
		err = Child(description)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

const killGenerations = 8

// TestKill kills a run at many moments spread over its length and restarts it each time: the result equals that of an
// uninterrupted run.
func TestKill(t *testing.T) {
	whole, killed := t.TempDir(), ""
	start := time.Now()
	mustTrain(t, measured(t, whole, killGenerations))
	step := time.Since(start) / 40
	for kills := 0; kills < 5; step /= 2 { // again with shorter steps if the machine is faster than it was
		killed = t.TempDir()
		kills = killOften(t, killed, step)
		t.Logf("killed %d times", kills)
	}
	sameRun(t, whole, killed, killGenerations)
	sameMetrics(t, whole, killed, killGenerations)
	wholeScores(t, killed, killGenerations)
}

// killOften kills the run of a child again and again until it is complete, each time a step later than before. It
// returns the number of kills.
func killOften(t *testing.T, dir string, step time.Duration) (kills int) {
	t.Helper()
	for wait := step; kills <= 200; wait += step {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), ChildVariable+"=train "+dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			return kills
		}
		if cmd.ProcessState.ExitCode() == 1 {
			t.Fatalf("after %d kills: %s", kills, stderr.String())
		}
		kills++
	}
	t.Fatal("the run does not get on")
	return 0
}

// sameMetrics compares the metrics of two runs, except times and evaluations: how many evaluations the workers' caches
// save depends on which worker plays which game.
func sameMetrics(t *testing.T, a, b string, generations int) {
	t.Helper()
	read := func(dir string) (all []rundir.Metrics) {
		lines, err := checkpoints.ReadLines(filepath.Join(dir, "metrics.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			var m rundir.Metrics
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			if m.Evaluations < 1 && m.ImportedGames == 0 || m.Evaluations > m.Simulations+3*m.Positions { // openings have some, too
				t.Errorf("%s: %d evaluations for %d simulations of %d positions", dir, m.Evaluations, m.Simulations, m.Positions)
			}
			m.PlaySeconds, m.SolveSeconds, m.LearnSeconds, m.RunSeconds, m.CPUSeconds = 0, 0, 0, 0, 0
			m.IdleShare, m.Evaluations = 0, 0
			all = append(all, m)
		}
		return all
	}
	x, y := read(a), read(b)
	if len(x) != generations || !reflect.DeepEqual(x, y) {
		t.Errorf("metrics of %d generations differ:\n%+v\n%+v", generations, x, y)
	}
}

// TestCancel stops a run at each of its events in turn.
func TestCancel(t *testing.T) {
	const generations = 3
	whole, stopped := trained(t, generations), t.TempDir()
	for events := 1; ; events++ {
		ctx, cancel := context.WithCancel(t.Context())
		o, seen := measured(t, stopped, generations), 0
		o.Observe = func(Event) {
			seen++
			if seen == events {
				cancel()
			}
		}
		_, err := Train(ctx, o)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	sameRun(t, whole, stopped, generations)
}

func TestDamagedCheckpoint(t *testing.T) {
	const generations = 5
	whole, damaged := trained(t, generations), trained(t, generations)
	path := filepath.Join(damaged, "checkpoints", checkpointName(generations), "weights.safetensors")
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	o, said := tiny(t, damaged, generations), ""
	notes(&o, &said)
	mustTrain(t, o)
	if strings.Count(said, "\n") != 1 || !strings.Contains(said, "weights.safetensors") {
		t.Errorf("notes %q do not name the damaged part", said)
	}
	sameRun(t, whole, damaged, generations)
}

// TestMissingCheckpoints: a run without its checkpoints does not start over beside its old games and metrics; one that
// misses only the newest reports where it continues.
func TestMissingCheckpoints(t *testing.T) {
	const generations = 5
	whole, dir := trained(t, generations), trained(t, generations)
	folder := filepath.Join(dir, "checkpoints")
	if err := os.RemoveAll(filepath.Join(folder, checkpointName(generations))); err != nil {
		t.Fatal(err)
	}
	o, said := tiny(t, dir, generations), ""
	notes(&o, &said)
	mustTrain(t, o)
	if want := "generation 5 has no checkpoint; continuing from generation 4\n"; said != want {
		t.Errorf("notes %q, want %q", said, want)
	}
	sameRun(t, whole, dir, generations)

	metrics, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string) {
		t.Helper()
		_, err := Train(t.Context(), tiny(t, dir, generations))
		if !errors.Is(err, ErrCheckpoints) || !strings.Contains(err.Error(), "generation 5") ||
			!strings.Contains(err.Error(), "start over") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for g := 1; g <= generations; g++ {
		if err := os.RemoveAll(filepath.Join(folder, checkpointName(g))); err != nil {
			t.Fatal(err)
		}
	}
	refused("with checkpoint 0 only")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	refused("without checkpoints")
	if after, _ := os.ReadFile(filepath.Join(dir, "metrics.jsonl")); !bytes.Equal(metrics, after) {
		t.Error("a refused run changed metrics.jsonl")
	}
	if err := os.Remove(filepath.Join(dir, "metrics.jsonl")); err != nil {
		t.Fatal(err)
	}
	refused("without checkpoints and metrics")
	if _, err := os.Stat(folder); err == nil {
		t.Error("a refused run made checkpoints")
	}
}

func TestMore(t *testing.T) {
	dir := trained(t, 10)
	games := countersOf(t, dir).Games
	first := mustTrain(t, tiny(t, dir, 10))
	if !first.Already || first.Games != games {
		t.Errorf("a finished run was not left alone: %+v", first)
	}
	if fewer := mustTrain(t, tiny(t, dir, 8)); !fewer.Already || fewer.Config.Plan.Generations != 10 {
		t.Error("asking for fewer generations changed a finished run")
	}
	o, said := tiny(t, dir, 14), ""
	notes(&o, &said)
	more := mustTrain(t, o)
	if !strings.Contains(said, "the network goes on from generation 6, before its learning rate fell\n") {
		t.Errorf("notes %q", said)
	}
	plan := more.Config.Plan
	if more.Already || plan.Generations != 14 || plan.Resumed != 10 || plan.Rewound != 6 {
		t.Errorf("the extended plan is %+v", plan)
	}
	if more.Games <= first.Games || more.Steps <= first.Steps {
		t.Errorf("%d games and %d steps became %d and %d", first.Games, first.Steps, more.Games, more.Steps)
	}
	if plan := mustTrain(t, tiny(t, dir, 30)).Config.Plan; plan.Resumed != 14 || plan.Rewound != 6 {
		t.Errorf("a plan that never rose above the fall went back to another generation: %+v", plan)
	}
	if plan := mustTrain(t, tiny(t, dir, 31)).Config.Plan; plan.Resumed != 30 || plan.Rewound != 16 {
		t.Errorf("the plan extended a third time is %+v", plan)
	}
}

// TestOwedSteps: a finished run that gets one more generation, and goes back for it, ends with more training steps.
func TestOwedSteps(t *testing.T) {
	dir := trained(t, 10)
	before := countersOf(t, dir)
	if after := mustTrain(t, tiny(t, dir, 11)); after.Config.Plan.Rewound != 6 || after.Steps <= before.Steps {
		t.Errorf("%d steps became %d by plan %+v", before.Steps, after.Steps, after.Config.Plan)
	}
}

// TestMoreInterrupted extends a run and interrupts it several times: the result is the same.
func TestMoreInterrupted(t *testing.T) {
	whole, stopped := trained(t, 5), trained(t, 5)
	mustTrain(t, tiny(t, whole, 9))
	for _, stop := range []func(e Event) bool{
		func(e Event) bool { return isPhase(e, Learning) && e.Progress.Generation == 6 }, // with steps owed
		func(e Event) bool { return e.Metrics != nil && e.Metrics.Generation == 6 },
		func(e Event) bool { return isPhase(e, Learning) && e.Progress.Generation == 7 },
		func(e Event) bool { return e.Metrics != nil && e.Metrics.Generation == 8 },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		o := tiny(t, stopped, 9)
		o.Observe = func(e Event) {
			if stop(e) {
				cancel()
			}
		}
		if _, err := Train(ctx, o); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
	}
	mustTrain(t, tiny(t, stopped, 9))
	sameRun(t, whole, stopped, 9)
}

// TestDamagedRewind: if the checkpoint to go back to is damaged, the learner continues from the newest.
func TestDamagedRewind(t *testing.T) {
	dir := trained(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	o := tiny(t, dir, 14)
	o.Observe = func(e Event) { cancel() } // with the new plan written, and nothing done
	if _, err := Train(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, id := range []int{8, 7, 6} {
		path := filepath.Join(dir, "checkpoints", checkpointName(id), "optimizer.safetensors")
		if err := os.Truncate(path, 30); err != nil {
			t.Fatal(err)
		}
	}
	said := ""
	notes(&o, &said)
	if s := mustTrainDamaged(t, o); s.Config.Plan.Generations != 14 || !strings.Contains(said, "continues from generation 10") {
		t.Errorf("plan %+v, notes %q", s.Config.Plan, said)
	}
}

// TestDamagedGames: files of games that are damaged or missing are named and left out.
func TestDamagedGames(t *testing.T) {
	dir := trained(t, 5)
	if err := os.Truncate(rundir.GamesPath(dir, 4), 20); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(rundir.GamesPath(dir, 2)); err != nil {
		t.Fatal(err)
	}
	o, said := tiny(t, dir, 7), ""
	notes(&o, &said)
	if s := mustTrainDamaged(t, o); s.Config.Plan.Generations != 7 || !strings.Contains(said, "000004.games") ||
		!strings.Contains(said, "also the games of generations 2; continuing without these games") {
		t.Errorf("plan %+v, notes %q", s.Config.Plan, said)
	}
}

func TestRefusals(t *testing.T) {
	dir := trained(t, 2)
	config, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	other := tiny(t, dir, 2)
	other.Game = games.Must("quad-5x5")
	setting := tiny(t, dir, 2)
	setting.Settings["simulations"] = 7
	seed := tiny(t, dir, 2)
	seven := uint64(7)
	seed.Seed = &seven
	foreign := tiny(t, t.TempDir(), 2)
	if err := os.WriteFile(filepath.Join(foreign.Dir, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	newer := tiny(t, t.TempDir(), 2)
	if err := os.WriteFile(filepath.Join(newer.Dir, "config.json"), bytes.Replace(config, []byte(`"version": 4`), []byte(`"version": 9`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	older := tiny(t, t.TempDir(), 2)
	if err := os.WriteFile(filepath.Join(older.Dir, "config.json"), bytes.Replace(config, []byte(`"version": 4`), []byte(`"version": 1`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	odd := tiny(t, filepath.Join(t.TempDir(), "odd"), 2)
	odd.Settings["channels"] = 30
	torn := tiny(t, t.TempDir(), 2)
	if err := os.WriteFile(filepath.Join(torn.Dir, "config.json"), config[:len(config)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		options Options
		want    error
		says    string
	}{
		{"another game", other, ErrOtherGame, "not of quad-5x5"},
		{"another setting", setting, ErrConflict, "simulations=7 (the run has 6)"},
		{"another seed", seed, ErrConflict, "seed=7 (the run has 1)"},
		{"a folder of something else", foreign, rundir.ErrNoRun, "thesis.txt"},
		{"an older format", older, checkpoints.ErrVersion, "format version 1, this program reads 4"},
		{"a newer format", newer, checkpoints.ErrVersion, "version 9"},
		{"a torn config.json", torn, checkpoints.ErrDamaged, "config.json"},
	} {
		_, err := Train(context.Background(), c.options)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want one that wraps %q and says %q", c.name, err, c.want, c.says)
		}
	}
	if _, err := Train(context.Background(), odd); err == nil || !strings.Contains(err.Error(), "multiple of 4") {
		t.Errorf("30 channels give %v", err)
	}
	if _, err := os.Stat(odd.Dir); err == nil {
		t.Error("a run that could not begin left its folder behind")
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "config.json")); !bytes.Equal(config, after) {
		t.Error("a refused call changed config.json")
	}
	release, err := checkpoints.Lock(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := Train(context.Background(), tiny(t, dir, 2)); !errors.Is(err, checkpoints.ErrLocked) {
		t.Errorf("a run in use gives %v", err)
	}
}

// TestLength: absurd lengths, and a time too short to measure the machine in, are rejected; no folder is left behind.
func TestLength(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct {
		time        time.Duration
		generations int
		says        string
	}{
		{999999 * time.Hour, 0, "at most 720h (30 days)"},
		{0, 1e9, "at most 100000"},
		{-time.Second, 0, "at most 720h"},
		{time.Microsecond, 0, "the time limit ended while this machine's speed was measured"},
	} {
		o := tiny(t, dir, c.generations)
		o.Time = c.time
		if _, err := Train(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, %d generations: error %v; want one that says %q", c.time, c.generations, err, c.says)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a rejected run left its folder behind")
	}
}

// TestFrom starts a run from a weights file: it takes over the network's size or a larger one, and refuses smaller ones
// and other games.
func TestFrom(t *testing.T) {
	first := trained(t, 2)
	weights, origin, err := rundir.LoadWeights(agent.Reference{Path: first})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "weights.safetensors")
	if err := os.WriteFile(file, weights.Marshal(), 0o666); err != nil {
		t.Fatal(err)
	}
	o := tiny(t, t.TempDir(), 1)
	o.From = file
	delete(o.Settings, "channels")
	delete(o.Settings, "blocks")
	s := mustTrain(t, o)
	if s.Config.Settings.Channels != 4 || s.Config.Settings.Blocks != 1 || s.Config.From != origin.Digest {
		t.Errorf("config %+v", s.Config)
	}
	start, _, err := rundir.LoadWeights(agent.Reference{Path: o.Dir, At: "0"})
	if err != nil || !reflect.DeepEqual(start.Tensors, weights.Tensors) {
		t.Errorf("the run does not start with the weights of the file: %v", err)
	}
	checkpoint := tiny(t, t.TempDir(), 1)
	checkpoint.From = first + "@1"
	mustTrain(t, checkpoint)
	weights1, _, err := rundir.LoadWeights(agent.Reference{Path: first, At: "1"})
	start, _, err2 := rundir.LoadWeights(agent.Reference{Path: checkpoint.Dir, At: "0"})
	if err := errors.Join(err, err2); err != nil || !reflect.DeepEqual(start.Tensors, weights1.Tensors) {
		t.Errorf("the run does not start with the weights of generation 1: %v", err)
	}
	grown := tiny(t, t.TempDir(), 1)
	grown.From, grown.Settings["channels"], grown.Settings["blocks"] = file, 8, 2
	mustTrain(t, grown)
	start, _, err = rundir.LoadWeights(agent.Reference{Path: grown.Dir, At: "0"})
	for _, folder := range []string{rundir.CheckpointsDir, "games", "metrics.jsonl"} { // as if killed before checkpoint 0
		if err := os.RemoveAll(filepath.Join(grown.Dir, folder)); err != nil {
			t.Fatal(err)
		}
	}
	grown.From, grown.Settings = "", nil
	if _, err := Train(t.Context(), grown); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "give that file again") {
		t.Errorf("a run from weights, without them: %v", err)
	}
	grown.From = file
	mustTrain(t, grown)
	again, _, err2 := rundir.LoadWeights(agent.Reference{Path: grown.Dir, At: "0"})
	if err2 != nil || !reflect.DeepEqual(again, start) {
		t.Errorf("the run starts again with another network: %v", err2)
	}
	if err != nil || start.Config.Channels != 8 || start.Config.Blocks != 2 ||
		!slices.Equal(start.Lookup("stem.conv").Data[:len(weights.Lookup("stem.conv").Data)], weights.Lookup("stem.conv").Data) {
		t.Errorf("the run does not start with a larger network: %v", err)
	}
	shrunk := tiny(t, t.TempDir(), 1)
	shrunk.From = grown.Dir
	if _, err := Train(t.Context(), shrunk); !errors.Is(err, ErrNetworkSize) {
		t.Errorf("fewer channels: %v", err)
	}
	game := tiny(t, t.TempDir(), 1)
	for name, want := range map[string]string{"hex-5x5": `the game is "hex-5x5"`, "quad-5x5": `9 planes, 2 kinds of moves on cells`} {
		game.From, game.Game = file, games.Must(name)
		if _, err := Train(t.Context(), game); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("weights of another game for %s: %v", name, err)
		}
	}
	larger := tiny(t, t.TempDir(), 1)
	larger.From, larger.Game = file, games.Must("quad(size=5,quads=3,whites=1)")
	mustTrain(t, larger)
	want, err := weights.Resize(games.Must(weights.Config.Game), larger.Game)
	if err != nil {
		t.Fatal(err)
	}
	start, _, err = rundir.LoadWeights(agent.Reference{Path: larger.Dir, At: "0"})
	if err != nil || !reflect.DeepEqual(start.Tensors, want.Tensors) {
		t.Errorf("the run on a larger board does not start with the resized weights: %v", err)
	}
	larger.Generations = 2
	if s := mustTrain(t, larger); s.Already || s.Config.Plan.Generations != 2 {
		t.Errorf("the run on a larger board does not continue: %+v", s)
	}
	changed := o
	changed.From = filepath.Join(t.TempDir(), "other")
	weights.Tensors[0].Data[0]++
	if err := os.WriteFile(changed.From, weights.Marshal(), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Train(t.Context(), changed); !errors.Is(err, ErrConflict) {
		t.Errorf("another file: %v", err)
	}
	changed.From, changed.Load = agent.Zoo, func(agent.Reference) (*infer.Weights, agent.Origin, error) {
		return weights, agent.Origin{Digest: "another"}, nil
	}
	if _, err := Train(t.Context(), changed); !errors.Is(err, ErrConflict) ||
		!strings.Contains(err.Error(), "the shipped one may have changed since)") {
		t.Errorf("another shipped network: %v", err)
	}
}

// TestKeepNewest changes the number of checkpoints to keep in an existing run.
func TestKeepNewest(t *testing.T) {
	dir := trained(t, 2)
	o := tiny(t, dir, 5)
	o.Settings["keep_newest"], o.Settings["keep_every"] = 2, 0
	mustTrain(t, o)
	config, err := rundir.ReadConfig(dir)
	ids, err2 := rundir.Checkpoints(dir).List()
	if err := errors.Join(err, err2); err != nil || config.Settings.KeepNewest != 2 || slices.Contains(ids, 1) { // 5 are kept by default
		t.Errorf("%+v, checkpoints %v, %v", config.Settings, ids, err)
	}
}

// A run from before its game got a name goes on.
func TestFullName(t *testing.T) {
	o := tiny(t, t.TempDir(), 1)
	o.Game = games.Must("tic-tac-toe")
	mustTrain(t, o)
	path := filepath.Join(o.Dir, "config.json")
	config, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	full := bytes.Replace(config, []byte(`"tic-tac-toe"`), []byte(`"`+o.Game.Full+`"`), 1)
	if err := os.WriteFile(path, full, 0o644); err != nil || bytes.Equal(full, config) {
		t.Fatal(err)
	}
	o.Generations = 2
	if s := mustTrain(t, o); s.Already || s.Config.Plan.Generations != 2 {
		t.Errorf("%+v", s)
	}
}

// An unfinished run may get another length at any time. If its learning rate decays already and the length is greater,
// the learner goes back to before the decay.
func TestOtherLength(t *testing.T) {
	dir := t.TempDir()
	conflicts := func(o Options, want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := Train(ctx, o); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d generations or %v: %v, want %q", o.Generations, o.Time, err, want)
		}
	}
	stopAfter(t, tiny(t, dir, 5), 2)
	conflicts(tiny(t, dir, 2), "generation 2 of 5")
	timed := tiny(t, dir, 0)
	timed.Time = time.Millisecond
	conflicts(timed, "generation 2 of 5")
	stopAfter(t, tiny(t, dir, 20), 4)
	timed.Time = time.Hour
	stopAfter(t, timed, 5)
	if config, err := rundir.ReadConfig(dir); err != nil || config.Plan.Seconds != 3600 || config.Plan.Generations <= 100 {
		t.Errorf("after another time: %+v, %v", config.Plan, err)
	}
	if p := mustTrain(t, tiny(t, dir, 7)).Config.Plan; p.Generations != 7 || p.Seconds != 0 || p.Adjusted != 0 || p.Changed != 5 || p.Resumed != 0 {
		t.Errorf("after fewer generations: %+v", p)
	}
	if p := mustTrain(t, tiny(t, dir, 8)).Config.Plan; p.Generations != 8 || p.Resumed != 7 || p.Rewound != 5 {
		t.Errorf("the learner goes back to the last generation before the decay of either plan: %+v", p)
	}

	dir = t.TempDir()
	const generations = 6
	last := plan.LastBeforeDecay(&rundir.Plan{Generations: generations})
	stopAfter(t, tiny(t, dir, generations), last)
	stopAfter(t, tiny(t, dir, generations+1), last+1) // another length may come late
	dir = t.TempDir()
	stopAfter(t, tiny(t, dir, generations), last+1)
	if p := mustTrain(t, tiny(t, dir, 9)).Config.Plan; p.Generations != 9 || p.Resumed != 5 || p.Rewound != 4 {
		t.Errorf("a greater length while the learning rate decays: %+v", p)
	}
	dir = t.TempDir()
	stopAfter(t, tiny(t, dir, 9), 7)
	if p := mustTrain(t, tiny(t, dir, 8)).Config.Plan; p.Generations != 8 || p.Resumed != 0 {
		t.Errorf("a smaller length while the learning rate decays: %+v", p)
	}

	dir = t.TempDir()
	stopAfter(t, tiny(t, dir, 5), 0)
	timed.Dir = dir
	conflicts(timed, "no generation is finished")
	if s := mustTrain(t, tiny(t, dir, 2)); s.Config.Plan.Generations != 2 {
		t.Errorf("another length before the first generation: %+v", s.Config.Plan)
	}
}

// TestDiverged: a run whose losses leave all bounds stops with an error, says so in its config, and keeps the
// checkpoint before.
func TestDiverged(t *testing.T) {
	dir := t.TempDir()
	o := tiny(t, dir, 20)
	o.Game = games.Must("quad-5x5")
	maps.Copy(o.Settings, map[string]float64{
		"learning_rate": 1, "channels": 16, "parallel_games": 32, "plies_per_generation": 6, "batch_size": 32, "samples_per_position": 6})
	if _, err := Train(t.Context(), o); !errors.Is(err, model.ErrDiverged) || !strings.Contains(err.Error(), "policy loss") {
		t.Fatalf("error %v", err)
	}
	mustBeSound(t, dir)
	config, err := rundir.ReadConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	metrics, _, err := rundir.MetricsFile.Read(dir)
	last := committed(t, dir).Generation
	if config.Plan.Diverged != last+1 || err != nil || len(metrics) != last {
		t.Errorf("plan %+v after generation %d, %d lines of metrics, %v", config.Plan, last, len(metrics), err)
	}
}

// TestTimePlan gives a run some seconds: it ends by itself after some generations, in at most twice the time. Other
// load on the machine may spoil one try, but hardly three.
func TestTimePlan(t *testing.T) {
	const tries = 3
	for try := 1; ; try++ {
		o := measured(t, t.TempDir(), 0)
		o.Time = 3 * time.Second
		start := time.Now()
		s := mustTrain(t, o)
		spent := time.Since(start)
		wholeScores(t, o.Dir, s.Config.Plan.Last())
		if spent <= 2*o.Time && s.Config.Plan.Generations >= 2 {
			return
		}
		if try == tries {
			t.Fatalf("a run of %v took %v, of plan %+v, and the %d tries before were no better", o.Time, spent, s.Config.Plan, tries-1)
		}
	}
}

// TestCPUPlan: a run limited in CPU time ends close to its limit, and the CPU time of a continued run includes that of
// its earlier processes.
func TestCPUPlan(t *testing.T) {
	o := tiny(t, t.TempDir(), 0)
	const limit = 3 // seconds, enough for three generations under the race detector
	o.Time, o.CPUTime = limit*time.Second, true
	s := mustTrain(t, o)
	spent, longest := cpuSeconds(t, o.Dir)
	least := min(0.7*limit, limit-2*longest)
	if s.Config.Plan.Generations < 3 { // too few to adjust the plan
		least = 0
	}
	if spent < least || spent > 1.2*limit || !s.Config.Plan.CPU {
		t.Errorf("%.2f s of CPU time with a limit of %d s, plan %+v", spent, limit, s.Config.Plan)
	}
	o.Time, o.CPUTime, o.Generations = 0, false, s.Config.Plan.Generations+1
	mustTrain(t, o)
	if now, _ := cpuSeconds(t, o.Dir); now <= spent || now >= 2*spent {
		t.Errorf("%.2f s of CPU time after %.2f s and another generation", now, spent)
	}
}

// cpuSeconds is the CPU time of a run up to its last generation, and that of its longest generation after the first.
func cpuSeconds(t *testing.T, dir string) (total, longest float64) {
	t.Helper()
	metrics, _, err := rundir.MetricsFile.Read(dir)
	if err != nil || len(metrics) == 0 {
		t.Fatalf("%d generations, error %v", len(metrics), err)
	}
	for i := 1; i < len(metrics); i++ {
		longest = max(longest, metrics[i].CPUSeconds-metrics[i-1].CPUSeconds)
	}
	return metrics[len(metrics)-1].CPUSeconds, longest
}
