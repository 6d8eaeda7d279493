package train

import (
	"context"
	"math/rand/v2"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/cpu"
	"ludus/train/parallel"
	"ludus/train/rundir"
	"ludus/train/seed"
)

// Scaling is how long one generation of a run takes on some number of cores: self-play, rescoring, the replay window and
// training, but no files.
type Scaling struct {
	Cores     int
	Computed  bool    // from the CPU time of each task on one core; otherwise measured by the clock
	Play      float64 // seconds of self-play
	Learn     float64 // seconds of training steps, with the writing of batches
	Seconds   float64 // of the generation
	Positions int     // of self-play
	Samples   int     // of training
}

// add adds the seconds and counts of another generation.
func (s *Scaling) add(o Scaling) {
	s.Play += o.Play
	s.Learn += o.Learn
	s.Seconds += o.Seconds
	s.Positions += o.Positions
	s.Samples += o.Samples
}

// scalingRounds is the number of generations that are measured on each number of cores.
const scalingRounds = 3

// MeasureScaling plays and learns generations with an untrained network. It measures them on each of the numbers of cores
// in measured, in turn, and returns the sums. For the numbers in computed it does the work of all cores one task after
// another, records the CPU time of each task and computes when the last core would be done, as if they shared no
// memory bandwidth and waking them took no time. All generations have the same games. progress is called before each part. The
// settings must be valid. The only error is ctx's.
func MeasureScaling(
	ctx context.Context, game *env.Game, settings rundir.Settings, measured, computed []int, progress func(cores int, computed bool),
) ([]Scaling, error) {
	var all []Scaling
	var runs []*scalingRun
	for _, cores := range measured {
		progress(cores, false)
		runs = append(runs, newScalingRun(game, settings, cores, parallel.Runner(cores)))
		all = append(all, Scaling{Cores: cores})
	}
	for range scalingRounds {
		for i, r := range runs {
			progress(all[i].Cores, false)
			s, err := r.measure(ctx)
			if err != nil {
				return nil, err
			}
			all[i].add(s)
		}
	}
	if len(computed) == 0 {
		return all, nil
	}
	progress(1, true)
	tasks := &taskRecorder{cores: computed}
	rest, err := newScalingRun(game, settings, 1, tasks.run).compute(ctx, tasks)
	if err != nil {
		return nil, err
	}
	for i, cores := range computed {
		progress(cores, true)
		r := newScalingRun(game, settings, cores, nil)
		r.play.begin(evaluatorsOf(r.network()), r.plies) // all threads at once: compute has the time of one
		play := r.play.runInTurn(ctx).Seconds()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := rest[i]
		s.Play, s.Seconds = play, s.Seconds+play
		all = append(all, s)
	}
	return all, nil
}

// scalingRun is a run without files. It has just played as many games as it plays in parallel.
type scalingRun struct {
	game     *env.Game
	plies    int // of each game per generation
	weights  *infer.Weights
	play     *selfPlay
	rescorer *rescorer
	learner  *learner
	sets     positionCounts
	played   int // games
}

// newScalingRun returns a run whose learner works with run; nil means that it only plays.
func newScalingRun(game *env.Game, settings rundir.Settings, cores int, run func(n int, do func(i int))) *scalingRun {
	if settings.ParallelGames == 0 {
		settings.ParallelGames = maxParallel
	}
	if settings.PliesPerGeneration == 0 {
		settings.PliesPerGeneration = maxPlies
	}
	config := infer.Config{Game: game.Name, Channels: settings.Channels, Blocks: settings.Blocks}
	r := &scalingRun{
		game: game, plies: settings.PliesPerGeneration, weights: infer.NewWeights(game, config, rand.New(seed.New(1, "scaling", 0))),
		play: newSelfPlay(newGamesInProgress(game, &settings, 1, settings.ParallelGames), cores, cacheEntries),
	}
	var games []*record
	for r.played < settings.ParallelGames {
		r.play.begin(func(int) mcts.Evaluator { return mcts.Uniform{} }, r.plies)
		_ = r.play.run(context.Background())
		finished := r.play.result().finished
		games, r.played = append(games, finished...), r.played+len(finished)
	}
	if run == nil {
		return r
	}
	trainer, err := model.NewTrainer(game, r.weights, trainerConfig(&settings), run)
	if err != nil {
		panic("train: " + err.Error()) // the weights fit
	}
	r.rescorer = newRescorer(game, settings.SolverNodes, run)
	r.learner = newLearner(game, &settings, 1, trainer, run)
	r.add(games)
	_ = r.learner.train(context.Background(), new(rundir.Metrics), 2, 0.5, func(float64) {}) // touches memory
	return r
}

