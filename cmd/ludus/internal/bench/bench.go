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

// Options say what is measured and for how long.
type Options struct {
	Games       []*env.Game   // 1 or more
	Net         *Net          // that self-play and inference are measured with; nil: each game's default
	Simulations *int          // of a move of self-play; nil: train's default
	Threads     int           // 1 or more
	Rounds      int           // 1 or more
	Slice       time.Duration // of a round of one measurement, above 0; self-play takes more of them
	Peers       bool          // compare with what others are installed
	Progress    func(Progress)
}

// Progress says what is being measured.
type Progress struct {
	Part, Item  string // such as "search" and "quad-5x5"
	Done, Total int    // measurements
}

// Validate reports what is wrong with the options for the first game that they do not fit.
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

// settings are those of self-play of game.
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

// net is the network that self-play of game is measured with.
func (o *Options) net(game *env.Game) Net {
	settings := o.settings(game)
	return Net{settings.Channels, settings.Blocks}
}

// threads are the numbers of threads that training and self-play are measured with: all, and one to compare with.
func (o *Options) threads() []int { return slices.Compact([]int{o.Threads, 1}) }

// step is one measurement, which enters the report.
type step struct {
	part, item string
	run        func(ctx context.Context) error
}

// Run measures everything. Its errors are those of ctx and of Validate.
func (o *Options) Run(ctx context.Context) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	start, report := time.Now(), &Report{Kernels: kernel.Name(), Cores: runtime.GOMAXPROCS(0)}
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

// steps are the measurements in their order.
func (o *Options) steps(r *Report) []step {
	name := func(g *env.Game) string { return g.Name }
	steps := []step{{"peak", "one core", func(ctx context.Context) error { return o.measurePeak(ctx, r) }}}
	steps = append(steps, each("playouts", o.Games, name, o.playouts, &r.Env)...)
	steps = append(steps, each("search", o.Games, name, o.search, &r.Search)...)
	steps = append(steps, each("playout search", o.Games, name, o.playoutUCT, &r.Playouts)...)
	steps = append(steps, each("inference", o.inferSubjects(), subject.String, o.infer, &r.Infer)...)
	steps = append(steps, each("training", references(), subject.String, o.train, &r.Train)...)
	steps = append(steps, each("self-play", o.Games, name, o.selfPlay, &r.SelfPlay)...)
	if o.Peers {
		steps = append(steps, o.peers(r)...)
	}
	return steps
}

// each makes a step of every thing that is measured; its rows enter rows.
func each[T, R any](part string, things []T, name func(T) string,
	measure func(context.Context, T) ([]R, error), rows *[]R) []step {
	*rows = []R{} // an empty list in JSON, not null
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

// references are the networks that are always measured.
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

// inferSubjects are the references and the networks of self-play, each size and board once.
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

// measurePeak measures what one core can do at best.
func (o *Options) measurePeak(ctx context.Context, r *Report) error {
	rows, err := o.speeds(ctx, peak)
	if err == nil {
		r.Peak = median(rows[0])
	}
	return err
}
