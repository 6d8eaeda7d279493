package plan

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"time"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/cpu"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
	"ludus/train/selfplay"
)

const (
	measuredGames = 64 // games in progress
	measuredTime  = 1500 * time.Millisecond
)

// errMeasuring means that the time limit ended before the machine's speed was measured.
var errMeasuring = errors.New("the time limit ended while this machine's speed was measured: " +
	"choose a longer time or a smaller network (channels, blocks)")

// Cost is the measured time of a run's work on this machine.
type Cost struct {
	// CPUShare is the CPU time of self-play divided by the CPU time that its threads could have used. It is low if other
	// programs ran.
	CPUShare float64

	position   float64 // seconds per position of self-play
	step       float64 // seconds per training step
	generation float64 // seconds per generation for writing files
}

// Generation returns the expected seconds of a generation of a plan.
func (c *Cost) Generation(p *rundir.Plan, s *rundir.Settings, samplesPerPosition float64) float64 {
	return c.trained(s, samplesPerPosition)*float64(Positions(p)) + c.generation
}

// trained returns the seconds for playing a position and training on its samples.
func (c *Cost) trained(s *rundir.Settings, samplesPerPosition float64) float64 {
	return c.position + samplesPerPosition/float64(s.BatchSize)*c.step
}

// Fitting returns how many generations of the given duration fit into a run; both are in seconds.
func Fitting(seconds float64, s *rundir.Settings, generation float64) int {
	return max(1, int(seconds*(1-s.RatingShare)*safety/generation))
}

// Measure estimates the cost of work on this machine by playing and training for a few seconds, with its own random
// streams. It stops at the time limit. With cpuTime, the limit and the costs are CPU time of this process.
func Measure(
	ctx context.Context, game *env.Game, s *rundir.Settings, weights *infer.Weights, threads int, limit time.Duration,
	cpuTime bool,
) (Cost, error) {
	begun := time.Now()
	clock := func() time.Duration { return time.Since(begun) }
	if cpuTime { // no limit needed: measuring takes a small part of the time
		clock = cpu.Time
	} else {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errMeasuring)
		defer cancel()
	}
	c := Cost{generation: 0.05} // a guess of the time for files
	duration := min(measuredTime, limit/4)
	err := c.measurePlaying(ctx, game, s, weights, threads, duration, clock, cpuTime)
	if err == nil {
		err = c.measureLearning(ctx, game, s, weights, threads, duration, clock)
	}
	return c, err
}

// measurePlaying measures the cost of a position and the CPU share.
func (c *Cost) measurePlaying(
	ctx context.Context, game *env.Game, s *rundir.Settings, weights *infer.Weights, threads int,
	duration time.Duration, clock func() time.Duration, cpuTime bool,
) error {
	a := &selfplay.Assignment{
		Game: game, Settings: *s, Simulations: s.Simulations, MeanPlies: float64(game.UsualPlies) / 2, Weights: weights,
	}
	if err := a.Prepare(); err != nil {
		return err
	}
	player := selfplay.NewPlayer(game, s, 0, measuredGames, threads)
	player.Scatter(ctx)
	start, startCPU, plies := clock(), cpu.Time(), 0
	var total selfplay.Throughput
	var finished []*record.Record
	for ; plies == 0 || clock()-start < duration; plies++ {
		played, err := player.Round(ctx, a, 1)
		if err != nil {
			return context.Cause(ctx)
		}
		total.Add(played.Throughput)
		finished = append(finished, played.Finished...)
	}
	c.position = (clock() - start).Seconds() / float64(plies*measuredGames)
	c.CPUShare = cpuShare((cpu.Time() - startCPU).Seconds(), total, player.Threads(), runtime.NumCPU())
	rescoring, err := measureRescoring(ctx, selfplay.NewRescorer(game, s.SolverNodes, 1), finished, duration, clock)
	if !cpuTime {
		rescoring /= float64(threads)
	}
	c.position += rescoring
	return err
}

// measureLearning measures the cost of a training step.
func (c *Cost) measureLearning(
	ctx context.Context, game *env.Game, s *rundir.Settings, weights *infer.Weights, threads int,
	duration time.Duration, clock func() time.Duration,
) error {
	trainer, err := model.NewTrainer([]*env.Game{game}, weights, model.DefaultConfig(), parallel.Runner(threads))
	if err != nil {
		return err
	}
	// The warm-up uses a small batch. If whole batches would take long, its time is scaled up instead of measuring them.
	batch := RandomBatch(game, min(s.BatchSize, 8*threads))
	start := clock()
	if _, err := trainer.Step(batch, s.LearningRate); err != nil {
		return err
	}
	c.step = (clock() - start).Seconds() * float64(s.BatchSize) / float64(batch.Size)
	if c.step > duration.Seconds() {
		return context.Cause(ctx)
	}
	batch = RandomBatch(game, s.BatchSize)
	steps := -1 // -1: the first step is a warm-up
	for ; steps < 4 || clock()-start < duration/3; steps++ {
		if steps == 0 {
			start = clock()
		}
		if _, err := trainer.Step(batch, s.LearningRate); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	c.step = (clock() - start).Seconds() / float64(steps)
	return nil
}

// cpuShare returns the CPU time that self-play used divided by what its threads could have used on the given cores, at most
// 1. A thread cannot use the time in which it waits for others.
func cpuShare(used float64, t selfplay.Throughput, threads, cores int) float64 {
	usable := (float64(threads)*t.Seconds - t.Idle) * min(1, float64(cores)/float64(threads))
	return min(1, used/usable)
}

// RandomBatch returns a batch of random samples, for timing training steps.
func RandomBatch(game *env.Game, size int) *model.Batch {
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

// measureRescoring returns one core's seconds per position for rescoring. It rescores games one by one for the given time.
func measureRescoring(
	ctx context.Context, r *selfplay.Rescorer, games []*record.Record, limit time.Duration, clock func() time.Duration,
) (float64, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start, positions := clock(), 0
	for i := range games {
		err := r.Rescore(limited, games[i:i+1])
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		positions += record.Count(games[i : i+1])
		if err != nil { // the time is over; the last game counts in full
			break
		}
	}
	return (clock() - start).Seconds() / float64(max(positions, 1)), nil
}