func (r *scalingRun) network() *infer.Network {
	network, err := infer.NewNetwork(r.game, r.weights)
	if err != nil {
		panic("train: " + err.Error()) // the weights fit
	}
	return network
}

// add adds finished games to the learner's sets and returns the training steps that are due for them.
func (r *scalingRun) add(games []*record) (steps int) {
	before := r.sets
	r.sets = r.learner.add(games, r.played, before)
	r.played += len(games)
	return r.learner.steps(r.sets) - r.learner.steps(before)
}

// learn trains for a number of steps and returns the samples.
func (r *scalingRun) learn(ctx context.Context, steps int) (samples int, err error) {
	m := &rundir.Metrics{Generation: r.learner.trainer.Steps()}
	return steps * r.learner.settings.BatchSize, r.learner.train(ctx, m, steps, 0.5, func(float64) {})
}

// measure plays and learns a generation by the clock.
func (r *scalingRun) measure(ctx context.Context) (s Scaling, err error) {
	start := time.Now()
	r.play.begin(evaluatorsOf(r.network()), r.plies)
	playing := time.Now()
	if err := r.play.run(ctx); err != nil {
		return s, err
	}
	s.Play = time.Since(playing).Seconds()
	result := r.play.result()
	if err := r.rescorer.rescore(ctx, result.finished); err != nil {
		return s, err
	}
	steps := r.add(result.finished)
	learning := time.Now()
	s.Samples, err = r.learn(ctx, steps)
	s.Learn, s.Positions, s.Seconds = time.Since(learning).Seconds(), result.Positions, time.Since(start).Seconds()
	return s, err
}

// compute plays and learns a generation with tasks recorded. It returns the seconds for each of tasks.cores, without those
// of self-play.
func (r *scalingRun) compute(ctx context.Context, tasks *taskRecorder) ([]Scaling, error) {
	tasks.begin()
	r.play.begin(evaluatorsOf(r.network()), r.plies)
	before := tasks.end()
	if err := r.play.run(ctx); err != nil {
		return nil, err
	}
	result := r.play.result()
	tasks.begin()
	if err := r.rescorer.rescore(ctx, result.finished); err != nil {
		return nil, err
	}
	steps := r.add(result.finished)
	after := tasks.end()
	tasks.begin()
	samples, err := r.learn(ctx, steps)
	learn := tasks.end()
	var all []Scaling
	for i, cores := range tasks.cores {
		all = append(all, Scaling{
			Cores: cores, Computed: true, Learn: learn[i], Seconds: before[i] + after[i] + learn[i],
			Positions: result.Positions, Samples: samples,
		})
	}
	return all, err
}

// taskRecorder runs independent tasks one after another, in place of a [parallel.Runner], and computes how long they take
// on some numbers of cores.
type taskRecorder struct {
	cores  []int
	spans  []time.Duration // by number of cores: of the tasks since begin
	serial time.Duration   // CPU time between tasks since begin
	last   time.Duration   // CPU time of the process when the last tasks ended
	tasks  []time.Duration
}

func (r *taskRecorder) begin() {
	r.spans, r.serial, r.last = make([]time.Duration, len(r.cores)), 0, cpu.Time()
}

// end returns the seconds since begin, for each number of cores.
func (r *taskRecorder) end() []float64 {
	r.serial += cpu.Time() - r.last
	var all []float64
	for _, span := range r.spans {
		all = append(all, (r.serial + span).Seconds())
	}
	return all
}

// run runs n tasks.
func (r *taskRecorder) run(n int, do func(i int)) {
	at := cpu.Time()
	r.serial += at - r.last
	r.tasks = r.tasks[:0]
	for i := range n {
		do(i)
		now := cpu.Time()
		r.tasks, at = append(r.tasks, now-at), now
	}
	for i := range r.spans {
		r.spans[i] += parallel.Makespan(r.tasks, r.cores[i])
	}
	r.last = cpu.Time()
}
