package train

import (
	"context"
	"time"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train/rundir"
)

// collector owns the self-play of a run.
type collector struct {
	play  *selfPlay
	speed float64 // positions per second, recently; 0 before any were played
}

// collected is the self-play of one generation.
type collected struct {
	playResult
	positions int // searched
	seconds   float64
	idleShare float64 // of the workers' time
}

func newCollector(game *env.Game, config *rundir.Config, threads int) *collector {
	games := newGamesInProgress(game, &config.Settings, config.Seed, config.Plan.ParallelGames)
	return &collector{play: newSelfPlay(games, threads, cacheEntries)}
}

// collect advances every game by the given number of plies with the network. meanPlies is the mean length of the run's
// games so far. It reports the share done from 0 to 1 now and then. Its only error is ctx's.
func (c *collector) collect(ctx context.Context, network *infer.Network, plies int, meanPlies float64,
	report func(done float64)) (*collected, error) {
	for _, g := range c.play.games {
		g.meanPlies = meanPlies
	}
	c.play.begin(evaluatorsOf(network), plies)
	start, total := time.Now(), len(c.play.games)*plies
	finished := make(chan error, 1)
	go func() { finished <- c.play.run(ctx) }()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-finished:
			if err != nil {
				return nil, err
			}
			result := &collected{playResult: c.play.result(), positions: total, seconds: time.Since(start).Seconds()}
			result.idleShare = 1 - result.busy.Seconds()/(result.seconds*float64(len(c.play.workers)))
			c.speed = float64(total) / result.seconds
			return result, nil
		case <-tick.C:
			played := float64(c.play.played.Load())
			c.speed = played / time.Since(start).Seconds()
			report(played / float64(total))
		}
	}
}
