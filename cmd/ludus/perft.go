package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ludus/env"
	"ludus/env/games"
)

func perftCommand() *cobra.Command {
	var depth int
	cmd := &cobra.Command{
		Use:   "perft GAME",
		Short: "Count move sequences by length, to check the rules",
		Long: `Prints a line "DEPTH COUNT" for each depth from 1 to N: the number of move sequences of that length from the
start. They check the rules against known counts.`,
		Example: "  ludus perft breakthrough-6x6 --depth 4",
		Args:    arguments(1, 1),
		RunE: onGame(func(cmd *cobra.Command, game *env.Game, _ []string) error {
			if depth < 1 || depth > game.MaxPlies {
				return usage(cmd, fmt.Errorf("--depth %d: in %s it must be from 1 to %d", depth, game.Name, game.MaxPlies))
			}
			for d := 1; d <= depth; d++ {
				count, err := games.Perft(cmd.Context(), game, d)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), d, count)
			}
			return nil
		}),
	}
	cmd.Flags().IntVar(&depth, "depth", 3, "maximum number of moves")
	return cmd
}
