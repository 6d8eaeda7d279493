package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ludus/checkpoints/zoo"
)

// curve is the rating of a run over its time.
type curve struct {
	Game      string   `json:"game"`
	Seed      uint64   `json:"seed"`
	Minutes   float64  `json:"minutes"` // of the plan
	Points    []point  `json:"points"`
	Baselines []rating `json:"baselines"`
}

type rating struct {
	Agent string  `json:"agent"`
	Elo   float64 `json:"elo"`
}

// point is a rated checkpoint, or another result of training, with its 95 % interval.
type point struct {
	Minutes float64 `json:"minutes"` // of training until then
	Value   float64 `json:"value"`   // Elo
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

const curveData = "rating"

// chart is a plot of lines over minutes of training.
type chart struct {
	title string
	x, y  func(float64) float64 // from minutes or values to 0..1, from the left or the bottom
	b     strings.Builder
}

// Layout of charts, in pixels.
const (
	chartWide, chartHigh                         = 460.0, 330.0
	chartLeft, chartRight, chartTop, chartBottom = 62.0, 112.0, 34.0, 46.0
	chartStyle                                   = `text{font:13px sans-serif;text-anchor:middle}
.end{text-anchor:end}.start{text-anchor:start}.strong{font-weight:600}
.grid{stroke:#8888;stroke-width:.5}.base{stroke:#888;stroke-dasharray:4 4}.band{fill-opacity:.2}
.curve{fill:none;stroke-width:2.5}.whisker{stroke-width:1.5;stroke-opacity:.5}
`
)

// lineColours are readable on light and dark.
var lineColours = []string{"#2f7edb", "#db6b1e", "#22965a", "#c24f9e", "#876ae0", "#a8830f", "#6f7d8c"}

// newChart draws the axes of a chart with ticks at the given minutes and values.
func newChart(title string, x, y func(float64) float64, minutes, values []float64) *chart {
	c := &chart{title: title, x: x, y: y}
	for _, v := range values {
		c.add("<path class=\"grid\" d=\"M%s %sH%s\"/><text class=\"faint end\" x=\"%s\" y=\"%s\">%s</text>",
			chartLeft, c.down(v), chartWide-chartRight, chartLeft-8, c.down(v)+4, v)
	}
	for _, m := range minutes {
		c.add("<text class=\"faint\" x=\"%s\" y=\"%s\">%s</text>", c.right(m), chartHigh-chartBottom+18, m)
	}
	middle := (chartLeft + chartWide - chartRight) / 2
	c.add("<text class=\"faint\" x=\"%s\" y=\"%s\">minutes of training on two cores</text>", middle, chartHigh-8)
	c.add("<text class=\"strong\" x=\"%s\" y=\"20\">%s</text>", chartWide/2, title)
	return c
}

// right and down return where minutes and values are drawn.
func (c *chart) right(minutes float64) float64 {
	return chartLeft + (chartWide-chartLeft-chartRight)*c.x(minutes)
}

func (c *chart) down(value float64) float64 {
	return chartHigh - chartBottom - (chartHigh-chartTop-chartBottom)*max(0, c.y(value))
}

// add appends elements; numbers are formatted by num.
func (c *chart) add(format string, args ...any) {
	for i, arg := range args {
		if v, ok := arg.(float64); ok {
			args[i] = num(v)
		}
	}
	fmt.Fprintf(&c.b, format+"\n", args...)
}

// line draws a line through points with dots.
func (c *chart) line(points []point, colour string) {
	var line []string
	for _, p := range points {
		line = append(line, num(c.right(p.Minutes))+","+num(c.down(p.Value)))
	}
	c.add("<polyline class=\"curve\" stroke=\"%s\" points=\"%s\"/>", colour, strings.Join(line, " "))
	for _, p := range points {
		c.add("<circle cx=\"%s\" cy=\"%s\" r=\"3.5\" fill=\"%s\"/>", c.right(p.Minutes), c.down(p.Value), colour)
	}
}

// svg returns the file.
func (c *chart) svg(title string) string {
	return svgFile(title, chartWide, chartHigh, 1, styleOf(nil)+chartStyle, c.b.String())
}

// linear returns the axis from 0 to most, logarithmic one from least to most.
func linear(most float64) func(float64) float64 { return func(x float64) float64 { return x / most } }

func logarithmic(least, most float64) func(float64) float64 {
	return func(x float64) float64 { return math.Log(x/least) / math.Log(most/least) }
}

// draw draws the curve with its intervals, and the baselines as dashed lines.
func (c *curve) draw() string {
	const step = 500
	most, longest := 0.0, 0.0
	for _, p := range c.Points {
		most, longest = max(most, p.High), max(longest, p.Minutes)
	}
	for _, r := range c.Baselines {
		most = max(most, r.Elo)
	}
	var minutes, values []float64
	most, longest = step*math.Ceil(most/step), math.Ceil(longest)
	for v := 0.0; v <= most; v += step {
		values = append(values, v)
	}
	for m := 0.0; m <= longest; m += math.Ceil(longest / 6) {
		minutes = append(minutes, m)
	}
	plot := newChart("Elo above random moves, "+c.Game, linear(longest), linear(most), minutes, values)
	for _, r := range c.Baselines {
		plot.add("<path class=\"base\" d=\"M%s %sH%s\"/><text class=\"faint start\" x=\"%s\" y=\"%s\">%s</text>",
			chartLeft, plot.down(r.Elo), chartWide-chartRight, chartWide-chartRight+6, plot.down(r.Elo)+4, r.Agent)
	}
	var up, down []string
	for _, p := range c.Points {
		x := num(plot.right(p.Minutes))
		up = append(up, x+","+num(plot.down(p.High)))
		down = append([]string{x + "," + num(plot.down(p.Low))}, down...)
	}
	plot.add("<polygon class=\"band\" fill=\"%s\" points=\"%s\"/>", lineColours[0], strings.Join(append(up, down...), " "))
	plot.line(c.Points, lineColours[0])
	return plot.svg(fmt.Sprintf("Rating of a run of %s over its minutes of training, with 95 %% intervals", c.Game))
}

// drawErrors draws the errors of the recorded trainings on the cards over their length, with 64 simulations and in
// percent, of games with trainings of different lengths.
func drawErrors() string {
	const least, most = 0.02, 7
	plot := newChart("errors with 64 simulations, in % (log scales)", logarithmic(1.5, 80), logarithmic(least, most),
		[]float64{2, 5, 10, 20, 60}, []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 5})
	var names []label
	for _, game := range zoo.Games() {
		points := meanErrors(zoo.CardOf(game).Curve)
		if len(points) < 2 {
			continue // no line
		}
		shade := lineColours[len(names)%len(lineColours)]
		for _, p := range points {
			x := plot.right(p.Minutes)
			low, high := plot.down(max(p.Low, least)), plot.down(min(p.High, most))
			plot.add("<path class=\"whisker\" stroke=\"%s\" d=\"M%s %sV%s\"/>", shade, x, low, high)
		}
		plot.line(points, shade)
		last := points[len(points)-1]
		names = append(names, label{game, shade, plot.right(last.Minutes) + 8, plot.down(last.Value) + 4})
	}
	separate(names)
	for _, n := range names {
		plot.add("<text class=\"start\" fill=\"%s\" x=\"%s\" y=\"%s\">%s</text>", n.colour, n.x, n.y, n.text)
	}
	return plot.svg("Errors of trainings over their length, by game")
}

