package selfplay

import (
	"context"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/rundir"
)

// Games in progress, and plies of each per generation, of a run that is long enough.
const (
	UsualGames = 256
	UsualPlies = 8
)

// Meter measures the speed of a run's self-play. It plays as a run does and discards finished games.
type Meter struct {
	player    *Player
	plies     int  // of each game per generation
	midway    bool // a generation has begun and not ended
	evaluator func(batch int) mcts.Evaluator
}

// Throughput counts what self-play did in a time of Seconds.
type Throughput struct {
	Seconds     float64
	Positions   int // moves chosen by search
	Simulations int // of the searches that ended
	Evaluations int
	Batches     int     // of evaluations
	CacheHits   int     // evaluations saved
	Idle        float64 // seconds that threads waited for others to end a round, summed over threads
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

// NewMeter prepares self-play from random positions, on the given number of threads, with or without caches of
// evaluations. If ParallelGames or PliesPerGeneration is 0 in settings, it is that of a long run.
func NewMeter(game *env.Game, settings rundir.Settings, threads int, cached bool) *Meter {
	games, plies, entries := settings.ParallelGames, settings.PliesPerGeneration, 0
	if games == 0 {
		games = UsualGames
	}
	if plies == 0 {
		plies = UsualPlies
	}
	if cached {
		entries = cacheEntries
	}
	player := newPlayer(newGames(game, &settings, 0, games), threads, entries)
	player.Scatter()
	return &Meter{player: player, plies: plies}
}

// SetEvaluator gives each thread a new evaluator, for batches of up to the given size. evaluator is called concurrently.
// It must be called before Play.
func (m *Meter) SetEvaluator(evaluator func(batch int) mcts.Evaluator) {
	m.evaluator = evaluator
	m.player.setEvaluator(evaluator)
}

// Play plays for about d, but at least one batch. It may end in the middle of a generation; the next call continues
// there. The only error is ctx's, which it returns after the current batch.
func (m *Meter) Play(ctx context.Context, d time.Duration) (Throughput, error) {
	start := time.Now()
	deadline, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		if !m.midway {
			m.player.begin(m.plies)
			m.player.setEvaluator(m.evaluator) // with empty caches, as a new network has
		}
		m.midway = m.player.run(deadline) != nil
		if deadline.Err() != nil {
			t := m.player.result().Throughput
			t.Seconds = time.Since(start).Seconds()
			return t, ctx.Err()
		}
	}
}
