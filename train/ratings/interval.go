package ratings

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// z is the standard normal deviation that 95 % lie within.
const z = 1.959964

// trust is how much a pairing's own scatter counts beside that of the whole pool, and the pool's beside that of
// independent games: these have as much weight as 32 pairs of even games, whose variances of 1/2 make 16.
const trust = 16

// setCovariance finds how far the ratings scatter: H^-1 M H^-1, H being the information and M the sum over the games
// of the squares of what each adds to the gradient (the sandwich of Huber 1967 and White 1982). Few games, or games
// that are all won, say little of their scatter, so each pairing's M leans on the pool's.
func (f *Fit) setCovariance() {
	seen, model := 0.0, 0.0
	own := make([][2]float64, len(f.links)) // by link: the pairs' scatter, and what independent games would leave of it
	for i := range f.links {
		l := &f.links[i]
		p := expected(f.rating[l.a] - f.rating[l.b])
		one := 2 * p * (1 - p)
		leverage := one * f.variance(f.inverse, l.a, l.b) // the ratings were fitted to these very points
		own[i] = [2]float64{l.played.scatter(p), pairsOf(&l.played) * one * (1 - leverage)}
		seen += own[i][0]
		model += own[i][1]
	}
	f.spread = (seen + trust) / (model + trust)
	i := -1
	scatter := f.laplacian(func(l *link) float64 {
		i++
		p := expected(f.rating[l.a] - f.rating[l.b])
		spread := (own[i][0] + trust*f.spread) / (own[i][1] + trust)
		singles := l.played.Singles
		alone := float64(singles[0]+singles[1]+singles[2]) * f.spread
		return (2*pairsOf(&l.played)*spread + alone + l.drawn) * p * (1 - p)
	})
	var all mat.Dense
	all.Product(f.inverse, scatter, f.inverse)
	n, _ := all.Dims()
	f.cov = mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			f.cov.SetSym(i, j, (all.At(i, j)+all.At(j, i))/2)
		}
	}
}

func pairsOf(p *Pairing) (n float64) {
	for _, k := range p.Pentanomial {
		n += float64(k)
	}
	return n
}

// Among makes the pool's middle and its median those of the given agents alone, at least one, whose number is i where in(i);
// [New] takes all. The middle is the middle half of them: all but a quarter, rounded down, at either end.
func (f *Fit) Among(in func(agent int) bool) {
	var order []int
	for i := range f.rating {
		if in(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.rating[a], f.rating[b]) })
	f.middle = f.mean(inner(order, len(order)/4))
	f.median = f.mean(inner(order, (len(order)-1)/2))
}

// inner leaves so many out at either end.
func inner(order []int, cut int) []int { return order[cut : len(order)-cut] }

// mean is the weights, by agent, that make the mean of the given agents.
func (f *Fit) mean(agents []int) []float64 {
	weights := make([]float64, len(f.rating))
	for _, i := range agents {
		weights[i] = 1 / float64(len(agents))
	}
	return weights
}

// Rating is an agent's rating, the anchor's being 0.
func (f *Fit) Rating(agent int) float64 { return perUnit * f.rating[agent] }

// Interval is the 95 % interval of an agent's rating, as far as its place in the pool goes: its difference to the pool's
// middle is known as well as this. It holds the rating.
//
// The interval is where twice the fall of the profile likelihood of that difference stays below 3.84 times the ratio
// of its variance, corrected for the pairs' scatter, to that of the likelihood alone (Rotnitzky and Jewell 1990).
func (f *Fit) Interval(agent int) (low, high float64) {
	return f.profile(agent, f.fromMiddle(agent))
}

// MedianInterval is that of its difference to the pool's median agent, or the mean of the two about the median. It is wider
// than Interval where the pool is wide, and of no width for the median agent itself.
func (f *Fit) MedianInterval(agent int) (low, high float64) {
	return f.profile(agent, f.contrast(agent, f.median))
}

// AnchorInterval is that of its difference to the anchor.
func (f *Fit) AnchorInterval(agent int) (low, high float64) {
	if agent == f.anchor {
		return 0, 0
	}
	return f.profile(agent, f.contrast(agent, nil))
}

// Deviation is the standard deviation of an agent's place in the pool, from the curvature alone: quicker than Interval,
// and near a fourth of its width where the agent neither wins nor loses nearly all games.
func (f *Fit) Deviation(agent int) float64 {
	c := f.fromMiddle(agent)
	return perUnit * math.Sqrt(mat.Inner(c, f.cov, c))
}

