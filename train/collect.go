package train

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludus/train/learn"
	"ludus/train/parallel"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// errTimeOver means that the plan's time ended while the run was waiting for games.
var errTimeOver = errors.New("the time is over")

const (
	// roundsPerGeneration is roughly the number of rounds per generation in a run with workers that receives no games.
	roundsPerGeneration = 8
	progressInterval    = 200 * time.Millisecond
)

// collect returns the games of a generation, with exact values near their ends, and sets counts and times in m. Without
// workers every game in progress advances by PliesPerGeneration plies. With workers, positions of received games count,
// too, and this process plays short rounds until there are enough.
func (r *run) collect(ctx context.Context, a *selfplay.Assignment, m *rundir.Metrics) ([]*record.Record, error) {
	start := time.Now()
	var own, received []*record.Record
	var played selfplay.Throughput
	var err error
	if r.inbox == nil {
		p := &r.config.Plan
		own, err = r.playRound(ctx, a, p.PliesPerGeneration, m, &played)
	} else {
		own, received, err = r.collectWithWorkers(ctx, a, m, &played)
	}
	if err != nil {
		return nil, err
	}
	m.PlaySeconds = time.Since(start).Seconds()
	m.IdleShare = 1
	if played.Seconds > 0 {
		m.IdleShare = played.Idle / (played.Seconds * float64(r.player.Threads()))
		r.clock.Speed = float64(played.Positions) / played.Seconds
	}
	all := slices.Concat(own, received)
	m.Games, m.Simulations, m.Evaluations = len(all), played.Simulations, played.Evaluations
	m.Diversity = learn.Diversity(all)
	start = time.Now()
	if err := r.rescorer.Rescore(ctx, own); err != nil { // workers rescore their own games
		return nil, err
	}
	m.SolveSeconds, m.SolvedShare = time.Since(start).Seconds(), record.ProvenShare(all)
	return all, nil
}

// collectWithWorkers takes received games and plays rounds (or with LearnOnly waits) until there are enough positions for a
// generation.
func (r *run) collectWithWorkers(ctx context.Context, a *selfplay.Assignment, m *rundir.Metrics, played *selfplay.Throughput) (
	own, received []*record.Record, err error) {
	p := &r.config.Plan
	need := plan.Positions(p)
	late := false // the plan's time is over, and a note has said so
	for {
		if err := r.inbox.failure(); err != nil {
			return nil, nil, err
		}
		received = append(received, r.take(need-m.Positions, m)...)
		var finished []*record.Record
		switch {
		case m.Positions >= need:
			return own, received, nil
		case !r.LearnOnly:
			finished, err = r.playRound(ctx, a, max(1, p.PliesPerGeneration/roundsPerGeneration), m, played)
			own = append(own, finished...)
		case r.clock.Over(p, &r.config.Settings, r.count.Generation):
			err = errTimeOver
		default:
			if !late && p.Seconds > 0 && r.clock.Spent(p).Seconds() > p.Seconds {
				late = true
				r.note("the time is over, but no generation is complete: waiting for workers")
			}
			r.progress(Waiting, playShare*float64(m.Positions)/float64(need))
			err = r.inbox.wait(progressInterval)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// take takes received games until they have the given number of positions, and counts them in m.
func (r *run) take(positions int, m *rundir.Metrics) (games []*record.Record) {
	for _, message := range r.inbox.take(positions) {
		n := message.Games()
		games = append(games, message.Records...)
		m.Positions += message.Positions()
		m.ReceivedGames += n
		behind := float64(max(0, r.count.Generation-message.Generation))
		m.Staleness += (behind - m.Staleness) * float64(n) / float64(m.ReceivedGames) // mean over the games so far
	}
	return games
}

// playRound advances every game in progress by a number of plies and returns the games that ended. It counts them in m,
// adds the round's counts to played, and reports progress.
func (r *run) playRound(
	ctx context.Context, a *selfplay.Assignment, plies int, m *rundir.Metrics, played *selfplay.Throughput,
) ([]*record.Record, error) {
	var result selfplay.Result
	var err error
	done := make(chan struct{})
	var panics parallel.Panics
	go func() {
		defer close(done)
		defer panics.Keep()
		result, err = r.player.Round(ctx, a, plies)
	}()
	p := &r.config.Plan
	start, tick := time.Now(), time.NewTicker(progressInterval)
	defer tick.Stop()
	for playing := true; playing; {
		select {
		case <-done:
			playing = false
		case <-tick.C:
			n := float64(r.player.Played())
			r.clock.Speed = n / time.Since(start).Seconds()
			r.progress(Playing, playShare*min(1, (float64(m.Positions)+n)/float64(plan.Positions(p))))
		}
	}
	panics.Pass()
	played.Add(result.Throughput)
	m.Positions += p.ParallelGames * plies
	return result.Finished, err
}
