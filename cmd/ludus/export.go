package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/page"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/naming"
	"ludus/model/infer"
	"ludus/model/infer/onnx"
	"ludus/train/agent"
	"ludus/train/book"
	"ludus/train/rundir"
)

// formats are the file formats of networks.
var formats = []struct{ name, extension string }{{"html", ".html"}, {"weights", ".safetensors"}, {"onnx", ".onnx"}}

// formatNames lists the names of the formats for people.
func formatNames() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// marshal returns the file of a network in the format.
func (f *exportFlags) marshal(game *env.Game, w *infer.Weights, from agent.Origin) ([]byte, error) {
	switch {
	case f.format == "weights" && f.half:
		return w.MarshalHalf(), nil
	case f.format == "weights":
		return w.Marshal(), nil
	case f.format == "onnx":
		version, _ := build()
		return onnx.Marshal(game, w, version)
	}
	// The page may be published, so it names the run without its parent folders.
	if path, err := filepath.Abs(from.Path); err == nil && from.Path != agent.Zoo {
		from.Path = filepath.Base(path)
	}
	p := &page.Page{Game: game, Weights: w, Origin: describeOrigin(from), Dial: from.Dial}
	if f.book != "" {
		var err error
		p.Book, err = readBook(f.book, game)
		if err != nil {
			return nil, err
		}
	}
	return p.HTML()
}

// readBook returns the file of an opening book for a page.
func readBook(path string, game *env.Game) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) > page.MaxBook {
		return nil, fmt.Errorf("%s: %.1f MB; a page holds a book of at most %.1f MB; make one with fewer --positions", path,
			float64(len(data))/1e6, float64(page.MaxBook)/1e6)
	}
	b, err := book.Parse(data)
	if err == nil {
		err = b.CheckGame(game)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return data, err
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

// exportFlags are the flags of the export command.
type exportFlags struct {
	format, path, game, book string
	half, force, browse      bool
}

func exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a run's network, or a shipped one, to one file",
		Long: `Writes the network of a run to one file. RUN is a run's folder, RUN@GENERATION, RUN@best, a checkpoint or a
weights file; "zoo" is the network shipped for the game that --game names. The file is named after the game and the
format, in the current folder, unless -o names it. An existing file is replaced only with --force.

Formats:
  html       a page to play against the network in any browser, without installation or network connection; --book FILE
             adds an opening book, which the network follows and the page shows
  weights    safetensors, for agents (net:FILE) and as a start for training (--from FILE); --half rounds them to half
             precision, which halves the file and hardly changes how the agent plays
  onnx       an ONNX model for other programs: IR version 8, operator set 17, any batch size; docs/ONNX.md and its metadata
             explain its use, and model/infer/onnx/examples has programs in Python and JavaScript`,
		Example: `  ludus export runs/quad-5x5 --open
  ludus export runs/quad-5x5 --format weights --half
  ludus export zoo --game quad-5x5 --open
  ludus export zoo --game hex-7x7 --book hex.book
  ludus export runs/quad-5x5@best --format onnx -o best.onnx --force`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			extension, err := f.check(cmd, args[0])
			if err != nil {
				return usage(cmd, err)
			}
			return f.run(cmd, extension, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "html",
		"file format: "+formatNames()+"; -o FILE.onnx and FILE.safetensors choose it, too")
	flags.StringVarP(&f.path, "output", "o", "", "the file to write (default: GAME.EXTENSION in the current folder)")
	flags.StringVar(&f.game, "game", "", "the game: needed with zoo; also another size of the run's board, "+
		"if its network is pooled (boards of more than 64 cells, or several sizes)")
	flags.StringVar(&f.book, "book", "", "with --format html, an opening book, which \"ludus book\" makes")
	flags.BoolVar(&f.half, "half", false, "with --format weights, write half precision")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	flags.BoolVar(&f.browse, "open", false, "open the page in the browser")
	return cmd
}

