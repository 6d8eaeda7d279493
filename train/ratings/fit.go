package ratings

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Pairing is what the games of two agents have come to.
type Pairing struct {
	A, B int // the agents' numbers
	// Pentanomial counts pairs of games, of one opening with seats swapped, by A's points: 0, 1/2, 1, 3/2 and 2.
	Pentanomial [5]int
	// Singles counts games of no pair by A's points: 0, 1/2 and 1.
	Singles [3]int
}

// Games is the number of games.
func (p *Pairing) Games() int {
	n := p.Singles[0] + p.Singles[1] + p.Singles[2]
	for _, pairs := range p.Pentanomial {
		n += 2 * pairs
	}
	return n
}

// Points is the number of A's points.
func (p *Pairing) Points() float64 {
	points := 0.0
	for half, n := range p.Singles {
		points += float64(n*half) / 2
	}
	for half, n := range p.Pentanomial {
		points += float64(n*half) / 2
	}
	return points
}

// scatter is the sum of squares of the pairs' points around 2p.
func (p *Pairing) scatter(expected float64) float64 {
	sum := 0.0
	for half, n := range p.Pentanomial {
		d := float64(half)/2 - 2*expected
		sum += float64(n) * d * d
	}
	return sum
}

// add counts the games of another pairing of the same two agents.
func (p *Pairing) add(q *Pairing) {
	for i, n := range q.Pentanomial {
		if q.A != p.A {
			i = len(p.Pentanomial) - 1 - i
		}
		p.Pentanomial[i] += n
	}
	for i, n := range q.Singles {
		if q.A != p.A {
			i = len(p.Singles) - 1 - i
		}
		p.Singles[i] += n
	}
}

// perUnit is a rating's points for one unit of the natural logarithm of the odds.
const perUnit = 400 / math.Ln10

// The prior's draws are shared out anew until no share moves by priorWithin, but not more often than priorRounds.
const (
	priorRounds = 10
	priorWithin = 0.01
)

// ErrUnconnected says that the games don't connect all agents with the anchor.
var ErrUnconnected = errors.New("no games connect an agent with the anchor")

// link is a pairing as the likelihood sees it, the prior's draws included.
type link struct {
	a, b   int
	won    float64 // a's points
	lost   float64 // b's points
	drawn  float64 // games of the prior among them
	played Pairing
}

// Fit is the ratings of a pool of agents. Inside they are natural logarithms of odds, and the anchor is no parameter.
type Fit struct {
	anchor  int
	links   []link
	rating  []float64     // by agent
	value   float64       // log likelihood
	info    mat.Cholesky  // of the parameters
	inverse *mat.SymDense // of info
	cov     *mat.SymDense // of the parameters, corrected for the pairs' real scatter
	spread  float64       // of pairs, as a share of what independent games without draws would have
	middle  []float64     // weight of each agent in the pool's middle
	median  []float64     // and in its median
}

// New fits the ratings of the given number of agents to their games; two agents may have several pairings. The error wraps
// [ErrUnconnected].
func New(agents, anchor int, pairings []Pairing) (*Fit, error) {
	for i, reached := range Connected(agents, anchor, pairings) {
		if !reached {
			return nil, fmt.Errorf("%w: agent %d", ErrUnconnected, i)
		}
	}
	f := &Fit{anchor: anchor, links: links(pairings), rating: make([]float64, agents)}
	f.setPrior(func(*link) float64 { return float64(agents-1) / float64(len(f.links)) })
	for range priorRounds {
		f.climb()
		if f.setPrior(f.leverage) < priorWithin {
			break
		}
	}
	f.climb()
	f.setCovariance()
	f.Among(func(int) bool { return true })
	return f, nil
}

// climb finds the likeliest ratings, and what the likelihood is like there.
func (f *Fit) climb() {
	f.maximise(f.rating, nil)
	f.value = f.likelihood(f.rating)
	f.info = f.information(f.rating)
	f.inverse = new(mat.SymDense)
	if err := f.info.InverseTo(f.inverse); err != nil {
		panicUnlessCondition(err)
	}
}

// setPrior gives each link its share of the prior's drawn games, and returns the greatest change.
func (f *Fit) setPrior(share func(*link) float64) (change float64) {
	for i := range f.links {
		l := &f.links[i]
		drawn := share(l)
		change = max(change, math.Abs(drawn-l.drawn))
		l.drawn = drawn
	}
	for i := range f.links {
		l := &f.links[i]
		n, points := float64(l.played.Games()), l.played.Points()
		l.won, l.lost = points+l.drawn/2, n-points+l.drawn/2
	}
	return change
}

// leverage is a link's share in what is known of the ratings: all links' are as many as there are ratings to be found.
func (f *Fit) leverage(l *link) float64 {
	p := expected(f.rating[l.a] - f.rating[l.b])
	return (l.won + l.lost) * p * (1 - p) * f.variance(f.inverse, l.a, l.b)
}

// variance is that of the difference of two agents, by the covariance of the parameters.
func (f *Fit) variance(covariance mat.Symmetric, a, b int) float64 {
	at := func(i, j int) float64 {
		k, l := f.parameter(i), f.parameter(j)
		if k < 0 || l < 0 {
			return 0
		}
		return covariance.At(k, l)
	}
	return at(a, a) + at(b, b) - 2*at(a, b)
}

// Connected says of each agent whether games connect it with the anchor.
func Connected(agents, anchor int, pairings []Pairing) []bool {
	reached := make([]bool, agents)
	reached[anchor] = true
	for grown := true; grown; {
		grown = false
		for i := range pairings {
			p := &pairings[i]
			if p.Games() > 0 && reached[p.A] != reached[p.B] {
				reached[p.A], reached[p.B], grown = true, true, true
			}
		}
	}
	return reached
}

