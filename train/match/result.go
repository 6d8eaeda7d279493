package match

import (
	"slices"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/stats"
)

// Result is the outcome of a match for agent A. The higher goal wins a game.
//
// Between agents that play an opening in only one way (see [agent.Spec.Stochastic]), a pair of games that repeats an
// earlier pair move for move adds no information. It counts among the games, but not as evidence: Low, High, their Elo,
// Pentanomial and SeatPairs leave it out. Stochastic agents may play anew in each pair, so all their pairs count.
// Outside programs and agents on a clock are taken for stochastic until six games have repeated earlier ones, and again
// as soon as one game has differed from an earlier one with the same opening and seats.
//
// A game that an agent resigned or lost by a fault counts as any other. A void game counts nowhere but in Sides. The
// other game of its pair still counts: the interval takes it for a pair of one game, as it does the last game of a
// match that was stopped. Such pairs spread more than complete ones, and the interval, which measures the spread, is
// wider for it. Pentanomial and SeatPairs are about complete pairs only.
type Result struct {
	Score     float64 `json:"score"` // (wins + draws / 2) / games
	Low       float64 `json:"low"`   // 95 % confidence interval of Score over pairs; see [stats.Mean]
	High      float64 `json:"high"`
	Wins      int     `json:"wins"`
	Draws     int     `json:"draws"`
	Losses    int     `json:"losses"`
	Games     int     `json:"games"`
	GoalMean  float64 `json:"goal_mean"` // mean of A's goals, 0 to 100
	Pairs     int     `json:"pairs"`     // pairs of games, one per opening; repeats included
	Repeats   int     `json:"repeats"`   // pairs that equal an earlier pair, so they are no new evidence
	AsFirst   Tally   `json:"as_first"`  // games in which A moved first
	AsSecond  Tally   `json:"as_second"`
	MeanPlies float64 `json:"mean_plies"` // mean length of a game
	Seconds   float64 `json:"seconds"`
	Elo       float64 `json:"elo"`     // Elo difference for Score, within ±MaxElo
	EloLow    float64 `json:"elo_low"` // Elo differences for Low and High
	EloHigh   float64 `json:"elo_high"`
	// Balanced means that openings were checked: no side can force a win, except perhaps in the Unsolved ones, which
	// the solver could not decide. If no balanced opening exists, Balanced is false and Unbalanced counts openings that
	// are lost for one side.
	Balanced   bool `json:"balanced"`
	Unsolved   int  `json:"unsolved,omitempty"`
	Unbalanced int  `json:"unbalanced,omitempty"`
	// Pentanomial counts complete pairs, without repeats, by A's points in the two games: 0, 1/2, 1, 3/2, 2.
	Pentanomial [5]int  `json:"pentanomial"`
	SeatPairs   int     `json:"seat_pairs"`     // complete pairs in which the same seat won both games
	Duplicates  int     `json:"duplicates"`     // games that repeat an earlier one move for move
	Sides       [2]Side `json:"sides,omitzero"` // A and B
}

// Mean returns the mean score of agent A in several matches of the same two agents, with its 95 % interval, and the
// number of its games: those of complete pairs that repeat no other.
func Mean(matches []Result) (games int, score stats.Estimate) {
	var pairs []stats.Cluster
	for i := range matches {
		for halfPoints, n := range matches[i].Pentanomial {
			pairs = append(pairs, slices.Repeat([]stats.Cluster{{N: 1, Sum: float64(halfPoints) / 4}}, n)...)
		}
	}
	return 2 * len(pairs), stats.Mean(pairs)
}

// Played is the number of games that were played to an end, void ones included.
func (r *Result) Played() int { return r.Games + r.Sides[0].Void.Total() + r.Sides[1].Void.Total() }

