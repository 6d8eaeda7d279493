package selfplay

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/rundir"
)

const (
	// maxActiveGames is the number of games that a thread plays at once: as many as fit into a batch of evaluations, and
	// few enough for their trees to stay in a core's cache.
	maxActiveGames = 32
	// cacheEntries is the number of entries in each thread's evaluation cache.
	cacheEntries = 1 << 15
)

// Player advances games in progress, round by round, on several goroutines. A thread with room takes the next game that has
// not begun the round, since cores are seldom equally free. A game's moves depend neither on its thread nor on other games;
// only the number of evaluations that the caches save does.
//
// Its methods, except Played, must not be called concurrently.
type Player struct {
	games    []*gameInProgress
	threads  []*thread
	parallel func(n int, do func(i int)) // see [parallel.Runner]
	plies    int                         // plies by which each game advances in this round
	network  *infer.Network              // network of the threads' evaluators; nil: another evaluator
	begun    atomic.Int64                // games handed out to threads in this round; may exceed len(games)
	played   atomic.Int64                // plies played in this round
	seconds  float64                     // spent in run since the last result
}

// NewPlayer returns a player of new games, on at most the given number of threads. It keeps settings.
func NewPlayer(game *env.Game, settings *rundir.Settings, seed uint64, games, threads int) *Player {
	return newPlayer(newGames(game, settings, seed, games), threads, cacheEntries)
}

// newPlayer returns a player whose threads have evaluation caches of cacheEntries entries; 0 means no caches.
func newPlayer(games []*gameInProgress, threads, cacheEntries int) *Player {
	threads = min(threads, len(games))
	p := &Player{games: games, threads: make([]*thread, threads), parallel: parallel.Runner(threads)}
	game, settings := games[0].game, games[0].settings
	config := mcts.DefaultConfig()
	config.ValueScale = settings.ValueScale
	active := min(maxActiveGames, (len(games)+threads-1)/threads)
	for i := range p.threads {
		t := &thread{player: p, size: active, batcher: mcts.NewBatcher(game, mcts.Uniform{}, active, cacheEntries)}
		for range active {
			t.idle = append(t.idle, mcts.New(game, config))
		}
		p.threads[i] = t
	}
	return p
}

// Scatter moves each new game to a random position, as in the middle of a run, unless ctx ends. It is for measuring speed.
func (p *Player) Scatter(ctx context.Context) {
	for _, g := range p.games {
		g.scatter(ctx)
	}
}

// Threads returns the number of threads, at most one per game.
func (p *Player) Threads() int { return len(p.threads) }

// Played returns the number of plies played in the round. It may be called while the round is under way.
func (p *Player) Played() int { return int(p.played.Load()) }

// Result holds the finished games and counts of a round of self-play.
type Result struct {
	Finished []*record.Record // games that ended, in the order of their games in progress
	Throughput
}

// Round advances every game by a number of plies. Caches are kept as long as the assignment's network is the same. If ctx
// ends, Round returns the result so far with ctx's error.
func (p *Player) Round(ctx context.Context, a *Assignment, plies int) (Result, error) {
	for _, g := range p.games {
		g.meanPlies, g.simulations = a.MeanPlies, a.Simulations
	}
	p.begin(plies)
	if p.network != a.network {
		p.setEvaluator(func(batch int) mcts.Evaluator { return a.network.NewEvaluator(batch) })
		p.network = a.network
	}
	err := p.run(ctx)
	return p.result(), err
}

// begin prepares a round for run: the given number of plies in every game. The previous round must have ended.
func (p *Player) begin(plies int) {
	p.plies = plies
	p.begun.Store(0)
	p.played.Store(0)
}

// setEvaluator gives each thread a new evaluator, for batches of up to the given size, and clears its cache. evaluator
// is called concurrently.
func (p *Player) setEvaluator(evaluator func(batch int) mcts.Evaluator) {
	p.network = nil
	p.parallel(len(p.threads), func(i int) { // clearing megabytes of cache takes time
		t := p.threads[i]
		t.batcher.SetEvaluator(evaluator(t.size))
	})
}

// run continues the round, with one goroutine per thread, until all plies are played. If ctx ends, it returns
// ctx's error after the current game and batch of each thread; then run may be called again.
func (p *Player) run(ctx context.Context) error {
	start := time.Now()
	p.parallel(len(p.threads), func(i int) { p.threads[i].run(ctx) })
	p.seconds += time.Since(start).Seconds()
	return ctx.Err()
}

// result returns what self-play did since the previous call of result.
func (p *Player) result() (r Result) {
	r.Seconds, p.seconds = p.seconds, 0
	for _, g := range p.games {
		r.Finished = append(r.Finished, g.finished...)
		r.Positions += g.positions
		r.Simulations += g.searched
		g.finished, g.positions, g.searched = nil, 0, 0
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

// MarshalGames encodes the games in progress for the checkpoint part [rundir.GamesInProgressPart].
func (p *Player) MarshalGames() []byte {
	var data []byte
	for _, g := range p.games {
		data = g.append(data)
	}
	return data
}

// UnmarshalGames restores the games in progress from MarshalGames's encoding; their number must be the same. Errors wrap
// [record.ErrRecord]; after one the player must not be used.
func (p *Player) UnmarshalGames(data []byte) error {
	r := record.NewReader(p.games[0].game, data)
	for i, g := range p.games {
		g.read(r)
		if err := r.Err(); err != nil {
			return fmt.Errorf("game in progress %d: %w", i, err)
		}
	}
	return r.End()
}

// thread plays several games at once on one goroutine, each until its plies of the round are played. It owns their
// searches, evaluator, cache and batch. Threads share only the player's counters.
type thread struct {
	player  *Player
	size    int // largest number of active games
	batcher *mcts.Batcher
	idle    []*mcts.Search    // searches that no active game uses
	active  []*gameInProgress // each with a pending leaf
	seconds float64           // spent in run since the last result
}

// run advances at least one game, and goes on until no game is left or ctx ends.
func (t *thread) run(ctx context.Context) {
	start := time.Now()
	defer func() { t.seconds += time.Since(start).Seconds() }()
	for {
		t.advance(ctx)
		if len(t.active) == 0 {
			return
		}
		t.batcher.Flush()
		if ctx.Err() != nil {
			return
		}
	}
}

// advance advances each active game to its next pending leaf. Games that have played their plies are replaced by others.
// After ctx has ended, it advances one game at most.
func (t *thread) advance(ctx context.Context) {
	active := t.active
	t.active = t.active[:0]
	for i, g := range active {
		t.advanceGame(g)
		if ctx.Err() != nil {
			t.active = append(t.active, active[i+1:]...)
			return
		}
	}
	for len(t.idle) > 0 && (len(t.active) == 0 || ctx.Err() == nil) {
		i := t.player.begun.Add(1) - 1
		if i >= int64(len(t.player.games)) {
			return
		}
		g := t.player.games[i]
		g.pliesLeft = t.player.plies
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
	t.player.played.Add(int64(before - g.pliesLeft))
}
