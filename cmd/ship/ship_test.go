package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints/zoo"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/rundir"
)

// newTraining returns a training of the game with the default settings.
func newTraining(t *testing.T, name string) *shipment {
	t.Helper()
	game := games.Must(name)
	return &shipment{commit: "0123abc", cores: 3, game: game, config: rundir.NewConfig(game.Name, 7, rundir.DefaultSettings(game))}
}

// Only finished trainings with the default settings are plain. Their totals come from the metrics.
func TestPlain(t *testing.T) {
	run := newTraining(t, "quad-5x5")
	run.config.Plan.Generations = 2
	for g := 1; g <= 2; g++ {
		if _, err := run.trained(); err == nil || !strings.Contains(err.Error(), "not finished") {
			t.Errorf("after %d of 2 generations: %v", g-1, err)
		}
		run.metrics = append(run.metrics, rundir.Metrics{Generation: g, TotalGames: 10 * g, Positions: 100, Steps: 7 * g, RunSeconds: 5 * float64(g)})
	}
	want := zoo.Trained{
		Command: "ludus train quad-5x5 --generations 2 --seed 7", Commit: "0123abc", Cores: 3, Seconds: 10, Channels: 32, Blocks: 3,
		Games: 20, Positions: 200, Samples: 14 * 256, SamplesPerPosition: 8,
	}
	if got, err := run.trained(); err != nil || *got != want {
		t.Errorf("%v: %+v; want %+v", err, got, want)
	}
	run.config.Settings.Simulations = 32
	if _, err := run.trained(); err == nil || !strings.Contains(err.Error(), "simulations=32") {
		t.Errorf("other settings: %v", err)
	}
}

// Losses are few means, all in order, in place of those of the same command. Cards keep lists of numbers in one line.
func TestLosses(t *testing.T) {
	run := newTraining(t, "tic-tac-toe")
	for g := range 1000 {
		m := rundir.Metrics{Generation: g + 1, Steps: 10 * g, PolicyLoss: 2 - float64(g)/1000}
		if g%2 > 0 {
			m.ValidationPolicyLoss = m.PolicyLoss + 0.1
		}
		run.metrics = append(run.metrics, m)
	}
	l := run.losses()
	if n := len(l.Samples); n != 20 || !slices.IsSorted(l.Samples) || len(l.Entropy) != n || l.Entropy[0] != 0 || l.Samples[0] > 1e5/2 {
		t.Errorf("%+v", l)
	}
	for i := range l.Samples {
		if want := 2 - float64(l.Samples[i])/256/1e4; math.Abs(l.Policy[i]-want) > 1e-3 || math.Abs(l.ValidationPolicy[i]-want-0.1) > 2e-3 {
			t.Errorf("after %d samples %v and %v, want %v", l.Samples[i], l.Policy[i], l.ValidationPolicy[i], want)
		}
	}
	card := &zoo.Card{Game: "tic-tac-toe", Losses: []zoo.Losses{{Command: "longer", Samples: []int{1 << 40}}}}
	addLosses(card, l)
	addLosses(card, l)
	dir := t.TempDir()
	run.folder = dir
	run.writeCard(card)
	text, err := os.ReadFile(filepath.Join(dir, "tic-tac-toe.json"))
	if err != nil || len(card.Losses) != 2 || card.Losses[1].Command != "longer" || !strings.Contains(string(text), `"samples": [`+fmt.Sprint(l.Samples[0])+", ") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// A run's network becomes two files: the rounded weights, and a card with the run's history and measured results.
func TestShip(t *testing.T) {
	dir, game := t.TempDir(), games.Must("tic-tac-toe")
	_, err := train.Train(t.Context(), train.Options{
		Dir: filepath.Join(dir, "run"), Game: game, Generations: 2, Threads: 1, Settings: map[string]float64{
			"parallel_games": 8, "plies_per_generation": 9, "simulations": 4, "channels": 8, "blocks": 1, "batch_size": 16, "rating_share": 0,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := shipment{
		run: filepath.Join(dir, "run"), opponents: []string{"random", "greedy"}, games: 4, certify: "solve=100000",
		folder: dir, game: game,
	}
	if err := s.readRun(); err == nil || !strings.Contains(err.Error(), "-commit") {
		t.Errorf("without a commit: %v", err)
	}
	s.commit, s.cores = "0123abc", 1
	curve := []zoo.Trained{{Command: "ludus train tic-tac-toe"}}
	s.writeCard(&zoo.Card{Game: "tic-tac-toe", Curve: curve})
	if err := s.readRun(); err != nil {
		t.Fatal(err)
	}
	s.ship()
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
	if !strings.HasPrefix(training.Command, "ludus train tic-tac-toe --generations 2 --seed 1 --set ") ||
		!strings.HasSuffix(training.Command, " --set rating_share=0") || training.Generation != 2 || training.Generations != 2 || training.Seed != 1 || training.Games == 0 || len(training.Date) != 10 ||
		card.Network.Bytes != len(file) || card.Network.Parameters != weights.Parameters() || len(card.Errors) != 0 || len(matches) != 2 ||
		matches[1].Opponent != "greedy" || matches[1].Wins+matches[1].Draws+matches[1].Losses != 4 || card.Weaknesses == nil {
		t.Errorf("card %s", text)
	}
	if c := card.Certificate; c == nil || c.Agent != "zoo,solve=100000" || c.Positions < 100 {
		t.Errorf("with the solver the agent plays perfectly, but the card has the certificate %+v", c)
	}
	if r := card.Rating; r == nil || r.Low >= r.Value || r.Value >= r.High || r.Simulations != 64 || card.Dial == nil || card.Dial.Games == 0 {
		t.Errorf("rating %+v, dial %+v", r, card.Dial)
	}
	if len(card.Losses) != 0 {
		t.Errorf("losses of a training with other settings: %+v", card.Losses)
	}
	if !slices.Equal(card.Curve, curve) {
		t.Errorf("the new card has lost the curve: %+v", card.Curve)
	}
	if _, err := s.trained(); err == nil || !strings.Contains(err.Error(), "no plain training") {
		t.Errorf("a training with changed settings joins a curve: %v", err)
	}
	config, err := rundir.ReadConfig(s.run)
	if err != nil {
		t.Fatal(err)
	}
	config.Plan.Resumed = 1
	if err := config.Write(s.run); err != nil {
		t.Fatal(err)
	}
	if err := s.readRun(); err == nil || !strings.Contains(err.Error(), "train it with one command") {
		t.Errorf("an extended run: %v", err)
	}
	if f := card.Floors; f.Games != floorGames || f.Opponent != floorOpponent || f.Positions != 0 {
		t.Errorf("floors %+v", f)
	}
}

// The command on a card has the run's length as people write it.
func TestCommand(t *testing.T) {
	run := newTraining(t, "quad-5x5")
	for _, c := range []struct {
		plan rundir.Plan
		want string
	}{
		{rundir.Plan{Generations: 348, Seconds: 3600}, "ludus train quad-5x5 --time 1h --seed 7"},
		{rundir.Plan{Generations: 9, Seconds: 5430, CPU: true}, "ludus train quad-5x5 --cpu 1h30m30s --seed 7"},
		{rundir.Plan{Generations: 9, Seconds: 600}, "ludus train quad-5x5 --time 10m --seed 7"},
	} {
		if run.config.Plan = c.plan; run.command() != c.want {
			t.Errorf("%q; want %q", run.command(), c.want)
		}
	}
}
