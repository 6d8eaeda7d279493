package ratings

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// pairing is the result of the games between two agents.
type pairing struct {
	a, b int // agents' indices
	// pentanomial counts pairs of games (one opening, seats swapped) by a's points: 0, 1/2, 1, 3/2 and 2.
	pentanomial [5]int
	// singles counts games outside pairs by a's points: 0, 1/2 and 1.
	singles [3]int
}

// pairs is the number of pairs of games.
func (p *pairing) pairs() (n int) {
	for _, k := range p.pentanomial {
		n += k
	}
	return n
}

// games is the number of games.
func (p *pairing) games() int { return p.singles[0] + p.singles[1] + p.singles[2] + 2*p.pairs() }

// points is the sum of a's points.
func (p *pairing) points() float64 {
	points := 0.0
	for halfPoints, n := range p.singles {
		points += float64(n*halfPoints) / 2
	}
	for halfPoints, n := range p.pentanomial {
		points += float64(n*halfPoints) / 2
	}
	return points
}

// scatter is the sum over the pairs of (points - 2 expected)^2, where expected is a's expected score in one game.
func (p *pairing) scatter(expected float64) float64 {
	sum := 0.0
	for halfPoints, n := range p.pentanomial {
		d := float64(halfPoints)/2 - 2*expected
		sum += float64(n) * d * d
	}
	return sum
}

// add adds the games of another pairing of the same two agents.
func (p *pairing) add(q *pairing) {
	if q.a != p.a {
		q = &pairing{pentanomial: q.pentanomial, singles: q.singles} // copies of the arrays, with a and b swapped below
		slices.Reverse(q.pentanomial[:])
		slices.Reverse(q.singles[:])
	}
	for i, n := range q.pentanomial {
		p.pentanomial[i] += n
	}
	for i, n := range q.singles {
		p.singles[i] += n
	}
}

// eloPerUnit converts ratings from natural logarithms of odds to Elo.
const eloPerUnit = 400 / math.Ln10

// The prior's virtual draws are distributed anew until no edge's share changes by priorTolerance or more, at most
// priorRounds times.
const (
	priorRounds    = 10
	priorTolerance = 0.01
)

// edge holds the games between agents a < b as one sum, and the edge's share of the prior's virtual draws.
type edge struct {
	a, b   int
	won    float64 // a's points
	lost   float64 // b's points
	prior  float64 // virtual draws of the prior, included in won and lost
	played pairing
}

// fit holds the ratings of a pool of agents, fitted to their games. Its ratings are natural logarithms of odds. Vectors and
// matrices have an entry for each agent, which is 0 for agents with a known rating.
type fit struct {
	known      []bool // by agent: whether its rating is given; at least one is
	rated      []bool // by agent: whether its rating is given, or games connect it with such an agent; other ratings are meaningless
	edges      []edge
	rating     []float64     // by agent
	value      float64       // log-likelihood
	info       mat.Cholesky  // information matrix of the ratings
	inverse    *mat.SymDense // inverse of info; 0 for agents with a known rating
	cov        *mat.SymDense // covariance of the ratings, corrected for the observed scatter of pairs
	dispersion float64       // scatter of pairs relative to that of independent games without draws
	centre     []float64     // weight of each agent in the pool's centre
}

// newFit fits the ratings of agents to their games. elo has the agents' known ratings, and NaN for the others. Two agents
// may have several pairings.
func newFit(elo []float64, pairings []pairing) *fit {
	f := &fit{known: make([]bool, len(elo)), rating: make([]float64, len(elo))}
	for i, x := range elo {
		if !math.IsNaN(x) {
			f.known[i], f.rating[i] = true, x/eloPerUnit
		}
	}
	f.rated = connected(f.known, pairings)
	parameters := 0.0 // number of ratings to fit
	for i, rated := range f.rated {
		if rated && !f.known[i] {
			parameters++
		}
	}
	f.edges = edgesOf(slices.DeleteFunc(slices.Clone(pairings), func(p pairing) bool { return !f.rated[p.a] }))
	f.setPrior(func(*edge) float64 { return parameters / float64(len(f.edges)) })
	for range priorRounds {
		f.maximizeAll()
		change := f.setPrior(f.leverage)
		if change < priorTolerance {
			break
		}
	}
	f.maximizeAll()
	f.setCovariance()
	f.setCentre(func(int) bool { return true })
	return f
}

