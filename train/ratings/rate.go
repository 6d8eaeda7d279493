package ratings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// Options are the goal and the budget of [Pool.Rate].
type Options struct {
	Targets []int // agents whose intervals must shrink
	Players []int // agents that may play, beside the shipped ones; they include the targets
	// Dial measures a strength dial. Intervals are of the difference from the anchor, since elo=N promises a rating
	// above random moves. Only agents with near ratings play each other: a large difference measured directly comes out
	// larger than the sum of small ones, measured through agents in between. Two agents without networks do not play
	// each other either: searches with random playouts beat each other more often than their results against networks
	// predict, which would stretch the dial. Costs are estimated from simulations, not measured, so the choice of
	// matches does not depend on the machine.
	Dial     bool
	Within   float64       // Elo: stop when each target's interval ends at most this far from its rating; 0: never
	MaxGames int           // 0: no limit
	MaxTime  time.Duration // exceeded only by short matches that connect agents that have not played; 0: no limit
	Threads  int
	// Progress, if set, is called before each match and at the end.
	Progress func(Progress)
	// Warn, if set, receives the error of an agent that cannot be loaded. Rating continues without it.
	Warn func(error)
}

// Progress is the state of [Pool.Rate].
type Progress struct {
	Games  int           // games played by this call
	Widest float64       // half-width of the targets' widest interval, in Elo; infinite until all are rated
	Left   time.Duration // expected time left; 0 if unknown
}

// maxDialGap is the largest difference of the ratings, in Elo, of two agents that play for a dial: the weaker one
// scores at least 10 %.
const maxDialGap = 380

const (
	connectGames    = 64   // games of a match that connects an agent: enough to fill the batches of two cores
	matchGames      = 128  // games of other matches: longer, because batches are only partly filled at a match's end
	maxMatchGames   = 1024 // most games of a match: the choice of agents must be updated now and then
	programGames    = 16   // games of a match against a program, which gains nothing from batches
	minMatchGames   = 8    // least games of a match when time is short
	minMatchSeconds = 0.1  // a shorter match would take less time than its files and fits
	onesidedGames   = 2000 // after so many games, all won or all lost, an agent's interval cannot shrink further
)

// Rate plays the matches that shrink the targets' intervals most per second until they are narrow enough, the budget is
// spent or ctx ends. It returns ctx's error if ctx ended it. Each finished match is written to arena.jsonl and is part
// of the ratings, which [Pool.Write] writes.
func (p *Pool) Rate(ctx context.Context, o Options) error {
	if o.Dial {
		p.reference = []int{0} // the anchor
	}
	r := &rater{Pool: p, Options: o, started: time.Now()}
	for {
		r.update()
		if r.Progress != nil {
			r.Progress(r.progress())
		}
		if r.Within > 0 && !slices.ContainsFunc(r.Targets, r.unfinished) {
			return nil
		}
		a, b, connecting, ok := r.choose()
		if !ok {
			return nil
		}
		games := r.length(a, b, connecting)
		if games == 0 {
			return nil
		}
		m, err := r.Play(ctx, a, b, games, r.Threads, false) // not a match of training
		if errors.Is(err, agent.ErrWeights) {
			err = r.drop(a, b, err)
		}
		if err == nil && m != nil {
			r.played += m.Played()
			err = r.dropPrograms(m)
		}
		if err != nil {
			return err
		}
	}
}

// rater is the state of a call of Rate.
type rater struct {
	*Pool
	Options
	played  int
	started time.Time
	fitted  *fit
	cost    []float64 // seconds per game, by agent
}

// update recomputes the ratings and costs from the matches so far.
func (r *rater) update() {
	r.fitted = r.fit()
	if r.Options.Dial {
		r.cost = r.fixedCosts()
	} else {
		r.cost = r.gameSeconds()
	}
}

// unfinished reports whether an agent's interval must still shrink.
func (r *rater) unfinished(i int) bool {
	switch {
	case !r.canPlay(i):
		return false
	case !r.fitted.rated[i] || r.Within == 0: // no rating yet, or no width to reach
		return true
	case r.onesided(i):
		return false
	case stats.Z*r.fitted.deviation(i) > r.Within: // a quick test before the exact interval
		return true
	}
	low, high := r.fitted.interval(i)
	rating := r.fitted.elo(i)
	return max(high-rating, rating-low) > r.Within-0.1 // rounding in ratings.json adds up to 0.1
}

// onesided reports whether an agent has won all or lost all of many games. Its interval then stays wide on one side.
func (r *rater) onesided(i int) bool {
	games, points := r.games()
	return games[i] >= onesidedGames && (points[i] == 0 || points[i] == float64(games[i]))
}

