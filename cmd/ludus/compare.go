package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/report"
)

func compareCommand() *cobra.Command {
	var (
		path  string
		force bool
	)
	cmd := &cobra.Command{
		Use:   "compare RUN RUN...",
		Short: "Compare the learning curves of runs of one game",
		Long: `Writes a page with the learning curves of two or more runs of one game, by generations, games or seconds of training. The
page needs no network connection. An existing file is replaced only with --force. "ludus arena" plays a match between the
agents of two runs.`,
		Example: `  ludus compare runs/quad-5x5 runs/quad-5x5-wide
  ludus compare runs/* -o quad.html --force`,
		Args: arguments(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := readRuns(cmd, args)
			if err != nil {
				return err
			}
			page, err := report.Compare(runs...).HTML()
			if err != nil {
				return err
			}
			err = writeNew(path, page, force)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), path)
			return nil
		},
	}
	cmd.Flags().StringVarP(&path, "output", "o", "compare.html", "the page to write")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cmd
}

// readRuns reads runs, which must be of one game. Runs whose folders have equal names are named by their paths.
func readRuns(cmd *cobra.Command, dirs []string) ([]*report.Run, error) {
	var runs []*report.Run
	names := make(map[string]int)
	for _, dir := range dirs {
		run, err := report.ReadRun(dir)
		if err != nil {
			return nil, explainFolder(dir, err)
		}
		runs = append(runs, run)
		names[run.Name]++
		if first := runs[0]; run.Game.Name != first.Game.Name {
			return nil, fmt.Errorf("%s is a run of %s and %s one of %s; compare runs of one game",
				first.Dir, first.Game.Name, dir, run.Game.Name)
		}
		for _, w := range run.Warnings {
			warn(cmd, oneLine(errors.New(w)))
		}
	}
	for _, run := range runs {
		if names[run.Name] > 1 {
			run.Name = filepath.Clean(run.Dir)
		}
	}
	return runs, nil
}
