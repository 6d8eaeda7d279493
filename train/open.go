package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"ludus/checkpoints"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/rundir"
)

// prepareDir makes the run directory, and refuses one that holds something else. It reports whether there was none.
func prepareDir(dir string) (isNew bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, checkpoints.MkdirAll(dir)
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.Name() == rundir.ConfigFile {
			return false, nil
		}
	}
	for _, e := range entries {
		if name := e.Name(); name != rundir.LockFile && !strings.HasPrefix(name, ".") {
			return false, fmt.Errorf("%s: %w: it holds %s but no config.json; name a new or empty directory", dir, rundir.ErrNoRun, name)
		}
	}
	return false, nil
}

// configure reads or makes config.json. It returns the weights that a run without checkpoints begins with.
func (r *run) configure(ctx context.Context) (*infer.Weights, error) {
	config, err := rundir.ReadConfig(r.Dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return nil, err
	}
	if isNew {
		config = rundir.NewConfig(r.Game.Name, 1, rundir.DefaultSettings(r.Game))
		if r.Seed != nil {
			config.Seed = *r.Seed
		}
	}
	if config.Game != r.Game.Name {
		return nil, fmt.Errorf("%s: %w: it holds %s, asked for is %s; choose another --run",
			r.Dir, ErrOtherGame, config.Game, r.Game.Name)
	}
	from, err := r.readFrom()
	if err != nil {
		return nil, err
	}
	settings, err := r.resolveSettings(config, from, isNew)
	if err != nil {
		return nil, err
	}
	weights := from.weights
	if weights == nil {
		network := infer.DefaultConfig(r.Game)
		network.Channels, network.Blocks = settings.Channels, settings.Blocks
		if err := network.Validate(r.Game); err != nil {
			return nil, err
		}
		weights = infer.NewWeights(r.Game, network, rand.New(newPCG(config.Seed, "weights", 0)))
	}
	weights.ValueScale = settings.ValueScale
	r.config = config
	if !isNew {
		return weights, r.extend()
	}
	config.Settings, config.From = settings, from.sum
	if err := r.makePlan(ctx, weights); err != nil {
		return nil, err
	}
	return weights, config.Write(r.Dir)
}

// source is the weights file that a run starts from.
type source struct {
	weights *infer.Weights
	sum     string // SHA-256
}

func (r *run) readFrom() (source, error) {
	if r.From == "" {
		return source{}, nil
	}
	data, err := os.ReadFile(r.From)
	if err != nil {
		return source{}, err
	}
	weights, err := infer.Unmarshal(data)
	if err != nil {
		return source{}, fmt.Errorf("%s: %w", r.From, err)
	}
	if weights.Config.Game != r.Game.Name {
		return source{}, fmt.Errorf("%s: its network plays %s, not %s", r.From, weights.Config.Game, r.Game.Name)
	}
	if err := weights.Validate(r.Game); err != nil {
		return source{}, fmt.Errorf("%s: %w", r.From, err)
	}
	sum := sha256.Sum256(data)
	return source{weights, hex.EncodeToString(sum[:])}, nil
}

// resolveSettings returns the settings asked for on top of those in config, and refuses what contradicts an existing run.
func (r *run) resolveSettings(config *rundir.Config, from source, isNew bool) (rundir.Settings, error) {
	settings := config.Settings
	if from.weights != nil && isNew {
		settings.Channels, settings.Blocks = from.weights.Config.Channels, from.weights.Config.Blocks
	}
	if err := settings.Change(r.Options.Settings); err != nil {
		return settings, err
	}
	if c := from.weights; c != nil && (c.Config.Channels != settings.Channels || c.Config.Blocks != settings.Blocks) {
		return settings, fmt.Errorf("%w: channels=%d and blocks=%d, but the network in %s has %d and %d; leave them out",
			ErrNetwork, settings.Channels, settings.Blocks, r.From, c.Config.Channels, c.Config.Blocks)
	}
	if isNew {
		return settings, nil
	}
	contrary := settings.Differences(&config.Settings)
	if r.Seed != nil && *r.Seed != config.Seed {
		contrary = append(contrary, fmt.Sprintf("seed=%d (the run has %d)", *r.Seed, config.Seed))
	}
	if from.sum != "" && from.sum != config.From {
		contrary = append(contrary, fmt.Sprintf("from=%s (the run did not start from this file)", r.From))
	}
	if len(contrary) > 0 {
		return settings, fmt.Errorf("%s: %w: %s; leave them out to go on, or choose another --run",
			r.Dir, ErrContrary, strings.Join(contrary, ", "))
	}
	return settings, nil
}