// maximizeAll finds the most likely ratings, and the likelihood and the information there.
func (f *fit) maximizeAll() {
	f.maximize(f.rating, nil) // nothing is held fixed
	f.value = f.likelihood(f.rating)
	f.info = f.information(f.rating)
	f.inverse = new(mat.SymDense)
	_ = f.info.InverseTo(f.inverse) // the error only warns of an ill-conditioned matrix; the result is good enough
	for i, known := range f.known {
		if known {
			f.inverse.SetSym(i, i, 0)
		}
	}
}

// setPrior gives each edge share(edge) of the prior's virtual draws. It returns the largest change of a share, by which the
// caller detects convergence.
func (f *fit) setPrior(share func(*edge) float64) (change float64) {
	for i := range f.edges {
		e := &f.edges[i]
		prior := share(e) // computed from the last fit
		change = max(change, math.Abs(prior-e.prior))
		n, points := float64(e.played.games()), e.played.points()
		e.prior, e.won, e.lost = prior, points+prior/2, n-points+prior/2
	}
	return change
}

// expectedScore is a's expected score against b in a game of the edge.
func (f *fit) expectedScore(e *edge) float64 { return logistic(f.rating[e.a] - f.rating[e.b]) }

// leverage is an edge's leverage in the fit: its information times the variance of its rating difference. The leverages
// add up to the number of ratings to be fitted.
func (f *fit) leverage(e *edge) float64 {
	p := f.expectedScore(e)
	return (e.won + e.lost) * p * (1 - p) * differenceVariance(f.inverse, e.a, e.b)
}

// differenceVariance is the variance of the difference of two agents' ratings, given the covariance of the ratings.
func differenceVariance(covariance mat.Symmetric, a, b int) float64 {
	return covariance.At(a, a) + covariance.At(b, b) - 2*covariance.At(a, b)
}

// connected reports for each agent whether its rating is known or a chain of games connects it with an agent of known
// rating.
func connected(known []bool, pairings []pairing) []bool {
	reached := slices.Clone(known)
	for grown := true; grown; {
		grown = false
		for i := range pairings {
			p := &pairings[i]
			if p.games() > 0 && reached[p.a] != reached[p.b] {
				reached[p.a], reached[p.b], grown = true, true, true
			}
		}
	}
	return reached
}

// edgesOf merges the pairings of the same two agents into edges. The virtual draws of the ratings' prior are not yet
// added.
func edgesOf(pairings []pairing) []edge {
	var all []edge
	at := make(map[[2]int]int)
	for i := range pairings {
		p := &pairings[i]
		if p.games() == 0 {
			continue
		}
		key := twoOf(p.a, p.b)
		k, known := at[key]
		if !known {
			k = len(all)
			at[key] = k
			all = append(all, edge{a: key[0], b: key[1], played: pairing{a: key[0], b: key[1]}})
		}
		all[k].played.add(p)
	}
	return all
}