// Tally counts games by their result for A.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// result sums up the games, which are indexed by number; unfinished ones are nil.
func (c *Config) result(games []*finishedGame) Result {
	var r Result
	var scores []stats.Cluster // one cluster per pair
	seen, pairs := make(map[string]bool), make(pairsPlayed)
	balances := make(map[balance]int)
	deterministic := c.deterministic(games)
	var choices [2]int // of A and B, in games that count
	for pair := range slices.Chunk(games, 2) {
		pair = slices.DeleteFunc(slices.Clone(pair), func(g *finishedGame) bool { return g == nil })
		for _, g := range pair {
			for side := range r.Sides {
				r.Sides[side].add(side, g)
			}
		}
		pair = slices.DeleteFunc(pair, func(g *finishedGame) bool { return g.ending.Void() })
		if len(pair) == 0 {
			continue
		}
		sum := 0.0
		for _, g := range pair {
			sum += r.add(g)
			choices[0], choices[1] = choices[0]+g.choices[0], choices[1]+g.choices[1]
			key := movesKey(g.moves)
			if seen[key] {
				r.Duplicates++
			}
			seen[key] = true
		}
		r.Pairs++
		balances[pair[0].opening.balance]++
		repeats := pairs.add(pair)
		if deterministic && repeats {
			r.Repeats++
			continue
		}
		scores = append(scores, stats.Cluster{N: 1, Sum: sum / float64(len(pair))})
		if len(pair) == 2 {
			r.Pentanomial[int(2*sum)]++ // by half points
			if sum == 1 && pair[0].score() != 0.5 {
				r.SeatPairs++
			}
		}
	}
	r.Balanced = balances[balanced] > 0 && balances[unchecked]+balances[unbalanced] == 0
	r.Unbalanced = balances[unbalanced]
	if r.Balanced {
		r.Unsolved = balances[unsolved]
	}
	r.average(scores)
	for i := range r.Sides {
		r.Sides[i].SecondsPerMove /= float64(max(1, choices[i]))
	}
	return r
}

// average turns the sums into means and sets the interval and Elo. scores has a cluster for each pair that is no
// repeat.
func (r *Result) average(scores []stats.Cluster) {
	interval := stats.Mean(scores)
	r.Low, r.High = interval.Low, interval.High
	if r.Games > 0 {
		n := float64(r.Games)
		r.Score = (float64(r.Wins) + float64(r.Draws)/2) / n
		r.GoalMean /= n
		r.MeanPlies /= n
		r.Low, r.High = min(r.Low, r.Score), max(r.High, r.Score) // pairs have unequal weights, so Score may lie outside
		r.Elo = eloOf(r.Score)
	}
	r.EloLow, r.EloHigh = eloOf(r.Low), eloOf(r.High)
}

// add counts one game and returns its score. GoalMean and MeanPlies are sums until average is called.
func (r *Result) add(g *finishedGame) float64 {
	tally := &r.AsSecond
	if g.aFirst {
		tally = &r.AsFirst
	}
	r.Games++
	r.GoalMean += float64(g.goals[0])
	r.MeanPlies += float64(len(g.moves))
	score := g.score()
	switch score {
	case 1:
		r.Wins++
		tally.Wins++
	case 0:
		r.Losses++
		tally.Losses++
	default:
		r.Draws++
		tally.Draws++
	}
	return score
}

// minRepeats is the number of repeated games, none of them played differently, that show programs to be deterministic.
const minRepeats = 6

// deterministic reports whether an opening always leads to the same game: by the agents' specs, or by the games if only
// programs and clocks may change them.
func (c *Config) deterministic(games []*finishedGame) bool {
	unknown := c.hasClock()
	for _, f := range []*agent.Factory{c.A, c.B} {
		if f.Stochastic() && !f.Outside() {
			return false
		}
		unknown = unknown || f.Stochastic()
	}
	if !unknown {
		return true
	}
	type start struct {
		opening string
		aFirst  bool
	}
	played, repeats := make(map[start]string), 0 // all moves by start
	for _, g := range games {
		if g == nil || g.ending.Void() {
			continue
		}
		from, moves := start{movesKey(g.opening.moves), g.aFirst}, movesKey(g.moves)
		before, repeated := played[from]
		switch {
		case !repeated:
			played[from] = moves
		case before != moves:
			return false
		default:
			repeats++
		}
	}
	return repeats >= minRepeats
}

// pairsPlayed is a set of finished pairs and single games; keys are their moves and seats.
type pairsPlayed map[string]bool

// add adds an opening's finished games and reports whether they equal those of an earlier pair: the same
// moves in the same seats. If only one of the two games is finished, one equal earlier game is enough.
func (p pairsPlayed) add(games []*finishedGame) bool {
	pair := ""
	var keys []string
	for _, g := range games {
		seat := "b"
		if g.aFirst {
			seat = "a"
		}
		key := movesKey(g.moves) + seat // a key of one game has odd length, a key of a pair even: no collision
		pair, keys = pair+key, append(keys, key)
	}
	repeats := p[pair]
	for _, key := range append(keys, pair) {
		p[key] = true
	}
	return repeats
}

// movesKey returns a map key for a list of moves, two bytes for each; different lists have different keys.
func movesKey(moves []env.Action) string {
	b := make([]byte, 0, 2*len(moves))
	for _, a := range moves {
		b = append(b, byte(a), byte(a>>8))
	}
	return string(b)
}
