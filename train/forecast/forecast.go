// Package forecast predicts the errors and the rating that a training reaches, from recorded trainings of the same game.
//
// The amount of training is measured by [Work], which hardly depends on the machine. Between recorded trainings the
// logarithm of the error, and the rating, are linear in the logarithm of the work. Below the shortest one the line
// continues about as steeply. Beyond the longest one it goes on half as steeply as before; its range is from twice as
// steeply as before to not at all.
//
// At a recorded training the range contains the 95 % interval of its result, which is that of testing one network. It is
// wider than that by the chance in the training itself. Trainings of one length with different seeds are one point, whose
// range contains all their intervals. The test leaves each recorded training out and forecasts it from the others.
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
	// sameWork is the largest factor between the work of trainings that make one point: they differ in their seed only,
	// and perhaps in their samples per position.
	sameWork = 1.3
	// offset is added to an error before its logarithm is taken, which is finite for an error of 0, too. Suites have
	// 2,000 positions or more, so smaller errors are not measured.
	offset = 1e-4
)

// A scale is one in which a quantity falls along a straight line with the logarithm of the work.
type scale struct {
	of, back func(float64) float64 // to the scale and back
	// steepness is the least one of a line below the shortest recorded training: learning begins steeply.
	steepness float64
	// spread is by how much the range of a point is wider on either side than the intervals of its tests, for the chance in
	// the training itself.
	spread float64
}

var (
	// Four pairs of seeds (golden-rectangle after 2 and 10 minutes, quad-5x5 and quad-7x7 after 10) differed in their errors
	// by factors of 1.01 to 1.45 with search and 1.01 to 1.12 without. The chance of the tests alone explains as much, so
	// the spread is a small one: a factor of 1.1.
	errors = scale{logError, errorAt, 0.3, math.Log(1.1)}
	// The ratings of these pairs differed by 1 to 38 Elo: a standard deviation of 16, noise of the matches included.
	elo = scale{negative, negative, 50, 16}
)

func negative(x float64) float64 { return -x }

// Work is the amount of a training: the positions that it plays, by the size of the network. With the same settings it is
// about proportional to the time that a machine needs: a training step with kernels of this program takes about channels^1.5 x
// blocks. Samples are not counted: forecasts from positions fit trainings with 4 samples per position better than
// forecasts from samples do (docs/METHODS.md, Reply head), although the recorded trainings drew 8.
func Work(positions, channels, blocks int) float64 {
	return float64(positions) * math.Pow(float64(channels), 1.5) * float64(blocks)
}

// Strength is what to expect of a network, with ranges. Errors are shares of moves that lose value in the positions of
// the game's shipped suite.
type Strength struct {
	Alone        zoo.Estimate  // error without search
	Search       zoo.Estimate  // error with 64 simulations
	Rating       *zoo.Estimate // with 64 simulations, in Elo above random moves; nil if fewer than two lengths were rated
	Extrapolated bool          // beyond the recorded trainings
}

// Curve is the expected strength in a game by the work of training.
type Curve struct {
	// SampleShare is what repeated positions and the validation share leave of the setting samples_per_position: mean of the
	// recorded trainings.
	SampleShare      float64
	PositionsPerGame float64 // likewise
	alone, search    line
	rating           *line // nil: fewer than two lengths were rated
}

// NewCurve returns the curve of recorded trainings of a game; nil if these have fewer than two different lengths.
func NewCurve(trained []zoo.Trained) *Curve {
	trained = slices.Clone(trained)
	slices.SortStableFunc(trained, func(a, b zoo.Trained) int { return cmp.Compare(workOf(&a), workOf(&b)) })
	c := &Curve{alone: line{scale: errors}, search: line{scale: errors}}
	rating := line{scale: elo}
	for start := 0; start < len(trained); {
		end := start + 1
		for end < len(trained) && workOf(&trained[end]) < sameWork*workOf(&trained[start]) {
			end++
		}
		c.alone.add(trained[start:end], func(t *zoo.Trained) zoo.Estimate { return t.Alone })
		c.search.add(trained[start:end], func(t *zoo.Trained) zoo.Estimate { return t.Search })
		unrated := func(t zoo.Trained) bool { return t.Rating == nil }
		if rated := slices.DeleteFunc(slices.Clone(trained[start:end]), unrated); len(rated) > 0 {
			rating.add(rated, func(t *zoo.Trained) zoo.Estimate { return *t.Rating })
		}
		start = end
	}
	if len(c.alone.points) < 2 {
		return nil
	}
	if len(rating.points) > 1 {
		c.rating = &rating
	}
	for i := range trained {
		t := &trained[i]
		c.SampleShare += float64(t.Samples) / float64(t.Positions) / t.SamplesPerPosition / float64(len(trained))
		c.PositionsPerGame += float64(t.Positions) / float64(t.Games) / float64(len(trained))
	}
	for _, l := range []*line{&c.alone, &c.search, &rating} {
		l.decrease()
	}
	return c
}

