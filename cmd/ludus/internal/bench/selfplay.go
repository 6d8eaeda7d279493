package bench

import (
	"context"
	"time"

	"ludus/env"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

const (
	playSlices     = 4  // of a round of self-play, because one move in all games in progress takes long
	gamesPerThread = 64 // in progress; they fill the batches, as those of a long training do
)

// selfPlayer runs self-play with one number of threads and adds up its counts.
type selfPlayer struct {
	player     *selfplay.Player
	assignment *selfplay.Assignment
	total      selfplay.Throughput // of all measured rounds
}

// work returns the work of playing one move in every game until the time is over, at positions per second. Its first
// call, which only warms up, does not count.
func (p *selfPlayer) work() work {
	warm := false
	return work{p.player.Threads(), func(ctx context.Context, d time.Duration) float64 {
		var done selfplay.Throughput
		for done.Positions == 0 || done.Seconds < (playSlices*d).Seconds() {
			result, err := p.player.Round(ctx, p.assignment, 1)
			if err != nil {
				return 0 // ctx has ended, which measure checks
			}
			done.Add(result.Throughput)
		}
		if warm {
			p.total.Add(done)
		}
		warm = true
		return float64(done.Positions) / done.Seconds
	}}
}

// row returns the report's row. The other speeds are the positions per second times their overall number per position.
// The CPU share leaves out the time in which threads wait for each other, because no other program causes it.
func (p *selfPlayer) row(s subject, played *series) SelfPlay {
	total := &p.total
	perPosition := played.median() / float64(total.Positions)
	idle := total.Idle / (total.Seconds * float64(p.player.Threads())) // share of the time in which threads wait for others
	return SelfPlay{
		Game: s.game.Name, Net: s.net(), Simulations: p.assignment.Simulations, Threads: p.player.Threads(),
		Positions:   played.median(),
		Simulated:   perPosition * float64(total.Simulations),
		Evaluations: perPosition * float64(total.Evaluations),
		Batch:       float64(total.Evaluations) / float64(total.Batches),
		CPU:         min(1, played.cpu/max(1-idle, 1e-9)),
	}
}

// selfPlay measures self-play with an untrained network, on all threads and on one.
func (o *Options) selfPlay(ctx context.Context, game *env.Game) ([]SelfPlay, error) {
	s, settings := defaultSubject(game), rundir.DefaultSettings(game)
	assignment := &selfplay.Assignment{
		Game: game, Settings: settings, Simulations: settings.Simulations, MeanPlies: float64(game.UsualPlies) / 2,
		Weights: s.weights(),
	}
	if err := assignment.Prepare(); err != nil {
		return nil, err
	}
	var players []*selfPlayer
	var works []work
	for _, threads := range o.threads() {
		p := &selfPlayer{selfplay.NewPlayer(game, &settings, 0, gamesPerThread*threads, threads), assignment,
			selfplay.Throughput{}}
		p.player.Scatter(ctx)
		players, works = append(players, p), append(works, p.work())
	}
	measured, err := o.measure(ctx, works...)
	if err != nil {
		return nil, err
	}
	var rows []SelfPlay
	for i, p := range players {
		rows = append(rows, p.row(s, measured[i]))
	}
	return rows, nil
}
