package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/gamefile"
	"ludus/cmd/ludus/internal/terminal"
	"ludus/env"
	"ludus/train/agent"
)

// watchingDelay is the pause after each move when two agents play on a terminal.
const watchingDelay = 700 * time.Millisecond

func playCommand() *cobra.Command {
	var (
		side, start, record string
		config              terminal.Config
	)
	cmd := &cobra.Command{
		Use:   "play GAME [AGENT] [AGENT]",
		Short: "Play against an agent in the terminal, or watch two",
		Long: `Draws the board and reads your moves: the column and row of a cell, "c3", or of two where pieces move, "b2-b3".
Official texts such as "(mark r3 c3)" are read, too. Commands show the agent's analysis (?), suggest a move (hint), take
your last move back (undo) and change sides (switch); help lists all. Scores are those of the player who moves first. Without
AGENT you play against the agent shipped for the game, or mcts:1000 if there is none. With two agents the first one
moves first, and you watch. An agent weakened with elo=N analyzes and suggests with its full strength.

Input may come from a pipe, one command per line. Then there are no prompts, colours or pauses, and the session ends
with the input, or after the game with a line that is no command. Invalid lines are skipped, and the exit code is then 1. For
programs there is "ludus analyze". NO_COLOR and TERM=dumb turn colours off.

` + agentPointer,
		Example: `  ludus play quad-5x5
  ludus play quad-5x5 zoo,elo=800
  ludus play breakthrough-6x6 net:runs/breakthrough-6x6,sims=256 --side black
  ludus play golden-rectangle zoo mcts:1000 --analysis
  ludus play othello --continue game.sgf --record mine.sgf
  printf 'c3\n?\n' | ludus play quad-5x5 mcts:200`,
		Args: arguments(1, 3),
		RunE: onGame(func(cmd *cobra.Command, game *env.Game, args []string) error {
			config.Game = game
			if !cmd.Flags().Changed("seed") {
				config.Seed = rand.Uint64()
			}
			if len(args) == 0 {
				args = []string{agentOf(cmd, game, nil)}
			}
			err := checkPlay(cmd, game, side, config.Delay, len(args) == 2)
			if err != nil {
				return usage(cmd, err)
			}
			if start != "" {
				game, err := firstGame(cmd, game, start)
				if err != nil {
					return err
				}
				config.Start = game.Actions()
			}
			if record != "" {
				config.Keep, err = keeper(cmd, &config, record)
				if err != nil {
					return err
				}
			}
			defer closeSeats(&config)
			err = takeSeats(cmd, &config, args, side)
			if err != nil {
				return err
			}
			if isTerminal(os.Stdout) {
				config.Style = terminal.DetectStyle(os.Getenv, terminalWidth)
				if !cmd.Flags().Changed("delay") {
					config.Delay = watchingDelay
				}
			}
			config.Keyboard = isTerminal(cmd.InOrStdin())
			return terminal.New(config, cmd.OutOrStdout()).Play(cmd.Context(), input(cmd))
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&side, "side", "first", "your side: first, second or its name")
	flags.Uint64Var(&config.Seed, "seed", 0, "seed of the agents' randomness (default: another for each game)")
	flags.DurationVar(&config.Delay, "delay", 0,
		"pause after each move where two agents play (default: "+watchingDelay.String()+" on a terminal)")
	limit(cmd, "delay", "0 or more", func() bool { return config.Delay >= 0 })
	flags.StringVar(&start, "continue", "", "file whose first game you play on from; see \"ludus convert\" for its formats")
	flags.StringVar(&record, "record", "", "file to add the games to: FILE.sgf, .ggf, .txt (moves) or .jsonl")
	flags.BoolVar(&config.ShowAnalysis, "analysis", false, "show an agent's analysis before each of its moves")
	return cmd
}

// firstGame reads the first game of a file.
func firstGame(cmd *cobra.Command, game *env.Game, path string) (*gamefile.Record, error) {
	for record, err := range gamesOf(cmd.Context(), cmd, game, path, true) { // true: the error offers no flag
		return record, err
	}
	panic("ludus: a file without games is an error")
}

// keeper returns a function that adds a game to a file. An existing file must be one of the game's, in the format that
// its name says.
func keeper(cmd *cobra.Command, config *terminal.Config, path string) (func([]env.Action, []time.Duration) error, error) {
	format, game := gamefile.FormatOf(path), config.Game
	if format == "" {
		return nil, usage(cmd, fmt.Errorf("--record %s: the name must end in .sgf, .ggf, .txt or .jsonl", path))
	}
	_, err := gamefile.Text(gamefile.New(game, nil), format)
	if err != nil {
		return nil, usage(cmd, fmt.Errorf("--record %s: %w", path, err))
	}
	err = checkAppend(game, path, format)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--record %s: games cannot be added to it: %w", path, err)
	}
	isNew := err != nil
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("--record %s: %w", path, err)
	}
	file.Close()
	if isNew {
		os.Remove(path) // until there is a game
	}
	return func(moves []env.Action, took []time.Duration) error {
		record := gamefile.New(game, moves)
		record.Date = time.Now().Format(time.DateOnly)
		for i, seat := range config.Seats {
			record.Players[i] = cmp.Or(seat.Name, "person")
		}
		for i := range record.Moves {
			record.Moves[i].Seconds = took[i].Round(time.Millisecond).Seconds()
		}
		text, err := gamefile.Text(record, format)
		if err == nil {
			err = appendText(path, text)
		}
		if err != nil {
			err = fmt.Errorf("--record %s: %w", path, err)
		}
		return err
	}, nil
}

