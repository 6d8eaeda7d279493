package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"ludus/env/games"
	"ludus/train/suite"
)

// suiteFlags are the flags of the suite command.
type suiteFlags struct {
	suite.Options
	agents []string
	out    string
	force  bool
	check  string
	json   bool
}

func suiteCommand() *cobra.Command {
	var f suiteFlags
	cmd := &cobra.Command{
		Use:   "suite [GAME] [AGENT]",
		Short: "Make positions with exact values, or count an agent's errors in them",
		Long: `ludus suite GAME --out FILE makes a suite: positions in which some move loses value, with the exact value of every move,
worked out by the solver as far from the end as it reaches. They come from games of the agents that --agent names, of
agents with random moves mixed in, and of random moves. The same seed and agents make the same suite, on however many
threads. Finished games are kept in FILE.part: after an interruption the same command goes on. A FILE that ends in .jsonl
gets a line of JSON a position, any other name the packed form.

ludus suite --check FILE AGENT lets an agent move in each position of a suite and says how often its move loses value, and
how much, with intervals of 95 % that allow for positions of one game being alike. Without AGENT it says what the suite is
made of. ludus suite --check shipped GAME AGENT takes the suite of GAME that is part of the program.

` + agentHelp,
		Example: `  ludus suite --check shipped quad-5x5 net:runs/quad-5x5
  ludus suite "quad(size=6,quads=10,whites=0)" --positions 500 --agent net:runs/quad-6x6 --agent mcts:1000 --out quad-6x6.suite
  ludus suite --check quad-6x6.suite policy:runs/quad-6x6 --json`,
		ValidArgsFunction: completeGames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkThreads(cmd, f.Threads); err != nil {
				return err
			}
			if f.check != "" {
				return f.runCheck(cmd, args)
			}
			return f.runMake(cmd, args)
		},
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if f.check != "" && f.check != shippedSuite { // the file tells the game
			return arguments(0, 1)(cmd, args)
		}
		return arguments(1, 2)(cmd, args)
	}
	flags := cmd.Flags()
	flags.IntVar(&f.Positions, "positions", 1000, "number of positions; with --check, so many of the suite (all unless said)")
	flags.Uint64Var(&f.Seed, "seed", 1, "where all randomness comes from")
	flags.StringArrayVar(&f.agents, "agent", nil, "an agent that plays; may be repeated (default greedy and mcts:200)")
	flags.IntVar(&f.Nodes, "nodes", 1_000_000, "the solver's limit a position")
	flags.IntVar(&f.PerGame, "per-game", 2, "positions taken of a game at most")
	flags.IntVar(&f.Threads, "threads", runtime.GOMAXPROCS(0), "cores to use")
	flags.StringVar(&f.out, "out", "", "the file to write")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	flags.StringVar(&f.check, "check", "", "a suite's file, or \"shipped\"")
	flags.BoolVar(&f.json, "json", false, "with --check, end with the result as one line of JSON")
	return cmd
}

const shippedSuite = "shipped"

// runMake makes a suite.
func (f *suiteFlags) runMake(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(cmd, fmt.Errorf("one argument too many, %q: agents are named by --agent", args[1]))
	}
	game, err := games.New(args[0])
	if err != nil {
		return err
	}
	f.Game = game
	if f.out == "" {
		return usage(cmd, errors.New("--out is missing: it names the file to write"))
	}
	if len(f.agents) == 0 {
		f.agents = []string{"greedy", "mcts:200"}
	}
	for _, text := range f.agents {
		spec, err := loadAgent(cmd, game, text)
		if err != nil {
			return err
		}
		f.Agents = append(f.Agents, spec)
	}
	if err := f.Validate(); err != nil {
		return usage(cmd, err)
	}
	if err := checkNew(f.out, f.force); err != nil {
		return err
	}
	f.Part = f.out + ".part"
	progress := newCounter(cmd.ErrOrStderr(), "positions")
	f.Progress = func(p suite.Progress) {
		progress.show(p.Positions, f.Positions, fmt.Sprintf("%d games, %d million nodes", p.Games, p.Nodes/1_000_000))
	}
	s, err := suite.Make(cmd.Context(), f.Options)
	progress.close()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(cmd.ErrOrStderr(), "stopped; finished games are kept in %s. Go on with:\n  %s\n", f.Part, commandLine(os.Args[1:]))
	}
	if err != nil {
		return err
	}
	data := s.Pack()
	if filepath.Ext(f.out) == ".jsonl" {
		data = s.Lines()
	}
	if err := writeNew(f.out, data, f.force); err != nil {
		return err
	}
	if err := os.Remove(f.Part); err != nil {
		return err
	}
	return output(cmd, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d positions of %s, %d bytes\n", f.out, len(s.Positions), game.Name, len(data))
		return err
	})
}

