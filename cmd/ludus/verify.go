package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ludus/env"
	"ludus/env/games"
)

func verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify GAME FILE...",
		Short: "Replay games of another implementation and compare every position",
		Long: `Replays games recorded by another implementation of the rules and compares the player to move and the legal
moves in every position, and both players' goals (final scores) at the end of each game. It prints the counts, or the
first difference. docs/FILES.md, "Transcript", describes the files, which look like this:

    game 1
    red 4 (mark r1 c1) | (mark r1 c1);(mark r1 c2);(mark r2 c1);(mark r2 c2);
    blue 3 (mark r2 c2) | (mark r1 c2);(mark r2 c1);(mark r2 c2);
    red 2 (mark r2 c1) | (mark r1 c2);(mark r2 c1);
    goals red=[100] blue=[0]`,
		Example: "  ludus verify golden-rectangle games.txt",
		Args:    arguments(2, -1),
		RunE:    onGame(verify),
	}
}

// verify replays the games in each file and prints a line about each file.
func verify(cmd *cobra.Command, game *env.Game, paths []string) error {
	for _, path := range paths {
		file, err := openGames(cmd, path)
		if err != nil {
			return err
		}
		report, err := games.VerifyTranscript(game, file)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if len(paths) > 1 {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: ", path)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "ok: %d games, %d positions\n", report.Games, report.Positions)
	}
	return nil
}
