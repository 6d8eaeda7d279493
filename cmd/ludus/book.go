package main

import (
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/openings"
	"ludus/cmd/ludus/internal/terminal"
	"ludus/env"
	"ludus/env/naming"
	"ludus/train/agent"
	"ludus/train/book"
)

// bookFlags are the flags of the book command.
type bookFlags struct {
	book.Options
	show  string   // book to show
	files []string // of games to count
	page  string   // page to write
	force bool
}

// deepSearch is the number of simulations per position of a network's agent that does not say sims=.
const deepSearch = 1000

func bookCommand() *cobra.Command {
	var f bookFlags
	cmd := &cobra.Command{
		Use:   "book [GAME] [AGENT]",
		Short: "Make an opening book, or show one",
		Long: fmt.Sprintf(`ludus book GAME AGENT searches the positions at the start of a game deeply, one by one, and writes them as a book. It
begins with those that a player who follows the book, in either seat, reaches most probably: after the book's best moves
and the opponent's plausible replies. Symmetric positions count as one. The value of a position follows from the positions
after it. Agents play the book's moves with option book=FILE, as in zoo,book=hex.book or mcts:1000,book=hex.book.

An agent with a network uses sims=%d,solve=%d unless it says sims= or solve=; it may not have a time limit.
The same agent, seed, --plies, --positions and --games give the same book for any number of threads. FILE gets each
search as soon as it is finished: a stopped command leaves a smaller book, which the same command continues, also with
more --positions.

ludus book --show FILE prints the tree of openings: for each move the score of the player who makes it, exact (=) or
estimated, and the simulations that its search had. --page writes the tree as a page instead, with a board.

--games counts in how many games of a file each position of the book came up; "ludus convert" lists its formats. The
book keeps the numbers, which the play page shows, too; the same command without --games removes them. With --show the
tree has the numbers of these games, and the book stays as it is.

`, deepSearch, agent.DefaultSolve) + ownPointer,
		Example: `  ludus book connect-four zoo --plies 12 --positions 2000
  ludus book hex-7x7 zoo,sims=4000 -o hex.book
  ludus arena hex-7x7 zoo,book=hex.book zoo
  ludus book othello zoo --games GGS.ggf -o othello.book
  ludus book --show hex.book --plies 4 --games games.sgf
  ludus book --show hex.book --page openings.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.show != "" {
				return f.runShow(cmd)
			}
			return onGame(f.runMake)(cmd, args)
		},
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if f.show != "" { // the file names the game
			return arguments(0, 0)(cmd, args)
		}
		return arguments(1, 2)(cmd, args)
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.File, "output", "o", "", "the file to write (default: GAME.book in the current folder)")
	flags.IntVar(&f.Plies, "plies", 16, "most moves from the start to a position; with --show 3 unless given, with --page 12")
	flags.IntVar(&f.Positions, "positions", 1000, "most positions")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of the agent's random choices")
	threadsFlag(cmd, &f.Threads, "cores to use")
	flags.StringVar(&f.show, "show", "", "show this book")
	flags.StringArrayVar(&f.files, "games", nil, "count the games of this file; may be repeated")
	flags.StringVar(&f.page, "page", "", "with --show, write this page")
	flags.BoolVar(&f.force, "force", false, "replace an existing page")
	limit(cmd, "plies", "0 or more", func() bool { return f.Plies >= 0 })
	limit(cmd, "positions", fmt.Sprintf("from 1 to %d", maxBook), func() bool { return f.Positions >= 1 && f.Positions <= maxBook })
	return cmd
}

// pagePlies is the default number of plies of a page.
const pagePlies = 12

// maxBook is the largest number of positions of a book.
const maxBook = 1_000_000

// runMake makes a book.
func (f *bookFlags) runMake(cmd *cobra.Command, game *env.Game, args []string) error {
	for _, name := range []string{"page", "force"} {
		if cmd.Flags().Changed(name) {
			return usage(cmd, fmt.Errorf("--%s is for --show", name))
		}
	}
	factory, err := loadAgent(cmd, game, agentOf(cmd, game, args))
	if err != nil {
		return err
	}
	spec := factory.Spec
	if spec.Kind == agent.Net && spec.Simulations == 0 && spec.Time == 0 {
		spec.Simulations = deepSearch
	}
	if spec.HasNetwork() && spec.Nodes == 0 && spec.Elo == 0 {
		spec.Nodes = agent.DefaultSolve
	}
	f.Agent = factory.With(spec)
	f.Games = f.games(cmd, game)
	if f.File == "" {
		f.File = naming.FileName(game.Name) + ".book"
	}
	p := newProgress(cmd)
	f.Progress = func(searched int) {
		p.show(status{count: searched, unit: "positions", share: float64(searched) / float64(f.Positions)})
	}
	b, err := book.Make(cmd.Context(), f.Options)
	p.close()
	if errors.Is(err, book.ErrAgent) {
		return usage(cmd, err)
	}
	if errors.Is(err, book.ErrOther) {
		return fmt.Errorf("%w; -o names another file", err)
	}
	if err != nil {
		return continuable(err, "finished searches in "+f.File+" are kept")
	}
	info, err := os.Stat(f.File)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s: %s of %s, %d bytes\n", f.File, terminal.Counted(b.Positions(), "position"), game.Name, info.Size())
	fmt.Fprintln(w, openings.Summary(b))
	return nil
}

// runShow prints the tree of openings, or writes its page.
func (f *bookFlags) runShow(cmd *cobra.Command) error {
	for _, name := range []string{"output", "positions", "seed", "threads"} {
		if cmd.Flags().Changed(name) {
			return usage(cmd, fmt.Errorf("--%s is for making a book, not for --show", name))
		}
	}
	if !cmd.Flags().Changed("plies") {
		f.Plies = 3
		if f.page != "" {
			f.Plies = pagePlies
		}
	}
	b, err := book.Read(f.show)
	if err != nil {
		return err
	}
	if len(f.files) > 0 {
		err := b.Count(f.games(cmd, b.Game), f.Plies)
		if err != nil {
			return err
		}
	}
	tree := openings.NewTree(b, f.Plies)
	if f.page == "" {
		tree.Write(cmd.OutOrStdout())
		return nil
	}
	data, err := tree.HTML()
	if err == nil {
		err = writeNew(f.page, data, f.force)
	}
	if err != nil {
		return err
	}
	presentPage(cmd, f.page, len(data), false)
	return nil
}

// games returns the games of the files, as moves.
func (f *bookFlags) games(cmd *cobra.Command, game *env.Game) iter.Seq2[[]env.Action, error] {
	return func(yield func([]env.Action, error) bool) {
		for _, path := range f.files {
			for record, err := range gamesOf(cmd.Context(), cmd, game, path, true) { // true: the error offers no flag
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(record.Actions(), nil) {
					return
				}
			}
		}
	}
}
