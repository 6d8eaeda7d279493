package agent

import (
	"context"
	"slices"

	"ludus/env"
)

// Chooser lets an agent choose in many positions, each for itself. Where a network plays and no clock runs, it searches many
// of them at once, the waiting leaves in one batch, which changes no choice. It belongs to one goroutine.
type Chooser struct {
	judges *Evaluators
	agents []Agent // one for each position that is searched at once
}

// NewChooser returns a chooser for the agent, of which it holds no more than so many for positions at once, and one at
// least. Errors are those of [Factory.Load].
func (f *Factory) NewChooser(most int) (*Chooser, error) {
	c := &Chooser{}
	agents := 1
	if f.HasNetwork() && !f.Timed() {
		agents = max(1, min(most, MaxBatched, MaxMemoryBytes/f.MemoryBytes()))
	}
	c.judges = &Evaluators{entries: entriesFor(agents*f.ExpectedSimulations(), mostMatchEntries)}
	if agents == 1 {
		c.judges.entries = entriesFor(f.ExpectedSimulations(), mostAloneEntries)
	}
	for range agents {
		agent, err := f.NewBatched(c.judges)
		if err != nil {
			return nil, err
		}
		c.agents = append(c.agents, agent)
	}
	return c, nil
}

// Choose writes to dst[i] the move that the agent chooses in states[i], which is neither done nor changed, after a reset
// with seeds[i]. The only error is that of a cancelled ctx.
func (c *Chooser) Choose(ctx context.Context, states []env.State, seeds []uint64, dst []env.Action) error {
	if _, ok := c.agents[0].(Batched); !ok || len(c.agents) == 1 {
		return c.oneByOne(ctx, states, seeds, dst)
	}
	at := make([]int, len(c.agents)) // the state that each agent is at, or -1
	for k := range at {
		at[k] = -1
	}
	next, left := 0, len(states)
	for left > 0 && ctx.Err() == nil {
		for k, agent := range c.agents {
			agent := agent.(Batched)
			if at[k] < 0 && next < len(states) {
				at[k] = next
				next++
				agent.Reset(seeds[at[k]])
				agent.Begin(states[at[k]])
			}
			if at[k] < 0 {
				continue
			}
			if a, done, _ := agent.Proceed(ctx); done { // an error is ctx's
				dst[at[k]], at[k] = a, -1
				left--
			}
		}
		c.judges.EvaluateAll()
	}
	for c.judges.waiting() { // or the answers would go to later searches
		c.judges.EvaluateAll()
	}
	return ctx.Err()
}

func (c *Chooser) oneByOne(ctx context.Context, states []env.State, seeds []uint64, dst []env.Action) (err error) {
	for i, state := range states {
		c.agents[0].Reset(seeds[i])
		if dst[i], err = c.agents[0].Choose(ctx, state); err != nil {
			return err
		}
	}
	return nil
}

// waiting says whether a judge has been asked what it has not answered.
func (j *Evaluators) waiting() bool {
	return slices.ContainsFunc(j.list, func(judge *evaluator) bool { return len(judge.asked) > 0 })
}
