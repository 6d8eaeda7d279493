package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// addToCurve adds a finished plain training to the curve on its game's card.
func addToCurve(ctx context.Context, o *options, folder string) error {
	if o.run == "" || o.training.Command == "" {
		return errors.New("-run and -command are needed; see -help")
	}
	config, err := rundir.ReadConfig(o.run)
	if err != nil {
		return fmt.Errorf("%w; name a run", err)
	}
	game, err := games.New(config.Game)
	if err != nil {
		return err
	}
	card, err := readCard(folder, game.Name)
	if err != nil {
		return fmt.Errorf("%w; a curve needs the card of a shipped agent", err)
	}
	t, err := trainedBy(game, config, o)
	if err != nil {
		return fmt.Errorf("%s: %w", o.run, err)
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
	card.Curve = append(card.Curve, *t)
	return writeCard(folder, card)
}

// trainedBy returns what a run did, without its errors. It returns an error unless it is a finished plain training.
func trainedBy(game *env.Game, config *rundir.Config, o *options) (*zoo.Trained, error) {
	s := &config.Settings
	if changed := train.ChangedSettings(game, s); len(changed) > 0 || config.From != "" || config.Plan.Resumed > 0 {
		return nil, fmt.Errorf("it is no plain training: it was extended, has other first weights or other settings (%s)",
			strings.Join(changed, ", "))
	}
	metrics, _, err := rundir.MetricsFile.Read(o.run)
	if err != nil {
		return nil, err
	}
	if n := len(metrics); n == 0 || metrics[n-1].Generation < config.Plan.Last() {
		return nil, errors.New("it is not finished")
	}
	last := &metrics[len(metrics)-1]
	t := &zoo.Trained{
		Command: o.training.Command, Cores: o.training.Cores, Seconds: math.Round(last.RunSeconds),
		Channels: s.Channels, Blocks: s.Blocks, Games: last.TotalGames, Samples: last.Steps * s.BatchSize,
	}
	for _, m := range metrics {
		t.Positions += m.Positions
	}
	return t, nil
}
