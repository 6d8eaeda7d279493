package report

import (
	_ "embed"
	"sync"

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
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"`
	Ladders []Ladder `json:"ladders,omitempty"`
	Charts  []Chart  `json:"charts"`
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

// pages is made when it is first needed, so that other commands start faster.
var pages = sync.OnceValue(func() *static.OneFile {
	return static.NewOneFile(pageHTML, static.Styles("uplot/uPlot.min.css", "base.css", "board.css", "charts.css", "report.css"),
		static.UPlot(), static.Inline("report.js"))
})

// HTML returns the page as one file.
func (p *Page) HTML() ([]byte, error) { return pages().HTML(p.Title, nil, p) }
