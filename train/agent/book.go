package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

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

// reader plays from a book.
type reader struct {
	game   *env.Game
	book   Book // nil: none
	people bool // see [Factory.ForPeople]
	vary   bool // play any of the moves that are about as good as the best one
}

// find returns what the book knows about a position whose move it should choose; nil if something else should.
func (r *reader) find(state env.State) *Analysis {
	if r.book == nil {
		return nil
	}
	known := r.book.Analysis(state)
	if known != nil && r.people && known.Proven && *known.Value < 0 {
		return nil // lost: the agent may know what is hardest to beat
	}
	return known
}

// move returns the best of the known moves, or one of those that are about as good.
func (r *reader) move(known *Analysis, rng *rand.Rand) env.Action {
	best := known.Moves[0]
	if !r.vary {
		return best.Action
	}
	least := *best.Value - equalValue
	if known.Proven {
		least = *best.Value
	}
	equal := slices.DeleteFunc(slices.Clone(known.Moves), func(m MoveInfo) bool { return *m.Value < least })
	return equal[rng.IntN(len(equal))].Action
}

// improve corrects an analysis of a position by what the book knows, unless the analysis has a proof and the book an
// estimate.
func (r *reader) improve(a *Analysis, state env.State) {
	if r.book == nil {
		return
	}
	known := r.book.Analysis(state)
	if known == nil || a.Proven && !known.Proven {
		return
	}
	a.Value, a.Proven = known.Value, known.Proven
	if a.Proven {
		markProven(r.game, a, classNear(r.game, *known.Value))
	}
	for _, m := range known.Moves {
		i := slices.IndexFunc(a.Moves, func(info MoveInfo) bool { return info.Action == m.Action })
		a.Moves[i].Value = m.Value
	}
	sortMoves(a.Moves, known.Moves[0].Action)
}

// booked is an agent without a network that plays from a book before it searches. ([Batched] has a reader itself.)
type booked struct {
	Agent
	reader
	rng *rand.Rand
}

// Reset implements [Agent].
func (b *booked) Reset(seed uint64) {
	b.Agent.Reset(seed)
	b.rng = newRand(seed)
}

// Choose implements [Agent].
func (b *booked) Choose(ctx context.Context, state env.State) (env.Action, error) {
	return b.ChooseWithin(ctx, state, 0)
}

// ChooseWithin implements [Timed]; an agent that is not Timed ignores the limit.
func (b *booked) ChooseWithin(ctx context.Context, state env.State, limit time.Duration) (env.Action, error) {
	if known := b.find(state); known != nil {
		return b.move(known, b.rng), ctx.Err()
	}
	if timed, ok := b.Agent.(Timed); ok {
		return timed.ChooseWithin(ctx, state, limit)
	}
	return b.Agent.Choose(ctx, state)
}

// Analyze implements [Agent]. What the book knows replaces what the search found.
func (b *booked) Analyze(ctx context.Context, state env.State, simulations int) (*Analysis, error) {
	a, err := b.Agent.Analyze(ctx, state, simulations)
	if err == nil {
		b.improve(a, state)
	}
	return a, err
}
