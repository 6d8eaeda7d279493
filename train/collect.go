package train

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/rundir"
)

// errTimeOver means that the time of the plan is over while the run waits for games of a generation.
var errTimeOver = errors.New("the time is over")

// generationPositions is how many positions a generation needs.
func (r *run) generationPositions() int {
	return r.config.Plan.ParallelGames * r.config.Plan.PliesPerGeneration
}

// collect returns the games of a generation, with exact values near their ends, and sets counts and times in m. Without
// workers every game in progress advances by PliesPerGeneration plies. Otherwise positions of received games count, too,
// and this process plays in short rounds, with the given network, until there are enough.
func (r *run) collect(ctx context.Context, network *Network, m *rundir.Metrics) (games []*record.Record, err error) {
	plies, need := r.config.Plan.PliesPerGeneration, r.generationPositions()
	if r.inbox != nil {
		plies = max(1, plies/roundsPerGeneration)
	}
	start := time.Now()
	var played Throughput
	var received []*record.Record
	late := false // the time of the plan is over, and a note has said so
	for m.Positions < need {
		if r.inbox != nil {
			if err := r.inbox.failure(); err != nil {
				return nil, err
			}
			received = append(received, r.take(need-m.Positions, m)...)
		}
		switch {
		case m.Positions >= need:
		case r.LearnOnly && r.timeOver(0):
			err = errTimeOver
		case r.LearnOnly:
			if plan := &r.config.Plan; !late && plan.Seconds > 0 && r.pace.spent(plan).Seconds() > plan.Seconds {
				late = true
				r.note("the time is over, but no generation is complete: waiting for workers")
			}
			r.progress(Waiting, playShare*float64(m.Positions)/float64(need))
			err = r.inbox.wait(progressInterval)
		default:
			var finished []*record.Record
			finished, err = r.playRound(ctx, network, plies, m.Positions, need, &played)
			games = append(games, finished...)
			m.Positions += len(r.play.games) * plies
		}
		if err != nil {
			return nil, err
		}
	}
	m.PlaySeconds = time.Since(start).Seconds()
	m.IdleShare = 1
	if played.Seconds > 0 {
		m.IdleShare = played.Idle / (played.Seconds * float64(len(r.play.threads)))
		r.pace.speed = float64(played.Positions) / played.Seconds
	}
	all := slices.Concat(games, received)
	m.Games, m.Simulations, m.Evaluations = len(all), played.Simulations, played.Evaluations
	m.Diversity = measureDiversity(r.Game, all)
	start = time.Now()
	if err := r.rescorer.rescore(ctx, games); err != nil { // workers have rescored theirs
		return nil, err
	}
	m.SolveSeconds, m.SolvedShare = time.Since(start).Seconds(), solvedShare(all)
	return all, nil
}

const (
	// roundsPerGeneration is about how many rounds a generation of a run with workers has if they send nothing.
	roundsPerGeneration = 8
	progressInterval    = 200 * time.Millisecond
)

// take takes games that workers sent, until they have the given number of positions, and counts them in m.
func (r *run) take(positions int, m *rundir.Metrics) (games []*record.Record) {
	for _, b := range r.inbox.take(positions) {
		games = append(games, b.Records...)
		m.Positions += b.Positions()
		m.ReceivedGames += len(b.Records)
		behind := float64(max(0, r.count.Generation-b.Generation))
		m.Staleness += (behind - m.Staleness) * float64(len(b.Records)) / float64(m.ReceivedGames)
	}
	return games
}

// playRound advances every game in progress by a number of plies. The generation has done positions of the needed ones
// before; playRound reports the progress. It adds what it did to played and returns the games that ended.
func (r *run) playRound(
	ctx context.Context, network *Network, plies, positions, need int, played *Throughput,
) (finished []*record.Record, err error) {
	var result playResult
	done := make(chan struct{})
	var panics parallel.Panics
	go func() {
		defer close(done)
		defer panics.Keep()
		result, err = r.play.round(ctx, network, plies)
	}()
	start, tick := time.Now(), time.NewTicker(progressInterval)
	defer tick.Stop()
	for playing := true; playing; {
		select {
		case <-done:
			playing = false
		case <-tick.C:
			n := float64(r.play.played.Load())
			r.pace.speed = n / time.Since(start).Seconds()
			r.progress(Playing, playShare*min(1, (float64(positions)+n)/float64(need)))
		}
	}
	panics.Pass()
	played.Add(result.Throughput)
	return result.finished, err
}
