package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/checkpoints/zoo"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train"
)

// A run's network becomes two files: the rounded weights, and a card with the run's history and measured results.
func TestShip(t *testing.T) {
	dir := t.TempDir()
	game, err := games.New("tic-tac-toe")
	if err != nil {
		t.Fatal(err)
	}
	_, err = train.Train(t.Context(), train.Options{
		Dir: filepath.Join(dir, "run"), Game: game, Generations: 2, Threads: 1, Settings: map[string]float64{
			"parallel_games": 8, "plies_per_generation": 9, "simulations": 4, "channels": 8, "blocks": 1, "batch_size": 16, "rating_share": 0,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o := options{
		run: filepath.Join(dir, "run"), opponents: "random,greedy", games: 4, certify: "solve=100000", threads: 2,
		weaknesses: []string{"it is small"}, note: func(string) {},
	}
	if err := ship(t.Context(), &o, dir); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("without a command: %v", err)
	}
	o.training = zoo.Training{Command: "ludus train tic-tac-toe", Commit: "abc", Cores: 1}
	if err := ship(t.Context(), &o, dir); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "tic-tac-toe.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	weights, err := infer.Unmarshal(file)
	if err != nil || weights.Validate(game) != nil {
		t.Errorf("weights: %v, %v", err, weights.Validate(game))
	}
	text, err := os.ReadFile(filepath.Join(dir, "tic-tac-toe.json"))
	if err != nil {
		t.Fatal(err)
	}
	var card zoo.Card
	if err := json.Unmarshal(text, &card); err != nil {
		t.Fatal(err)
	}
	training, matches := card.Training, card.Matches
	if training.Generation != 2 || training.Generations != 2 || training.Seed != 1 || training.Games == 0 || len(training.Date) != 10 ||
		card.Network.Bytes != len(file) || card.Network.Parameters != weights.Parameters() || len(card.Errors) != 0 || len(matches) != 2 ||
		matches[1].Opponent != "greedy" || matches[1].Wins+matches[1].Draws+matches[1].Losses != 4 || card.Weaknesses[len(card.Weaknesses)-1] != "it is small" {
		t.Errorf("card %s", text)
	}
	if c := card.Certificate; c == nil || c.Agent != "zoo,solve=100000" || c.Positions < 100 {
		t.Errorf("with the solver the agent plays perfectly, but the card has the certificate %+v", c)
	}
	if f := card.Floors; f.Games != floorGames || f.Opponent != floorOpponent || f.Positions != 0 {
		t.Errorf("floors %+v", f)
	}
}
