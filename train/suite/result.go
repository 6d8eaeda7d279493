package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/memory"
	"ludus/train/seed"
	"ludus/train/stats"
)

// TestOptions configure [Suite.Test].
type TestOptions struct {
	// Threads is the number of goroutines at most, each with its own agent; 1 or more. Fewer run if the agent searches on
	// several threads itself, or if the memory is too small.
	Threads   int
	Positions int    // number of positions, spread evenly over the suite; 0: all
	Seed      uint64 // seed of the agent's random choices
	// Progress, if set, is called with the number of tested positions, at intervals and at the end. Calls do not
	// overlap.
	Progress func(done, all int)
}

// MinPositions is the number of positions below which the result of a test is mostly noise. Front ends do not show such
// results: see [Result.Reliable].
const MinPositions = 100

// Result is the result of an agent on a suite. Error is the share of moves that lose value; Loss is the mean utility
// lost, for the player to move, 0 to 2 (a loss of 1 is 50 goals). Both are zero if no agent was tested. RandomError and
// RandomLoss are the same for random moves.
type Result struct {
	Game        string         `json:"game"`
	Agent       string         `json:"agent,omitempty"` // agent's spec; "" if none was tested
	Positions   int            `json:"positions"`
	Games       int            `json:"games"` // number of games that the positions come from
	Error       stats.Estimate `json:"error,omitzero"`
	Loss        stats.Estimate `json:"loss,omitzero"`
	RandomError float64        `json:"random_error"`
	RandomLoss  float64        `json:"random_loss"`
	Failures    []Failure      `json:"failures,omitempty"` // of an outside program, the most frequent first
	Seconds     float64        `json:"seconds,omitzero"`
}

// Failure counts the positions in which an outside program failed in the same way. They count as the worst move. If the
// failure is void (see [agent.Fault.Void]), they do not count.
type Failure struct {
	What      agent.FaultKind `json:"what"`
	Detail    string          `json:"detail,omitempty"` // of the first
	Positions int             `json:"positions"`
	Void      bool            `json:"void,omitempty"`
}

// Reliable reports whether the result is of at least [MinPositions] positions.
func (r *Result) Reliable() bool { return r.Positions >= MinPositions }

// maxChunk is the largest number of positions that a goroutine takes at once: enough to fill a network's batches, few
// enough for steady progress.
const maxChunk = 128

// Test lets an agent choose a move in each position. Its random choices depend on the seed and the position's index
// only, so the result does not depend on threads (agents with a time limit excepted, and programs). Errors are those of
// loading the agent, ctx's, and that of a program whose failures were all void, so that no position counts.
func (s *Suite) Test(ctx context.Context, factory *agent.Factory, o TestOptions) (Result, error) {
	started := time.Now()
	positions := s.sample(o.Positions)
	threads := memory.Threads(max(1, o.Threads/max(1, factory.Threads)), factory.MemoryBytes())
	chunk := max(1, min(maxChunk, (len(positions)+threads-1)/threads))
	if factory.Outside() { // slow, and without batches
		chunk = 1
	}
	answers := make([]answer, len(positions))
	var (
		next  atomic.Int64
		mutex sync.Mutex // guards done
		done  int
	)
	group, ctx := errgroup.WithContext(ctx)
	for range min(threads, (len(positions)+chunk-1)/chunk) {
		group.Go(func() error {
			chooser, err := factory.NewChooser(chunk)
			if err != nil {
				return err
			}
			defer chooser.Close() // an error does not matter: its moves are chosen
			for {
				from := int(next.Add(int64(chunk))) - chunk
				to := min(from+chunk, len(positions))
				if from >= to {
					return nil
				}
				if err := s.test(ctx, chooser, o.Seed, from, positions[from:to], answers[from:to]); err != nil {
					return err
				}
				mutex.Lock()
				done += to - from
				if o.Progress != nil {
					o.Progress(done, len(positions))
				}
				mutex.Unlock()
			}
		})
	}
	if err := group.Wait(); err != nil {
		return Result{}, err
	}
	positions, answers, failures, err := withoutVoid(positions, answers)
	if err != nil {
		return Result{}, err
	}
	result := s.result(positions, answers)
	result.Failures = failures
	result.Agent, result.Seconds = factory.String(), time.Since(started).Seconds()
	return result, nil
}

