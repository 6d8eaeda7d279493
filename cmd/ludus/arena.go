package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
)

func arenaCommand() *cobra.Command {
	var (
		config match.Config
		seats  string
		sprt   string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "arena GAME A B",
		Short: "Let two agents play a match",
		Long: `Plays a match between agents A and B and says how A did. Games start from random openings, each of which is played
twice with seats swapped; the interval is one of 95 % over these pairs. Where the game has draws and is short enough to
be solved, openings that lose for one side are left out. The same seed gives the same games, however many threads play
them (agents with a time limit excepted).

An opening comes again only once there seems to be no other. Two agents that do not draw their moves (networks without
temp= and time=) then play it as before: such a pair counts as games but not as evidence, and the intervals, the pairs by
points and the test leave it out. More --opening-plies make more different games.

With --sprt 0,20 the match ends as soon as it is sure enough whether A is at most 0 Elo better, or at least 20: a
sequential test that is wrong one time in twenty. It is given up once games only repeat. With --record FILE every finished game is kept, and the same command
goes on where it was interrupted.

` + agentHelp,
		Example: `  ludus arena quad-5x5 net:runs/quad-5x5 mcts:200
  ludus arena quad-5x5 net:runs/quad-5x5 net:runs/quad-5x5@10 --games 200 --json
  ludus arena quad-5x5 net:runs/quad-5x5,sims=256 mcts:1000 --opening-plies 0 --seats first
  ludus arena quad-5x5 net:runs/new net:runs/old --sprt 0,20 --record match.jsonl`,
		Args:              arguments(3, 3),
		ValidArgsFunction: completeGames,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := games.New(args[0])
			if err != nil {
				return err
			}
			if err := checkThreads(cmd, config.Threads); err != nil {
				return err
			}
			config.Game, config.Seats = game, match.Seats(seats)
			if sprt != "" {
				if config.SPRT, err = parseSPRT(sprt); err != nil {
					return usage(cmd, err)
				}
				if !cmd.Flags().Changed("games") {
					config.Games = mostTested
				}
			}
			if err := config.Validate(); err != nil {
				return usage(cmd, err)
			}
			if config.A, err = loadAgent(cmd, game, args[1]); err != nil {
				return err
			}
			if config.B, err = loadAgent(cmd, game, args[2]); err != nil {
				return err
			}
			return runMatch(cmd, config, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&config.Games, "games", 100, fmt.Sprintf("number of games; with --sprt at most, %d if not given", mostTested))
	flags.Uint64Var(&config.Seed, "seed", 1, "where all randomness comes from")
	flags.IntVar(&config.OpeningPlies, "opening-plies", 2, "random plies at the start of a game; 0 starts from the beginning")
	flags.StringVar(&seats, "seats", string(match.SwapSeats), "who moves first: swap, first (always A) or second (always B)")
	flags.StringVar(&sprt, "sprt", "", "end early, by a test of one difference in Elo against a higher one, such as 0,20")
	flags.StringVar(&config.Record, "record", "", "file that keeps every finished game; the match goes on from it")
	flags.IntVar(&config.Threads, "threads", runtime.GOMAXPROCS(0), "cores to play on")
	flags.BoolVar(&asJSON, "json", false, "end with the result as one line of JSON")
	return cmd
}

// mostTested is how many games a sequential test may take unless something else is asked.
const mostTested = 20_000

// parseSPRT reads ELO0,ELO1.
func parseSPRT(text string) (*match.SPRT, error) {
	var values [2]float64
	parts := strings.Split(text, ",")
	for i := range parts {
		value, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if err != nil || len(parts) != 2 {
			return nil, fmt.Errorf("--sprt %s: it must be two differences in Elo, such as 0,20", text)
		}
		values[i] = value
	}
	return &match.SPRT{Elo0: values[0], Elo1: values[1]}, nil
}

// agentHelp says what an agent is, for commands that take one.
const agentHelp = `An agent is random, greedy, mcts:N (N random playouts a move), alphabeta:D (D plies deep), solver:NODES (perfect where
it solves the position within so many nodes, elsewhere mcts:1000), net:PATH (a network with search) or policy:PATH (the
network alone). PATH is a run's folder, a checkpoint or an exported file. Options may follow:
  @GENERATION, @best      one checkpoint of a run, instead of the newest
  ,sims=N  ,time=D        simulations (64 if nothing else is said) or time a move, such as 500ms
  ,search=gumbel|puct     the search; gumbel unless there is a time limit
  ,temp=T                 draw moves instead of playing the best; 1 follows the search's shares
  ,sym=all                average the network over the board's symmetries at the root`

// loadAgent reads an agent's text and its files, and warns of what was passed over.
func loadAgent(cmd *cobra.Command, game *env.Game, text string) (*agent.Factory, error) {
	factory, err := rundir.ParseAgent(game, text)
	if err != nil {
		if _, missing := os.Stat(text); missing == nil {
			return nil, fmt.Errorf("unknown agent %q; did you mean net:%s?", text, text)
		}
		return nil, err
	}
	origin, err := factory.Load()
	warnDamaged(cmd, origin)
	return factory, err
}

func warnDamaged(cmd *cobra.Command, origin agent.Origin) {
	for _, damaged := range origin.Damaged {
		fmt.Fprintln(cmd.ErrOrStderr(), "ludus: warning:", oneLine(damaged), "- it was passed over")
	}
}

// runMatch plays, shows how it goes and prints the result. An interrupted match prints what was played.
func runMatch(cmd *cobra.Command, config match.Config, asJSON bool) error {
	progress := newMatchProgress(cmd.ErrOrStderr(), config.Games)
	config.Progress = progress.show
	result, err := match.Run(cmd.Context(), config)
	progress.close()
	if err != nil && (!errors.Is(err, context.Canceled) || result.Games == 0) {
		return err
	}
	if err != nil && config.Record != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "stopped; finished games are kept. Go on with:\n  %s\n", commandLine(os.Args[1:]))
	}
	return errors.Join(err, output(cmd, func(w io.Writer) error {
		if err := writeResult(w, &config, &result); err != nil || !asJSON {
			return err
		}
		return json.NewEncoder(w).Encode(result)
	}))
}

