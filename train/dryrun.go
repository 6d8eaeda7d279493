package train

import (
	"cmp"
	"context"
	"fmt"

	"ludus/env"
	"ludus/train/plan"
	"ludus/train/rundir"
)

// A Preview estimates the totals of a run at its end, earlier processes included.
type Preview struct {
	Config      rundir.Config // config of the run, or of the run that would be created
	Parameters  int           // number of the network's parameters
	Generation  int           // generations done so far; 0 in a new run
	Seconds     float64       // duration; CPU time if the plan limits that
	Generations int           // of a time plan: the number expected after adjustments
	Games       int           // finished games; 0 if unknown
	Positions   int           // positions played
	Samples     int           // samples trained on
	// CPUShare is the CPU time of self-play during the measurement divided by the CPU time that its threads could have
	// used. It is low if other programs ran, and 0 if nothing was measured.
	CPUShare float64
}

// DryRun estimates what Train would do with the same options. It neither creates nor changes a run directory. It estimates
// a new or young run by measuring the machine for some seconds, as Train does for a time plan, and other runs by their own
// speed. sampleShare is the share of the samples due by samples_per_position that similar runs took (less than 1 because
// repeated positions count less); 0 if unknown.
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
		p.extrapolate(count, share, opener.games)
		return p, nil
	}
	cost := opener.cost // measured for a new time plan
	if cost == (plan.Cost{}) {
		opener.Observe(Event{Progress: &Progress{Phase: Measuring}})
		cost, err = plan.Measure(ctx, o.Game, &p.Config.Settings, weights, o.Threads, plan.DefaultTime, p.Config.Plan.CPU)
		if err != nil {
			return nil, err
		}
	}
	p.CPUShare = cost.CPUShare
	p.estimate(cost, opener.games, sampleShare)
	return p, nil
}

// extrapolate estimates the totals of a run of games from those of the completed share of its plan.
func (p *Preview) extrapolate(count *counters, share float64, games []*env.Game) {
	p.Generations = int(float64(count.Generation) / share)
	played := plan.PositionsShare(&p.Config.Plan, games, count.Generation, share)
	total := func(done int) int { return int(float64(done) / played) }
	p.Games, p.Positions = total(count.Games), total(count.Positions)
	p.Samples = total(count.Steps * p.Config.Settings.BatchSize)
	p.Seconds = p.Config.Plan.Seconds
	if p.Seconds == 0 {
		p.Seconds = count.Seconds / share
	}
}

// estimate estimates the totals of a run of the given sizes that has hardly begun from the measured cost of work.
func (p *Preview) estimate(cost plan.Cost, games []*env.Game, sampleShare float64) {
	s, planned := &p.Config.Settings, &p.Config.Plan
	samplesPerPosition := s.SamplesPerPosition * cmp.Or(sampleShare, 1-s.ValidationShare)
	generation := cost.Generation(planned, s, samplesPerPosition)
	p.Generations, p.Seconds = planned.Generations, float64(planned.Generations)*generation/(1-s.RatingShare)
	if planned.Seconds > 0 {
		p.Generations, p.Seconds = plan.Fitting(planned.Seconds, s, generation), planned.Seconds
	}
	p.Positions = plan.ExpectedPositions(planned, games, p.Generations)
	p.Samples = int(float64(p.Positions) * samplesPerPosition)
}
