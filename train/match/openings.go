package match

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"ludus/env"
	"ludus/train/seed"
)

// opening is the first plies of a game.
type opening struct {
	moves   []env.Action
	balance balance
}

// ErrOpening means that random play found no unfinished game after the wanted number of opening plies.
var ErrOpening = errors.New("no opening found")

// openings generates the openings of a match. Opening i is the same whichever thread needs one first. Openings are
// random plies; those lost for one side are rejected. When all have been used, they are used again, in another
// order each time. It is safe for concurrent use.
type openings struct {
	config *Config

	mutex    sync.Mutex      // guards the fields below
	list     []*opening      // all distinct openings found so far
	seen     map[string]bool // keys of accepted and rejected openings
	complete bool            // list holds all openings: sampling found no more
	round    int             // round that order belongs to; 0: none yet
	order    []int
	checker  *BalanceChecker // nil if openings are not checked (any more)
	solved   int             // number of openings that the checker solved
}

// newOpenings returns the openings of a match. They are checked for balance if there are opening plies, the game has
// draws, so that an opening can be even, and it is short enough for the solver.
func newOpenings(c *Config) *openings {
	o := &openings{config: c, seen: make(map[string]bool)}
	if c.OpeningPlies > 0 && drawClass(c.Game) >= 0 && c.Game.MaxPlies <= BalancePlies {
		o.checker = c.Balance
		if o.checker == nil {
			o.checker = NewBalanceChecker(c.Game)
		}
	}
	return o
}

// get returns opening number i. It returns nil if all openings have been played and the match repeats none. Errors are
// ErrOpening or ctx's.
func (o *openings) get(ctx context.Context, i int) (*opening, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for !o.complete && len(o.list) <= i {
		next, err := o.sample(ctx, rand.New(seed.New(o.config.Seed, "opening", len(o.list))))
		if err != nil {
			return nil, err
		}
		if next == nil {
			o.complete = true
		} else {
			o.list = append(o.list, next)
		}
	}
	if i < len(o.list) {
		return o.list[i], nil
	}
	if o.config.NoRepeats {
		return nil, nil
	}
	if round := i / len(o.list); round != o.round {
		o.round, o.order = round, rand.New(seed.New(o.config.Seed, "opening order", round)).Perm(len(o.list))
	}
	return o.list[o.order[i%len(o.list)]], nil
}

// sample returns a new random opening that the checker has not proved lost for either side, or nil if it finds none in
// 200 tries or none is left. The checker is switched off for the rest of the match (1) if it cannot solve the first
// opening it checks, or (2) if no opening has been accepted yet and every one tried is lost; then sample returns the
// first rejected one.
func (o *openings) sample(ctx context.Context, rng *rand.Rand) (*opening, error) {
	const tries = 200
	var firstRejected *opening
	for range tries {
		next, state, err := o.random(rng)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		if o.checker != nil {
			if next.balance, err = o.checker.check(ctx, state); err != nil {
				return nil, err
			}
		}
		o.markSeen(next)
		switch next.balance {
		case unchecked:
			return next, nil
		case unsolved:
			if o.solved == 0 {
				o.checker, next.balance = nil, unchecked
			}
			return next, nil
		}
		o.solved++
		if next.balance == balanced {
			return next, nil
		}
		if firstRejected == nil {
			firstRejected = next
		}
	}
	if len(o.list) > 0 || firstRejected == nil {
		return nil, nil
	}
	o.checker = nil
	clear(o.seen) // allows the rejected openings again
	o.markSeen(firstRejected)
	return firstRejected, nil
}

func (o *openings) markSeen(next *opening) { o.seen[movesKey(next.moves)] = true }

// random returns a new random opening that does not end the game, and its state; nil if many tries find none.
func (o *openings) random(rng *rand.Rand) (*opening, env.State, error) {
	c := o.config
	var legal []env.Action
	tries := 1000 + 10*len(o.seen) // enough to find nearly all openings if they are equally likely
	for range tries {
		state, next := c.Game.NewState(), &opening{}
		for len(next.moves) < c.OpeningPlies && !state.Done() {
			legal = state.Legal(legal[:0])
			a := legal[rng.IntN(len(legal))]
			next.moves = append(next.moves, a)
			state.Apply(a)
		}
		if !state.Done() && !o.seen[movesKey(next.moves)] {
			return next, state, nil
		}
	}
	if len(o.seen) > 0 {
		return nil, nil, nil
	}
	return nil, nil, fmt.Errorf("%w: %d random plies ended the game of %s in each of %d tries; ask for fewer opening plies",
		ErrOpening, c.OpeningPlies, c.Game.Name, tries)
}
