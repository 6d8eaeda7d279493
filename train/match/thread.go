package match

import (
	"context"

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
	return t, nil
}

// play plays games until none is left, and ends the agents' programs.
func (t *thread) play(ctx context.Context) error {
	defer func() {
		for _, g := range t.games {
			g.close()
		}
	}()
	for playing := true; playing; t.batchers.Flush() {
		playing = false
		for _, g := range t.games {
			waits, err := t.advance(ctx, g)
			if err != nil {
				return err
			}
			playing = playing || waits
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// advance continues the game in g, and starts others after it, until one waits for evaluations. It returns false if no
// game is left to start.
func (t *thread) advance(ctx context.Context, g *game) (waits bool, err error) {
	for {
		if !g.playing {
			g.playing, err = t.match.start(ctx, g)
			if err != nil || !g.playing {
				return false, err
			}
		}
		done, err := g.advance(ctx)
		if err != nil || !done {
			return true, err
		}
		g.playing = false
		if err := t.match.finish(g); err != nil {
			return false, err
		}
	}
}
