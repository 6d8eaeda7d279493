package match

import (
	"context"
	"slices"

	"ludus/train/agent"
	"ludus/train/memory"
)

// gamesAtOnce is the number of games that a thread plays at once. It is 1 if no network plays, because only networks
// gain from batches, or if the match measures time.
func (c *Config) gamesAtOnce(threads int) int {
	if c.timed() || !c.A.HasNetwork() && !c.B.HasNetwork() {
		return 1
	}
	most := memory.Share(threads*agent.MaxMemoryBytes) / threads
	return max(1, min(agent.MaxBatched, (c.Games+threads-1)/threads, most/c.bytesPerGame()))
}

// bytesPerGame estimates the memory of the agents of a game.
func (c *Config) bytesPerGame() int { return c.A.MemoryBytes() + c.B.MemoryBytes() }

// thread plays games of a match, many at once. It belongs to one goroutine.
type thread struct {
	match    *state
	batchers *agent.Batchers
	games    []*game
	idle     []*game
	active   []*game // games being played
}

// newThread returns one of the match's threads, with its own batchers and no game started. threads is their total
// number.
func newThread(s *state, threads int) (*thread, error) {
	c := s.config
	simulationsPerGame := (c.A.ExpectedSimulations() + c.B.ExpectedSimulations()) * c.Game.UsualPlies / 2
	t := &thread{match: s, batchers: agent.NewBatchers(min(c.Games/threads+1, agent.MaxBatched) * simulationsPerGame)}
	games := c.gamesAtOnce(threads)
	for range games {
		g := &game{config: c, alone: games == 1, timed: c.timed()}
		for side, factory := range []*agent.Factory{c.A, c.B} {
			var err error
			if g.agents[side], err = factory.NewBatched(t.batchers); err != nil {
				return nil, err
			}
		}
		t.games = append(t.games, g)
	}
	t.idle = slices.Clone(t.games)
	return t, nil
}

// play plays games until none is left, and ends the agents' programs.
func (t *thread) play(ctx context.Context) error {
	defer func() {
		for _, g := range t.games {
			g.close()
		}
	}()
	for {
		if err := t.fill(ctx); err != nil || len(t.active) == 0 {
			return err
		}
		if err := t.advance(ctx); err != nil {
			return err
		}
		t.batchers.Flush()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// fill starts games until none is idle or no game is left.
func (t *thread) fill(ctx context.Context) error {
	for len(t.idle) > 0 {
		last := len(t.idle) - 1
		if started, err := t.match.start(ctx, t.idle[last]); err != nil || !started {
			return err
		}
		t.active, t.idle = append(t.active, t.idle[last]), t.idle[:last]
	}
	return nil
}

// advance continues every game until it waits for evaluations or is over.
func (t *thread) advance(ctx context.Context) error {
	playing := t.active
	t.active = t.active[:0]
	for _, g := range playing {
		done, err := g.advance(ctx)
		switch {
		case err != nil:
			return err
		case done:
			if err := t.match.finish(g); err != nil {
				return err
			}
			t.idle = append(t.idle, g)
		default:
			t.active = append(t.active, g)
		}
	}
	return nil
}
