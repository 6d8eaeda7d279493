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

// exportFormat is a file format for a network.
type exportFormat struct {
	name, extension string
	marshal         func(game *env.Game, w *infer.Weights, from agent.Origin) ([]byte, error)
}

var formats = []exportFormat{
	{"html", ".html", marshalHTML},
	{"weights", ".safetensors", func(_ *env.Game, w *infer.Weights, _ agent.Origin) ([]byte, error) { return w.Marshal(), nil }},
	{"onnx", ".onnx", marshalONNX},
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

// marshalHTML returns a page. The page may be published, so it names the run without its parent folders.
func marshalHTML(game *env.Game, w *infer.Weights, from agent.Origin) ([]byte, error) {
	if path, err := filepath.Abs(from.Path); err == nil {
		from.Path = filepath.Base(path)
	}
	return (&page.Page{Game: game, Weights: w, Origin: describeOrigin(from)}).HTML()
}

// describeOrigin names the source of weights.
func describeOrigin(from agent.Origin) string {
	if from.Generation < 0 {
		return from.Path
	}
	return fmt.Sprintf("%s, generation %d", from.Path, from.Generation)
}

// gameOf returns the game of weights. It fails if they do not fit the game.
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
		Short: "Write a run's network to one file",
		Long: `Writes the network of a run to one file. RUN is a run's folder, RUN@GENERATION, RUN@best, a checkpoint or a weights file. The
file is named after the game and the format, in the current folder, unless -o names it. An existing file is replaced only
with --force.

Formats:
  html       a page to play against the network in any browser, without installation or connection; networks above 3 MB are
             rounded to 16 significant bits
  weights    safetensors, for agents (net:FILE) and as a start for training (--from FILE)
  onnx       an ONNX model for other programs: IR version 8, operator set 17, any batch size; its metadata explain its use,
             and model/infer/onnx/examples has programs`,
		Example: `  ludus export runs/quad-5x5 --open
  ludus export runs/quad-5x5 --format weights
  ludus export runs/quad-5x5@best --format onnx -o best.onnx --force`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(formats, func(f exportFormat) bool { return f.name == format })
			if i < 0 {
				return usage(cmd, fmt.Errorf("--format is %q; the formats are: %s", format, formatNames()))
			}
			if browse && format != "html" {
				return usage(cmd, errors.New("--open needs --format html"))
			}
			if path == "-" {
				return usage(cmd, errors.New("-o -: networks cannot be written to a stream; name a file"))
			}
			weights, origin, err := rundir.LoadWeights(agent.ParseReference(args[0]))
			warnDamaged(cmd, origin)
			if err != nil {
				return explainFolder(args[0], err)
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
				_, err := fmt.Fprintf(w, "%s: the network of %s from %s\n%s", path, game.Name, describeOrigin(origin), next(format, path, game.Name))
				return err
			})
			if err != nil || format != "html" {
				return err
			}
			return present(cmd, path, len(data), browse)
		},
	}
	cmd.Flags().StringVar(&format, "format", "html", "file format: "+formatNames())
	cmd.Flags().StringVarP(&path, "output", "o", "", "the file to write (default: GAME.EXTENSION in the current folder)")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&browse, "open", false, "open the page in the browser")
	return cmd
}

// next says how to use a file; for pages present does.
func next(format, path, game string) string {
	switch format {
	case "weights":
		return "play it: " + commandLine([]string{"play", game, "net:" + path}) + "\n"
	case "onnx":
		return "its metadata explain its use; model/infer/onnx/examples has programs in Python and JavaScript\n"
	}
	return ""
}

// present prints the address of a page, and opens it if browse is set.
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
		warn(cmd, fmt.Sprintf("the page is larger than %.0f MB, because its network is", page.MaxBytes/1e6))
	}
	err := output(cmd, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%.2f MB, self-contained; open it in any browser: %s\n", float64(size)/1e6, address)
		return err
	})
	if err == nil && browse {
		openBrowser(cmd, address)
	}
	return err
}

// writeNew writes a file atomically. It replaces an existing file only with force. It keeps a symbolic link and replaces the
// file that the link leads to.
func writeNew(path string, data []byte, force bool) error {
	if err := checkNew(path, force); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return checkpoints.WriteFile(path, data)
}

// checkNew returns an error if writeNew would refuse to write to path.
func checkNew(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is a link to a missing file; name another file", path)
		}
		_, err := os.Stat(filepath.Dir(path))
		return err
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; name another file", path)
	case !force:
		return fmt.Errorf("%s exists; --force replaces it", path)
	}
	return nil
}

// explainFolder replaces the error of reading a run if dir is a folder of runs.
func explainFolder(dir string, err error) error {
	if rundir.Is(dir) {
		return err
	}
	var runs []string
	entries, _ := os.ReadDir(dir) // without entries it is no folder of runs
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); rundir.Is(path) {
			runs = append(runs, path)
		}
	}
	if len(runs) == 0 {
		return err
	}
	return fmt.Errorf("%s is a folder of runs; name one of them: %s", dir, strings.Join(runs, ", "))
}
