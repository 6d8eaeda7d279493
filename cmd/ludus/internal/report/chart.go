package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Chart describes a plot of lines with common axes, which pages draw with uPlot.
type Chart struct {
	ID      string   `json:"id"` // unique on the page
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"` // explanation
	X       string   `json:"x"`              // label of the x axis
	Unit    string   `json:"unit,omitempty"` // unit of the y axis
	Min     *float64 `json:"min,omitempty"`  // lower end of the y axis; nil: fit the lines
	Max     *float64 `json:"max,omitempty"`  // upper end of the y axis; nil: fit the lines
	Lines   []Line   `json:"lines,omitempty"`
	Missing string   `json:"missing,omitempty"` // reason for having no lines
}

// Line is a series of points, ascending by X. Low and High, if set, are the 95 % interval of each point.
type Line struct {
	Name   string    `json:"name"`
	Colour int       `json:"colour"` // index in the palette
	Dashed bool      `json:"dashed,omitempty"`
	Dots   bool      `json:"dots,omitempty"` // draw a dot at each point
	X      []float64 `json:"x"`
	Y      []float64 `json:"y"`
	Low    []float64 `json:"low,omitempty"`
	High   []float64 `json:"high,omitempty"`
	// Other x axes, in comparisons of runs by generation: self-play games and training seconds at each point.
	Games   []float64 `json:"games,omitempty"`
	Seconds []float64 `json:"seconds,omitempty"`
}

// Add appends a point.
func (l *Line) Add(x, y float64) { l.X, l.Y = append(l.X, x), append(l.Y, y) }

// AddInterval appends a point with its interval. A line has intervals at all points or at none.
func (l *Line) AddInterval(x, y, low, high float64) {
	l.Add(x, y)
	l.Low, l.High = append(l.Low, low), append(l.High, high)
}

// addLine adds a line of the run runs[run], unless it has no points. kind numbers a run's lines. In a chart of one run,
// kind chooses the line's colour; with several runs, run chooses it, and lines of kind > 0 are dashed.
func addLine(c *Chart, runs []*Run, run, kind int, line Line) {
	if len(line.X) == 0 {
		return
	}
	if len(runs) > 1 && c.X == byGeneration {
		for _, x := range line.X {
			games, seconds := runs[run].Trained(int(x))
			line.Games, line.Seconds = append(line.Games, float64(games)), append(line.Seconds, seconds)
		}
	}
	thin(&line)
	line.Colour = kind
	if len(runs) > 1 {
		line.Name, line.Colour, line.Dashed = runs[run].Name+": "+line.Name, run, kind > 0
	}
	c.Lines = append(c.Lines, line)
}

// finished prepares a chart for display once all its lines are added. missing is the reason to show if it has none.
func finished(c Chart, missing string) Chart {
	if len(c.Lines) == 0 {
		c.Missing = missing
	}
	return c
}

// maxPoints is the largest number of points of a line; a screen shows no more.
const maxPoints = 500

// dottedPoints is the largest number of points for which a line shows a dot at each.
const dottedPoints = 60

// thin reduces a line to at most maxPoints points, each the mean of neighbouring points, and rounds all numbers.
func thin(l *Line) {
	size := (len(l.X) + maxPoints - 1) / maxPoints
	for _, list := range []*[]float64{&l.X, &l.Y, &l.Low, &l.High, &l.Games, &l.Seconds} {
		if size > 1 {
			var means []float64
			for group := range slices.Chunk(*list, size) {
				means = append(means, stat.Mean(group, nil))
			}
			*list = means
		}
		for i, x := range *list {
			(*list)[i] = rounded(x)
		}
	}
	l.Dots = len(l.X) <= dottedPoints
}

// rounded rounds x to five significant digits. Numbers that only a damaged file can hold (too large, NaN) become 0.
func rounded(x float64) float64 {
	if math.Abs(x) < 1e-300 || !(math.Abs(x) < 1e15) {
		return 0
	}
	unit := min(1, math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-4))
	// Dividing by 1/unit, which is a whole number, gives short decimals; multiplying by unit would not.
	return math.Round(x/unit) / math.Round(1/unit)
}

// Ladder is a list of agents by strength, drawn as bars with whiskers.
type Ladder struct {
	ID      string `json:"id"` // unique on the page
	Title   string `json:"title"`
	Note    string `json:"note,omitempty"`
	Unit    string `json:"unit"` // unit of the values, such as "Elo"; the bars of "%" go up to 100
	Bars    []Bar  `json:"bars,omitempty"`
	Missing string `json:"missing,omitempty"` // reason for having no bars
}

// Bar is an agent's value with its 95 % interval.
type Bar struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Interval string  `json:"interval,omitempty"` // shown instead of Low and High, for a value that is known
	Detail   string  `json:"detail"`
	Baseline bool    `json:"baseline,omitempty"` // the agent is not a checkpoint of the run
}
