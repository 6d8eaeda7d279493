package openings

import (
	"fmt"
	"io"
	"strings"

	"ludus/cmd/internal/diagrams"
	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/train/book"
)

// Opening is a move of the tree, with the position after it. The root has no move.
type Opening struct {
	board.BookMove            // of the root, with the value for the first player
	Player         int        `json:"player"` // to move; -1 at the end
	Pieces         string     `json:"pieces"` // see [diagrams.Pieces]
	Status         string     `json:"status"`
	WonBy          []int32    `json:"wonBy,omitempty"` // winning cells, see [env.State]
	Next           []*Opening `json:"next,omitempty"`  // the best first

	state env.State
	ply   int
}

// Tree is a book as a tree of openings.
type Tree struct {
	Book *book.Book
	Root *Opening
	Cut  int // moves that were left out because the tree has maxOpenings
}

// maxOpenings bounds the tree: a position that several lines lead to is in it several times.
const maxOpenings = 5000

// NewTree returns the tree of a book up to a number of plies.
func NewTree(b *book.Book, plies int) *Tree {
	state := b.Game.NewState()
	t := &Tree{Book: b, Root: newOpening(b.Game, state, 0)}
	t.Root.Value, t.Root.Exact, t.Root.Games = b.Start().Value, b.Start().Exact, b.Games
	size := 1
	for queue := []*Opening{t.Root}; len(queue) > 0; queue = queue[1:] {
		o := queue[0]
		if o.ply == plies {
			continue
		}
		moves := b.Moves(o.state)
		if size+len(moves) > maxOpenings {
			t.Cut += len(moves)
			continue
		}
		size += len(moves)
		for _, m := range moves {
			next := newOpening(b.Game, b.Game.After(o.state, m.Action), o.ply+1)
			next.BookMove = board.NewBookMove(b.Game, &m)
			o.Next = append(o.Next, next)
		}
		queue = append(queue, o.Next...)
	}
	return t
}

func newOpening(game *env.Game, state env.State, ply int) *Opening {
	o := &Opening{
		Player: int(state.Player()), Pieces: diagrams.Pieces(state), Status: game.Status(state), WonBy: state.WinningCells(nil),
		state: state, ply: ply,
	}
	if state.Done() {
		o.Player = -1
	}
	return o
}

// score writes a value as an expected score, with = before an exact one.
func score(value float64, exact bool) string {
	text := fmt.Sprintf("%.1f %%", 50*(1+value))
	if exact {
		return "= " + text
	}
	return text
}

// Summary says in a line what the book gives the first player.
func Summary(b *book.Book) string {
	start, move := b.Start(), b.Moves(b.Game.NewState())[0].Action
	return fmt.Sprintf("%s scores %s with %s", b.Game.Players[env.First], score(start.Value, start.Exact), b.Game.ActionNames[move])
}

// Write writes the tree as text, a move per line.
func (t *Tree) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d positions, searched by %s\n", t.Book.Game.Name, t.Book.Positions(), t.Book.Origin.Agent)
	t.write(w, t.Root)
	if t.Cut > 0 {
		fmt.Fprintf(w, "%d further moves are left out\n", t.Cut)
	}
}

// write writes the moves after an opening, and those after them.
func (t *Tree) write(w io.Writer, o *Opening) {
	for _, next := range o.Next {
		fmt.Fprintf(w, "%s%s  %s", strings.Repeat("  ", o.ply), next.Move, score(next.Value, next.Exact))
		if next.Visits > 0 {
			fmt.Fprintf(w, "  %d visits", next.Visits)
		}
		if t.Book.Games > 0 {
			fmt.Fprintf(w, "  %d of %d games", next.Games, t.Book.Games)
		}
		fmt.Fprintln(w)
		t.write(w, next)
	}
}
