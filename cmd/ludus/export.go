package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ludus/checkpoints"
	"ludus/cmd/ludus/internal/page"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/onnx"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// exportFormat is a way to write a network.
type exportFormat struct {
	name, extension string
	marshal         func(game *env.Game, w *infer.Weights, from agent.Origin) ([]byte, error)
}

var formats = []exportFormat{
	{"weights", ".safetensors", func(_ *env.Game, w *infer.Weights, _ agent.Origin) ([]byte, error) { return w.Marshal(), nil }},
	{"onnx", ".onnx", marshalONNX},
	{"html", ".html", marshalHTML},
}

func formatNames() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

func marshalONNX(game *env.Game, w *infer.Weights, _ agent.Origin) ([]byte, error) {
	version, _ := build()
	return onnx.Marshal(game, w, version)
}

// marshalHTML makes a page. It goes to other people, so it names the run without the folders that it lies in.
func marshalHTML(game *env.Game, w *infer.Weights, from agent.Origin) ([]byte, error) {
	if path, err := filepath.Abs(from.Path); err == nil {
		from.Path = filepath.Base(path)
	}
	return (&page.Page{Game: game, Weights: w, Origin: sourceOf(from)}).HTML()
}

// sourceOf says where weights are from.
func sourceOf(from agent.Origin) string {
	if from.Generation < 0 {
		return from.Path
	}
	return fmt.Sprintf("%s, generation %d", from.Path, from.Generation)
}

// gameOf is the game that weights play. It is an error if there is none, in this version.
func gameOf(w *infer.Weights) (*env.Game, error) {
	game, err := games.New(w.Config.Game)
	if err != nil {
		return nil, err
	}
	return game, w.Validate(game)
}

func exportCommand() *cobra.Command {
	var (
		format, path  string
		force, browse bool
	)
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Take a run's network away as one file",
		Long: `Writes the network of a run into one file. RUN is a run's folder, RUN@GENERATION, RUN@best, a checkpoint or weights
that were exported before.

Formats:
  weights    safetensors, named like quad-5x5.safetensors: for agents (net:FILE) and for training to start from (--from FILE)
  onnx       an ONNX model, named like quad-5x5.onnx: for other programs; IR version 8, operator set 17, any batch size;
             its metadata say how to play with it, and model/infer/onnx/examples has programs that do
  html       one page, named like quad-5x5.html, on which anybody plays the agent in a browser, with nothing else installed and
             without a connection; above 3 MB, a large network's numbers are rounded to 16 significant bits`,
		Example: `  ludus export runs/quad-5x5 --format weights
  ludus export runs/quad-5x5@best --format onnx -o best.onnx --force
  ludus export runs/quad-5x5 --format html --open`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(formats, func(f exportFormat) bool { return f.name == format })
			if format == "" {
				return usage(cmd, fmt.Errorf("--format is missing; the formats are: %s", formatNames()))
			}
			if i < 0 {
				return usage(cmd, fmt.Errorf("--format is %q; the formats are: %s", format, formatNames()))
			}
			if browse && format != "html" {
				return usage(cmd, errors.New("--open shows a page: give --format html too"))
			}
			if path == "-" {
				return usage(cmd, errors.New("-o -: networks are not written to a stream; name a file"))
			}
			weights, origin, err := rundir.LoadWeights(agent.ParseReference(args[0]))
			warnDamaged(cmd, origin)
			if err != nil {
				return err
			}
			game, err := gameOf(weights)
			if err != nil {
				return fmt.Errorf("%w in %s: %w", agent.ErrWeights, args[0], err)
			}
			if path == "" {
				path = env.FileName(game.Name) + formats[i].extension
			}
			data, err := formats[i].marshal(game, weights, origin)
			if err != nil {
				return err
			}
			if err := writeNew(path, data, force); err != nil {
				return err
			}
			err = output(cmd, func(w io.Writer) error {
				origin.Path = strings.TrimSuffix(origin.Path, "/")
				_, err := fmt.Fprintf(w, "%s: the network of %s from %s\n%s", path, game.Name, sourceOf(origin), next(format, path, game.Name))
				return err
			})
			if err != nil || format != "html" {
				return err
			}
			return present(cmd, path, len(data), browse)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "what to write: "+formatNames())
	cmd.Flags().StringVarP(&path, "output", "o", "", "the file to write (default: after the game, in the current folder)")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&browse, "open", false, "open the page in the browser")
	return cmd
}

// next is a line on what to do with a file that was written; present has that of a page.
func next(format, path, game string) string {
	switch format {
	case "weights":
		return "play it: " + commandLine([]string{"play", game, "net:" + path}) + "\n"
	case "onnx":
		return "its metadata say how to use it; model/infer/onnx/examples has programs that do, in Python and JavaScript\n"
	}
	return ""
}

// present says how to open a page that was written, or opens it.
func present(cmd *cobra.Command, path string, size int, browse bool) error {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // of a drive
	}
	address := (&url.URL{Scheme: "file", Path: path}).String()
	if size > page.MaxBytes {
		fmt.Fprintf(cmd.ErrOrStderr(), "ludus: warning: the page is larger than %.0f MB: its network is\n", page.MaxBytes/1e6)
	}
	err := output(cmd, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%.2f MB, complete in itself; any browser opens it: %s\n", float64(size)/1e6, address)
		return err
	})
	if err == nil && browse {
		openBrowser(cmd, address)
	}
	return err
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
