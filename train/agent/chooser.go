package agent

import (
	"context"

	"ludus/env"
)

// Choice is an agent's move in a position.
type Choice struct {
	Move env.Action
	Err  error // of a program that gave no move, see [Failed]; nil if there is a move
}

// Chooser lets an agent choose a move in each of many positions. An agent with a network and without a time limit
// searches several positions at once, with their leaves in common batches, which does not affect its choices. A Chooser
// belongs to one goroutine.
type Chooser struct {
	batchers *Batchers
	agents   []Agent // one agent, or several that are all Batched
}

// NewChooser returns a chooser that searches at most so many positions at once. Errors are those of [Factory.Load].
func (f *Factory) NewChooser(positions int) (*Chooser, error) {
	agents, maxEntries := 1, maxSingleCacheEntries
	if f.HasNetwork() && !f.Timed() {
		agents = max(1, min(positions, MaxBatched, MaxMemoryBytes/f.treeBytes()))
	}
	if agents > 1 {
		maxEntries = maxSharedCacheEntries
	}
	c := &Chooser{batchers: &Batchers{cacheEntries: cacheEntries(agents*f.ExpectedSimulations(), maxEntries)}}
	shared := f.newSolver() // agents are reset for each position and use the solver one after another
	for range agents {
		agent, err := f.newAgent(c.batchers, shared)
		if err != nil {
			return nil, err
		}
		c.agents = append(c.agents, agent)
	}
	return c, nil
}

// Close ends the chooser's program, if the agent is one. The chooser may be used again.
func (c *Chooser) Close() error { return Close(c.agents[0]) }

// Choose sets dst[i] to the agent's choice in states[i], after a Reset with seeds[i]. No state may be terminal; none is
// changed. moves(i) returns the moves from the start to states[i], which only programs need. The error is that of a
// cancelled ctx.
func (c *Chooser) Choose(
	ctx context.Context, states []env.State, moves func(i int) []env.Action, seeds []uint64, dst []Choice,
) error {
	if len(c.agents) == 1 { // the only agent may not be Batched
		return c.chooseInTurn(ctx, states, moves, seeds, dst)
	}
	return c.chooseBatched(ctx, states, seeds, dst)
}

// chooseBatched is Choose with several agents, which are all Batched.
func (c *Chooser) chooseBatched(ctx context.Context, states []env.State, seeds []uint64, dst []Choice) error {
	pending := make([]*Choice, len(c.agents)) // by agent: what it searches for; nil: nothing
	next := 0
	for left := len(states); left > 0; c.batchers.Flush() {
		for k := range c.agents {
			agent := c.agents[k].(*Batched)
			for pending[k] != nil || next < len(states) {
				if pending[k] == nil {
					agent.Reset(seeds[next])
					agent.Begin(states[next])
					pending[k] = &dst[next]
					next++
				}
				a, done, err := agent.Proceed(ctx)
				if !done || err != nil { // ctx's
					break
				}
				*pending[k], pending[k] = Choice{Move: a}, nil
				left--
			}
		}
		if err := ctx.Err(); err != nil {
			c.batchers.clear()
			return err
		}
	}
	return nil
}

// chooseInTurn is Choose with one agent, position by position.
func (c *Chooser) chooseInTurn(
	ctx context.Context, states []env.State, moves func(i int) []env.Action, seeds []uint64, dst []Choice,
) error {
	a := c.agents[0]
	for i, state := range states {
		var line []env.Action
		if _, ok := a.(Outside); ok {
			line = moves(i)
		}
		Restart(a, seeds[i], line)
		move, err := a.Choose(ctx, state)
		if err != nil && (ctx.Err() != nil || !Failed(err)) {
			return err
		}
		dst[i] = Choice{move, err}
	}
	return nil
}