// progress returns the current state.
func (r *rater) progress() Progress {
	p, elapsed := Progress{Games: r.played}, time.Since(r.started)
	for _, i := range r.Targets {
		switch {
		case !r.unfinished(i) && r.Within > 0:
		case !r.fitted.rated[i]:
			p.Widest = math.Inf(1)
		default:
			p.Widest = max(p.Widest, stats.Z*r.fitted.deviation(i))
		}
	}
	if r.Within > 0 && !math.IsInf(p.Widest, 1) { // intervals shrink with the square root of time
		p.Left = time.Duration(max(0, math.Pow(p.Widest/r.Within, 2)-1) * r.seconds * float64(time.Second))
	}
	limit := func(left time.Duration) {
		if p.Left == 0 || p.Left > left {
			p.Left = max(0, left)
		}
	}
	if r.MaxGames > 0 && r.played > 0 {
		limit(time.Duration(float64(elapsed) * (float64(r.MaxGames)/float64(r.played) - 1)))
	}
	if r.MaxTime > 0 {
		limit(r.MaxTime - elapsed)
	}
	return p
}

// choose returns the agents of the next match: two whose match connects another agent with the anchor, those of
// AddAnchor first, or else the two whose match shrinks the targets' intervals most per second. ok is false if no two
// agents may play.
func (r *rater) choose() (a, b int, connecting, ok bool) {
	known := r.fitted.known
	plays := func(i int) bool { return r.agents[i].shipped || slices.Contains(r.Players, i) }
	may := func(a, b int) bool {
		if known[a] && known[b] || !r.canPlay(a) || !r.canPlay(b) || r.pairs[twoOf(a, b)].exhausted {
			return false
		}
		return plays(a) && plays(b) &&
			(!r.Options.Dial || r.agents[a].factory.HasNetwork() || r.agents[b].factory.HasNetwork())
	}
	a, b, ok = connectingPair(known, r.pairings, func(a, b int) bool { return r.agents[b].named && may(a, b) })
	if !ok {
		a, b, ok = connectingPair(known, r.pairings, may)
	}
	if ok {
		return a, b, true, true
	}
	s := schedule{
		games:  matchGames,
		target: func(i int) bool { return slices.Contains(r.Targets, i) && r.unfinished(i) },
		may: func(a, b int) bool {
			return may(a, b) && (!r.Options.Dial || math.Abs(r.fitted.elo(a)-r.fitted.elo(b)) <= maxDialGap)
		},
		cost: func(a, b int) float64 { return r.cost[a] + r.cost[b] },
	}
	if a, b, ok = r.fitted.nextPair(&s); !ok { // all ratings are too far apart, or the near agents can only repeat games
		s.may = may
		a, b, ok = r.fitted.nextPair(&s)
	}
	return a, b, false, ok
}

// length returns the number of games for a match: even, and 0 if the budget is spent.
func (r *rater) length(a, b int, connecting bool) int {
	cost := r.cost[a] + r.cost[b]
	games := connectGames
	switch {
	case r.outside(a) || r.outside(b):
		games = programGames
	case !connecting:
		games = min(max(matchGames, int(minMatchSeconds/cost)), maxMatchGames)
	}
	if r.MaxTime > 0 {
		affordable := int((r.MaxTime - time.Since(r.started)).Seconds() / cost)
		if connecting {
			affordable = max(affordable, minMatchGames)
		}
		games = min(games, affordable)
		if games < minMatchGames {
			return 0
		}
	}
	if r.MaxGames > 0 {
		games = min(games, r.MaxGames-r.played)
	}
	return max(0, games&^1) // even
}

// outside reports whether an agent that can play is a program.
func (r *rater) outside(i int) bool { return r.agents[i].factory.Outside() }

// dropPrograms excludes a program that failed in a match. If its rating is the scale's, the error wraps
// [agent.ErrProgram].
func (r *rater) dropPrograms(m *rundir.MatchResult) error {
	for side, name := range []string{m.Agent, m.Opponent} {
		if !failed(m, side) {
			continue
		}
		a := &r.agents[r.index[name]]
		err := fmt.Errorf("%w %s: %s", agent.ErrProgram, name, m.Sides[side].Text())
		if r.fixed && a.known != nil {
			return err
		}
		a.factory = nil
		if r.Warn != nil {
			r.Warn(err)
		}
	}
	return nil
}

// drop excludes the agents of a match whose weights cannot be loaded. If both load, it returns err, the match's error.
func (r *rater) drop(a, b int, err error) error {
	for _, i := range []int{a, b} {
		if _, loadErr := r.agents[i].factory.Load(); loadErr != nil {
			r.agents[i].factory, err = nil, nil
			if r.Warn != nil {
				r.Warn(loadErr)
			}
		}
	}
	return err
}
