package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/learn"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
	"ludus/train/selfplay"
)

// opener opens a run from its directory and the options, in two steps. configure (or resolve, which writes nothing)
// determines the config with its plan; load restores games, network and windows.
type opener struct {
	*state
	cost plan.Cost // measured if the run has a new time plan
}

// newOpener checks the options as far as possible without the run directory, and starts the clock.
func newOpener(o Options) (*opener, error) {
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	return &opener{state: &state{Options: o, store: rundir.Checkpoints(o.Dir), clock: plan.Start()}}, o.length().Validate()
}

// configure determines the config as resolve does, and writes it if it is new or has changed. It returns the weights
// that a run without checkpoints starts from.
func (o *opener) configure(ctx context.Context) (*infer.Weights, error) {
	weights, changed, err := o.resolve(ctx)
	if err != nil {
		return nil, err
	}
	if made := &o.config.Plan; o.cost != (plan.Cost{}) {
		o.note("plan for %v: %d generations of %d plies in each of %d games",
			cmp.Or(o.Time, plan.DefaultTime), made.Generations, made.PliesPerGeneration, made.ParallelGames)
	}
	if changed {
		err = o.config.Write(o.Dir)
	}
	return weights, err
}

// resolve determines the config from config.json and the options, and reports whether it differs from that file. For a
// new run it creates the config. It writes nothing. It returns the weights that a run without checkpoints starts from.
func (o *opener) resolve(ctx context.Context) (weights *infer.Weights, changed bool, err error) {
	config, err := rundir.ReadConfig(o.Dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return nil, false, err
	}
	if isNew {
		config = rundir.NewConfig(o.Game.Name, 1, rundir.DefaultSettings(o.Game))
		config.Sheet = o.Game.Sheet
		if o.Seed != nil {
			config.Seed = *o.Seed
		}
	}
	if !o.Game.Is(config.Game) {
		return nil, false, fmt.Errorf("%s: %w: it is a run of %s, not of %s; choose another directory",
			o.Dir, ErrOtherGame, config.Game, o.Game.Name)
	}
	from, digest, err := o.readFrom()
	if err != nil {
		return nil, false, err
	}
	settings, err := o.resolveSettings(config, from, digest, isNew)
	if err != nil {
		return nil, false, err
	}
	if weights, err = o.startWeights(from, &settings, config.Seed); err != nil {
		return nil, false, err
	}
	o.config = config
	changed = config.Settings != settings // of an existing run, keep_newest and keep_every may differ
	config.Settings = settings
	if !isNew {
		longer, err := o.changeLength()
		return weights, longer || changed, err
	}
	config.From = digest
	config.Import, err = o.countImport(ctx)
	if err == nil {
		err = o.makePlan(ctx, weights)
	}
	if err == nil {
		o.planImport()
	}
	return weights, true, err
}

// startWeights returns the weights that a run with these settings and seed starts from: those of from, enlarged if the
// settings say so, or random ones if from is nil.
func (o *opener) startWeights(from *infer.Weights, settings *rundir.Settings, runSeed uint64) (*infer.Weights, error) {
	rng := rand.New(seed.New(runSeed, "weights", 0))
	var weights *infer.Weights
	if from != nil {
		var err error
		if weights, err = from.Grow(o.Game, settings.Channels, settings.Blocks, rng); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", o.From, ErrNetworkSize, err)
		}
	} else {
		network := infer.DefaultConfig(o.Game)
		network.Pooled = network.Pooled || len(o.games) > 1
		network.Channels, network.Blocks = settings.Channels, settings.Blocks
		if err := network.Validate(o.Game); err != nil {
			return nil, err
		}
		weights = infer.NewWeights(o.Game, network, rng)
	}
	if err := model.CheckSizes(o.games, weights); err != nil {
		return nil, fmt.Errorf("%w: %w; leave out sizes=%v", ErrNetworkSize, err, settings.Sizes)
	}
	weights.ValueScale = settings.ValueScale
	return weights, nil
}

// readFrom returns the weights named by Options.From and their file's SHA-256; nil and "" if From is empty.
func (o *opener) readFrom() (*infer.Weights, string, error) {
	if o.From == "" {
		return nil, "", nil
	}
	load := o.Load
	if load == nil {
		load = rundir.LoadWeights
	}
	weights, origin, err := load(agent.ParseReference(o.From))
	if err != nil {
		return nil, "", err
	}
	if weights, err = fit(weights, o.Game); err != nil {
		return nil, "", fmt.Errorf("%s: %w", o.From, err)
	}
	return weights, origin.Digest, nil
}

