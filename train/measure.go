package train

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/cpu"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
)

const (
	measuredGames = 64 // games in progress
	measuredTime  = 1500 * time.Millisecond
)

// errMeasuring is the error of a time limit that ends before the machine is measured.
var errMeasuring = errors.New("the time limit ended while this machine's speed was measured: " +
	"choose a longer time or a smaller network (channels, blocks)")

// measure estimates the cost of work on this machine: it plays and trains for a few seconds, using its own random
// streams. It stops at the time limit. With cpuTime the limit and the costs are CPU time of this process.
func measure(
	ctx context.Context, game *env.Game, s *rundir.Settings, weights *infer.Weights, threads int, limit time.Duration,
	cpuTime bool,
) (cost, error) {
	begun := time.Now()
	clock := func() time.Duration { return time.Since(begun) }
	if cpuTime { // measuring takes a small part of any limit, so a busy machine need not stop it
		clock = cpu.Time
	} else {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errMeasuring)
		defer cancel()
	}
	c := cost{generation: 0.05}
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return c, err
	}
	duration := min(measuredTime, limit/4)
	play := newSelfPlay(midRunGames(game, s, measuredGames), threads, cacheEntries)
	start, startCPU, plies := clock(), cpu.Time(), 0
	for ; plies == 0 || clock()-start < duration; plies++ {
		play.begin(evaluatorsOf(network), 1)
		if play.run(ctx) != nil {
			return c, context.Cause(ctx)
		}
	}
	c.position = (clock() - start).Seconds() / float64(plies*measuredGames)
	used, played := (cpu.Time() - startCPU).Seconds(), play.result()
	c.cpuShare = cpuShare(used, played.Throughput, len(play.threads), len(cpu.Cores()))
	rescorer := newRescorer(game, s.SolverNodes, parallel.Runner(1))
	rescoring, err := measureRescoring(ctx, rescorer, played.finished, duration, clock)
	if err != nil {
		return c, err
	}
	if !cpuTime {
		rescoring /= float64(threads)
	}
	c.position += rescoring

	trainer, err := model.NewTrainer(game, weights, trainerConfig(s), parallel.Runner(threads))
	if err != nil {
		return c, err
	}
	// A small batch warms up. If whole batches would take long, its time is scaled instead of measuring them.
	batch := randomBatch(game, min(s.BatchSize, 8*threads))
	start = clock()
	if _, err := trainer.Step(batch, s.LearningRate); err != nil {
		return c, err
	}
	c.step = (clock() - start).Seconds() * float64(s.BatchSize) / float64(batch.Size)
	if c.step > duration.Seconds() {
		return c, context.Cause(ctx)
	}
	batch = randomBatch(game, s.BatchSize)
	steps := -1 // the first step warms up, too
	for ; steps < 4 || clock()-start < duration/3; steps++ {
		if steps == 0 {
			start = clock()
		}
		if _, err := trainer.Step(batch, s.LearningRate); err != nil {
			return c, err
		}
		if ctx.Err() != nil {
			return c, context.Cause(ctx)
		}
	}
	c.step = (clock() - start).Seconds() / float64(steps)
	return c, nil
}

// cpuShare returns the CPU time that self-play used / what its threads could have used on the given cores, at most 1. A thread
// cannot use the time in which it waits for others.
func cpuShare(used float64, t Throughput, threads, cores int) float64 {
	usable := (float64(threads)*t.Seconds - t.Idle) * min(1, float64(cores)/float64(threads))
	return min(1, used/usable)
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
		b.ReplyMask[i], b.Reply[i] = 1, 1/float32(game.NumActions())
	}
	for i := range size {
		b.PolicyWeight[i], b.ReplyWeight[i] = 1, 1
	}
	for i := range b.Outcome {
		b.Outcome[i] = 1 / float32(len(game.Classes))
	}
	return b
}

// measureRescoring returns one core's seconds per position for rescoring. It rescores games one by one until the given
// time is over.
func measureRescoring(
	ctx context.Context, r *rescorer, games []*record.Record, limit time.Duration, clock func() time.Duration,
) (float64, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start, positions := clock(), 0
	for i := range games {
		err := r.rescore(limited, games[i:i+1])
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if positions += record.Count(games[i : i+1]); err != nil {
			break
		}
	}
	return (clock() - start).Seconds() / float64(max(positions, 1)), nil
}
