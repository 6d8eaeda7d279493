package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
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

// comparison compares several runs of one game.
type comparison struct {
	game    *env.Game
	runs    []*report.Run
	agents  []*agent.Factory // the runs' newest networks
	matches []pairing        // so far
}

// pairing is a match between two runs' agents. The result is A's.
type pairing struct {
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
		Short: "Compare runs of one game",
		Long: `Writes a page with the learning curves of two or more runs of one game, by generations, games or seconds of training. The
newest agents of all pairs of runs play a match, as in arena, with enough opening plies for few games to repeat. The page
needs no network connection. An existing file is replaced only with --force. Runs that cannot be read are left out if two
remain. --games 0 writes the curves only.`,
		Example: `  ludus compare runs/quad-5x5 runs/quad-5x5-wide
  ludus compare runs/* --games 400 -o quad.html --force`,
		Args: arguments(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if path == "-" {
				return usage(cmd, errors.New("-o -: the page cannot be written to a stream; name a file"))
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
	flags.IntVar(&config.Games, "games", 100, "number of games per pair of runs; 0 for none")
	flags.Uint64Var(&config.Seed, "seed", 1, "seed of all randomness")
	flags.IntVar(&config.OpeningPlies, "opening-plies", 4, "random plies at the start of each game; 0 for none")
	threadsFlag(cmd, &config.Threads, "cores to use")
	flags.StringVarP(&path, "output", "o", "compare.html", "the page to write")
	flags.BoolVar(&force, "force", false, "replace an existing file")
	flags.BoolVar(&asJSON, "json", false, "print the matches as JSON in the last line")
	return cmd
}

// readComparison reads runs and their newest agents. It warns of runs that cannot be read, and fails if fewer than two remain.
func readComparison(cmd *cobra.Command, dirs []string) (*comparison, error) {
	if err := checkDifferent(cmd, dirs); err != nil {
		return nil, err
	}
	c := &comparison{matches: []pairing{}} // none is [] in JSON
	var faults []error
	for _, dir := range dirs {
		run, agent, err := readRun(dir)
		if err != nil {
			faults = append(faults, explainFolder(dir, err))
			continue
		}
		c.runs, c.agents = append(c.runs, run), append(c.agents, agent)
	}
	if len(c.runs) < 2 {
		return nil, fmt.Errorf("fewer than two runs can be read: %w", errors.Join(faults...))
	}
	for _, err := range faults {
		warn(cmd, oneLine(err)+" - the run is left out")
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
			warn(cmd, oneLine(errors.New(w)))
		}
	}
	nameUniquely(c.runs)
	return c, nil
}

// checkDifferent returns an error if a folder is named twice.
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

// readRun reads a run and its newest network. It sets the run's Origin to that network: during training it may be newer than
// the rest.
func readRun(dir string) (*report.Run, *agent.Factory, error) {
	run, err := report.ReadRun(dir)
	if err != nil {
		return nil, nil, err
	}
	spec := agent.Spec{Kind: agent.Net, Network: agent.Reference{Path: dir}}
	factory := agent.NewFactory(run.Game, spec, rundir.LoadWeights)
	run.Origin, err = factory.Load()
	return run, factory, err
}

// nameUniquely names each run after its folder, or by its path if another run has the same name.
func nameUniquely(runs []*report.Run) {
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

// run plays the matches, prints them and writes the page. If that fails or is stopped, it still prints the matches so far.
func (c *comparison) run(cmd *cobra.Command, config match.Config, path string, asJSON bool) error {
	matchErr := c.play(cmd, config)
	page, pageErr := c.page(&config).HTML()
	if pageErr == nil {
		pageErr = writeNew(path, page, true) // checked before the matches
	}
	c.write(cmd.OutOrStdout())
	if pageErr == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "curves: %s\n", path)
	}
	err := errors.Join(matchErr, pageErr)
	if asJSON {
		err = errors.Join(err, printJSON(cmd, c.summary()))
	}
	return err
}

// play plays a match between each pair of runs.
func (c *comparison) play(cmd *cobra.Command, config match.Config) error {
	if config.Games == 0 {
		return nil
	}
	config.Balance = match.NewBalanceChecker(c.game)
	for i := range c.runs {
		for j := i + 1; j < len(c.runs); j++ {
			e := pairing{A: c.runs[i].Name, B: c.runs[j].Name}
			config.A, config.B = c.agents[i], c.agents[j]
			var err error
			e.Result, err = playMatch(cmd, &config, e.A+" against "+e.B+": ")
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

// write prints the runs and the matches for people.
func (c *comparison) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d runs\n", c.game.Name, len(c.runs))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "run\tgeneration\tgames\ttraining\t")
	for i, run := range c.runs {
		games, spent := c.trained(i)
		fmt.Fprintf(table, "%s\t%d\t%d\t%v\t\n", run.Name, c.generation(i), games, spent)
	}
	table.Flush()
	if len(c.matches) == 0 {
		return
	}
	fmt.Fprintln(w)
	fmt.Fprintln(table, "\tgames\trepeats\twins\tdraws\tlosses\tscore\t95 % interval\tElo (95 %)\t")
	for _, e := range c.matches {
		fmt.Fprintf(table, "%s against %s\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t%.1f to %.1f %%\t%s\t\n", e.A, e.B,
			e.Games, e.Duplicates, e.Wins, e.Draws, e.Losses, 100*e.Score, 100*e.Low, 100*e.High, e.EloText())
	}
	table.Flush()
}

// generation returns the generation of run i's agent.
func (c *comparison) generation(i int) int { return c.runs[i].Origin.Generation }

// trained returns the games and the training time of run i up to its agent.
func (c *comparison) trained(i int) (games int, spent time.Duration) {
	games, seconds := c.runs[i].Trained(c.generation(i))
	return games, time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond)
}

// summary returns what --json prints.
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

// page returns the page with the matches and the runs' curves.
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

// ladder shows the matches as scores: their intervals are bounded, unlike those of Elo differences.
func (c *comparison) ladder(config *match.Config) report.Ladder {
	l := report.Ladder{
		ID: "pairs", Title: "Against each other", Unit: "%", Missing: "no games were played",
		Note: fmt.Sprintf("score of the first run, a draw counts half; 95 %% intervals over pairs of games with seats swapped, after %d random plies",
			config.OpeningPlies),
	}
	if slices.ContainsFunc(c.matches, func(e pairing) bool { return e.Balanced }) {
		l.Note += " that lose for neither side"
	}
	for _, e := range c.matches {
		l.Bars = append(l.Bars, report.Bar{
			Name: e.A + " against " + e.B, Value: 100 * e.Score, Low: 100 * e.Low, High: 100 * e.High,
			Detail: fmt.Sprintf("%d wins, %d draws, %d losses; Elo %s", e.Wins, e.Draws, e.Losses, e.EloText()),
		})
	}
	return l
}
