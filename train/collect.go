package train

import (
	"context"
	"time"

	"ludus/train/rundir"
)

// collect plays a generation: it advances every game in progress by PliesPerGeneration plies with the newest network. It
// returns the games that finished and sets counts and times in m.
func (r *run) collect(ctx context.Context, m *rundir.Metrics) (games []*record, err error) {
	plies := r.config.Plan.PliesPerGeneration
	m.Positions = len(r.play.games) * plies
	played, err := r.playRound(ctx, plies, m.Positions)
	if err != nil {
		return nil, err
	}
	batches, err := r.exchange.Receive(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		games = append(games, b.games...)
	}
	m.Games, m.Simulations, m.Evaluations = len(games), played.Simulations, played.Evaluations
	m.PlaySeconds = played.Seconds
	m.IdleShare = played.Idle / (played.Seconds * float64(len(r.play.workers)))
	m.Diversity = measureDiversity(r.Game, games)
	r.pace.speed = float64(m.Positions) / m.PlaySeconds
	return games, nil
}

// playRound advances every game in progress by a number of plies and reports the progress: the part of the given
// positions of the generation that it has played.
func (r *run) playRound(ctx context.Context, plies, positions int) (played Throughput, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		played, err = r.play.round(ctx, plies, r.count.meanPlies(r.Game))
	}()
	start, tick := time.Now(), time.NewTicker(200*time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return played, err
		case <-tick.C:
			n := float64(r.play.played.Load())
			r.pace.speed = n / time.Since(start).Seconds()
			r.progress(Playing, playShare*n/float64(positions))
		}
	}
}
