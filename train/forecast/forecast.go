// Package forecast expects the errors of a training from recorded ones of the same game.
//
// The amount of training is measured by [Work], which hardly depends on the machine. Between recorded trainings the
// logarithm of the error is linear in the logarithm of the work. Below the shortest one the line continues about as
// steeply. Beyond the longest one it falls half as steeply as before it; the range is from twice as steeply to not at all.
//
// A range contains, at each recorded training, the 95 % interval of its result, which is that of testing one network on a
// suite, widened by seedSpread. Trainings with different seeds at the same length are one point, whose range contains all
// their intervals. The test leaves each recorded training out and forecasts it from the others.
//
// Not here: how much a machine trains in a given time (package train), and the recorded trainings (package
// checkpoints/zoo).
package forecast

import (
	"cmp"
	"math"
	"slices"

	"ludus/checkpoints/zoo"
)

const (
	// seedSpread is the factor by which the range of a point is wider on either side than the intervals of its tests, for
	// the chance in the training itself. Four pairs of seeds (golden-rectangle after 2 and 10 minutes, quad-5x5 and quad-7x7
	// after 10) differed by factors of 1.01 to 1.45 with search and 1.01 to 1.12 without, which is not more than the chance
	// of the tests alone explains; so there is no better number than a small one.
	seedSpread = 1.1
	// sameWork is the largest factor between the work of trainings that make one point: they differ in their seed only.
	sameWork = 1.3
	// offset is added to an error before its logarithm is taken, which is finite for an error of 0, too. Suites have
	// 2,000 positions or more, so smaller errors are not measured.
	offset = 1e-4
	// steepness is the least steepness of a line below the shortest recorded training: learning begins steeply.
	steepness = 0.3
)

// Work is the amount of a training: its samples, by the size of the network. It is about proportional to the time that a
// machine needs: a training step with kernels of this program takes about channels^1.5 x blocks.
func Work(samples, channels, blocks int) float64 {
	return float64(samples) * math.Pow(float64(channels), 1.5) * float64(blocks)
}

// Errors are the expected shares of moves that lose value in the positions of a game's shipped suite, with ranges.
type Errors struct {
	Alone        zoo.Estimate // of the network without search
	Search       zoo.Estimate // with 64 simulations
	Extrapolated bool         // beyond the recorded trainings
}

// Curve is the expected error of a game by the work of training.
type Curve struct {
	SamplesPerPosition float64 // mean of the recorded trainings
	PositionsPerGame   float64 // likewise
	alone, search      line
}

// NewCurve returns the curve of recorded trainings of a game; nil if these have fewer than two different lengths.
func NewCurve(trained []zoo.Trained) *Curve {
	trained = slices.Clone(trained)
	slices.SortStableFunc(trained, func(a, b zoo.Trained) int { return cmp.Compare(workOf(&a), workOf(&b)) })
	c := new(Curve)
	for start := 0; start < len(trained); {
		end := start + 1
		for end < len(trained) && workOf(&trained[end]) < sameWork*workOf(&trained[start]) {
			end++
		}
		c.alone = append(c.alone, newPoint(trained[start:end], func(t *zoo.Trained) zoo.Estimate { return t.Alone }))
		c.search = append(c.search, newPoint(trained[start:end], func(t *zoo.Trained) zoo.Estimate { return t.Search }))
		start = end
	}
	if len(c.alone) < 2 {
		return nil
	}
	for i := range trained {
		t := &trained[i]
		c.SamplesPerPosition += float64(t.Samples) / float64(t.Positions) / float64(len(trained))
		c.PositionsPerGame += float64(t.Positions) / float64(t.Games) / float64(len(trained))
	}
	c.alone.decrease()
	c.search.decrease()
	return c
}

func workOf(t *zoo.Trained) float64 { return Work(t.Samples, t.Channels, t.Blocks) }

// Errors returns the expected errors after the given work. They never grow with the work.
func (c *Curve) Errors(work float64) Errors {
	x, first, last := math.Log(work), c.alone[0].x, c.alone[len(c.alone)-1].x
	e := Errors{Alone: c.alone.at(x), Search: c.search.at(x)}
	e.Search.Value = min(e.Search.Value, e.Alone.Value) // extrapolated lines may cross
	e.Search.Low, e.Search.High = min(e.Search.Low, e.Alone.Low), min(e.Search.High, e.Alone.High)
	tolerance := math.Log(sameWork) // plain trainings of one length do not do exactly the same work
	e.Extrapolated = x < first-tolerance || x > last+tolerance
	return e
}

// line is an error as a function of work, by ascending work.
type line []point

// point is a point of a line: the logarithms of work, of the error and of its range.
type point struct{ x, value, low, high float64 }

// newPoint returns the point of trainings that differ in their seed only.
func newPoint(trained []zoo.Trained, errorOf func(*zoo.Trained) zoo.Estimate) point {
	p := point{low: math.Inf(1), high: math.Inf(-1)}
	for i := range trained {
		e := errorOf(&trained[i])
		p.x += math.Log(workOf(&trained[i])) / float64(len(trained))
		p.value += logError(e.Value) / float64(len(trained))
		p.low, p.high = min(p.low, logError(e.Low)), max(p.high, logError(e.High))
	}
	p.low, p.high = logError(errorAt(p.low)/seedSpread), logError(errorAt(p.high)*seedSpread)
	return p
}

// logError is the scale in which a line is straight; errorAt inverts it.
func logError(e float64) float64 { return math.Log(e + offset) }
func errorAt(y float64) float64  { return min(max(math.Exp(y)-offset, 0), 1) }

// decrease makes the line decrease where more training is recorded with larger errors, which is chance: the range
// contains those of all points concerned, and the value is between them.
func (l line) decrease() {
	least, most := slices.Clone(l), slices.Clone(l)
	for i := 1; i < len(l); i++ {
		least[i].value, least[i].low = min(least[i-1].value, l[i].value), min(least[i-1].low, l[i].low)
	}
	for i := len(l) - 2; i >= 0; i-- {
		most[i].value, most[i].high = max(most[i+1].value, l[i].value), max(most[i+1].high, l[i].high)
	}
	for i := range l {
		l[i].value, l[i].low, l[i].high = (least[i].value+most[i].value)/2, least[i].low, most[i].high
	}
}

// at returns the error at x = log(work).
func (l line) at(x float64) zoo.Estimate {
	first, last := l[0], l[len(l)-1]
	var p point
	switch {
	case x < first.x: // probably as steep as what follows
		slope, d := max(-slope(first, l[1]), steepness), first.x-x
		p = point{x, first.value + slope*d, first.low + slope*d/2, first.high + 1.5*slope*d}
	case x > last.x: // probably flatter than before; perhaps training gains nothing more
		slope, d := slope(l[len(l)-2], last), x-last.x
		p = point{x, last.value + slope*d/2, last.low + 2*slope*d, last.high}
	default:
		i := min(max(slices.IndexFunc(l, func(p point) bool { return p.x >= x }), 1), len(l)-1)
		a, b := l[i-1], l[i]
		t := (x - a.x) / (b.x - a.x)
		mix := func(a, b float64) float64 { return a + t*(b-a) }
		p = point{x, mix(a.value, b.value), mix(a.low, b.low), mix(a.high, b.high)}
	}
	return zoo.Estimate{Value: errorAt(p.value), Low: errorAt(p.low), High: errorAt(p.high)}
}

// slope is the change of the error's logarithm with that of the work, at most 0.
func slope(a, b point) float64 { return (b.value - a.value) / (b.x - a.x) }
