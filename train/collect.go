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

// collect returns the games of a generation, with exact values near their ends, and sets counts and times in m. They
// are imported games while there are some. Without workers every game in progress of the assignment's size advances by
// the same number of plies. With workers, positions of received games count, too, whatever their size, and this process
// plays short rounds until there is enough work.
func (r *run) collect(ctx context.Context, a *selfplay.Assignment, m *rundir.Metrics) ([]*record.Record, error) {
	start := time.Now()
	var own, received []*record.Record
	var played selfplay.Throughput
	var err error
	switch {
	case r.importing():
		own, err = r.importGames(ctx, m)
	case r.inbox == nil:
		own, err = r.playRound(ctx, a, plan.Plies(&r.config.Plan, r.Game, a.Game), m, &played)
	default:
		own, received, err = r.collectWithWorkers(ctx, a, m, &played)
	}
	if err != nil {
		return nil, err
	}
	m.PlaySeconds = time.Since(start).Seconds()
	m.IdleShare = 1
	if played.Seconds > 0 {
		m.IdleShare = played.Idle / (played.Seconds * float64(r.player(a.Game).Threads()))
		r.setSpeed(a.Game, played.Positions, played.Seconds)
	}
	all := slices.Concat(own, received)
	m.Games, m.Simulations, m.Evaluations = len(all), played.Simulations, played.Evaluations
	ofSize := slices.DeleteFunc(slices.Clone(all), func(g *record.Record) bool { return g.Game != a.Game })
	m.Diversity = learn.Diversity(ofSize)
	start = time.Now()
	if err := r.rescorers[r.index(a.Game)].Rescore(ctx, own); err != nil { // workers rescore their own games
		return nil, err
	}
	for _, g := range own[:m.ImportedGames] {
		g.FillClasses()
	}
	m.SolveSeconds, m.SolvedShare = time.Since(start).Seconds(), record.ProvenShare(all)
	return all, nil
}

// collectWithWorkers takes received games and plays rounds (or with LearnOnly waits) until there is enough work for a
// generation.
func (r *run) collectWithWorkers(ctx context.Context, a *selfplay.Assignment, m *rundir.Metrics, played *selfplay.Throughput) (
	own, received []*record.Record, err error) {
	p := &r.config.Plan
	late := false // the plan's time is over, and a note has said so
	for {
		if err := r.inbox.failure(); err != nil {
			return nil, nil, err
		}
		received = append(received, r.take(r.need-r.done(), m)...)
		var finished []*record.Record
		switch {
		case r.done() >= r.need:
			return own, received, nil
		case !r.LearnOnly:
			finished, err = r.playRound(ctx, a, max(1, plan.Plies(p, r.Game, a.Game)/roundsPerGeneration), m, played)
			own = append(own, finished...)
		case r.clock.Over(p, &r.config.Settings, r.count.Generation, 0):
			err = errTimeOver
		default:
			if !late && p.Seconds > 0 && r.clock.Spent(p).Seconds() > p.Seconds {
				late = true
				r.note("the time is over, but no generation is complete: waiting for workers")
			}
			r.progress(Waiting, playShare*float64(r.done())/float64(r.need))
			err = r.inbox.wait(progressInterval)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// done returns the work of the current generation that is done.
func (r *run) done() (sum int) {
	for _, w := range r.work {
		sum += w
	}
	return sum
}

// take takes received games until they make up the given work, and counts them in m.
func (r *run) take(work int, m *rundir.Metrics) (games []*record.Record) {
	for _, message := range r.inbox.take(work) {
		n := message.Games()
		games = append(games, message.Records...)
		m.Positions += message.Positions()
		for _, g := range message.Records {
			r.work[r.index(g.Game)] += g.Work()
		}
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
	player, ended := r.player(a.Game), make(chan struct{})
	var panics parallel.Panics
	go func() {
		defer close(ended)
		defer panics.Keep()
		result, err = player.Round(ctx, a, plies)
	}()
	cells := a.Game.Tensor.Cells()
	start, tick := time.Now(), time.NewTicker(progressInterval)
	defer tick.Stop()
	for playing := true; playing; {
		select {
		case <-ended:
			playing = false
		case <-tick.C:
			n := player.Played()
			r.setSpeed(a.Game, n, time.Since(start).Seconds())
			r.progress(Playing, playShare*min(1, float64(r.done()+n*cells)/float64(r.need)))
		}
	}
	panics.Pass()
	played.Add(result.Throughput)
	positions := r.config.Plan.ParallelGames * plies
	m.Positions += positions
	r.work[r.index(a.Game)] += positions * cells
	return result.Finished, err
}
