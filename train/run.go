package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"ludus/model"
	"ludus/model/infer"
	"ludus/train/learn"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// run is a run in progress. It loops over the generations, and its parts own what they change: the player owns the games in
// progress, the learner the network and the windows, files the run directory and the counters, the meter matches and suite
// results.
type run struct {
	*state
	player   *selfplay.Player
	rescorer *selfplay.Rescorer
	learner  *learn.Learner
	files    *files
	meter    *meter
	inbox    *inbox  // nil without workers
	waited   float64 // how long it waited for the last generation's games, see nextFactor
}

// train repeats generations until the plan is done.
func (r *run) train(ctx context.Context) (*Summary, error) {
	finished := r.count.Generation >= r.config.Plan.Last()
	if err := r.measure(ctx); err != nil { // an earlier process may have stopped before it had rated its last generation
		return nil, err
	}
	for r.count.Generation < r.config.Plan.Last() {
		if err := r.generation(ctx); err != nil {
			return nil, err
		}
	}
	return r.summary(finished)
}

// generation plays, trains, commits and measures one generation. A run that stops before the commit repeats it when resumed.
func (r *run) generation(ctx context.Context) error {
	start, began := r.clock.Spent(&r.config.Plan), time.Now()
	m := &rundir.Metrics{Generation: r.count.Generation + 1, Generations: r.config.Plan.Generations}
	assignment, err := r.assign(ctx, m)
	if err != nil {
		return err
	}
	games, err := r.collect(ctx, assignment, m)
	if errors.Is(err, errTimeOver) {
		if err := r.files.stop(); err != nil {
			return err
		}
		return r.measure(ctx)
	}
	if err != nil {
		return err
	}
	sets, err := r.learn(ctx, assignment.Network(), games, m)
	if errors.Is(err, model.ErrDiverged) {
		return errors.Join(fmt.Errorf("generation %d: %w", m.Generation, err), r.files.diverged(m.Generation))
	}
	if err != nil {
		return err
	}
	if err := r.files.commit(m, games, sets, start); err != nil {
		return err
	}
	r.waited = m.PlaySeconds / (time.Since(began).Seconds() - m.PlaySeconds) // relative to the time of other work
	return r.measure(ctx)
}

// assign returns the assignment for the next generation: the averaged weights and, with workers, as many simulations as
// they have time for. It publishes the assignment to the workers.
func (r *run) assign(ctx context.Context, m *rundir.Metrics) (*selfplay.Assignment, error) {
	settings := r.config.Settings
	a := &selfplay.Assignment{
		Run: r.config.ID, Game: r.Game, Settings: settings, Generation: r.count.Generation, Simulations: settings.Simulations,
		MeanPlies: r.meanPlies(), Weights: r.learner.Weights(),
	}
	need := plan.Positions(&r.config.Plan)
	if r.inbox != nil {
		ready := float64(r.inbox.ready()) / float64(need)
		r.files.setFactor(nextFactor(max(r.count.Factor, 1), ready, r.waited))
		a.Simulations = int(math.Round(r.count.Factor * float64(settings.Simulations)))
		m.WorkerSimulations = a.Simulations
	}
	if err := a.Prepare(); err != nil {
		return nil, err
	}
	if r.inbox == nil {
		return a, nil
	}
	return a, r.inbox.publish(ctx, a, need)
}

// learn adds games to the training and validation sets, evaluates network on the validation set, and trains on the training
// set. It returns the number of positions ever added to each set, and sets the measurements in m.
func (r *run) learn(ctx context.Context, network *infer.Network, games []*record.Record, m *rundir.Metrics) (
	learn.Counts, error) {
	l := r.learner
	sets := l.Add(games, r.count.Games, r.count.Sets)
	start := time.Now()
	l.Validate(m, network)
	if l.Ready() {
		steps := l.Steps(sets) - l.Steps(r.count.Sets) + r.files.owedSteps
		err := l.Train(ctx, m, steps, plan.Share(&r.config.Plan, m.Generation), func(done float64) {
			r.progress(Learning, playShare+(1-playShare)*done)
		})
		if err != nil {
			return sets, err
		}
	}
	m.LearnSeconds = time.Since(start).Seconds()
	return sets, nil
}

// measure measures the newest checkpoint by matches and on the suite, if that is due and not done yet.
func (r *run) measure(ctx context.Context) error {
	g := r.count.Generation
	if r.config.Settings.RatingShare == 0 || g == 0 || !plan.MeasureDue(r.config, g) {
		return nil
	}
	return r.meter.measure(ctx)
}

// summary reads the results of a finished run. already reports that the run was finished when Train was called.
func (r *run) summary(already bool) (*Summary, error) {
	s := &Summary{
		Dir: r.Dir, Config: *r.config, Already: already, Games: r.count.Games, Positions: r.count.Positions,
		Steps: r.count.Steps, Seconds: r.count.Seconds,
	}
	metrics, _, err := rundir.MetricsFile.Read(r.Dir)
	for _, m := range metrics {
		if m.Games > 0 {
			s.LastGames = m
		}
	}
	return s, err
}