// fit returns the weights if they fit the game. Weights for another size of the game are resized, see
// [infer.Weights.Resize].
func fit(weights *infer.Weights, game *env.Game) (*infer.Weights, error) {
	other, err := games.Find(weights.Config.Game)
	if err == nil && other.Name != game.Name && other.Family == game.Family && game.Sheet == "" {
		return weights.Resize(other, game)
	}
	return weights, weights.Validate(game)
}

// resolveSettings returns the settings with the options applied. An option that differs from an existing run's settings
// is an error.
func (o *opener) resolveSettings(config *rundir.Config, from *infer.Weights, digest string, isNew bool) (
	rundir.Settings, error) {
	settings := config.Settings
	if from != nil && isNew {
		settings.Channels, settings.Blocks = from.Config.Channels, from.Config.Blocks
		if !from.Config.Pooled { // it has weights per cell
			settings.Sizes = 0
		}
	}
	err := settings.Change(o.Settings)
	if err == nil {
		o.games, err = settings.Sizes.Games(o.Game)
	}
	if err != nil {
		return settings, err
	}
	if len(o.games) == 1 {
		settings.Sizes = 0
	}
	if isNew {
		return settings, nil
	}
	conflicts := settings.Differences(&config.Settings)
	if o.Seed != nil && *o.Seed != config.Seed {
		conflicts = append(conflicts, fmt.Sprintf("seed=%d (the run has %d)", *o.Seed, config.Seed))
	}
	if digest != "" && digest != config.From {
		why := "the run did not start from this file"
		if o.From == agent.Zoo && config.From != "" {
			why = "the run started from another network; the shipped one may have changed since"
		}
		conflicts = append(conflicts, fmt.Sprintf("from=%s (%s)", o.From, why))
	}
	if len(conflicts) > 0 {
		return settings, fmt.Errorf("%s: %w: %s; leave them out to continue, or choose another directory",
			o.Dir, ErrConflict, strings.Join(conflicts, ", "))
	}
	return settings, o.checkImport(config.Import)
}

// load restores the run from its newest intact checkpoint, or starts it with the given weights.
func (o *opener) load(weights *infer.Weights) (*run, error) {
	settings := &o.config.Settings
	r := &run{
		state:   o.state,
		players: make([]*selfplay.Player, len(o.games)),
	}
	for _, game := range o.games {
		r.rescorers = append(r.rescorers, selfplay.NewRescorer(game, settings.SolverNodes, o.Threads))
	}
	r.player(o.Game)
	checkpoint, damaged, err := o.store.Newest()
	switch {
	case errors.Is(err, checkpoints.ErrNoCheckpoint) && len(damaged) == 0:
		err = o.begin(r, weights)
	case err != nil:
		for _, err := range damaged {
			o.note("%v", err)
		}
		err = fmt.Errorf("run %s: %w; restore %s from a backup, or delete %s to start over",
			o.Dir, err, filepath.Join(o.Dir, rundir.CheckpointsDir), o.Dir)
	default:
		err = o.restore(r, checkpoint, damaged)
	}
	if err == nil {
		err = o.needsImport()
	}
	if err != nil {
		return nil, err
	}
	g := o.count.Generation
	o.clock.Begin(g)
	r.meter = &meter{state: o.state}
	if err := rundir.DropAfter(o.Dir, g); err != nil { // the run repeats what is newer than its checkpoint
		return nil, err
	}
	return r, r.meter.dropRatingsAfter(g)
}

// newestGeneration returns the newest generation that has metrics or games; 0 if there is none.
func (o *opener) newestGeneration() (int, error) {
	newest := 0
	metrics, _, err := rundir.MetricsFile.Read(o.Dir)
	if err != nil {
		return 0, err
	}
	for _, m := range metrics {
		newest = max(newest, m.Generation)
	}
	games, err := rundir.GamesGenerations(o.Dir)
	return max(newest, slices.Max(append(games, 0))), err
}

// lostCheckpoints returns the error about a run with games or metrics up to generation newest but without their
// checkpoints.
func (o *opener) lostCheckpoints(newest int) error {
	return fmt.Errorf("%s: %w, though its files go to generation %d; restore %s from a backup, or delete %s to start over",
		o.Dir, ErrCheckpoints, newest, filepath.Join(o.Dir, rundir.CheckpointsDir), o.Dir)
}

