package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/program"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/book"
	"ludus/train/match"
	"ludus/train/memory"
	"ludus/train/rundir"
	"ludus/train/stats"
)

func arenaCommand() *cobra.Command {
	var (
		config match.Config
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "arena GAME A B",
		Short: "Play a match between two agents",
		Long: `Plays a match between agents A and B and prints A's result. Its mean goal is the mean of A's final scores, 0 to 100.
Each game starts with a few random opening plies. Each opening is played twice with seats swapped; the 95 % interval is
computed over these pairs. If the game has draws and is short enough to be solved, openings that lose for one side are left
out. The same seed gives the same games for any number of threads, except for agents with a time limit.

Openings repeat only after all others have been played. Two deterministic agents (networks without temp= and time=) then
repeat their games: such pairs count as games, but the intervals and the pair statistics leave them out. More
--opening-plies give more different games.

--record FILE keeps every finished game; the same command then continues a stopped match.

--move-time and --game-time limit the time of both sides. An agent that takes more than 0.2 seconds longer loses the game.
Networks and mcts:N search until their own limit or until their time is up, so an agent that should use all its time needs
no other limit, such as zoo,time=1h. With a clock each core plays one game at a time, and moves depend on the machine's speed.

An outside program (gtp:, gomocup:, nboard:) that dies is started again, with the moves of the game. If it dies twice in a
game, takes too long, floods its output, refuses a legal move or answers with none, it loses; docs/ENGINES.md has all rules.
If it does not start, the game is void: it does not count, and the same command with --record plays it again.

` + agentPointer,
		Example: `  ludus arena quad-5x5 zoo mcts:1000
  ludus arena quad-5x5 net:runs/quad-5x5 zoo
  ludus arena quad-5x5 net:runs/quad-5x5 net:runs/quad-5x5@10 --games 200 --json
  ludus arena quad-5x5 net:runs/quad-5x5,sims=256 mcts:1000 --opening-plies 0
  ludus arena quad-5x5 net:runs/new net:runs/old --games 1000 --record match.jsonl
  ludus arena othello zoo 'gtp:"/usr/games/gtp-rhino -l 3"' --move-time 5s`,
		Args: arguments(3, 3),
		RunE: onGame(func(cmd *cobra.Command, game *env.Game, args []string) error {
			var err error
			config.Game = game
			if !cmd.Flags().Changed("opening-plies") {
				config.OpeningPlies = match.ShortOpening(game, config.OpeningPlies)
			}
			if err := config.Validate(); err != nil {
				return usage(cmd, err)
			}
			if config.A, err = loadAgent(cmd, game, args[0]); err != nil {
				return err
			}
			if config.B, err = loadAgent(cmd, game, args[1]); err != nil {
				return err
			}
			return runMatch(cmd, config, asJSON)
		}),
	}
	flags := cmd.Flags()
	flags.IntVar(&config.Games, "games", 100, "number of games")
	flags.Uint64Var(&config.Seed, "seed", 1, "seed of all randomness")
	flags.IntVar(&config.OpeningPlies, "opening-plies", 2, "random plies at the start of each game; 0 for none")
	flags.DurationVar(&config.MoveTime, "move-time", 0, "time for each move, such as 500ms; 0 for no limit")
	flags.DurationVar(&config.GameTime, "game-time", 0, "each side's time for a game, such as 5m; 0 for no limit")
	flags.StringVar(&config.File, "record", "", "file that keeps every finished game and continues a stopped match")
	threadsFlag(cmd, &config.Threads, "cores to use")
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON in the last line")
	return cmd
}

// ownPointer refers to the list of agents, in the help of commands that take agents but no outside programs.
const ownPointer = `An agent is random, greedy, mcts:N, alphabeta:D, solver:NODES, net:PATH, policy:PATH or zoo, perhaps with
options such as ,sims=256. "ludus --help" explains them.`

// agentPointer refers to it in the help of commands that also take outside programs.
const agentPointer = ownPointer + ` An agent may also be an outside program, such as
gtp:"/usr/games/gtp-rhino -l 3".`

