package train

import (
	"context"
	"math/rand/v2"
	"time"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/rundir"
	"ludus/train/seed"
)

const (
	measuredGames = 64 // games in progress
	measuredTime  = 1500 * time.Millisecond
)

// measure estimates the cost of work on this machine: it plays and trains for a few seconds, using its own random streams.
func measure(ctx context.Context, game *env.Game, s *rundir.Settings, weights *infer.Weights, threads int) (cost, error) {
	c := cost{generation: 0.05}
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return c, err
	}
	play := newSelfPlay(midRunGames(game, s, measuredGames), threads, cacheEntries)
	start, plies := time.Now(), 0
	for ; time.Since(start) < measuredTime; plies++ {
		play.begin(evaluatorsOf(network), 1)
		if err := play.run(ctx); err != nil {
			return c, err
		}
	}
	c.position = time.Since(start).Seconds() / float64(plies*measuredGames)

	trainer, err := model.NewTrainer(game, weights, trainerConfig(s), parallel.Runner(threads))
	if err != nil {
		return c, err
	}
	batch := randomBatch(game, s.BatchSize)
	steps := -1 // the first step warms up
	for ; steps < 4 || time.Since(start) < measuredTime/3; steps++ {
		if steps == 0 {
			start = time.Now()
		}
		if _, err := trainer.Step(batch, s.LearningRate); err != nil {
			return c, err
		}
	}
	c.step = time.Since(start).Seconds() / float64(steps)
	return c, ctx.Err()
}

// randomBatch returns a batch of random samples: a training step on it takes as long as on any other.
func randomBatch(game *env.Game, size int) *model.Batch {
	b := model.NewBatch(game, size)
	rng := rand.New(seed.New(0, "measure", 0))
	for i := range b.Inputs {
		b.Inputs[i] = rng.Float32()
	}
	for i := range b.LegalMask {
		b.LegalMask[i], b.Policy[i] = 1, 1/float32(game.NumActions())
	}
	for i := range b.Outcome {
		b.Outcome[i] = 1 / float32(len(game.Classes))
	}
	return b
}
