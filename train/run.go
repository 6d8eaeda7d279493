package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"ludus/env"
	"ludus/model"
	"ludus/train/learn"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
	"ludus/train/selfplay"
)

// run is a run in progress. It loops over the generations and owns the run directory and the counters. Its parts own
// what they change: the players the games in progress, the learner the network and the windows, the meter matches and
// suite results, the inbox workers.json.
type run struct {
	*state
	players   []*selfplay.Player // by size; nil before its first generation, except the last
	rescorers []*selfplay.Rescorer
	learner   *learn.Learner
	meter     *meter
	inbox     *inbox    // nil without workers
	imported  *importer // nil before the first generation that reads imported games
	waited    float64   // how long it waited for the last generation's games, see nextFactor
	owedSteps int       // training steps to catch up after the learner went back to older weights

	// The work of the current generation, in positions times cells.
	need int   // that ends it
	work []int // done, by size
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

// generation plays, trains, commits and measures one generation. A run that stops before the commit repeats it when
// resumed.
func (r *run) generation(ctx context.Context) error {
	start, began := r.clock.Spent(&r.config.Plan), time.Now()
	m := &rundir.Metrics{Generation: r.count.Generation + 1, Generations: r.config.Plan.Generations}
	assignment, err := r.assign(ctx, m)
	if err != nil {
		return err
	}
	games, err := r.collect(ctx, assignment, m)
	if errors.Is(err, errTimeOver) {
		if err := r.stop(); err != nil {
			return err
		}
		return r.measure(ctx)
	}
	if err != nil {
		return err
	}
	sizes, err := r.learn(ctx, assignment, games, m)
	if errors.Is(err, model.ErrDiverged) {
		r.config.Plan.Diverged = m.Generation // it is not committed
		return errors.Join(fmt.Errorf("generation %d: %w", m.Generation, err), r.config.Write(r.Dir))
	}
	if err != nil {
		return err
	}
	if err := r.commit(m, games, sizes, start); err != nil {
		return err
	}
	r.waited = m.PlaySeconds / (time.Since(began).Seconds() - m.PlaySeconds) // relative to the time of other work
	return r.measure(ctx)
}

// assign returns the assignment for the next generation: the size of the board that is due, the averaged weights and,
// with workers, as many simulations as they have time for. It publishes the assignment to the workers.
func (r *run) assign(ctx context.Context, m *rundir.Metrics) (*selfplay.Assignment, error) {
	settings, p, game := r.config.Settings, &r.config.Plan, r.nextGame()
	m.Size = r.side(game)
	r.need, r.work = plan.Work(p, r.Game, game), make([]int, len(r.games))
	a := &selfplay.Assignment{
		Run: r.config.ID, Game: game, Settings: settings, Generation: r.count.Generation, Simulations: settings.Simulations,
		MeanPlies: r.meanPlies(game), Weights: r.learner.Trainer.AverageWeights(),
	}
	if game != r.Game {
		var err error
		a.Weights, err = a.Weights.Resize(r.Game, game)
		if err != nil {
			return nil, err
		}
	}
	if r.inbox != nil {
		ready := float64(r.inbox.ready()) / float64(r.need)
		r.count.Factor = nextFactor(max(r.count.Factor, 1), ready, r.waited) // the next commit stores it
		a.Simulations = int(math.Round(r.count.Factor * float64(settings.Simulations)))
		m.WorkerSimulations = a.Simulations
	}
	if err := a.Prepare(); err != nil {
		return nil, err
	}
	if r.inbox == nil {
		return a, nil
	}
	return a, r.inbox.publish(ctx, a, r.need)
}

// learn adds games to the training and validation sets, evaluates the assignment's network on the validation set, and
// trains on the training sets. It returns the totals of each size with this generation, and sets the measurements in m.
func (r *run) learn(ctx context.Context, a *selfplay.Assignment, games []*record.Record, m *rundir.Metrics) (
	[]sizeCounters, error) {
	sizes := r.count.bySize()
	before := setsOf(sizes)
	share := 1.0
	if m.ImportedGames > 0 {
		// Together the positions count for at most those that a generation plays. So no more training steps become due
		// than after self-play, and the replay window grows no more: self-play soon replaces the games.
		share = min(1, float64(plan.Positions(&r.config.Plan))/float64(record.Count(games)))
	}
	for i, sets := range r.learner.Add(games, r.count.Games, before, share) {
		sizes[i].Sets = sets
	}
	r.countGames(sizes, games)
	start := time.Now()
	r.learner.Validate(m, a.Game, a.Network())
	if steps := r.takeSteps(sizes, before, r.owedSteps); steps != nil {
		share := plan.Share(&r.config.Plan, m.Generation)
		err := r.learner.Train(ctx, m, a.Game, steps, share, func(done float64) {
			r.progress(Learning, playShare+(1-playShare)*done)
		})
		if err != nil {
			return nil, err
		}
	}
	m.LearnSeconds = time.Since(start).Seconds()
	return sizes, nil
}

// player returns the player of a size, with new games before its first generation.
func (r *run) player(game *env.Game) *selfplay.Player {
	i, own := r.index(game), r.config.Seed
	if game != r.Game { // other games
		own = seed.Derive(own, "size", game.Tensor.W)
	}
	if r.players[i] == nil {
		r.players[i] = selfplay.NewPlayer(game, &r.config.Settings, own, r.config.Plan.ParallelGames, r.Threads)
	}
	return r.players[i]
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
