package svg

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Chart describes a plot of lines with common axes.
type Chart struct {
	ID      string   `json:"id"` // unique on the page
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"` // explanation, shown on pages only
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

// Layout of charts, in pixels. The legend is to the right of the lines.
const (
	chartWidth, chartHeight      = 600.0, 330.0
	marginLeft, marginRight      = 62.0, 16.0
	marginTop, marginBottom      = 34.0, 46.0
	letterWidth, legendLine, key = 7.2, 18.0, 22.0 // legend: mean width of a letter, height of a line, length of a sample
)

const chartStyle = `text{font:13px sans-serif;fill:var(--faint)}.middle{text-anchor:middle}.end{text-anchor:end}
.title{font-weight:600;fill:var(--strong);text-anchor:middle}.grid{stroke:var(--line);stroke-opacity:.3}
polyline{fill:none;stroke-width:2}.band{fill-opacity:.2}
`

// palette holds the colours of lines, which are readable on light and dark backgrounds.
var palette = []string{"#2f7edb", "#db6b1e", "#22965a", "#c24f9e", "#876ae0", "#808792", "#a8830f", "#3f9aa8"}

func (l *Line) shade() string { return palette[l.Colour%len(palette)] }

// File draws a chart that has lines. All its numbers must be finite and below 1e15.
func (c *Chart) File() string {
	right := marginRight
	if len(c.Lines) > 1 {
		longest := 0
		for _, l := range c.Lines {
			longest = max(longest, len([]rune(l.Name)))
		}
		right += 2*key + min(letterWidth*float64(longest), chartWidth/2)
	}
	x := axis{from: marginLeft, to: chartWidth - right}
	y := axis{from: chartHeight - marginBottom, to: marginTop}
	var xs, ys []float64
	for _, l := range c.Lines {
		xs, ys = append(xs, l.X...), slices.Concat(ys, l.Y, l.Low, l.High)
	}
	x.fit(xs, nil, nil)
	y.fit(ys, c.Min, c.Max)
	d := &Drawing{}
	for _, v := range y.ticks() {
		d.Add(`<path class="grid" d="M%s %sH%s"/>`, x.from, y.at(v), x.to)
		d.Text("end", x.from-8, y.at(v)+4, tickText(v))
	}
	for _, v := range x.ticks() {
		d.Add(`<path class="grid" d="M%s %sV%s"/>`, x.at(v), y.from, y.to)
		d.Text("middle", x.at(v), y.from+18, tickText(v))
	}
	d.Text("middle", (x.from+x.to)/2, chartHeight-8, c.X)
	title := c.Title
	if c.Unit != "" {
		title += " (" + c.Unit + ")"
	}
	d.Text("title", chartWidth/2, 20, title)
	for i := range c.Lines {
		d.line(&c.Lines[i], x, y)
	}
	if len(c.Lines) > 1 {
		for i, l := range c.Lines {
			down := marginTop + 8 + legendLine*float64(i)
			d.Shape("polyline", []float64{x.to + 12, down, x.to + 12 + key, down}, l.stroke())
			d.Text("start", x.to+20+key, down+4, l.Name)
		}
	}
	return d.File(c.Title, chartWidth, chartHeight, 1, chartStyle)
}

// stroke returns the SVG attributes of a line's strokes.
func (l *Line) stroke() string {
	dashes := ""
	if l.Dashed {
		dashes = ` stroke-dasharray="5 4"`
	}
	return fmt.Sprintf(`stroke="%s"%s`, l.shade(), dashes)
}

// line draws a line with its intervals as a band.
func (d *Drawing) line(l *Line, x, y axis) {
	var points, upper, lower []float64
	for i := range l.X {
		right := x.at(l.X[i])
		points = append(points, right, y.at(l.Y[i]))
		if len(l.Low) == 0 {
			continue
		}
		low, high := y.at(l.Low[i]), y.at(l.High[i])
		upper, lower = append(upper, right, high), append([]float64{right, low}, lower...) // lower runs backwards
	}
	if len(upper) > 0 {
		d.Shape("polygon", append(upper, lower...), fmt.Sprintf(`class="band" fill="%s"`, l.shade()))
	}
	d.Shape("polyline", points, l.stroke())
	for i := 0; i < len(points) && l.Dots && !l.Dashed; i += 2 { // points are x1, y1, x2, y2 and so on
		d.Add(`<circle cx="%s" cy="%s" r="2.8" fill="%s"/>`, points[i], points[i+1], l.shade())
	}
}

// axis maps numbers from low to high to pixels linearly.
type axis struct {
	low, high float64
	from, to  float64 // pixels that low and high map to
}

// fit sets the ends of an axis to least and most, or if nil to the extremes of the numbers.
func (a *axis) fit(numbers []float64, least, most *float64) {
	a.low, a.high = slices.Min(numbers), slices.Max(numbers)
	if least != nil {
		a.low = *least
	}
	if most != nil {
		a.high = *most
	}
	if a.low >= a.high {
		a.high = a.low + max(1, math.Abs(a.low))
	}
}

// at returns the pixel of a number. It clamps numbers to the ends of the axis.
func (a *axis) at(v float64) float64 {
	return a.from + (a.to-a.from)*(min(max(v, a.low), a.high)-a.low)/(a.high-a.low)
}

// ticks returns about five round numbers on an axis: multiples of 1, 2 or 5 times a power of ten.
func (a *axis) ticks() (list []float64) {
	step := math.Pow(10, math.Floor(math.Log10((a.high-a.low)/4)))
	for _, m := range []float64{5, 2} {
		if (a.high-a.low)/(m*step) >= 4 {
			step *= m
			break
		}
	}
	const rounding = 1e-9 // relative to a step
	for v := math.Ceil(a.low/step - rounding); v <= a.high/step+rounding; v++ {
		list = append(list, v*step)
	}
	return list
}

// tickText formats the number of a tick: 250, 1500, 20k, 3M, 0.02.
func tickText(v float64) string {
	unit := ""
	switch size := math.Abs(v); {
	case size >= 1e6:
		v, unit = v/1e6, "M"
	case size >= 1e4:
		v, unit = v/1e3, "k"
	}
	return strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'f', -1, 64) + unit
}
