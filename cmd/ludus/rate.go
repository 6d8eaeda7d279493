package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/ratings"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// rateFlags are the flags of the rate command.
type rateFlags struct {
	ratings.Options
	checkpoints int
	simulations int
	dial        bool
	anchors     []string // ELO=SPEC or SPEC
	json        bool
}

func rateCommand() *cobra.Command {
	var f rateFlags
	cmd := &cobra.Command{
		Use:   "rate RUN",
		Short: "Rate a run's checkpoints and baselines on one Elo scale",
		Long: `Plays matches between checkpoints of a run, baselines and the shipped agent until the ratings of checkpoints and baselines
have narrow intervals. It picks the matches that give the most information per second. Ratings are in Elo with random at 0:
an agent rated 100 higher scores 64 %, 200 higher 76 %, 400 higher 91 %.

The shipped agent and three weakened ones (zoo,elo=N) keep their known ratings, so ratings of all runs of a game are on one
scale. Where these are not known, the 95 % interval is for the difference between an agent and the centre of the pool, the
mean of the middle half of the agents. Intervals cover the randomness of games only. Ratings cannot express that A beats B,
B beats C and C beats A.

With --dial it measures the strength dial of RUN@best instead: the ratings of its policy at falling temperatures and of
growing searches. Then net:RUN@best,elo=N plays like an agent rated N. The dial belongs to that checkpoint: when another one
is the best, name it with net:RUN@GENERATION,elo=N.

--anchor adds an outside program, or another agent without a network, which is rated like a baseline. --anchor 'ELO=SPEC' says
its rating, which stays fixed: the scale is then that of these anchors, and random and the shipped agents get ratings on it.

Each finished match is kept, so the same command continues a stopped one, and a smaller --to or more --checkpoints add
matches. The matches of training, against the shipped agent or mcts:200, count, too. RUN@best is the newest checkpoint,
unless it is rated and the whole interval of another lies above its rating.`,
		Example: `  ludus rate runs/quad-5x5
  ludus rate runs/quad-5x5 --checkpoints 40 --to 25
  ludus rate runs/quad-5x5 --time 1m --json
  ludus rate runs/quad-5x5 --dial
  ludus rate runs/othello --anchor 'gtp:"/usr/games/gtp-rhino -l 2"' --anchor 'gtp:"/usr/games/gtp-rhino -l 3"'
  ludus rate runs/othello --anchor '1500=gtp:"/usr/games/gtp-rhino -l 2"'`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.checkpoints, "checkpoints", 20, "number of checkpoints, spread over the run, with the first and the newest")
	flags.IntVar(&f.simulations, "sims", agent.DefaultSimulations, "simulations per move of a checkpoint")
	flags.Float64Var(&f.Within, "to", 40, "stop when every 95 % interval is at most this many Elo to each side")
	flags.BoolVar(&f.dial, "dial", false, fmt.Sprintf(
		"measure the best checkpoint's strength dial, for elo=N, to %d Elo unless --to says otherwise", ratings.DialWithin))
	flags.StringArrayVar(&f.anchors, "anchor", nil, "an agent without a network to rate, too, or ELO=AGENT of fixed rating; may be repeated")
	flags.IntVar(&f.MaxGames, "games", 0, "maximum number of games; 0 for no limit")
	flags.DurationVar(&f.MaxTime, "time", 0, "maximum time; 0 for no limit")
	threadsFlag(cmd, &f.Threads, "cores to use")
	flags.BoolVar(&f.json, "json", false, "print the ratings as JSON in the last line")
	limit(cmd, "checkpoints", "1 or more", func() bool { return f.checkpoints >= 1 })
	limit(cmd, "sims", fmt.Sprintf("from 1 to %d", agent.MaxSimulations), func() bool {
		return f.simulations >= 1 && f.simulations <= agent.MaxSimulations
	})
	limit(cmd, "to", "from 1 to 1000", func() bool { return f.Within >= 1 && f.Within <= 1000 })
	limit(cmd, "games", "0 or more", func() bool { return f.MaxGames >= 0 })
	limit(cmd, "time", "0 or more", func() bool { return f.MaxTime >= 0 })
	limit(cmd, "dial", fmt.Sprintf("without --sims: a dial is measured with %d simulations", agent.DefaultSimulations),
		func() bool {
			return !f.dial || f.simulations == agent.DefaultSimulations
		})
	return cmd
}

