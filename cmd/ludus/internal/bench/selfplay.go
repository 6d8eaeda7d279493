package bench

import (
	"context"
	"math"
	"sync"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/selfplay"
)

// A round of self-play, or of the network alone, lasts several slices, because one move in all parallel games takes long.
const (
	playSlices  = 4
	aloneSlices = 2
)

// warmUp is how long self-play runs with free evaluations before the measurement, to spread its games over different plies.
const warmUp = 150 * time.Millisecond

// selfPlayer measures self-play on a number of threads, with or without a cache, and adds up its counts.
type selfPlayer struct {
	row     SelfPlay
	play    *selfplay.Meter
	network *infer.Network
	warm    bool
	total   selfplay.Throughput // counts of all rounds
	newest  selfplay.Throughput // counts of the newest round
}

// newSelfPlayer prepares self-play of the network as in a training run, with or without a cache of evaluations.
func (o *Options) newSelfPlayer(network *infer.Network, threads int, cache bool) *selfPlayer {
	game := network.Game
	settings := o.settings(game)
	p := &selfPlayer{network: network}
	p.row = SelfPlay{
		Game: game.Name, Net: o.net(game).String(), Simulations: settings.Simulations, Threads: threads, Cache: cache,
	}
	p.play = selfplay.NewMeter(game, settings, threads, cache)
	return p
}

// run plays for playSlices*d and returns evaluations per second. The first call only warms up.
func (p *selfPlayer) run(ctx context.Context, d time.Duration) float64 {
	if !p.warm {
		// The only error of Play is ctx's, which measure checks.
		p.play.SetEvaluator(func(int) mcts.Evaluator { return mcts.Uniform{} }) // answers like an untrained network
		_, _ = p.play.Play(ctx, warmUp)
		p.play.SetEvaluator(func(batch int) mcts.Evaluator { return p.network.NewEvaluator(batch) })
		p.warm = true
		return 0
	}
	pace, _ := p.play.Play(ctx, playSlices*d)
	p.newest = pace
	p.total.Add(pace)
	return float64(pace.Evaluations) / pace.Seconds
}

// networkAlone returns evaluations per second without search, with the threads of self-play and its newest mean batch.
func (p *selfPlayer) networkAlone(ctx context.Context, d time.Duration) float64 {
	batch := 1
	if p.newest.Batches > 0 {
		batch = int(math.Round(float64(p.newest.Evaluations) / float64(p.newest.Batches)))
	}
	speeds := make([]float64, p.row.Threads)
	var wait sync.WaitGroup
	for i := range speeds {
		evaluate := loop(1, evaluation(p.network, batch))
		evaluate.run(ctx, 0) // warms up its memory
		wait.Go(func() { speeds[i] = evaluate.run(ctx, aloneSlices*d) })
	}
	wait.Wait()
	sum := 0.0
	for _, s := range speeds {
		sum += s
	}
	return sum
}

// complete returns the report's row. played and alone are evaluations per second of self-play and of the network alone.
// Other speeds, such as moves per second, are derived from the overall ratio to evaluations, because parallel games finish
// their moves in waves and the count of a single round varies.
func (p *selfPlayer) complete(played, alone *series) SelfPlay {
	row, total := p.row, p.total
	row.Evaluations, row.NetworkAlone, row.Share = played.median(), alone.median(), played.ratio(alone)
	scale := row.Evaluations / float64(total.Evaluations)
	row.Positions = scale * float64(total.Positions)
	row.Simulated = scale * float64(total.Simulations)
	row.CacheHits = scale * float64(total.CacheHits)
	row.Batch = float64(total.Evaluations) / float64(total.Batches)
	row.Idle = total.Idle / (total.Seconds * float64(row.Threads))
	row.CPU = min(1, played.cpu/max(1-row.Idle, 1e-9))
	return row
}

// selfPlay measures self-play with an untrained network: without a cache on all threads and one, with a cache on all.
func (o *Options) selfPlay(ctx context.Context, game *env.Game) ([]SelfPlay, error) {
	sub := subject{game, o.net(game)}
	network, err := infer.NewNetwork(game, sub.weights())
	if err != nil {
		return nil, err
	}
	var players []*selfPlayer
	for _, threads := range o.threads() {
		players = append(players, o.newSelfPlayer(network, threads, false))
	}
	players = append(players, o.newSelfPlayer(network, o.Threads, true))
	var works []work
	for _, p := range players {
		works = append(works, work{p.row.Threads, p.run}, work{p.row.Threads, p.networkAlone})
	}
	s, err := o.measure(ctx, works...)
	if err != nil {
		return nil, err
	}
	var rows []SelfPlay
	for i, p := range players {
		rows = append(rows, p.complete(s[2*i], s[2*i+1]))
	}
	if o.Threads > 1 {
		rows[0].Scaling = s[0].ratio(s[2])
	}
	return rows, nil
}
