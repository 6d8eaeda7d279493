package arena

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ludus/env"
)

// Seats says which side agent A plays.
type Seats string

const (
	Swap   Seats = "swap"   // every opening is played twice, once from each side
	First  Seats = "first"  // A moves first in all games
	Second Seats = "second" // A moves second in all games
)

// Match is a number of games between two agents. Game i follows from Seed and i, whatever the number of threads.
type Match struct {
	Game     *env.Game
	A, B     *Spec
	Games    int // 1 to MaxGames
	Seed     uint64
	Openings int   // random plies at the start of every game, 0 or more; a random opening that ends the game is drawn again
	Seats    Seats // "" is Swap
	Threads  int   // goroutines, each of which plays some games at once
	// Progress, if set, is told the result so far after the first game, the last, and some between; calls do not overlap.
	Progress func(Result)
}

// Result is the outcome of a match for agent A. A game is won by the higher goal.
type Result struct {
	Score    float64 `json:"score"` // (wins + draws / 2) / games
	Low      float64 `json:"low"`   // 95 % interval of Score over opening pairs; see the package's interval
	High     float64 `json:"high"`
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Games    int     `json:"games"`
	GoalMean float64 `json:"goal_mean"` // of A's goals, 0 to 100
	Pairs    int     `json:"pairs"`     // openings played
	AsFirst  Tally   `json:"as_first"`  // games in which A moved first
	AsSecond Tally   `json:"as_second"`
	Distinct int     `json:"distinct"` // different sequences of moves among the games
	Plies    float64 `json:"plies"`    // mean length of a game
	Seconds  float64 `json:"seconds"`
	Elo      float64 `json:"elo"`     // of Score, with the 95 % interval of Low and High; within MaxElo
	EloLow   float64 `json:"elo_low"` // see Elo
	EloHigh  float64 `json:"elo_high"`
	// Pentanomial counts the openings played from both sides by A's points from their two games: 0, 1/2, 1, 3/2, 2.
	Pentanomial [5]int `json:"pentanomial"`
	SeatPairs   int    `json:"seat_pairs"` // openings of which the same seat won both games
	Duplicates  int    `json:"duplicates"` // games that repeat an earlier one move for move: Games - Distinct
}

// Tally counts games by their result for A.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// played is one finished game; goals are A's and B's.
type played struct {
	first bool // A moved first
	goals [2]int
	moves []env.Action
}

// MaxGames is the largest number of games in a match.
const MaxGames = 1_000_000

// Between two reports of progress, but the last, lie at least tellEvery and tellShare times what a report took: it sums
// up all games, while the other threads wait.
const (
	tellEvery = 100 * time.Millisecond
	tellShare = 20
)

// What a match draws random numbers for; agent A's and B's streams are 0 and 1.
const openingStream = 2

// ErrOpening says that openings of the asked length hardly exist.
var ErrOpening = errors.New("no opening found")

// Validate reports every field that is out of range.
func (m *Match) Validate() error {
	var errs []error
	if m.Games < 1 || m.Games > MaxGames {
		errs = append(errs, fmt.Errorf("games is %d; it must lie between 1 and %d", m.Games, MaxGames))
	}
	if m.Openings < 0 || m.Openings >= m.Game.MaxPlies {
		errs = append(errs, fmt.Errorf("openings is %d; in %s it must lie between 0 and %d",
			m.Openings, m.Game.Name, m.Game.MaxPlies-1))
	}
	switch m.Seats {
	case "", Swap, First, Second:
	default:
		errs = append(errs, fmt.Errorf("seats is %q; it must be swap, first or second", m.Seats))
	}
	if m.Threads < 1 {
		errs = append(errs, fmt.Errorf("threads is %d; it must be 1 or more", m.Threads))
	}
	return errors.Join(errs...)
}

// Run plays the match. If ctx is cancelled, it returns the result of the games that were finished, and ctx's error.
func (m Match) Run(ctx context.Context) (Result, error) {
	c, err := m.run(ctx)
	if c == nil {
		return Result{}, err
	}
	return m.result(c.games, time.Since(c.start)), err
}

// run plays the match. Where it returns a course, its workers have ended.
func (m *Match) run(ctx context.Context) (*course, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	for _, spec := range []*Spec{m.A, m.B} {
		if _, err := spec.Load(); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &course{match: m, start: time.Now(), games: make([]*played, m.Games)}
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
				cancel()
			}
		})
	}
	wait.Wait()
	return c, c.fault
}

// course is a match in play. The workers share it.
type course struct {
	match *Match
	start time.Time

	mutex    sync.Mutex // guards what follows
	games    []*played
	next     int // number of the game to be dealt next
	finished int
	tell     time.Time // when progress is told next
	fault    error
}

