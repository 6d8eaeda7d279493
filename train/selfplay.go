package train

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/cpu"
	"ludus/train/parallel"
)

const (
	// maxActiveGames is how many games a worker plays at once: as many as the network evaluates in one go, and few
	// enough for their trees to stay in a core's cache.
	maxActiveGames = 32
	// cacheEntries is the size of each worker's cache of evaluations.
	cacheEntries = 1 << 15
)

// newEvaluator is a function that makes an evaluator of one worker, for batches of up to the given size.
type newEvaluator func(batch int) mcts.Evaluator

// evaluatorsOf returns a function that makes evaluators of network.
func evaluatorsOf(network *infer.Network) newEvaluator {
	return func(batch int) mcts.Evaluator { return network.NewEvaluator(batch) }
}

// selfPlay advances games, generation by generation, on several goroutines. A worker with room takes the next game that
// has not begun the generation, because cores are seldom equally free. The moves of a game depend neither on its worker
// nor on other games; only the number of evaluations that the caches save depends on them.
type selfPlay struct {
	games   []*gameInProgress
	workers []*worker
	plies   int            // of each game in this generation
	network *infer.Network // that round plays with; nil: another evaluator
	begun   atomic.Int64   // games handed out to workers in this generation; may exceed len(games)
	played  atomic.Int64   // plies played in this generation
	seconds float64        // spent in run since the last result
}

// newSelfPlay returns self-play of the games on at most the given number of threads. Each worker has a cache of
// evaluations with cacheEntries entries; 0 means none.
func newSelfPlay(games []*gameInProgress, threads, cacheEntries int) *selfPlay {
	p := &selfPlay{games: games, workers: make([]*worker, min(threads, len(games)))}
	game, settings := games[0].game, games[0].settings
	config := mcts.DefaultConfig()
	config.ValueScale = settings.ValueScale
	active := min(maxActiveGames, (len(games)+len(p.workers)-1)/len(p.workers))
	for i := range p.workers {
		w := &worker{play: p, size: active, batcher: mcts.NewBatcher(game, mcts.Uniform{}, active, cacheEntries)}
		for range active {
			w.idle = append(w.idle, mcts.New(game, config))
		}
		p.workers[i] = w
	}
	return p
}

// begin prepares a generation, which run plays: the given number of plies in every game, with new evaluators. The
// previous generation must have ended.
func (p *selfPlay) begin(evaluator newEvaluator, plies int) {
	p.start(plies)
	p.setEvaluator(evaluator)
}

// start is begin with the evaluators of the previous generation.
func (p *selfPlay) start(plies int) {
	p.plies = plies
	p.begun.Store(0)
	p.played.Store(0)
}

func (p *selfPlay) setEvaluator(evaluator newEvaluator) {
	p.network = nil
	for _, w := range p.workers {
		w.batcher.SetEvaluator(evaluator(w.size))
	}
}

// run continues the generation, with one goroutine per worker, until all plies are played. If ctx ends, it returns
// ctx's error after the current batch of each worker; then run may be called again.
func (p *selfPlay) run(ctx context.Context) error {
	start := time.Now()
	var wait sync.WaitGroup
	var panics parallel.Panics
	for _, w := range p.workers {
		wait.Go(func() {
			defer panics.Keep()
			w.run(ctx)
		})
	}
	wait.Wait()
	panics.Pass()
	p.seconds += time.Since(start).Seconds()
	return ctx.Err()
}

// runInTurn is run on a single goroutine: each turn is that of the worker that has used the least CPU time. So each worker
// takes the games that it would take if all had a core, and it ends when it would. runInTurn returns when the last ends.
func (p *selfPlay) runInTurn(ctx context.Context) time.Duration {
	used, playing := make([]time.Duration, len(p.workers)), len(p.workers)
	const ended = math.MaxInt64
	next := slices.Clone(used) // the same, but ended
	for at := cpu.Time(); playing > 0 && ctx.Err() == nil; {
		i := slices.Index(next, slices.Min(next))
		more := p.workers[i].turn()
		now := cpu.Time()
		used[i] += now - at
		if next[i], at = used[i], now; !more {
			next[i], playing = ended, playing-1
		}
	}
	return slices.Max(used)
}

// playResult is what self-play did between two calls of result.
type playResult struct {
	finished []*record // games that ended, in the order of selfPlay.games
	Throughput
}

// result returns what self-play did since the previous call of result.
func (p *selfPlay) result() (r playResult) {
	r.Seconds, p.seconds = p.seconds, 0
	for _, g := range p.games {
		r.finished = append(r.finished, g.finished...)
		r.Positions += g.positions
		r.Simulations += g.simulations
		g.finished, g.positions, g.simulations = nil, 0, 0
	}
	r.Idle = float64(len(p.workers)) * r.Seconds
	for _, w := range p.workers {
		stats := w.batcher.TakeStats()
		r.Evaluations += stats.Evaluations
		r.Batches += stats.Batches
		r.CacheHits += stats.CacheHits
		r.Idle -= w.seconds
		w.seconds = 0
	}
	return r
}

// worker plays several games at once on one goroutine, each until its plies of the generation are played. It owns their
// searches, evaluator, cache and batch. Workers share only selfPlay's counters.
type worker struct {
	play    *selfPlay
	size    int // maximum number of active games
	batcher *mcts.Batcher
	idle    []*mcts.Search    // searches that no active game uses
	active  []*gameInProgress // each with a pending leaf
	seconds float64           // spent in run since the last result
}

func (w *worker) run(ctx context.Context) {
	start := time.Now()
	defer func() { w.seconds += time.Since(start).Seconds() }()
	for w.turn() && ctx.Err() == nil {
	}
}

// turn plays until a batch of leaves is evaluated. It returns false if no game is left.
func (w *worker) turn() bool {
	w.advance()
	if len(w.active) == 0 {
		return false
	}
	w.batcher.Flush()
	return true
}

// advance advances each active game to its next pending leaf, and replaces games whose plies are played by others.
func (w *worker) advance() {
	active := w.active
	w.active = w.active[:0]
	for _, g := range active {
		w.advanceGame(g)
	}
	for len(w.idle) > 0 {
		i := w.play.begun.Add(1) - 1
		if i >= int64(len(w.play.games)) {
			return
		}
		g := w.play.games[i]
		g.pliesLeft = w.play.plies
		g.search, w.idle = w.idle[len(w.idle)-1], w.idle[:len(w.idle)-1]
		w.advanceGame(g)
	}
}

// advanceGame advances g to its next pending leaf and makes it active, or takes its search back if it has no plies
// left.
func (w *worker) advanceGame(g *gameInProgress) {
	before := g.pliesLeft
	if g.advance(w.batcher) {
		w.active = append(w.active, g)
	} else {
		g.search, w.idle = nil, append(w.idle, g.search)
	}
	w.play.played.Add(int64(before - g.pliesLeft))
}
