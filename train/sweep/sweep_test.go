package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ludus/checkpoints"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/stats"
	"ludus/train/suite"
)

// fake replaces training and tests. It records the runs, "ARM SEED", in the order in which their training began.
type fake struct {
	mutex            sync.Mutex
	trained, tested  []string
	keptOut          int // tests on kept-out positions
	running, most    atomic.Int64
	stop             func(begun int) error // may end training with an error
	cpu              func(j *job) float64
	score            func(j *job) float64
	generationsShort int // generations by which training stops too early
}

func (f *fake) train(_ context.Context, _ int, j *job) error {
	f.mutex.Lock()
	f.trained = append(f.trained, fmt.Sprintf("%s %d", j.arm.Name, j.seed))
	begun := len(f.trained)
	f.mutex.Unlock()
	if n := f.running.Add(1); n > f.most.Load() {
		f.most.Store(n)
	}
	defer f.running.Add(-1)
	if f.stop != nil {
		if err := f.stop(begun); err != nil {
			return err
		}
	}
	return writeRun(j.dir, 3-f.generationsShort, f.cpu(j))
}

// writeRun writes a run of three generations whose training has come to the given one.
func writeRun(dir string, generation int, cpuSeconds float64) error {
	if err := checkpoints.MkdirAll(dir); err != nil {
		return err
	}
	config := rundir.NewConfig("quad", 1, rundir.Settings{})
	for _, d := range config.Settings.List() { // any valid values
		if err := config.Settings.Change(map[string]float64{d.Key: d.Low}); err != nil {
			return err
		}
	}
	config.Plan = rundir.Plan{Generations: 3, ParallelGames: 1, PliesPerGeneration: 1}
	return errors.Join(
		config.Write(dir),
		rundir.MetricsFile.Append(dir, &rundir.Metrics{Generation: generation, Generations: 3, CPUSeconds: cpuSeconds}),
		rundir.Checkpoints(dir).Save(generation, struct{}{}, nil),
	)
}

func (f *fake) test(_ context.Context, j *job, r *Run) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.tested = append(f.tested, fmt.Sprintf("%s %d", j.arm.Name, j.seed))
	r.Score = &stats.Estimate{Value: f.score(j)}
	if r.SearchKeptOut == nil {
		r.SearchKeptOut = new(stats.Estimate)
		f.keptOut++
	}
	return nil
}

// sweep runs a sweep with the fake.
func (f *fake) sweep(t *testing.T, o Options) (*Report, error) {
	t.Helper()
	s, release, err := open(o)
	if err != nil {
		return nil, err
	}
	defer release()
	if f.cpu == nil {
		f.cpu = func(*job) float64 { return 1 }
	}
	if f.score == nil {
		f.score = func(j *job) float64 { return float64(j.seed) }
	}
	s.train, s.test = f.train, f.test
	err = s.run(context.Background())
	return s.file.report(o.Seeds), err
}

// options are those of a sweep of two arms with two seeds.
func options(t *testing.T) Options {
	game := newGame(t)
	arms, err := ParseArms(game, []string{"simulations=4,8"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Dir: t.TempDir(), Game: game, Arms: arms, Seeds: 2, Generations: 3, Threads: 1, Games: 10,
		Opponent: agent.NewFactory(game, agent.Spec{Kind: agent.Random}, nil), Progress: func(Progress) {}, Finished: func(string, Run) {},
	}
}

func check(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s %q, want %q", what, got, want)
	}
}