func workOf(t *zoo.Trained) float64 { return Work(t.Positions, t.Channels, t.Blocks) }

// Strength returns the strength to expect after the given work, which is 0 or more. It never falls with the work.
func (c *Curve) Strength(work float64) Strength {
	x, points := math.Log(max(work, 1)), c.alone.points
	e := Strength{Alone: c.alone.at(x), Search: c.search.at(x)}
	e.Search.Value = min(e.Search.Value, e.Alone.Value) // extrapolated lines may cross
	e.Search.Low, e.Search.High = min(e.Search.Low, e.Alone.Low), min(e.Search.High, e.Alone.High)
	if c.rating != nil {
		rating := c.rating.at(x)
		e.Rating = &rating
	}
	tolerance := math.Log(sameWork) // plain trainings of one length do not do exactly the same work
	e.Extrapolated = x < points[0].x-tolerance || x > points[len(points)-1].x+tolerance
	return e
}

// line is a quantity as a function of work.
type line struct {
	scale
	points []point // by ascending work
}

// point is a point of a line: the logarithm of work, the quantity on the line's scale, and its range.
type point struct{ x, value, low, high float64 }

// add adds the point of trainings of about the same work.
func (l *line) add(trained []zoo.Trained, quantity func(*zoo.Trained) zoo.Estimate) {
	p := point{low: math.Inf(1), high: math.Inf(-1)}
	for i := range trained {
		e := quantity(&trained[i])
		p.x += math.Log(workOf(&trained[i])) / float64(len(trained))
		p.value += l.of(e.Value) / float64(len(trained))
		p.low = min(p.low, l.of(e.Low)-l.spread, l.of(e.High)-l.spread)
		p.high = max(p.high, l.of(e.Low)+l.spread, l.of(e.High)+l.spread)
	}
	l.points = append(l.points, p)
}

// logError is the scale of errors; errorAt inverts it.
func logError(e float64) float64 { return math.Log(e + offset) }
func errorAt(y float64) float64  { return min(max(math.Exp(y)-offset, 0), 1) }

// decrease makes the line decrease where more training is recorded with less strength, which is chance: the range
// contains those of all points concerned, and the value is between them.
func (l *line) decrease() {
	p := l.points
	least, most := slices.Clone(p), slices.Clone(p)
	for i := 1; i < len(p); i++ {
		least[i].value, least[i].low = min(least[i-1].value, p[i].value), min(least[i-1].low, p[i].low)
	}
	for i := len(p) - 2; i >= 0; i-- {
		most[i].value, most[i].high = max(most[i+1].value, p[i].value), max(most[i+1].high, p[i].high)
	}
	for i := range p {
		p[i].value, p[i].low, p[i].high = (least[i].value+most[i].value)/2, least[i].low, most[i].high
	}
}

// at returns the quantity at x = log(work).
func (l *line) at(x float64) zoo.Estimate {
	points := l.points
	first, last := points[0], points[len(points)-1]
	var p point
	switch {
	case x < first.x: // probably as steep as what follows
		slope, d := max(-slope(first, points[1]), l.steepness), first.x-x
		p = point{x, first.value + slope*d, first.low + slope*d/2, first.high + 1.5*slope*d}
	case x > last.x: // probably flatter than before; perhaps training gains nothing more
		slope, d := slope(points[len(points)-2], last), x-last.x
		p = point{x, last.value + slope*d/2, last.low + 2*slope*d, last.high}
	default:
		i := min(max(slices.IndexFunc(points, func(p point) bool { return p.x >= x }), 1), len(points)-1)
		a, b := points[i-1], points[i]
		t := (x - a.x) / (b.x - a.x)
		mix := func(a, b float64) float64 { return a + t*(b-a) }
		p = point{x, mix(a.value, b.value), mix(a.low, b.low), mix(a.high, b.high)}
	}
	a, b := l.back(p.low), l.back(p.high)
	return zoo.Estimate{Value: l.back(p.value), Low: min(a, b), High: max(a, b)}
}

// slope is the change on the line's scale with the logarithm of the work, at most 0.
func slope(a, b point) float64 { return (b.value - a.value) / (b.x - a.x) }
