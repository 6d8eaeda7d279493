package train

import (
	"math"
	"time"

	"ludus/checkpoints"
	"ludus/train/learn"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// files owns the run directory and the run's counters while training: it writes the config, games, metrics and
// checkpoints. (The opener writes the config earlier, the meter writes matches and suite results, and the inbox
// writes workers.json.)
type files struct {
	*state
	players   []*selfplay.Player // by size
	learner   *learn.Learner
	inbox     *inbox // nil without workers
	owedSteps int    // training steps to catch up after the learner went back to older weights
}

// commit writes a generation to the run directory: its games, its line of metrics and, last, its checkpoint. sizes are
// the totals of each size, start is the time spent on the run before the generation. A resumed run discards and repeats
// everything newer than its newest checkpoint. Finally commit adjusts a time plan if that is due.
func (f *files) commit(m *rundir.Metrics, games []*record.Record, sizes []sizeCounters, start time.Duration) error {
	next := f.count
	next.Generation++
	next.Games += len(games)
	next.Positions += m.Positions
	for _, g := range games {
		next.Plies += g.Length()
	}
	next.setSizes(sizes)
	if f.inbox != nil {
		next.Received = f.inbox.numbersTaken()
	}
	m.TotalGames, m.Steps, m.ReplayPositions = next.Games, f.learner.StepsDone(), f.learner.Positions()
	m.RunSeconds, m.CPUSeconds = f.clock.Elapsed().Seconds(), f.clock.CPUTime().Seconds()
	if err := record.Write(f.Dir, next.Generation, f.count.Games, games); err != nil {
		return err
	}
	if err := rundir.MetricsFile.Append(f.Dir, m); err != nil {
		return err
	}
	regular := m.Steps > f.count.Steps && f.owedSteps == 0 && m.ImportedGames == 0 // this generation did as much as later ones will
	if err := f.save(next); err != nil {
		return err
	}
	if f.inbox != nil {
		f.inbox.committed()
	}
	if regular {
		f.clock.AddGeneration((f.clock.Spent(&f.config.Plan) - start).Seconds())
	}
	f.Observe(Event{Metrics: m})
	return f.keepTime()
}

// save writes the checkpoint of next.Generation, makes next the run's counters and prunes older checkpoints.
func (f *files) save(next counters) error {
	next.Seconds, next.CPUSeconds = f.clock.Elapsed().Seconds(), f.clock.CPUTime().Seconds()
	next.Steps, next.Config = f.learner.StepsDone(), f.config
	parts := []checkpoints.Part{
		{Name: rundir.WeightsPart, Data: f.learner.Weights().Marshal()},
		{Name: rundir.OptimizerPart, Data: f.learner.MarshalState()},
	}
	for i, player := range f.players {
		if player != nil {
			parts = append(parts, checkpoints.Part{Name: f.inProgressPart(f.games[i]), Data: player.MarshalGames()})
		}
	}
	if err := f.store.Save(next.Generation, &next, parts); err != nil {
		return err
	}
	f.count, f.owedSteps = next, 0
	p, settings := &f.config.Plan, &f.config.Settings
	return f.store.Prune(settings.KeepNewest, settings.KeepEvery, plan.LastBeforeDecay(p), p.Changed, p.Rewound)
}

// keepTime adjusts a time plan if that is due, and ends the plan if its time is too short for another generation and
// the final matches.
func (f *files) keepTime() error {
	const noted = 0.05 // smallest change of the number of generations, relative to it, that people are told
	p, settings, ended := &f.config.Plan, &f.config.Settings, f.count.Generation
	before := *p
	if f.clock.Adjust(p, settings, ended) {
		if err := f.writeConfig(); err != nil {
			return err
		}
		if math.Abs(float64(p.Generations-before.Generations)) > noted*float64(before.Generations) {
			f.note("adjusted to this machine's speed: %d generations of %d plies, instead of %d of %d",
				p.Generations, p.PliesPerGeneration, before.Generations, before.PliesPerGeneration)
		}
	}
	if f.clock.NextOver(p, settings, ended) {
		return f.stop()
	}
	return nil
}

// stop ends the plan with the last committed generation.
func (f *files) stop() error {
	const early = 0.9 // share of the plan before which the learning rate is still high
	p := &f.config.Plan
	p.Stopped = f.count.Generation
	if err := f.writeConfig(); err != nil {
		return err
	}
	text := ""
	if plan.Share(p, p.Stopped+1) < early {
		text = "; the learning rate has not decayed as planned, so a longer time will help"
	}
	f.note("the time is over: stopping after generation %d of %d%s", p.Stopped, p.Generations, text)
	return nil
}

// diverged stores that training diverged in a generation, which is not committed.
func (f *files) diverged(generation int) error {
	f.config.Plan.Diverged = generation
	return f.writeConfig()
}

// setID gives the run its id and stores it.
func (f *files) setID(id string) error {
	f.config.ID = id
	return f.writeConfig()
}

// setFactor sets the factor for simulations per move that the next commit stores, see nextFactor.
func (f *files) setFactor(factor float64) { f.count.Factor = factor }

func (f *files) writeConfig() error { return f.config.Write(f.Dir) }