// TestSchedule: arms of a seed train one after the other; finished runs are repeated only if they are tested in a new
// way, and then are not trained again.
func TestSchedule(t *testing.T) {
	o := options(t)
	all := []string{"simulations=4 1", "simulations=8 1", "simulations=4 2", "simulations=8 2"}
	first := new(fake)
	r, err := first.sweep(t, o)
	if err != nil || r.Seeds != 2 || len(r.Arms) != 2 || r.Arms[1].Runs[1].Seed != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	check(t, "trained", first.trained, all...)
	check(t, "tested", first.tested, all...)

	again := new(fake)
	if r, err := again.sweep(t, o); err != nil || r.Seeds != 2 {
		t.Fatal(r, err)
	}
	check(t, "trained again", again.trained)
	check(t, "tested again", again.tested)

	more := new(fake)
	if o.Arms, err = ParseArms(o.Game, []string{"simulations=4,8"}, []string{"blocks=1"}); err != nil {
		t.Fatal(err)
	}
	o.Seeds = 3
	if r, err := more.sweep(t, o); err != nil || r.Seeds != 3 || len(r.Arms) != 3 {
		t.Fatal(r, err)
	}
	check(t, "with more", more.trained, "blocks=1 1", "blocks=1 2", "simulations=4 3", "simulations=8 3", "blocks=1 3")

	retested := new(fake)
	o.Games = 20
	if r, err := retested.sweep(t, o); err != nil || r.Seeds != 3 {
		t.Fatal(r, err)
	}
	check(t, "trained for a new test", retested.trained)
	if len(retested.tested) != 9 || retested.keptOut > 0 {
		t.Errorf("tested %q, want all 9 runs; %d results of other tests were lost", retested.tested, retested.keptOut)
	}
}

