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

// ErrOpening means that hardly any random opening of the wanted length leaves the game unfinished.
var ErrOpening = errors.New("no opening found")

// openings draws the openings of a match, in order, whichever worker needs them first. Openings are random plies; those
// lost for one side are rejected. None comes twice before all have come; from then on they come in rounds, each in
// another order. It is safe for concurrent use.
type openings struct {
	config *Config

	mutex    sync.Mutex      // guards what follows
	list     []*opening      // all different
	seen     map[string]bool // keys of the list's openings and of rejected ones
	complete bool            // the list holds all openings, as far as random draws can tell
	round    int             // whose order follows; 0: none yet
	order    []int
	checker  *BalanceChecker // nil if openings are not checked, or no longer
	solved   int             // openings that the checker could decide
}

func newOpenings(c *Config) *openings {
	o := &openings{config: c, seen: make(map[string]bool)}
	if c.OpeningPlies > 0 && canCheckBalance(c.Game) {
		if o.checker = c.Balance; o.checker == nil {
			o.checker = NewBalanceChecker(c.Game)
		}
	}
	return o
}

// get returns opening number i, or nil if all have been played and the match plays none twice. It fails with ErrOpening
// or the error of ctx.
func (o *openings) get(ctx context.Context, i int) (*opening, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for !o.complete && len(o.list) <= i {
		next, err := o.draw(ctx, rand.New(seed.New(o.config.Seed, "opening", len(o.list))))
		if err != nil {
			return nil, err
		}
		if o.complete = next == nil; !o.complete {
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

// draw draws the next opening that is not lost for one side; nil if no new one seems to be left. It gives up checking,
// and takes openings as they come, if no opening at all passes or the solver decides none.
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
		if first == nil {
			first = next
		}
	}
	if len(o.list) > 0 || first == nil {
		return nil, nil
	}
	o.checker = nil
	clear(o.seen) // rejected openings may come now
	o.markSeen(first)
	return first, nil
}

func (o *openings) markSeen(next *opening) { o.seen[movesKey(next.moves)] = true }

// random draws an opening that is new and does not end the game; nil if none seems to be left.
func (o *openings) random(rng *rand.Rand) (*opening, env.State, error) {
	c := o.config
	var legal []env.Action
	tries := 1000 + 10*len(o.seen) // finds nearly every one of equally likely openings
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
