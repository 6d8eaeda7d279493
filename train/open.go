package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
	"ludus/train/tensorboard"
)

// configure sets r.config as resolve does and writes it if it is new or has changed.
func (r *run) configure(ctx context.Context) (*infer.Weights, error) {
	weights, changed, err := r.resolve(ctx)
	if err != nil {
		return nil, err
	}
	if changed {
		err = r.config.Write(r.Dir)
	}
	return weights, err
}

// resolve sets r.config from config.json and the options, and reports whether it differs from that file; for a new run
// it makes the config. It writes nothing. It returns the weights that a run without checkpoints starts from.
func (r *run) resolve(ctx context.Context) (weights *infer.Weights, changed bool, err error) {
	config, err := rundir.ReadConfig(r.Dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return nil, false, err
	}
	if isNew {
		config = rundir.NewConfig(r.Game.Name, 1, rundir.DefaultSettings(r.Game))
		config.Sheet = r.Game.Sheet
		if r.Seed != nil {
			config.Seed = *r.Seed
		}
	}
	if config.Game != r.Game.Name {
		return nil, false, fmt.Errorf("%s: %w: it is a run of %s, not of %s; choose another directory",
			r.Dir, ErrOtherGame, config.Game, r.Game.Name)
	}
	weights, digest, err := r.readFrom()
	if err != nil {
		return nil, false, err
	}
	settings, err := r.resolveSettings(config, weights, digest, isNew)
	if err != nil {
		return nil, false, err
	}
	if weights == nil {
		network := infer.DefaultConfig(r.Game)
		network.Channels, network.Blocks = settings.Channels, settings.Blocks
		if err := network.Validate(r.Game); err != nil {
			return nil, false, err
		}
		weights = infer.NewWeights(r.Game, network, rand.New(seed.New(config.Seed, "weights", 0)))
	}
	weights.ValueScale = settings.ValueScale
	r.config = config
	if !isNew {
		changed, err = r.changeLength()
		return weights, changed, err
	}
	config.Settings, config.From = settings, digest
	return weights, true, r.makePlan(ctx, weights)
}

// readFrom returns the weights that Options.From names and their file's SHA-256; nil and "" if From is empty.
func (r *run) readFrom() (*infer.Weights, string, error) {
	if r.From == "" {
		return nil, "", nil
	}
	load := r.Load
	if load == nil {
		load = rundir.LoadWeights
	}
	weights, origin, err := load(agent.Reference{Path: r.From})
	if err != nil {
		return nil, "", err
	}
	if weights, err = fit(weights, r.Game); err != nil {
		return nil, "", fmt.Errorf("%s: %w", r.From, err)
	}
	return weights, origin.Digest, nil
}

// fit returns the weights if they are a network for the game, or else, if they are one for another size of it, weights to
// start from; see [infer.Weights.Resize].
func fit(weights *infer.Weights, game *env.Game) (*infer.Weights, error) {
	if other, err := games.Find(weights.Config.Game); err == nil && other.Name != game.Name && other.Family == game.Family && game.Sheet == "" {
		return weights.Resize(other, game)
	}
	return weights, weights.Validate(game)
}

// resolveSettings returns config's settings with the options applied. If the run exists already, an option that differs
// from its settings is an error.
func (r *run) resolveSettings(config *rundir.Config, from *infer.Weights, digest string, isNew bool) (
	rundir.Settings, error) {
	settings := config.Settings
	if from != nil && isNew {
		settings.Channels, settings.Blocks = from.Config.Channels, from.Config.Blocks
	}
	if from == nil && isNew && r.Generations == 0 {
		settings.Channels, settings.Blocks = networkSize(r.Game, r.coreTime())
	}
	if err := settings.Change(r.Settings); err != nil {
		return settings, err
	}
	if from != nil && isNew && (from.Config.Channels != settings.Channels || from.Config.Blocks != settings.Blocks) {
		return settings, fmt.Errorf("%w: channels=%d and blocks=%d, but the network in %s has %d and %d; leave them out",
			ErrNetworkSize, settings.Channels, settings.Blocks, r.From, from.Config.Channels, from.Config.Blocks)
	}
	if isNew {
		return settings, nil
	}
	conflicts := settings.Differences(&config.Settings)
	if r.Seed != nil && *r.Seed != config.Seed {
		conflicts = append(conflicts, fmt.Sprintf("seed=%d (the run has %d)", *r.Seed, config.Seed))
	}
	if digest != "" && digest != config.From {
		why := "the run did not start from this file"
		if r.From == agent.Zoo && config.From != "" {
			why = "the run started from another network; the shipped one may have changed since"
		}
		conflicts = append(conflicts, fmt.Sprintf("from=%s (%s)", r.From, why))
	}
	if len(conflicts) > 0 {
		return settings, fmt.Errorf("%s: %w: %s; leave them out to continue, or choose another directory",
			r.Dir, ErrConflict, strings.Join(conflicts, ", "))
	}
	return settings, nil
}

