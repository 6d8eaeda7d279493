package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/memory"
)

// Config describes a match between two agents. Every opening is played twice: A moves first in the games with even
// numbers. A game depends only on Seed and its number, not on the number of threads; with a clock, with agents that
// have a time limit, and with programs that are not deterministic it also depends on the machine's speed or on chance.
//
// A program that can no longer play loses the game, or the game is void: see [agent.Fault]. A void game does not count,
// and is not kept in File. Such faults never end a match.
type Config struct {
	Game  *env.Game
	A, B  *agent.Factory
	Games int // number of games, 1 to MaxGames
	Seed  uint64
	// OpeningPlies is the number of random plies at the start of every game, 0 or more. All openings are played before
	// one is repeated; then they are played in rounds, each in another order.
	OpeningPlies int
	// NoRepeats ends the match once all openings have been played.
	NoRepeats bool
	// SkipGames is the even number of games at the start of the match that are skipped, because an earlier match with
	// the same agents and seed has played them.
	SkipGames int
	// MoveTime and GameTime limit both sides' time for each move, and for all their moves of a game; 0: no limit. An
	// agent that takes more than [agent.Margin] longer loses the game.
	MoveTime, GameTime time.Duration
	// Threads is the number of goroutines at most; each plays many games at once. Fewer run if the agents search on several
	// threads themselves, or if the memory is too small for their agents.
	Threads int
	// Balance rejects openings that are lost for one side. Matches of one game may share it, which spares the solver
	// work; if it is nil, the match makes its own.
	Balance *BalanceChecker
	// File, if set, is the path of a file for this match alone. Finished games are appended to it, and games that it
	// holds already are not played again, so an interrupted match continues.
	File string
	// Progress, if set, is called with the result so far after the first game, after the last, and at intervals
	// between. Calls do not overlap.
	Progress func(Result)
}

// MaxGames is the largest number of games in a match.
const MaxGames = 1_000_000

// ShortOpening returns plies, or fewer if the game is so short that they could end it.
func ShortOpening(game *env.Game, plies int) int { return min(plies, game.UsualPlies-1) }

// Validate reports every field that is out of range.
func (c *Config) Validate() error {
	var errs []error
	if c.Games < 1 || c.Games > MaxGames {
		errs = append(errs, fmt.Errorf("games is %d; it must be from 1 to %d", c.Games, MaxGames))
	}
	if c.OpeningPlies < 0 || c.OpeningPlies >= c.Game.MaxPlies {
		errs = append(errs, fmt.Errorf("opening plies is %d; for %s it must be from 0 to %d",
			c.OpeningPlies, c.Game.Name, c.Game.MaxPlies-1))
	}
	if c.SkipGames < 0 || c.SkipGames%2 != 0 {
		errs = append(errs, fmt.Errorf("skipped games is %d; it must be 0 or more, and even", c.SkipGames))
	}
	if c.MoveTime < 0 || c.GameTime < 0 {
		errs = append(errs, fmt.Errorf("the times for a move and a game are %v and %v; they must be 0 (no limit) or more", c.MoveTime, c.GameTime))
	}
	if c.Threads < 1 {
		errs = append(errs, fmt.Errorf("threads is %d; it must be 1 or more", c.Threads))
	}
	return errors.Join(errs...)
}

// Run plays a match. If ctx is cancelled, it returns the result of the games that were finished, and ctx's error.
func Run(ctx context.Context, c Config) (Result, error) {
	s, err := c.play(ctx)
	if s == nil {
		return Result{}, err
	}
	return s.result(), err
}

// play plays a match. All its goroutines have ended when it returns. The state is nil if the match could not start.
func (c *Config) play(ctx context.Context) (s *state, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	for _, factory := range []*agent.Factory{c.A, c.B} {
		if _, err := factory.Load(); err != nil {
			return nil, err
		}
	}
	if s, err = newState(ctx, c); err != nil {
		return nil, err
	}
	cores := max(1, c.A.Threads, c.B.Threads) // of one game
	threads := memory.Threads(min(max(1, c.Threads/cores), c.Games), c.bytesPerGame())
	group, ctx := errgroup.WithContext(ctx)
	for range threads {
		group.Go(func() error {
			t, err := newThread(s, threads)
			if err != nil {
				return err
			}
			return t.play(ctx)
		})
	}
	err = group.Wait()
	if s.file != nil {
		err = errors.Join(err, s.file.Sync(), s.file.Close())
	}
	return s, err
}

// opening returns the index of game i's opening.
func (c *Config) opening(i int) int { return (c.SkipGames + i) / 2 }

// aFirst reports whether agent A moves first in game i.
func aFirst(i int) bool { return i%2 == 0 }

// sideOf returns who plays p in game i: 0 for A, 1 for B.
func sideOf(i int, p env.Player) int {
	if aFirst(i) == (p == env.First) {
		return 0
	}
	return 1
}
