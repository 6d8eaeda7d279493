package main

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// drawing collects the elements of a picture. The zero value is empty.
type drawing struct{ b strings.Builder }

// add appends elements, formatted as by fmt.Sprintf. Arguments of type float64 are rounded to two decimals; %s takes
// them.
func (d *drawing) add(format string, args ...any) {
	for i, arg := range args {
		if x, ok := arg.(float64); ok {
			args[i] = number(x)
		}
	}
	fmt.Fprintf(&d.b, format+"\n", args...)
}

// text appends a text at (x, y). The CSS class determines its alignment and style.
func (d *drawing) text(class string, x, y float64, text string) {
	d.add(`<text class="%s" x="%s" y="%s">%s</text>`, class, x, y, html.EscapeString(text))
}

// shape appends a polygon or polyline with the given further attributes. points are x1, y1, x2, y2 and so on.
func (d *drawing) shape(element string, points []float64, attributes string) {
	pairs := make([]string, len(points)/2)
	for i := range pairs {
		pairs[i] = number(points[2*i]) + "," + number(points[2*i+1])
	}
	d.add(`<%s points="%s" %s/>`, element, strings.Join(pairs, " "), attributes)
}

// Colours of all pictures as CSS variables, equal to those of base.css.
const colours = `:root{--page:#ffffff;--faint:#566072;--strong:#1c2330;--line:#808b9c}
@media(prefers-color-scheme:dark){:root{--page:#1b2028;--faint:#a2adbd;--strong:#e4e8ef;--line:#657286}}
`

// file returns the picture as an SVG file of width x height units, each of the given number of pixels. Screen readers
// read the title; style is a style sheet.
func (d *drawing) file(title string, width, height, pixels float64, style string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%.0f" height="%.0f" role="img">
<title>%s</title>
<style>
%s%s</style>
<rect fill="var(--page)" width="100%%" height="100%%" rx="%s"/>
%s</svg>
`, number(width), number(height), width*pixels, height*pixels, html.EscapeString(title),
		colours, style, number(6/pixels), d.b.String())
}

// number formats a number with at most two decimals.
func number(x float64) string {
	return strconv.FormatFloat(math.Round(100*x)/100+0, 'f', -1, 64) // + 0 turns -0 into 0
}
