package ggp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludus/env"
	"ludus/train/agent"
)

// player is an agent that plays a match, with its own copy of the position.
type player struct {
	name    string // name to show to people
	game    *env.Game
	agent   agent.Timed
	state   env.State
	actions map[string]env.Action // actions by official text
}

// newPlayer returns a player at the first position. The factory's agents must be [agent.Timed].
func newPlayer(name string, f *agent.Factory) (*player, error) {
	a, err := f.New(0)
	if err != nil {
		return nil, err
	}
	p := &player{name: name, game: f.Game, agent: a.(agent.Timed), state: f.Game.NewState(), actions: map[string]env.Action{}}
	for i, text := range f.Game.ActionTexts {
		if text != "" {
			p.actions[text] = env.Action(i)
		}
	}
	return p, nil
}

// follow plays the move of the role whose turn it is. moves holds the move of every role. After an error the player must
// not be used.
func (p *player) follow(moves map[string]string) error {
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

// choose returns a move for the role. It returns an error if the given legal moves differ from those in the player's
// position.
func (p *player) choose(ctx context.Context, role string, legal []string, limit time.Duration) (string, error) {
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
