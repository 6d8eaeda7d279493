package train

import (
	"context"
	"math"
	"math/rand/v2"

	"ludus/env"
	"ludus/model"
)

// The learning rate rises over the first warmUp steps, stays at its height for constantShare of the plan's generations, and then
// falls along a cosine to finalRate of it. The outcome target is pure for the first pureShare.
const (
	warmUp        = 200
	constantShare = 0.7
	finalRate     = 0.05
	pureShare     = 0.1
)

// rateAt is the factor of the learning rate after a share of the plan's generations (0 to 1) and a number of steps.
func rateAt(share float64, step int) float64 {
	warm := min(1, float64(step+1)/warmUp)
	if share <= constantShare {
		return warm
	}
	fall := min(1, (share-constantShare)/(1-constantShare))
	return warm * (finalRate + (1-finalRate)*(1+math.Cos(math.Pi*fall))/2)
}

// learner trains the network on the window of finished games.
type learner struct {
	settings *Settings
	seed     uint64
	trainer  *model.Trainer
	window   window // games to learn from
	heldOut  window // games kept from the learner
	entered  int    // positions that ever entered the window
	rows     *rows
	batch    *model.Batch
}

func newLearner(game *env.Game, settings *Settings, seed uint64, trainer *model.Trainer) *learner {
	return &learner{
		settings: settings, seed: seed, trainer: trainer, window: window{game: game}, heldOut: window{game: game},
		rows: newRows(game), batch: model.NewBatch(game, settings.Batch),
	}
}

// heldOutGame says whether the run's nth finished game is kept from the learner.
func (l *learner) heldOutGame(n int) bool {
	return rand.New(newPCG(l.seed, "held out", n)).Float64() < l.settings.HeldOut
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
	for _, r := range taught {
		l.entered += len(r.plies)
	}
	size := windowSize(l.entered, l.settings.Window)
	l.window.add(taught, size)
	l.heldOut.add(kept, l.keptSize(size))
}

// keptSize is the size of the window of held-out games beside one of the given size.
func (l *learner) keptSize(size int) int { return int(l.settings.HeldOut * float64(size)) }

// steps is how many steps the positions that have entered are good for, from the first on.
func (l *learner) steps() int {
	return int(float64(l.entered) * l.settings.Reuse / float64(l.settings.Batch))
}

// train takes the given number of steps at a share of the plan's generations, calling each after every one, and returns
// the mean losses on the games learnt from and the losses on a batch of those held out.
func (l *learner) train(ctx context.Context, generation, steps int, share float64, each func()) (taught, kept model.Losses, rate float64, err error) {
	blend := 0.0
	if share > pureShare {
		blend = l.settings.Blend
	}
	rng := rand.New(newPCG(l.seed, "learner", generation))
	if l.heldOut.positions > 0 {
		l.rows.fill(l.batch, &l.heldOut, blend, rng)
		if kept, err = l.trainer.Loss(l.batch); err != nil {
			return taught, kept, 0, err
		}
	}
	for range steps {
		if err := ctx.Err(); err != nil {
			return taught, kept, rate, err
		}
		l.rows.fill(l.batch, &l.window, blend, rng)
		rate = l.settings.Rate * rateAt(share, l.trainer.Steps())
		losses, err := l.trainer.Step(l.batch, rate)
		if err != nil {
			return taught, kept, rate, err
		}
		taught.Policy += losses.Policy / float64(steps)
		taught.Outcome += losses.Outcome / float64(steps)
		taught.Goals += losses.Goals / float64(steps)
		taught.Total += losses.Total / float64(steps)
		each()
	}
	return taught, kept, rate, nil
}