// load restores the run from its newest intact checkpoint, or starts it with the given weights.
func (r *run) load(weights *infer.Weights) error {
	games := newGamesInProgress(r.Game, &r.config.Settings, r.config.Seed, r.config.Plan.ParallelGames)
	if r.faults.games != nil {
		r.faults.games(games)
	}
	r.play = newSelfPlay(games, r.Threads, cacheEntries)
	r.rescorer = newRescorer(r.Game, r.config.Settings.SolverNodes, parallel.Runner(r.Threads))
	checkpoint, damaged, err := r.store.Newest()
	switch {
	case errors.Is(err, checkpoints.ErrNoCheckpoint) && len(damaged) == 0:
		if err := r.begin(weights); err != nil {
			return err
		}
	case err != nil:
		for _, err := range damaged {
			r.note("%v", err)
		}
		return fmt.Errorf("run %s: %w; restore %s from a backup, or delete %s to start over",
			r.Dir, err, filepath.Join(r.Dir, rundir.CheckpointsDir), r.Dir)
	default:
		if err := r.restore(checkpoint, damaged); err != nil {
			return err
		}
	}
	g := r.count.Generation
	r.pace.began, r.pace.from = time.Now(), g
	r.curves = tensorboard.NewWriter(r.Dir, g+1) // TensorBoard discards later points of earlier processes
	r.rater = &rater{
		dir: r.Dir, game: r.Game, config: r.config, count: &r.count, pace: &r.pace, threads: r.Threads,
		curves: r.curves, notify: r.Observe, progress: func() { r.progress(Rating, 0) },
	}
	if err := rundir.DropAfter(r.Dir, g); err != nil {
		return err
	}
	return r.rater.dropRatingsAfter(g)
}

// newestGeneration returns the newest generation that has metrics or games; 0 if there is none.
func (r *run) newestGeneration() (int, error) {
	newest := 0
	metrics, _, err := rundir.MetricsFile.Read(r.Dir)
	if err != nil {
		return 0, err
	}
	for _, m := range metrics {
		newest = max(newest, m.Generation)
	}
	games, err := rundir.GamesGenerations(r.Dir)
	return max(newest, slices.Max(append(games, 0))), err
}

// lostCheckpoints is the error of a run that has games or metrics up to a generation, but no checkpoint of its training.
func (r *run) lostCheckpoints(newest int) error {
	return fmt.Errorf("%s: %w, though its files go to generation %d; restore %s from a backup, or delete %s to start over",
		r.Dir, ErrCheckpoints, newest, filepath.Join(r.Dir, rundir.CheckpointsDir), r.Dir)
}

// begin saves checkpoint 0 with the given weights. It returns an error if the run has lost its checkpoints, rather than
// start a new run beside old games and metrics.
func (r *run) begin(weights *infer.Weights) error {
	newest, err := r.newestGeneration()
	if err != nil {
		return err
	}
	if newest > 0 {
		return r.lostCheckpoints(newest)
	}
	if r.config.From != "" && r.From == "" {
		return fmt.Errorf("%s: %w: it starts from a weights file; give that file again", r.Dir, ErrConflict)
	}
	if err := r.newLearner(weights, nil); err != nil {
		return err
	}
	if r.From != "" {
		r.note("starting from the network in %s", r.From)
	}
	return r.save(counters{Game: r.Game.Name, Network: weights.Config})
}