// writeResult prints what people read: a table, what it says of the agents' strength, and what of the games.
func writeResult(w io.Writer, m *match.Config, r *match.Result) error {
	fmt.Fprintf(w, "%s: %s against %s\n", m.Game.Name, m.A, m.B)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tgames\twins\tdraws\tlosses\tscore")
	row := func(name string, t match.Tally) {
		if games := t.Wins + t.Draws + t.Losses; games > 0 {
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%.1f %%\n", name, games, t.Wins, t.Draws, t.Losses,
				100*(float64(t.Wins)+float64(t.Draws)/2)/float64(games))
		}
	}
	row("as "+m.Game.Players[0], r.AsFirst)
	row("as "+m.Game.Players[1], r.AsSecond)
	row("all", match.Tally{Wins: r.Wins, Draws: r.Draws, Losses: r.Losses})
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "score %.1f %% (95 %%: %.1f to %.1f), Elo %s, mean goal %.1f\n",
		100*r.Score, 100*r.Low, 100*r.High, r.EloText(), r.GoalMean)
	if t := r.SPRT; t.Decision != "" {
		fmt.Fprintf(w, "test of Elo %g (H0) against %g (H1): %s; LLR %.2f of %.2f to %.2f\n", t.Elo0, t.Elo1,
			describeDecision(&t), t.LLR, t.Lower, t.Upper)
	}
	writePairs(w, m, r)
	fmt.Fprintf(w, "%d games of %.1f plies, %d of them repeat another, %v\n", r.Games, r.MeanPlies, r.Duplicates,
		time.Duration(r.Seconds*float64(time.Second)).Round(100*time.Millisecond))
	writeRepeats(w, m, r)
	return nil // output sees to a writer that fails
}

func describeDecision(t *match.SPRTResult) string {
	if t.Decision == match.Undecided {
		if t.Exhausted {
			return "given up, since games only repeat"
		}
		return "undecided"
	}
	return t.Decision + " holds"
}

// writePairs tells how the openings went, and what they are.
func writePairs(w io.Writer, m *match.Config, r *match.Result) {
	pairs := 0
	for _, n := range r.Pentanomial {
		pairs += n
	}
	if pairs > 0 {
		p := r.Pentanomial
		fmt.Fprintf(w, "pairs by points: 0: %d, ½: %d, 1: %d, 1½: %d, 2: %d; one seat wins both games of %.1f %%\n",
			p[0], p[1], p[2], p[3], p[4], 100*float64(r.SeatPairs)/float64(pairs))
	}
	if m.OpeningPlies == 0 {
		return
	}
	what := "random"
	switch {
	case r.Balanced && r.Unsolved > 0:
		what = fmt.Sprintf("lost for neither side, but for %d of %d that could not be solved", r.Unsolved, r.Pairs)
	case r.Balanced:
		what = "lost for neither side"
	case r.Unbalanced > 0:
		what = "random, since none was found that is lost for neither side"
	}
	fmt.Fprintf(w, "openings (plies: %d): %s\n", m.OpeningPlies, what)
}

// writeRepeats tells what was no evidence, and what would be.
func writeRepeats(w io.Writer, m *match.Config, r *match.Result) {
	if r.Repeats > 0 {
		fmt.Fprintf(w, "%d of %d openings were played just as before, and are no evidence: the intervals leave them out\n", r.Repeats, r.Pairs)
	}
	if r.SPRT.Exhausted || 2*r.Repeats > r.Pairs {
		fmt.Fprintf(w, "longer openings (--opening-plies %d) or agents that draw moves (temp=) would tell more\n", m.OpeningPlies+2)
	}
}

// matchProgress shows a running match.
type matchProgress struct {
	progress
	title string // before the score; may be empty
	games int
}

func newMatchProgress(w io.Writer, games int) *matchProgress {
	return &matchProgress{progress: newProgress(w, progressbar.OptionShowCount()), games: games}
}

func (p *matchProgress) show(r match.Result) {
	score := p.title + fmt.Sprintf("%.1f %% (%.1f to %.1f)", 100*r.Score, 100*r.Low, 100*r.High)
	if r.SPRT.Decision != "" {
		score += fmt.Sprintf(", LLR %.2f (%.2f to %.2f)", r.SPRT.LLR, r.SPRT.Lower, r.SPRT.Upper)
	}
	p.tell(r.Games, p.games, score, fmt.Sprintf("%d of %d games: %s", r.Games, p.games, score))
}
