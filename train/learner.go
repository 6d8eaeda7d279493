package train

import (
	"context"
	"math"
	"math/rand/v2"

	"ludus/env"
	"ludus/model"
	"ludus/train/parallel"
	"ludus/train/rundir"
	"ludus/train/seed"
)

// The learning rate rises over the first warmUpSteps, or warmUpShare of the plan's generations if that is sooner, stays
// constant until constantShare of them, and then decays along a cosine to finalRate of its peak. The value target is the
// game's outcome alone for the first pureShare.
const (
	warmUpSteps   = 200
	warmUpShare   = 0.05
	constantShare = 0.7
	finalRate     = 0.05
	pureShare     = 0.1
)

// rateFactor is the learning rate over its peak after a share of the plan's generations (0 to 1) and a number of steps.
func rateFactor(share float64, step int) float64 {
	warm := min(1, max(float64(step+1)/warmUpSteps, share/warmUpShare))
	if share <= constantShare {
		return warm
	}
	decayed := min(1, (share-constantShare)/(1-constantShare))
	return warm * (finalRate + (1-finalRate)*(1+math.Cos(math.Pi*decayed))/2)
}

// learner trains the network on the replay window. It keeps a share of the games out of it as a validation set.
type learner struct {
	settings   *rundir.Settings
	seed       uint64
	trainer    *model.Trainer
	training   window
	validation window
	batch      *model.Batch
	samples    []sample // of the batch
	parallel   func(n int, do func(i int))
	samplers   [batchParts]*sampler // one per part of a batch
}

// batchParts is the number of parts of a batch that are written in parallel.
const batchParts = 8

// setSizes counts the positions ever added to the training and validation sets. The sizes of both windows follow from it
// alone and grow more slowly, so a window never needs a game that it has dropped.
type setSizes struct {
	Training   int `json:"training"`
	Validation int `json:"validation"`
}

// newLearner returns a learner with empty sets.
func newLearner(game *env.Game, settings *rundir.Settings, seed uint64, trainer *model.Trainer, threads int) *learner {
	l := &learner{
		settings: settings, seed: seed, trainer: trainer, training: window{game: game}, validation: window{game: game},
		batch: model.NewBatch(game, settings.BatchSize), parallel: parallel.New(threads),
	}
	for i := range l.samplers {
		l.samplers[i] = newSampler(game)
	}
	return l
}

// fill draws the batch from w with rng.
func (l *learner) fill(w *window, valueMix float64, rng *rand.Rand) {
	l.samples = drawSamples(l.samples[:0], l.batch.Size, w, rng)
	l.write(l.batch, w, valueMix)
}

// write writes the samples, which are of w, to the batch in parallel.
func (l *learner) write(batch *model.Batch, w *window, valueMix float64) {
	n := len(l.samples)
	l.parallel(batchParts, func(part int) {
		for i := part * n / batchParts; i < (part+1)*n/batchParts; i++ {
			l.samplers[part].write(batch, i, w, l.samples[i], valueMix)
		}
	})
}

// split separates games, of which the first is the run's game number first, into training and validation set. The names of
// the random streams here and below are part of what a seed means: other names would give other weights.
func (l *learner) split(games []*record, first int) (training, validation []*record) {
	for i, r := range games {
		if rand.New(seed.New(l.seed, "held out", first+i)).Float64() < l.settings.ValidationShare {
			validation = append(validation, r)
		} else {
			training = append(training, r)
		}
	}
	return training, validation
}

// add adds a generation's games to the sets, of which the first is the run's game number first. It takes the sizes of the
// sets before and returns those after.
func (l *learner) add(games []*record, first int, before setSizes) setSizes {
	training, validation := l.split(games, first)
	sets := setSizes{before.Training + positionsOf(training), before.Validation + positionsOf(validation)}
	sizes := l.windowSizes(sets)
	l.training.add(training, sizes.Training)
	l.validation.add(validation, sizes.Validation)
	return sets
}

// windowSizes are the positions that the two windows hold once sets were added. That of the validation set grows in the
// same way, scaled by the validation share.
func (l *learner) windowSizes(sets setSizes) setSizes {
	start, scale := l.settings.ReplayWindow, l.settings.ValidationShare
	return setSizes{
		windowSize(sets.Training, start, maxWindow),
		windowSize(sets.Validation, max(1, int(float64(start)*scale)), int(maxWindow*scale)),
	}
}

// steps is the number of training steps for the positions added so far.
func (l *learner) steps(sets setSizes) int {
	return int(float64(sets.Training) * l.settings.SamplesPerPosition / float64(l.settings.BatchSize))
}

// train evaluates a batch of the validation set and takes training steps, at a share of the plan's generations. It notes
// losses and learning rate in m, and reports the share of the steps done from 0 to 1.
func (l *learner) train(ctx context.Context, m *rundir.Metrics, steps int, share float64, report func(done float64)) error {
	valueMix := 0.0
	if share > pureShare {
		valueMix = l.settings.ValueMix
	}
	if l.validation.positions > 0 {
		l.fill(&l.validation, valueMix, rand.New(seed.New(l.seed, "held-out batch", m.Generation)))
		losses, err := l.trainer.Losses(l.batch)
		if err != nil {
			return err
		}
		m.ValidationPolicyLoss, m.ValidationOutcomeLoss = losses.Policy, losses.Outcome
	}
	rng := rand.New(seed.New(l.seed, "learner", m.Generation))
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.fill(&l.training, valueMix, rng)
		m.LearningRate = l.settings.LearningRate * rateFactor(share, l.trainer.Steps())
		losses, err := l.trainer.Step(l.batch, m.LearningRate)
		if err != nil {
			return err
		}
		m.PolicyLoss += losses.Policy / float64(steps)
		m.OutcomeLoss += losses.Outcome / float64(steps)
		m.GoalsLoss += losses.Goals / float64(steps)
		report(float64(i+1) / float64(steps))
	}
	return nil
}
