package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Plots have no background and colours of medium brightness: they are readable on white and on black.
const (
	svgGrey  = "#777c85"
	svgFont  = 12  // pixels
	svgGlyph = 6.6 // pixels: about the width of a character
)

var svgPalette = []string{"#2f7edb", "#db6b1e", "#22965a", "#c24f9e", "#876ae0", "#808792"}

func svgColour(i int) string { return svgPalette[i%len(svgPalette)] }

// svgFile builds an SVG file.
type svgFile struct{ strings.Builder }

func (f *svgFile) add(format string, args ...any) { fmt.Fprintf(f, format+"\n", args...) }

func (f *svgFile) text(x, y float64, anchor, text string) {
	f.add(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(text))
}

func (f *svgFile) line(x1, y1, x2, y2 float64, style string) {
	f.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`, x1, y1, x2, y2, style)
}

func newSVG(width, height float64, title string) *svgFile {
	f := new(svgFile)
	f.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f"`,
		width, height, width, height)
	f.add(` font-family="system-ui,sans-serif" font-size="%d" fill="%s">`, svgFont, svgGrey)
	f.text(width/2, 18, "middle", title)
	return f
}

func (f *svgFile) bytes() []byte {
	f.add("</svg>")
	return []byte(f.String())
}

// svgAxis maps values to pixels.
type svgAxis struct{ low, high, from, to float64 }

// newAxis is an axis over all values; an axis of equal values gets some room around them.
func newAxis(from, to float64, values ...float64) svgAxis {
	a := svgAxis{low: slices.Min(values), high: slices.Max(values), from: from, to: to}
	if a.low == a.high {
		room := max(math.Abs(a.low)/10, 0.5)
		a.low, a.high = a.low-room, a.high+room
	}
	return a
}

func (a svgAxis) at(x float64) float64 { return a.from + (x-a.low)/(a.high-a.low)*(a.to-a.from) }

