package report

import (
	"context"
	"fmt"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/seed"
)

// Samples are sample games with the search's analysis of every position.
type Samples struct {
	Description *board.Description `json:"description"`
	Games       []*board.Replay    `json:"games"`
}

const (
	sampleSeed          = 1
	sampleOpening       = 2 // random plies at the start of all sample games but the first
	opponentSimulations = 200
)

// PlaySamples plays games of the run's newest checkpoint: two against itself, one of them after a random opening, and
// one in each seat against a baseline. The games depend on the weights alone. The error is ctx's or an agent's.
func PlaySamples(ctx context.Context, run *Run) (*Samples, error) {
	spec := agent.Spec{Kind: agent.Net, Network: agent.CheckpointOf(run.Dir, run.Origin.Generation)}
	net, err := agent.NewFactory(run.Game, spec, rundir.LoadWeights).New(sampleSeed)
	if err != nil {
		return nil, err
	}
	spec = agent.Spec{Kind: agent.MCTS, Simulations: opponentSimulations}
	opponent, err := agent.NewFactory(run.Game, spec, nil).New(sampleSeed)
	if err != nil {
		return nil, err
	}
	self, other := seat{rundir.CheckpointName(run.Origin.Generation), net}, seat{spec.String(), opponent}
	samples := &Samples{Description: board.Describe(run.Game)}
	for i, seats := range [][2]seat{{self, self}, {self, self}, {self, other}, {other, self}} {
		opening := sampleOpening
		if i == 0 {
			opening = 0
		}
		game, err := playSample(ctx, run.Game, net, seats, opening)
		if err != nil {
			return nil, err
		}
		samples.Games = append(samples.Games, game)
	}
	return samples, nil
}

// seat is an agent in a game.
type seat struct {
	name  string
	agent agent.Agent
}

// playSample plays a game. The network analyses every position, and plays the best move of its analysis.
func playSample(
	ctx context.Context, game *env.Game, net agent.Agent, seats [2]seat, opening int,
) (*board.Replay, error) {
	rng := seed.New(sampleSeed, "sample opening", 0) // the same opening in all samples of a game
	for _, seat := range seats {
		seat.agent.Reset(sampleSeed)
	}
	state := game.NewState()
	var moves []env.Action
	var analyses []*agent.Analysis
	var random []bool
	for !state.Done() {
		analysis, err := net.Analyze(ctx, state, 0)
		if err != nil {
			return nil, err
		}
		// An opening ends early if a move could end the game.
		inOpening := len(moves) < opening && len(state.TerminalActions(nil)) == 0
		var a env.Action
		switch mover := seats[state.Player()].agent; {
		case inOpening:
			a = state.RandomAction(rng.Uint64())
		case mover == net:
			a = analysis.Moves[0].Action
		default:
			if a, err = mover.Choose(ctx, state); err != nil {
				return nil, err
			}
		}
		moves, analyses, random = append(moves, a), append(analyses, analysis), append(random, inOpening)
		state.Apply(a)
		for _, seat := range seats {
			seat.agent.Observe(a)
		}
	}
	replay := board.NewReplay(game, moves, func(ply int, _ env.State, p *board.ReplayPosition) {
		p.Random = random[ply]
		annotate(game, p, analyses[ply], moves[ply])
	})
	replay.Agents = [2]string{seats[0].name, seats[1].name}
	replay.Title = seats[0].name + " against " + seats[1].name
	if seats[0].agent == seats[1].agent {
		replay.Title = seats[0].name + " against itself"
	}
	if opening > 0 {
		replay.Title += fmt.Sprintf(", after %d random plies", opening)
	}
	return replay, nil
}

// annotate adds an analysis to a position: its value, the searched moves and the played one.
func annotate(game *env.Game, p *board.ReplayPosition, analysis *agent.Analysis, played env.Action) {
	p.Proven, p.Value = analysis.Proven, roundedCopy(analysis.Value)
	if p.Value != nil && analysis.Player != env.First {
		*p.Value = -*p.Value
	}
	for _, m := range analysis.Moves {
		visits := 0
		if m.Visits != nil {
			visits = *m.Visits
		}
		if visits > 0 || m.Action == played {
			p.Moves = append(p.Moves, board.MoveInfo{
				Move: game.ActionNames[m.Action], Visits: &visits,
				Value: roundedCopy(m.Value), Prior: roundedCopy(m.Prior),
			})
		}
	}
}

// roundedCopy returns a copy of x with five digits; nil stays nil.
func roundedCopy(x *float64) *float64 {
	if x == nil {
		return nil
	}
	return new(rounded(*x))
}
