package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/cpu"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/stats"
	"ludus/train/suite"
)

// Options configure a sweep. Exactly one of Generations and CPU is set.
type Options struct {
	Dir         string
	Game        *env.Game
	Arms        []Arm // see [ParseArms]; the first is the baseline
	Seeds       int   // runs per arm, 1 to MaxSeeds
	Generations int   // generations per run
	CPU         time.Duration
	Threads     int // runs at once, each on one core; 1 or more

	Suite     *suite.Suite   // tests each run, without and with search; nil: no test
	Positions int            // number of the suite's positions to use; 0: all
	Opponent  *agent.Factory // plays a match against each run; nil: no match
	Games     int            // games of each match

	// Command returns the command that trains a run with one thread, or continues it, and exits with status 0 when the
	// run is finished. An interrupt stops it; the same command then continues the run.
	Command func(context.Context, Training) *exec.Cmd
	// Progress is called about once a second, Finished for each run that has been trained and tested. Calls do not overlap.
	Progress func(Progress)
	Finished func(arm string, r Run)
}

// Training identifies a run to train: see [Options.Command].
type Training struct {
	Dir         string
	Game        *env.Game
	Seed        uint64
	Settings    []string // as KEY=VALUE
	Generations int
	CPU         time.Duration
}

// Progress is how far a sweep has come.
type Progress struct {
	Done, Runs int     // finished runs, and all runs of the sweep
	Share      float64 // completed share of the sweep, 0 to 1
}

// Execute trains and tests all unfinished runs and returns the results. If ctx ends, it stops the training processes and
// returns the results so far with ctx's error. A later call with the same options continues the sweep, and may add seeds,
// arms at the end, or tests. Errors wrap [ErrConflict] if o.Dir holds another sweep.
func Execute(ctx context.Context, o Options) (*Report, error) {
	s, release, err := open(o)
	if err != nil {
		return nil, err
	}
	defer release()
	err = s.run(ctx)
	return s.file.report(o.Seeds), err
}

// open opens a sweep directory and holds its lock until release is called.
func open(o Options) (s *sweeper, release func(), err error) {
	if err := checkpoints.MkdirAll(o.Dir); err != nil {
		return nil, nil, err
	}
	if release, err = checkpoints.Lock(filepath.Join(o.Dir, lockFile)); err != nil {
		return nil, nil, err
	}
	f, err := openFile(&o)
	if err == nil {
		err = f.write(o.Dir)
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	s = &sweeper{Options: o, file: f, cores: newRota(cpu.Cores()), running: make(map[string]bool)}
	s.train, s.test = s.trainRun, s.testRun
	return s, release, nil
}

// sweeper is the state of a sweep in progress.
type sweeper struct {
	Options
	cores *rota
	// Functions that train and test a run: trainRun and testRun, which tests replace.
	train func(ctx context.Context, thread int, j *job) error
	test  func(ctx context.Context, j *job, r *Run) error

	mutex   sync.Mutex // guards the fields below, and calls of Progress and Finished
	file    *file
	done    int             // number of finished runs
	running map[string]bool // directories of the runs in training or in test
}

// job is a run to train and test.
type job struct {
	arm    *fileArm
	number int    // run's number in its arm, from 1
	seed   uint64 // run's seed
	dir    string
	known  Run // results of earlier tests
}

// swapEvery is the time after which training processes change cores. A change costs little: the caches are refilled.
const swapEvery = 5 * time.Second

// run trains and tests all unfinished runs on s.Threads goroutines.
func (s *sweeper) run(ctx context.Context) error {
	jobs := s.jobs()
	all := s.Seeds * len(s.file.Arms)
	s.done = all - len(jobs)
	queue := make(chan *job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	group, ctx := errgroup.WithContext(ctx)
	for thread := range min(s.Threads, len(jobs)) {
		group.Go(func() error {
			for j := range queue {
				if err := s.do(ctx, thread, j); err != nil {
					return err
				}
			}
			return nil
		})
	}
	finished := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { s.watch(finished, all) })
	err := group.Wait()
	close(finished)
	watching.Wait()
	return err
}

// watch rotates the cores and reports progress until finished is closed. all is the number of the sweep's runs.
func (s *sweeper) watch(finished <-chan struct{}, all int) {
	swap, look := time.NewTicker(swapEvery), time.NewTicker(time.Second)
	defer swap.Stop()
	defer look.Stop()
	for {
		select {
		case <-finished:
			return
		case <-swap.C:
			s.cores.swap()
		case <-look.C:
			s.progress(all)
		}
	}
}

// jobs lists the unfinished runs in the order of seeds, so that arms that are compared train at the same time.
func (s *sweeper) jobs() (jobs []*job) {
	for n := range s.Seeds {
		for i := range s.file.Arms {
			arm := &s.file.Arms[i]
			seed := arm.FirstSeed + uint64(n)
			r := arm.run(seed)
			if !s.file.Tests.complete(r) {
				j := &job{arm: arm, number: n + 1, seed: seed, dir: filepath.Join(s.Dir, arm.dir(seed))}
				if r != nil {
					j.known = *r
				}
				jobs = append(jobs, j)
			}
		}
	}
	return jobs
}

// do trains a run, unless it is already trained, and tests it.
func (s *sweeper) do(ctx context.Context, thread int, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mutex.Lock()
	s.running[j.dir] = true
	s.mutex.Unlock()
	r, err := trained(j.dir)
	if err == nil && r == nil {
		if err = s.train(ctx, thread, j); err == nil {
			r, err = trained(j.dir)
		}
	}
	if err == nil && r == nil {
		err = errors.New("training ended before the run was finished")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", j.dir, err)
	}
	tested := j.known
	tested.Seed, tested.Dir, tested.Generations, tested.CPUSeconds = j.seed, r.Dir, r.Generations, r.CPUSeconds
	r = &tested
	if err := s.test(ctx, j, r); err != nil {
		return fmt.Errorf("%s: %w", j.dir, err)
	}
	return s.finish(j, r)
}

// finish stores the results of a run in sweep.json and reports the run.
func (s *sweeper) finish(j *job, r *Run) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if earlier := j.arm.run(j.seed); earlier != nil {
		*earlier = *r
	} else {
		j.arm.Runs = append(j.arm.Runs, *r)
	}
	delete(s.running, j.dir)
	s.done++
	if err := s.file.write(s.Dir); err != nil {
		return err
	}
	s.Finished(j.arm.Name, *r)
	return nil
}

