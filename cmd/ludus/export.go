package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/arena"
)

func exportCommand() *cobra.Command {
	var (
		format, path string
		force        bool
	)
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Take a run's network away as one file",
		Long: `Writes the network of a run into one file that describes itself, for agents (net:FILE) and for training to start
from (--from FILE). RUN is a run's folder, RUN@GENERATION, RUN@best, a checkpoint or a file that was exported before.

Formats:
  weights    safetensors, named like quad-5x5.safetensors`,
		Example: `  ludus export runs/quad-5x5 --format weights
  ludus export runs/quad-5x5@best --format weights -o best.safetensors --force`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "weights" {
				return usage(cmd, fmt.Errorf("--format is %q; the formats are: weights", format))
			}
			if path == "-" {
				return usage(cmd, errors.New("-o -: weights are not written to a stream; name a file"))
			}
			weights, origin, err := arena.ReadWeights(args[0])
			warnDamaged(cmd, origin)
			if err != nil {
				return err
			}
			if path == "" {
				path = env.FileName(weights.Config.Game) + ".safetensors"
			}
			if err := writeNew(path, weights.Marshal(), force); err != nil {
				return err
			}
			return output(cmd, func(w io.Writer) error {
				from := strings.TrimSuffix(args[0], "/")
				if origin.Generation >= 0 {
					from = fmt.Sprintf("%s, generation %d", origin.Path, origin.Generation)
				}
				_, err := fmt.Fprintf(w, "%s: the network of %s from %s\n", path, weights.Config.Game, from)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "what to write: weights")
	cmd.Flags().StringVarP(&path, "output", "o", "", "the file to write (default: after the game, in the current folder)")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cmd
}

// writeNew writes a file whole or not at all, and replaces one that exists only with force; a symbolic link stays, and
// what it leads to is replaced.
func writeNew(path string, data []byte, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is a link to nowhere; name another", path)
		}
		return checkpoints.WriteFile(path, data)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file; name another", path)
	case !force:
		return fmt.Errorf("%s exists; --force replaces it", path)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return checkpoints.WriteFile(target, data)
}