// runCheck checks an agent, or says what a suite is made of.
func (f *suiteFlags) runCheck(cmd *cobra.Command, args []string) error {
	for _, name := range []string{"agent", "nodes", "per-game", "out", "force"} {
		if cmd.Flags().Changed(name) {
			return usage(cmd, fmt.Errorf("--%s is for making a suite, not for --check", name))
		}
	}
	s, err := readSuite(f.check, &args)
	if err != nil {
		return err
	}
	o := suite.CheckOptions{Threads: f.Threads, Seed: f.Seed}
	if cmd.Flags().Changed("positions") {
		if o.Positions = f.Positions; o.Positions < 1 {
			return usage(cmd, fmt.Errorf("--positions %d: it must be 1 or more", o.Positions))
		}
	}
	report := s.Summary(o.Positions)
	if len(args) > 0 {
		spec, err := loadAgent(cmd, s.Game, args[0])
		if err != nil {
			return err
		}
		progress := newCounter(cmd.ErrOrStderr(), "positions")
		o.Progress = func(done, all int) { progress.show(done, all, "") }
		report, err = s.Check(cmd.Context(), spec, o)
		progress.close()
		if err != nil {
			return err
		}
	}
	return output(cmd, func(w io.Writer) error {
		if err := writeSuiteReport(w, s, &report); err != nil || !f.json {
			return err
		}
		return json.NewEncoder(w).Encode(report)
	})
}

// readSuite reads a file, or takes the game off the arguments for its shipped suite.
func readSuite(name string, args *[]string) (*suite.Suite, error) {
	if name != shippedSuite {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := suite.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return s, nil
	}
	game, err := games.New((*args)[0])
	if err != nil {
		return nil, err
	}
	*args = (*args)[1:]
	s, ok := suite.Shipped(game)
	if !ok {
		return nil, fmt.Errorf("no suite of %s is shipped; \"ludus suite\" makes one", game.Name)
	}
	return s, nil
}

// writeSuiteReport prints the tables that people read. Without an agent they tell of random moves alone.
func writeSuiteReport(w io.Writer, s *suite.Suite, r *suite.Report) error {
	fmt.Fprintf(w, "%s: %d positions from %d games", r.Game, r.Positions, r.Games)
	if o := s.Origin; o.Nodes > 0 {
		fmt.Fprintf(w, ", %d of a game at most, seed %d, up to %d nodes", o.PerGame, o.Seed, o.Nodes)
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	header := "\tpositions\trandom move loses value\tgoals lost\t"
	if r.Agent != "" {
		fmt.Fprintf(w, "%s\n", r.Agent)
		header = "\tpositions\tloses value\t95 %\tgoals lost\t95 %\trandom move\tgoals lost\t"
	}
	fmt.Fprintln(table, header)
	row := func(name string, row suite.Row) {
		fmt.Fprintf(table, "%s\t%d\t", name, row.Positions)
		if r.Agent != "" {
			e, g := row.Error, row.Loss
			fmt.Fprintf(table, "%.1f %%\t%.1f to %.1f\t%.2f\t%.2f to %.2f\t", 100*e.Value, 100*e.Low, 100*e.High, 50*g.Value, 50*g.Low, 50*g.High)
		}
		fmt.Fprintf(table, "%.1f %%\t%.2f\t\n", 100*row.Random, 50*row.RandomLoss)
	}
	row("all", r.Row)
	for _, part := range []struct {
		title string
		rows  []suite.Row
	}{
		{"plies to the end of the game", r.ToGo},
		{"moves that keep the value", r.Keeping},
		{fmt.Sprintf("UCT with %d playouts", suite.Playouts), r.UCT},
		{"played by", r.Source},
	} {
		fmt.Fprintln(table, part.title+strings.Repeat("\t", strings.Count(header, "\t")))
		for _, r := range part.rows {
			row("  "+r.Name, r)
		}
	}
	return table.Flush()
}

// counter shows how far a count is.
type counter struct {
	progress
	what string
}

func newCounter(w io.Writer, what string) *counter {
	return &counter{newProgress(w, progressbar.OptionShowCount()), what}
}

// show tells that done of all are done; more says more, and may be "".
func (c *counter) show(done, all int, more string) {
	line := fmt.Sprintf("%d of %d %s", done, all, c.what)
	if more != "" {
		line += "; " + more
	}
	c.tell(min(done, all), all, more, line)
}