// agentHelp explains in ludus --help how to name an agent.
const agentHelp = `An agent is one of
  zoo                     the agent shipped for the game, or for another size of its board; the same as net:zoo
  net:PATH                a network with search. PATH is a run's folder, a checkpoint or a weights file. A folder named zoo
                          is ./zoo
  policy:PATH             a network without search
  mcts:N                  UCT with N random playouts per move, no network
  alphabeta:D             search to depth D, no network
  solver:NODES            perfect play if the position is solved within NODES nodes, otherwise mcts:1000
  greedy                  looks one move ahead
  random                  plays random moves
  gtp:"COMMAND"           an outside program that speaks GTP; quote the whole for the shell: 'gtp:"/usr/games/gtp-rhino -l 3"'
  gomocup:"COMMAND"       one that speaks the protocol of Gomocup and Piskvork
  nboard:"COMMAND"        one that speaks NBoard's

Options of agents with a network:
  @GENERATION, @best      a checkpoint of the run instead of the newest; @best is the newest, too, unless "ludus rate"
                          found another to be stronger
  ,sims=N or ,time=D      simulations per move (default 64), or time per move such as 500ms
  ,search=gumbel|puct     search algorithm (default gumbel; with time= puct)
  ,temp=T                 sample moves with temperature T instead of playing the best
  ,elo=N                  weaken the network to a rating of N, as far as its strength dial goes, instead of other options.
                          Most shipped agents have a dial on their own board, runs after "ludus rate RUN --dial".
                          Analyses and suggestions keep full strength
  ,solve=NODES            correct the network's choice by an exact search of up to NODES nodes per move: where that solves
                          the position, the move keeps its value. Off unless given, but 500000 in play, analyze and pages;
                          0: off
  ,threads=N              search each position on N cores, 1 to 64. Default 1; more pay on boards of 15 cells a side. Moves
                          depend on N, not on the machine's cores
  ,book=FILE              play the moves of an opening book, which "ludus book" makes, as far as it goes; also of mcts,
                          alphabeta and solver, as in mcts:1000,book=hex.book

Options of outside programs, which docs/ENGINES.md explains:
  ,time=D or ,start=D     time for a move (default 1m), and for the start (default 30s)
  ,init=LINE              a line sent after the start; may be given again
  ,dir=DIR or ,memory=N   working folder; limit of memory in megabytes
  ,deterministic=yes      its moves depend on the position alone
  ,colours=A/B and so on  what it calls things: also columns=all|go, rows=top|bottom, pass=WORD, swap=stone|colours`

// loadAgent parses an agent's spec and loads its network, if it has one, or checks that its outside program starts. It
// warns about damaged checkpoints that it skipped. An invalid spec is a usageError, and so is one of a program that
// does not exist or does not play the game; a network that cannot be loaded and a program that does not start are not.
func loadAgent(cmd *cobra.Command, game *env.Game, text string) (*agent.Factory, error) {
	factory, err := agent.ParseFactory(game, text, loader(game))
	if err != nil {
		if info, missing := os.Stat(text); missing == nil && (info.Mode().IsRegular() || rundir.Is(text)) {
			err = fmt.Errorf("unknown agent %q; did you mean %v?", text, agent.NetSpec(text))
		}
		return nil, usage(cmd, err)
	}
	factory = factory.WithPrograms(program.Start).WithBooks(book.ReadFor)
	origin, err := factory.Load()
	warnDamaged(cmd, origin)
	if err == nil {
		err = factory.TryProgram(cmd.Context())
	}
	if errors.Is(err, agent.ErrSpec) || errors.Is(err, agent.ErrProgram) {
		err = usage(cmd, err)
	}
	warnMemory(cmd, factory.String(), factory.MemoryBytes())
	return factory, err
}

// warnMemory warns if what needs more bytes than are available.
func warnMemory(cmd *cobra.Command, what string, need int) {
	if have := memory.Available(); need > have {
		warn(cmd, fmt.Sprintf("%s may need %d MB, but %d MB are available; if the system ends ludus without a word, that is why", what,
			need>>20, have>>20))
	}
}

// warnDamaged warns about damaged checkpoints that were skipped.
func warnDamaged(cmd *cobra.Command, origin agent.Origin) {
	for _, damaged := range origin.Damaged {
		warn(cmd, "skipped a damaged checkpoint: "+oneLine(damaged))
	}
}

// runMatch plays a match and prints its result. A stopped match prints the result so far.
func runMatch(cmd *cobra.Command, config match.Config, asJSON bool) error {
	result, err := playMatch(cmd, &config, "")
	if err != nil && (!errors.Is(err, context.Canceled) || result.Games == 0) {
		return err
	}
	if config.File != "" {
		err = continuable(err, "finished games are kept")
	}
	writeResult(cmd.OutOrStdout(), &config, &result)
	if asJSON {
		err = errors.Join(err, printJSON(cmd, result))
	}
	if err == nil && result.Games == 0 {
		err = errors.New("no game counts: all are void")
	}
	return err
}

// playMatch plays a match and shows its progress, with the title before the result so far.
func playMatch(cmd *cobra.Command, config *match.Config, title string) (match.Result, error) {
	p := newProgress(cmd)
	defer p.close()
	config.Progress = func(r match.Result) { p.show(matchStatus(&r, config.Games, title)) }
	return match.Run(cmd.Context(), *config)
}

// matchStatus returns the progress of a match. games is the number of games at its end; r is the result so far.
func matchStatus(r *match.Result, games int, title string) status {
	detail := title + stats.Estimate{Value: r.Score, Low: r.Low, High: r.High}.Percent()
	return status{count: r.Games, unit: "games", share: float64(r.Played()) / float64(games), detail: detail}
}