// likelihood is the log likelihood of ratings: the sum of won log(p) + lost log(1-p), p = 1 / (1 + exp(b-a)).
func (f *fit) likelihood(rating []float64) float64 {
	sum := 0.0
	for i := range f.edges {
		e := &f.edges[i]
		d := rating[e.a] - rating[e.b]
		sum += e.won*d - (e.won+e.lost)*softplus(d) // log p = d - softplus(d), log(1-p) = -softplus(d)
	}
	return sum
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// logistic is the expected score at a difference d: 1 / (1 + exp(-d)).
func logistic(d float64) float64 { return 1 / (1 + math.Exp(-d)) }

// gradient is the gradient of the log-likelihood with respect to the ratings to be fitted.
func (f *fit) gradient(rating []float64) *mat.VecDense {
	g := mat.NewVecDense(len(rating), nil)
	for i := range f.edges {
		e := &f.edges[i]
		x := e.won - (e.won+e.lost)*logistic(rating[e.a]-rating[e.b])
		g.SetVec(e.a, g.AtVec(e.a)+x)
		g.SetVec(e.b, g.AtVec(e.b)-x)
	}
	f.clearKnown(g)
	return g
}

// clearKnown sets the entries of agents with a known rating to 0.
func (f *fit) clearKnown(v *mat.VecDense) {
	for i, known := range f.known {
		if known {
			v.SetVec(i, 0)
		}
	}
}

// information is the negative Hessian of the log-likelihood with respect to the ratings to be fitted, as a Cholesky
// factorisation. Rows of agents with a known rating, and of those that cannot be rated, are those of the identity, so
// steps along gradients and contrasts do not move these ratings.
func (f *fit) information(rating []float64) (c mat.Cholesky) {
	m := f.laplacian(func(e *edge) float64 {
		p := logistic(rating[e.a] - rating[e.b])
		return (e.won + e.lost) * max(p*(1-p), minCurvature)
	})
	for i, rated := range f.rated {
		if f.known[i] || !rated {
			m.SetSym(i, i, 1)
		}
	}
	if !c.Factorize(m) {
		panic("ratings: a connected pool's likelihood is not concave")
	}
	return c
}

// laplacian sums weight (u_a - u_b) (u_a - u_b)' over the edges, where u_i is the unit vector of agent i, or 0 if its rating
// is known.
func (f *fit) laplacian(weight func(*edge) float64) *mat.SymDense {
	m := mat.NewSymDense(len(f.rating), nil)
	for i := range f.edges {
		e := &f.edges[i]
		w := weight(e)
		if !f.known[e.a] {
			m.SetSym(e.a, e.a, m.At(e.a, e.a)+w)
		}
		if !f.known[e.b] {
			m.SetSym(e.b, e.b, m.At(e.b, e.b)+w)
		}
		if !f.known[e.a] && !f.known[e.b] {
			m.SetSym(e.a, e.b, m.At(e.a, e.b)-w)
		}
	}
	return m
}

const (
	maxSteps     = 100   // step limit of Newton's method; ten are usual
	minCurvature = 1e-9  // lower bound of p (1-p), which steps that overshoot could make 0
	riseTol      = 1e-13 // relative rise of the likelihood at which Newton's method stops
)

// maximize changes rating to maximize the likelihood, by Newton's method with halved steps where one overshoots. If
// contrast, a coefficient for each agent, is not nil, the value of that linear combination is held fixed.
func (f *fit) maximize(rating []float64, contrast *mat.VecDense) {
	trial := make([]float64, len(rating))
	value := f.likelihood(rating)
	for range maxSteps {
		g := f.gradient(rating)
		info := f.information(rating)
		step := solve(&info, g)
		if contrast != nil {
			along := solve(&info, contrast)
			step.AddScaledVec(step, -mat.Dot(contrast, step)/mat.Dot(contrast, along), along)
		}
		rise := mat.Dot(g, step)
		if !(rise > riseTol*(1+math.Abs(value))) {
			return
		}
		for scale := 1.0; ; scale /= 2 {
			floats.AddScaledTo(trial, rating, scale, step.RawVector().Data)
			next := f.likelihood(trial)
			if next > value {
				copy(rating, trial)
				value = next
				break
			}
			if scale < 1e-9 {
				return // the maximum, up to rounding
			}
		}
	}
}

// solve returns x of C x = b.
func solve(c *mat.Cholesky, b *mat.VecDense) *mat.VecDense {
	x := new(mat.VecDense)
	_ = c.SolveVecTo(x, b) // an error only warns of an ill-conditioned matrix
	return x
}
