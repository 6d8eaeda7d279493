package ratings

import "gonum.org/v1/gonum/mat"

// Join names two agents whose match connects one more of them with the anchor: of those who may play, the nearest by number
// of one that is connected and one that is not. It is false where there are none.
func Join(agents, anchor int, pairings []Pairing, may func(a, b int) bool) (a, b int, ok bool) {
	reached := Connected(agents, anchor, pairings)
	for i := range agents {
		for j := range agents {
			if reached[i] && !reached[j] && may(i, j) && (!ok || max(i-j, j-i) < max(a-b, b-a)) {
				a, b, ok = j, i, true
			}
		}
	}
	return a, b, ok
}

// Plan is what [Fit.Next] chooses from and by.
type Plan struct {
	Games int // of the next match
	// Wanted are the agents whose places in the pool are sought; May says which two may play, and Cost how many seconds
	// one of their games takes.
	Wanted func(agent int) bool
	May    func(a, b int) bool
	Cost   func(a, b int) float64
}

// Next names the two agents whose match tells most a second: that lets the sum of the variances of the wanted agents'
// places in the pool fall most. Information k along d = e_a - e_b makes covariance V into V - V d d' V k / (1 + k d'Vd), by
// Sherman and Morrison. Games between a and b make for k = games p (1-p) / spread, but the more these two have played,
// the less more of it tells: see doubt. It is false where no two may play.
func (f *Fit) Next(plan *Plan) (a, b int, ok bool) {
	rows := f.places(plan.Wanted)
	told := make(map[[2]int]float64) // information by the agents, the lower number first
	for i := range f.links {
		l := &f.links[i]
		p := expected(f.rating[l.a] - f.rating[l.b])
		told[[2]int{l.a, l.b}] = float64(l.played.Games()) * p * (1 - p) / f.spread
	}
	best := 0.0
	for i := range f.rating {
		for j := range i {
			if !plan.May(i, j) {
				continue
			}
			p := expected(f.rating[i] - f.rating[j])
			before := told[[2]int{j, i}]
			k := beyondDoubt(before+float64(plan.Games)*p*(1-p)/f.spread) - beyondDoubt(before)
			fall := 0.0
			for _, row := range rows {
				x := row(i) - row(j)
				fall += x * x
			}
			fall *= k / (1 + k*f.variance(f.cov, i, j)) / (float64(plan.Games) * plan.Cost(i, j))
			if !ok || fall > best {
				a, b, best, ok = i, j, fall, true
			}
		}
	}
	return a, b, ok
}

// doubt is how far, in Elo, one pairing is thought to depart from what the ratings expect of it. However often two agents
// play each other, their games tell no more than that, so that an agent meets several others.
const doubt = 30

// beyondDoubt is what the information of a pairing is worth: 1 / (1/k + doubt^2).
func beyondDoubt(k float64) float64 { return k / (1 + k*doubt*doubt/(perUnit*perUnit)) }

// places returns, for each wanted agent, its place's covariance with any agent's rating.
func (f *Fit) places(wanted func(int) bool) (rows []func(agent int) float64) {
	for i := range f.rating {
		if !wanted(i) {
			continue
		}
		row := new(mat.VecDense)
		row.MulVec(f.cov, f.fromMiddle(i))
		rows = append(rows, func(agent int) float64 { return f.entry(row, agent) })
	}
	return rows
}

// Costs says how many seconds of a game are each agent's, so that two agents' add up to what their matches took as nearly
// as one figure an agent can say (by iterative scaling). An agent without a match costs the guess, or, where that is 0, as
// much as the mean.
func Costs(agents int, matches []Timed, guess float64) []float64 {
	cost := make([]float64, agents)
	seconds, games := 0.0, 0.0
	for _, m := range matches {
		seconds += m.Seconds
		games += float64(m.Games)
	}
	for i := range cost {
		cost[i] = max(seconds/max(games, 1)/2, leastCost)
	}
	const rounds = 200
	for range rounds {
		took, foreseen := make([]float64, agents), make([]float64, agents)
		for _, m := range matches {
			ratio := m.Seconds / (cost[m.A] + cost[m.B])
			for _, i := range []int{m.A, m.B} {
				took[i] += ratio
				foreseen[i] += float64(m.Games)
			}
		}
		for i := range cost {
			if foreseen[i] > 0 {
				cost[i] = max(cost[i]*took[i]/foreseen[i], leastCost)
			} else if guess > 0 {
				cost[i] = guess
			}
		}
	}
	return cost
}

// Timed is a match's length and how long it took.
type Timed struct {
	A, B, Games int
	Seconds     float64
}

// leastCost is what a game costs its agents at least, in seconds, whatever the clock says.
const leastCost = 1e-6
