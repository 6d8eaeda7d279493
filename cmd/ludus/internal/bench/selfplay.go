package bench

import (
	"context"
	"math"
	"sync"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train"
)

// Rounds of self-play and of the network alone last several slices, because a move of all games takes long.
const (
	playSlices  = 4
	aloneSlices = 2
)

// warmUp is how long self-play runs with an evaluator that takes no time, until its games are at different plies.
const warmUp = 150 * time.Millisecond

// player measures self-play: it runs it and adds up its counts.
type player struct {
	row     SelfPlay
	play    *train.SelfPlay
	network *infer.Network
	warm    bool
	pace    train.Throughput // of all rounds
	newest  train.Throughput
}

// newPlayer returns a player with a run's settings, except for the number of threads and the evaluation cache.
func (o *Options) newPlayer(network *infer.Network, threads int, cache bool) *player {
	game := network.Game()
	settings := o.settings(game)
	p := &player{network: network}
	p.row = SelfPlay{
		Game: game.Name, Net: o.net(game).String(), Simulations: settings.Simulations, Threads: threads, Cache: cache,
	}
	p.play = train.NewSelfPlay(game, settings, threads, cache)
	return p
}

// selfPlay runs self-play. Its units are evaluations.
func (p *player) selfPlay(ctx context.Context, d time.Duration) float64 {
	if !p.warm {
		// Play fails only if ctx ends, here and below, which measure checks.
		p.play.SetEvaluator(func(int) mcts.Evaluator { return mcts.Uniform{} }) // equals a new network
		_, _ = p.play.Play(ctx, warmUp)
		p.play.SetEvaluator(func(batch int) mcts.Evaluator { return p.network.NewEvaluator(batch) })
		p.warm = true
		return 0
	}
	pace, _ := p.play.Play(ctx, playSlices*d)
	p.newest = pace
	p.pace.Add(pace)
	return float64(pace.Evaluations) / pace.Seconds
}

// networkAlone runs the network on as many threads and in the mean batch of the newest round of self-play.
func (p *player) networkAlone(ctx context.Context, d time.Duration) float64 {
	batch := 1
	if p.newest.Batches > 0 {
		batch = int(math.Round(float64(p.newest.Evaluations) / float64(p.newest.Batches)))
	}
	speeds := make([]float64, p.row.Threads)
	var wait sync.WaitGroup
	for i := range speeds {
		evaluate := evaluation(p.network, batch)
		evaluate.run(ctx, 0) // touches its memory
		wait.Go(func() { speeds[i] = evaluate.run(ctx, aloneSlices*d) })
	}
	wait.Wait()
	sum := 0.0
	for _, s := range speeds {
		sum += s
	}
	return sum
}

// complete returns the report's row from the speeds of self-play and of the network alone. Counts other than evaluations are per evaluation over all rounds, since moves end in waves.
func (p *player) complete(played, alone *series) SelfPlay {
	row, pace := p.row, p.pace
	row.Evaluations, row.NetworkAlone, row.Share = played.median(), alone.median(), played.over(alone)
	scale := row.Evaluations / float64(pace.Evaluations)
	row.Positions = scale * float64(pace.Positions)
	row.Simulated = scale * float64(pace.Simulations)
	row.CacheHits = scale * float64(pace.CacheHits)
	row.Batch = float64(pace.Evaluations) / float64(pace.Batches)
	row.Idle = pace.Idle / (pace.Seconds * float64(row.Threads))
	row.CPU = min(1, played.cpu/max(1-row.Idle, 1e-9))
	return row
}

// selfPlay measures self-play with a new network: without a cache on all threads and on one, with a cache on all.
func (o *Options) selfPlay(ctx context.Context, game *env.Game) ([]SelfPlay, error) {
	sub := subject{game, o.net(game)}
	network, err := infer.NewNetwork(game, sub.weights())
	if err != nil {
		return nil, err
	}
	var players []*player
	for _, threads := range o.threads() {
		players = append(players, o.newPlayer(network, threads, false))
	}
	players = append(players, o.newPlayer(network, o.Threads, true))
	var works []work
	for _, p := range players {
		works = append(works, work{p.row.Threads, p.selfPlay}, work{p.row.Threads, p.networkAlone})
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
		rows[0].Scaling = s[0].over(s[2])
	}
	return rows, nil
}
