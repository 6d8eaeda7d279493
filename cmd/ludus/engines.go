package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/engine"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

func gtpCommand() *cobra.Command {
	var resign float64
	cmd := engineCommand(engine.GTP, "", &resign)
	cmd.Use, cmd.Short = "gtp GAME [AGENT]", "Play for programs that speak GTP: GoGui, HexGui, Quarry, match runners"
	cmd.Long = `Speaks the Go Text Protocol, version 2, on standard input and output: list_commands lists the commands, docs/ENGINES.md
describes them. boardsize changes the board within the game's family, set_game the game. Moves of Hex are written as in HTP
("swap-pieces"), those of Othello as everywhere, those of gomoku with Go's letters, which skip i, and those of other games
as in play. lz-analyze and kata-analyze analyse until the next line.

The agent keeps its own limits. time_settings and time_left only shorten its moves; an agent that should use the time of a
match needs no other limit, such as zoo,time=1h. Without AGENT the agent shipped for the game plays, or mcts:1000.

` + ownPointer
	cmd.Example = `  ludus gtp othello
  ludus gtp hex-7x7 net:runs/hex-7x7,sims=400 --resign 0.03
  printf 'boardsize 7\ngenmove b\nshowboard\n' | ludus gtp hex`
	cmd.Args = arguments(1, 2)
	cmd.Flags().Float64Var(&resign, "resign", 0, "resign below this expected share of the score, 0 to 1; 0: never")
	limit(cmd, "resign", "from 0 to 1", func() bool { return resign >= 0 && resign <= 1 })
	return cmd
}

func gomocupCommand() *cobra.Command {
	cmd := engineCommand(engine.Gomocup, "gomoku", new(float64))
	cmd.Use, cmd.Short = "gomocup [AGENT]", "Play five in a row for Piskvork and other Gomocup managers"
	cmd.Long = `Speaks the protocol of Piskvork and Gomocup on standard input and output, on boards from 5x5 to 19x19; five or more in a
row win, or exactly five after INFO rule 1. The shipped agents were trained on 15x15 and 9x9. INFO's times shorten the
agent's moves; docs/ENGINES.md says how to use all of them.

` + ownPointer
	cmd.Example = `  ludus gomocup zoo,sims=400
  printf 'START 15\nBEGIN\n' | ludus gomocup`
	return cmd
}

func nboardCommand() *cobra.Command {
	cmd := engineCommand(engine.NBoard, "othello", new(float64))
	cmd.Use, cmd.Short = "nboard [AGENT]", "Play and analyse Othello for NBoard"
	cmd.Long = `Speaks NBoard's protocol, version 2, on standard input and output, for games of Othello 8x8 from the usual start.
Evaluations are in discs: a sure win is 64. The agent's limits apply, not NBoard's depth and time.

` + ownPointer
	cmd.Example = `  ludus nboard zoo,sims=400`
	return cmd
}

// engineCommand returns a command that serves a protocol. If the game is "", it is the first argument.
func engineCommand(serve func(context.Context, engine.Config, *env.Game, io.ReadCloser, io.Writer) error, game string, resign *float64) *cobra.Command {
	var seed uint64
	run := func(cmd *cobra.Command, game *env.Game, args []string) error {
		version, _ := build()
		return serve(cmd.Context(), engine.Config{
			Load:    func(game *env.Game) (engine.Player, error) { return loadEngine(cmd, game, args, seed) },
			Version: version, Seed: seed, Resign: *resign,
		}, game, input(cmd), cmd.OutOrStdout())
	}
	cmd := &cobra.Command{Args: arguments(0, 1), RunE: onGame(run)}
	if game != "" {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			g, err := games.New(game)
			if err != nil {
				return err
			}
			return run(cmd, g, args)
		}
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the agent's randomness")
	return cmd
}

// loadEngine returns the player of a game: the agent of the spec in args, or the default agent.
func loadEngine(cmd *cobra.Command, game *env.Game, args []string, seed uint64) (p engine.Player, err error) {
	text := agentOf(cmd, game, args)
	spec, err := agent.Parse(text)
	if err == nil && spec.Outside() {
		return p, usage(cmd, fmt.Errorf("%v is a program that speaks a protocol itself: start it without ludus", spec))
	}
	factory, err := loadAgent(cmd, game, text)
	if err != nil {
		return p, err
	}
	_, p.Advisor, err = newAdvisor(factory, seed)
	if err != nil {
		return p, err
	}
	p.Agent, err = factory.ForPeople().New(seed)
	return p, err
}
