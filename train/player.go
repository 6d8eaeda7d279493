package train

import "context"

// player plays on the cores of this process: with the newest network, and publishing the games that end.
type player struct {
	*selfPlay
	learner *local
}

// round advances every game by a number of plies. meanPlies is the mean length of the run's games so far. The only error
// besides those of the learner is ctx's; games that ended before it are lost.
func (p *player) round(ctx context.Context, plies int, meanPlies float64) (Throughput, error) {
	network, err := p.learner.Newest(ctx)
	if err != nil {
		return Throughput{}, err
	}
	for _, g := range p.games {
		g.meanPlies = meanPlies
	}
	p.begin(evaluatorsOf(network.ready), plies)
	if err := p.run(ctx); err != nil {
		return Throughput{}, err
	}
	result := p.result()
	return result.Throughput, p.learner.PublishGames(ctx, Batch{Generation: network.Generation, games: result.finished})
}
