package train

import (
	"time"

	"ludus/checkpoints"
	"ludus/train/record"
	"ludus/train/rundir"
)

// commit writes a generation to the run directory: its games, its line of metrics, its points for TensorBoard and,
// last, its checkpoint. start is what the run had spent before the generation. A resumed run discards and repeats
// everything newer than its newest checkpoint. Finally commit adjusts a time plan if that is due.
func (r *run) commit(m *rundir.Metrics, games []*record.Record, sets positionCounts, start time.Duration) error {
	next := r.count
	next.Generation++
	next.Games += len(games)
	next.Positions += m.Positions
	for _, g := range games {
		next.Plies += len(g.Opening) + len(g.Plies)
	}
	next.Sets = sets
	if r.inbox != nil {
		next.Received = r.inbox.numbersTaken()
	}
	m.TotalGames, m.Steps, m.ReplayPositions = next.Games, r.learner.trainer.Steps(), r.learner.training.positions
	m.RunSeconds, m.CPUSeconds = r.pace.elapsed().Seconds(), r.pace.cpuTime().Seconds()
	if err := record.Write(r.Dir, next.Generation, r.count.Games, games); err != nil {
		return err
	}
	if err := rundir.MetricsFile.Append(r.Dir, m); err != nil {
		return err
	}
	if err := r.curves.Write(time.Now(), m.Generation, metricScalars(m)); err != nil {
		return err
	}
	regular := m.Steps > r.count.Steps && r.owedSteps == 0 // trained as much as later generations will
	if err := r.save(next); err != nil {
		return err
	}
	if r.inbox != nil {
		r.inbox.committed()
	}
	if regular {
		r.pace.seconds = append(r.pace.seconds, (r.pace.spent(&r.config.Plan) - start).Seconds())
	}
	r.Observe(Event{Metrics: m})
	if r.inbox != nil {
		if text := r.inbox.gaps(); text != "" {
			r.note("%s", text)
		}
	}
	return r.keepTime()
}

// save writes the checkpoint of next.Generation, makes next the run's counters and prunes older checkpoints.
func (r *run) save(next counters) error {
	next.Seconds, next.CPUSeconds = r.pace.elapsed().Seconds(), r.pace.cpuTime().Seconds()
	next.Steps, next.Config = r.learner.trainer.Steps(), r.config
	err := r.store.Save(next.Generation, &next, []checkpoints.Part{
		{Name: rundir.WeightsPart, Data: r.learner.trainer.AverageWeights().Marshal()},
		{Name: rundir.OptimizerPart, Data: r.learner.trainer.MarshalState()},
		{Name: rundir.GamesInProgressPart, Data: marshalGamesInProgress(r.play.games)},
	})
	if err != nil {
		return err
	}
	r.count, r.owedSteps = next, 0
	plan, settings := &r.config.Plan, &r.config.Settings
	pinned := append(ratedGenerations(r.config, next.Generation), lastBeforeDecay(plan), plan.Rewound)
	return r.store.Prune(settings.KeepNewest, settings.KeepEvery, pinned...)
}
