package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Plots have no background and colours of medium brightness: they are readable on white and on black.
var (
	plotGrey   = color.RGBA{0x77, 0x7c, 0x85, 0xff}
	plotGrid   = color.NRGBA{0x77, 0x7c, 0x85, 0x40}
	plotColour = []color.NRGBA{
		{0x2f, 0x7e, 0xdb, 0xff}, {0xdb, 0x6b, 0x1e, 0xff}, {0x22, 0x96, 0x5a, 0xff},
		{0xc2, 0x4f, 0x9e, 0xff}, {0x87, 0x6a, 0xe0, 0xff}, {0x80, 0x87, 0x92, 0xff},
	}
)

const (
	plotWidth  = 15 * vg.Centimeter
	plotHeight = 9 * vg.Centimeter
	plotMargin = 0.3 * vg.Centimeter
	barHeight  = 0.62 * vg.Centimeter
)

// SVG draws a chart that has lines.
func (c *Chart) SVG() ([]byte, error) {
	p := newPlot(c.Title, c.X, c.Unit)
	p.Add(grid())
	for i := range c.Lines { // bands first, below all lines
		l := &c.Lines[i]
		if len(l.Low) > 0 && !l.Unconnected {
			band, err := plotter.NewPolygon(outline(l))
			if err != nil {
				return nil, err
			}
			shade := plotColour[l.Colour%len(plotColour)]
			shade.A = 0x38
			band.Color, band.LineStyle.Width = shade, 0
			p.Add(band)
		}
	}
	for i := range c.Lines {
		if err := addLine(p, &c.Lines[i]); err != nil {
			return nil, err
		}
	}
	if c.Min != nil {
		p.Y.Min = *c.Min
	}
	if c.Max != nil {
		p.Y.Max = *c.Max
	}
	legend := p.Legend // drawn beside the plot, not over its lines
	p.Legend = gonum.NewLegend()
	return renderSVG(plotWidth, plotHeight, func(canvas draw.Canvas) {
		if len(c.Lines) > 1 {
			width := 1.15 * legend.Rectangle(canvas).Size().X // another font may be wider
			legend.Draw(draw.Crop(canvas, canvas.Size().X-width, 0, 0, -legend.TextStyle.Font.Size*2))
			canvas = draw.Crop(canvas, 0, -width-plotMargin, 0, 0)
		}
		p.Draw(canvas)
	})
}

// outline returns the polygon around a line's intervals: along the upper bounds and back along the lower ones.
func outline(l *Line) plotter.XYs {
	var around plotter.XYs
	for i, x := range l.X {
		around = append(around, plotter.XY{X: x, Y: l.High[i]})
	}
	for i := len(l.X) - 1; i >= 0; i-- {
		around = append(around, plotter.XY{X: l.X[i], Y: l.Low[i]})
	}
	return around
}

// addLine adds a line to a plot and its legend. Points that are not connected carry their intervals as error bars.
func addLine(p *gonum.Plot, l *Line) error {
	points := struct {
		plotter.XYs
		plotter.YErrors
	}{make(plotter.XYs, len(l.X)), make(plotter.YErrors, len(l.X))}
	for i := range points.XYs {
		points.XYs[i] = plotter.XY{X: l.X[i], Y: l.Y[i]}
		if len(l.Low) > 0 {
			points.YErrors[i].Low, points.YErrors[i].High = l.Y[i]-l.Low[i], l.High[i]-l.Y[i]
		}
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("line %s: %w", l.Name, err)
	}
	line.Color, line.Width = plotColour[l.Colour%len(plotColour)], 1.4
	if l.Dashed {
		line.Dashes = []vg.Length{4, 3}
	}
	if !l.Unconnected {
		p.Add(line)
	} else if len(l.Low) > 0 {
		bars, err := plotter.NewYErrorBars(points)
		if err != nil {
			return fmt.Errorf("line %s: %w", l.Name, err)
		}
		bars.Color, bars.Width = line.Color, 1
		p.Add(bars)
	}
	if l.Dots && !l.Dashed || l.Unconnected {
		dots.Shape, dots.Color, dots.Radius = draw.CircleGlyph{}, line.Color, 1.8
		p.Add(dots)
	}
	p.Legend.Add(l.Name, line)
	return nil
}

// SVG draws a ladder that has bars, the first at the top.
func (l *Ladder) SVG() ([]byte, error) {
	p := newPlot(l.Title, l.Unit, "")
	p.Add(grid())
	n := len(l.Bars)
	names := make([]string, n)
	whiskers := struct {
		plotter.XYs
		plotter.XErrors
	}{make(plotter.XYs, n), make(plotter.XErrors, n)}
	for i := range n {
		b := &l.Bars[n-1-i] // from the bottom
		names[i] = b.Name
		whiskers.XYs[i] = plotter.XY{X: b.Value, Y: float64(i)}
		whiskers.XErrors[i].Low, whiskers.XErrors[i].High = b.Value-b.Low, b.High-b.Value
		bar, err := plotter.NewBarChart(plotter.Values{b.Value}, barHeight*0.7)
		if err != nil {
			return nil, fmt.Errorf("bar %s: %w", b.Name, err)
		}
		bar.Horizontal, bar.XMin, bar.LineStyle.Width = true, float64(i), 0
		shade := plotColour[0]
		if b.Baseline {
			shade = plotColour[5]
		}
		shade.A = 0xa0
		bar.Color = shade
		p.Add(bar)
	}
	ends, err := plotter.NewXErrorBars(whiskers)
	if err != nil {
		return nil, err
	}
	ends.Color, ends.Width = plotColour[1], 1.4
	p.Add(ends)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	return renderSVG(plotWidth, 2*vg.Centimeter+barHeight*vg.Length(n+1), p.Draw)
}

// newPlot returns an empty plot with the font, colours and ticks of all plots; x and y label the axes.
func newPlot(title, x, y string) *gonum.Plot {
	p := gonum.New()
	p.BackgroundColor = color.Transparent
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.Legend.Top, p.Legend.Left, p.Legend.Padding = 8, true, true, 4
	sans := font.Font{Typeface: "Liberation", Variant: "Sans", Size: 10}
	for _, text := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		text.Font, text.Color = sans, plotGrey
	}
	p.Title.TextStyle.Font.Size = 12
	for _, axis := range []*gonum.Axis{&p.X, &p.Y} {
		axis.Color, axis.Tick.Color, axis.Tick.Marker = plotGrey, plotGrey, gonum.TickerFunc(ticks)
	}
	return p
}

// ticks returns gonum's ticks without trailing zeros. It returns none if the values are huge or almost equal for their
// size, as in damaged files: gonum would loop for ever.
func ticks(low, high float64) []gonum.Tick {
	if most := max(math.Abs(low), math.Abs(high)); !(most < 1e15 && high-low > 1e-12*most) {
		return nil
	}
	list := gonum.DefaultTicks{}.Ticks(low, high)
	for i := range list {
		if list[i].Label != "" {
			list[i].Label = strconv.FormatFloat(rounded(list[i].Value), 'f', -1, 64)
		}
	}
	return list
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = plotGrid, plotGrid
	return g
}

// renderSVG returns an SVG file of the given size, in which paint draws inside margins.
func renderSVG(width, height vg.Length, paint func(draw.Canvas)) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	paint(draw.Crop(draw.New(canvas), plotMargin, -plotMargin, plotMargin, -plotMargin))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	// The layout uses the widths of Liberation Sans, which few machines have; Arial and Helvetica are about as wide.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif")), err
}
