package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/report"
)

func reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report RUN",
		Short: "Write a page about a run",
		Long: `Writes RUN/report.html, a page with everything in it: learning curves, strength with intervals, speed, replay
and the newest self-play games. The run may be in training. Training writes the page itself from time to time. Files
that ludus keeps in a run's folder, such as this page, are replaced without --force; files elsewhere are not (see export
and compare).`,
		Example: `  ludus report runs/quad-5x5`,
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			warnings, err := report.Write(args[0])
			for _, w := range warnings {
				warn(cmd, w)
			}
			if err != nil {
				return explainFolder(args[0], err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(args[0], report.FileName))
			return nil
		},
	}
}
