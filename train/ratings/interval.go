package ratings

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"ludus/train/stats"
)

// scatterPrior is how much a pairing's own scatter leans on that of the whole pool, and the pool's on that of
// independent games: as if they had been seen in 32 pairs of even games, each of variance 1/2.
const scatterPrior = 16

// setCovariance estimates the covariance of the ratings: H^-1 M H^-1, where H is the information and M the sum over the
// pairs of the squares of what each adds to the gradient (the sandwich of Huber 1967 and White 1982). Few games, or
// games that are all won, say little about their scatter, so each pairing's M leans on the pool's.
func (f *fit) setCovariance() {
	observed, expected := 0.0, 0.0
	own := make(map[*edge][2]float64) // scatter of the edge's pairs, observed and expected of independent games
	for i := range f.edges {
		e := &f.edges[i]
		p := f.expectedScore(e)
		one := 2 * p * (1 - p)
		leverage := one * f.variance(f.inverse, e.a, e.b) // the ratings were fitted to these very points
		o := [2]float64{e.played.scatter(p), float64(e.played.pairs()) * one * (1 - leverage)}
		own[e] = o
		observed += o[0]
		expected += o[1]
	}
	f.dispersion = (observed + scatterPrior) / (expected + scatterPrior)
	scatter := f.laplacian(func(e *edge) float64 {
		p, o := f.expectedScore(e), own[e]
		dispersion := (o[0] + scatterPrior*f.dispersion) / (o[1] + scatterPrior)
		pairs, singles := 2*float64(e.played.pairs()), float64(e.played.games()-2*e.played.pairs())
		return (pairs*dispersion + singles*f.dispersion + e.drawn) * p * (1 - p)
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

// setMiddle makes the middle half of the given agents, at least one, the pool's middle: all but a quarter, rounded
// down, at either end.
func (f *fit) setMiddle(in func(agent int) bool) {
	var order []int
	for i := range f.rating {
		if in(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.rating[a], f.rating[b]) })
	order = order[len(order)/4 : len(order)-len(order)/4]
	f.middle = make([]float64, len(f.rating))
	for _, i := range order {
		f.middle[i] = 1 / float64(len(order))
	}
}

// elo is an agent's rating; the anchor's is 0.
func (f *fit) elo(agent int) float64 { return eloPerUnit * f.rating[agent] }

// interval is the 95 % interval of an agent's difference to the pool's middle, moved to contain its rating.
//
// It is where twice the fall of the profile likelihood of that difference stays below 3.84 times the ratio of the
// corrected variance of the difference to the likelihood's own (Rotnitzky and Jewell 1990).
func (f *fit) interval(agent int) (low, high float64) {
	return f.profile(agent, f.fromMiddle(agent))
}

// deviation is the standard deviation of an agent's difference to the pool's middle, from the curvature alone. It is
// quicker than interval, and near a fourth of its width unless the agent wins or loses nearly all games.
func (f *fit) deviation(agent int) float64 {
	c := f.fromMiddle(agent)
	return eloPerUnit * math.Sqrt(mat.Inner(c, f.cov, c))
}

func (f *fit) fromMiddle(agent int) *mat.VecDense { return f.contrast(agent, f.middle) }

// contrast is the vector c, by parameter, for which c'x is the agent's rating less the weighted sum of the others'.
func (f *fit) contrast(agent int, weights []float64) *mat.VecDense {
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

// profile returns the interval of a contrast, moved to contain the agent's rating.
func (f *fit) profile(agent int, c *mat.VecDense) (low, high float64) {
	along := solve(&f.info, c)
	plain := mat.Dot(c, along)
	if plain <= 0 {
		return f.elo(agent), f.elo(agent) // the agent is the whole middle
	}
	reach := stats.Z * math.Sqrt(mat.Inner(c, f.cov, c)/plain)
	along.ScaleVec(1/plain, along) // moves the contrast by 1
	down, up := f.bound(c, along, plain, -reach), f.bound(c, along, plain, reach)
	return f.elo(agent) + eloPerUnit*down, f.elo(agent) + eloPerUnit*up
}

const (
	maxBoundSteps  = 50
	boundTolerance = 1e-4 // of a standard deviation
)

// bound returns how far the contrast moves from its best value until the signed root of twice the likelihood's fall is
// reach. It is Newton's method on that root, which is nearly a straight line.
func (f *fit) bound(c, along *mat.VecDense, variance, reach float64) float64 {
	rating := slices.Clone(f.rating)
	moved := 0.0
	step := reach * math.Sqrt(variance)
	for range maxBoundSteps {
		f.move(rating, rating, step, along)
		moved += step
		f.maximize(rating, c)
		root := math.Copysign(math.Sqrt(2*max(f.value-f.likelihood(rating), 0)), moved)
		if math.Abs(root-reach) < boundTolerance {
			break
		}
		// The likelihood falls by the multiplier of the contrast's constraint: gradient = multiplier c.
		slope := mat.Dot(f.gradient(rating), along)
		step = (reach - root) / (-slope / root)
		step = math.Copysign(min(math.Abs(step), 2*math.Abs(moved)), step)
	}
	return moved
}

// intransitivity is how far pairings differ from the ratings, in Elo, beyond chance: if A beats B, B beats C and C
// beats A, no ratings fit. It is 0 if they fit.
//
// The sum of squares of the pairings' residuals, each relative to its variance, is expected to be the number of
// pairings less that of parameters, plus the square of the intransitivity times the pairings' information: the method
// of moments of DerSimonian and Laird 1986.
func (f *fit) intransitivity() float64 {
	excess, information := 0.0, 0.0
	for i := range f.edges {
		e := &f.edges[i]
		p := f.expectedScore(e)
		one := (e.won + e.lost) * p * (1 - p)
		free := 1 - one*f.variance(f.inverse, e.a, e.b)
		if free < 1e-3 {
			continue // the ratings follow this pairing, whatever its result
		}
		residual := e.won - (e.won+e.lost)*p
		excess += residual*residual/(one*f.dispersion) - free
		information += free * free * one / f.dispersion
	}
	if excess <= 0 || information <= 0 {
		return 0
	}
	return eloPerUnit * math.Sqrt(excess/information)
}

// entry is an agent's entry of a vector by parameter; the anchor's is 0.
func (f *fit) entry(v *mat.VecDense, agent int) float64 {
	if k := f.parameter(agent); k >= 0 {
		return v.AtVec(k)
	}
	return 0
}
