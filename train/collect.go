package train

import (
	"context"
	"time"

	"ludus/model/infer"
	"ludus/train/rundir"
)

// collect plays a generation: it advances every game in progress by PliesPerGeneration plies, evaluating with network.
// It returns the games that finished and sets counts and times in m.
func (r *run) collect(ctx context.Context, network *infer.Network, m *rundir.Metrics) ([]*record, error) {
	mean := r.count.meanPlies(r.Game)
	for _, g := range r.play.games {
		g.meanPlies = mean
	}
	plies := r.config.Plan.PliesPerGeneration
	m.Positions = len(r.play.games) * plies
	r.play.begin(evaluatorsOf(network), plies)
	start := time.Now()
	done := make(chan error, 1)
	go func() { done <- r.play.run(ctx) }()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			result := r.play.result()
			m.Games, m.Simulations, m.Evaluations = len(result.finished), result.Simulations, result.Evaluations
			m.PlaySeconds = result.Seconds
			m.IdleShare = result.Idle / (result.Seconds * float64(len(r.play.workers)))
			m.Diversity = measureDiversity(r.Game, result.finished)
			r.pace.speed = float64(m.Positions) / m.PlaySeconds
			return result.finished, err
		case <-tick.C:
			played := float64(r.play.played.Load())
			r.pace.speed = played / time.Since(start).Seconds()
			r.progress(Playing, playShare*played/float64(m.Positions))
		}
	}
}
