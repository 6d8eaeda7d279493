package suite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/seed"
	"ludus/train/stats"
)

// CheckOptions say how an agent is checked.
type CheckOptions struct {
	Threads   int    // goroutines, 1 or more, each with its own agent
	Positions int    // so many, spread evenly over the suite; 0: all
	Seed      uint64 // where the agent's randomness comes from
	// Progress, if set, is told how many positions are done, now and then and at the end; calls do not overlap.
	Progress func(done, all int)
}

// Report says how an agent did in a suite.
type Report struct {
	Game  string `json:"game"`
	Agent string `json:"agent,omitempty"` // "" where none moved
	Row
	Games   int     `json:"games"` // that the positions are from
	ToGo    []Row   `json:"to_go"`
	Keeping []Row   `json:"keeping"`
	UCT     []Row   `json:"uct"`
	Source  []Row   `json:"source"`
	Seconds float64 `json:"seconds,omitzero"`
}

// Row sums up some positions. Error is the share of moves that lose value, Loss the mean utility lost for the player to
// move (0 to 2, 50 goals for each 1), both zero, interval and all, where no agent moved; Random is what they are for a move
// drawn at random.
type Row struct {
	Name       string         `json:"name"`
	Positions  int            `json:"positions"`
	Error      stats.Estimate `json:"error,omitzero"`
	Loss       stats.Estimate `json:"loss,omitzero"`
	Random     float64        `json:"random_error"`
	RandomLoss float64        `json:"random_loss"`
}

// together is how many positions a goroutine takes at once: enough of them for a network's batches to be full until
// near the end, and at the same time to tell of progress.
const together = 128

// Check lets an agent move in the suite's positions. Its randomness in a position follows from the seed and the
// position's place, so that the report does not depend on threads (agents with a time limit excepted). Errors are those
// of reading the agent and of a cancelled ctx.
func (s *Suite) Check(ctx context.Context, factory *agent.Factory, o CheckOptions) (Report, error) {
	begun := time.Now()
	positions := s.some(o.Positions)
	chunk := max(1, min(together, (len(positions)+o.Threads-1)/max(1, o.Threads)))
	lost := make([]float64, len(positions))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wait  sync.WaitGroup
		next  atomic.Int64
		mutex sync.Mutex // guards what follows
		done  int
		fault error
	)
	for range min(max(1, o.Threads), (len(positions)+chunk-1)/chunk) {
		wait.Go(func() {
			chooser, err := factory.NewChooser(chunk)
			for err == nil {
				from := int(next.Add(int64(chunk))) - chunk
				to := min(from+chunk, len(positions))
				if from >= to {
					return
				}
				if err = s.try(ctx, chooser, o.Seed, from, positions[from:to], lost[from:to]); err == nil {
					mutex.Lock()
					if done += to - from; o.Progress != nil {
						o.Progress(done, len(positions))
					}
					mutex.Unlock()
				}
			}
			mutex.Lock()
			defer mutex.Unlock()
			if fault == nil {
				fault = err
			}
			cancel()
		})
	}
	wait.Wait()
	if fault != nil {
		return Report{}, fault
	}
	report := s.report(positions, lost)
	report.Agent, report.Seconds = factory.String(), time.Since(begun).Seconds()
	return report, nil
}

// some returns n positions spread evenly over the suite, all if n is 0.
func (s *Suite) some(n int) []Position {
	if n == 0 || n >= len(s.Positions) {
		return s.Positions
	}
	some := make([]Position, n)
	for i := range some {
		some[i] = s.Positions[i*len(s.Positions)/n]
	}
	return some
}

// Summary says what n positions, spread as by Check, are like: a report without an agent.
func (s *Suite) Summary(n int) Report { return s.report(s.some(n), nil) }