// makePlan decides how far a new run goes.
func (r *run) makePlan(ctx context.Context, weights *infer.Weights) error {
	plan, settings := &r.config.Plan, &r.config.Settings
	if r.Generations > 0 {
		*plan = rundir.Plan{Generations: r.Generations, ParallelGames: settings.ParallelGames, PliesPerGeneration: settings.PliesPerGeneration}
		if plan.ParallelGames == 0 {
			plan.ParallelGames = mostSlots
		}
		if plan.PliesPerGeneration == 0 {
			plan.PliesPerGeneration = mostPlies
		}
		return nil
	}
	budget := r.Time
	if budget == 0 {
		budget = DefaultTime
	}
	r.tell(Event{Progress: Progress{Phase: "measuring"}})
	c, err := measure(ctx, r.Game, settings, weights, r.Threads)
	if err != nil {
		return err
	}
	plan.Seconds = budget.Seconds()
	fillPlan(plan, plan.Seconds-time.Since(r.started).Seconds(), r.Game, settings, c)
	r.tell(Event{Note: fmt.Sprintf("plan for %v: %d generations of %d plies in each of %d games",
		budget, plan.Generations, plan.PliesPerGeneration, plan.ParallelGames)})
	return nil
}

// extend gives an existing run more to do where that is asked for and the run has ended.
func (r *run) extend() error {
	plan := &r.config.Plan
	sameTime := r.Time == 0 || r.Time.Seconds() == plan.Seconds
	sameGenerations := r.Generations == 0 || r.Generations == plan.Generations && plan.Stopped == 0
	if sameTime && sameGenerations {
		return nil
	}
	var count counters
	checkpoint, _, err := r.store.Newest() // what is damaged, load tells
	if err == nil {
		err = json.Unmarshal(checkpoint.Meta, &count)
	}
	if err != nil && !errors.Is(err, checkpoints.ErrNoCheckpoint) {
		return fmt.Errorf("run %s: %w", r.Dir, err)
	}
	ended := count.Generation
	if ended < plan.Last() {
		return fmt.Errorf("%s: %w: the run is unfinished (generation %d of %d); "+
			"go on without --time and --generations, and ask for more once it is finished", r.Dir, ErrContrary, ended, plan.Last())
	}
	more := rundir.Plan{Generations: r.Generations, ParallelGames: plan.ParallelGames, PliesPerGeneration: plan.PliesPerGeneration, Resumed: ended, Rewound: r.beforeFall(plan, ended)}
	if r.Time > 0 {
		again, err := r.learningSeconds(more.Rewound+1, ended)
		if err != nil {
			return err
		}
		more.Seconds = r.Time.Seconds()
		more.Adjusted = len(adjustAt) // the run's speed is known
		left := more.Seconds*(1-finalShare(&r.config.Settings)) - count.Seconds - again
		more.Generations = ended + int(left*safety/count.Seconds*float64(ended))
	}
	if more.Generations <= ended {
		return nil // no more than the run has done: it stays finished
	}
	*plan = more
	return r.config.Write(r.Dir)
}

// beforeFall returns the newest whole checkpoint of a plan that ended from before the final fall of its learning rate:
// the one that the plan itself went back to where it never rose above the fall, and the last one where none is left.
func (r *run) beforeFall(plan *rundir.Plan, ended int) int {
	var candidates []int
	ids, _ := r.store.List() // what cannot be listed cannot be loaded
	for _, id := range slices.Backward(ids) {
		if id > plan.Resumed && id <= min(lastConstant(plan), ended) {
			candidates = append(candidates, id)
		}
	}
	for _, id := range append(candidates, plan.Rewound) {
		if id == 0 {
			continue
		}
		if _, err := r.store.Load(id); err == nil {
			return id
		}
	}
	return ended
}

// learningSeconds is how long the learner took in the generations from first to last.
func (r *run) learningSeconds(first, last int) (seconds float64, err error) {
	metrics, _, err := rundir.MetricsFile.Read(r.Dir)
	for _, m := range metrics {
		if m.Generation >= first && m.Generation <= last {
			seconds += m.LearnSeconds
		}
	}
	return seconds, err
}

