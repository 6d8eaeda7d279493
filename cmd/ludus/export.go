package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/onnx"
	"ludus/train/arena"
)

// exportFormat is a way to write a network.
type exportFormat struct {
	name, extension string
	marshal         func(w *infer.Weights) ([]byte, error)
}

var formats = []exportFormat{
	{"weights", ".safetensors", func(w *infer.Weights) ([]byte, error) { return w.Marshal(), nil }},
	{"onnx", ".onnx", marshalONNX},
}

func formatNames() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

func marshalONNX(w *infer.Weights) ([]byte, error) {
	game, err := games.New(w.Config.Game)
	if err != nil {
		return nil, err
	}
	version, _ := build()
	return onnx.Marshal(game, w, version)
}

func exportCommand() *cobra.Command {
	var (
		format, path string
		force        bool
	)
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Take a run's network away as one file",
		Long: `Writes the network of a run into one file. RUN is a run's folder, RUN@GENERATION, RUN@best, a checkpoint or weights
that were exported before.

Formats:
  weights    safetensors, named like quad-5x5.safetensors: for agents (net:FILE) and for training to start from (--from FILE)
  onnx       an ONNX model, named like quad-5x5.onnx: for other programs; IR version 8, operator set 17, any batch size;
             its metadata say how to play with it, and model/infer/onnx/examples has programs that do`,
		Example: `  ludus export runs/quad-5x5 --format weights
  ludus export runs/quad-5x5@best --format onnx -o best.onnx --force`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(formats, func(f exportFormat) bool { return f.name == format })
			if i < 0 {
				return usage(cmd, fmt.Errorf("--format is %q; the formats are: %s", format, formatNames()))
			}
			if path == "-" {
				return usage(cmd, errors.New("-o -: networks are not written to a stream; name a file"))
			}
			weights, origin, err := arena.ReadWeights(args[0])
			warnDamaged(cmd, origin)
			if err != nil {
				return err
			}
			if path == "" {
				path = env.FileName(weights.Config.Game) + formats[i].extension
			}
			data, err := formats[i].marshal(weights)
			if err != nil {
				return err
			}
			if err := writeNew(path, data, force); err != nil {
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
	cmd.Flags().StringVar(&format, "format", "", "what to write: "+formatNames())
	cmd.Flags().StringVarP(&path, "output", "o", "", "the file to write (default: after the game, in the current folder)")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cmd
}

// writeNew writes a file whole or not at all, and replaces one that exists only with force; a symbolic link stays, and
// what it leads to is replaced.
func writeNew(path string, data []byte, force bool) error {
	if err := checkNew(path, force); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return checkpoints.WriteFile(path, data)
}

// checkNew says whether writeNew may write to path, as far as can be told without writing.
func checkNew(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is a link to nowhere; name another", path)
		}
		_, err := os.Stat(filepath.Dir(path))
		return err
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file; name another", path)
	case !force:
		return fmt.Errorf("%s exists; --force replaces it", path)
	}
	return nil
}