// deal begins the next game on a board, if there is one left.
func (c *course) deal(b *board) (ok bool, err error) {
	c.mutex.Lock()
	i := c.next
	c.next++
	c.mutex.Unlock()
	if i >= c.match.Games {
		return false, nil
	}
	return true, c.match.begin(b, i)
}

// finish takes a finished game.
func (c *course) finish(i int, g *played) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.games[i] = g
	c.finished++
	if m := c.match; m.Progress != nil && (c.finished == m.Games || time.Now().After(c.tell)) {
		begun := time.Now()
		m.Progress(m.result(c.games[:min(c.next, m.Games)], time.Since(c.start)))
		c.tell = time.Now().Add(max(tellEvery, tellShare*time.Since(begun)))
	}
}

// fail remembers what the match ended by: the first error, but for those that only follow from another.
func (c *course) fail(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.fault == nil || errors.Is(c.fault, context.Canceled) {
		c.fault = err
	}
}

// begin sets up game i on a board.
func (m *Match) begin(b *board, i int) error {
	g := &played{first: m.Seats == First}
	opening := i
	if m.swaps() {
		opening, g.first = i/2, i%2 == 0
	}
	state, moves, err := m.opening(opening)
	if err != nil {
		return err
	}
	g.moves = moves
	b.number, b.game, b.state, b.waiting = i, g, state, false
	for side, agent := range b.agents {
		agent.Reset(derive(m.Seed, side, i))
		for _, a := range moves {
			agent.Observe(a)
		}
	}
	return nil
}

func (m *Match) swaps() bool { return m.Seats == "" || m.Seats == Swap }

// opening draws opening number i.
func (m *Match) opening(i int) (env.State, []env.Action, error) {
	const tries = 1000
	rng := newRand(derive(m.Seed, openingStream, i))
	var legal []env.Action
	for range tries {
		state := m.Game.NewState()
		var moves []env.Action
		for len(moves) < m.Openings && !state.Done() {
			legal = state.Legal(legal[:0])
			moves = append(moves, legal[rng.IntN(len(legal))])
			state.Apply(moves[len(moves)-1])
		}
		if !state.Done() {
			return state, moves, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: %d random plies ended the game of %s in each of %d tries; ask for shorter openings",
		ErrOpening, m.Openings, m.Game.Name, tries)
}

// result sums up the games that are finished, in their order.
func (m *Match) result(games []*played, elapsed time.Duration) Result {
	r := Result{Seconds: elapsed.Seconds()}
	var pairs []float64 // mean score of each opening
	distinct := make(map[string]bool)
	size := 1
	if m.swaps() {
		size = 2
	}
	for i := 0; i < len(games); i += size {
		pair := games[i:min(i+size, len(games))]
		sum, count := 0.0, 0
		for _, g := range pair {
			if g != nil {
				sum += r.add(g)
				count++
				distinct[string(key(g.moves))] = true
			}
		}
		if count > 0 {
			pairs = append(pairs, sum/float64(count))
		}
		if count == 2 {
			r.Pentanomial[int(2*sum)]++
			r.SeatPairs += truth(sum == 1 && pair[0].goals[0] != pair[0].goals[1])
		}
	}
	r.Pairs, r.Distinct, r.Duplicates = len(pairs), len(distinct), r.Games-len(distinct)
	r.Low, r.High = interval(pairs)
	if r.Games > 0 {
		n := float64(r.Games)
		r.Score = (float64(r.Wins) + float64(r.Draws)/2) / n
		r.GoalMean /= n
		r.Plies /= n
		r.Low, r.High = min(r.Low, r.Score), max(r.High, r.Score) // a half-played pair weighs differently in each
		r.Elo = Elo(r.Score)
	}
	r.EloLow, r.EloHigh = Elo(r.Low), Elo(r.High)
	return r
}

// add counts one game and returns its score; means are left as sums.
func (r *Result) add(g *played) float64 {
	tally := &r.AsSecond
	if g.first {
		tally = &r.AsFirst
	}
	r.Games++
	r.GoalMean += float64(g.goals[0])
	r.Plies += float64(len(g.moves))
	switch {
	case g.goals[0] > g.goals[1]:
		r.Wins++
		tally.Wins++
		return 1
	case g.goals[0] == g.goals[1]:
		r.Draws++
		tally.Draws++
		return 0.5
	}
	r.Losses++
	tally.Losses++
	return 0
}

// key turns moves into bytes that differ where the moves do.
func key(moves []env.Action) []byte {
	b := make([]byte, 0, 2*len(moves))
	for _, a := range moves {
		b = append(b, byte(a), byte(a>>8))
	}
	return b
}
