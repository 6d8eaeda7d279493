package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/seed"
)

// Seats says which side agent A plays.
type Seats string

const (
	Swap   Seats = "swap"   // every opening is played twice, once from each side
	First  Seats = "first"  // A moves first in all games
	Second Seats = "second" // A moves second in all games
)

// Config is a number of games between two agents. Game i follows from Seed and i, whatever the number of threads.
type Config struct {
	Game  *env.Game
	A, B  *agent.Factory
	Games int // 1 to MaxGames
	Seed  uint64
	// Openings is the number of random plies at the start of every game, 0 or more. An opening that ends the game is
	// drawn again; so is one that loses for one side, see [Balance]; and one that was played before, until no other seems
	// to be left. From then on all are played again, in another order, round by round. Agents that do not draw their moves
	// then only repeat their games, which are no more evidence: see [Result].
	Openings int
	// Once ends the match where all openings were played.
	Once  bool
	Seats Seats // "" is Swap
	// After is how many games of this match were played before, which are passed over and count for nothing; an even
	// number where seats are swapped. So further games of two agents begin from openings that they have not played.
	After   int
	Threads int // goroutines, each of which plays some games at once
	// Balance may be given where many matches of a game are played, so that no opening is solved twice; nil: the match
	// has its own.
	Balance *Balance
	// SPRT, if set, ends the match early: once it is decided, or once games only repeat. Games is then the most that are
	// played.
	SPRT *SPRT
	// Record, if set, is the path of a file that every finished game is added to. Games that the file has already are not
	// played again, so that the same match goes on where it was interrupted. See [ErrRecord].
	Record string
	// Progress, if set, is told the result so far after the first game, the last, and some between; calls do not overlap.
	Progress func(Result)
}

// played is one finished game; goals are A's and B's.
type played struct {
	opening *opening
	first   bool // A moved first
	goals   [2]int
	moves   []env.Action // the opening's among them
}

// score is A's.
func (g *played) score() float64 {
	switch {
	case g.goals[0] > g.goals[1]:
		return 1
	case g.goals[0] == g.goals[1]:
		return 0.5
	}
	return 0
}

// MaxGames is the largest number of games in a match.
const MaxGames = 1_000_000

// Validate reports every field that is out of range.
func (m *Config) Validate() error {
	var errs []error
	if m.Games < 1 || m.Games > MaxGames {
		errs = append(errs, fmt.Errorf("games is %d; it must lie between 1 and %d", m.Games, MaxGames))
	}
	if m.Openings < 0 || m.Openings >= m.Game.MaxPlies {
		errs = append(errs, fmt.Errorf("openings is %d; in %s it must lie between 0 and %d",
			m.Openings, m.Game.Name, m.Game.MaxPlies-1))
	}
	if m.After < 0 || m.After%m.perOpening() != 0 {
		errs = append(errs, fmt.Errorf("after is %d; it must be a number of games, and of whole pairs", m.After))
	}
	switch m.Seats {
	case "", Swap, First, Second:
	default:
		errs = append(errs, fmt.Errorf("seats is %q; it must be swap, first or second", m.Seats))
	}
	if m.Threads < 1 {
		errs = append(errs, fmt.Errorf("threads is %d; it must be 1 or more", m.Threads))
	}
	if m.SPRT != nil {
		errs = append(errs, m.SPRT.Validate())
	}
	return errors.Join(errs...)
}

// Run plays the match. If ctx is cancelled, it returns the result of the games that were finished, and ctx's error.
func (m Config) Run(ctx context.Context) (Result, error) {
	c, err := m.run(ctx)
	if c == nil {
		return Result{}, err
	}
	return c.result(), err
}

// run plays the match. Where it returns a course, its workers have ended.
func (m *Config) run(ctx context.Context) (*course, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	for _, factory := range []*agent.Factory{m.A, m.B} {
		if _, err := factory.Load(); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := newCourse(ctx, m, cancel)
	if err != nil {
		return nil, err
	}
	workers := min(m.Threads, m.Games)
	boards := m.boards(workers)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			w, err := newWorker(c, workers, boards)
			if err == nil {
				err = w.play(ctx)
			}
			if err != nil {
				c.fail(err)
			}
		})
	}
	wait.Wait()
	return c, c.close()
}

// opening is the number of the opening of game i.
func (m *Config) opening(i int) int { return (m.After + i) / m.perOpening() }

// sidePurposes name the random streams of agents A and B.
var sidePurposes = [2]string{"agent A", "agent B"}

// begin sets up game i on a board, from its opening.
func (m *Config) begin(b *board, i int, opening *opening) {
	b.number, b.game, b.waiting, b.state = i, m.newGame(i, opening), false, m.Game.NewState()
	for side, agent := range b.agents {
		agent.Reset(seed.Derive(m.Seed, sidePurposes[side], m.After+i))
	}
	for _, a := range opening.moves {
		b.state.Apply(a)
		b.agents[0].Observe(a)
		b.agents[1].Observe(a)
	}
}

// newGame is game i after its opening.
func (m *Config) newGame(i int, opening *opening) *played {
	return &played{
		opening: opening, first: m.Seats == First || m.swaps() && i%2 == 0, moves: slices.Clone(opening.moves),
	}
}

// end takes the goals of the finished state.
func (g *played) end(state env.State) {
	if g.goals = state.Goals(); !g.first {
		g.goals[0], g.goals[1] = g.goals[1], g.goals[0]
	}
}

// draws says whether the same opening may be played differently.
func (m *Config) draws() bool { return m.A.Stochastic() || m.B.Stochastic() }

func (m *Config) swaps() bool { return m.Seats == "" || m.Seats == Swap }

// perOpening is the number of games that an opening is played in.
func (m *Config) perOpening() int {
	if m.swaps() {
		return 2
	}
	return 1
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
