package agenttest

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"ludus/env"
	"ludus/train/agent"
)

// Programs makes agents that stand for programs. Each plays the last legal move of the position that it has observed,
// unless Fail returns an error for the moves so far.
type Programs struct {
	Fail    func(moves []env.Action) error // nil: never
	Running atomic.Int64                   // agents that have chosen a move and are not closed
	Chosen  atomic.Int64                   // moves
}

// Start is an [agent.Starter].
func (p *Programs) Start(game *env.Game, _ agent.Spec) (agent.Outside, error) {
	return &program{all: p, game: game}, nil
}

type program struct {
	all     *Programs
	game    *env.Game
	moves   []env.Action
	running bool
}

func (p *program) Reset(uint64) { p.moves = nil }

func (p *program) Observe(a env.Action) { p.moves = append(p.moves, a) }

func (p *program) Start(ctx context.Context) error {
	if !p.running {
		p.running = true
		p.all.Running.Add(1)
	}
	return ctx.Err()
}

func (p *program) Choose(ctx context.Context, state env.State) (env.Action, error) {
	err := p.Start(ctx)
	if err != nil {
		return 0, err
	}
	seen, err := env.Replay(p.game, p.moves)
	if err != nil || seen.Key() != state.Key() {
		panic(fmt.Sprintf("agenttest: the program has not observed the moves that led to the position: %v", err))
	}
	if p.all.Fail != nil {
		if err := p.all.Fail(p.moves); err != nil {
			return 0, err
		}
	}
	p.all.Chosen.Add(1)
	legal := state.Legal(nil)
	return legal[len(legal)-1], nil
}

func (p *program) ChooseOnClock(ctx context.Context, state env.State, _ agent.Clock) (env.Action, error) {
	return p.Choose(ctx, state)
}

func (p *program) Analyze(ctx context.Context, state env.State, _ int) (*agent.Analysis, error) {
	return agent.BestOnly(ctx, state, p.Choose)
}

func (p *program) Restarts() int { return 0 }

// Starting implements [agent.Outside].
func (p *program) Starting() time.Duration { return 0 }

func (p *program) Close() error {
	if p.running {
		p.running = false
		p.all.Running.Add(-1)
	}
	return nil
}
