package train

import (
	"context"
	"sync/atomic"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/rundir"
)

// SelfPlay is the self-play of a run without the run around it, for measuring its speed: the same slots, searches and
// workers, its games forgotten as they end.
type SelfPlay struct {
	slots    []*slot
	workers  []*worker
	plies    int  // of a generation
	inside   bool // a generation has begun and not ended
	evaluate newEvaluator
}

// Pace is what self-play has done in some time, in numbers that add up.
type Pace struct {
	Seconds     float64
	Positions   int // moves chosen by search
	Simulations int // of the searches that ended
	Evaluations int
	Batches     int     // in which they were done
	CacheHits   int     // evaluations saved
	Idle        float64 // seconds that cores waited for others to end a generation, all cores together
}

// Add counts what q counts as well.
func (p *Pace) Add(q Pace) {
	p.Seconds += q.Seconds
	p.Positions += q.Positions
	p.Simulations += q.Simulations
	p.Evaluations += q.Evaluations
	p.Batches += q.Batches
	p.CacheHits += q.CacheHits
	p.Idle += q.Idle
}

// NewSelfPlay prepares self-play as settings say, with a run's defaults where they leave slots and plies open, from
// positions all over the game. Each of the workers, one a thread, gets an evaluator of its own from evaluator, for
// batches of up to so many states.
func NewSelfPlay(game *env.Game, settings rundir.Settings, evaluator func(batch int) mcts.Evaluator, threads int,
	cached bool) *SelfPlay {
	count, entries := settings.ParallelGames, 0
	if count == 0 {
		count = mostSlots
	}
	if cached {
		entries = cacheEntries
	}
	p := &SelfPlay{slots: make([]*slot, count), plies: settings.PliesPerGeneration, evaluate: evaluator}
	if p.plies == 0 {
		p.plies = mostPlies
	}
	for i := range p.slots {
		s := newSlot(game, &settings, uint64(i), -1)
		s.meanPlies = float64(game.MaxPlies) / 2
		s.scatter()
		p.slots[i] = s
	}
	p.workers = newWorkers(game, &settings, p.slots, threads, entries)
	return p
}

// Play plays for about d, a batch at least, ends in the middle of a generation if need be, and goes on from there the
// next time. It fails only with ctx's error.
func (p *SelfPlay) Play(ctx context.Context, d time.Duration) (Pace, error) {
	var pace Pace
	var err error
	var played atomic.Int64
	hits := p.hits()
	start := time.Now()
	until, cancel := context.WithDeadline(ctx, start.Add(d))
	defer cancel()
	for {
		begun := time.Now()
		if p.inside {
			err = playOn(until, p.workers, p.evaluate, &played)
		} else {
			err = playGeneration(until, p.workers, p.evaluate, p.plies, &played)
		}
		p.inside = err != nil // which is until's
		p.collect(&pace, time.Since(begun).Seconds())
		if until.Err() != nil {
			break
		}
	}
	pace.Seconds, pace.Positions, pace.CacheHits = time.Since(start).Seconds(), int(played.Load()), p.hits()-hits
	return pace, ctx.Err()
}

// collect adds what a generation of so many seconds has done.
func (p *SelfPlay) collect(pace *Pace, seconds float64) {
	for _, s := range p.slots {
		pace.Simulations += s.simulated
		s.simulated, s.finished = 0, nil
	}
	for _, w := range p.workers {
		pace.Evaluations += w.evals
		pace.Batches += w.batches
		pace.Idle += seconds - w.busy.Seconds()
		w.evals, w.batches = 0, 0
	}
}

// hits is the number of evaluations found in the workers' caches so far.
func (p *SelfPlay) hits() int {
	total := uint64(0)
	for _, w := range p.workers {
		if w.cache != nil {
			found, _ := w.cache.Counters()
			total += found
		}
	}
	return int(total)
}

// judgedBy gives each worker an evaluator of the network.
func judgedBy(network *infer.Network) newEvaluator {
	return func(batch int) mcts.Evaluator { return network.NewEvaluator(batch) }
}