// appendText adds lines to a file, after a line break if its last line has none.
func appendText(path, text string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > 0 {
		last := []byte{0}
		_, err = file.ReadAt(last, info.Size()-1)
		if last[0] != '\n' {
			text = "\n" + text
		}
	}
	if err == nil {
		_, err = file.WriteString(text)
	}
	return errors.Join(err, file.Close())
}

// checkAppend returns an error if a file neither is empty nor begins with a record of a game in a format.
func checkAppend(game *env.Game, path string, format gamefile.Format) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() == 0:
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := gamefile.NewReader(game, file, path, "")
	if err == nil {
		_, err = r.Next()
	}
	if err == nil && r.Format != format {
		err = fmt.Errorf("its format is %s", r.Format)
	}
	return err
}

// checkPlay returns an error if --side names no player, if --side is given although two agents play (watched), or if
// --delay is given although a person plays.
func checkPlay(cmd *cobra.Command, game *env.Game, side string, delay time.Duration, watched bool) error {
	if _, ok := terminal.ParseSide(game, side); !ok {
		return fmt.Errorf("--side %s: it must be first (%s) or second (%s)", side, game.Players[0], game.Players[1])
	}
	switch {
	case watched && cmd.Flags().Changed("side"):
		return errors.New("--side is your side, but two agents play; the first one moves first")
	case !watched && delay > 0:
		return errors.New("--delay is for games between two agents")
	}
	return nil
}

// takeSeats assigns the agents, and the person if there is one, to the seats.
func takeSeats(cmd *cobra.Command, config *terminal.Config, agents []string, side string) error {
	first := env.First
	if len(agents) == 1 {
		person, _ := terminal.ParseSide(config.Game, side)
		first = person.Opponent()
	}
	for i, text := range agents {
		factory, err := loadAgent(cmd, config.Game, text)
		if err != nil {
			return err
		}
		seat := &config.Seats[(int(first)+i)%2]
		seat.Name = factory.String() // name as people wrote it, without solve=
		seat.AdvisorName, seat.Advisor, err = newAdvisor(factory, config.Seed)
		if err != nil {
			return err
		}
		seat.Agent, err = factory.ForPeople().New(config.Seed)
		if err != nil {
			return err
		}
		origin, err := factory.Load()
		if err != nil {
			return err
		}
		seat.Strength = origin.Dial.Words(factory.Spec)
	}
	return nil
}

// closeSeats ends the agents that are programs.
func closeSeats(config *terminal.Config) {
	for _, seat := range config.Seats {
		agent.Close(seat.Agent) // errors do not matter: the game is over
		agent.Close(seat.Advisor)
	}
}

// newAdvisor returns a new agent at full strength, for hints, with its name.
func newAdvisor(factory *agent.Factory, seed uint64) (name string, a agent.Agent, err error) {
	full := factory.Spec
	full.Elo = 0
	a, err = factory.With(full).ForPeople().New(seed)
	return full.String(), a, err
}

// terminalWidth returns the number of columns of standard output's terminal, 0 if unknown.
func terminalWidth() int { return width(os.Stdout) }