// sample returns n positions spread evenly over the suite; all if n is 0.
func (s *Suite) sample(n int) []Position {
	if n == 0 || n >= len(s.Positions) {
		return s.Positions
	}
	sample := make([]Position, n)
	for i := range sample {
		sample[i] = s.Positions[i*len(s.Positions)/n]
	}
	return sample
}

// Describe returns the result for random moves on the n positions that Test would use; 0: all.
func (s *Suite) Describe(n int) Result { return s.result(s.sample(n), nil) }

// answer is an agent's move in a position.
type answer struct {
	loss    float64 // utility that it loses
	failure error   // of a program; nil: none
}

// withoutVoid returns the positions and answers without void failures, and the counts of all failures. The error is the
// first failure, if nothing is left.
func withoutVoid(positions []Position, answers []answer) ([]Position, []answer, []Failure, error) {
	var (
		counted []Position
		kept    []answer
		list    []Failure
		first   error
	)
	for i, a := range answers {
		fault := (*agent.Fault)(nil)
		if !errors.As(a.failure, &fault) || !fault.Void() {
			counted, kept = append(counted, positions[i]), append(kept, a)
		}
		if fault == nil {
			continue
		}
		first = cmp.Or(first, a.failure)
		f := Failure{What: fault.Kind, Detail: fault.Detail, Void: fault.Void()}
		k := slices.IndexFunc(list, func(g Failure) bool { return g.What == f.What })
		if k < 0 {
			k, list = len(list), append(list, f)
		}
		list[k].Positions++
	}
	if len(counted) == 0 {
		return nil, nil, nil, fmt.Errorf("%w in every position: %w", agent.ErrProgram, first)
	}
	slices.SortStableFunc(list, func(a, b Failure) int { return cmp.Compare(b.Positions, a.Positions) })
	return counted, kept, list, nil
}

// test lets the agent choose a move in each of positions, and sets the answers. index is that of the first position in
// the suite.
func (s *Suite) test(
	ctx context.Context, chooser *agent.Chooser, runSeed uint64, index int, positions []Position, answers []answer,
) error {
	states := make([]env.State, len(positions))
	seeds := make([]uint64, len(positions))
	for i := range positions {
		var err error
		states[i], err = positions[i].replay(s.Game)
		if err != nil {
			return err
		}
		seeds[i] = seed.Derive(runSeed, "suite test", index+i)
	}
	choices := make([]agent.Choice, len(positions))
	err := chooser.Choose(ctx, states, func(i int) []env.Action { return positions[i].Moves }, seeds, choices)
	if err != nil {
		return err
	}
	for i, choice := range choices {
		p := &positions[i]
		class := slices.Max(p.Values) // of the worst move
		if choice.Err == nil {
			class = p.Values[slices.Index(states[i].Legal(nil), choice.Move)]
		}
		answers[i] = answer{p.loss(s.Game, class), choice.Err}
	}
	return nil
}

// result sums up the positions and an agent's answers in them; answers is nil if none was tested.
func (s *Suite) result(positions []Position, answers []answer) Result {
	r := Result{Game: s.Game.Name, Positions: len(positions)}
	games := map[int]bool{}
	var wrong, lost []stats.Cluster // one cluster for neighbouring positions of one game
	for i := range positions {
		p := &positions[i]
		games[p.GameNumber] = true
		if i == 0 || p.GameNumber != positions[i-1].GameNumber {
			wrong, lost = append(wrong, stats.Cluster{}), append(lost, stats.Cluster{})
		}
		e, l := &wrong[len(wrong)-1], &lost[len(lost)-1]
		e.N++
		l.N++
		if answers != nil {
			if answers[i].loss > 0 {
				e.Sum++
			}
			l.Sum += answers[i].loss / 2 // halved, since stats.Mean takes scores in [0, 1]; scaled back below
		}
		r.RandomError += (1 - p.bestShare()) / float64(len(positions))
		r.RandomLoss += p.meanLoss(s.Game) / float64(len(positions))
	}
	r.Games = len(games)
	if answers != nil {
		r.Error, r.Loss = stats.Mean(wrong), stats.Mean(lost).Scaled(2)
	}
	return r
}
