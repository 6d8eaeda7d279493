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

// Self-play and the network alone are measured in longer rounds than the rest, of so many slices: a move of all games
// takes long.
const (
	playSlices  = 4
	aloneSlices = 2
)

// settling is for how long self-play runs with an evaluator that costs nothing, until its games are no longer in step.
const settling = 150 * time.Millisecond

// player plays a run's self-play on some threads, and keeps count.
type player struct {
	row     SelfPlay
	play    *train.SelfPlay
	network *infer.Network
	settled bool
	pace    train.Throughput // of all rounds
	newest  train.Throughput
}

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

// work plays on; units are evaluations.
func (p *player) work(ctx context.Context, d time.Duration) float64 {
	if !p.settled {
		p.play.SetEvaluator(func(int) mcts.Evaluator { return mcts.Uniform{} }) // like a fresh network
		// Play's only error is that of ctx, here and below, which the caller sees too.
		_, _ = p.play.Play(ctx, settling)
		p.play.SetEvaluator(func(batch int) mcts.Evaluator { return p.network.NewEvaluator(batch) })
		p.settled = true
		return 0
	}
	pace, _ := p.play.Play(ctx, playSlices*d)
	p.newest = pace
	p.pace.Add(pace)
	return float64(pace.Evaluations) / pace.Seconds
}

// alone is work of the network alone, on as many threads and in the mean batch of the newest round of play.
func (p *player) alone(ctx context.Context, d time.Duration) float64 {
	batch := 1
	if p.newest.Batches > 0 {
		batch = int(math.Round(float64(p.newest.Evaluations) / float64(p.newest.Batches)))
	}
	speeds := make([]float64, p.row.Threads)
	var wait sync.WaitGroup
	for i := range speeds {
		evaluate := evaluating(p.network, batch)
		evaluate(ctx, 0) // the first time its memory is new
		wait.Go(func() { speeds[i] = evaluate(ctx, aloneSlices*d) })
	}
	wait.Wait()
	sum := 0.0
	for _, s := range speeds {
		sum += s
	}
	return sum
}

// complete fills in the row from the speeds of each round. Counts beside the evaluations are per evaluation over all
// rounds, since moves end in waves.
func (p *player) complete(played, alone []float64) SelfPlay {
	row, pace := p.row, p.pace
	row.Evaluations, row.NetworkAlone, row.Share = median(played), median(alone), ratio(played, alone)
	scale := row.Evaluations / float64(pace.Evaluations)
	row.Positions = scale * float64(pace.Positions)
	row.Simulated = scale * float64(pace.Simulations)
	row.CacheHits = scale * float64(pace.CacheHits)
	row.Batch = float64(pace.Evaluations) / float64(pace.Batches)
	row.Idle = pace.Idle / (pace.Seconds * float64(row.Threads))
	return row
}

// selfPlay measures a run's self-play with a fresh network: without a cache, on all threads and on one, and with one on
// all.
func (o *Options) selfPlay(ctx context.Context, game *env.Game) ([]SelfPlay, error) {
	s := subject{game, o.net(game)}
	network, err := infer.NewNetwork(game, s.weights())
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
		works = append(works, p.work, p.alone)
	}
	speeds, err := o.speeds(ctx, works...)
	if err != nil {
		return nil, err
	}
	var rows []SelfPlay
	for i, p := range players {
		rows = append(rows, p.complete(speeds[2*i], speeds[2*i+1]))
	}
	if o.Threads > 1 {
		rows[0].Scaling = ratio(speeds[0], speeds[2])
	}
	return rows, nil
}
