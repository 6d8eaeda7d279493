package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/report"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// comparison compares several runs of one game.
type comparison struct {
	Game    string      `json:"game"`
	Runs    []contender `json:"runs"`
	Matches []pairing   `json:"matches"` // matches played so far
}

// contender is a run with its newest agent and the amount of training up to that agent.
type contender struct {
	Name       string  `json:"name"`
	Dir        string  `json:"dir"`
	Generation int     `json:"generation"`
	Games      int     `json:"games"`
	Seconds    float64 `json:"seconds"` // seconds of training

	run   *report.Run
	agent *agent.Factory
}

// pairing is a match between the agents of two runs, with A's result.
type pairing struct {
	A string `json:"a"` // name of A's run
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
		Long: `Writes a page with the learning curves of two or more runs of one game, by generations, games or seconds of
training. The newest agents of all pairs of runs play a match, as in arena, with enough opening plies for few games to
repeat. The page needs no network connection. An existing file is replaced only with --force. Runs that cannot be read
are left out if two remain. --games 0 writes the curves only.`,
		Example: `  ludus compare runs/quad-5x5 runs/quad-5x5-wide
  ludus compare runs/* --games 400 -o quad.html --force`,
		Args: arguments(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkNew(path, force); err != nil {
				return err
			}
			c, err := readComparison(cmd, args)
			if err != nil {
				return err
			}
			config.Game = c.Runs[0].run.Game
			if config.Games != 0 {
				if !cmd.Flags().Changed("opening-plies") {
					config.OpeningPlies = match.ShortOpening(config.Game, config.OpeningPlies)
				}
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

// readComparison reads runs and their newest agents. It warns of unreadable runs and fails if fewer than two remain.
func readComparison(cmd *cobra.Command, dirs []string) (*comparison, error) {
	c := &comparison{Matches: []pairing{}} // [] rather than null in JSON without matches
	var faults []error
	seen := make(map[string]bool)
	for _, dir := range dirs {
		if seen[filepath.Clean(dir)] {
			return nil, usage(cmd, fmt.Errorf("%s is named twice", dir))
		}
		seen[filepath.Clean(dir)] = true
		run, err := readContender(dir)
		if err != nil {
			faults = append(faults, explainFolder(dir, err))
			continue
		}
		c.Runs = append(c.Runs, run)
	}
	if len(c.Runs) < 2 {
		return nil, fmt.Errorf("fewer than two runs can be read: %w", errors.Join(faults...))
	}
	for _, err := range faults {
		warn(cmd, oneLine(err)+" - the run is left out")
	}
	first := c.Runs[0].run
	c.Game = first.Game.Name
	names := make(map[string]int)
	for _, r := range c.Runs {
		names[r.Name]++
		if r.run.Game.Name != c.Game {
			return nil, fmt.Errorf("%s is a run of %s and %s one of %s; compare runs of one game", first.Dir, c.Game, r.Dir,
				r.run.Game.Name)
		}
		for _, w := range r.run.Warnings {
			warn(cmd, oneLine(errors.New(w)))
		}
	}
	for i := range c.Runs {
		if r := &c.Runs[i]; names[r.Name] > 1 {
			r.Name = filepath.Clean(r.Dir)
			r.run.Name = r.Name
		}
	}
	return c, nil
}

// readContender reads a run and its newest network.
func readContender(dir string) (c contender, err error) {
	if c.run, err = report.ReadRun(dir); err != nil {
		return c, err
	}
	c.agent = agent.NewFactory(c.run.Game, agent.NetSpec(dir), rundir.LoadWeights)
	origin, err := c.agent.Load()
	c.Name, c.Dir, c.Generation = c.run.Name, c.run.Dir, origin.Generation
	c.Games, c.Seconds = c.run.Trained(c.Generation)
	return c, err
}

// run plays the matches, prints the results and writes the page. If it is stopped or fails, it prints the matches so far.
func (c *comparison) run(cmd *cobra.Command, config match.Config, path string, asJSON bool) error {
	matchErr := c.play(cmd, config)
	page, pageErr := c.page(&config).HTML()
	if pageErr == nil {
		pageErr = writeNew(path, page, true) // path and --force were checked before the matches
	}
	c.write(cmd.OutOrStdout())
	if pageErr == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "curves: %s\n", path)
	}
	err := errors.Join(matchErr, pageErr)
	if asJSON {
		err = errors.Join(err, printJSON(cmd, c))
	}
	return err
}

// play plays a match between each pair of runs.
func (c *comparison) play(cmd *cobra.Command, config match.Config) error {
	if config.Games == 0 {
		return nil
	}
	config.Balance = match.NewBalanceChecker(config.Game)
	for i, a := range c.Runs {
		for _, b := range c.Runs[i+1:] {
			config.A, config.B = a.agent, b.agent
			result, err := playMatch(cmd, &config, a.Name+" against "+b.Name+": ")
			if result.Games > 0 {
				c.Matches = append(c.Matches, pairing{a.Name, b.Name, result})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// write prints the runs and the match results for people.
func (c *comparison) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d runs\n", c.Game, len(c.Runs))
	table := rightTable(w)
	fmt.Fprintln(table, "run\tgeneration\tgames\ttraining\t")
	for _, r := range c.Runs {
		fmt.Fprintf(table, "%s\t%d\t%d\t%v\t\n", r.Name, r.Generation, r.Games, seconds(r.Seconds))
	}
	table.Flush()
	if len(c.Matches) == 0 {
		return
	}
	fmt.Fprintln(w)
	fmt.Fprintln(table, "\tgames\trepeats\twins\tdraws\tlosses\tscore\t95 % interval\tElo (95 %)\t")
	for _, m := range c.Matches {
		fmt.Fprintf(table, "%s against %s\t%d\t%d\t%d\t%d\t%d\t%s %%\t%s to %s %%\t%s\t\n", m.A, m.B,
			m.Games, m.Duplicates, m.Wins, m.Draws, m.Losses, stats.Decimal(100*m.Score, 1), stats.Decimal(100*m.Low, 1),
			stats.Decimal(100*m.High, 1), m.EloText())
	}
	table.Flush()
	fmt.Fprintln(w, "score and Elo are those of the first run; repeats: games that repeat another move for move")
}

// page returns the comparison as a page: the match results and the runs' learning curves.
func (c *comparison) page(config *match.Config) *report.Page {
	var runs []*report.Run
	for _, r := range c.Runs {
		runs = append(runs, r.run)
	}
	p := report.Compare(runs...)
	if config.Games > 0 {
		matches := report.Section{ID: "matches", Title: "Newest agents", Ladders: []report.Ladder{c.ladder(config)}}
		p.Sections = append([]report.Section{matches}, p.Sections...)
	}
	return p
}

// ladder returns a chart of each match's score with its interval. It does not show Elo, whose intervals can be infinite.
func (c *comparison) ladder(config *match.Config) report.Ladder {
	l := report.Ladder{
		ID: "pairs", Title: "Against each other", Unit: "%", Missing: "no games were played",
		Note: fmt.Sprintf("score of the first run, a draw counts half; 95 %% intervals over pairs of games with seats swapped, "+
			"after %d random plies", config.OpeningPlies),
	}
	if slices.ContainsFunc(c.Matches, func(e pairing) bool { return e.Balanced }) {
		l.Note += " that lose for neither side"
	}
	for _, e := range c.Matches {
		l.Bars = append(l.Bars, report.Bar{
			Name: e.A + " against " + e.B, Value: 100 * e.Score, Low: 100 * e.Low, High: 100 * e.High,
			Detail: report.MatchDetail(&e.Result),
		})
	}
	return l
}
