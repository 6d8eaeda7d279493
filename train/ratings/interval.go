package ratings

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"ludus/train/stats"
)

// scatterPrior shrinks a pairing's estimated variance towards the pool's, and the pool's towards that of independent
// games. Its weight is that of 32 more pairs of even games (each has variance 1/2).
const scatterPrior = 16

// setCovariance estimates the covariance of the ratings: H^-1 M H^-1, where H is the information and M the sum over the
// pairs of the squares of what each adds to the gradient (the sandwich of Huber 1967 and White 1982). Few games, or
// games that are all won, say little about their scatter, so each pairing's M is shrunk towards the pool's.
func (f *fit) setCovariance() {
	observed, expected := 0.0, 0.0
	scatters := make(map[*edge][2]float64) // scatter of the edge's pairs: observed, and expected for independent games
	for i := range f.edges {
		e := &f.edges[i]
		p := f.expectedScore(e)
		pairVariance := 2 * p * (1 - p)
		leverage := pairVariance * differenceVariance(f.inverse, e.a, e.b) // by which the fit reduces the scatter of these points
		o := [2]float64{e.played.scatter(p), float64(e.played.pairs()) * pairVariance * (1 - leverage)}
		scatters[e] = o
		observed += o[0]
		expected += o[1]
	}
	f.dispersion = (observed + scatterPrior) / (expected + scatterPrior)
	scatter := f.laplacian(func(e *edge) float64 {
		p, o := f.expectedScore(e), scatters[e]
		dispersion := (o[0] + scatterPrior*f.dispersion) / (o[1] + scatterPrior)
		pairs, singles := 2*float64(e.played.pairs()), float64(e.played.games()-2*e.played.pairs())
		return (pairs*dispersion + singles*f.dispersion + e.prior) * p * (1 - p)
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

// setCentre defines the pool's centre: the mean rating of the middle half of the rated agents for which in returns
// true. A quarter, rounded down, is left out at either end.
func (f *fit) setCentre(in func(agent int) bool) {
	var order []int
	for i := range f.rating {
		if f.rated[i] && in(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.rating[a], f.rating[b]) })
	order = order[len(order)/4 : len(order)-len(order)/4]
	f.centre = make([]float64, len(f.rating))
	for _, i := range order {
		f.centre[i] = 1 / float64(len(order))
	}
}

// elo is an agent's rating.
func (f *fit) elo(agent int) float64 { return eloPerUnit * f.rating[agent] }

// interval is the 95 % profile likelihood interval of an agent's difference from the pool's centre, shifted onto the
// rating scale. The threshold 3.84 of the likelihood ratio statistic is scaled by the robust variance of the difference
// (f.cov) divided by its model variance (the inverse of the information). Source: Rotnitzky and Jewell 1990.
func (f *fit) interval(agent int) (low, high float64) {
	c := f.fromCentre(agent)
	along := solve(&f.info, c)
	variance := mat.Dot(c, along) // variance according to the model
	if variance <= 0 {
		return f.elo(agent), f.elo(agent) // the agent alone is the centre, or all ratings are known
	}
	target := stats.Z * math.Sqrt(mat.Inner(c, f.cov, c)/variance)
	along.ScaleVec(1/variance, along) // now a step along it changes the contrast by 1
	down, up := f.bound(c, along, variance, -target), f.bound(c, along, variance, target)
	return f.elo(agent) + eloPerUnit*down, f.elo(agent) + eloPerUnit*up
}

// deviation is the standard error of an agent's rating relative to the pool's centre, by the normal approximation. It
// is cheaper than interval, whose width is about four times this unless the agent wins or loses nearly all games.
func (f *fit) deviation(agent int) float64 {
	c := f.fromCentre(agent)
	return eloPerUnit * math.Sqrt(mat.Inner(c, f.cov, c))
}

// fromCentre is the vector c, by agent, with c'x the change of the agent's rating minus the pool's centre when the
// fitted ratings change by x.
func (f *fit) fromCentre(agent int) *mat.VecDense {
	c := mat.NewVecDense(len(f.rating), nil)
	for i, weight := range f.centre {
		c.SetVec(i, -weight)
	}
	c.SetVec(agent, c.AtVec(agent)+1)
	f.clearKnown(c)
	return c
}

const (
	maxBoundSteps  = 50
	boundTolerance = 1e-4 // in standard deviations
)

// bound returns how far contrast c must move from its estimate until the signed root of the likelihood ratio statistic
// equals target. It uses Newton's method, since the root is nearly linear. Each step moves the ratings in the direction
// `along`, which changes c by 1, and refits them with c fixed. variance is the variance of c, for the first step.
func (f *fit) bound(c, along *mat.VecDense, variance, target float64) float64 {
	rating := slices.Clone(f.rating)
	moved := 0.0
	step := target * math.Sqrt(variance)
	for range maxBoundSteps {
		floats.AddScaled(rating, step, along.RawVector().Data)
		moved += step
		f.maximize(rating, c)
		root := math.Copysign(math.Sqrt(2*max(f.value-f.likelihood(rating), 0)), moved)
		if math.Abs(root-target) < boundTolerance {
			break
		}
		// With c fixed, the gradient is a multiple of c, so this is the likelihood's slope in c.
		slope := mat.Dot(f.gradient(rating), along)
		// root² is twice the fall of the likelihood, so root's own slope is -slope/root.
		step = (target - root) / (-slope / root)
		step = math.Copysign(min(math.Abs(step), 2*math.Abs(moved)), step) // at most twice the way so far
	}
	return moved
}
