package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// The totals of a plain training come from its files, and a card with one more record is still readable.
func TestCurve(t *testing.T) {
	dir := t.TempDir()
	game, err := games.New("quad-5x5")
	if err != nil {
		t.Fatal(err)
	}
	o := options{run: filepath.Join(dir, "run"), training: zoo.Training{Cores: 3}}
	if err := os.Mkdir(o.run, 0o777); err != nil {
		t.Fatal(err)
	}
	config := rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game))
	config.Plan.Generations = 2
	for g := 1; g <= 2; g++ {
		if g == 2 {
			if _, err := trainedBy(game, config, &o); err == nil || !strings.Contains(err.Error(), "not finished") {
				t.Errorf("an unfinished run: %v", err)
			}
		}
		m := &rundir.Metrics{Generation: g, TotalGames: 10 * g, Positions: 100, Steps: 7 * g, RunSeconds: 5 * float64(g)}
		if err := rundir.MetricsFile.Append(o.run, m); err != nil {
			t.Fatal(err)
		}
	}
	got, err := trainedBy(game, config, &o)
	want := zoo.Trained{
		Command: "ludus train quad-5x5 --generations 2 --seed 1", Cores: 3, Seconds: 10, Channels: 32, Blocks: 3, Games: 20, Positions: 200, Samples: 14 * 256,
		SamplesPerPosition: 8,
	}
	if err != nil || *got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	config.Settings.Simulations = 32
	if _, err := trainedBy(game, config, &o); err == nil || !strings.Contains(err.Error(), "simulations=32") {
		t.Errorf("other settings: %v", err)
	}
}

