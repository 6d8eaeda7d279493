package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/bench"
	"ludus/env"
	"ludus/env/games"
)

// How often and how long each thing is measured: some three minutes in all, or half a minute.
const (
	thoroughRounds, thoroughSlice = 7, 150 * time.Millisecond
	quickRounds, quickSlice       = 3, 50 * time.Millisecond
)

func benchCommand() *cobra.Command {
	var (
		o           bench.Options
		net         string
		simulations int
		quick       bool
		asJSON      bool
	)
	cmd := &cobra.Command{
		Use:   "bench [GAME]",
		Short: "Measure how fast this machine plays and learns",
		Long: `Measures the speed of random games, of the search with an evaluator that costs nothing, of the search by random
playouts, of networks by batch, of training and of self-play, for all games or for one, and what the machine could do
at best: the peak is that of multiply-adds in registers.

Only the 3x3 convolutions of a network (2 * 9 * Cin * Cout * H * W operations whatever the method) and the products of its
heads count as operations; a step of training counts three times a forward pass. Speeds are medians of short rounds, and
what is compared takes turns, since a machine's speed wanders. The network alone is what the network would judge at the
same batch and threads if nothing else were to do. The machine should be idle: PyTorch above all falls to a fraction of
its speed where it shares a core.

Ratios are our speed over that of ONNX Runtime (inference of 64x5 on 7x7 at batch 32, one thread) and of PyTorch
(training of the same at batch 128 on so many threads). ONNX Runtime is npm's onnxruntime-node, looked for as Node does (NODE_PATH); PyTorch is python3's torch; what is not installed
has no ratio.`,
		Example: `  ludus bench
  ludus bench --quick --json
  ludus bench breakthrough-6x6 --net 64x5 --simulations 32`,
		Args:              arguments(0, 1),
		ValidArgsFunction: completeGames,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Games, err = benchGames(args); err != nil {
				return err
			}
			if err := checkThreads(cmd, o.Threads); err != nil {
				return err
			}
			if cmd.Flags().Changed("net") {
				if o.Net, err = parseNet(net); err != nil {
					return usage(cmd, err)
				}
			}
			if cmd.Flags().Changed("simulations") {
				o.Simulations = &simulations
			}
			if err := o.Validate(); err != nil {
				return usage(cmd, err)
			}
			if o.Rounds, o.Slice = thoroughRounds, thoroughSlice; quick {
				o.Rounds, o.Slice = quickRounds, quickSlice
			}
			return runBench(cmd, o, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&asJSON, "json", false, "print one JSON object instead of the table")
	flags.BoolVar(&quick, "quick", false, "measure for half a minute instead of three")
	flags.StringVar(&net, "net", "", "network, CHANNELSxBLOCKS, of self-play and inference (default: each game's own)")
	flags.IntVar(&simulations, "simulations", 0, "of a move in self-play (default: as ludus train)")
	flags.IntVar(&o.Threads, "threads", runtime.GOMAXPROCS(0), "cores that training and self-play use")
	return cmd
}

// benchGames are the games to measure: the one that is named, or all.
func benchGames(names []string) (list []*env.Game, err error) {
	if len(names) == 0 {
		names = games.Names()
	}
	for _, name := range names {
		game, err := games.New(name)
		if err != nil {
			return nil, err
		}
		list = append(list, game)
	}
	return list, nil
}

// parseNet reads the size of a network, such as 64x5.
func parseNet(text string) (*bench.Net, error) {
	channels, blocks, _ := strings.Cut(text, "x")
	c, errC := strconv.Atoi(channels)
	b, errB := strconv.Atoi(blocks)
	if errC != nil || errB != nil {
		return nil, fmt.Errorf("--net %s: write channels x blocks, such as 64x5", text)
	}
	return &bench.Net{Channels: c, Blocks: b}, nil
}

// runBench measures, shows how far it is and prints what came out.
func runBench(cmd *cobra.Command, o bench.Options, asJSON bool) error {
	progress := newBenchProgress(cmd.ErrOrStderr())
	o.Peers, o.Progress = true, progress.show
	report, err := o.Run(cmd.Context())
	progress.close()
	if err != nil {
		return err
	}
	for _, warning := range report.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "ludus: warning:", oneLine(warning))
	}
	return output(cmd, func(w io.Writer) error {
		if asJSON {
			return json.NewEncoder(w).Encode(report)
		}
		return writeReport(w, report)
	})
}

