package main

import (
	"errors"
	"fmt"
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
	"ludus/env/naming"
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
	{"weights", ".safetensors", marshalWeights},
	{"onnx", ".onnx", marshalONNX},
}

func marshalWeights(_ *env.Game, w *infer.Weights, _ agent.Origin) ([]byte, error) {
	return w.Marshal(), nil
}

func marshalHalf(_ *env.Game, w *infer.Weights, _ agent.Origin) ([]byte, error) {
	return w.MarshalHalf(), nil
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

// marshalHTML returns an exported page. It may be published, so it names the run without its parent folders.
func marshalHTML(game *env.Game, w *infer.Weights, from agent.Origin) ([]byte, error) {
	if path, err := filepath.Abs(from.Path); err == nil && from.Path != agent.Zoo {
		from.Path = filepath.Base(path)
	}
	return (&page.Page{Game: game, Weights: w, Origin: describeOrigin(from), Dial: from.Dial}).HTML()
}

// describeOrigin returns the path of the weights and, if known, their generation.
func describeOrigin(from agent.Origin) string {
	if from.Path == agent.Zoo {
		if from.TrainedOn != "" {
			return "the agents shipped with ludus, trained on " + from.TrainedOn
		}
		return "the agents shipped with ludus"
	}
	if from.Generation < 0 {
		return from.Path
	}
	return fmt.Sprintf("%s, generation %d", from.Path, from.Generation)
}

// gameOf returns the game of the weights. It returns an error if they do not fit that game.
func gameOf(w *infer.Weights) (*env.Game, error) {
	game, err := games.Restore(w.Config.Game, w.Config.Sheet)
	if err != nil {
		return nil, err
	}
	return game, w.Validate(game)
}

func exportCommand() *cobra.Command {
	var (
		format, path, name  string
		half, force, browse bool
	)
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a run's network, or a shipped one, to one file",
		Long: `Writes the network of a run to one file. RUN is a run's folder, RUN@GENERATION, RUN@best, a checkpoint or a weights file; "zoo"
is the network shipped for the game that --game names. The file is named after the game and the format, in the current folder,
unless -o names it. An existing file is replaced only with --force.

Formats:
  html       a page to play against the network in any browser, without installation or network connection
  weights    safetensors, for agents (net:FILE) and as a start for training (--from FILE); --half rounds them to half
             precision, which halves the file and hardly changes how the agent plays
  onnx       an ONNX model for other programs: IR version 8, operator set 17, any batch size; its metadata explain its use,
             and model/infer/onnx/examples has programs`,
		Example: `  ludus export runs/quad-5x5 --open
  ludus export runs/quad-5x5 --format weights --half
  ludus export zoo --game quad-5x5 --open
  ludus export runs/quad-5x5@best --format onnx -o best.onnx --force`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if of := slices.IndexFunc(formats, func(f exportFormat) bool { return f.extension == filepath.Ext(path) }); of >= 0 {
				if named := formats[of].name; !cmd.Flags().Changed("format") {
					format = named
				} else if format != named {
					return usage(cmd, fmt.Errorf("-o %s: files of --format %s do not end in %s", path, format, formats[of].extension))
				}
			}
			i := slices.IndexFunc(formats, func(f exportFormat) bool { return f.name == format })
			if i < 0 {
				return usage(cmd, fmt.Errorf("--format is %q; the formats are: %s", format, formatNames()))
			}
			if browse && format != "html" {
				return usage(cmd, errors.New("--open needs --format html"))
			}
			marshal := formats[max(i, 0)].marshal
			if half {
				if format != "weights" {
					return usage(cmd, errors.New("--half needs --format weights"))
				}
				marshal = marshalHalf
			}
			if path == "-" {
				return usage(cmd, errors.New("-o -: networks cannot be written to a stream; name a file"))
			}
			if (args[0] == agent.Zoo) != (name != "") {
				return usage(cmd, errors.New("zoo needs --game, the game of the shipped network, and only zoo does; a folder zoo is ./zoo"))
			}
			game, weights, origin, err := loadNetwork(args[0], name)
			warnDamaged(cmd, origin)
			if err != nil {
				return err
			}
			if path == "" {
				path = naming.FileName(game.Name) + formats[i].extension
			}
			data, err := marshal(game, weights, origin)
			if err != nil {
				return err
			}
			if err := writeNew(path, data, force); err != nil {
				return err
			}
			origin.Path = strings.TrimSuffix(origin.Path, "/")
			fmt.Fprintf(cmd.OutOrStdout(), "%s: the network of %s from %s\n", path, game.Name, describeOrigin(origin))
			switch format {
			case "weights":
				fmt.Fprintf(cmd.OutOrStdout(), "play it: %s\n", commandLine([]string{"play", nameIn(game, path), agent.NetSpec(path).String()}))
			case "onnx":
				fmt.Fprintf(cmd.OutOrStdout(), "%.2f MB; input [batch, %d planes, %d rows, %d columns]; outputs: policy of %d entries, and values\n", float64(len(data))/1e6,
					game.Tensor.C, game.Tensor.H, game.Tensor.W, game.NumActions())
				fmt.Fprintln(cmd.OutOrStdout(), "its metadata explain its use; model/infer/onnx/examples has programs that play Quad with such models, in Python and JavaScript")
			case "html":
				presentPage(cmd, path, len(data), browse)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "html", "file format: "+formatNames()+"; -o FILE.onnx and FILE.safetensors choose it, too")
	cmd.Flags().StringVarP(&path, "output", "o", "", "the file to write (default: GAME.EXTENSION in the current folder)")
	cmd.Flags().StringVar(&name, "game", "", "with zoo, the game")
	cmd.Flags().BoolVar(&half, "half", false, "with --format weights, write half precision")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&browse, "open", false, "open the page in the browser")
	return cmd
}

