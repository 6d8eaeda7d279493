package train

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"

	"ludus/train/parallel"
	"ludus/train/record"
)

// round advances every game by a number of plies with the given network and returns what self-play did. Caches last as
// long as the network. If ctx ends, the error is ctx's, and the result is what was done until then.
func (p *selfPlay) round(ctx context.Context, n *Network, plies int) (playResult, error) {
	for _, g := range p.games {
		g.meanPlies, g.moveSimulations = n.MeanPlies, n.Simulations
	}
	p.start(plies)
	if p.network != n.ready {
		p.setEvaluator(evaluatorsOf(n.ready))
		p.network = n.ready
	}
	err := p.run(ctx)
	return p.result(), err
}

// Sizes of a worker's self-play: enough games for full batches, and rounds that are long compared with the time at their
// end when cores wait for each other, but short enough to take a new network soon.
const (
	workerGames = 64 // in progress per thread
	workerPlies = 4  // of each game per round
)

// Played is what a worker has done.
type Played struct {
	Network   *Network // that it plays with
	Games     int      // finished since the worker started
	Positions int      // searched since then
	Speed     float64  // positions per second of self-play in the last round
}

// Play plays for a run in another process until ctx ends: with the newest network, publishing the games that end. If the
// run changes it starts over. observe is called after every round. The only errors are the learner's and ctx's; finished
// games are published before ctx's is returned.
func Play(ctx context.Context, learner Learner, threads int, observe func(Played)) error {
	total := Played{}
	for {
		network, err := learner.Newest(ctx)
		if err != nil {
			return err
		}
		if err := playRun(ctx, learner, network, threads, &total, observe); err != nil {
			return err
		}
	}
}

// playRun plays for the run of network until the learner's newest network belongs to another one.
func playRun(
	ctx context.Context, learner Learner, network *Network, threads int, total *Played, observe func(Played),
) error {
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // never fails
	settings := network.Settings
	games := newGamesInProgress(network.Game, &settings, binary.LittleEndian.Uint64(seed[:]), workerGames*threads)
	play := newSelfPlay(games, threads, cacheEntries)
	rescorer := newRescorer(network.Game, settings.SolverNodes, parallel.Runner(threads))
	for newest := network; newest.Run == network.Run; {
		result, err := play.round(ctx, newest, workerPlies)
		start := time.Now()
		if err == nil {
			err = rescorer.rescore(ctx, result.finished)
		}
		result.Seconds += time.Since(start).Seconds()
		if len(result.finished) > 0 { // also if ctx has ended; then some are not rescored
			b := &record.Message{Run: network.Run, Generation: newest.Generation, Threads: threads, Records: result.finished}
			if err := learner.PublishGames(ctx, b); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		total.Network = newest
		total.Games += len(result.finished)
		total.Positions += result.Positions
		total.Speed = float64(result.Positions) / result.Seconds
		observe(*total)
		if newest, err = learner.Newest(ctx); err != nil {
			return err
		}
	}
	return nil
}
