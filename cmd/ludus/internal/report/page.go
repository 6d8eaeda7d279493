package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"

	"ludus/cmd/internal/svg"
	"ludus/cmd/ludus/internal/static"
	"ludus/train/doctor"
)

// Page is the content of a report, from top to bottom. The module runview.js draws its JSON, also in ludus serve.
type Page struct {
	Title    string    `json:"title"`
	Subtitle string    `json:"subtitle"`
	Warnings []string  `json:"warnings"`
	Facts    []Fact    `json:"facts"`
	Axes     bool      `json:"axes,omitempty"` // let the reader choose the x axis; for [Sections] of several runs
	Sections []Section `json:"sections"`
	// Diagnosis is how good the run is, as its live page shows it; nil if it cannot be told.
	Diagnosis *doctor.Diagnosis `json:"diagnosis,omitempty"`
	Samples   *Samples          `json:"samples,omitempty"`
	Settings  []Setting         `json:"settings"`
}

// Fact is a name and a value.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Section is a part of the page: a heading with charts.
type Section struct {
	ID      string      `json:"id"`
	Title   string      `json:"title"`
	Note    string      `json:"note,omitempty"`
	Ladders []Ladder    `json:"ladders,omitempty"`
	Charts  []svg.Chart `json:"charts"`
}

// Setting is one of a run's settings.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Default string `json:"default"`
	Doc     string `json:"doc"`
	Changed bool   `json:"changed"` // Value is not the default
}

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

var (
	uplot  = static.UPlot()
	script = static.Inline("report.js")
	style  = static.Styles("uplot/uPlot.min.css", "base.css", "board.css", "charts.css", "report.css")
)

// policy is the page's Content-Security-Policy: it allows nothing but the page's own scripts and styles, named by hash.
var policy = fmt.Sprintf(
	"default-src 'none'; script-src %s %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
	static.Hash(uplot), static.Hash(script), static.Hash(style))

// HTML returns the page as one file. Names and texts cannot become markup: the template escapes them, and JSON writes
// <, > and & as \u escapes.
func (p *Page) HTML() ([]byte, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, map[string]any{
		"Title": p.Title, "Policy": policy, "Data": template.JS(data),
		"UPlot": template.JS(uplot), "Script": template.JS(script), "Style": template.CSS(style),
	})
	return b.Bytes(), err
}
