package train

import (
	"context"
	"math"
	"math/rand/v2"

	"ludus/env"
	"ludus/model"
	"ludus/train/parallel"
	"ludus/train/rundir"
)

// The learning rate rises over the first warmUp steps, or warmShare of the plan's generations if that is sooner, stays at
// its height for constantShare of them, and then falls along a cosine to finalRate of it. The outcome target is pure for
// the first pureShare.
const (
	warmUp        = 200
	warmShare     = 0.05
	constantShare = 0.7
	finalRate     = 0.05
	pureShare     = 0.1
)

// rateAt is the factor of the learning rate after a share of the plan's generations (0 to 1) and a number of steps.
func rateAt(share float64, step int) float64 {
	warm := min(1, max(float64(step+1)/warmUp, share/warmShare))
	if share <= constantShare {
		return warm
	}
	fall := min(1, (share-constantShare)/(1-constantShare))
	return warm * (finalRate + (1-finalRate)*(1+math.Cos(math.Pi*fall))/2)
}

// learner trains the network on the window of finished games.
type learner struct {
	settings *rundir.Settings
	seed     uint64
	trainer  *model.Trainer
	window   window // games to learn from
	heldOut  window // games kept from the learner
	entered  entered
	batch    *model.Batch
	draws    draws // of the batch
	parallel func(n int, do func(i int))
	writers  [batchParts]*rows // one a part of the batch
}

// batchParts is how many parts of a batch are written side by side.
const batchParts = 8

// entered counts the positions that ever entered the learner's two windows. The windows' sizes follow from it alone and
// grow no faster than it does, so that no window ever needs a game that it has dropped.
type entered struct {
	Taught  int `json:"taught"`
	HeldOut int `json:"held_out"`
}

func newLearner(game *env.Game, settings *rundir.Settings, seed uint64, trainer *model.Trainer, threads int) *learner {
	l := &learner{
		settings: settings, seed: seed, trainer: trainer, window: window{game: game}, heldOut: window{game: game},
		batch: model.NewBatch(game, settings.BatchSize), parallel: parallel.New(threads),
	}
	for i := range l.writers {
		l.writers[i] = newRows(game)
	}
	return l
}

// fill makes the batch from positions of w drawn with rng.
func (l *learner) fill(w *window, blend float64, rng *rand.Rand) {
	n := l.batch.Size
	l.draws.draw(n, w, rng)
	l.parallel(batchParts, func(i int) {
		l.writers[i].fill(l.batch, i*n/batchParts, (i+1)*n/batchParts, w, &l.draws, blend)
	})
}

// heldOutGame says whether the run's nth finished game is kept from the learner.
func (l *learner) heldOutGame(n int) bool {
	return rand.New(newPCG(l.seed, "held out", n)).Float64() < l.settings.ValidationShare
}

// split returns the games to learn from and those held out, the first being the run's nth.
func (l *learner) split(records []*record, first int) (taught, kept []*record) {
	for i, r := range records {
		if l.heldOutGame(first + i) {
			kept = append(kept, r)
		} else {
			taught = append(taught, r)
		}
	}
	return taught, kept
}

// add lets a generation's games into the windows, the first being the run's nth.
func (l *learner) add(records []*record, first int) {
	taught, kept := l.split(records, first)
	l.entered.Taught += positionsOf(taught)
	l.entered.HeldOut += positionsOf(kept)
	size, keptSize := l.sizes()
	l.window.add(taught, size)
	l.heldOut.add(kept, keptSize)
}

// sizes are the positions that the two windows should hold: the second is like the first, on the scale of HeldOut.
func (l *learner) sizes() (taught, heldOut int) {
	c, scale := l.settings.ReplayWindow, l.settings.ValidationShare
	taught = windowSize(l.entered.Taught, c, mostWindow)
	heldOut = windowSize(l.entered.HeldOut, max(1, int(float64(c)*scale)), int(mostWindow*scale))
	return taught, heldOut
}

// steps is how many steps the positions that have entered are good for, from the first on.
func (l *learner) steps() int {
	return int(float64(l.entered.Taught) * l.settings.SamplesPerPosition / float64(l.settings.BatchSize))
}

// lesson is what a generation's steps came to.
type lesson struct {
	taught model.Losses // mean over the steps
	kept   model.Losses // on a batch of held-out games, before the steps
	rate   float64      // of the last step
}

// train takes the given number of steps at a share of the plan's generations, calling each after every one.
func (l *learner) train(ctx context.Context, generation, steps int, share float64, each func()) (m lesson, err error) {
	blend := 0.0
	if share > pureShare {
		blend = l.settings.ValueMix
	}
	if l.heldOut.positions > 0 {
		l.fill(&l.heldOut, blend, rand.New(newPCG(l.seed, "held-out batch", generation)))
		if m.kept, err = l.trainer.Losses(l.batch); err != nil {
			return m, err
		}
	}
	rng := rand.New(newPCG(l.seed, "learner", generation))
	for range steps {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		l.fill(&l.window, blend, rng)
		m.rate = l.settings.LearningRate * rateAt(share, l.trainer.Steps())
		losses, err := l.trainer.Step(l.batch, m.rate)
		if err != nil {
			return m, err
		}
		m.taught.Policy += losses.Policy / float64(steps)
		m.taught.Outcome += losses.Outcome / float64(steps)
		m.taught.Goals += losses.Goals / float64(steps)
		m.taught.Total += losses.Total / float64(steps)
		each()
	}
	return m, nil
}
