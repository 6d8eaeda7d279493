package match

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

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
	ending  ending

	choices  [2]int     // number of moves that A and B were asked for
	seconds  [2]float64 // A's and B's time, if the match measures it
	restarts [2]int     // of A's and B's programs
}

// newFinishedGame returns the record of game i after its last move. final is the state then, which is terminal if e is
// zero. A game that ended early has goals 100 and 0.
func newFinishedGame(i int, opening *opening, moves []env.Action, final env.State, e ending) *finishedGame {
	f := &finishedGame{opening: opening, aFirst: aFirst(i), moves: moves, ending: e}
	switch {
	case e.early():
		f.goals[1-e.side] = 100
	case f.aFirst:
		f.goals = final.Goals()
	default:
		goals := final.Goals()
		f.goals = [2]int{goals[1], goals[0]}
	}
	return f
}

// score is A's score: 1 for a win, 1/2 for a draw, 0 for a loss.
func (f *finishedGame) score() float64 {
	return (1 + float64(cmp.Compare(f.goals[0], f.goals[1]))) / 2
}

// game is a game being played, with its two agents. Between games its agents are kept for the next one.
type game struct {
	config  *Config
	agents  [2]agent.Agent // agents A and B
	alone   bool           // the thread's only game, so its evaluations need not wait for others
	timed   bool           // the match measures time
	number  int
	opening *opening
	moves   []env.Action // all moves from the start
	state   env.State
	playing bool // the game is not over
	waiting bool // the agent to move waits for evaluations
	ending  ending
	choices [2]int           // number of moves that A and B were asked for
	used    [2]time.Duration // A's and B's time, if the match measures it
}

// agentPurposes name the random streams of agents A and B.
var agentPurposes = [2]string{"agent A", "agent B"}

// start resets g to game i of the match, plays the opening plies and starts the agents' programs, which is not on the
// clock. The only errors are ctx's, and those of a program that are not its fault.
func (g *game) start(ctx context.Context, i int, opening *opening) error {
	c := g.config
	g.number, g.opening, g.moves, g.state, g.waiting = i, opening, slices.Clone(opening.moves), c.Game.NewState(), false
	g.ending, g.choices, g.used = ending{}, [2]int{}, [2]time.Duration{}
	for side, a := range g.agents {
		a.Reset(seed.Derive(c.Seed, agentPurposes[side], c.SkipGames+i))
	}
	for _, a := range opening.moves {
		g.apply(a)
	}
	for side, a := range g.agents {
		program, ok := a.(agent.Outside)
		if !ok || g.ending.early() {
			continue
		}
		err := program.Start(ctx)
		if err != nil {
			err = g.endBy(ctx, side, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// apply plays a move and shows it to both agents.
func (g *game) apply(a env.Action) {
	g.state.Apply(a)
	g.agents[0].Observe(a)
	g.agents[1].Observe(a)
}

// advance plays until the game is over (done) or the side to move waits for evaluations.
func (g *game) advance(ctx context.Context) (done bool, err error) {
	for !g.state.Done() && !g.ending.early() {
		side := sideOf(g.number, g.state.Player())
		a, chosen, err := g.choose(ctx, side)
		if err != nil {
			err = g.endBy(ctx, side, err)
			if err != nil {
				return false, err
			}
			continue
		}
		if !chosen {
			return false, nil
		}
		g.moves = append(g.moves, a)
		g.apply(a)
	}
	return true, nil
}

// endBy ends the game by an error of a side's agent. It returns the error if that is no [agent.Fault], or ctx's, which
// may be why a program failed.
func (g *game) endBy(ctx context.Context, side int, err error) error {
	var fault *agent.Fault
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &fault):
		g.ending = ending{*fault, side}
	default:
		return err
	}
	return nil
}

// choose starts or continues a side's choice of a move. chosen is false while the agent waits for evaluations.
func (g *game) choose(ctx context.Context, side int) (a env.Action, chosen bool, err error) {
	if g.timed {
		a, err = g.chooseOnClock(ctx, side)
		return a, err == nil, err
	}
	p, ok := g.agents[side].(*agent.Batched)
	if g.alone || !ok {
		a, err = g.agents[side].Choose(ctx, g.state)
		return a, err == nil, err
	}
	if !g.waiting {
		p.Begin(g.state)
	}
	a, chosen, err = p.Proceed(ctx)
	g.waiting = !chosen
	return a, chosen, err
}

// finished returns the game after its end.
func (g *game) finished() *finishedGame {
	f := newFinishedGame(g.number, g.opening, g.moves, g.state, g.ending)
	f.choices = g.choices
	for side, a := range g.agents {
		f.seconds[side] = g.used[side].Round(time.Millisecond).Seconds()
		if program, ok := a.(agent.Outside); ok {
			f.restarts[side] = program.Restarts()
		}
	}
	return f
}

// close ends the agents' programs. They are killed if they do not end, so an error means nothing to the match.
func (g *game) close() {
	for _, a := range g.agents {
		_ = agent.Close(a)
	}
}
