package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/report"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
)

// comparison is several runs of one game side by side.
type comparison struct {
	game    *env.Game
	runs    []*report.Run
	agents  []*agent.Factory // the runs' newest networks
	matches []encounter      // so far
}

// encounter is a match between two runs' agents, for the first.
type encounter struct {
	A string `json:"a"` // a run's name
	B string `json:"b"`
	match.Result
}

func compareCommand() *cobra.Command {
	var (
		config match.Config
		path   string
		force  bool
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "compare RUN RUN...",
		Short: "Lay runs of one game side by side",
		Long: `Draws the curves of two or more runs of one game into one page, against generations, games or seconds of training, and
lets their newest agents play each other, all pairs of them, as arena does, from openings long enough for few games to
repeat another. The page is one file that needs no network. A run that cannot be read is left out where two others remain;
--games 0 draws curves only.`,
		Example: `  ludus compare runs/quad-5x5 runs/quad-5x5-wide
  ludus compare runs/* --games 400 -o quad.html --force`,
		Args: arguments(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkThreads(cmd, config.Threads); err != nil {
				return err
			}
			if path == "-" {
				return usage(cmd, errors.New("-o -: the page is not written to a stream; name a file"))
			}
			if err := checkNew(path, force); err != nil {
				return err
			}
			c, err := readComparison(cmd, args)
			if err != nil {
				return err
			}
			config.Game = c.game
			if config.Games != 0 {
				if err := config.Validate(); err != nil {
					return usage(cmd, err)
				}
			}
			return c.run(cmd, config, path, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&config.Games, "games", 100, "number of games of each pair of runs; 0 plays none")
	flags.Uint64Var(&config.Seed, "seed", 1, "where all randomness comes from")
	flags.IntVar(&config.OpeningPlies, "opening-plies", 4, "random plies at the start of a game; 0 starts from the beginning")
	flags.IntVar(&config.Threads, "threads", runtime.GOMAXPROCS(0), "cores to use")
	flags.StringVarP(&path, "output", "o", "compare.html", "the page to write")
	flags.BoolVar(&force, "force", false, "replace an existing file")
	flags.BoolVar(&asJSON, "json", false, "end with the matches as one line of JSON")
	return cmd
}

// readComparison reads the runs in the given folders and their agents. What cannot be read is told and left out, as long
// as two runs remain.
func readComparison(cmd *cobra.Command, dirs []string) (*comparison, error) {
	if err := checkDifferent(cmd, dirs); err != nil {
		return nil, err
	}
	c := &comparison{matches: []encounter{}} // none is [] in JSON
	var faults []error
	for _, dir := range dirs {
		run, agent, err := readContender(dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		c.runs, c.agents = append(c.runs, run), append(c.agents, agent)
	}
	if len(c.runs) < 2 {
		return nil, fmt.Errorf("fewer than two runs can be read: %w", errors.Join(faults...))
	}
	for _, err := range faults {
		fmt.Fprintln(cmd.ErrOrStderr(), "ludus: warning:", oneLine(err), "- the run is left out")
	}
	c.game = c.runs[0].Game
	for _, run := range c.runs[1:] {
		if run.Game.Name != c.game.Name {
			return nil, fmt.Errorf("%s is a run of %s and %s one of %s; compare runs of one game",
				c.runs[0].Dir, c.game.Name, run.Dir, run.Game.Name)
		}
	}
	for _, run := range c.runs {
		for _, w := range run.Warnings {
			fmt.Fprintln(cmd.ErrOrStderr(), "ludus: warning:", oneLine(errors.New(w)))
		}
	}
	nameApart(c.runs)
	return c, nil
}

// checkDifferent refuses a folder that is named twice.
func checkDifferent(cmd *cobra.Command, dirs []string) error {
	seen := make(map[string]bool)
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		if seen[path] {
			return usage(cmd, fmt.Errorf("%s is named twice", dir))
		}
		seen[path] = true
	}
	return nil
}

// readContender reads a run and its newest whole network, which the run's Origin then speaks of: where it is trained
// meanwhile, that may be newer than what was read first.
func readContender(dir string) (*report.Run, *agent.Factory, error) {
	run, err := report.ReadRun(dir)
	if err != nil {
		return nil, nil, err
	}
	spec := agent.Spec{Kind: agent.Net, Network: agent.Reference{Path: dir}}
	factory := agent.NewFactory(run.Game, spec, rundir.LoadWeights)
	run.Origin, err = factory.Load()
	return run, factory, err
}

// nameApart makes the runs' names different: each is its folder's name, or its path where another run is named alike.
func nameApart(runs []*report.Run) {
	count := make(map[string]int)
	for _, run := range runs {
		count[run.Name]++
	}
	for _, run := range runs {
		if count[run.Name] > 1 {
			run.Name = filepath.Clean(run.Dir)
		}
	}
}

// run plays the matches, prints their table and writes the page. Whatever goes wrong, what was played is printed.
func (c *comparison) run(cmd *cobra.Command, config match.Config, path string, asJSON bool) error {
	unplayed := c.play(cmd, config)
	page, undrawn := c.page(&config).HTML()
	if undrawn == nil {
		undrawn = writeNew(path, page, true) // it was free, or to be replaced, before the matches
	}
	return errors.Join(unplayed, undrawn, output(cmd, func(w io.Writer) error {
		if err := c.write(w); err != nil {
			return err
		}
		if undrawn == nil {
			fmt.Fprintf(w, "curves: %s\n", path)
		}
		if !asJSON {
			return nil
		}
		return json.NewEncoder(w).Encode(c.summary())
	}))
}

// play lets every two runs' agents play a match, in order.
func (c *comparison) play(cmd *cobra.Command, config match.Config) error {
	if config.Games == 0 {
		return nil
	}
	config.Balance = match.NewBalanceChecker(c.game)
	for i := range c.runs {
		for j := i + 1; j < len(c.runs); j++ {
			e := encounter{A: c.runs[i].Name, B: c.runs[j].Name}
			progress := newMatchProgress(cmd.ErrOrStderr(), config.Games)
			progress.title = e.A + " against " + e.B + ": "
			config.A, config.B, config.Progress = c.agents[i], c.agents[j], progress.show
			var err error
			e.Result, err = match.Run(cmd.Context(), config)
			progress.close()
			if e.Games > 0 {
				c.matches = append(c.matches, e)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// write prints what people read: the runs, then the matches.
func (c *comparison) write(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d runs\n", c.game.Name, len(c.runs))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "run\tgeneration\tgames\ttraining\t")
	for i, run := range c.runs {
		games, spent := c.trained(i)
		fmt.Fprintf(table, "%s\t%d\t%d\t%v\t\n", run.Name, c.generation(i), games, spent)
	}
	if err := table.Flush(); err != nil || len(c.matches) == 0 {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(table, "\tgames\trepeats\twins\tdraws\tlosses\tscore\t95 % interval\tElo (95 %)\t")
	for _, e := range c.matches {
		fmt.Fprintf(table, "%s against %s\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t%.1f to %.1f %%\t%s\t\n", e.A, e.B,
			e.Games, e.Duplicates, e.Wins, e.Draws, e.Losses, 100*e.Score, 100*e.Low, 100*e.High, e.EloText())
	}
	return table.Flush()
}

// generation is that of run i's agent.
func (c *comparison) generation(i int) int { return c.runs[i].Origin.Generation }

// trained is how many games run i had finished by then, and how long it had played and learnt.
func (c *comparison) trained(i int) (games int, spent time.Duration) {
	games, seconds := c.runs[i].Trained(c.generation(i))
	return games, time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond)
}

// summary is what --json prints.
func (c *comparison) summary() any {
	type contender struct {
		Name       string  `json:"name"`
		Dir        string  `json:"dir"`
		Generation int     `json:"generation"`
		Games      int     `json:"games"`
		Seconds    float64 `json:"seconds"`
	}
	var runs []contender
	for i, run := range c.runs {
		games, spent := c.trained(i)
		runs = append(runs, contender{run.Name, run.Dir, c.generation(i), games, spent.Seconds()})
	}
	return map[string]any{"game": c.game.Name, "runs": runs, "matches": c.matches}
}

// page lays the runs' curves over each other, under the matches.
func (c *comparison) page(config *match.Config) *report.Page {
	p := &report.Page{Title: c.game.Name, Axes: true}
	var names []string
	for i, run := range c.runs {
		names = append(names, run.Name)
		for _, w := range run.Warnings {
			p.Warnings = append(p.Warnings, run.Name+": "+w)
		}
		games, spent := c.trained(i)
		p.Facts = append(p.Facts, report.Fact{
			Name: run.Name, Value: fmt.Sprintf("generation %d, %d games, %v of training", c.generation(i), games, spent),
		})
	}
	p.Subtitle = "Runs " + strings.Join(names, ", ")
	if config.Games > 0 {
		p.Sections = []report.Section{{ID: "matches", Title: "Newest agents", Ladders: []report.Ladder{c.ladder(config)}}}
	}
	p.Sections = append(p.Sections, report.Sections(c.runs...)...)
	return p
}

// ladder shows each match as a score, whose interval is bounded; a difference in Elo need not be.
func (c *comparison) ladder(config *match.Config) report.Ladder {
	l := report.Ladder{
		ID: "pairs", Title: "Against each other", Unit: "%", Missing: "no games were played",
		Note: fmt.Sprintf("score of the first, a draw counting half; 95 %% intervals over pairs of games from %d random plies, with seats swapped",
			config.OpeningPlies),
	}
	if slices.ContainsFunc(c.matches, func(e encounter) bool { return e.Balanced }) {
		l.Note += ", by which neither side is lost"
	}
	for _, e := range c.matches {
		l.Bars = append(l.Bars, report.Bar{
			Name: e.A + " against " + e.B, Value: 100 * e.Score, Low: 100 * e.Low, High: 100 * e.High,
			Detail: fmt.Sprintf("%d wins, %d draws, %d losses; Elo %s", e.Wins, e.Draws, e.Losses, e.EloText()),
		})
	}
	return l
}
