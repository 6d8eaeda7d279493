package report

import (
	"context"
	"fmt"
	"math/rand/v2"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// Games are sample games on a drawn board.
type Games struct {
	Board   board.Board `json:"board"`
	Samples []Sample    `json:"samples"`
}

// Sample is one game.
type Sample struct {
	Title     string     `json:"title"`
	Players   [2]string  `json:"players"` // the agents in their seats
	Goals     [2]int     `json:"goals"`
	Positions []Position `json:"positions"` // one more than moves
}

// Position is a position and what the network's search thinks of it. The last one of a game has no player and no moves.
type Position struct {
	Player int      `json:"player"` // to move
	Pieces string   `json:"pieces"` // see board.Pieces
	Status string   `json:"status"`
	WonBy  []int32  `json:"wonBy,omitempty"` // cells, see env.State
	Value  *float64 `json:"value"`           // for the first player
	Proven bool     `json:"proven,omitempty"`
	// Moves are those that were searched and the one that was played, in the analysis' order.
	Moves  []Choice `json:"moves,omitempty"`
	Legal  int      `json:"legal,omitempty"` // number of legal moves
	Played int      `json:"played"`          // index in Moves
	By     string   `json:"by,omitempty"`    // "random" for a move of the opening
}

// Choice is a legal move with the search's judgement.
type Choice struct {
	Text   string   `json:"text"`
	From   int32    `json:"from"` // cells, or -1
	To     int32    `json:"to"`
	Visits int      `json:"visits"`
	Value  *float64 `json:"value"` // for the player to move
	Prior  *float64 `json:"prior"`
}

const (
	sampleSeed    = 1
	sampleOpening = 2 // random plies that all samples but the first begin with
	sampleRival   = "mcts:200"
)

// PlaySamples plays a few games of the run's newest checkpoint: against itself from the start and after random plies, and
// from both seats against a baseline. They depend on the weights alone. The error is ctx's or the agents'.
func PlaySamples(ctx context.Context, run *Run) (*Games, error) {
	name := fmt.Sprintf("net@%d", run.Origin.Generation)
	spec := agent.Spec{Kind: agent.Net, Network: agent.CheckpointOf(run.Dir, run.Origin.Generation)}
	net, err := agent.NewFactory(run.Game, spec, rundir.LoadWeights).New(sampleSeed)
	if err != nil {
		return nil, err
	}
	rivals, err := rundir.ParseAgent(run.Game, sampleRival)
	if err != nil {
		return nil, err
	}
	rival, err := rivals.New(sampleSeed)
	if err != nil {
		return nil, err
	}
	s := sampler{game: run.Game, net: net}
	games := &Games{Board: board.Of(run.Game)}
	for i, seats := range [][2]seat{
		{{name, net}, {name, net}},
		{{name, net}, {name, net}},
		{{name, net}, {sampleRival, rival}},
		{{sampleRival, rival}, {name, net}},
	} {
		opening := sampleOpening
		if i == 0 {
			opening = 0
		}
		sample, err := s.play(ctx, seats, opening)
		if err != nil {
			return nil, err
		}
		games.Samples = append(games.Samples, *sample)
	}
	return games, nil
}

// seat is an agent in a game.
type seat struct {
	name  string
	agent agent.Agent
}

// sampler plays games, in which net judges every position and chooses its own moves by that judgement.
type sampler struct {
	game *env.Game
	net  agent.Agent
}

func (s *sampler) play(ctx context.Context, seats [2]seat, opening int) (*Sample, error) {
	g := &Sample{Players: [2]string{seats[0].name, seats[1].name}, Title: seats[0].name + " against " + seats[1].name}
	if seats[0].agent == seats[1].agent {
		g.Title = seats[0].name + " against itself"
	}
	if opening > 0 {
		g.Title += fmt.Sprintf(", %d random plies first", opening)
	}
	rng := rand.NewPCG(sampleSeed, uint64(s.game.NumActions())) // the same opening for all samples of a game
	for _, seat := range seats {
		seat.agent.Reset(sampleSeed)
	}
	state := s.game.NewState()
	for ply := 0; !state.Done(); ply++ {
		var a env.Action
		p, analysis, err := s.judge(ctx, state)
		if err != nil {
			return nil, err
		}
		switch mover := seats[state.Player()].agent; {
		case ply < opening && s.quiet(state):
			a, p.By = state.RandomAction(rng.Uint64()), "random"
		case mover == s.net:
			a = analysis.Moves[0].Action
		default:
			if a, err = mover.Choose(ctx, state); err != nil {
				return nil, err
			}
		}
		p.choose(s.game, analysis, a)
		g.Positions = append(g.Positions, p)
		state.Apply(a)
		for _, seat := range seats {
			seat.agent.Observe(a)
		}
	}
	value := float64(s.game.Classes[state.Outcome()].Utility)
	g.Goals = state.Goals()
	g.Positions = append(g.Positions, Position{
		Player: -1, Played: -1, Pieces: board.Pieces(state), Status: s.game.Status(state), WonBy: state.WinningCells(nil), Value: &value, Proven: true,
	})
	return g, nil
}

// quiet says that no move ends the game at once, so that any may open it.
func (s *sampler) quiet(state env.State) bool { return len(state.TerminalActions(nil)) == 0 }

// judge describes a position that is not done, its moves aside.
func (s *sampler) judge(ctx context.Context, state env.State) (Position, *agent.Analysis, error) {
	analysis, err := s.net.Analyze(ctx, state, 0)
	if err != nil {
		return Position{}, nil, err
	}
	p := Position{
		Player: int(state.Player()), Pieces: board.Pieces(state), Status: s.game.Status(state), Proven: analysis.Proven,
		Value: forFirst(analysis.Value, analysis.Player), Legal: len(analysis.Moves),
	}
	return p, analysis, nil
}

// choose lists the moves that were searched, and notes which one was played.
func (p *Position) choose(game *env.Game, analysis *agent.Analysis, played env.Action) {
	for _, m := range analysis.Moves {
		visits := 0
		if m.Visits != nil {
			visits = *m.Visits
		}
		if visits == 0 && m.Action != played {
			continue
		}
		if m.Action == played {
			p.Played = len(p.Moves)
		}
		touch := game.Drawing.ActionCells[m.Action]
		p.Moves = append(p.Moves, Choice{
			Text: game.ActionTexts[m.Action], From: touch.From, To: touch.To,
			Visits: visits, Value: shortened(m.Value), Prior: shortened(m.Prior),
		})
	}
}

// forFirst turns p's value into the first player's.
func forFirst(value *float64, p env.Player) *float64 {
	if value == nil {
		return nil
	}
	return shortened(new(p.Sign() * *value))
}

// shortened is a copy with five digits.
func shortened(x *float64) *float64 {
	if x == nil {
		return nil
	}
	return new(rounded(*x))
}