// load brings the run to where its newest whole checkpoint left it, or to its beginning with the given weights. It
// reports whether the run had ended there.
func (r *run) load(weights *infer.Weights) (ended bool, err error) {
	games := newGamesInProgress(r.Game, &r.config.Settings, r.config.Seed, r.config.Plan.ParallelGames)
	r.play = newSelfPlay(games, r.Threads, cacheEntries)
	checkpoint, warnings, err := r.store.Newest()
	for _, w := range warnings {
		r.tell(Event{Note: fmt.Sprintf("%v; going on from an older checkpoint", w)})
	}
	if ids, listErr := r.store.List(); errors.Is(err, checkpoints.ErrNoCheckpoint) && listErr == nil && len(ids) == 0 {
		if r.config.From != "" && r.From == "" {
			return false, fmt.Errorf("%s: %w: it starts from a weights file; name that with --from", r.Dir, ErrContrary)
		}
		if err := r.begin(weights); err != nil {
			return false, err
		}
		return false, r.dropNewer()
	}
	if err != nil {
		return false, fmt.Errorf("run %s: %w", r.Dir, err)
	}
	if err := json.Unmarshal(checkpoint.Meta, &r.count); err != nil {
		return false, fmt.Errorf("checkpoint %d: %w", checkpoint.ID, err)
	}
	learned, err := r.learnedFrom(checkpoint)
	if err != nil {
		return false, err
	}
	if err := r.makeLearner(learned); err != nil {
		return false, fmt.Errorf("checkpoint %d: %w", learned.ID, err)
	}
	r.owed = r.count.Steps - r.learner.trainer.Steps()
	if err := unmarshalGamesInProgress(checkpoint.Part(rundir.GamesInProgressPart), games); err != nil {
		return false, fmt.Errorf("checkpoint %d: %w", checkpoint.ID, err)
	}
	r.started = r.started.Add(-time.Duration(r.count.Seconds * float64(time.Second)))
	r.ready()
	if err := r.loadWindow(); err != nil {
		return false, err
	}
	return r.count.Generation >= r.config.Plan.Last(), r.dropNewer()
}

// learnedFrom returns the checkpoint that the learner goes on from when the run goes on from c: c itself, or the one
// from before the fall where more was asked for at c.
func (r *run) learnedFrom(c *checkpoints.Checkpoint) (*checkpoints.Checkpoint, error) {
	plan := &r.config.Plan
	if c.ID < plan.Resumed { // what came after is damaged; the plan begins anew from here
		plan.Resumed, plan.Rewound = 0, 0
		return c, r.config.Write(r.Dir)
	}
	if c.ID > plan.Resumed || plan.Rewound == plan.Resumed {
		return c, nil
	}
	before, err := r.store.Load(plan.Rewound)
	if errors.Is(err, checkpoints.ErrDamaged) || errors.Is(err, checkpoints.ErrNoCheckpoint) {
		r.tell(Event{Note: fmt.Sprintf("%v; the learner goes on from generation %d", err, c.ID)})
		return c, nil
	}
	return before, err
}

// begin writes checkpoint 0.
func (r *run) begin(weights *infer.Weights) error {
	trainer, err := model.NewTrainer(r.Game, weights, trainerConfig(&r.config.Settings), parallel.New(r.Threads))
	if err != nil {
		return err
	}
	r.learner = newLearner(r.Game, &r.config.Settings, r.config.Seed, trainer, r.Threads)
	r.count = counters{Game: r.Game.Name, Network: weights.Config}
	r.ready()
	return r.save()
}

// ready completes the run once its counters are known.
func (r *run) ready() {
	r.resumed, r.began = r.count, time.Now()
}

// makeLearner restores the learner from a checkpoint.
func (r *run) makeLearner(c *checkpoints.Checkpoint) error {
	weights, err := infer.Unmarshal(c.Part(rundir.WeightsPart))
	if err != nil {
		return err
	}
	trainer, err := model.NewTrainer(r.Game, weights, trainerConfig(&r.config.Settings), parallel.New(r.Threads))
	if err != nil {
		return err
	}
	if err := trainer.UnmarshalState(c.Part(rundir.OptimizerPart)); err != nil {
		return err
	}
	r.learner = newLearner(r.Game, &r.config.Settings, r.config.Seed, trainer, r.Threads)
	return nil
}

// Errors of opening a run; each is wrapped with what would be right.
var (
	ErrOtherGame = errors.New("the run directory belongs to another game")
	ErrContrary  = errors.New("what is asked for contradicts the run's config.json")
	ErrNetwork   = errors.New("the settings do not fit the network to start from")
)

// trainerConfig turns the settings into the trainer's.
func trainerConfig(s *rundir.Settings) model.Config {
	c := model.DefaultConfig()
	c.WeightDecay = s.WeightDecay
	return c
}