// trained returns the run in dir if it is finished, without test results; otherwise nil.
func trained(dir string) (*Run, error) {
	config, err := rundir.ReadConfig(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	newest, _, err := rundir.Checkpoints(dir).Newest()
	if errors.Is(err, checkpoints.ErrNoCheckpoint) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	last := config.Plan.Last()
	if newest.ID < last {
		return nil, nil
	}
	for _, m := range rundir.MetricsFile.Tail(dir) {
		if m.Generation == last {
			return &Run{Dir: filepath.Base(dir), Generations: last, CPUSeconds: m.CPUSeconds}, nil
		}
	}
	return nil, fmt.Errorf("%s has no line for the last generation, %d", rundir.MetricsFile.Name, last)
}

// progress reports how far the sweep has come.
func (s *sweeper) progress(all int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	sum := float64(s.done)
	for dir := range s.running {
		sum += shareOf(dir)
	}
	s.Progress(Progress{Done: s.done, Runs: all, Share: sum / float64(all)})
}

// shareOf returns the completed share of the plan of the run in dir.
func shareOf(dir string) float64 {
	lines := rundir.MetricsFile.Tail(dir)
	if len(lines) == 0 {
		return 0
	}
	newest := &lines[len(lines)-1]
	return float64(newest.Generation) / float64(max(1, newest.Generations))
}

// testRun tests a trained run on the suite and against the opponent. It skips tests whose results are known.
func (s *sweeper) testRun(ctx context.Context, j *job, r *Run) error {
	if s.Suite != nil && r.Search == nil {
		if err := s.testOn(ctx, s.Suite, j.dir, &r.Policy, &r.Search); err != nil {
			return err
		}
	}
	if s.file.Tests.KeptOut > 0 && r.SearchKeptOut == nil {
		if err := s.testOn(ctx, s.Suite.KeptOutPositions(), j.dir, &r.PolicyKeptOut, &r.SearchKeptOut); err != nil {
			return err
		}
	}
	if s.Opponent != nil && r.Score == nil {
		result, err := match.Run(ctx, match.Config{
			Game: s.Game, A: s.agent(agent.Net, j.dir), B: s.Opponent, Games: s.Games,
			OpeningPlies: match.ShortOpening(s.Game, openingPlies), Threads: 1, Seed: uint64(j.number), // the same openings for all runs with this number
		})
		if err != nil {
			return err
		}
		r.Score = &stats.Estimate{Value: result.Score, Low: result.Low, High: result.High}
	}
	return nil
}

// testOn tests a run's newest network on a suite, without and with search, and stores the shares of moves that lose value.
// It uses s.Positions positions; 0: all.
func (s *sweeper) testOn(ctx context.Context, on *suite.Suite, dir string, policy, search **stats.Estimate) error {
	for _, test := range []struct {
		kind   agent.Kind
		result **stats.Estimate
	}{{agent.Policy, policy}, {agent.Net, search}} {
		result, err := on.Test(ctx, s.agent(test.kind, dir), suite.TestOptions{Threads: 1, Positions: s.Positions, Seed: 1})
		if err != nil {
			return err
		}
		*test.result = &result.Error
	}
	return nil
}

// openingPlies is the number of random plies at the start of each game against the opponent.
const openingPlies = 2

// agent returns the newest network of a run as an agent of the given kind.
func (s *sweeper) agent(kind agent.Kind, dir string) *agent.Factory {
	spec := agent.Spec{Kind: kind, Network: agent.Reference{Path: dir}}
	return agent.NewFactory(s.Game, spec, rundir.LoadWeights)
}