// writeResult prints the result of a match for people, from agent A's side.
func writeResult(w io.Writer, m *match.Config, r *match.Result) {
	fmt.Fprintf(w, "%s: %s against %s%s\n", m.Game.Name, m.A, m.B, clockText(m))
	if r.Games == 0 {
		writeSides(w, m, r)
		return
	}
	table := leftTable(w)
	fmt.Fprintln(table, "\tgames\twins\tdraws\tlosses\tscore")
	row := func(name string, t match.Tally) {
		if games := t.Wins + t.Draws + t.Losses; games > 0 {
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s %%\n", name, games, t.Wins, t.Draws, t.Losses,
				stats.Decimal(100*(float64(t.Wins)+float64(t.Draws)/2)/float64(games), 1))
		}
	}
	row("as "+m.Game.Players[0], r.AsFirst)
	row("as "+m.Game.Players[1], r.AsSecond)
	row("all", match.Tally{Wins: r.Wins, Draws: r.Draws, Losses: r.Losses})
	table.Flush()
	elo := r.EloText()
	if elo == match.UnknownElo {
		elo += " (more games would tell)"
	}
	fmt.Fprintf(w, "score %s %% (95 %%: %s to %s), Elo %s, A's mean goal (final score, 0 to 100) %.1f\n",
		stats.Decimal(100*r.Score, 1), stats.Decimal(100*r.Low, 1), stats.Decimal(100*r.High, 1), elo, r.GoalMean)
	writePairs(w, m, r)
	fmt.Fprintf(w, "%d games of %.1f plies on average, of which %d repeat another move for move, in %v\n", r.Games, r.MeanPlies,
		r.Duplicates, seconds(r.Seconds))
	writeRepeats(w, m, r)
	writeSides(w, m, r)
}

// clockText says which time both sides have, such as ", 5s a move"; "" without a limit.
func clockText(m *match.Config) (text string) {
	if m.MoveTime > 0 {
		text += fmt.Sprintf(", %v a move", m.MoveTime)
	}
	if m.GameTime > 0 {
		text += fmt.Sprintf(", %v a game for each side", m.GameTime)
	}
	return text
}

// writeSides prints the time that both sides took, if it was measured, and the faults of each.
func writeSides(w io.Writer, m *match.Config, r *match.Result) {
	if a, b := r.Sides[0].SecondsPerMove, r.Sides[1].SecondsPerMove; a > 0 || b > 0 {
		fmt.Fprintf(w, "mean time per move: %s s of A, %s s of B\n", stats.Decimal(a, 3), stats.Decimal(b, 3))
	}
	for side, spec := range []*agent.Factory{m.A, m.B} {
		if text := r.Sides[side].Text(); text != "" {
			fmt.Fprintf(w, "%c, %v: %s\n", 'A'+side, spec, text)
		}
	}
}

// writePairs prints how many pairs of games gave A each number of points, and how the openings were chosen.
func writePairs(w io.Writer, m *match.Config, r *match.Result) {
	pairs := 0
	for _, n := range r.Pentanomial {
		pairs += n
	}
	if pairs > 0 {
		p := r.Pentanomial
		fmt.Fprintf(w,
			"pairs of games with one opening, seats swapped, by A's points: 0 in %d, ½ in %d, 1 in %d, 1½ in %d, 2 in %d; "+
				"in %.1f %% of the pairs the same seat wins both games\n",
			p[0], p[1], p[2], p[3], p[4], 100*float64(r.SeatPairs)/float64(pairs))
	}
	if m.OpeningPlies == 0 {
		return
	}
	kind := fmt.Sprintf("it is not known whether one side is lost after them: that is checked only where a game has draws and at "+
		"most %d plies", match.BalancePlies)
	switch {
	case r.Balanced && r.Unsolved > 0:
		kind = fmt.Sprintf("after them neither side is lost, except perhaps in %d of %d openings, which could not be solved", r.Unsolved,
			r.Pairs)
	case r.Balanced:
		kind = "after them neither side is lost"
	case r.Unbalanced > 0:
		kind = "after them one side is lost, because no other openings were found"
	}
	fmt.Fprintf(w, "each game begins with %d random plies; %s\n", m.OpeningPlies, kind)
}

// writeRepeats prints how many pairs repeat earlier games, and how to get new games.
func writeRepeats(w io.Writer, m *match.Config, r *match.Result) {
	if r.Repeats > 0 {
		fmt.Fprintf(w, "%d of %d pairs repeat earlier games; the intervals leave them out\n", r.Repeats, r.Pairs)
	}
	if 2*r.Repeats > r.Pairs {
		fmt.Fprintf(w, "more opening plies (--opening-plies %d) or agents that sample moves (temp=) would give new games\n",
			m.OpeningPlies+2)
	}
}
