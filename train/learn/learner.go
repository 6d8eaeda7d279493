package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
)

// The learning rate rises for warmUpSteps steps or warmUpShare of the plan's generations, whichever ends first. It
// stays constant until [ConstantShare] of the generations and then decays along a cosine to finalFraction of its peak.
// For the first outcomeOnlyShare of the generations, the value target is the game's outcome alone.
const (
	warmUpSteps      = 200
	warmUpShare      = 0.05
	ConstantShare    = 0.5
	finalFraction    = 0.02
	outcomeOnlyShare = 0.1
)

// learningRateFactor returns the learning rate as a fraction of its peak: warm-up, constant, then cosine decay. share is
// the completed share of the plan's generations, in [0, 1]; step is the number of training steps done.
func learningRateFactor(share float64, step int) float64 {
	warm := min(1, max(float64(step+1)/warmUpSteps, share/warmUpShare))
	if share <= ConstantShare {
		return warm
	}
	decayed := min(1, (share-ConstantShare)/(1-ConstantShare))
	return warm * (finalFraction + (1-finalFraction)*(1+math.Cos(math.Pi*decayed))/2)
}

// maxLoss is the mean loss of a generation, in nats, above which training has diverged. Uniform play has a policy loss of
// 2 to 5, and a network that is sure of wrong moves one of about 20.
const maxLoss = 1000

// Learner trains the network on the replay window. It keeps a share of the games out of the window as a validation set.
// It owns the weights, the optimizer's state, and both sets. Its methods must not be called concurrently.
type Learner struct {
	settings   *rundir.Settings
	seed       uint64
	trainer    *model.Trainer
	training   window
	validation window
	batch      *model.Batch
	samples    []sample // samples of the next batch to write
	next       []sample // samples of the batch after that
	parallel   func(n int, do func(i int))
	samplers   [batchParts]*sampler // one for each part of a batch
}

// batchParts is the number of parts into which a batch is divided for writing in parallel.
const batchParts = 32

// Counts are the numbers of positions added to the training set and the validation set.
type Counts struct {
	Training   int     `json:"training"`
	Validation int     `json:"validation"`
	Weight     float64 `json:"weight"` // total weight of the training set's positions; repeated ones count less, see window.add
}

// New returns a learner with empty sets, which trains the given weights on several threads. It keeps settings. seed is the
// run's. It returns an error if the weights do not fit the game.
func New(game *env.Game, settings *rundir.Settings, seed uint64, weights *infer.Weights, threads int) (*Learner, error) {
	run := parallel.Runner(threads)
	trainer, err := NewTrainer(game, settings, weights, run)
	if err != nil {
		return nil, err
	}
	return newLearner(game, settings, seed, trainer, run), nil
}

// NewTrainer returns a trainer with the settings' weight decay; run is a [parallel.Runner].
func NewTrainer(
	game *env.Game, settings *rundir.Settings, weights *infer.Weights, run func(n int, do func(i int)),
) (*model.Trainer, error) {
	config := model.DefaultConfig()
	config.WeightDecay = settings.WeightDecay
	return model.NewTrainer([]*env.Game{game}, weights, config, run)
}

// newLearner returns a learner with empty sets; run is a [parallel.Runner].
func newLearner(
	game *env.Game, settings *rundir.Settings, seed uint64, trainer *model.Trainer, run func(n int, do func(i int)),
) *Learner {
	l := &Learner{
		settings: settings, seed: seed, trainer: trainer, training: window{game: game}, validation: window{game: game},
		batch: model.NewBatch(game, settings.BatchSize), parallel: run,
	}
	for i := range l.samplers {
		l.samplers[i] = newSampler(game)
	}
	return l
}

// Weights returns the averaged weights, which self-play uses.
func (l *Learner) Weights() *infer.Weights { return l.trainer.AverageWeights() }

// StepsDone returns the number of training steps taken since the run's start.
func (l *Learner) StepsDone() int { return l.trainer.Steps() }

// MarshalState encodes the optimizer's state; [Learner.UnmarshalState] restores it.
func (l *Learner) MarshalState() []byte { return l.trainer.MarshalState() }

// UnmarshalState restores the optimizer's state from MarshalState's encoding.
func (l *Learner) UnmarshalState(data []byte) error { return l.trainer.UnmarshalState(data) }

// Positions returns the number of positions in the replay window.
func (l *Learner) Positions() int { return l.training.positions }

// Ready reports whether the replay window holds enough positions for a batch of distinct samples.
func (l *Learner) Ready() bool { return l.training.positions >= l.settings.BatchSize }

// split divides games into training and validation games. first is the number in the run of games[0]. The names of the
// random streams in this file must not change, since then a seed would give other weights.
func (l *Learner) split(games []*record.Record, first int) (training, validation []*record.Record) {
	for i, r := range games {
		if rand.New(seed.New(l.seed, "held out", first+i)).Float64() < l.settings.ValidationShare {
			validation = append(validation, r)
		} else {
			training = append(training, r)
		}
	}
	return training, validation
}