// restore restores the run from c, its newest intact checkpoint; damaged has the errors of newer checkpoints. It returns
// an error rather than train a run again from its first weights: only generation 1 may have been cut off before its
// checkpoint.
func (r *run) restore(c *checkpoints.Checkpoint, damaged []error) error {
	for _, err := range damaged {
		r.note("%v; continuing from generation %d", err, c.ID)
	}
	newest, err := r.newestGeneration()
	if err != nil {
		return err
	}
	if c.ID == 0 && newest > 1 {
		return r.lostCheckpoints(newest)
	}
	if newest > c.ID && len(damaged) == 0 {
		r.note("generation %d has no checkpoint; continuing from generation %d", newest, c.ID)
	}
	if err := json.Unmarshal(c.Meta, &r.count); err != nil {
		return fmt.Errorf("checkpoint %d: %w", c.ID, err)
	}
	trained, err := r.trainedCheckpoint(c)
	if err != nil {
		return err
	}
	weights, err := infer.Unmarshal(trained.Part(rundir.WeightsPart))
	if err == nil {
		err = r.newLearner(weights, trained.Part(rundir.OptimizerPart))
	}
	if err != nil {
		return fmt.Errorf("checkpoint %d: %w", trained.ID, err)
	}
	r.owedSteps = r.count.Steps - r.learner.trainer.Steps()
	if err := unmarshalGamesInProgress(c.Part(rundir.GamesInProgressPart), r.play.games); err != nil {
		return fmt.Errorf("checkpoint %d: %w", c.ID, err)
	}
	r.pace.started = r.pace.started.Add(-time.Duration(r.count.Seconds * float64(time.Second)))
	r.pace.startedCPU -= time.Duration(r.count.CPUSeconds * float64(time.Second))
	return r.loadWindows()
}

// trainedCheckpoint returns the checkpoint whose weights the learner continues from: c itself or, if the run had
// finished at c and was extended, one from before the final decay of the learning rate.
func (r *run) trainedCheckpoint(c *checkpoints.Checkpoint) (*checkpoints.Checkpoint, error) {
	plan := &r.config.Plan
	if c.ID < plan.Resumed { // newer checkpoints are damaged: the plan starts from here
		plan.Resumed, plan.Rewound = 0, 0
		return c, r.config.Write(r.Dir)
	}
	if c.ID > plan.Resumed || plan.Rewound == plan.Resumed {
		return c, nil
	}
	before, err := r.store.Load(plan.Rewound)
	if errors.Is(err, checkpoints.ErrDamaged) || errors.Is(err, checkpoints.ErrNoCheckpoint) {
		r.note("%v; the learner continues from generation %d", err, c.ID)
		return c, nil
	}
	return before, err
}

// newLearner sets r.learner, with the given weights and optimizer state; a nil optimizer means a fresh state.
func (r *run) newLearner(weights *infer.Weights, optimizer []byte) error {
	run := parallel.Runner(r.Threads)
	trainer, err := model.NewTrainer(r.Game, weights, trainerConfig(&r.config.Settings), run)
	if err != nil {
		return err
	}
	r.learner = newLearner(r.Game, &r.config.Settings, r.config.Seed, trainer, run)
	r.learner.corrupt = r.faults.batch
	if optimizer == nil {
		return nil
	}
	return trainer.UnmarshalState(optimizer)
}

// loadWindows restores the replay window and the validation set of the checkpoint: it reads files of games, newest
// first, until both are full. Games in damaged or missing files are left out.
func (r *run) loadWindows() error {
	l := r.learner
	sizes := l.windowSizes(r.count.Sets)
	need := sizes
	var generations [][2][]*record.Record // training and validation set, newest first
	var lost lostGames
	for g := r.count.Generation; g > 0 && (need.Training > 0 || need.Validation > 0); g-- {
		games, first, err := record.Read(r.Game, r.Dir, g)
		if record.IsLost(err) {
			lost.add(g, err)
			continue
		}
		if err != nil {
			return err
		}
		training, validation := l.split(games, first)
		generations = append(generations, [2][]*record.Record{training, validation})
		need.Training -= record.Count(training)
		need.Validation -= record.Count(validation)
	}
	r.noteLost(lost, "continuing without these games")
	for _, games := range slices.Backward(generations) {
		l.training.add(games[0], sizes.Training)
		l.validation.add(games[1], sizes.Validation)
	}
	return nil
}

// trainerConfig returns the default trainer config with the settings' weight decay.
func trainerConfig(s *rundir.Settings) model.Config {
	c := model.DefaultConfig()
	c.WeightDecay = s.WeightDecay
	return c
}