// begin saves checkpoint 0 with the given weights. It returns an error if the run has lost its checkpoints, because a
// new run must not start beside old games and metrics.
func (o *opener) begin(r *run, weights *infer.Weights) error {
	newest, err := o.newestGeneration()
	if err != nil {
		return err
	}
	if newest > 0 {
		return o.lostCheckpoints(newest)
	}
	if o.config.From != "" && o.From == "" {
		return fmt.Errorf("%s: %w: it starts from a weights file; give that file again", o.Dir, ErrConflict)
	}
	if r.learner, err = o.newLearner(weights); err != nil {
		return err
	}
	if o.From != "" {
		o.note("starting from the network in %s", o.From)
	}
	if sizes := o.config.Settings.Sizes; sizes != 0 {
		o.note("training on boards of %s, from small to large, with more plies on smaller ones", sizes.Boards())
	}
	first := counters{Game: o.Game.Name, Network: weights.Config}
	first.setSizes(make([]sizeCounters, len(o.games)))
	return r.save(first)
}

// newLearner creates the run's learner, with empty windows.
func (o *opener) newLearner(weights *infer.Weights) (*learn.Learner, error) {
	return learn.New(o.games, &o.config.Settings, o.config.Seed, weights, o.Threads)
}

// restore restores the run from its newest intact checkpoint c; damaged holds the errors of newer ones. Checkpoint 0
// must not restart a run that has trained longer: only generation 1 may have been cut off before its checkpoint.
// Otherwise restore returns an error.
func (o *opener) restore(r *run, c *checkpoints.Checkpoint, damaged []error) error {
	for _, err := range damaged {
		o.note("%v; continuing from generation %d", err, c.ID)
	}
	newest, err := o.newestGeneration()
	if err != nil {
		return err
	}
	if c.ID == 0 && newest > 1 {
		return o.lostCheckpoints(newest)
	}
	if newest > c.ID && len(damaged) == 0 {
		o.note("generation %d has no checkpoint; continuing from generation %d", newest, c.ID)
	}
	if err := json.Unmarshal(c.Meta, &o.count); err != nil {
		return fmt.Errorf("checkpoint %d: %w", c.ID, err)
	}
	trained, err := o.trainedCheckpoint(c)
	if err != nil {
		return err
	}
	weights, err := infer.Unmarshal(trained.Part(rundir.WeightsPart))
	if err == nil {
		r.learner, err = o.newLearner(weights)
	}
	if err == nil {
		err = r.learner.Trainer.UnmarshalState(trained.Part(rundir.OptimizerPart))
	}
	if err != nil {
		return fmt.Errorf("checkpoint %d: %w", trained.ID, err)
	}
	r.owedSteps = o.count.Steps - r.learner.Trainer.Steps() // above 0 if the weights are from before c
	for _, game := range o.games {
		part := c.Part(o.inProgressPart(game))
		if part == nil && game != o.Game { // not played yet
			continue
		}
		if err := r.player(game).UnmarshalGames(part); err != nil {
			return fmt.Errorf("checkpoint %d: %w", c.ID, err)
		}
	}
	o.clock.Resume(o.count.done())
	return o.restoreWindows(r.learner)
}

// restoreWindows fills the learner's windows with the run's games. It reports lost games in one line and leaves them
// out.
func (o *opener) restoreWindows(learner *learn.Learner) error {
	var first error     // error about the first generation whose games cannot be read
	var others []string // the other such generations
	read := func(generation int) ([]*record.Record, int, error) {
		games, number, err := record.Read(o.Game, o.Dir, generation)
		switch {
		case !record.IsLost(err):
			return games, number, err
		case first == nil:
			first = err
		default:
			others = append(others, strconv.Itoa(generation))
		}
		return nil, 0, nil
	}
	if err := learner.Restore(setsOf(o.count.bySize()), o.count.Generation, read); err != nil || first == nil {
		return err
	}
	also := ""
	if len(others) > 0 {
		also = ", also the games of generations " + strings.Join(others, ", ")
	}
	o.note("%v%s; continuing without these games", first, also)
	return nil
}

// trainedCheckpoint returns the checkpoint whose weights the learner continues from. That is c, unless the run was
// finished at c and has been extended: then it is a checkpoint from before the final decay of the learning rate.
func (o *opener) trainedCheckpoint(c *checkpoints.Checkpoint) (*checkpoints.Checkpoint, error) {
	plan := &o.config.Plan
	if c.ID < plan.Resumed { // newer checkpoints are damaged, so the extension starts here
		plan.Resumed, plan.Rewound = 0, 0
		return c, o.config.Write(o.Dir)
	}
	if c.ID > plan.Resumed || plan.Rewound == plan.Resumed { // it has trained since then, or need not go back
		return c, nil
	}
	before, err := o.store.Load(plan.Rewound)
	if errors.Is(err, checkpoints.ErrDamaged) || errors.Is(err, checkpoints.ErrNoCheckpoint) {
		o.note("%v; the learner continues from generation %d", err, c.ID)
		return c, nil
	}
	return before, err
}
