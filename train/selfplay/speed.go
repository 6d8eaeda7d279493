package selfplay

import (
	"context"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/rundir"
)

// Parallel games, and plies per generation, of a long run.
const (
	UsualGames = 256
	UsualPlies = 8
)

// Meter measures the speed of a run's self-play. It plays as a run does and discards finished games.
type Meter struct {
	player    *Player
	plies     int  // plies by which a generation advances each game
	midway    bool // a generation has begun but not ended
	evaluator func(batch int) mcts.Evaluator
}

// Throughput holds the counts of self-play over a duration of Seconds.
type Throughput struct {
	Seconds     float64
	Positions   int // number of moves chosen by search
	Simulations int // simulations of the finished searches
	Evaluations int
	Batches     int     // number of batches evaluated
	CacheHits   int     // number of evaluations found in the caches
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

// NewMeter prepares self-play from random positions on the given number of threads, with or without evaluation caches. If
// settings leave ParallelGames or PliesPerGeneration 0, those of a long run apply.
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
			m.player.setEvaluator(m.evaluator) // a new network starts with empty caches
		}
		m.midway = m.player.run(deadline) != nil
		if deadline.Err() != nil {
			t := m.player.result().Throughput
			t.Seconds = time.Since(start).Seconds()
			return t, ctx.Err()
		}
	}
}
