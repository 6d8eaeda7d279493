package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludus/env"
	"ludus/train/agent"
)

// timed reports whether the match measures the time of its agents: one is a program or has a time limit, or the match
// has a clock. Its threads play one game at a time each, because moves must not wait for other games.
func (c *Config) timed() bool {
	return c.hasClock() || c.A.Timed() || c.B.Timed() || c.A.Outside() || c.B.Outside()
}

// hasClock reports whether the match limits the time of both sides.
func (c *Config) hasClock() bool { return c.MoveTime > 0 || c.GameTime > 0 }

// clock returns the clock for the next move.
func (g *game) clock() agent.Clock {
	clock := agent.Clock{Move: g.config.MoveTime}
	if g.config.GameTime > 0 {
		for p := range clock.Left {
			clock.Left[p] = max(g.config.GameTime-g.used[sideOf(g.number, env.Player(p))], time.Millisecond)
		}
	}
	return clock
}

// chooseOnClock lets a side choose a move and adds its time to used, without the time of a program's start. An agent
// that takes more than its limit and a margin gets a fault.
func (g *game) chooseOnClock(ctx context.Context, side int) (env.Action, error) {
	clock := g.clock()
	limit := clock.Limit(g.state.Player())
	g.choices[side]++
	start, starting := time.Now(), g.starting(side)
	a, err := g.chooseWithin(ctx, g.agents[side], clock)
	took := time.Since(start) - (g.starting(side) - starting)
	g.used[side] += took
	late := err == nil && limit > 0 && (took > limit+agent.Margin || g.config.GameTime > 0 && g.used[side] > g.config.GameTime+agent.Margin)
	if late || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		detail := fmt.Sprintf("it had %v and took %v", limit.Round(time.Millisecond), took.Round(time.Millisecond))
		return 0, &agent.Fault{Kind: agent.Overstepped, Detail: detail}
	}
	return a, err
}

// starting is the time of this game that a side's program took to start; 0 for other agents.
func (g *game) starting(side int) time.Duration {
	if program, ok := g.agents[side].(agent.Outside); ok {
		return program.Starting()
	}
	return 0
}

// chooseWithin lets an agent choose a move on a clock. Programs see to it themselves that they end in time; others are
// cancelled when they overstep.
func (g *game) chooseWithin(ctx context.Context, a agent.Agent, clock agent.Clock) (env.Action, error) {
	p := g.state.Player()
	if limit := clock.Limit(p); limit > 0 {
		if program, ok := a.(agent.Outside); ok {
			return program.ChooseOnClock(ctx, g.state, clock)
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit+agent.Margin)
		defer cancel()
		if timed, ok := a.(agent.Timed); ok {
			return timed.ChooseWithin(ctx, g.state, clock.Share(g.config.Game, len(g.moves), p))
		}
	}
	return a.Choose(ctx, g.state)
}
