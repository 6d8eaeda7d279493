package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/ratings"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// readRun returns the game, the settings and the game's card of the run to add to a card.
func readRun(o *options, folder string) (*env.Game, *rundir.Config, *zoo.Card, error) {
	if err := o.checkNames(); err != nil {
		return nil, nil, nil, err
	}
	config, err := rundir.ReadConfig(o.run)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%w; name a run", err)
	}
	game, err := games.New(config.Game)
	if err != nil {
		return nil, nil, nil, err
	}
	card, err := readCard(folder, game.Name)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%w; a curve needs the card of a shipped agent", err)
	}
	return game, config, card, nil
}

// addToCurve adds a finished plain training to the curve on its game's card, with its losses.
func addToCurve(ctx context.Context, o *options, folder string) error {
	game, config, card, err := readRun(o, folder)
	if err != nil {
		return err
	}
	t, err := trainedBy(game, config, o)
	if err != nil {
		return fmt.Errorf("%s: %w", o.run, err)
	}
	if err := checkDialMatches(game, o); err != nil {
		return err
	}
	positions, ok := suite.Shipped(game)
	if !ok {
		return fmt.Errorf("no suite of %s is shipped", game.Name)
	}
	for _, test := range []struct {
		kind agent.Kind
		to   *zoo.Estimate
	}{{agent.Policy, &t.Alone}, {agent.Net, &t.Search}} {
		spec := agent.NetSpec(o.run)
		spec.Kind = test.kind
		f, err := agent.ParseFactory(game, spec.String(), rundir.LoadWeights)
		if err != nil {
			return err
		}
		r, err := positions.Test(ctx, f, suite.TestOptions{Threads: o.threads, Seed: 1})
		if err != nil {
			return err
		}
		*test.to = rounded(r.Error.Value, r.Error.Low, r.Error.High)
		o.note(fmt.Sprintf("%v: %.2f %% of moves lose value", spec, 100*r.Error.Value))
	}
	if t.Rating, err = rateTrained(ctx, game, o); err != nil {
		return err
	}
	card.Curve = slices.DeleteFunc(card.Curve, func(old zoo.Trained) bool { return old.Command == t.Command })
	card.Curve = append(card.Curve, *t)
	slices.SortStableFunc(card.Curve, func(a, b zoo.Trained) int { return cmp.Compare(a.Positions, b.Positions) })
	if err := recordLosses(card, game, config, o); err != nil {
		return err
	}
	return writeCard(folder, card)
}

// checkDialMatches returns an error unless the matches of the shipped agent's dial are there. Without them the run's
// opponents would have no precise ratings.
func checkDialMatches(game *env.Game, o *options) error {
	remedy := fmt.Sprintf("measure the strength dial of %s first, with -dial %[1]s -matches DIR, and name the same DIR here", game.Name)
	if o.matches == "" {
		return fmt.Errorf("-matches is missing: %s", remedy)
	}
	m := &measurement{options: o, game: game, file: zoo.Weights(game.Name)}
	if _, err := os.Stat(filepath.Join(m.folder("dial"), rundir.MatchesFile.Name)); err != nil {
		return fmt.Errorf("%w: %s", err, remedy)
	}
	return nil
}

// rateTrained returns the rating of a run's last generation in the pool of the shipped agent's dial.
func rateTrained(ctx context.Context, game *env.Game, o *options) (*zoo.Estimate, error) {
	m := &measurement{options: o, game: game, file: zoo.Weights(game.Name)}
	spec, load, err := trainedAgent(o.run)
	if err != nil {
		return nil, err
	}
	d := ratings.DialOptions{
		Game: game, Load: agent.WithShipped(game, m.file, nil, load), Within: ratings.DialWithin,
		Balance: match.NewBalanceChecker(game), Threads: o.threads,
	}
	if err := m.beginPool(&d, "dial"); err != nil {
		return nil, err
	}
	r, err := ratings.RateNetwork(ctx, d, spec)
	if err != nil {
		return nil, err
	}
	o.note(fmt.Sprintf("%s: %.0f Elo (%.0f to %.0f)", o.run, r.Rating, r.Low, r.High))
	e := rounded(r.Rating, r.Low, r.High)
	return &e, nil
}

// trainedAgent returns the agent of a run's last generation and its loader. It is named by its weights, not by the run's path,
// so that another run in the same folder does not get its matches.
func trainedAgent(run string) (spec string, load agent.Loader, err error) {
	weights, origin, err := rundir.LoadWeights(agent.NetSpec(run).Network)
	load = func(agent.Reference) (*infer.Weights, agent.Origin, error) { return weights, origin, nil }
	return agent.NetSpec(fmt.Sprintf("run-%.16s", origin.Digest)).String(), load, err
}

// trainedBy returns what a run did, without its errors. It returns an error unless it is a finished plain training.
func trainedBy(game *env.Game, config *rundir.Config, o *options) (*zoo.Trained, error) {
	command, metrics, err := plainTraining(game, config, o.run)
	if err != nil {
		return nil, err
	}
	s, last := &config.Settings, &metrics[len(metrics)-1]
	t := &zoo.Trained{
		Command: command, Commit: o.training.Commit, Cores: o.training.Cores, Seconds: trainingSeconds(config, last, o.training.Cores),
		Channels: s.Channels, Blocks: s.Blocks, Games: last.TotalGames, Samples: last.Steps * s.BatchSize,
		SamplesPerPosition: s.SamplesPerPosition,
	}
	for _, m := range metrics {
		t.Positions += m.Positions
	}
	return t, nil
}

// plainTraining returns the command and the metrics of the run in dir. It returns an error unless that is a finished plain
// training.
func plainTraining(game *env.Game, config *rundir.Config, dir string) (command string, metrics []rundir.Metrics, err error) {
	if command, err = commandOf(game, config); err != nil {
		return "", nil, err
	}
	if changed := train.ChangedSettings(game, &config.Settings); len(changed) > 0 {
		return "", nil, fmt.Errorf("it is no plain training: it has other settings (%s)", strings.Join(changed, ", "))
	}
	if metrics, _, err = rundir.MetricsFile.Read(dir); err != nil {
		return "", nil, err
	}
	if n := len(metrics); n == 0 || metrics[n-1].Generation < config.Plan.Last() {
		return "", nil, errors.New("it is not finished")
	}
	return command, metrics, nil
}

// commandOf returns the command that trains a run again.
func commandOf(game *env.Game, config *rundir.Config) (string, error) {
	p := &config.Plan
	if config.From != "" || p.Resumed > 0 || p.Changed > 0 {
		return "", errors.New("its length was changed or it did not start from random weights; train it with one command")
	}
	length := fmt.Sprintf("--generations %d", p.Generations)
	if p.Seconds > 0 {
		kind := "time"
		if p.CPU {
			kind = "cpu"
		}
		length = fmt.Sprintf("--%s %s", kind, short(time.Duration(p.Seconds*float64(time.Second))))
	}
	command := fmt.Sprintf("ludus train %s %s --seed %d", game.Name, length, config.Seed)
	changed := train.ChangedSettings(game, &config.Settings)
	if share := config.Settings.RatingShare; share != rundir.DefaultSettings(game).RatingShare {
		changed = append(changed, fmt.Sprintf("rating_share=%v", share))
	}
	for _, s := range changed {
		command += " --set " + s
	}
	return command, nil
}

// short formats a duration without parts that are 0: 1h, 10m, 1h30m.
func short(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