// run rates the agents of a run and prints the table. If it is stopped, it prints the ratings so far.
func (f *rateFlags) run(cmd *cobra.Command, dir string) error {
	if _, err := oneOf(cmd, "anchor", "dial"); err != nil {
		return err
	}
	game, err := gameOfRun(dir)
	if err != nil {
		return explainFolder(dir, err)
	}
	anchors, err := f.loadAnchors(cmd, game)
	if err != nil {
		return err
	}
	release, err := rundir.Lock(dir)
	if err != nil {
		return err
	}
	defer release()
	p := newProgress(cmd)
	f.Warn = func(err error) { p.warn("skipped: " + oneLine(err)) }
	pool, warnings, err := ratings.Open(dir, game, f.simulations, ratings.Baselines, match.NewBalanceChecker(game))
	if err != nil {
		return err
	}
	for _, w := range warnings {
		f.Warn(w)
	}
	for _, a := range anchors {
		pool.AddAnchor(a.factory, a.elo)
	}
	pool.LoadAll(f.Warn)
	f.Targets = append(pool.Baselines(), pool.Checkpoints(f.checkpoints)...)
	f.Players = append(pool.PlayedCheckpoints(), f.Targets...)
	pool.SetReference(f.Targets)
	options, best := f.Options, -1
	if f.dial {
		best = pool.Best()
	}
	if best >= 0 {
		options.Targets = pool.AddStrengths(best)
		options.Players = append(pool.Baselines(), options.Targets...)
		options.Dial = true
		if !cmd.Flags().Changed("to") {
			options.Within = ratings.DialWithin
		}
	}
	options.Progress = func(r ratings.Progress) { p.show(rateStatus(&r, options.Within)) }
	err = pool.Rate(cmd.Context(), options)
	pool.SetReference(f.Targets)
	p.close()
	if errors.Is(err, agent.ErrProgram) {
		return err
	}
	table, failed := pool.Write()
	if failed != nil {
		return failed
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	writeRatings(cmd.OutOrStdout(), table, pool.Names(f.Targets))
	if best >= 0 {
		writeDial(cmd.OutOrStdout(), table, pool.Generation(best), dir)
	}
	if len(table.Agents) > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "update the run's report: %s\n", commandLine([]string{"report", agent.Operand(dir)}))
	}
	err = continuable(err, "finished matches are kept")
	if f.json {
		err = errors.Join(err, printJSON(cmd, table))
	}
	return err
}

// anchor is an agent of --anchor.
type anchor struct {
	factory *agent.Factory
	elo     *float64 // its rating; nil if games tell
}

// maxAnchorElo bounds the ratings of anchors.
const maxAnchorElo = 10_000

// loadAnchors returns the agents of --anchor.
func (f *rateFlags) loadAnchors(cmd *cobra.Command, game *env.Game) (list []anchor, err error) {
	for _, text := range f.anchors {
		var a anchor
		number, spec, ok := strings.Cut(text, "=")
		elo, failed := strconv.ParseFloat(number, 64)
		switch {
		case !ok || failed != nil:
			spec = text
		case spec == "":
			return nil, usage(cmd, fmt.Errorf("--anchor %s: an agent must follow", text))
		case !(math.Abs(elo) <= maxAnchorElo):
			return nil, usage(cmd, fmt.Errorf("--anchor %s: a rating is from -%d to %[2]d", text, maxAnchorElo))
		default:
			a.elo = &elo
		}
		a.factory, err = loadAgent(cmd, game, spec)
		if err != nil {
			return nil, err
		}
		if a.factory.HasNetwork() {
			return nil, usage(cmd, fmt.Errorf("--anchor %s: it must be an outside program, or another agent without a network", text))
		}
		if slices.ContainsFunc(list, func(b anchor) bool { return b.factory.String() == a.factory.String() }) {
			return nil, usage(cmd, fmt.Errorf("--anchor names %v twice", a.factory))
		}
		list = append(list, a)
	}
	return list, nil
}

