package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer/kernel"
)

// Options select what to measure and for how long.
type Options struct {
	Games    []*env.Game   // at least one
	Threads  int           // threads for training and self-play, 1 or more
	Rounds   int           // number of rounds per measurement, 1 or more
	Slice    time.Duration // duration of one work in a round, above 0; self-play takes several slices
	Progress func(Progress)
}

// Progress says what is being measured.
type Progress struct {
	Part, Item  string // such as "search" and "quad-5x5"
	Done, Total int    // number of measurements
}

// threads returns the numbers of threads for training and self-play: o.Threads, and 1 for comparison.
func (o *Options) threads() []int { return slices.Compact([]int{o.Threads, 1}) }

// step is a part of the benchmark that adds rows to the report.
type step struct {
	part, item string
	run        func(ctx context.Context) error
}

// Run takes all measurements. The only error is ctx's.
func (o *Options) Run(ctx context.Context) (*Report, error) {
	start, report := time.Now(), &Report{Kernels: kernel.InstructionSet(), Cores: runtime.GOMAXPROCS(0)}
	steps := o.steps(report)
	for i, s := range steps {
		o.Progress(Progress{s.part, s.item, i, len(steps)})
		if err := s.run(ctx); err != nil {
			return nil, fmt.Errorf("measuring %s of %s: %w", s.part, s.item, err)
		}
	}
	report.Seconds = time.Since(start).Seconds()
	return report, nil
}

// steps lists the steps of the benchmark in order.
func (o *Options) steps(r *Report) []step {
	name := func(g *env.Game) string { return g.Name }
	steps := stepsFor("search", o.Games, name, o.search, &r.Search)
	steps = append(steps, stepsFor("inference", o.inferSubjects(), subject.String, o.infer, &r.Infer)...)
	steps = append(steps, stepsFor("training", references(), subject.String, o.train, &r.Train)...)
	return append(steps, stepsFor("self-play", o.Games, name, o.selfPlay, &r.SelfPlay)...)
}

// stepsFor returns a step for each of things. The step measures the thing and appends the result to rows.
func stepsFor[T, R any](part string, things []T, name func(T) string,
	measure func(context.Context, T) ([]R, error), rows *[]R) []step {
	var steps []step
	for _, thing := range things {
		steps = append(steps, step{part, name(thing), func(ctx context.Context) error {
			measured, err := measure(ctx, thing)
			*rows = append(*rows, measured...)
			return err
		}})
	}
	return steps
}

// references returns two networks that every benchmark measures, so that benchmarks can be compared.
func references() []subject {
	return []subject{{games.Must("quad-7x7"), 64, 5}, {games.Must("quad-5x5"), 32, 3}}
}

// inferSubjects returns the reference networks and those of self-play, without duplicates of size and board.
func (o *Options) inferSubjects() []subject {
	subjects := references()
	for _, game := range o.Games {
		s := defaultSubject(game)
		if !slices.ContainsFunc(subjects, func(t subject) bool { return t.String() == s.String() }) {
			subjects = append(subjects, s)
		}
	}
	return subjects
}