// links joins the pairings of the same agents.
func links(pairings []Pairing) []link {
	var all []link
	at := make(map[[2]int]int)
	for i := range pairings {
		p := &pairings[i]
		if p.Games() == 0 {
			continue
		}
		key := [2]int{min(p.A, p.B), max(p.A, p.B)}
		k, known := at[key]
		if !known {
			k = len(all)
			at[key] = k
			all = append(all, link{a: key[0], b: key[1], played: Pairing{A: key[0], B: key[1]}})
		}
		all[k].played.add(p)
	}
	return all
}

// likelihood is the logarithm of the likelihood, sum of won log(p) + lost log(1-p), p = 1 / (1 + exp(b-a)).
func (f *Fit) likelihood(rating []float64) float64 {
	sum := 0.0
	for i := range f.links {
		l := &f.links[i]
		d := rating[l.a] - rating[l.b]
		sum += l.won*d - (l.won+l.lost)*softplus(d) // log p = d - softplus(d), log(1-p) = -softplus(d)
	}
	return sum
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// expected is the points that an agent ahead by d may expect of a game.
func expected(d float64) float64 { return 1 / (1 + math.Exp(-d)) }

// gradient is that of the likelihood by the parameters.
func (f *Fit) gradient(rating []float64) *mat.VecDense {
	g := mat.NewVecDense(max(1, len(rating)-1), nil)
	for i := range f.links {
		l := &f.links[i]
		x := l.won - (l.won+l.lost)*expected(rating[l.a]-rating[l.b])
		f.accumulate(l, x, g)
	}
	return g
}

// accumulate adds x to l.a's parameter and takes it from l.b's.
func (f *Fit) accumulate(l *link, x float64, g *mat.VecDense) {
	if a := f.parameter(l.a); a >= 0 {
		g.SetVec(a, g.AtVec(a)+x)
	}
	if b := f.parameter(l.b); b >= 0 {
		g.SetVec(b, g.AtVec(b)-x)
	}
}

// parameter is the number of an agent's parameter, -1 for the anchor.
func (f *Fit) parameter(agent int) int {
	switch {
	case agent == f.anchor:
		return -1
	case agent > f.anchor:
		return agent - 1
	}
	return agent
}

// information is the negative of the likelihood's second derivatives, factorised.
func (f *Fit) information(rating []float64) (c mat.Cholesky) {
	if !c.Factorize(f.laplacian(func(l *link) float64 {
		p := expected(rating[l.a] - rating[l.b])
		return (l.won + l.lost) * max(p*(1-p), flat)
	})) {
		panic("ratings: a connected pool's likelihood is not concave")
	}
	return c
}

// laplacian sums weight (e_a - e_b) (e_a - e_b)' over the links, without the anchor's row and column.
func (f *Fit) laplacian(weight func(*link) float64) *mat.SymDense {
	m := mat.NewSymDense(max(1, len(f.rating)-1), nil)
	if len(f.rating) == 1 {
		m.SetSym(0, 0, 1)
	}
	for i := range f.links {
		l := &f.links[i]
		w := weight(l)
		a, b := f.parameter(l.a), f.parameter(l.b)
		if a >= 0 {
			m.SetSym(a, a, m.At(a, a)+w)
		}
		if b >= 0 {
			m.SetSym(b, b, m.At(b, b)+w)
		}
		if a >= 0 && b >= 0 {
			m.SetSym(a, b, m.At(a, b)-w)
		}
	}
	return m
}

const (
	mostSteps = 100   // of Newton's method; ten are usual
	flat      = 1e-9  // p (1-p) below which the likelihood counts as curved nevertheless, for steps that went too far
	closeBy   = 1e-13 // share of the likelihood's curvature left to climb at its top
)

// maximise climbs from rating to the top of the likelihood by Newton's method with steps halved where they overshoot. The
// contrast with the given coefficients (by parameter), if there is one, keeps the value that it has.
func (f *Fit) maximise(rating []float64, contrast *mat.VecDense) {
	trial := make([]float64, len(rating))
	value := f.likelihood(rating)
	for range mostSteps {
		g := f.gradient(rating)
		info := f.information(rating)
		step := solve(&info, g)
		if contrast != nil {
			along := solve(&info, contrast)
			step.AddScaledVec(step, -mat.Dot(contrast, step)/mat.Dot(contrast, along), along)
		}
		rise := mat.Dot(g, step)
		if !(rise > closeBy*(1+math.Abs(value))) {
			return
		}
		for scale := 1.0; ; scale /= 2 {
			f.move(trial, rating, scale, step)
			next := f.likelihood(trial)
			if next > value {
				copy(rating, trial)
				value = next
				break
			}
			if scale < 1e-9 {
				return // at the top, as far as rounding lets us see
			}
		}
	}
}

func solve(c *mat.Cholesky, b *mat.VecDense) *mat.VecDense {
	x := new(mat.VecDense)
	if err := c.SolveVecTo(x, b); err != nil {
		panicUnlessCondition(err)
	}
	return x
}

// move sets dst to rating + scale step.
func (f *Fit) move(dst, rating []float64, scale float64, step *mat.VecDense) {
	for i := range dst {
		dst[i] = rating[i]
		if k := f.parameter(i); k >= 0 {
			dst[i] += scale * step.AtVec(k)
		}
	}
}

// panicUnlessCondition accepts that a system is ill-conditioned: its solution is good enough here.
func panicUnlessCondition(err error) {
	if !errors.As(err, new(mat.Condition)) {
		panic("ratings: " + err.Error())
	}
}
