package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"ludus/cmd/ludus/internal/static"
)

// Page is what a page shows, from top to bottom.
type Page struct {
	Title    string
	Subtitle string
	Warnings []string
	Facts    []Fact
	Sections []Section
	Games    *Games
	NoGames  string // why there are no games; with neither, the section is left out
	Settings []Setting
	Axes     bool // the reader may choose what curves by generation are drawn over: Sections of several runs
}

// Fact is a name and a value.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Setting is one setting of a run.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Default string `json:"default"`
	Doc     string `json:"doc"`
	Changed bool   `json:"changed"` // from the default
}

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"number": number, "latest": latest, "scale": scaleOf,
}).Parse(pageHTML))

// What the page holds beside its data.
var (
	scripts = []template.JS{template.JS(static.UPlot()), template.JS(static.Inline("report.js"))}
	styles  = []template.CSS{template.CSS(static.Styles("uplot/uPlot.min.css", "base.css", "board.css", "charts.css", "report.css"))}
)

// policy forbids the page everything but its own scripts and styles, which it names by their hashes.
var policy = fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
	hashes(scripts), hashes(styles))

// hashes are the sources of inline scripts or styles in a Content-Security-Policy.
func hashes[T ~string](texts []T) string {
	var all []string
	for _, text := range texts {
		all = append(all, static.Hash(string(text)))
	}
	return strings.Join(all, " ")
}

// HTML makes the page. Whatever stands in names and texts comes out as text: the template escapes it, and JSON writes <, >
// and & as \u escapes, so that no data can end its block.
func (p *Page) HTML() ([]byte, error) {
	charts := make(map[string]Chart)
	for _, s := range p.Sections {
		for _, c := range s.Charts {
			charts[c.ID] = c
		}
	}
	data, err := json.Marshal(map[string]any{"charts": charts, "games": p.Games})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, map[string]any{
		"Page": p, "Policy": policy, "Data": template.JS(data), "Scripts": scripts, "Styles": styles,
	})
	return b.Bytes(), err
}

// number writes a value for people: three digits or more.
func number(x float64) string {
	switch a := max(x, -x); {
	case a >= 100:
		return grouped(x)
	case a >= 10:
		return fmt.Sprintf("%.1f", x)
	case a >= 1:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// latest writes a line's newest value, with its interval where it has one.
func latest(l Line, unit string) string {
	text := number(l.last())
	if n := len(l.Low); n > 0 {
		text += fmt.Sprintf(" (%s to %s)", number(l.Low[n-1]), number(l.High[n-1]))
	}
	return strings.TrimSpace(text + " " + unit)
}

// scale places values in a strip 100 wide.
type scale struct{ low, high float64 }

// At is where x lies.
func (s scale) At(x float64) float64 {
	return rounded(100 * (min(max(x, s.low), s.high) - s.low) / (s.high - s.low))
}

// Left is where a bar of x begins: at 0 or, where x is negative, at x.
func (s scale) Left(x float64) float64 { return s.At(min(x, 0)) }

// Length is that of a bar of x, which leads from 0 to x.
func (s scale) Length(x float64) float64 { return max(s.At(x), s.At(0)) - s.Left(x) }

// scaleOf fits the bars of a ladder and 0.
func scaleOf(l Ladder) scale {
	s := scale{0, 1}
	if l.Unit == "%" {
		return scale{0, 100}
	}
	for _, b := range l.Bars {
		s.low, s.high = min(s.low, b.Low, b.Value), max(s.high, b.High, b.Value)
	}
	return s
}
