package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ludus/env"
	"ludus/env/naming"
	"ludus/train/agent"
	"ludus/train/plan"
	"ludus/train/stats"
	"ludus/train/suite"
	"ludus/train/sweep"
)

// sweepFlags are the flags of the sweep command.
type sweepFlags struct {
	sweep.Options
	sets, arms []string
	suite      string // suite file; "" for the suite inside the program
	opponent   string // opponent's spec; "" for none
	json       bool
}

func sweepCommand() *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep GAME [flags]",
		Short: "Train with different settings side by side and compare the results",
		Long: `Trains arms (choices of settings), each with several seeds, and compares them with the first arm, the baseline.

--set KEY=A,B,C makes an arm of each value, several --set one of every combination; a single value changes all arms.
--arm "KEY=A KEY=B" adds the baseline with these settings changed. Arms with equal settings get different seeds, so
--set simulations=16,16 (an A/A run) shows how far arms differ by chance. ludus train --help lists the settings.

Runs train side by side, each in its own process on one core; on Linux they swap cores every few seconds. --cpu gives every
run the same CPU time, --generations the same number of generations. Either way the result says whether the arms' CPU times
agree to 2 %.

Each run is tested on the game's solved positions: how often the network's move loses value, alone and with 64 simulations.
Games without built-in ones, such as gomoku, need --suite or --opponent, which plays a match. Intervals are 95 % intervals by
Student's t over seeds; differences are taken seed by seed. One that is the same in all seeds has no interval.

No run trains on a certain sixteenth of all positions, unless --set keep_out=0. If 100 solved positions or more are among them,
arms are compared on these, too: a gain that is missing there is memorised.

DIR holds a run's folder for every arm and seed (for serve, report and compare) and sweep.json. The same command continues a
stopped sweep, also with more --seeds, more --arm or other tests.

` + agentPointer,
		Example: `  ludus sweep quad-5x5 --set simulations=16,32,64
  ludus sweep quad-5x5 --set channels=32 --arm value_mix=0.5 --arm "simulations=32 samples_per_position=2" --cpu 20m --seeds 4
  ludus sweep quad-5x5 --set simulations=16,16 --seeds 6 --generations 100 --dir sweeps/aa`,
		Args: arguments(1, 1),
		RunE: onGame(func(cmd *cobra.Command, game *env.Game, _ []string) error {
			f.Game = game
			if err := f.resolve(cmd); err != nil {
				return err
			}
			return f.run(cmd)
		}),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.sets, "set", nil, "a setting and its values, key=a,b,c; may be repeated")
	flags.StringArrayVar(&f.arms, "arm", nil, `an arm that changes settings of the baseline, "key=a key=b"; may be repeated`)
	flags.IntVar(&f.Seeds, "seeds", 2, "runs of each arm")
	flags.DurationVar(&f.CPU, "cpu", plan.DefaultTime, "CPU time of each run")
	flags.IntVar(&f.Generations, "generations", 0, "generations of each run, instead of --cpu")
	flags.StringVar(&f.Dir, "dir", "", "the sweep's folder (default sweeps/GAME)")
	flags.StringVar(&f.suite, "suite", "", "a file of solved positions to test on instead of the built-in ones")
	flags.IntVar(&f.Positions, "positions", 0, "how many of the solved positions to use (default all)")
	flags.StringVar(&f.opponent, "opponent", "", "an agent that plays a match against each run, too")
	flags.IntVar(&f.Games, "games", 100, "number of games of each match with --opponent")
	threadsFlag(cmd, &f.Threads, "runs at once, each on one core")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON in the last line")
	limit(cmd, "seeds", fmt.Sprintf("from 1 to %d", sweep.MaxSeeds), func() bool { return f.Seeds >= 1 && f.Seeds <= sweep.MaxSeeds })
	limit(cmd, "cpu", "1s or more, such as 8m", func() bool { return f.CPU >= time.Second && f.CPU <= plan.MaxTime })
	limit(cmd, "generations", fmt.Sprintf("from 1 to %d", plan.MaxGenerations), func() bool {
		return f.Generations >= 1 && f.Generations <= plan.MaxGenerations
	})
	limit(cmd, "positions", "1 or more", func() bool { return f.Positions >= 1 })
	limit(cmd, "games", "from 2 to 100000", func() bool { return f.Games >= 2 && f.Games <= 100_000 })
	return cmd
}

