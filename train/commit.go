package train

import (
	"math"
	"time"

	"ludus/checkpoints"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
)

// commit writes a generation to the run directory: its games, its line of metrics and, last, its checkpoint. sizes are
// the totals of each size, start is the time spent on the run before the generation. A resumed run discards and repeats
// everything newer than its newest checkpoint. Finally commit adjusts a time plan if that is due.
func (r *run) commit(m *rundir.Metrics, games []*record.Record, sizes []sizeCounters, start time.Duration) error {
	next := r.count
	next.Generation++
	next.Games += len(games)
	next.Positions += m.Positions
	for _, g := range games {
		next.Plies += g.Length()
	}
	next.setSizes(sizes)
	if r.inbox != nil {
		next.Received = r.inbox.numbersTaken()
	}
	m.TotalGames, m.Steps, m.ReplayPositions = next.Games, r.learner.Trainer.Steps(), r.learner.Positions()
	m.RunSeconds, m.CPUSeconds = r.clock.Elapsed().Seconds(), r.clock.CPUTime().Seconds()
	if err := record.Write(r.Dir, next.Generation, r.count.Games, games); err != nil {
		return err
	}
	if err := rundir.MetricsFile.Append(r.Dir, m); err != nil {
		return err
	}
	regular := m.Steps > r.count.Steps && r.owedSteps == 0 && m.ImportedGames == 0 // this generation did as much as later ones will
	if err := r.save(next); err != nil {
		return err
	}
	if r.inbox != nil {
		r.inbox.committed()
	}
	if regular {
		r.clock.AddGeneration((r.clock.Spent(&r.config.Plan) - start).Seconds())
	}
	r.Observe(Event{Metrics: m})
	return r.keepTime()
}

// save writes the checkpoint of next.Generation, makes next the run's counters and prunes older checkpoints.
func (r *run) save(next counters) error {
	next.Seconds, next.CPUSeconds = r.clock.Elapsed().Seconds(), r.clock.CPUTime().Seconds()
	next.Steps, next.Config = r.learner.Trainer.Steps(), r.config
	parts := []checkpoints.Part{
		{Name: rundir.WeightsPart, Data: r.learner.Trainer.AverageWeights().Marshal()},
		{Name: rundir.OptimizerPart, Data: r.learner.Trainer.MarshalState()},
	}
	for i, player := range r.players {
		if player != nil {
			parts = append(parts, checkpoints.Part{Name: r.inProgressPart(r.games[i]), Data: player.MarshalGames()})
		}
	}
	if err := r.store.Save(next.Generation, &next, parts); err != nil {
		return err
	}
	r.count, r.owedSteps = next, 0
	p, settings := &r.config.Plan, &r.config.Settings
	return r.store.Prune(settings.KeepNewest, settings.KeepEvery, plan.LastBeforeDecay(p), p.Changed, p.Rewound)
}

// keepTime adjusts a time plan if that is due, and ends the plan if its time is too short for another generation and
// the final matches.
func (r *run) keepTime() error {
	const noted = 0.05 // smallest change of the number of generations, relative to it, that people are told
	p, settings, ended := &r.config.Plan, &r.config.Settings, r.count.Generation
	before := *p
	if r.clock.Adjust(p, settings, ended) {
		if err := r.config.Write(r.Dir); err != nil {
			return err
		}
		if math.Abs(float64(p.Generations-before.Generations)) > noted*float64(before.Generations) {
			r.note("adjusted to this machine's speed: %d generations of %d plies, instead of %d of %d",
				p.Generations, p.PliesPerGeneration, before.Generations, before.PliesPerGeneration)
		}
	}
	if r.clock.NextOver(p, settings, ended) {
		return r.stop()
	}
	return nil
}

// stop ends the plan with the last committed generation.
func (r *run) stop() error {
	const early = 0.9 // share of the plan before which the learning rate is still high
	p := &r.config.Plan
	p.Stopped = r.count.Generation
	if err := r.config.Write(r.Dir); err != nil {
		return err
	}
	text := ""
	if plan.Share(p, p.Stopped+1) < early {
		text = "; the learning rate has not decayed as planned, so a longer time will help"
	}
	r.note("the time is over: stopping after generation %d of %d%s", p.Stopped, p.Generations, text)
	return nil
}
