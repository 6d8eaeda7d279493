package match

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"ludus/env"
	"ludus/env/solver"
	"ludus/train/seed"
)

// opening is how a game starts.
type opening struct {
	moves   []env.Action
	verdict verdict
}

// verdict is what the solver says of an opening.
type verdict uint8

const (
	unasked  verdict = iota
	level            // neither side is lost
	unsolved         // the solver could not tell
	lost             // for one side
)

// ErrOpening says that openings of the asked length hardly exist.
var ErrOpening = errors.New("no opening found")

// openings draws the openings of a match, one after the other, whoever asks for them: what the solver says may depend
// on what it was asked before. No opening comes again before all that there seem to be were played; from then on they
// come in rounds, each in an order of its own. It is safe for concurrent use.
type openings struct {
	match *Config

	mutex   sync.Mutex      // guards what follows
	list    []*opening      // all different
	seen    map[string]bool // keys of the list's, and of those that were not taken
	whole   bool            // the list holds all that there seem to be
	round   int             // whose order of the list follows; 0: none yet
	order   []int
	balance *Balance // nil where the solver is not asked, or not any more
	told    int      // answers of the solver
}

func newOpenings(m *Config) *openings {
	o := &openings{match: m, seen: make(map[string]bool)}
	if m.Openings > 0 && Balances(m.Game) {
		if o.balance = m.Balance; o.balance == nil {
			o.balance = NewBalance(m.Game)
		}
	}
	return o
}

// get returns opening number i, nil where all were played and the match plays none again. It fails with ErrOpening or the
// error of ctx.
func (o *openings) get(ctx context.Context, i int) (*opening, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for !o.whole && len(o.list) <= i {
		next, err := o.draw(ctx, rand.New(seed.New(o.match.Seed, "opening", len(o.list))))
		if err != nil {
			return nil, err
		}
		if o.whole = next == nil; !o.whole {
			o.list = append(o.list, next)
		}
	}
	if i < len(o.list) {
		return o.list[i], nil
	}
	if o.match.Once {
		return nil, nil
	}
	if round := i / len(o.list); round != o.round {
		o.round, o.order = round, rand.New(seed.New(o.match.Seed, "opening order", round)).Perm(len(o.list))
	}
	return o.list[o.order[i%len(o.list)]], nil
}

// draw draws the next opening: the first that is not lost for one side, nil where no other seems to be left. Where there
// never was one, or the solver does not get anywhere, openings are taken as they come from there on.
func (o *openings) draw(ctx context.Context, rng *rand.Rand) (*opening, error) {
	const tries = 200
	var first *opening
	for range tries {
		next, state, err := o.random(rng)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		if o.balance == nil {
			o.see(next)
			return next, nil
		}
		if next.verdict, err = o.balance.judge(ctx, state); err != nil {
			return nil, err
		}
		o.see(next)
		switch {
		case next.verdict == level:
			o.told++
			return next, nil
		case next.verdict == unsolved:
			if o.told == 0 {
				o.balance, next.verdict = nil, unasked
			}
			return next, nil
		}
		o.told++
		if first == nil {
			first = next
		}
	}
	if len(o.list) > 0 || first == nil {
		return nil, nil
	}
	o.balance = nil
	clear(o.seen) // those that were not taken may come now
	o.see(first)
	return first, nil
}

func (o *openings) see(next *opening) { o.seen[string(key(next.moves))] = true }

// random draws an opening that does not end the game and was not seen; nil where no other seems to be left.
func (o *openings) random(rng *rand.Rand) (*opening, env.State, error) {
	m := o.match
	var legal []env.Action
	tries := 1000 + 10*len(o.seen) // of openings that are equally likely, hardly one is missed
	for range tries {
		state, next := m.Game.NewState(), &opening{}
		for len(next.moves) < m.Openings && !state.Done() {
			legal = state.Legal(legal[:0])
			a := legal[rng.IntN(len(legal))]
			next.moves = append(next.moves, a)
			state.Apply(a)
		}
		if !state.Done() && !o.seen[string(key(next.moves))] {
			return next, state, nil
		}
	}
	if len(o.seen) > 0 {
		return nil, nil, nil
	}
	return nil, nil, fmt.Errorf("%w: %d random plies ended the game of %s in each of %d tries; ask for shorter openings",
		ErrOpening, m.Openings, m.Game.Name, tries)
}

// Balance finds out which openings of a game are lost for one side. It remembers them, and is safe for concurrent use.
type Balance struct {
	game *env.Game
	draw int // the class that is a draw, or -1

	mutex    sync.Mutex // guards what follows
	solver   *solver.Solver
	verdicts map[env.Key]verdict
}

const (
	// balanceNodes is what each of the solver's two questions about an opening may visit: a second or so. All 420 openings
	// of two plies in Quad 5x5 take a quarter of a second together.
	balanceNodes = 2_000_000
	balanceBytes = 16 << 20 // of its table
	// balancePlies is the longest game that the solver is asked about at all: the openings of longer ones are out of its
	// reach.
	balancePlies = 20
)

// Balances reports whether matches of a game choose their openings: it has draws, so that an opening can be even, and
// is short enough for the solver.
func Balances(game *env.Game) bool { return drawClass(game) >= 0 && game.MaxPlies <= balancePlies }

// drawClass is the class that is worth the same to both sides, or -1.
func drawClass(game *env.Game) int {
	return slices.IndexFunc(game.Classes, func(c env.Class) bool { return c.Utility == 0 })
}

// NewBalance returns a balance that knows nothing yet.
func NewBalance(game *env.Game) *Balance {
	return &Balance{game: game, draw: drawClass(game), verdicts: make(map[env.Key]verdict)}
}

// judge asks the solver about a state that is not done. The only error is that of ctx.
func (b *Balance) judge(ctx context.Context, state env.State) (verdict, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	key := state.Key()
	if v, ok := b.verdicts[key]; ok {
		return v, nil
	}
	if b.solver == nil {
		b.solver = solver.New(b.game, balanceBytes)
	}
	v := b.solve(state, solver.Limits{Nodes: balanceNodes, Stop: func() bool { return ctx.Err() != nil }})
	if err := ctx.Err(); err != nil {
		return unasked, err
	}
	b.verdicts[key] = v
	return v, nil
}

func (b *Balance) solve(state env.State, l solver.Limits) verdict {
	won, ok := b.solver.Reaches(state, b.draw-1, l)
	if !ok {
		return unsolved
	}
	if won {
		return lost
	}
	held, ok := b.solver.Reaches(state, b.draw, l)
	switch {
	case !ok:
		return unsolved
	case !held:
		return lost
	}
	return level
}
