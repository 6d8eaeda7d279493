package train

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/rundir"
)

// cost is what work takes on this machine, in seconds.
type cost struct{ position, step, generation float64 }

// measure plays in so many slots for at least so long.
const (
	measuredSlots = 64
	measuring     = 1500 * time.Millisecond
)

// measure plays and learns for a few seconds, with generators of its own, to find the cost of work.
func measure(ctx context.Context, game *env.Game, s *rundir.Settings, weights *infer.Weights, threads int) (cost, error) {
	c := cost{generation: 0.05}
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return c, err
	}
	slots := make([]*slot, measuredSlots)
	for i := range slots {
		slots[i] = newSlot(game, s, uint64(i), -1)
		slots[i].scatter()
	}
	workers := newWorkers(game, s, slots, threads, cacheEntries)
	start := time.Now()
	var played atomic.Int64
	for time.Since(start) < measuring {
		if err := playGeneration(ctx, workers, judgedBy(network), 1, &played); err != nil {
			return c, err
		}
	}
	c.position = time.Since(start).Seconds() / float64(played.Load())

	trainer, err := model.NewTrainer(game, weights, trainerConfig(s), parallel.New(threads))
	if err != nil {
		return c, err
	}
	batch := anyBatch(game, s.BatchSize)
	steps := -1 // the first one warms up
	for ; steps < 4 || time.Since(start) < measuring/3; steps++ {
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

// scatter puts a fresh slot somewhere along a random game, so that slots together look like a run under way.
func (s *slot) scatter() {
	for plies := s.rng.IntN(max(1, s.game.MaxPlies)); plies > 0; plies-- {
		s.legal = s.state.Legal(s.legal[:0])
		s.playOpening(s.legal[s.rng.IntN(len(s.legal))])
		if s.state.Done() {
			s.state, s.rec.opening = s.game.NewState(), nil
		}
	}
	s.beginSearched()
}

// anyBatch is a batch whose step takes as long as any other's.
func anyBatch(game *env.Game, size int) *model.Batch {
	b := model.NewBatch(game, size)
	rng := rand.New(newPCG(0, "measure", 0))
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
