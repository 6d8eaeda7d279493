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
	"ludus/train/rundir"
)

// Options say what to measure and for how long.
type Options struct {
	Games       []*env.Game   // 1 or more
	Net         *Net          // for self-play and inference; nil: each game's default
	Simulations *int          // per move of self-play; nil: train's default
	Threads     int           // of training and self-play, 1 or more
	Rounds      int           // of each measurement at most, 1 or more
	Slice       time.Duration // time of one work in a round, above 0; self-play takes several slices
	Time        time.Duration // for everything; 0: as long as the rounds take
	Progress    func(Progress)

	until time.Time // the current step starts no further round after this; zero: no limit
}

// Progress says what is being measured.
type Progress struct {
	Part, Item  string // such as "search" and "quad-5x5"
	Done, Total int    // measurements
}

// Validate returns an error that describes the invalid options for the first game that has any.
func (o *Options) Validate() error {
	for _, game := range o.Games {
		settings := o.settings(game)
		if err := settings.Validate(); err != nil {
			return err
		}
		if err := o.net(game).Config(game).Validate(game); err != nil {
			return err
		}
	}
	return nil
}

// settings returns the settings of self-play for a game: train's defaults, changed by the options.
func (o *Options) settings(game *env.Game) rundir.Settings {
	settings := rundir.DefaultSettings(game)
	if o.Simulations != nil {
		settings.Simulations = *o.Simulations
	}
	if o.Net != nil {
		settings.Channels, settings.Blocks = o.Net.Channels, o.Net.Blocks
	}
	return settings
}

// net returns the size of the network for self-play of a game.
func (o *Options) net(game *env.Game) Net {
	settings := o.settings(game)
	return Net{settings.Channels, settings.Blocks}
}

// threads returns the numbers of threads to measure training and self-play with: all, and one for comparison.
func (o *Options) threads() []int { return slices.Compact([]int{o.Threads, 1}) }

// step is one measurement, which adds rows to the report.
type step struct {
	part, item string
	weight     int // part of Options.Time, relative to the other steps
	run        func(ctx context.Context) error
}

// Run measures everything. It fails only if ctx ends. The options must be valid.
func (o *Options) Run(ctx context.Context) (*Report, error) {
	start, report := time.Now(), &Report{Kernels: kernel.InstructionSet(), Cores: runtime.GOMAXPROCS(0)}
	steps := o.steps(report)
	left := 0 // sum of the weights of the steps not yet run
	for _, s := range steps {
		left += s.weight
	}
	for i, s := range steps {
		o.Progress(Progress{s.part, s.item, i, len(steps)})
		if o.Time > 0 {
			o.until = time.Now().Add((o.Time - time.Since(start)) * time.Duration(s.weight) / time.Duration(left))
		}
		left -= s.weight
		if err := s.run(ctx); err != nil {
			return nil, fmt.Errorf("measuring %s of %s: %w", s.part, s.item, err)
		}
	}
	report.Seconds = time.Since(start).Seconds()
	return report, nil
}

// steps lists the measurements in order.
func (o *Options) steps(r *Report) []step {
	name := func(g *env.Game) string { return g.Name }
	steps := []step{{"peak", "one core", 1, func(ctx context.Context) error {
		s, err := o.measure(ctx, peak)
		if err == nil {
			r.Peak = s[0].median()
		}
		return err
	}}}
	steps = append(steps, stepsFor("search", 3, o.Games, name, o.search, &r.Search)...)
	steps = append(steps, stepsFor("inference", 2, o.inferSubjects(), subject.String, o.infer, &r.Infer)...)
	steps = append(steps, stepsFor("training", 10, references(), subject.String, o.train, &r.Train)...)
	return append(steps, stepsFor("self-play", 8, o.Games, name, o.selfPlay, &r.SelfPlay)...)
}

// stepsFor returns one step for each thing: it calls measure and appends the results to rows. weight is the share of the
// time that a step gets, relative to the other steps.
func stepsFor[T, R any](part string, weight int, things []T, name func(T) string,
	measure func(context.Context, T) ([]R, error), rows *[]R) []step {
	var steps []step
	for _, thing := range things {
		steps = append(steps, step{part, name(thing), weight, func(ctx context.Context) error {
			measured, err := measure(ctx, thing)
			*rows = append(*rows, measured...)
			return err
		}})
	}
	return steps
}

// references returns two networks that every benchmark measures, for comparisons with other benchmarks.
func references() []subject {
	return []subject{{mustGame("quad-7x7"), Net{64, 5}}, {mustGame("quad-5x5"), Net{32, 3}}}
}

func mustGame(name string) *env.Game {
	game, err := games.New(name)
	if err != nil {
		panic("bench: " + err.Error())
	}
	return game
}

// inferSubjects returns the references and the networks of self-play, each size and board once.
func (o *Options) inferSubjects() []subject {
	subjects := references()
	for _, game := range o.Games {
		s := subject{game, o.net(game)}
		if !slices.ContainsFunc(subjects, func(t subject) bool { return t.String() == s.String() }) {
			subjects = append(subjects, s)
		}
	}
	return subjects
}
