package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/ratings"
	"ludus/train/rundir"
)

// rateFlags are the flags of the rate command.
type rateFlags struct {
	ratings.Options
	checkpoints int
	simulations int
	json        bool
}

func rateCommand() *cobra.Command {
	var f rateFlags
	cmd := &cobra.Command{
		Use:   "rate RUN",
		Short: "Rate a run's checkpoints and baselines on one scale, with intervals",
		Long: `Lets checkpoints of a run and baselines play each other until each one's place among them is known well enough, and
rates them in Elo: 0 is random, and an agent that is 100 above another scores 64 %, 200 above 76 %, 400 above 91 %. The
matches are those that tell most a second.

The interval is one of 95 % for a rating's place in the pool, that is, its difference to the pool's middle: the mean of the
middle half of the agents. The difference to the median agent alone is known less well, by about a fifth, as the last lines
say; so is that to random, which has an interval of its own. Intervals tell what chance in the games leaves open. No rating
says that A beats B, B beats C and C beats A; where there is such a thing, the last lines say how much more it leaves open.

Each finished match is a line of RUN/arena.jsonl, so that nothing is lost when it is interrupted: the same command goes
on, and a smaller --to or more --checkpoints add to what is there. RUN/ratings.json has the ratings; RUN@best is the
checkpoint whose interval has the highest lower end.`,
		Example: `  ludus rate runs/quad-5x5
  ludus rate runs/quad-5x5 --checkpoints 40 --to 25
  ludus rate runs/quad-5x5 --time 1m --json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(); err != nil {
				return usage(cmd, err)
			}
			if err := checkThreads(cmd, f.Threads); err != nil {
				return err
			}
			return f.run(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.checkpoints, "checkpoints", 20, "how many to rate, spread over the run, the first and the newest included")
	flags.IntVar(&f.simulations, "sims", ratings.DefaultSimulations, "simulations of a checkpoint's move")
	flags.Float64Var(&f.To, "to", 40, "Elo: go on until every place is known to within this, 95 times out of 100")
	flags.IntVar(&f.Games, "games", 0, "games to play at most; 0: as many as it takes")
	flags.DurationVar(&f.Time, "time", 0, "how long to play at most; 0: as long as it takes")
	flags.IntVar(&f.Threads, "threads", runtime.GOMAXPROCS(0), "cores to use")
	flags.BoolVar(&f.json, "json", false, "end with the ratings as one line of JSON")
	return cmd
}

func (f *rateFlags) validate() error {
	var errs []error
	if f.checkpoints < 1 {
		errs = append(errs, fmt.Errorf("--checkpoints %d: it must be 1 or more", f.checkpoints))
	}
	if f.simulations < 1 || f.simulations > agent.MaxSimulations {
		errs = append(errs, fmt.Errorf("--sims %d: it must be from 1 to %d", f.simulations, agent.MaxSimulations))
	}
	if !(f.To >= 1 && f.To <= 1000) {
		errs = append(errs, fmt.Errorf("--to %v: it must be from 1 to 1000", f.To))
	}
	if f.Games < 0 {
		errs = append(errs, fmt.Errorf("--games %d: it must be 0 or more", f.Games))
	}
	if f.Time < 0 {
		errs = append(errs, fmt.Errorf("--time %v: it must be 0 or more", f.Time))
	}
	return errors.Join(errs...)
}

// run rates, shows how it goes and prints the table. An interrupted one prints what was played.
func (f *rateFlags) run(cmd *cobra.Command, dir string) error {
	game, err := gameOfRun(dir)
	if err != nil {
		return err
	}
	release, err := checkpoints.Lock(filepath.Join(dir, "lock"))
	if err != nil {
		return fmt.Errorf("run %s: %w", dir, err)
	}
	defer release()
	progress := newRateProgress(cmd.ErrOrStderr(), f.To)
	warn := func(err error) { progress.line("ludus: warning: " + oneLine(err) + " - it was passed over") }
	pool, warnings, err := ratings.Open(dir, game, f.simulations, ratings.Baselines, match.NewBalanceChecker(game))
	if err != nil {
		return err
	}
	for _, w := range warnings {
		warn(w)
	}
	pool.Check(warn)
	f.Wanted = append(pool.Baselines(), pool.Checkpoints(f.checkpoints)...)
	f.Players = append(pool.Played(), f.Wanted...)
	pool.Measure(f.Wanted)
	f.Progress, f.Warn = progress.show, warn
	err = pool.Rate(cmd.Context(), f.Options)
	progress.close()
	table, failed := pool.Write()
	if failed != nil {
		return failed
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "stopped; finished matches are kept. Go on with:\n  %s\n", commandLine(os.Args[1:]))
	}
	return errors.Join(err, output(cmd, func(w io.Writer) error {
		if err := writeRatings(w, table, pool.Names(f.Wanted)); err != nil || !f.json {
			return err
		}
		return json.NewEncoder(w).Encode(table)
	}))
}

// gameOfRun finds out which game a run is of.
func gameOfRun(dir string) (*env.Game, error) {
	if info, err := os.Stat(filepath.Join(dir, "checkpoints")); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: %w: it has no checkpoints", dir, rundir.ErrNoRun)
	}
	weights, _, err := rundir.LoadWeights(agent.Reference{Path: dir})
	if err != nil {
		return nil, err
	}
	return games.New(weights.Config.Game)
}

// writeRatings prints the table that people read, best first, and how well the places of the wanted agents are known: others
// that have played may be in it.
func writeRatings(w io.Writer, t *rundir.Ratings, wanted []string) error {
	fmt.Fprintf(w, "%s: %d agents rated by %d games, checkpoints with %d simulations a move\n", t.Game, len(t.Agents), t.Games, t.Simulations)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "agent\trating\tplace\tabove random\tgames\tscore\t")
	place, median, leeway, gone := 0.0, 0.0, 0.0, false
	for _, a := range t.Agents {
		name := a.Agent
		if a.Gone {
			name, gone = name+"*", true
		} else if slices.Contains(wanted, name) {
			place = max(place, a.High-a.Rating, a.Rating-a.Low)
			median = max(median, a.MedianHigh-a.Rating, a.Rating-a.MedianLow)
			leeway = max(leeway, a.Leeway)
		}
		fmt.Fprintf(table, "%s\t%.0f\t%+.0f %+.0f\t%.0f to %.0f\t%d\t%.1f %%\t\n",
			name, a.Rating, a.High-a.Rating, a.Low-a.Rating, a.AnchorLow, a.AnchorHigh, a.Games, 100*a.Score)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if gone {
		fmt.Fprintln(w, "* the run no longer keeps it, or not whole")
	}
	_, err := fmt.Fprintf(w, "places in the pool are known to within %.0f Elo (95 %%), differences to its median agent to within %.0f\n",
		place, median)
	if err == nil && t.Misfit > 0 {
		_, err = fmt.Fprintf(w, "beyond chance, pairings depart from the ratings by %.0f: against other opponents, places could be others by up to %.0f\n",
			t.Misfit, leeway)
	}
	return err
}

// rateProgress shows how ratings get on.
type rateProgress struct {
	progress
	to float64
}

func newRateProgress(w io.Writer, to float64) *rateProgress {
	return &rateProgress{newProgress(w, progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false)), to}
}

func (p *rateProgress) show(r ratings.Progress) {
	text := fmt.Sprintf("%d games, %.0f a second", r.Games, float64(r.Games)/max(r.Elapsed.Seconds(), 1e-3))
	share := 1.0
	switch {
	case math.IsInf(r.Widest, 1):
		text += ", not all rated yet"
		share = 0
	case r.Widest > 0:
		text += fmt.Sprintf(", widest interval +-%.0f", r.Widest)
		share = min(1, math.Pow(p.to/r.Widest, 2))
	}
	if r.Left > 0 {
		text += fmt.Sprintf(", %v left", r.Left.Round(time.Second))
	}
	p.tell(min(int(barSteps*share), barSteps-1), barSteps, text, text)
}
