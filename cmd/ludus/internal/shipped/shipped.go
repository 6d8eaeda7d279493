// Package shipped gives commands and pages the agents of package checkpoints/zoo.
package shipped

import (
	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/train/agent"
)

// Loader returns a loader of a game's shipped network, with its strength dial. Other networks are loaded by load.
func Loader(game *env.Game, load agent.Loader) agent.Loader {
	return agent.WithShipped(game, zoo.Weights(game.Name), Dial(game), load)
}

// Dial returns the strength dial of a game's shipped network; nil if there is none.
func Dial(game *env.Game) (d agent.Dial) {
	card := zoo.CardOf(game.Name)
	if card == nil || card.Dial == nil {
		return nil
	}
	for _, s := range card.Dial.Strengths {
		d = append(d, agent.Strength(s))
	}
	return d
}