func (f *Fit) fromMiddle(agent int) *mat.VecDense { return f.contrast(agent, f.middle) }

// contrast is the vector c, by parameter, whose product with the parameters is the agent's rating less the weighted others'.
func (f *Fit) contrast(agent int, weights []float64) *mat.VecDense {
	c := mat.NewVecDense(max(1, len(f.rating)-1), nil)
	for i, w := range weights {
		if k := f.parameter(i); k >= 0 {
			c.SetVec(k, -w)
		}
	}
	if k := f.parameter(agent); k >= 0 {
		c.SetVec(k, c.AtVec(k)+1)
	}
	return c
}

// profile returns the interval of a contrast, moved to where the agent's rating lies.
func (f *Fit) profile(agent int, c *mat.VecDense) (low, high float64) {
	along := solve(&f.info, c)
	plain := mat.Dot(c, along)
	if plain <= 0 {
		return f.Rating(agent), f.Rating(agent) // it is all that it is compared with
	}
	reach := z * math.Sqrt(mat.Inner(c, f.cov, c)/plain)
	along.ScaleVec(1/plain, along) // moves the contrast by 1
	down, up := f.bound(c, along, plain, -reach), f.bound(c, along, plain, reach)
	return f.Rating(agent) + perUnit*down, f.Rating(agent) + perUnit*up
}

const (
	mostBounds  = 50
	boundWithin = 1e-4 // of a standard deviation
)

// bound returns how far the contrast can move from its best value until the signed root of twice the likelihood's fall is
// reach: Newton's method on that root, which is nearly a straight line.
func (f *Fit) bound(c, along *mat.VecDense, variance, reach float64) float64 {
	rating := slices.Clone(f.rating)
	moved := 0.0
	step := reach * math.Sqrt(variance)
	for range mostBounds {
		f.move(rating, rating, step, along)
		moved += step
		f.maximise(rating, c)
		root := math.Copysign(math.Sqrt(2*max(f.value-f.likelihood(rating), 0)), moved)
		if math.Abs(root-reach) < boundWithin {
			break
		}
		// The likelihood falls by the multiplier of the contrast's constraint: gradient = multiplier c.
		slope := mat.Dot(f.gradient(rating), along)
		step = (reach - root) / (-slope / root)
		step = math.Copysign(min(math.Abs(step), 2*math.Abs(moved)), step)
	}
	return moved
}

// Misfit is how far pairings depart from what the ratings expect of them, in Elo, beyond the chance of their games: where A
// beats B, B beats C and C beats A, no ratings fit. It is 0 where they fit.
//
// The sum of squares of the pairings' departures, each as a share of its variance, is as many as there are pairings beyond
// those that the ratings take up, and more by the square of the misfit times what the pairings tell: the method of
// moments of DerSimonian and Laird 1986.
func (f *Fit) Misfit() float64 {
	excess, told := 0.0, 0.0
	for i := range f.links {
		l := &f.links[i]
		p := expected(f.rating[l.a] - f.rating[l.b])
		one := (l.won + l.lost) * p * (1 - p)
		free := 1 - one*f.variance(f.inverse, l.a, l.b)
		if free < 1e-3 {
			continue // the ratings follow this pairing, whatever it says
		}
		departure := l.won - (l.won+l.lost)*p
		excess += departure*departure/(one*f.spread) - free
		told += free * free * one / f.spread
	}
	if excess <= 0 || told <= 0 {
		return 0
	}
	return perUnit * math.Sqrt(excess/told)
}

// Leeway is how far an agent's place may lie, 95 % of the time, from where it would if it had met all others alike, or other
// ones: what pairings that depart from the ratings by [Fit.Misfit] leave open, beside the interval, which knows nothing of it.
func (f *Fit) Leeway(agent int) float64 {
	pull := solve(&f.info, f.fromMiddle(agent)) // of a point on the place
	misfit, sum := f.Misfit(), 0.0
	for i := range f.links {
		l := &f.links[i]
		p := expected(f.rating[l.a] - f.rating[l.b])
		x := (l.won + l.lost) * p * (1 - p) * (f.entry(pull, l.a) - f.entry(pull, l.b)) * misfit
		sum += x * x
	}
	return z * math.Sqrt(sum)
}

// entry is an agent's entry of a vector by parameter; the anchor's is 0.
func (f *Fit) entry(v *mat.VecDense, agent int) float64 {
	if k := f.parameter(agent); k >= 0 {
		return v.AtVec(k)
	}
	return 0
}