// rateStatus estimates a rating's progress from its widest interval. Widths shrink as 1/√games, so the share done is
// (target/widest)².
func rateStatus(r *ratings.Progress, target float64) status {
	s := status{count: r.Games, unit: "games", share: 1, left: r.Left}
	switch {
	case math.IsInf(r.Widest, 1):
		s.share, s.detail = 0, "not all rated yet"
	case r.Widest > 0:
		s.share, s.detail = min(1, math.Pow(target/r.Widest, 2)), fmt.Sprintf("widest interval ±%.0f", r.Widest)
	}
	return s
}

// gameOfRun returns the game of the run in a folder.
func gameOfRun(dir string) (*env.Game, error) {
	if info, err := os.Stat(filepath.Join(dir, rundir.CheckpointsDir)); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: %w: it has no checkpoints", dir, rundir.ErrNoRun)
	}
	weights, _, err := rundir.LoadWeights(agent.Reference{Path: dir})
	if err != nil {
		return nil, err
	}
	return gameOf(weights)
}

// writeRatings prints all ratings for people, best first. Then it prints the widest interval of the wanted agents.
func writeRatings(w io.Writer, t *rundir.Ratings, wanted []string) {
	if len(t.Agents) == 0 {
		fmt.Fprintf(w, "%s: no agent is rated yet: the anchor has not played\n", t.Game)
		return
	}
	fmt.Fprintf(w, "%s: %d agents rated by %d games, checkpoints with %d simulations per move\n", t.Game,
		len(t.Agents), t.Games, t.Simulations)
	table := rightTable(w)
	fmt.Fprintln(table, "agent\trating\t95 %\tgames\tscore\t")
	widest, gone := 0.0, false
	for _, a := range t.Agents {
		name := a.Agent
		if a.Gone {
			name, gone = name+"*", true
		} else if !a.Known && slices.Contains(wanted, a.Agent) {
			widest = max(widest, a.High-a.Rating, a.Rating-a.Low)
		}
		interval := cmp.Or(a.Interval(), stats.Decimal(a.Low, 0)+" to "+stats.Decimal(a.High, 0))
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s %%\t\n", name, stats.Decimal(a.Rating, 0), interval, a.Games, stats.Decimal(100*a.Score, 1))
	}
	table.Flush()
	if gone {
		fmt.Fprintln(w, "* plays no more: no longer in the run, damaged, or a program that --anchor does not name or that failed")
	}
	if t.Anchor == "" {
		fmt.Fprintln(w, "known: from --anchor; score: share of the points in its games")
	} else if t.Known() {
		fmt.Fprintln(w, "random is 0; known: from the card of the shipped agent; score: share of the points in its games")
	} else {
		fmt.Fprintln(w, "random is 0; the intervals are of the distance to the pool's centre; score: share of the points in its games")
	}
	fmt.Fprintf(w, "widest 95 %% interval: ±%.0f Elo\n", widest)
}

// writeDial prints the rating range of a checkpoint's strength dial.
func writeDial(w io.Writer, t *rundir.Ratings, generation int, dir string) {
	low, high, ok := t.DialOf(generation).Range()
	if !ok {
		fmt.Fprintf(w, "the strength dial of generation %d has no effect: its ends are less than 100 Elo apart\n", generation)
		return
	}
	spec := agent.Spec{Kind: agent.Net, Network: agent.CheckpointOf(dir, generation), Elo: (low + high) / 2}
	fmt.Fprintf(w, "strength dial: generation %d with elo=N, N from %d to %d, plays like an agent rated N; "+
		"for example\n  %s\n", generation, low, high,
		commandLine([]string{"play", t.Game, spec.String()}))
}
