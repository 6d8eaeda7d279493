package train

import (
	"context"
	"math"
	"math/rand/v2"

	"ludus/env"
	"ludus/model"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
)

// The learning rate rises for warmUpSteps steps or warmUpShare of the plan's generations, whichever ends first. It
// stays constant until constantShare of the generations and then decays along a cosine to finalFraction of its peak.
// For the first outcomeOnlyShare of the generations, the value target is the game's outcome alone.
const (
	warmUpSteps      = 200
	warmUpShare      = 0.05
	constantShare    = 0.5
	finalFraction    = 0.02
	outcomeOnlyShare = 0.1
)

// learningRateFactor returns the learning rate as a fraction of its peak: warm-up, constant, then cosine decay. share
// is the completed part of the plan's generations, in [0, 1]; step is the number of training steps done.
func learningRateFactor(share float64, step int) float64 {
	warm := min(1, max(float64(step+1)/warmUpSteps, share/warmUpShare))
	if share <= constantShare {
		return warm
	}
	decayed := min(1, (share-constantShare)/(1-constantShare))
	return warm * (finalFraction + (1-finalFraction)*(1+math.Cos(math.Pi*decayed))/2)
}

// learner trains the network on the replay window. It keeps a share of the games out of the window as a validation set.
type learner struct {
	settings   *rundir.Settings
	seed       uint64
	trainer    *model.Trainer
	training   window
	validation window
	batch      *model.Batch
	samples    []sample // of the batch to write
	next       []sample // of the batch after that
	parallel   func(n int, do func(i int))
	samplers   [batchParts]*sampler // one per part of a batch
	corrupt    func(*model.Batch)   // breaks a batch on purpose, in a test; nil: none
}

// batchParts is the number of parts of a batch that are written in parallel.
const batchParts = 32

// positionCounts are numbers of positions of the training set and the validation set.
type positionCounts struct {
	Training   int     `json:"training"`
	Validation int     `json:"validation"`
	Weight     float64 `json:"weight"` // of the training set's positions; repeated ones count less, see window.add
}

// newLearner returns a learner with empty sets. parallel is that of the trainer; see [parallel.Runner].
func newLearner(
	game *env.Game, settings *rundir.Settings, seed uint64, trainer *model.Trainer, parallel func(n int, do func(i int)),
) *learner {
	l := &learner{
		settings: settings, seed: seed, trainer: trainer, training: window{game: game}, validation: window{game: game},
		batch: model.NewBatch(game, settings.BatchSize), parallel: parallel,
	}
	l.training.keepOut, l.validation.keepOut = settings.KeepOut > 0, settings.KeepOut > 0
	for i := range l.samplers {
		l.samplers[i] = newSampler(game)
	}
	return l
}

// draw draws l.next, the samples of a batch, from w.
func (l *learner) draw(w *window, rng *rand.Rand) {
	l.next = drawSamples(l.next[:0], l.batch.Size, w, rng)
}

// fill fills the batch with the samples that draw has drawn from w.
func (l *learner) fill(w *window, valueMix float64) {
	l.samples, l.next = l.next, l.samples
	l.write(l.batch, w, valueMix)
}

// write writes l.samples, taken from w, to batch in parallel.
func (l *learner) write(batch *model.Batch, w *window, valueMix float64) {
	n := len(l.samples)
	l.parallel(batchParts, func(part int) {
		for i := part * n / batchParts; i < (part+1)*n/batchParts; i++ {
			l.samplers[part].write(batch, i, w, l.samples[i], valueMix)
		}
	})
	if l.corrupt != nil {
		l.corrupt(batch)
	}
}

// split divides games into training and validation. first is the index in the run of games[0]. The names of the random
// streams in this file must not change: a seed would give other weights.
func (l *learner) split(games []*record.Record, first int) (training, validation []*record.Record) {
	for i, r := range games {
		if rand.New(seed.New(l.seed, "held out", first+i)).Float64() < l.settings.ValidationShare {
			validation = append(validation, r)
		} else {
			training = append(training, r)
		}
	}
	return training, validation
}

// add splits games into training and validation and adds them to the replay windows. first is the index in the run of
// games[0]. before counts the positions of all earlier games; add returns the counts including these games.
func (l *learner) add(games []*record.Record, first int, before positionCounts) positionCounts {
	training, validation := l.split(games, first)
	added := positionCounts{Training: before.Training + record.Count(training), Validation: before.Validation + record.Count(validation)}
	sizes := l.windowSizes(added)
	added.Weight = before.Weight + l.training.add(training, sizes.Training)
	l.validation.add(validation, sizes.Validation)
	return added
}

// windowSizes returns how many positions each window should hold if added were ever added. Windows grow more slowly
// than these counts, so they never need dropped games. Sizes of the validation window are scaled by validation_share.
func (l *learner) windowSizes(added positionCounts) positionCounts {
	start, scale := l.settings.ReplayWindow, l.settings.ValidationShare
	return positionCounts{
		Training:   windowSize(added.Training, start, maxWindow),
		Validation: windowSize(added.Validation, max(1, int(float64(start)*scale)), int(maxWindow*scale)),
	}
}

// steps returns the number of training steps due for all positions ever added, by their weight.
func (l *learner) steps(added positionCounts) int {
	return int(added.Weight * l.settings.SamplesPerPosition / float64(l.settings.BatchSize))
}

// train measures the losses on a batch of the validation set and then takes training steps. share is the completed part
// of the plan's generations. train sets losses and learning rate in m and reports the completed part of the steps.
func (l *learner) train(ctx context.Context, m *rundir.Metrics, steps int, share float64, report func(done float64)) error {
	valueMix := 0.0
	if share > outcomeOnlyShare {
		valueMix = l.settings.ValueMix
	}
	if l.validation.trainable > 0 {
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
		losses, err := l.trainer.Step(l.batch, m.LearningRate, draw) // the next samples; the last are not used
		if err != nil {
			return err
		}
		m.PolicyLoss += losses.Policy / float64(steps)
		m.ReplyLoss += losses.Reply / float64(steps)
		m.OutcomeLoss += losses.Outcome / float64(steps)
		m.GoalsLoss += losses.Goals / float64(steps)
		report(float64(i+1) / float64(steps))
	}
	return nil
}