// try lets the agent move in some positions, the first being at place from, and writes the utility that it loses.
func (s *Suite) try(ctx context.Context, chooser *agent.Chooser, suiteSeed uint64, from int, positions []Position, lost []float64) error {
	states := make([]env.State, len(positions))
	seeds := make([]uint64, len(positions))
	for i := range positions {
		var err error
		if states[i], err = positions[i].replay(s.Game); err != nil {
			return err
		}
		seeds[i] = seed.Derive(suiteSeed, "suite check", from+i)
	}
	moves := make([]env.Action, len(positions))
	if err := chooser.Choose(ctx, states, seeds, moves); err != nil {
		return err
	}
	for i, move := range moves {
		lost[i] = positions[i].lost(s.Game, slices.Index(states[i].Legal(nil), move))
	}
	return nil
}

// Bins of a report: positions of less than or as much as the limit belong to the bin.
var (
	toGoLimits    = []int{5, 10, 15, 20, 30}
	keepingLimits = []float64{0.1, 0.25, 0.5, 1}
)

// report sums up what was lost in the positions; lost is nil where no agent moved.
func (s *Suite) report(positions []Position, lost []float64) Report {
	r := Report{Game: s.Game.Name}
	row := func(name string, in func(p *Position) bool) Row { return s.row(name, positions, lost, in) }
	add := func(rows *[]Row, name string, in func(p *Position) bool) {
		if row := row(name, in); row.Positions > 0 {
			*rows = append(*rows, row)
		}
	}
	r.Row = row("all", func(*Position) bool { return true })
	numbers := map[int]bool{}
	for i := range positions {
		numbers[positions[i].Number] = true
	}
	r.Games = len(numbers)

	least := 1
	for _, limit := range toGoLimits {
		from := least
		add(&r.ToGo, fmt.Sprintf("%d to %d", from, limit), func(p *Position) bool { return p.ToGo >= from && p.ToGo <= limit })
		least = limit + 1
	}
	add(&r.ToGo, fmt.Sprintf("%d or more", least), func(p *Position) bool { return p.ToGo >= least })
	add(&r.ToGo, "not known", func(p *Position) bool { return p.ToGo == 0 })

	over := 0.0
	for _, limit := range keepingLimits {
		from := over
		add(&r.Keeping, fmt.Sprintf("up to %.0f %%", 100*limit), func(p *Position) bool {
			return p.keeping() > from && p.keeping() <= limit
		})
		over = limit
	}
	for answer, name := range []string{"not known", "keeps the value", "loses value"} {
		add(&r.UCT, name, func(p *Position) bool { return p.UCT == Answer(answer) })
	}
	for source, name := range []string{"not known", "random moves", "agents and random moves", "agents"} {
		add(&r.Source, name, func(p *Position) bool { return p.Source == Source(source) })
	}
	return r
}

// row sums up the positions that are in it.
func (s *Suite) row(name string, positions []Position, lost []float64, in func(p *Position) bool) Row {
	r := Row{Name: name}
	var errors, losses []stats.Cluster
	number := -1
	for i := range positions {
		p := &positions[i]
		if !in(p) {
			continue
		}
		if r.Positions == 0 || p.Number != number {
			errors, losses = append(errors, stats.Cluster{}), append(losses, stats.Cluster{})
			number = p.Number
		}
		r.Positions++
		e, l := &errors[len(errors)-1], &losses[len(losses)-1]
		e.N++
		l.N++
		if lost != nil {
			if lost[i] > 0 {
				e.Sum++
			}
			l.Sum += lost[i] / 2
		}
		r.Random += 1 - p.keeping()
		r.RandomLoss += p.meanLost(s.Game)
	}
	if n := float64(r.Positions); n > 0 {
		r.Random /= n
		r.RandomLoss /= n
	}
	if lost != nil {
		r.Error, r.Loss = stats.Mean(errors), stats.Mean(losses).Scaled(2)
	}
	return r
}

// meanLost is the utility that a random move loses.
func (p *Position) meanLost(game *env.Game) float64 {
	sum := 0.0
	for move := range p.Values {
		sum += p.lost(game, move)
	}
	return sum / float64(len(p.Values))
}
