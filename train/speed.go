package train

import (
	"context"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/rundir"
)

// SelfPlay measures the speed of a run's self-play. It plays as a run does and discards finished games.
type SelfPlay struct {
	play      *selfPlay
	plies     int  // of each game per generation
	midway    bool // a generation has begun and not ended
	evaluator newEvaluator
}

// Throughput counts what self-play did in a time of Seconds.
type Throughput struct {
	Seconds     float64
	Positions   int // moves chosen by search
	Simulations int // of the searches that ended
	Evaluations int
	Batches     int     // of evaluations
	CacheHits   int     // evaluations saved
	Idle        float64 // seconds that threads waited for others to end a generation, summed over threads
}

// Add adds the counts of o to t.
func (t *Throughput) Add(o Throughput) {
	t.Seconds += o.Seconds
	t.Positions += o.Positions
	t.Simulations += o.Simulations
	t.Evaluations += o.Evaluations
	t.Batches += o.Batches
	t.CacheHits += o.CacheHits
	t.Idle += o.Idle
}

// NewSelfPlay prepares self-play from random positions, on the given number of threads, with or without caches of
// evaluations. If ParallelGames or PliesPerGeneration is 0 in settings, it is that of a long run.
func NewSelfPlay(game *env.Game, settings rundir.Settings, threads int, cached bool) *SelfPlay {
	games, plies, entries := settings.ParallelGames, settings.PliesPerGeneration, 0
	if games == 0 {
		games = maxParallel
	}
	if plies == 0 {
		plies = maxPlies
	}
	if cached {
		entries = cacheEntries
	}
	return &SelfPlay{play: newSelfPlay(midRunGames(game, &settings, games), threads, entries), plies: plies}
}

// SetEvaluator gives each thread a new evaluator, for batches of up to the given size. evaluator is called concurrently.
// It must be called before Play.
func (p *SelfPlay) SetEvaluator(evaluator func(batch int) mcts.Evaluator) {
	p.evaluator = evaluator
	p.play.setEvaluator(evaluator)
}

// Play plays for about d, but at least one batch. It may end in the middle of a generation; the next call continues
// there. The only error is ctx's.
func (p *SelfPlay) Play(ctx context.Context, d time.Duration) (Throughput, error) {
	start := time.Now()
	deadline, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		if !p.midway {
			p.play.begin(p.evaluator, p.plies)
		}
		p.midway = p.play.run(deadline) != nil
		if deadline.Err() != nil {
			t := p.play.result().Throughput
			t.Seconds = time.Since(start).Seconds()
			return t, ctx.Err()
		}
	}
}
