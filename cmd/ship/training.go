package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/plan"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// training is the history of a run, read from its files.
type training struct {
	*options
	dir     string
	game    *env.Game
	config  *rundir.Config
	metrics []rundir.Metrics
}

// readTraining reads the run named by the options.
func (o *options) readTraining() (*training, error) {
	if o.run == "" {
		return nil, errors.New("-run is missing; see -help")
	}
	if !zoo.CommitPattern.MatchString(o.commit) {
		return nil, fmt.Errorf("-commit %q: name a commit by at least 7 hexadecimal digits", o.commit)
	}
	t := &training{options: o, dir: agent.ParseReference(o.run).Path}
	var err error
	if t.config, err = rundir.ReadConfig(t.dir); err != nil {
		return nil, fmt.Errorf("%w; name a run, or RUN@GENERATION", err)
	}
	if t.game, err = games.New(t.config.Game); err != nil {
		return nil, err
	}
	if p := &t.config.Plan; t.config.From != "" || p.Resumed > 0 || p.Changed > 0 {
		return nil, fmt.Errorf("%s: its length was changed or it did not start from random weights; train it with one command", t.dir)
	}
	t.metrics, _, err = rundir.MetricsFile.Read(t.dir)
	return t, err
}

// command returns the command that trains the run again.
func (t *training) command() string {
	p := &t.config.Plan
	length := fmt.Sprintf("--generations %d", p.Generations)
	if p.Seconds > 0 {
		kind := "time"
		if p.CPU {
			kind = "cpu"
		}
		length = fmt.Sprintf("--%s %s", kind, short(time.Duration(p.Seconds*float64(time.Second))))
	}
	command := fmt.Sprintf("ludus train %s %s --seed %d", t.game.Name, length, t.config.Seed)
	changed := plan.ChangedSettings(t.game, &t.config.Settings)
	if share := t.config.Settings.RatingShare; share != rundir.DefaultSettings(t.game).RatingShare {
		changed = append(changed, fmt.Sprintf("rating_share=%v", share))
	}
	for _, s := range changed {
		command += " --set " + s
	}
	return command
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

// seconds returns how long the run took until the end of a generation: wall-clock time, or for a plan of CPU time, CPU time
// per core, since such a run may have shared the machine.
func (t *training) seconds(g *rundir.Metrics) float64 {
	if t.config.Plan.CPU {
		return math.Round(g.CPUSeconds / float64(t.cores))
	}
	return math.Round(g.RunSeconds)
}

// describe describes for the card how the network of a generation was trained.
func (t *training) describe(generation int) (zoo.Training, error) {
	i := slices.IndexFunc(t.metrics, func(g rundir.Metrics) bool { return g.Generation == generation })
	if i < 0 {
		return zoo.Training{}, fmt.Errorf("%s: its metrics lack generation %d", t.dir, generation)
	}
	info, err := os.Stat(filepath.Join(t.dir, rundir.MetricsFile.Name))
	if err != nil {
		return zoo.Training{}, err
	}
	g := &t.metrics[i]
	return zoo.Training{
		Command: t.command(), Seed: t.config.Seed, Commit: t.commit, Date: info.ModTime().UTC().Format(time.DateOnly), Cores: t.cores,
		Seconds: t.seconds(g), CPUSeconds: math.Round(g.CPUSeconds), Generation: generation, Generations: t.config.Plan.Last(),
		Games: g.TotalGames,
	}, nil
}

// plain returns an error unless the run is finished and has the default settings (except rating_share).
func (t *training) plain() error {
	if changed := plan.ChangedSettings(t.game, &t.config.Settings); len(changed) > 0 {
		return fmt.Errorf("%s is no plain training: it has other settings (%s)", t.dir, strings.Join(changed, ", "))
	}
	if n := len(t.metrics); n == 0 || t.metrics[n-1].Generation < t.config.Plan.Last() || t.metrics[n-1].Steps == 0 {
		return fmt.Errorf("%s is not finished", t.dir)
	}
	return nil
}

// addToCurve adds the results of a training with default settings to the card of its game's agent: totals, errors of the
// last generation (its weights are not rounded to half precision), and losses. They replace those of the same command.
func addToCurve(ctx context.Context, o *options) error {
	t, err := o.readTraining()
	if err != nil {
		return err
	}
	if err := t.plain(); err != nil {
		return err
	}
	card, err := readCard(o.folder, t.game.Name)
	if err != nil {
		return fmt.Errorf("%w; a curve needs the card of a shipped agent", err)
	}
	positions, ok := suite.Shipped(t.game)
	if !ok {
		return fmt.Errorf("no suite of %s is shipped", t.game.Name)
	}
	trained := t.totals()
	for _, test := range []struct {
		kind agent.Kind
		to   *zoo.Estimate
	}{{agent.Policy, &trained.Alone}, {agent.Net, &trained.Search}} {
		spec := agent.NetSpec(t.dir)
		spec.Kind = test.kind
		r, err := positions.Test(ctx, agent.NewFactory(t.game, spec, rundir.LoadWeights), suite.TestOptions{Threads: o.threads, Seed: 1})
		if err != nil {
			return err
		}
		*test.to = rounded(r.Error.Value, r.Error.Low, r.Error.High)
		o.note(fmt.Sprintf("%v: %.2f %% of moves lose value", spec, 100*r.Error.Value))
	}
	card.Curve = slices.DeleteFunc(card.Curve, func(old zoo.Trained) bool { return old.Command == trained.Command })
	card.Curve = append(card.Curve, *trained)
	slices.SortStableFunc(card.Curve, func(a, b zoo.Trained) int { return cmp.Compare(a.Positions, b.Positions) })
	addLosses(card, t.losses())
	return writeCard(o.folder, card)
}

// totals returns the totals of a finished run, without its errors.
func (t *training) totals() *zoo.Trained {
	s, last := &t.config.Settings, &t.metrics[len(t.metrics)-1]
	trained := &zoo.Trained{
		Command: t.command(), Commit: t.commit, Cores: t.cores, Seconds: t.seconds(last), Channels: s.Channels, Blocks: s.Blocks,
		Games: last.TotalGames, Samples: last.Steps * s.BatchSize, SamplesPerPosition: s.SamplesPerPosition,
	}
	for _, m := range t.metrics {
		trained.Positions += m.Positions
	}
	return trained
}

// addLosses adds losses to a card. They replace those of the same command.
func addLosses(card *zoo.Card, l zoo.Losses) {
	card.Losses = slices.DeleteFunc(card.Losses, func(old zoo.Losses) bool { return old.Command == l.Command })
	card.Losses = append(card.Losses, l)
	last := func(l zoo.Losses) int { return l.Samples[len(l.Samples)-1] }
	slices.SortStableFunc(card.Losses, func(a, b zoo.Losses) int { return cmp.Compare(last(a), last(b)) })
}

// losses returns the run's loss curve: means over groups of generations. Losses fall fastest at first, so early groups are
// small: the n-th group ends at (n / lossGroups)² of all samples.
func (t *training) losses() zoo.Losses {
	const lossGroups = 20
	l := zoo.Losses{Command: t.command(), Commit: t.commit, SamplesPerPosition: t.config.Settings.SamplesPerPosition}
	total := float64(t.metrics[len(t.metrics)-1].Steps)
	groups := make([][]rundir.Metrics, lossGroups+1)
	for _, m := range t.metrics {
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
		l.Samples = append(l.Samples, int(steps*float64(t.config.Settings.BatchSize)))
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