// ticks are round numbers on the axis, up to about ten.
func (a svgAxis) ticks() (list []float64) {
	step := math.Pow(10, math.Floor(math.Log10((a.high-a.low)/5)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (a.high-a.low)/step > 10 {
			step *= factor
		}
	}
	for i := math.Ceil(a.low/step - 1e-9); i <= a.high/step+1e-9 && len(list) < 20; i++ {
		list = append(list, i*step)
	}
	return list
}

func tickText(x float64) string { return strconv.FormatFloat(rounded(x), 'f', -1, 64) }

// SVG draws a chart that has lines.
func (c *Chart) SVG() []byte {
	const width, height, top, bottom = 620.0, 340.0, 32.0, 296.0
	var xs, ys []float64
	legend := 0.0
	for _, l := range c.Lines {
		xs, ys = append(xs, l.X...), slices.Concat(ys, l.Y, l.Low, l.High)
		legend = max(legend, svgGlyph*float64(len(l.Name))+36)
	}
	for _, bound := range []*float64{c.Min, c.Max} {
		if bound != nil {
			ys = append(ys, *bound)
		}
	}
	if len(c.Lines) == 1 {
		legend = 0
	}
	y := newAxis(bottom, top, ys...)
	left := 0.0
	for _, tick := range y.ticks() {
		left = max(left, svgGlyph*float64(len(tickText(tick))))
	}
	x := newAxis(left+34, left+34+width, xs...)
	f := newSVG(x.to+legend+16, height, c.Title)
	for _, tick := range y.ticks() {
		f.line(x.from, y.at(tick), x.to, y.at(tick), `stroke="`+svgGrey+`" stroke-opacity=".25"`)
		f.text(x.from-6, y.at(tick)+4, "end", tickText(tick))
	}
	for _, tick := range x.ticks() {
		f.line(x.at(tick), top, x.at(tick), bottom, `stroke="`+svgGrey+`" stroke-opacity=".25"`)
		f.text(x.at(tick), bottom+17, "middle", tickText(tick))
	}
	f.text((x.from+x.to)/2, bottom+36, "middle", c.X)
	f.add(`<g transform="rotate(-90 14 %.1f)">`, (top+bottom)/2)
	f.text(14, (top+bottom)/2, "middle", c.Unit)
	f.add("</g>")
	for i := range c.Lines {
		l := &c.Lines[i]
		l.svg(f, x, y)
		if legend > 0 {
			at := top + 18*float64(i) + 8
			f.line(x.to+10, at, x.to+28, at, l.svgStroke())
			f.text(x.to+34, at+4, "start", l.Name)
		}
	}
	return f.bytes()
}

func (l *Line) svgStroke() string {
	style := `fill="none" stroke-width="1.7" stroke="` + svgColour(l.Colour) + `"`
	if l.Dashed {
		style += ` stroke-dasharray="6 4"`
	}
	return style
}

// svg draws the line with its intervals: a band, or a bar at each point if the points are not connected.
func (l *Line) svg(f *svgFile, x, y svgAxis) {
	colour := svgColour(l.Colour)
	points := make([]string, len(l.X))
	for i := range l.X {
		points[i] = fmt.Sprintf("%.1f,%.1f", x.at(l.X[i]), y.at(l.Y[i]))
	}
	switch {
	case len(l.Low) > 0 && l.Unconnected:
		for i := range l.X {
			f.line(x.at(l.X[i]), y.at(l.Low[i]), x.at(l.X[i]), y.at(l.High[i]), `stroke-width="1.2" stroke="`+colour+`"`)
		}
	case len(l.Low) > 0:
		outline := make([]string, 2*len(l.X))
		for i := range l.X {
			outline[i] = fmt.Sprintf("%.1f,%.1f", x.at(l.X[i]), y.at(l.High[i]))
			outline[len(outline)-1-i] = fmt.Sprintf("%.1f,%.1f", x.at(l.X[i]), y.at(l.Low[i]))
		}
		f.add(`<polygon points="%s" fill="%s" fill-opacity=".2"/>`, strings.Join(outline, " "), colour)
	}
	if !l.Unconnected {
		f.add(`<polyline points="%s" %s/>`, strings.Join(points, " "), l.svgStroke())
	}
	if l.Dots && !l.Dashed || l.Unconnected {
		for i := range l.X {
			f.add(`<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`, x.at(l.X[i]), y.at(l.Y[i]), colour)
		}
	}
}

// SVG draws a ladder that has bars, the first at the top.
func (l *Ladder) SVG() []byte {
	const width, row, top = 460.0, 24.0, 34.0
	values, names := []float64{0}, 0
	for _, b := range l.Bars {
		values, names = append(values, b.Low, b.Value, b.High), max(names, len(b.Name))
	}
	left := svgGlyph*float64(names) + 20
	x, bottom := newAxis(left, left+width, values...), top+row*float64(len(l.Bars))
	f := newSVG(x.to+24, bottom+48, l.Title)
	for _, tick := range x.ticks() {
		f.line(x.at(tick), top, x.at(tick), bottom, `stroke="`+svgGrey+`" stroke-opacity=".25"`)
		f.text(x.at(tick), bottom+17, "middle", tickText(tick))
	}
	f.text((x.from+x.to)/2, bottom+36, "middle", l.Unit)
	for i, b := range l.Bars {
		colour, y := svgColour(0), top+row*(float64(i)+0.5)
		if b.Baseline {
			colour = svgColour(5)
		}
		from, to := x.at(min(b.Value, 0)), x.at(max(b.Value, 0))
		f.text(left-8, y+4, "end", b.Name)
		f.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity=".6"/>`,
			from, y-row*0.35, to-from, row*0.7, colour)
		f.line(x.at(b.Low), y, x.at(b.High), y, `stroke-width="1.7" stroke="`+svgColour(1)+`"`)
		for _, end := range []float64{b.Low, b.High} {
			f.line(x.at(end), y-5, x.at(end), y+5, `stroke-width="1.7" stroke="`+svgColour(1)+`"`)
		}
	}
	return f.bytes()
}