// loadNetwork loads the network of a run, checkpoint or file, or the one shipped for the named game.
func loadNetwork(path, name string) (game *env.Game, weights *infer.Weights, origin agent.Origin, err error) {
	if name != "" {
		if game, err = games.New(name); err != nil {
			return nil, nil, origin, err
		}
		weights, origin, err = loader(game)(agent.ZooSpec().Network)
	} else if sheet, ok := games.SheetPath(path); ok && filepath.Ext(sheet) == ".kif" {
		run := "runs/" + naming.FileName(strings.TrimSuffix(filepath.Base(sheet), filepath.Ext(sheet)))
		return nil, nil, origin, fmt.Errorf("%s is a rule sheet and has no network; train one first: %s, then %s", sheet,
			commandLine([]string{"train", sheet, "--run", run}), commandLine([]string{"export", run}))
	} else {
		weights, origin, err = rundir.LoadWeights(agent.ParseReference(path))
	}
	if err != nil {
		return nil, nil, origin, explainFolder(path, err)
	}
	if game, err = gameOf(weights); err != nil {
		err = fmt.Errorf("%w in %s: %w", agent.ErrWeights, path, err)
	}
	return game, weights, origin, err
}

// presentPage prints the address of a page, and opens it if browse is set.
func presentPage(cmd *cobra.Command, path string, size int, browse bool) {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // on Windows, where a path begins like C:/
	}
	address := (&url.URL{Scheme: "file", Path: path}).String()
	fmt.Fprintf(cmd.OutOrStdout(), "%.2f MB, self-contained; open it in any browser: %s\n", float64(size)/1e6, address)
	if browse {
		openBrowser(cmd, address)
	}
}

// writeNew writes a file atomically. It replaces an existing file only with force. If path is a symbolic link, it replaces
// the file that the link leads to.
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

// explainFolder turns the error for a folder that is no run into one that helps: it lists the runs in the folder. It
// returns other errors unchanged.
func explainFolder(dir string, err error) error {
	if rundir.Is(dir) || dir == agent.Zoo {
		return err
	}
	if run, ok := strings.CutPrefix(dir, agent.NetSpec("").String()); ok {
		return fmt.Errorf("%w; a run is named by its folder alone: %s", err, run)
	}
	var runs []string
	entries, _ := os.ReadDir(dir) // an unreadable folder counts as empty
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); rundir.Is(path) {
			runs = append(runs, path)
		}
	}
	if len(runs) == 0 {
		return fmt.Errorf("%w; name a run, such as runs/quad-5x5; \"ludus train\" makes one", err)
	}
	return fmt.Errorf("%s is a folder of runs; name one of them: %s", dir, strings.Join(runs, ", "))
}