// The losses of a plain training join its game's card without a rating: few means, all in order, in place of those of the same
// command. Cards keep lists of numbers in one line.
func TestLosses(t *testing.T) {
	dir := t.TempDir()
	game, err := games.New("tic-tac-toe")
	if err != nil {
		t.Fatal(err)
	}
	o := options{run: filepath.Join(dir, "run"), note: func(string) {}}
	if _, err := train.Train(t.Context(), train.Options{Dir: o.run, Game: game, Generations: 1, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if err := addLosses(t.Context(), &o, dir); err == nil || !strings.Contains(err.Error(), "-commit") {
		t.Errorf("without a commit: %v", err)
	}
	o.training.Commit = "0123abc"
	if err := addLosses(t.Context(), &o, dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a card: %v", err)
	}
	if err := writeCard(dir, &zoo.Card{Game: game.Name, Losses: []zoo.Losses{{Command: "longer", Samples: []int{1 << 40}}}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := addLosses(t.Context(), &o, dir); err != nil {
			t.Fatal(err)
		}
	}
	card, err := readCard(dir, game.Name)
	if err != nil || len(card.Losses) != 2 || card.Losses[1].Command != "longer" {
		t.Fatalf("%+v, %v", card, err)
	}
	if l := &card.Losses[0]; l.Command != "ludus train tic-tac-toe --generations 1 --seed 1" || l.Commit != "0123abc" || l.SamplesPerPosition != 8 || len(l.Samples) != 1 || l.Policy[0] <= 0 {
		t.Errorf("%+v", l)
	}
	text, err := os.ReadFile(filepath.Join(dir, "tic-tac-toe.json"))
	if err != nil || !strings.Contains(string(text), `"samples": [`+fmt.Sprint(card.Losses[0].Samples[0])+"]") {
		t.Errorf("%v:\n%s", err, text)
	}

	var metrics []rundir.Metrics
	for g := range 1000 {
		m := rundir.Metrics{Generation: g + 1, Steps: 10 * g, PolicyLoss: 2 - float64(g)/1000}
		if g%2 > 0 {
			m.ValidationPolicyLoss = m.PolicyLoss + 0.1
		}
		metrics = append(metrics, m)
	}
	l := lossesOf(metrics, 256)
	if n := len(l.Samples); n != 20 || !slices.IsSorted(l.Samples) || len(l.Entropy) != n || l.Entropy[0] != 0 || l.Samples[0] > 1e5/2 {
		t.Errorf("%+v", l)
	}
	for i := range l.Samples {
		if want := 2 - float64(l.Samples[i])/256/1e4; math.Abs(l.Policy[i]-want) > 1e-3 || math.Abs(l.ValidationPolicy[i]-want-0.1) > 2e-3 {
			t.Errorf("after %d samples %v and %v, want %v", l.Samples[i], l.Policy[i], l.ValidationPolicy[i], want)
		}
	}
}

// Kept matches belong to the weights and the dial that played them, and a curve needs those of the dial.
func TestKeptMatches(t *testing.T) {
	game, err := games.New("quad-5x5")
	if err != nil {
		t.Fatal(err)
	}
	o := options{}
	if err := checkDialMatches(game, &o); err == nil || !strings.Contains(err.Error(), "-matches is missing") {
		t.Errorf("without -matches: %v", err)
	}
	o.matches = t.TempDir()
	if err := checkDialMatches(game, &o); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "-dial quad-5x5 -matches DIR") {
		t.Errorf("with an empty folder: %v", err)
	}
	m := &measurement{options: &o, game: game, file: zoo.Weights(game.Name)}
	if err := os.Mkdir(m.folder("dial"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := rundir.MatchesFile.Append(m.folder("dial"), &rundir.MatchResult{Agent: "zoo"}); err != nil {
		t.Fatal(err)
	}
	if err := checkDialMatches(game, &o); err != nil {
		t.Error(err)
	}
	if a, b := m.folder("check", 1), m.folder("check", 2); a == b || a == m.folder("check") {
		t.Errorf("two dials have the folder %s", a)
	}
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	var specs []string
	for _, name := range []string{"quad-5x5", "quad-7x7"} { // one after the other at the same path
		if err := os.WriteFile(path, zoo.Weights(name), 0o666); err != nil {
			t.Fatal(err)
		}
		spec, _, err := trainedAgent(path)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, spec)
	}
	if specs[0] == specs[1] {
		t.Errorf("two networks have the name %s", specs[0])
	}
}

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
	if err := ship(t.Context(), &o, dir); err == nil || !strings.Contains(err.Error(), "-commit") {
		t.Errorf("without a commit: %v", err)
	}
	o.training = zoo.Training{Commit: "0123abc", Cores: 1}
	curve := []zoo.Trained{{Command: "ludus train tic-tac-toe"}}
	if err := writeCard(dir, &zoo.Card{Game: "tic-tac-toe", Curve: curve}); err != nil {
		t.Fatal(err)
	}
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
	if !strings.HasPrefix(training.Command, "ludus train tic-tac-toe --generations 2 --seed 1 --set ") ||
		!strings.HasSuffix(training.Command, " --set rating_share=0") || training.Generation != 2 || training.Generations != 2 || training.Seed != 1 || training.Games == 0 || len(training.Date) != 10 ||
		card.Network.Bytes != len(file) || card.Network.Parameters != weights.Parameters() || len(card.Errors) != 0 || len(matches) != 2 ||
		matches[1].Opponent != "greedy" || matches[1].Wins+matches[1].Draws+matches[1].Losses != 4 || card.Weaknesses[len(card.Weaknesses)-1] != "it is small" {
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
	if err := addToCurve(t.Context(), &o, dir); err == nil || !strings.Contains(err.Error(), "no plain training") {
		t.Errorf("a training with changed settings joins a curve: %v", err)
	}
	if f := card.Floors; f.Games != floorGames || f.Opponent != floorOpponent || f.Positions != 0 {
		t.Errorf("floors %+v", f)
	}
}

// The command on a card has the run's length as people write it.
func TestCommandOf(t *testing.T) {
	game, err := games.New("quad-5x5")
	if err != nil {
		t.Fatal(err)
	}
	config := rundir.NewConfig(game.Name, 7, rundir.DefaultSettings(game))
	for _, c := range []struct {
		plan rundir.Plan
		want string
	}{
		{rundir.Plan{Generations: 348, Seconds: 3600}, "ludus train quad-5x5 --time 1h --seed 7"},
		{rundir.Plan{Generations: 9, Seconds: 5430, CPU: true}, "ludus train quad-5x5 --cpu 1h30m30s --seed 7"},
		{rundir.Plan{Generations: 9, Seconds: 600}, "ludus train quad-5x5 --time 10m --seed 7"},
	} {
		config.Plan = c.plan
		if got, err := commandOf(game, config); err != nil || got != c.want {
			t.Errorf("%q, %v; want %q", got, err, c.want)
		}
	}
	config.Plan.Resumed = 3
	if _, err := commandOf(game, config); err == nil {
		t.Error("no single command trains an extended run")
	}
}
