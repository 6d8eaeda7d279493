package suite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/seed"
	"ludus/train/stats"
)

// TestOptions configure [Suite.Test].
type TestOptions struct {
	Threads   int    // goroutines, each with its own agent; 1 or more
	Positions int    // number of positions, spread evenly over the suite; 0: all
	Seed      uint64 // seed of the agent's random choices
	// Progress, if set, is called with the number of tested positions, at intervals and at the end. Calls do not
	// overlap.
	Progress func(done, all int)
}

// MinPositions is the number of positions below which the result of a test is mostly noise. Front ends do not show such
// results: see [Group.Reliable].
const MinPositions = 100

// Result is the result of an agent on a suite: on all positions, and on groups of positions.
type Result struct {
	Game  string `json:"game"`
	Agent string `json:"agent,omitempty"` // agent's spec; "" if none was tested
	Group
	Games        int     `json:"games"` // number of games that the positions come from
	ByPliesToEnd []Group `json:"by_plies_to_end"`
	ByBestShare  []Group `json:"by_best_share"` // groups by the share of moves that keep the value
	ByUCT        []Group `json:"by_uct"`
	BySource     []Group `json:"by_source"`
	Seconds      float64 `json:"seconds,omitzero"`
}

// Group is the result on a group of positions. Error is the share of moves that lose value; Loss is the mean utility
// lost, for the player to move, 0 to 2 (a loss of 1 is 50 goals). Both are zero if no agent was tested. RandomError and
// RandomLoss are the same for random moves.
type Group struct {
	Name        string         `json:"name"`
	Positions   int            `json:"positions"`
	Error       stats.Estimate `json:"error,omitzero"`
	Loss        stats.Estimate `json:"loss,omitzero"`
	RandomError float64        `json:"random_error"`
	RandomLoss  float64        `json:"random_loss"`
}

// Reliable reports whether the group has at least [MinPositions] positions.
func (g *Group) Reliable() bool { return g.Positions >= MinPositions }

// maxChunk is the largest number of positions that a goroutine takes at once: enough to fill a network's batches, few
// enough for steady progress.
const maxChunk = 128

// Test lets an agent choose a move in each position. Its random choices depend on the seed and the position's index only,
// so the result does not depend on threads (agents with a time limit excepted). Errors are those of loading the agent, and
// ctx's.
func (s *Suite) Test(ctx context.Context, factory *agent.Factory, o TestOptions) (Result, error) {
	started := time.Now()
	positions := s.sample(o.Positions)
	threads := max(1, o.Threads)
	chunk := max(1, min(maxChunk, (len(positions)+threads-1)/threads))
	losses := make([]float64, len(positions))
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
			for {
				from := int(next.Add(int64(chunk))) - chunk
				to := min(from+chunk, len(positions))
				if from >= to {
					return nil
				}
				if err := s.test(ctx, chooser, o.Seed, from, positions[from:to], losses[from:to]); err != nil {
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
	result := s.result(positions, losses)
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

// test lets the agent choose a move in each of positions and stores the lost utilities in losses. index is that of the
// first position in the suite.
func (s *Suite) test(
	ctx context.Context, chooser *agent.Chooser, runSeed uint64, index int, positions []Position, losses []float64,
) error {
	states := make([]env.State, len(positions))
	seeds := make([]uint64, len(positions))
	for i := range positions {
		var err error
		if states[i], err = positions[i].replay(s.Game); err != nil {
			return err
		}
		seeds[i] = seed.Derive(runSeed, "suite test", index+i)
	}
	moves := make([]env.Action, len(positions))
	if err := chooser.Choose(ctx, states, seeds, moves); err != nil {
		return err
	}
	for i, move := range moves {
		losses[i] = positions[i].loss(s.Game, slices.Index(states[i].Legal(nil), move))
	}
	return nil
}

// Inclusive upper bounds of the groups.
var (
	pliesToEndLimits = []int{5, 10, 15, 20, 30}
	bestShareLimits  = []float64{0.1, 0.25, 0.5, 1}
)

// result sums up the positions and the utilities lost in them; losses is nil if no agent was tested.
func (s *Suite) result(positions []Position, losses []float64) Result {
	r := Result{Game: s.Game.Name, Group: s.group("all", positions, losses, func(*Position) bool { return true })}
	numbers := map[int]bool{}
	for i := range positions {
		numbers[positions[i].GameNumber] = true
	}
	r.Games = len(numbers)
	add := func(groups *[]Group, name string, in func(p *Position) bool) {
		if g := s.group(name, positions, losses, in); g.Positions > 0 {
			*groups = append(*groups, g)
		}
	}
	from := 1
	for _, to := range pliesToEndLimits {
		low := from
		add(&r.ByPliesToEnd, fmt.Sprintf("%d to %d", low, to), func(p *Position) bool {
			return p.PliesToEnd >= low && p.PliesToEnd <= to
		})
		from = to + 1
	}
	add(&r.ByPliesToEnd, fmt.Sprintf("%d or more", from), func(p *Position) bool { return p.PliesToEnd >= from })
	add(&r.ByPliesToEnd, "unknown", func(p *Position) bool { return p.PliesToEnd == 0 })
	above := 0.0
	for _, to := range bestShareLimits {
		low := above
		add(&r.ByBestShare, fmt.Sprintf("up to %.0f %%", 100*to), func(p *Position) bool {
			return p.bestShare() > low && p.bestShare() <= to
		})
		above = to
	}
	for outcome, name := range []string{"unknown", "keeps the value", "loses value"} {
		add(&r.ByUCT, name, func(p *Position) bool { return p.UCT == UCTOutcome(outcome) })
	}
	for source, name := range []string{"unknown", "random moves", "agents and random moves", "agents"} {
		add(&r.BySource, name, func(p *Position) bool { return p.Source == Source(source) })
	}
	return r
}

// group sums up the positions for which in returns true.
func (s *Suite) group(name string, positions []Position, losses []float64, in func(p *Position) bool) Group {
	g := Group{Name: name}
	var errors, lost []stats.Cluster // one cluster per game
	number := -1
	for i := range positions {
		p := &positions[i]
		if !in(p) {
			continue
		}
		if g.Positions == 0 || p.GameNumber != number {
			errors, lost = append(errors, stats.Cluster{}), append(lost, stats.Cluster{})
			number = p.GameNumber
		}
		g.Positions++
		e, l := &errors[len(errors)-1], &lost[len(lost)-1]
		e.N++
		l.N++
		if losses != nil {
			if losses[i] > 0 {
				e.Sum++
			}
			l.Sum += losses[i] / 2
		}
		g.RandomError += 1 - p.bestShare()
		g.RandomLoss += p.meanLoss(s.Game)
	}
	if n := float64(g.Positions); n > 0 {
		g.RandomError /= n
		g.RandomLoss /= n
	}
	if losses != nil {
		g.Error, g.Loss = stats.Mean(errors), stats.Mean(lost).Scaled(2)
	}
	return g
}
