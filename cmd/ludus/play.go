package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/terminal"
	"ludus/env"
	"ludus/env/games"
)

func playCommand() *cobra.Command {
	var (
		side string
		seed uint64
	)
	cmd := &cobra.Command{
		Use:   "play GAME AGENT",
		Short: "Play against an agent in the terminal",
		Long: `Draws the board and reads your moves: in full, "(mark r3 c3)", or as much as is clear, "r3 c3" or "3 3". You can ask
for the legal moves, a hint, or your last move back; type help to see how.

` + agentHelp,
		Example: `  ludus play quad-5x5 net:runs/quad-5x5
  ludus play breakthrough-6x6 mcts:500 --side black`,
		Args:              arguments(2, 2),
		ValidArgsFunction: completeGames,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := games.New(args[0])
			if err != nil {
				return err
			}
			person, err := seat(game, side)
			if err != nil {
				return usage(cmd, err)
			}
			spec, err := loadAgent(cmd, game, args[1])
			if err != nil {
				return err
			}
			agent, err := spec.New(seed)
			if err != nil {
				return err
			}
			return output(cmd, func(w io.Writer) error {
				return terminal.New(game, agent, spec.String(), person, w).Play(cmd.Context(), cmd.InOrStdin())
			})
		},
	}
	cmd.Flags().StringVar(&side, "side", "first", "your side: first, second or its name")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "where the agent's randomness comes from")
	return cmd
}

// seat finds the player that a text names.
func seat(game *env.Game, text string) (env.Player, error) {
	sides := []string{"first", "second", game.Players[0], game.Players[1]}
	i := slices.IndexFunc(sides, func(side string) bool { return strings.EqualFold(side, text) })
	if i < 0 {
		return 0, fmt.Errorf("--side %s: it must be first (%s) or second (%s)", text, game.Players[0], game.Players[1])
	}
	return env.Player(i % 2), nil
}
