package train

import (
	"time"

	"ludus/checkpoints"
	"ludus/train/rundir"
)

// commit makes a generation permanent: its games, its line of metrics, its points in TensorBoard and, last, its
// checkpoint. Only a saved checkpoint counts: a resumed run drops and repeats whatever is newer. Then commit adjusts a
// time plan.
func (r *run) commit(played *collected, learned *learned, start time.Time) error {
	next := r.count
	next.Generation++
	next.Games += len(played.finished)
	next.Positions += played.positions
	for _, g := range played.finished {
		next.Plies += len(g.opening) + len(g.plies)
	}
	next.Sets = learned.sets
	m := r.metrics(&next, played, learned)
	if err := writeGames(r.Dir, next.Generation, r.count.Games, played.finished); err != nil {
		return err
	}
	if err := rundir.MetricsFile.Append(r.Dir, m); err != nil {
		return err
	}
	if err := r.curves.add(m.Generation, metricScalars(m)); err != nil {
		return err
	}
	regular := m.Steps > r.count.Steps && r.owed == 0 // the generation took as long as later ones will
	if err := r.save(next); err != nil {
		return err
	}
	if regular {
		r.pace.seconds = append(r.pace.seconds, time.Since(start).Seconds())
	}
	r.notify(Event{Metrics: m})
	return r.replan()
}

// metrics returns the generation's line of metrics; next are the counters after it.
func (r *run) metrics(next *counters, played *collected, learned *learned) *rundir.Metrics {
	return &rundir.Metrics{
		Generation: next.Generation, Generations: r.config.Plan.Generations,
		Games: len(played.finished), TotalGames: next.Games, Positions: played.positions,
		Steps: r.learner.trainer.Steps(), LearningRate: learned.learningRate, ReplayPositions: r.learner.training.positions,
		PolicyLoss: learned.losses.Policy, OutcomeLoss: learned.losses.Outcome, GoalsLoss: learned.losses.Goals,
		ValidationPolicyLoss: learned.validation.Policy, ValidationOutcomeLoss: learned.validation.Outcome,
		PolicyEntropy: learned.policyEntropy,
		Calibration:   learned.calibration, CalibrationError: calibrationError(learned.calibration),
		Simulations: played.simulations, Evaluations: played.evaluations,
		PlaySeconds: played.seconds, LearnSeconds: learned.seconds, RunSeconds: r.pace.elapsed().Seconds(),
		IdleShare: played.idleShare, Diversity: measureDiversity(r.Game, played.finished), InWindow: learned.window,
	}
}

// save writes the checkpoint that next counts up to, makes next the run's counters and prunes older checkpoints.
func (r *run) save(next counters) error {
	next.Seconds, next.Steps, next.Config = r.pace.elapsed().Seconds(), r.learner.trainer.Steps(), r.config
	err := r.store.Save(next.Generation, &next, []checkpoints.Part{
		{Name: rundir.WeightsPart, Data: r.learner.trainer.AverageWeights().Marshal()},
		{Name: rundir.OptimizerPart, Data: r.learner.trainer.MarshalState()},
		{Name: rundir.GamesInProgressPart, Data: marshalGamesInProgress(r.collector.play.games)},
	})
	if err != nil {
		return err
	}
	r.count, r.owed = next, 0
	plan, settings := &r.config.Plan, &r.config.Settings
	pinned := append(ratedGenerations(r.config, next.Generation), lastConstant(plan), plan.Rewound)
	return r.store.Prune(settings.KeepNewest, settings.KeepEvery, pinned...)
}
