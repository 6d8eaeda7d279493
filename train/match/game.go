package match

import (
	"context"
	"slices"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/seed"
)

// finishedGame is a finished game of a match.
type finishedGame struct {
	opening *opening
	aFirst  bool         // A moved first
	goals   [2]int       // goals of A and B
	moves   []env.Action // all moves from the start
}

// newFinishedGame returns the record of game i after its last move. final is its terminal state.
func newFinishedGame(i int, opening *opening, moves []env.Action, final env.State) *finishedGame {
	g := &finishedGame{opening: opening, aFirst: aFirst(i), goals: final.Goals(), moves: moves}
	if !g.aFirst {
		g.goals[0], g.goals[1] = g.goals[1], g.goals[0]
	}
	return g
}

// score is A's score: 1 for a win, 1/2 for a draw, 0 for a loss.
func (f *finishedGame) score() float64 {
	switch {
	case f.goals[0] > f.goals[1]:
		return 1
	case f.goals[0] == f.goals[1]:
		return 0.5
	}
	return 0
}

// game is a game being played, with its two agents. Between games its agents are kept for the next one.
type game struct {
	agents  [2]agent.Agent // agents A and B
	alone   bool           // the thread's only game, so its evaluations need not wait for others
	number  int
	opening *opening
	moves   []env.Action // all moves from the start
	state   env.State
	waiting bool // the agent to move waits for evaluations
}

// agentPurposes name the random streams of agents A and B.
var agentPurposes = [2]string{"agent A", "agent B"}

// start resets g to game i of the match and plays the opening plies.
func (g *game) start(c *Config, i int, opening *opening) {
	g.number, g.opening, g.moves, g.state, g.waiting = i, opening, slices.Clone(opening.moves), c.Game.NewState(), false
	for side, a := range g.agents {
		a.Reset(seed.Derive(c.Seed, agentPurposes[side], c.SkipGames+i))
	}
	for _, a := range opening.moves {
		g.apply(a)
	}
}

// apply plays a move and shows it to both agents.
func (g *game) apply(a env.Action) {
	g.state.Apply(a)
	g.agents[0].Observe(a)
	g.agents[1].Observe(a)
}

// advance plays until the game is over (done) or the side to move waits for evaluations.
func (g *game) advance(ctx context.Context) (done bool, err error) {
	for !g.state.Done() {
		side := 0
		if aFirst(g.number) != (g.state.Player() == env.First) {
			side = 1
		}
		a, chosen, err := g.choose(ctx, g.agents[side])
		if err != nil || !chosen {
			return false, err
		}
		g.moves = append(g.moves, a)
		g.apply(a)
	}
	return true, nil
}

// choose starts or continues the choice of a move. chosen is false while the agent waits for evaluations.
func (g *game) choose(ctx context.Context, player agent.Agent) (a env.Action, chosen bool, err error) {
	p, ok := player.(*agent.Batched)
	if g.alone || !ok {
		a, err = player.Choose(ctx, g.state)
		return a, err == nil, err
	}
	if !g.waiting {
		p.Begin(g.state)
	}
	a, chosen, err = p.Proceed(ctx)
	g.waiting = !chosen
	return a, chosen, err
}
