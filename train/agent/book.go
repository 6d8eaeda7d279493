package agent

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"ludus/env"
)

// Book knows positions near the start of its game. It is safe for concurrent use. Package book has it.
type Book interface {
	// Analysis returns the value of state and those of the moves that the book knows, the best move first. The caller
	// may change it. It is nil if the book does not have the position.
	Analysis(state env.State) *Analysis
	// Digest identifies the content of the book.
	Digest() string
}

// ErrBook is wrapped by errors about a book that cannot be read.
var ErrBook = errors.New("no book")

// WithBooks returns the factory that reads the book of its spec with read. Other factories refuse books. Only code that
// holds such a function can read files of this kind.
func (f *Factory) WithBooks(read func(game *env.Game, path string) (Book, error)) *Factory {
	g := *f
	g.book = sync.OnceValues(func() (Book, error) { return read(f.Game, f.Book) })
	return &g
}

// readBook returns the book of the factory's spec.
func (f *Factory) readBook() (Book, error) {
	if f.book == nil {
		return nil, fmt.Errorf("%w in %v: books cannot be read here", ErrBook, f)
	}
	b, err := f.book()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBook, err)
	}
	return b, nil
}

// bookMove returns the book's move: the best one, or against people, and with a temperature, one of those that are
// about as good.
func (b *Batched) bookMove() env.Action {
	moves := b.known.Moves
	best := moves[0]
	if !b.people && b.spec.Temperature == 0 {
		return best.Action
	}
	least := *best.Value - equalValue
	if b.known.Proven {
		least = *best.Value
	}
	equal := slices.DeleteFunc(slices.Clone(moves), func(m MoveInfo) bool { return *m.Value < least })
	return equal[b.rng.IntN(len(equal))].Action
}

// improveByBook corrects an analysis by that of a book, unless it has a proof and the book an estimate; known is nil if
// the book does not have the position.
func improveByBook(game *env.Game, a, known *Analysis) {
	if known == nil || a.Proven && !known.Proven {
		return
	}
	a.Value, a.Proven = known.Value, known.Proven
	if a.Proven {
		markProven(game, a, classNear(game, *known.Value))
	}
	for _, m := range known.Moves {
		i := slices.IndexFunc(a.Moves, func(info MoveInfo) bool { return info.Action == m.Action })
		a.Moves[i].Value = m.Value
	}
	sortMoves(a.Moves, known.Moves[0].Action)
}