// Add splits games into training and validation games and adds them to the windows. first is the number in the run of
// games[0]. before counts the positions of all earlier games; Add returns the counts with these games.
func (l *Learner) Add(games []*record.Record, first int, before Counts) Counts {
	training, validation := l.split(games, first)
	added := Counts{Training: before.Training + record.Count(training), Validation: before.Validation + record.Count(validation)}
	sizes := l.windowSizes(added)
	added.Weight = before.Weight + l.training.add(training, sizes.Training)
	l.validation.add(validation, sizes.Validation)
	return added
}

// Restore fills the empty windows as they were after the positions counted in added. read returns the games of a
// generation and the number in the run of the first game; Restore calls it for generations from last backwards until
// both windows are full. It skips generations for which read returns no games.
func (l *Learner) Restore(added Counts, last int, read func(generation int) ([]*record.Record, int, error)) error {
	sizes := l.windowSizes(added)
	need := sizes
	var generations [][2][]*record.Record // training and validation games by generation, newest first
	for g := last; g > 0 && (need.Training > 0 || need.Validation > 0); g-- {
		games, first, err := read(g)
		if err != nil {
			return err
		}
		training, validation := l.split(games, first)
		generations = append(generations, [2][]*record.Record{training, validation})
		need.Training -= record.Count(training)
		need.Validation -= record.Count(validation)
	}
	for _, games := range slices.Backward(generations) {
		l.training.add(games[0], sizes.Training)
		l.validation.add(games[1], sizes.Validation)
	}
	return nil
}

// windowSizes returns how many positions each window should hold when added counts all positions so far. Windows grow more
// slowly than these counts, so they never need dropped games again. Sizes of the validation window are scaled by
// validation_share.
func (l *Learner) windowSizes(added Counts) Counts {
	start, scale := l.settings.ReplayWindow, l.settings.ValidationShare
	return Counts{
		Training:   windowSize(added.Training, start, maxWindow),
		Validation: windowSize(added.Validation, max(1, int(float64(start)*scale)), int(maxWindow*scale)),
	}
}

// Steps returns the number of training steps due after the positions counted in added, by their weight.
func (l *Learner) Steps(added Counts) int {
	return int(added.Weight * l.settings.SamplesPerPosition / float64(l.settings.BatchSize))
}

// Train measures the losses on a batch of the validation set and then takes training steps. share is the completed share of
// the plan's generations. Train sets losses and learning rate in m, and reports the completed share of the steps. It
// returns ctx's error. If training diverges, the error wraps [model.ErrDiverged] and the weights are useless.
func (l *Learner) Train(ctx context.Context, m *rundir.Metrics, steps int, share float64, report func(done float64)) error {
	valueMix := 0.0
	if share > outcomeOnlyShare {
		valueMix = l.settings.ValueMix
	}
	if l.validation.positions > 0 {
		l.draw(&l.validation, rand.New(seed.New(l.seed, "held-out batch", m.Generation)))
		l.fill(&l.validation, valueMix)
		losses, err := l.trainer.Losses(l.batch)
		if err != nil {
			return err
		}
		m.ValidationPolicyLoss, m.ValidationOutcomeLoss = losses.Policy, losses.Outcome
	}
	rng := rand.New(seed.New(l.seed, "learner", m.Generation))
	draw := func() { l.draw(&l.training, rng) }
	if steps > 0 {
		draw()
	}
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.fill(&l.training, valueMix)
		m.LearningRate = l.settings.LearningRate * learningRateFactor(share, l.trainer.Steps())
		losses, err := l.trainer.Step(l.batch, m.LearningRate, draw) // draws the next samples meanwhile; the last ones stay unused
		if err != nil {
			return err
		}
		m.PolicyLoss += losses.Policy / float64(steps)
		m.ReplyLoss += losses.Reply / float64(steps)
		m.OutcomeLoss += losses.Outcome / float64(steps)
		m.GoalsLoss += losses.Goals / float64(steps)
		report(float64(i+1) / float64(steps))
	}
	if m.PolicyLoss > maxLoss || m.OutcomeLoss > maxLoss {
		return fmt.Errorf("%w: the policy loss or the outcome loss exceeds %d", model.ErrDiverged, maxLoss)
	}
	return nil
}

// draw draws the samples of the batch after the next from w into l.next.
func (l *Learner) draw(w *window, rng *rand.Rand) {
	l.next = drawSamples(l.next[:0], l.batch.Size, w, rng)
}

// fill makes the drawn samples current and writes them to the batch. w is the window that they were drawn from.
func (l *Learner) fill(w *window, valueMix float64) {
	l.samples, l.next = l.next, l.samples
	l.write(l.batch, w, valueMix)
}

// write writes the current samples of window w to batch, in parallel.
func (l *Learner) write(batch *model.Batch, w *window, valueMix float64) {
	n := len(l.samples)
	l.parallel(batchParts, func(part int) {
		for i := part * n / batchParts; i < (part+1)*n/batchParts; i++ {
			l.samplers[part].write(batch, i, w, l.samples[i], valueMix)
		}
	})
}