// benchProgress shows what is being measured: a bar on a terminal, a line for each part elsewhere.
type benchProgress struct {
	w    io.Writer
	bar  *progressbar.ProgressBar // nil where w is no terminal
	part string                   // the newest
}

func newBenchProgress(w io.Writer) *benchProgress {
	p := &benchProgress{w: w}
	if isTerminal(w) {
		p.bar = progressbar.NewOptions(1, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(24),
			progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish())
	}
	return p
}

func (p *benchProgress) show(at bench.Progress) {
	switch {
	case p.bar != nil:
		p.bar.ChangeMax(at.Total)
		p.bar.Describe(at.Part + " " + at.Item)
		_ = p.bar.Set(at.Done) // fails only where the terminal went away
	case at.Part != p.part:
		fmt.Fprintf(p.w, "measuring %s\n", at.Part)
	}
	p.part = at.Part
}

func (p *benchProgress) close() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// writeReport prints the tables that people read.
func writeReport(w io.Writer, r *bench.Report) error {
	fmt.Fprintf(w, "peak of one core: %.1f GFLOP/s (%s), %d cores\n", r.Peak, r.Kernels, r.Cores)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\n\trandom moves/s\tsearch simulations/s\tallocations\tplayout simulations/s\t")
	for i, e := range r.Env {
		s := r.Search[i]
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%d\t%.0f\t\n", e.Game, e.Moves, s.Speed, s.Allocs, r.Playouts[i].Speed)
	}
	fmt.Fprintln(t, "\ninference, one core\tbatch\tpositions/s\tGFLOP/s\tof peak\t")
	for _, i := range r.Infer {
		fmt.Fprintf(t, "%s on %s\t%d\t%.0f\t%.1f\t%.2f\t\n", i.Net, i.Board, i.Batch, i.Speed, i.GFlops, i.Share)
	}
	fmt.Fprintln(t, "\ntraining\tbatch\tthreads\tsamples/s\tGFLOP/s\tof peak\tallocations\t")
	for _, s := range r.Train {
		fmt.Fprintf(t, "%s on %s\t%d\t%d\t%.0f\t%.1f\t%.2f\t%d\t\n",
			s.Net, s.Board, s.Batch, s.Threads, s.Speed, s.GFlops, s.Share, s.Allocs)
	}
	fmt.Fprintln(t, "\nself-play\tnet\tsimulations\tthreads\tcache\tpositions/s\tsimulations/s\tevaluations/s\thits/s"+
		"\tnetwork alone/s\tshare\tover one thread\tbatch\tidle\t")
	for _, s := range r.SelfPlay {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%.0f\t%.0f\t%.0f\t%.0f", s.Game, s.Net, s.Simulations, s.Threads,
			onOff(s.Cache), s.Positions, s.Simulated, s.Evaluations, s.CacheHits)
		fmt.Fprintf(t, "\t%.0f\t%.2f\t%s\t%.0f\t%.1f %%\t\n",
			s.NetworkAlone, s.Share, scaling(s.Scaling), s.Batch, 100*s.Idle)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nour speed over ONNX Runtime's %s, PyTorch's %s; %.0f s\n",
		times(r.Ratios.ONNXRuntime), times(r.Ratios.Torch), r.Seconds)
	return err
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// scaling writes how much faster more threads are, which is 0 where it was not measured.
func scaling(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

// times writes a ratio, which is nil where there is none.
func times(ratio *float64) string {
	if ratio == nil {
		return "not measured"
	}
	return fmt.Sprintf("%.2f times", *ratio)
}
