package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ludus/env/games"
)

func perftCommand() *cobra.Command {
	var depth int
	cmd := &cobra.Command{
		Use:   "perft GAME",
		Short: "Count the positions after 1, 2, ... moves, to check the rules",
		Long: `Counts the positions after exactly 1, 2, ..., N moves from the start, each path separately, one line "DEPTH COUNT"
each: a check of the rules against known numbers.`,
		Example:           "  ludus perft breakthrough-6x6 --depth 4",
		Args:              arguments(1, 1),
		ValidArgsFunction: completeGames,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := games.New(args[0])
			if err != nil {
				return err
			}
			if depth < 1 || depth > game.MaxPlies {
				return usage(cmd, fmt.Errorf("--depth is %d; in %s it must lie between 1 and %d", depth, game.Name, game.MaxPlies))
			}
			return output(cmd, func(w io.Writer) error {
				for d := 1; d <= depth; d++ {
					count, err := games.Perft(cmd.Context(), game, d)
					if err != nil {
						return err
					}
					fmt.Fprintln(w, d, count)
				}
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&depth, "depth", 3, "count up to this many moves")
	return cmd
}
