package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/shipped"
)

// sample is a game of a shipped agent against itself.
type sample struct {
	Network string `json:"network"` // SHA-256 of the agent's weights file
	Moves   string `json:"moves"`   // separated by ", "
}

// playSamples plays the sample games that are missing or whose agent has changed.
func playSamples() error {
	samples, err := readSamples()
	if err != nil {
		return err
	}
	for _, p := range pages() {
		card := p.card()
		if samples[p.name()].Network == card.Network.SHA256 {
			continue
		}
		moves, err := play(card.Game)
		if err != nil {
			return fmt.Errorf("%s: %w", card.Game, err)
		}
		samples[p.name()] = sample{card.Network.SHA256, strings.Join(moves, ", ")}
	}
	text, err := json.MarshalIndent(samples, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(samplesFile, append(text, '\n'), 0o644)
}

// play lets the shipped agent play a game against itself, and returns the moves.
func play(name string) (moves []string, err error) {
	game, err := games.New(name)
	if err != nil {
		return nil, err
	}
	factory, err := agent.ParseFactory(game, agent.Zoo, shipped.FileLoader(game, zoo.Weights(name), nil)) // nil: no dial
	if err != nil {
		return nil, err
	}
	player, err := factory.New(1)
	for state := game.NewState(); err == nil && !state.Done(); {
		var a env.Action
		if a, err = player.Choose(context.Background(), state); err == nil {
			moves = append(moves, game.ActionNames[a])
			state.Apply(a)
			player.Observe(a)
		}
	}
	return moves, err
}

// readSamples reads the sample games, by page.
func readSamples() (samples map[string]sample, err error) {
	data, err := os.ReadFile(samplesFile)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &samples); err != nil {
		return nil, fmt.Errorf("%s: %w", samplesFile, err)
	}
	return samples, nil
}
