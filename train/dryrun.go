package train

import (
	"cmp"
	"context"
	"fmt"

	"ludus/train/plan"
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

// DryRun estimates what Train would do with the same options. It creates no run directory and changes none. A run that has
// done little or nothing is estimated by measuring the machine for some seconds, as Train does for a time plan, others by
// their own speed. sampleShare is the share of samples_per_position that earlier runs like this one took, since repeated
// positions count less; 0 if that is unknown.
func DryRun(ctx context.Context, o Options, sampleShare float64) (*Preview, error) {
	opener, err := newOpener(o)
	if err == nil {
		_, err = checkDir(o.Dir)
	}
	if err != nil {
		return nil, err
	}
	weights, _, err := opener.resolve(ctx)
	if err != nil {
		return nil, err
	}
	count, _, err := opener.newestCounters()
	if err != nil {
		return nil, err
	}
	p := &Preview{Config: *opener.config, Parameters: weights.Parameters(), Generation: count.Generation}
	if last := p.Config.Plan.Last(); p.Generation >= last {
		return nil, fmt.Errorf("%s: the run is finished (generation %d of %d); a larger time, CPU time or number of "+
			"generations extends it", o.Dir, p.Generation, last)
	}
	if share, known := plan.DoneShare(&p.Config, count.done()); known {
		p.extrapolate(count, share)
		return p, nil
	}
	cost := opener.cost // of a new time plan
	if cost == (plan.Cost{}) {
		opener.Observe(Event{Progress: &Progress{Phase: Measuring}})
		cost, err = plan.Measure(ctx, o.Game, &p.Config.Settings, weights, o.Threads, plan.DefaultTime, p.Config.Plan.CPU)
		if err != nil {
			return nil, err
		}
	}
	p.CPUShare = cost.CPUShare
	p.estimate(cost, sampleShare)
	return p, nil
}

// extrapolate sets the totals from those of a run that has done a share of its plan.
func (p *Preview) extrapolate(count *counters, share float64) {
	total := func(done int) int { return int(float64(done) / share) }
	p.Generations, p.Games, p.Positions = total(count.Generation), total(count.Games), total(count.Positions)
	p.Samples = total(count.Steps * p.Config.Settings.BatchSize)
	p.Seconds = p.Config.Plan.Seconds
	if p.Seconds == 0 {
		p.Seconds = count.Seconds / share
	}
}

// estimate sets the totals of a run from its start, by the cost of work.
func (p *Preview) estimate(cost plan.Cost, sampleShare float64) {
	s, planned := &p.Config.Settings, &p.Config.Plan
	samplesPerPosition := s.SamplesPerPosition * cmp.Or(sampleShare, 1-s.ValidationShare)
	generation := cost.Generation(planned, s, samplesPerPosition)
	p.Generations, p.Seconds = planned.Generations, float64(planned.Generations)*generation/(1-s.RatingShare)
	if planned.Seconds > 0 {
		p.Generations, p.Seconds = plan.Fitting(planned, s, generation), planned.Seconds
	}
	p.Positions = p.Generations * plan.Positions(planned)
	p.Samples = int(float64(p.Positions) * samplesPerPosition)
}
