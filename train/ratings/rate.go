package ratings

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"ludus/train/agent"
)

// Options say what Rate is to find out and how much it may spend.
type Options struct {
	Wanted  []int         // agents whose places are sought
	Players []int         // agents that may play for it; they include the wanted ones
	To      float64       // Elo: it is enough when each wanted place is known to within this on both sides; 0: never
	Games   int           // at most; 0: without limit
	Time    time.Duration // at most, but for matches of a few games that connect who has not played; 0: without limit
	Guess   float64       // seconds of a game that are an agent's that has not played; 0: as the others
	Threads int
	// Progress, if set, is told before each match and at the end; Warn of an agent that turns out broken, and goes on without.
	Progress func(Progress)
	Warn     func(error)
}

// Progress is how far Rate has come.
type Progress struct {
	Games   int     // played by this call
	Widest  float64 // half-width of the wanted places' widest interval, in Elo; infinite before all are rated
	Elapsed time.Duration
	Left    time.Duration // expected; 0 where nothing is known
}

const (
	joinGames     = 64   // of a match that connects an agent: what fills two cores' batches
	matchGames    = 128  // of others, of which the tail that leaves batches empty is a smaller share
	mostGames     = 1024 // of any match: more would leave too little to choose by
	leastGames    = 8    // of a match that little time is left for
	hopelessGames = 2000 // all of them lost, or won
	leastTime     = 0.1  // seconds that a match should last, or files and fits would take longer than games
	writeEvery    = 5 * time.Second
)

// Rate plays the matches that tell most a second until enough is known, spent, or ctx ends; then the error is its. Each
// finished match is a line of arena.jsonl and counts, whatever happens later. [Pool.Write] says what they come to.
func (p *Pool) Rate(ctx context.Context, o Options) error {
	r := &rating{Pool: p, Options: o, started: time.Now()}
	return r.loop(ctx)
}

// rating is a call of Rate at work.
type rating struct {
	*Pool
	Options
	games   int
	started time.Time
	fit     *Fit
	place   []int // of each agent in fit, -1 where it has none
	cost    []float64
}

func (r *rating) loop(ctx context.Context) error {
	for {
		r.fit, r.place = r.Pool.fit()
		r.cost = r.Pool.costs(r.Guess)
		if r.Progress != nil {
			r.Progress(r.progress())
		}
		if r.enough() {
			return nil
		}
		a, b, joining, ok := r.next()
		if !ok {
			return nil
		}
		games := r.length(a, b, joining)
		if games == 0 {
			return nil
		}
		m, err := r.Play(ctx, a, b, games, r.Threads, false)
		if errors.Is(err, agent.ErrWeights) {
			err = r.drop(a, b, err)
		}
		if err != nil {
			return err
		}
		if m != nil {
			r.games += m.Games
		}
	}
}

// enough says that all wanted places are known well enough.
func (r *rating) enough() bool {
	return r.To > 0 && !slices.ContainsFunc(r.Wanted, r.open)
}

// open says that an agent's place is to be known better: first by the curvature, which is quick.
func (r *rating) open(i int) bool {
	place := r.place[i]
	switch {
	case !r.able(i):
		return false
	case place < 0 || r.To == 0:
		return true
	case r.hopeless(i):
		return false
	case z*r.fit.Deviation(place) > r.To:
		return true
	}
	low, high := r.fit.Interval(place)
	rating := r.fit.Rating(place)
	return max(high-rating, rating-low) > r.To-0.1 // what is written down is rounded
}

// hopeless says that an agent has won or lost so many games, all of them, that nobody can say how far from the others it is.
func (r *rating) hopeless(i int) bool {
	games, points := 0, 0.0
	for _, played := range r.pairings {
		switch i {
		case played.A:
			games, points = games+played.Games(), points+played.Points()
		case played.B:
			games, points = games+played.Games(), points+float64(played.Games())-played.Points()
		}
	}
	return games >= hopelessGames && (points == 0 || points == float64(games))
}

// able says that an agent can play.
func (p *Pool) able(i int) bool { return p.agents[i].factory != nil }

// progress says how far it has come.
func (r *rating) progress() Progress {
	p := Progress{Games: r.games, Elapsed: time.Since(r.started)}
	for _, i := range r.Wanted {
		switch {
		case !r.open(i) && r.To > 0:
		case r.place[i] < 0:
			p.Widest = math.Inf(1)
		default:
			p.Widest = max(p.Widest, z*r.fit.Deviation(r.place[i]))
		}
	}
	if r.To > 0 && !math.IsInf(p.Widest, 1) { // intervals shrink with the root of the time
		p.Left = time.Duration(max(0, math.Pow(p.Widest/r.To, 2)-1) * r.seconds * float64(time.Second))
	}
	if r.Games > 0 && r.games > 0 {
		p.limit(time.Duration(float64(p.Elapsed) * (float64(r.Games)/float64(r.games) - 1)))
	}
	if r.Time > 0 {
		p.limit(r.Time - p.Elapsed)
	}
	return p
}

// limit says that no more is left than this.
func (p *Progress) limit(left time.Duration) {
	if p.Left == 0 || p.Left > left {
		p.Left = max(0, left)
	}
}

// next chooses who plays: whoever connects another player with the anchor, or else whoever tells most.
func (r *rating) next() (a, b int, joining, ok bool) {
	plays := make([]bool, len(r.agents))
	for _, i := range r.Players {
		plays[i] = r.able(i)
	}
	a, b, ok = Join(len(r.agents), 0, r.pairings, func(a, b int) bool { return plays[a] && plays[b] && !r.spent[twoOf(a, b)] })
	if ok {
		return a, b, true, true
	}
	at := make([]int, 0, len(r.agents)) // the agents' numbers by place
	for i, place := range r.place {
		if place >= 0 {
			at = append(at, i)
		}
	}
	a, b, ok = r.fit.Next(&Plan{
		Games:  matchGames,
		Wanted: func(i int) bool { return slices.Contains(r.Wanted, at[i]) && r.open(at[i]) },
		May:    func(a, b int) bool { return plays[at[a]] && plays[at[b]] && !r.spent[twoOf(at[a], at[b])] },
		Cost:   func(a, b int) float64 { return r.cost[at[a]] + r.cost[at[b]] },
	})
	if !ok {
		return 0, 0, false, false
	}
	return at[a], at[b], false, true
}

// length is how many games a match has, an even number, and 0 where nothing is left to spend.
func (r *rating) length(a, b int, joining bool) int {
	cost := r.cost[a] + r.cost[b]
	games := joinGames
	if !joining {
		games = min(max(matchGames, int(leastTime/cost)), mostGames)
	}
	if r.Time > 0 {
		within := int((r.Time - time.Since(r.started)).Seconds() / cost)
		if joining {
			within = max(within, leastGames)
		}
		if games = min(games, within); games < leastGames {
			return 0
		}
	}
	if r.Games > 0 {
		games = min(games, r.Games-r.games)
	}
	return max(0, games&^1)
}

// drop goes on without those of two agents that are broken. The error is err where none is.
func (r *rating) drop(a, b int, err error) error {
	for _, i := range []int{a, b} {
		if _, broken := r.agents[i].factory.Load(); broken != nil {
			r.agents[i].factory, err = nil, nil
			if r.Warn != nil {
				r.Warn(broken)
			}
		}
	}
	return err
}
