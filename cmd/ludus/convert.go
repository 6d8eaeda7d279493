package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/gamefile"
	"ludus/cmd/ludus/internal/terminal"
	"ludus/env"
)

func convertCommand() *cobra.Command {
	var (
		c          converter
		to, output string
		force      bool
	)
	cmd := &cobra.Command{
		Use:   "convert GAME FILE...",
		Short: "Convert files of games: SGF, GGF, lists of moves, match records",
		Long: `Reads the games of files and writes them in another format. FILE may be - for the standard input. Formats are

  sgf         SGF of Othello, Gomoku and Hex programs; in Gomoku and Hex a position set up by AB and AW becomes opening
              moves; other games have their name in a private property
  ggf         GGF, Othello as GGS and NBoard write it
  moves       a game per line, its moves in any form that "ludus play" reads: "c3 block d4", "F5D6C3", "1. d 2. e"; of
              Connect Four also the columns as digits, "44453"; {comments} are skipped. A game with tags as in PGN,
              [Black "Ada"], may take several lines and have (variations), which are skipped, too
  json        a game per line as JSON; also the files of "ludus arena --record", which are read only
  transcript  as "ludus verify" reads it, which also compares the legal moves; read only

The content of a file tells its format, or else its name does. Every move is checked. The first wrong game ends the
conversion with an error that says where it is.`,
		Example: `  ludus convert hex-13x13 games.hsgf --to moves
  ludus convert othello GGS.ggf --skip-bad -o games.sgf
  ludus convert quad-5x5 match.jsonl --to sgf
  ludus convert hex-7x7 puzzle.sgf games.pgn --skip-bad --to json
  echo F5D6C3D3C4 | ludus convert othello - --to json`,
		Args: arguments(2, -1),
		RunE: onGame(func(cmd *cobra.Command, game *env.Game, paths []string) (err error) {
			c.cmd, c.game = cmd, game
			if output != "" && to == "" && gamefile.FormatOf(output) == "" {
				return usage(cmd, fmt.Errorf("--output %s: the name must end in .sgf, .ggf, .txt or .jsonl, or --to must name the format", output))
			}
			c.to = cmp.Or(gamefile.Format(to), gamefile.FormatOf(output), gamefile.SGF)
			_, err = gamefile.Text(gamefile.New(game, nil), c.to)
			if err != nil {
				return usage(cmd, err)
			}
			write := func(w io.Writer) (err error) {
				c.w = bufio.NewWriter(w)
				for _, path := range paths {
					err = c.convert(path)
					if err != nil {
						break
					}
				}
				if err == nil && c.games == 0 {
					err = errors.New("no game could be read")
				}
				return errors.Join(err, c.w.Flush())
			}
			if output == "" {
				err = write(cmd.OutOrStdout())
			} else {
				err = writeStream(output, force, write)
			}
			if err != nil {
				return err
			}
			if output != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "%s in %s\n", terminal.Counted(c.games, "game"), output)
			}
			if c.skipped > 0 {
				warn(cmd, terminal.Counted(c.skipped, "game")+" skipped")
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&to, "to", "", "format to write (default: by the name of --output, else sgf)")
	flags.StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	flags.BoolVar(&force, "force", false, "replace the output if it exists")
	flags.BoolVar(&c.skipBad, "skip-bad", false, "skip wrong games, with a warning for each")
	return cmd
}

// converter reads files of games and writes the games.
type converter struct {
	cmd     *cobra.Command
	game    *env.Game
	to      gamefile.Format
	w       *bufio.Writer
	skipBad bool
	games   int // written
	skipped int
}

// convert converts the games of a file.
func (c *converter) convert(path string) error {
	for record, err := range gamesOf(c.cmd.Context(), c.cmd, c.game, path, c.skipBad) {
		if c.skipBad && errors.As(err, new(*gamefile.Error)) {
			warn(c.cmd, err.Error())
			c.skipped++
			continue
		}
		text := ""
		if err == nil {
			text, err = gamefile.Text(record, c.to)
		}
		if err == nil {
			_, err = c.w.WriteString(text)
		}
		if err != nil {
			return err
		}
		c.games++
	}
	return nil
}

// gamesOf reads the games of a file. If skipBad is set, it goes on after the error of a wrong game, which wraps a
// [*gamefile.Error]. Other errors end it, as does the end of ctx; a file without games is an error.
func gamesOf(ctx context.Context, cmd *cobra.Command, game *env.Game, path string, skipBad bool) iter.Seq2[*gamefile.Record, error] {
	return func(yield func(*gamefile.Record, error) bool) {
		file, err := openGames(cmd, path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		defer context.AfterFunc(ctx, func() { file.Close() })() // ends a pending Read
		r, err := gamefile.NewReader(game, file, path, "")
		var record *gamefile.Record
		for seen := 0; err == nil; seen++ {
			record, err = r.Next()
			isBad := errors.As(err, new(*gamefile.Error))
			switch {
			case ctx.Err() != nil:
				err = ctx.Err()
			case errors.Is(err, io.EOF) && seen > 0:
				return
			case errors.Is(err, io.EOF):
				err = errors.New("there is no game")
			case isBad && !skipBad:
				err = fmt.Errorf("%w; --skip-bad skips such games", err)
			case isBad:
				if !yield(nil, fmt.Errorf("%s: %w", path, err)) {
					return
				}
				err = nil
			case err == nil && !yield(record, nil):
				return
			}
		}
		yield(nil, fmt.Errorf("%s: %w", path, err))
	}
}

// openGames opens a file of games, or the standard input, which is called -.
func openGames(cmd *cobra.Command, path string) (io.ReadCloser, error) {
	if path == "-" {
		return input(cmd), nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name a file", path)
	}
	return os.Open(path)
}

// writeStream writes a file atomically: if write fails, there is no new file. It replaces an existing file only with
// force. If path is a symbolic link, it replaces the file that the link leads to.
func writeStream(path string, force bool, write func(w io.Writer) error) error {
	err := checkNew(path, force)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	file, err := os.Create(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp"))
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name()) // the first error matters
	}
	return err
}
