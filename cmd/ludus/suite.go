package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/terminal"
	"ludus/env"
	"ludus/train/stats"
	"ludus/train/suite"
)

// suiteFlags are the flags of the suite command.
type suiteFlags struct {
	suite.Options
	specs []string // specs of the agents that play the games
	out   string
	force bool
	check string // suite to test an agent on: a file, shippedSuite or hardSuite
	json  bool
}

func suiteCommand() *cobra.Command {
	var f suiteFlags
	cmd := &cobra.Command{
		Use:   "suite [GAME] [AGENT]",
		Short: "Generate solved positions, or measure an agent's errors on them",
		Long: `ludus suite GAME --out FILE generates a suite: positions in which some move loses value, with the exact value
of every move. The solver finds them as far from the game's end as it can. The positions come from games of the agents
that --agent names, of these agents with random moves mixed in, and of random moves. The same seed and agents give the
same suite for any number of threads. FILE.part keeps finished games, so the same command continues a stopped one. A
FILE that ends in .jsonl has one line of JSON per position; any other file is written in a compact binary format.

ludus suite --check FILE AGENT lets an agent choose a move in each position. It prints how often the move loses value, and
how many goals (points of the final score) it loses, with 95 % intervals that account for similar positions of one game.
Without AGENT it describes the suite. --check shipped GAME AGENT uses the suite of GAME that is built into this program,
--check hard GAME AGENT the hard one: it is solved deeper, and UCT with 1,000 playouts loses value in half of its
positions or more. A position in which a program dies, resigns or plays no legal move in time counts as the worst move; one
that the program cannot be told, or for which it does not start, does not count.

` + agentPointer,
		Example: `  ludus suite --check shipped quad-5x5 zoo
  ludus suite --check hard breakthrough-6x6 net:runs/breakthrough-6x6
  ludus suite "quad(size=6,quads=10,whites=0)" --positions 500 --agent net:runs/quad-6x6 --agent mcts:1000 --out quad-6x6.suite
  ludus suite --check quad-6x6.suite policy:runs/quad-6x6 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.check != "" {
				return f.runCheck(cmd, args)
			}
			return f.runMake(cmd, args)
		},
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if f.check != "" && f.check != shippedSuite && f.check != hardSuite { // the suite's file names the game
			return arguments(0, 1)(cmd, args)
		}
		return arguments(1, 2)(cmd, args)
	}
	flags := cmd.Flags()
	flags.IntVar(&f.Positions, "positions", 1000,
		"positions to generate; with --check, how many of the suite to use (all, if you do not say)")
	limit(cmd, "positions", fmt.Sprintf("from 1 to %d", suite.MaxPositions), func() bool {
		return f.Positions >= 1 && f.Positions <= suite.MaxPositions
	})
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of all randomness")
	flags.StringArrayVar(&f.specs, "agent", []string{"greedy", "mcts:200"},
		"an agent whose games the positions come from; may be repeated")
	flags.IntVar(&f.Nodes, "nodes", 1_000_000, "maximum solver nodes per position")
	flags.IntVar(&f.PerGame, "per-game", 2, "maximum positions per game")
	memoryFlag(cmd, &f.Memory, 1, suite.DefaultMemory, "maximum megabytes for each core's table of positions")
	threadsFlag(cmd, &f.Threads, "cores to use")
	flags.StringVar(&f.out, "out", "", "the file to write")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	flags.StringVar(&f.check, "check", "",
		"test an agent on this suite: a file, or \"shipped\" or \"hard\" for a built-in suite")
	flags.BoolVar(&f.json, "json", false, "with --check, print the result as JSON in the last line")
	return cmd
}

// Values of --check that stand for suites inside this program.
const (
	shippedSuite = "shipped"
	hardSuite    = "hard"
)

// runMake generates a suite.
func (f *suiteFlags) runMake(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(cmd, fmt.Errorf("one argument too many, %q: name agents with --agent", args[1]))
	}
	game, err := newGame(cmd, args[0])
	if err != nil {
		return err
	}
	f.Game = game
	if f.out == "" {
		return usage(cmd, errors.New("--out is missing; it names the file to write"))
	}
	for _, text := range f.specs {
		agent, err := loadAgent(cmd, game, text)
		if err != nil {
			return err
		}
		f.Agents = append(f.Agents, agent)
	}
	err = f.Validate()
	if err != nil {
		return usage(cmd, err)
	}
	err = checkNew(f.out, f.force)
	if err != nil {
		return err
	}
	f.PartFile = f.out + ".part"
	p := newProgress(cmd)
	f.Progress = func(at suite.Progress) {
		p.show(status{
			count: at.Positions, unit: "positions", share: float64(at.Positions) / float64(f.Positions),
			detail: fmt.Sprintf("%d games, %s nodes", at.Games, amount(float64(at.Nodes))),
		})
	}
	s, err := suite.Make(cmd.Context(), f.Options)
	p.close()
	if err != nil {
		return continuable(err, "finished games in "+f.PartFile+" are kept")
	}
	data := s.Pack()
	if strings.EqualFold(filepath.Ext(f.out), ".jsonl") {
		data = s.Lines()
	}
	err = writeNew(f.out, data, f.force)
	if err != nil {
		return err
	}
	err = os.Remove(f.PartFile)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d positions of %s, %d bytes\n", f.out, len(s.Positions), game.Name, len(data))
	return nil
}

// runCheck tests an agent on a suite. Without an agent it describes the suite.
func (f *suiteFlags) runCheck(cmd *cobra.Command, args []string) error {
	for _, name := range []string{"agent", "nodes", "per-game", "memory", "out", "force"} {
		if cmd.Flags().Changed(name) {
			return usage(cmd, fmt.Errorf("--%s is for generating a suite, not for --check", name))
		}
	}
	s, args, err := f.suite(cmd, args)
	if err != nil {
		return err
	}
	o := suite.TestOptions{Threads: f.Threads, Seed: f.Seed}
	if cmd.Flags().Changed("positions") {
		o.Positions = f.Positions
	}
	report := s.Describe(o.Positions)
	if len(args) > 0 {
		agent, err := loadAgent(cmd, s.Game, args[0])
		if err != nil {
			return err
		}
		p := newProgress(cmd)
		o.Progress = func(done, all int) {
			p.show(status{count: done, unit: "positions", share: float64(done) / float64(all)})
		}
		report, err = s.Test(cmd.Context(), agent, o)
		p.close()
		if err != nil {
			return err
		}
	}
	writeSuiteReport(cmd.OutOrStdout(), s, &report)
	if f.json {
		return printJSON(cmd, report)
	}
	return nil
}

// suite returns the suite of --check, and the arguments without the game that names a built-in one.
func (f *suiteFlags) suite(cmd *cobra.Command, args []string) (*suite.Suite, []string, error) {
	find := map[string]func(*env.Game) (*suite.Suite, bool){shippedSuite: suite.Shipped, hardSuite: suite.ShippedHard}[f.check]
	if find == nil {
		data, err := os.ReadFile(f.check)
		if err != nil {
			return nil, nil, err
		}
		s, err := suite.Parse(data)
		if err != nil {
			err = fmt.Errorf("%s: %w", f.check, err)
		}
		return s, args, err
	}
	game, err := newGame(cmd, args[0])
	if err != nil {
		return nil, nil, err
	}
	s, ok := find(game)
	if !ok {
		err = fmt.Errorf("no such suite of %s is shipped; \"ludus suite\" generates one", game.Name)
	}
	return s, args[1:], err
}

// writeSuiteReport prints the results of an agent and of random moves for people; without an agent only the latter.
func writeSuiteReport(w io.Writer, s *suite.Suite, r *suite.Result) {
	fmt.Fprintf(w, "%s: %d positions from %d games", r.Game, r.Positions, r.Games)
	if o := s.Origin; o.Nodes > 0 {
		fmt.Fprintf(w, ", at most %d per game, seed %d, each solved with up to %d nodes", o.PerGame, o.Seed, o.Nodes)
		if o.HardShare > 0 {
			fmt.Fprintf(w, ", at least %.0f %% hard", 100*o.HardShare)
		}
	}
	fmt.Fprintln(w)
	e, g := r.Error, r.Loss
	switch {
	case r.Agent == "":
	case !r.Reliable():
		fmt.Fprintf(w, "%s: no result on fewer than %d positions\n", r.Agent, suite.MinPositions)
	default:
		fmt.Fprintf(w, "%s: loses value in %s %% (95 %%: %s to %s), %.2f goals (%.2f to %.2f) per move\n", r.Agent,
			stats.Decimal(100*e.Value, 1), stats.Decimal(100*e.Low, 1), stats.Decimal(100*e.High, 1), 50*g.Value, 50*g.Low, 50*g.High)
	}
	for _, f := range r.Failures {
		rule := "counted as the worst move"
		if f.Void {
			rule = "not counted"
		}
		text := fmt.Sprintf("the program %s in %s, %s", f.What.Phrase(), terminal.Counted(f.Positions, "position"), rule)
		if f.Detail != "" {
			text += "; the first: " + f.Detail
		}
		fmt.Fprintln(w, text)
	}
	fmt.Fprintf(w, "random moves: lose value in %.1f %%, %.2f goals per move\n", 100*r.RandomError, 50*r.RandomLoss)
	fmt.Fprintln(w, "A move loses value if a better one leads to a higher final score under perfect play; goals are the points of that "+
		"score, 0 to 100.")
}
