package train

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/record"
)

const (
	// maxActiveGames is how many games a thread plays at once: as many as the network evaluates in one go, and few
	// enough for their trees to stay in a core's cache.
	maxActiveGames = 32
	// cacheEntries is the size of each thread's cache of evaluations.
	cacheEntries = 1 << 15
)

// newEvaluator is a function that makes an evaluator of one thread, for batches of up to the given size. It is called
// concurrently.
type newEvaluator func(batch int) mcts.Evaluator

// evaluatorsOf returns a function that makes evaluators of network.
func evaluatorsOf(network *infer.Network) newEvaluator {
	return func(batch int) mcts.Evaluator { return network.NewEvaluator(batch) }
}

// selfPlay advances games, generation by generation, on several goroutines. A thread with room takes the next game that
// has not begun the generation, because cores are seldom equally free. The moves of a game depend neither on its thread
// nor on other games; only the number of evaluations that the caches save depends on them.
type selfPlay struct {
	games   []*gameInProgress
	threads []*thread
	plies   int            // of each game in this generation
	network *infer.Network // that round plays with; nil: another evaluator
	begun   atomic.Int64   // games handed out to threads in this generation; may exceed len(games)
	played  atomic.Int64   // plies played in this generation
	seconds float64        // spent in run since the last result
}

// newSelfPlay returns self-play of the games on at most the given number of threads. Each thread has a cache of
// evaluations with cacheEntries entries; 0 means none.
func newSelfPlay(games []*gameInProgress, threads, cacheEntries int) *selfPlay {
	p := &selfPlay{games: games, threads: make([]*thread, min(threads, len(games)))}
	game, settings := games[0].game, games[0].settings
	config := mcts.DefaultConfig()
	config.ValueScale = settings.ValueScale
	active := min(maxActiveGames, (len(games)+len(p.threads)-1)/len(p.threads))
	for i := range p.threads {
		t := &thread{play: p, size: active, batcher: mcts.NewBatcher(game, mcts.Uniform{}, active, cacheEntries)}
		for range active {
			t.idle = append(t.idle, mcts.New(game, config))
		}
		p.threads[i] = t
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
	n := len(p.threads)
	parallel.Runner(n)(n, func(i int) { // clears megabytes of cache
		t := p.threads[i]
		t.batcher.SetEvaluator(evaluator(t.size))
	})
}

// run continues the generation, with one goroutine per thread, until all plies are played. If ctx ends, it returns
// ctx's error after the current batch of each thread; then run may be called again.
func (p *selfPlay) run(ctx context.Context) error {
	start := time.Now()
	var wait sync.WaitGroup
	var panics parallel.Panics
	for _, t := range p.threads {
		wait.Go(func() {
			defer panics.Keep()
			t.run(ctx)
		})
	}
	wait.Wait()
	panics.Pass()
	p.seconds += time.Since(start).Seconds()
	return ctx.Err()
}

// playResult is what self-play did between two calls of result.
type playResult struct {
	finished []*record.Record // games that ended, in the order of selfPlay.games
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
	r.Idle = float64(len(p.threads)) * r.Seconds
	for _, t := range p.threads {
		stats := t.batcher.TakeStats()
		r.Evaluations += stats.Evaluations
		r.Batches += stats.Batches
		r.CacheHits += stats.CacheHits
		r.Idle -= t.seconds
		t.seconds = 0
	}
	return r
}

// thread plays several games at once on one goroutine, each until its plies of the generation are played. It owns their
// searches, evaluator, cache and batch. Threads share only selfPlay's counters.
type thread struct {
	play    *selfPlay
	size    int // maximum number of active games
	batcher *mcts.Batcher
	idle    []*mcts.Search    // searches that no active game uses
	active  []*gameInProgress // each with a pending leaf
	seconds float64           // spent in run since the last result
}

func (t *thread) run(ctx context.Context) {
	start := time.Now()
	defer func() { t.seconds += time.Since(start).Seconds() }()
	for {
		t.advance()
		if len(t.active) == 0 {
			return
		}
		t.batcher.Flush()
		if ctx.Err() != nil {
			return
		}
	}
}

// advance advances each active game to its next pending leaf, and replaces games whose plies are played by others.
func (t *thread) advance() {
	active := t.active
	t.active = t.active[:0]
	for _, g := range active {
		t.advanceGame(g)
	}
	for len(t.idle) > 0 {
		i := t.play.begun.Add(1) - 1
		if i >= int64(len(t.play.games)) {
			return
		}
		g := t.play.games[i]
		g.pliesLeft = t.play.plies
		g.search, t.idle = t.idle[len(t.idle)-1], t.idle[:len(t.idle)-1]
		t.advanceGame(g)
	}
}

// advanceGame advances g to its next pending leaf and makes it active, or takes its search back if it has no plies
// left.
func (t *thread) advanceGame(g *gameInProgress) {
	before := g.pliesLeft
	if g.advance(t.batcher) {
		t.active = append(t.active, g)
	} else {
		g.search, t.idle = nil, append(t.idle, g.search)
	}
	t.play.played.Add(int64(before - g.pliesLeft))
}
