package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/cpu"
	"ludus/train/rundir"
)

// A Preview says what a run will have done at its end, earlier processes included. Counts are estimates.
type Preview struct {
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

// DryRun estimates what Train would do with the same options. It creates no run directory and changes none. A run that has
// done little or nothing is estimated by measuring the machine for some seconds, as Train does for a time plan, others by
// their own speed. sampleShare is the share of samples_per_position that earlier runs like this one took, since repeated
// positions count less; 0 if that is unknown.
func DryRun(ctx context.Context, o Options, sampleShare float64) (*Preview, error) {
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
	p := &Preview{Config: *r.config, Parameters: weights.Parameters(), Generation: r.count.Generation}
	if last := p.Config.Plan.Last(); p.Generation >= last {
		return nil, fmt.Errorf("%s: the run is finished (generation %d of %d); a larger time, CPU time or number of "+
			"generations extends it", o.Dir, p.Generation, last)
	}
	if share := doneShare(r.config, &r.count); share >= leastDone && p.Generation >= adjustOver {
		p.extrapolate(&r.count, share)
		return p, nil
	}
	if err := r.measureCost(ctx, weights); err != nil {
		return nil, err
	}
	p.CPUShare = r.cost.cpuShare
	p.fill(r.cost, sampleShare)
	return p, nil
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
func (p *Preview) extrapolate(count *counters, share float64) {
	total := func(done int) int { return int(float64(done) / share) }
	p.Generations, p.Games, p.Positions = total(count.Generation), total(count.Games), total(count.Positions)
	p.Samples = total(count.Steps * p.Config.Settings.BatchSize)
	if p.Seconds = p.Config.Plan.Seconds; p.Seconds == 0 {
		p.Seconds = count.Seconds / share
	}
}

// fill sets the totals of a run from its start, by the cost of work.
func (p *Preview) fill(c cost, sampleShare float64) {
	s, plan := &p.Config.Settings, &p.Config.Plan
	samplesPerPosition := s.SamplesPerPosition * cmp.Or(sampleShare, 1-s.ValidationShare)
	positions := plan.ParallelGames * plan.PliesPerGeneration // per generation
	position := c.position + samplesPerPosition/float64(s.BatchSize)*c.step
	generation := position*float64(positions) + c.generation
	p.Generations, p.Seconds = plan.Generations, float64(plan.Generations)*generation/(1-s.RatingShare)
	if plan.Seconds > 0 {
		p.Generations, p.Seconds = max(1, int(plan.Seconds*(1-s.RatingShare)*safety/generation)), plan.Seconds
	}
	p.Positions = p.Generations * positions
	p.Samples = int(float64(p.Positions) * samplesPerPosition)
}

// ChangedSettings lists the settings that differ from those of a plain "ludus train GAME", as [rundir.Settings.Changed] does,
// without the size of the network if some length of a plain run has it.
func ChangedSettings(game *env.Game, settings *rundir.Settings) []string {
	plain := rundir.DefaultSettings(game)
	for _, size := range networkSizes(game) {
		if settings.Channels == size.channels && settings.Blocks == size.blocks {
			plain.Channels, plain.Blocks = size.channels, size.blocks
		}
	}
	return settings.Changed(plain)
}
