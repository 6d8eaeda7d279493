package ggp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludus/env"
	"ludus/train/agent"
)

// player chooses the moves of a role in a match.
type player interface {
	// follow plays the move of each role. After an error the player must not be used.
	follow(moves map[string]string) error
	// choose returns a move for a role, one of the given legal ones; "" if the time was too short for it.
	choose(ctx context.Context, role string, legal []string, limit time.Duration) (string, error)
}

// agentPlayer is an agent that plays a match, with its own copy of the position.
type agentPlayer struct {
	game    *env.Game
	agent   agent.Timed
	state   env.State
	actions map[string]env.Action // actions by official text
}

// newAgentPlayer returns a player at the first position. The factory's agents must be [agent.Timed].
func newAgentPlayer(f *agent.Factory) (*agentPlayer, error) {
	a, err := f.New(0)
	if err != nil {
		return nil, err
	}
	p := &agentPlayer{game: f.Game, agent: a.(agent.Timed), state: f.Game.NewState(), actions: map[string]env.Action{}}
	for i, text := range f.Game.ActionTexts {
		if text != "" {
			p.actions[text] = env.Action(i)
		}
	}
	return p, nil
}

// follow implements player.
func (p *agentPlayer) follow(moves map[string]string) error {
	if p.state.Done() {
		return fmt.Errorf("the game should be over")
	}
	text := moves[p.game.Players[p.state.Player()]]
	a, known := p.actions[text]
	if !known || !slices.Contains(p.state.Legal(nil), a) {
		return fmt.Errorf("the move %.60q of %s is illegal", text, p.game.Players[p.state.Player()])
	}
	p.agent.Observe(a)
	p.state.Apply(a)
	return nil
}

// choose implements player. It returns an error if the given legal moves differ from those in the player's position.
func (p *agentPlayer) choose(ctx context.Context, role string, legal []string, limit time.Duration) (string, error) {
	if p.state.Done() || p.game.Players[p.state.Player()] != role {
		return "", fmt.Errorf("it should not be %s's turn", role)
	}
	own := p.game.Texts(p.state.Legal(nil))
	slices.Sort(own)
	if sorted := slices.Sorted(slices.Values(legal)); !slices.Equal(own, sorted) {
		return "", fmt.Errorf("legal moves of %s should be %.200v, not %.200v", role, own, sorted)
	}
	a, err := p.agent.ChooseWithin(ctx, p.state, limit)
	if err != nil {
		return "", err
	}
	return p.game.ActionTexts[a], nil
}
