package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ludus/train/check"
)

// errDamagedRun makes check exit with an error after it has printed the faults.
var errDamagedRun = errors.New("the run is damaged")

func checkCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check RUN",
		Short: "Verify the files of a run",
		Long: `Reads what a run needs to continue: checksums of checkpoints and games, each finished game by the rules, the
lines of metrics, matches and suite results, and the totals of each checkpoint against the games and metrics before it.
It prints each fault with its file and exits with 1 if there is one. It changes nothing; "ludus train" continues a
damaged run from what is intact.`,
		Example: "  ludus check runs/quad-5x5",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := check.Run(cmd.Context(), args[0])
			if err != nil {
				return explainFolder(args[0], err)
			}
			if asJSON {
				if err := printJSON(cmd, report); err != nil {
					return err
				}
			} else {
				writeCheck(cmd, report)
			}
			if n := len(report.Faults); n > 0 {
				return fmt.Errorf("%s: %w: %d faults", args[0], errDamagedRun, n)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as one line of JSON")
	return cmd
}

// writeCheck prints the faults of a run, then what was checked.
func writeCheck(cmd *cobra.Command, r *check.Report) {
	for _, fault := range r.Faults {
		fmt.Fprintln(cmd.OutOrStdout(), fault)
	}
	fmt.Fprintf(cmd.OutOrStdout(),
		"%s, generation %d: %d checkpoints are intact, %d games with %d searched positions follow the rules\n",
		r.Game, r.Generation, r.Checkpoints, r.Games, r.Positions)
	if len(r.Faults) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no fault was found")
	}
}