// TestKeptOutTests: kept-out positions are tested if an arm keeps them out.
func TestKeptOutTests(t *testing.T) {
	game, err := games.New("quad-5x5")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := suite.Shipped(game)
	for want, set := range map[int]string{0: "keep_out=0", len(s.KeptOutPositions().Positions): "keep_out=0,1"} {
		arms, err := ParseArms(game, []string{set}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := newFile(&Options{Game: game, Arms: arms, Suite: s}).Tests.KeptOut; got != want {
			t.Errorf("%s: %d positions are tested, want %d", set, got, want)
		}
	}
}

// TestResume: a stopped sweep repeats only what is not finished.
func TestResume(t *testing.T) {
	o := options(t)
	stopped := &fake{stop: func(begun int) error {
		if begun == 3 {
			return context.Canceled
		}
		return nil
	}}
	r, err := stopped.sweep(t, o)
	if !errors.Is(err, context.Canceled) || r.Seeds != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	rest := new(fake)
	if r, err := rest.sweep(t, o); err != nil || r.Seeds != 2 {
		t.Fatal(r, err)
	}
	check(t, "trained", rest.trained, "simulations=4 2", "simulations=8 2")

	o.Dir = t.TempDir()
	short := &fake{generationsShort: 1}
	if _, err := short.sweep(t, o); err == nil || !strings.Contains(err.Error(), "before the run was finished") {
		t.Errorf("unfinished runs: %v", err)
	}
	check(t, "tested unfinished runs", short.tested)
}

// TestParallel: as many runs train at once as there are threads, and the results do not depend on that.
func TestParallel(t *testing.T) {
	o := options(t)
	o.Threads, o.Seeds = 3, 4
	var waiting sync.WaitGroup
	waiting.Add(3)
	f := &fake{stop: func(begun int) error {
		if begun <= 3 {
			waiting.Done()
			waiting.Wait()
		}
		return nil
	}}
	r, err := f.sweep(t, o)
	if err != nil || r.Seeds != 4 || f.most.Load() != 3 || len(f.trained) != 8 {
		t.Errorf("%+v, error %v, %d at once, trained %q", r, err, f.most.Load(), f.trained)
	}
	for i := range r.Arms {
		for n, run := range r.Arms[i].Runs {
			if run.Seed != uint64(n+1) || run.Score.Value != float64(n+1) {
				t.Errorf("run %d of %s: %+v", n, r.Arms[i].Name, run)
			}
		}
	}
}

func TestConflict(t *testing.T) {
	o := options(t)
	if _, err := new(fake).sweep(t, o); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(o *Options){
		"generations": func(o *Options) { o.Generations = 4 },
		"fewer arms":  func(o *Options) { o.Arms = o.Arms[:1] },
		"other arms":  func(o *Options) { o.Arms = []Arm{o.Arms[1], o.Arms[0]} },
	} {
		changed := o
		change(&changed)
		if _, err := new(fake).sweep(t, changed); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReport compares the report with a computation by hand.
func TestReport(t *testing.T) {
	o := options(t)
	o.Seeds = 3
	scores := map[string][]float64{"simulations=4": {0.10, 0.12, 0.14}, "simulations=8": {0.09, 0.12, 0.12}}
	used := 101.9
	f := &fake{
		cpu: func(j *job) float64 {
			if j.arm.Name == "simulations=8" {
				return used
			}
			return 100
		},
		score: func(j *job) float64 { return scores[j.arm.Name][j.seed-1] },
	}
	r, err := f.sweep(t, o)
	if err != nil {
		t.Fatal(err)
	}
	// Means 0.12 and 0.11. Differences -0.01, 0, -0.02: mean -0.01, standard error sqrt(0.0002 / 6); t(2) = 4.302653.
	half := 4.302653 * math.Sqrt(0.0002/6)
	near := func(what string, got *stats.Estimate, value, half float64) {
		t.Helper()
		if got == nil || math.Abs(got.Value-value)+math.Abs(got.Low-value+half)+math.Abs(got.High-value-half) > 1e-6 {
			t.Errorf("%s: %+v, want %v ± %v", what, got, value, half)
		}
	}
	base, arm := r.Arms[0].Score, r.Arms[1].Score
	near("baseline", &base.Mean, 0.12, 4.302653*math.Sqrt(0.0008/6))
	near("difference", arm.Difference, -0.01, half)
	near("change", arm.Change, -0.01/0.12, half/0.12)
	if base.Difference != nil || base.Change != nil || r.Arms[0].Policy != nil {
		t.Errorf("baseline %+v", r.Arms[0])
	}
	if !r.EqualCPU || math.Abs(r.CPUDifference-0.019) > 1e-9 || r.Arms[1].CPUSeconds != 101.9 {
		t.Errorf("CPU time of 100 and 101.9 s: difference %v, equal %v", r.CPUDifference, r.EqualCPU)
	}
	// Seeds with the same difference say nothing of chance, nor do runs with the same result.
	scores["simulations=4"], scores["simulations=8"], o.Dir = []float64{0.3, 0.3, 0.3}, []float64{0.1, 0.1, 0.1}, t.TempDir()
	if r, err = f.sweep(t, o); err != nil || r.Arms[1].Score.Difference != nil || r.Arms[1].Score.Change != nil ||
		r.Arms[1].Score.Mean != *r.Arms[1].Runs[0].Score {
		t.Errorf("of equal seeds: %+v, %v", r.Arms[1].Score, err)
	}
	used, o.Dir = 102.1, t.TempDir()
	if r, err = f.sweep(t, o); err != nil || r.EqualCPU {
		t.Errorf("CPU time of 100 and 102.1 s counts as equal, error %v", err)
	}
}

// TestRota: threads never share a core, and each gets every core in turn.
func TestRota(t *testing.T) {
	at := make(map[int]int)
	r := newRota([]int{2, 3, 7})
	r.pin = func(pid, core int) error { at[pid] = core; return nil }
	visited := make(map[[2]int]bool)
	look := func() {
		used := make(map[int]bool)
		for pid, core := range at {
			if used[core] {
				t.Errorf("two processes on core %d: %v", core, at)
			}
			used[core], visited[[2]int{pid, core}] = true, true
		}
	}
	for thread := range 3 {
		r.enter(thread, 100+thread)
		look()
	}
	r.swap()
	look()
	r.leave(1)
	delete(at, 101)
	r.swap()
	look()
	r.enter(1, 103)
	look()
	if at[103] == 0 || !visited[[2]int{100, 2}] || !visited[[2]int{100, 3}] || !visited[[2]int{100, 7}] {
		t.Errorf("cores %v, visited %v", at, visited)
	}
}
