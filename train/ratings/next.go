package ratings

import "gonum.org/v1/gonum/mat"

// connectingPair returns an unrated agent, which no games connect with a known rating, and an opponent that would
// connect it. Of all pairs that may play it takes the one with the nearest indices. may gets the unrated agent second.
// ok is false if there is none.
func connectingPair(known []bool, pairings []pairing, may func(a, b int) bool) (a, b int, ok bool) {
	reached := connected(known, pairings)
	for i := range known {
		for j := range known {
			if reached[i] && !reached[j] && may(i, j) && (!ok || max(i-j, j-i) < max(a-b, b-a)) {
				a, b, ok = j, i, true
			}
		}
	}
	return a, b, ok
}

// schedule holds the criteria for choosing the next match.
type schedule struct {
	games  int                    // number of games of the next match
	target func(agent int) bool   // whether an agent's interval must still shrink
	may    func(a, b int) bool    // whether two agents may play
	cost   func(a, b int) float64 // expected seconds of a game between two agents
}

// nextPair returns the two rated agents whose match reduces the summed variance of the targets' ratings most per
// second. Games between a and b that add information k about d'r, with ratings r and d = u_a - u_b the difference of
// unit vectors, turn the ratings' covariance V into V - V d d' V k / (1 + k d'Vd) (Sherman and Morrison). A game has
// information p (1-p) / dispersion, but a pair's total is bounded (boundedInformation), so each further game adds less.
// ok is false if no two rated agents may play.
func (f *fit) nextPair(s *schedule) (a, b int, ok bool) {
	rows := f.covariances(s.target)
	known := make(map[[2]int]float64) // information of the games played, by twoOf(a, b)
	for i := range f.edges {
		e := &f.edges[i]
		p := f.expectedScore(e)
		known[twoOf(e.a, e.b)] = float64(e.played.games()) * p * (1 - p) / f.dispersion
	}
	best := 0.0
	for i := range f.rating {
		for j := range i {
			if !f.rated[i] || !f.rated[j] || !s.may(i, j) {
				continue
			}
			p := logistic(f.rating[i] - f.rating[j])
			before := known[twoOf(i, j)]
			k := boundedInformation(before+float64(s.games)*p*(1-p)/f.dispersion) - boundedInformation(before)
			fall := 0.0
			for _, row := range rows {
				x := row.AtVec(i) - row.AtVec(j)
				fall += x * x
			}
			fall *= k / (1 + k*differenceVariance(f.cov, i, j)) / (float64(s.games) * s.cost(i, j))
			if !ok || fall > best {
				a, b, best, ok = i, j, fall, true
			}
		}
	}
	return a, b, ok
}

// pairingError is the assumed systematic error, in Elo, of a pairing's true difference against that of the ratings. It
// makes many games of one pairing worth less than the same number spread over several.
const pairingError = 30

// boundedInformation is a pairing's information k, limited by pairingError: 1 / (1/k + error^2) < 1 / error^2.
func boundedInformation(k float64) float64 {
	const e = pairingError / eloPerUnit
	return k / (1 + k*e*e)
}

// covariances returns, for each rated target, the covariance of its difference from the pool's centre with each rating.
func (f *fit) covariances(target func(int) bool) (rows []*mat.VecDense) {
	for i := range f.rating {
		if f.rated[i] && target(i) {
			row := new(mat.VecDense)
			row.MulVec(f.cov, f.fromCentre(i))
			rows = append(rows, row)
		}
	}
	return rows
}

// matchTime is the length of a match and how long it took.
type matchTime struct {
	a, b, games int
	seconds     float64
}

// minGameSeconds is the least cost of a game for an agent.
const minGameSeconds = 1e-6

// gameSeconds estimates each agent's seconds per game by iterative scaling: those of two agents add up to the time per
// game of their matches. An agent without a match gets
// the mean.
func gameSeconds(agents int, matches []matchTime) []float64 {
	cost := make([]float64, agents)
	seconds, games := 0.0, 0.0
	for _, m := range matches {
		seconds += m.seconds
		games += float64(m.games)
	}
	for i := range cost {
		cost[i] = max(seconds/max(games, 1)/2, minGameSeconds)
	}
	const rounds = 200
	for range rounds {
		actual, predicted := make([]float64, agents), make([]float64, agents)
		for _, m := range matches {
			ratio := m.seconds / (cost[m.a] + cost[m.b])
			for _, i := range []int{m.a, m.b} {
				actual[i] += ratio
				predicted[i] += float64(m.games)
			}
		}
		for i := range cost {
			if predicted[i] > 0 {
				cost[i] = max(cost[i]*actual[i]/predicted[i], minGameSeconds)
			}
		}
	}
	return cost
}
