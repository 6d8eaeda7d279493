package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/cpu"
	"ludus/train/rundir"
)

// Forecast is what a run will have done at its end, earlier processes included. Counts are estimates.
type Forecast struct {
	Config      rundir.Config // the run's, or the one that it would get
	Parameters  int           // of the network
	Generation  int           // done so far; 0 in a new run
	Seconds     float64       // CPU time if the plan limits that
	Generations int           // of a time plan: after its adjustments to the run's speed
	Games       int           // finished; 0 if unknown
	Positions   int           // played
	Samples     int           // trained on
	// CPUShare is the CPU time of self-play during the measurement / what its threads could have used. It is low if other
	// programs ran; 0: nothing was measured.
	CPUShare float64
}

// leastDone is the part of a run that must be done before its totals are extrapolated: the first games end late.
const leastDone = 0.1

// DryRun forecasts what Train would do with the same options. It creates no run directory and changes none. A run that
// has done little or nothing is forecast by measuring the machine for some seconds, as Train does for a time plan, others
// by their own speed. samplesPerPosition returns the number of samples per position that earlier runs like this one
// took; 0: what the settings allow at most, since repeated positions count less.
func DryRun(ctx context.Context, o Options, samplesPerPosition func(*rundir.Config) float64) (*Forecast, error) {
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if err := checkLength(o.Time, o.Generations); err != nil {
		return nil, err
	}
	if _, err := checkDir(o.Dir); err != nil {
		return nil, err
	}
	r := &run{Options: o, store: rundir.Checkpoints(o.Dir)}
	r.pace.started, r.pace.startedCPU = time.Now(), cpu.Time()
	weights, _, err := r.resolve(ctx)
	if err != nil {
		return nil, err
	}
	checkpoint, _, err := r.store.Newest()
	if err == nil {
		err = json.Unmarshal(checkpoint.Meta, &r.count)
	}
	if err != nil && !errors.Is(err, checkpoints.ErrNoCheckpoint) {
		return nil, fmt.Errorf("run %s: %w", o.Dir, err)
	}
	f := &Forecast{Config: *r.config, Parameters: weights.Parameters(), Generation: r.count.Generation}
	if last := f.Config.Plan.Last(); f.Generation >= last {
		return nil, fmt.Errorf("%s: the run is finished (generation %d of %d); a larger time, CPU time or number of "+
			"generations extends it", o.Dir, f.Generation, last)
	}
	if share := doneShare(r.config, &r.count); share >= leastDone && f.Generation >= adjustOver {
		f.extrapolate(&r.count, share)
		return f, nil
	}
	if err := r.measureCost(ctx, weights); err != nil {
		return nil, err
	}
	f.CPUShare = r.cost.cpuShare
	f.fill(r.cost, samplesPerPosition(r.config))
	return f, nil
}

// measureCost sets r.cost unless a new plan has done so.
func (r *run) measureCost(ctx context.Context, weights *infer.Weights) (err error) {
	if r.cost == (cost{}) {
		r.Observe(Event{Progress: &Progress{Phase: Measuring}})
		r.cost, err = measure(ctx, r.Game, &r.config.Settings, weights, r.Threads, DefaultTime, r.config.Plan.CPU)
	}
	return err
}

// doneShare is the share of its plan that a run has done: by its time, as long as the number of generations is adjusted
// to that, else by its generations.
func doneShare(c *rundir.Config, count *counters) float64 {
	p := &c.Plan
	if p.Seconds == 0 || p.Adjusted == len(adjustments(p)) {
		return float64(count.Generation) / float64(p.Generations)
	}
	spent := count.Seconds
	if p.CPU {
		spent = count.CPUSeconds
	}
	return spent / (p.Seconds * (1 - finalShare(&c.Settings)))
}

// extrapolate sets the totals from those of a run that has done a share of its plan.
func (f *Forecast) extrapolate(count *counters, share float64) {
	total := func(done int) int { return int(float64(done) / share) }
	f.Generations, f.Games, f.Positions = total(count.Generation), total(count.Games), total(count.Positions)
	f.Samples = total(count.Steps * f.Config.Settings.BatchSize)
	p := &f.Config.Plan
	if f.Seconds = p.Seconds; f.Seconds == 0 {
		f.Seconds = count.Seconds / share
	}
}

// fill sets the totals of a run from its start, by the cost of work.
func (f *Forecast) fill(c cost, samplesPerPosition float64) {
	s, p := &f.Config.Settings, &f.Config.Plan
	if samplesPerPosition == 0 {
		samplesPerPosition = s.SamplesPerPosition * (1 - s.ValidationShare)
	}
	positions := p.ParallelGames * p.PliesPerGeneration // per generation
	position := c.position + samplesPerPosition/float64(s.BatchSize)*c.step
	generation := position*float64(positions) + c.generation
	f.Generations, f.Seconds = p.Generations, float64(p.Generations)*generation/(1-s.RatingShare)
	if p.Seconds > 0 {
		f.Generations, f.Seconds = max(1, int(p.Seconds*(1-s.RatingShare)*safety/generation)), p.Seconds
	}
	f.Positions = f.Generations * positions
	f.Samples = int(float64(f.Positions) * samplesPerPosition)
}

// WhyNotPlain says why a run does not learn as a plain "ludus train GAME" does, so that recorded trainings say nothing
// about it; "" if it does.
func WhyNotPlain(game *env.Game, config *rundir.Config) string {
	if config.From != "" {
		return "the recorded trainings start from random weights, this run does not"
	}
	if changed := ChangedSettings(game, &config.Settings); len(changed) > 0 {
		return "forecasts are for default settings, this run has " + strings.Join(changed, ", ")
	}
	return ""
}

// ChangedSettings lists the settings that differ from those of a plain "ludus train GAME", as "KEY=VALUE". It leaves out
// those that do not change the network's strength, and the size of the network if some length of a plain run has it.
func ChangedSettings(game *env.Game, settings *rundir.Settings) (changed []string) {
	plain := rundir.DefaultSettings(game)
	for _, size := range networkSizes(game) {
		if settings.Channels == size.channels && settings.Blocks == size.blocks {
			plain.Channels, plain.Blocks = size.channels, size.blocks
		}
	}
	defaults := plain.List()
	for i, s := range settings.List() {
		ignored := slices.Contains([]string{"keep_newest", "keep_every", "rating_share"}, s.Key)
		if !ignored && s.Text() != defaults[i].Text() {
			changed = append(changed, s.Key+"="+s.Text())
		}
	}
	return changed
}
