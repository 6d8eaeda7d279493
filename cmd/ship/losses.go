package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/rundir"
)

// addLosses adds only the losses of a finished plain training to its game's card.
func addLosses(_ context.Context, o *options, folder string) error {
	game, config, card, err := readRun(o, folder)
	if err != nil {
		return err
	}
	if err := recordLosses(card, game, config, o); err != nil {
		return err
	}
	return writeCard(folder, card)
}

// recordLosses adds the losses of a run to a card, in place of those of the same command.
func recordLosses(card *zoo.Card, game *env.Game, config *rundir.Config, o *options) error {
	dir := rundir.ParseReference(o.run).Path
	command, metrics, err := plainTraining(game, config, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	l := lossesOf(metrics, config.Settings.BatchSize)
	l.Command, l.Commit, l.SamplesPerPosition = command, o.training.Commit, config.Settings.SamplesPerPosition
	if len(l.Samples) == 0 {
		return fmt.Errorf("%s: it has no training step", dir)
	}
	card.Losses = slices.DeleteFunc(card.Losses, func(old zoo.Losses) bool { return old.Command == command })
	card.Losses = append(card.Losses, l)
	last := func(l zoo.Losses) int { return l.Samples[len(l.Samples)-1] }
	slices.SortStableFunc(card.Losses, func(a, b zoo.Losses) int { return cmp.Compare(last(a), last(b)) })
	return nil
}

// shipLosses adds the losses of the run that is shipped to the new card, if that is a plain training.
func shipLosses(card *zoo.Card, o *options) error {
	game, err := games.New(card.Game)
	if err != nil {
		return err
	}
	config, err := rundir.ReadConfig(rundir.ParseReference(o.run).Path)
	if err != nil {
		return err
	}
	if err := recordLosses(card, game, config, o); err != nil {
		o.note(fmt.Sprintf("the card does not get the run's losses: %v", err))
	}
	return nil
}

// lossesOf returns the means of the losses over groups of generations. Losses fall fastest at first, so groups of few samples
// come first: the n-th ends at (n / lossGroups)² of all samples.
func lossesOf(metrics []rundir.Metrics, batchSize int) (l zoo.Losses) {
	const lossGroups = 20
	total := float64(metrics[len(metrics)-1].Steps)
	groups := make([][]rundir.Metrics, lossGroups+1)
	for _, m := range metrics {
		if m.Steps > 0 {
			n := int(math.Ceil(lossGroups * math.Sqrt(float64(m.Steps)/total)))
			groups[n] = append(groups[n], m)
		}
	}
	for _, group := range groups {
		if len(group) == 0 {
			continue
		}
		steps := meanOf(group, func(m *rundir.Metrics) float64 { return float64(m.Steps) })
		l.Samples = append(l.Samples, int(steps*float64(batchSize)))
		l.Policy = append(l.Policy, meanOf(group, func(m *rundir.Metrics) float64 { return m.PolicyLoss }))
		l.ValidationPolicy = append(l.ValidationPolicy, meanOf(group, func(m *rundir.Metrics) float64 { return m.ValidationPolicyLoss }))
		l.Outcome = append(l.Outcome, meanOf(group, func(m *rundir.Metrics) float64 { return m.OutcomeLoss }))
		l.ValidationOutcome = append(l.ValidationOutcome, meanOf(group, func(m *rundir.Metrics) float64 { return m.ValidationOutcomeLoss }))
		l.Entropy = append(l.Entropy, meanOf(group, func(m *rundir.Metrics) float64 { return m.PolicyEntropy }))
	}
	return l
}

// meanOf returns the mean of a quantity over the generations that measured it, rounded; 0 if none did.
func meanOf(group []rundir.Metrics, quantity func(m *rundir.Metrics) float64) float64 {
	sum, n := 0.0, 0.0
	for i := range group {
		if x := quantity(&group[i]); x > 0 {
			sum, n = sum+x, n+1
		}
	}
	return round(sum / max(n, 1))
}