// label is a text at the end of a line.
type label struct {
	text, colour string
	x, y         float64
}

// separate sorts labels from top to bottom and moves those down that would overlap another one.
func separate(list []label) {
	const wide, high = 100, 15
	slices.SortFunc(list, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	for i := range list {
		for _, above := range list[:i] {
			if math.Abs(list[i].x-above.x) < wide {
				list[i].y = max(list[i].y, above.y+high)
			}
		}
	}
}

// meanErrors returns the errors in percent of trainings by their length. Trainings that took equally long are one
// point: the mean of their errors, and the span of their intervals. It leaves out trainings without an error, which
// have no place on a logarithmic axis.
func meanErrors(list []zoo.Trained) (points []point) {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b zoo.Trained) int { return int(a.Seconds - b.Seconds) })
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].Seconds < 1.3*sorted[0].Seconds {
			n++
		}
		p := point{Minutes: sorted[0].Seconds / 60, Low: math.Inf(1)}
		for _, t := range sorted[:n] {
			p.Value += 100 * t.Search.Value / float64(n)
			p.Low, p.High = min(p.Low, 100*t.Search.Low), max(p.High, 100*t.Search.High)
		}
		if sorted = sorted[n:]; p.Value > 0 {
			points = append(points, p)
		}
	}
	return points
}