// check sets the format that the flags choose and returns its extension, or an error if they contradict each other.
func (f *exportFlags) check(cmd *cobra.Command, network string) (extension string, err error) {
	i, named := -1, -1
	for k, format := range formats {
		if strings.EqualFold(format.extension, filepath.Ext(f.path)) {
			named = k
		}
		if format.name == f.format {
			i = k
		}
	}
	if named >= 0 && !cmd.Flags().Changed("format") {
		i = named
	}
	switch {
	case i < 0:
		return "", fmt.Errorf("--format is %q; the formats are: %s", f.format, formatNames())
	case named >= 0 && named != i:
		return "", fmt.Errorf("-o %s: files of --format %s end in %s", f.path, f.format, formats[i].extension)
	case f.path == "-":
		return "", checkNew(f.path, f.force)
	case f.browse && formats[i].name != "html":
		return "", errors.New("--open needs --format html")
	case f.book != "" && formats[i].name != "html":
		return "", errors.New("--book needs --format html")
	case cmd.Flags().Changed("book") && f.book == "":
		return "", errors.New("--book needs a file")
	case f.half && formats[i].name != "weights":
		return "", errors.New("--half needs --format weights")
	case network == agent.Zoo && f.game == "":
		return "", errors.New("zoo needs --game, the game of the shipped network; a folder zoo is ./zoo")
	}
	f.format = formats[i].name
	return formats[i].extension, nil
}

// run writes the file and says how to use it.
func (f *exportFlags) run(cmd *cobra.Command, extension, network string) error {
	game, weights, origin, err := loadNetwork(cmd, network, f.game)
	warnDamaged(cmd, origin)
	if err != nil {
		return err
	}
	path := cmp.Or(f.path, naming.FileName(game.Name)+extension)
	data, err := f.marshal(game, weights, origin)
	if err != nil {
		return err
	}
	err = writeNew(path, data, f.force)
	if err != nil {
		return err
	}
	origin.Path = strings.TrimSuffix(origin.Path, "/")
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s: the network of %s from %s\n", path, game.Name, describeOrigin(origin))
	switch f.format {
	case "weights":
		fmt.Fprintf(out, "play it: %s\n", commandLine([]string{"play", nameIn(game, path), agent.NetSpec(path).String()}))
	case "onnx":
		fmt.Fprintf(out, "%.2f MB; its metadata explain its use\n", float64(len(data))/1e6)
	case "html":
		presentPage(cmd, path, len(data), f.browse)
	}
	return nil
}

// loadNetwork loads the network of a run, checkpoint or file, or the one shipped for the named game. Of a pooled
// network in a file, name may be another size of its game; "" is its own.
func loadNetwork(
	cmd *cobra.Command, path, name string,
) (game *env.Game, weights *infer.Weights, origin agent.Origin, err error) {
	var asked *env.Game
	if name != "" {
		asked, err = newGame(cmd, name)
		if err != nil {
			return nil, nil, origin, err
		}
		weights, origin, err = loader(asked)(agent.ParseReference(path))
	} else if sheet, ok := games.SheetPath(path); ok && games.IsSheet(sheet) {
		stem := strings.TrimSuffix(filepath.Base(sheet), filepath.Ext(sheet))
		run := "runs/" + cmp.Or(naming.FileName(strings.ToLower(stem)), "sheet")
		return nil, nil, origin, fmt.Errorf("%s is a rule sheet and has no network; train one first: %s, then %s", sheet,
			commandLine([]string{"train", sheet, "--run", run}), commandLine([]string{"export", run}))
	} else {
		weights, origin, err = rundir.LoadWeights(agent.ParseReference(path))
	}
	if err != nil {
		return nil, nil, origin, explainFolder(path, err)
	}
	game, err = gameOf(weights)
	if err != nil {
		err = fmt.Errorf("%w in %s: %w", agent.ErrWeights, path, err)
	} else if asked != nil && asked.Name != game.Name {
		err = fmt.Errorf("%w of %s in %s: it plays %s; only a pooled network "+
			"(of boards of more than 64 cells, or several sizes) plays other sizes", agent.ErrWeights, asked.Name, path, game.Name)
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

// writeNew writes a file atomically; see writeStream.
func writeNew(path string, data []byte, force bool) error {
	return writeStream(path, force, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// checkNew returns an error if writeStream would refuse to write to path.
func checkNew(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case path == "-":
		return usageError{errors.New("-: the output cannot be written to a stream; name a file")}
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