// resolve converts the flags into f.Options.
func (f *sweepFlags) resolve(cmd *cobra.Command) (err error) {
	length, err := oneOf(cmd, "cpu", "generations")
	if err != nil {
		return err
	}
	if length == "generations" {
		f.CPU = 0
	}
	if f.Arms, err = sweep.ParseArms(f.Game, f.sets, f.arms); err != nil {
		return usage(cmd, err)
	}
	if f.Dir == "" {
		f.Dir = filepath.Join("sweeps", naming.FileName(f.Game.Name))
	}
	if err := f.findSuite(); err != nil {
		return err
	}
	if f.opponent != "" {
		if f.Opponent, err = loadAgent(cmd, f.Game, f.opponent); err != nil {
			return err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	f.Command = func(ctx context.Context, t sweep.Training) *exec.Cmd {
		return exec.CommandContext(ctx, program, trainingArgs(t)...)
	}
	return nil
}

// findSuite sets the suite for testing runs. A game without a suite needs an opponent.
func (f *sweepFlags) findSuite() (err error) {
	if f.suite != "" {
		if f.Suite, err = readSuite(f.suite); err != nil {
			return err
		}
		if f.Suite.Game != f.Game {
			return fmt.Errorf("%s has positions of %s, not of %s", f.suite, f.Suite.Game.Name, f.Game.Name)
		}
		return nil
	}
	var ok bool
	if f.Suite, ok = suite.Shipped(f.Game); !ok && f.opponent == "" {
		return fmt.Errorf("no solved positions of %s are built in: generate some with \"ludus suite\" and name them with --suite, "+
			"or give an --opponent", f.Game.Name)
	}
	return nil
}

// trainingArgs returns the arguments with which a sweep calls this program to train a run.
func trainingArgs(t sweep.Training) []string {
	args := []string{
		"train", t.Game.Name, "--run", t.Dir, "--seed", strconv.FormatUint(t.Seed, 10), "--threads", "1",
	}
	if t.CPU > 0 {
		args = append(args, "--cpu", t.CPU.String())
	} else {
		args = append(args, "--generations", strconv.Itoa(t.Generations))
	}
	for _, setting := range t.Settings {
		args = append(args, "--set", setting)
	}
	return args
}

// run trains and tests all runs and prints the results.
func (f *sweepFlags) run(cmd *cobra.Command) error {
	p := newProgress(cmd)
	f.Finished = func(arm string, r sweep.Run) { p.log(f.describe(arm, &r)) }
	f.Progress = func(at sweep.Progress) {
		p.show(status{count: at.Done, share: at.Share, detail: fmt.Sprintf("%d of %d runs finished", at.Done, at.Runs)})
	}
	result, err := sweep.Execute(cmd.Context(), f.Options)
	p.close()
	if result != nil && result.Seeds > 0 {
		f.write(cmd.OutOrStdout(), result)
	}
	if f.json && result != nil {
		err = errors.Join(err, printJSON(cmd, result))
	}
	return continuable(err, "finished runs and generations are kept")
}

// describe returns the log line about a finished run.
func (f *sweepFlags) describe(arm string, r *sweep.Run) string {
	text := fmt.Sprintf("%s, seed %d: %d generations, %.0f s of CPU time", arm, r.Seed, r.Generations, r.CPUSeconds)
	for k, title := range f.measures() {
		if e := *r.Fields()[k]; e != nil {
			text += fmt.Sprintf("; %s %s", title, percent(*e))
		}
	}
	return text
}

// measures returns the names of the fields of [sweep.Results] for people, in the order of Fields.
func (f *sweepFlags) measures() []string {
	alone, search := "error of the network alone", fmt.Sprintf("error with %d simulations", agent.DefaultSimulations)
	return []string{alone, search, alone + ", kept-out positions", search + ", kept-out positions", "score against " + f.opponent}
}

// percent formats a share with its interval.
func percent(e stats.Estimate) string {
	return fmt.Sprintf("%.2f %% (%.2f to %.2f)", 100*e.Value, 100*e.Low, 100*e.High)
}

// signed formats a difference with its interval; "" if it is nil.
func signed(e *stats.Estimate, format string) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf(format+" ("+format+" to "+format+")", 100*e.Value, 100*e.Low, 100*e.High)
}

// write prints the results for people.
func (f *sweepFlags) write(w io.Writer, r *sweep.Report) {
	alone := len(r.Arms) == 1
	arms := fmt.Sprintf("%d arms", len(r.Arms))
	if alone {
		arms = "1 arm"
	}
	fmt.Fprintf(w, "%s: %s, seeds finished by all: %d of %d\n\n", r.Game, arms, r.Seeds, f.Seeds)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for k, title := range f.measures() {
		baseline := *r.Arms[0].Fields()[k]
		if baseline == nil {
			continue
		}
		columns := "difference (95 %)\tchange (95 %)\t"
		if alone {
			columns = ""
		}
		fmt.Fprintf(table, "%s\tmean (95 %%)\t%sCPU seconds\n", title, columns)
		for i := range r.Arms {
			a := *r.Arms[i].Fields()[k]
			change, difference := signed(a.Change, "%+.1f"), signed(a.Difference, "%+.2f")
			if change != "" {
				change += " %"
			}
			if difference == "" && i > 0 && r.Seeds > 1 {
				difference = fmt.Sprintf("%+.2f in all seeds", 100*(a.Mean.Value-baseline.Mean.Value))
			}
			compared := difference + "\t" + change + "\t"
			if alone {
				compared = ""
			}
			fmt.Fprintf(table, "  %s\t%s\t%s%.1f\n", r.Arms[i].Name, percent(a.Mean), compared, r.Arms[i].CPUSeconds)
		}
		table.Flush()
		fmt.Fprintln(w)
	}
	if !alone {
		fmt.Fprintln(w, cpuNote(r))
	}
	if r.Seeds == 1 {
		fmt.Fprintln(w, "One seed: intervals are those of the test only, and differences may be chance. Use --seeds.")
	}
}

// cpuNote says whether the arms used equal CPU time.
func cpuNote(r *sweep.Report) string {
	if r.EqualCPU {
		return fmt.Sprintf("The arms used equal CPU time, to %.1f %%.", 100*r.CPUDifference)
	}
	return fmt.Sprintf("The arms did not use equal CPU time: it differs by %.1f %%, more than %.0f %%. Arms that cost more should gain more.",
		100*r.CPUDifference, 100*sweep.MaxCPUDifference)
}
