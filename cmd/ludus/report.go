package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/report"
)

func reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report RUN",
		Short: "Write a page that shows what a run has come to",
		Long: `Writes RUN/report.html, one page for the browser with everything in it, and its plots as SVG files in RUN/plots: learning
curves, strength with intervals, speed, replay and a few sample games with the search's thoughts, played now. The run may be
in training. Training writes the page itself now and then, without games, and the whole report at its end.`,
		Example: `  ludus report runs/quad-5x5`,
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			warnings, err := report.Write(cmd.Context(), args[0], report.Full)
			for _, w := range warnings {
				fmt.Fprintf(cmd.ErrOrStderr(), "ludus: warning: %s\n", w)
			}
			if err != nil {
				return err
			}
			return output(cmd, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s\n", filepath.Join(args[0], report.FileName))
				return err
			})
		},
	}
}
