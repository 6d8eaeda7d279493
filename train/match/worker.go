package match

import (
	"context"

	"ludus/train/agent"
)

// gamesAtOnce is how many games each of the workers plays at once. It is 1 if no network plays, because only networks
// gain from batches, or if an agent has a time limit, because its moves must not wait for other games.
func (c *Config) gamesAtOnce(workers int) int {
	if c.A.Timed() || c.B.Timed() || !c.A.HasNetwork() && !c.B.HasNetwork() {
		return 1
	}
	memory := c.A.MemoryBytes() + c.B.MemoryBytes()
	return max(1, min(agent.MaxBatched, (c.Games+workers-1)/workers, agent.MaxMemoryBytes/memory))
}

// worker plays games of a match, many at once. It belongs to one goroutine.
type worker struct {
	match    *state
	batchers *agent.Batchers
	idle     []*game
	active   []*game // in play
}

// newWorker returns one of so many workers of the match, with its own batchers and all its games idle.
func newWorker(s *state, workers int) (*worker, error) {
	c := s.config
	simulationsPerGame := (c.A.ExpectedSimulations() + c.B.ExpectedSimulations()) * c.Game.UsualPlies / 2 // expected
	w := &worker{match: s, batchers: agent.NewBatchers(min(c.Games/workers+1, agent.MaxBatched) * simulationsPerGame)}
	games := c.gamesAtOnce(workers)
	for range games {
		g := &game{alone: games == 1}
		for side, factory := range []*agent.Factory{c.A, c.B} {
			var err error
			if g.agents[side], err = factory.NewBatched(w.batchers); err != nil {
				return nil, err
			}
		}
		w.idle = append(w.idle, g)
	}
	return w, nil
}

// play plays games until none is left.
func (w *worker) play(ctx context.Context) error {
	for {
		if err := w.fill(ctx); err != nil || len(w.active) == 0 {
			return err
		}
		if err := w.advance(ctx); err != nil {
			return err
		}
		w.batchers.Flush()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// fill starts games until none is idle or no game is left.
func (w *worker) fill(ctx context.Context) error {
	for len(w.idle) > 0 {
		last := len(w.idle) - 1
		if started, err := w.match.start(ctx, w.idle[last]); err != nil || !started {
			return err
		}
		w.active, w.idle = append(w.active, w.idle[last]), w.idle[:last]
	}
	return nil
}

// advance continues every game until it waits for evaluations or is over.
func (w *worker) advance(ctx context.Context) error {
	playing := w.active
	w.active = w.active[:0]
	for _, g := range playing {
		done, err := g.advance(ctx, w.match.config)
		switch {
		case err != nil:
			return err
		case done:
			if err := w.match.finish(g); err != nil {
				return err
			}
			w.idle = append(w.idle, g)
		default:
			w.active = append(w.active, g)
		}
	}
	return nil
}
