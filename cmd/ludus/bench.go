package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/bench"
)

// Number of rounds of a measurement, and the duration of each.
const (
	thoroughRounds, thoroughSlice = 7, 150 * time.Millisecond // takes about three minutes
	quickRounds, quickSlice       = 1, 50 * time.Millisecond
)

func benchCommand() *cobra.Command {
	var (
		o             bench.Options
		quick, asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "bench [GAME]",
		Short: "Measure how fast this machine plays and learns",
		Long: `Measures the speed of random games, of PUCT with an evaluator that takes no time, of UCT with random playouts,
of network inference by batch size, of training and of self-play, for one game or all. Networks and searches are those
of a training with the default settings; "ludus train --dry-run" measures other settings.

Speeds are medians over short rounds in which all that is compared runs in turn. Rows marked * got less than 80 % of the
CPU time that they could use: other programs slowed them down.`,
		Example: `  ludus bench
  ludus bench --quick --json
  ludus bench breakthrough-6x6`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			o.Games, err = namedGames(cmd, args)
			if err != nil {
				return err
			}
			o.Rounds, o.Slice = thoroughRounds, thoroughSlice
			if quick {
				o.Rounds, o.Slice = quickRounds, quickSlice
			}
			return runBench(cmd, o, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&asJSON, "json", false, "print one JSON object instead of the table")
	flags.BoolVar(&quick, "quick", false, "measure each speed once, less precisely")
	threadsFlag(cmd, &o.Threads, "cores that training and self-play use")
	return cmd
}

// runBench measures and prints the report.
func runBench(cmd *cobra.Command, o bench.Options, asJSON bool) error {
	p, part := newProgress(cmd), ""
	o.Progress = func(at bench.Progress) {
		if at.Part != part {
			part = at.Part
			p.log("measuring " + part)
		}
		p.show(status{share: float64(at.Done) / float64(at.Total), detail: at.Part + " " + at.Item})
	}
	report, err := o.Run(cmd.Context())
	p.close()
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(cmd, report)
	}
	writeReport(cmd.OutOrStdout(), report)
	return nil
}

// writeReport prints the measurements as tables for people. It marks rows that other programs slowed down with *.
func writeReport(w io.Writer, r *bench.Report) {
	least := 1.0 // lowest CPU share of all rows
	mark := func(share float64) string {
		least = min(least, share)
		if share < bench.BusyShare {
			return "*"
		}
		return ""
	}
	fmt.Fprintf(w, "%d cores, kernels for %s\n", r.Cores, r.Kernels)
	t := rightTable(w)
	fmt.Fprintln(t, "\nsearch, one core\trandom moves/s\tPUCT simulations/s\tUCT simulations/s\t")
	for _, s := range r.Search {
		fmt.Fprintf(t, "%s%s\t%.0f\t%.0f\t%.0f\t\n", mark(s.CPU), s.Game, s.Moves, s.PUCT, s.UCT)
	}
	networks := func(title string, rows []bench.Network) {
		fmt.Fprintf(t, "\n%s\tbatch\tthreads\tpositions/s\t\n", title)
		for _, n := range rows {
			fmt.Fprintf(t, "%s%s on %s\t%d\t%d\t%.0f\t\n", mark(n.CPU), n.Net, n.Board, n.Batch, n.Threads, n.Speed)
		}
	}
	networks("inference", r.Infer)
	networks("training", r.Train)
	fmt.Fprintln(t, "\nself-play\tnet\tsimulations\tthreads\tpositions/s\tsimulations/s\tevaluations/s\tbatch\t")
	for _, s := range r.SelfPlay {
		fmt.Fprintf(t, "%s%s\t%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t\n",
			mark(s.CPU), s.Game, s.Net, s.Simulations, s.Threads, s.Positions, s.Simulated, s.Evaluations, s.Batch)
	}
	t.Flush()
	fmt.Fprintf(w, "\nnet: channels x blocks; batch: positions evaluated at once, in self-play on average; measured in %.0f s\n", r.Seconds)
	if least < bench.BusyShare {
		fmt.Fprintf(w,
			"* other programs were running: got %.0f %% of the machine at worst; measure again when it is idle\n", 100*least)
	}
}
