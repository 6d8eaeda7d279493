package openings

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"

	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
)

//go:embed page.html
var pageHTML string

var (
	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
	script       = static.Inline("openings.js")
	style        = static.Styles("base.css", "shell.css", "board.css", "openings.css")
)

// policy is the page's Content-Security-Policy: it allows nothing but the page's own script and styles, named by hash.
var policy = fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
	static.Hash(script), static.Hash(style))

// HTML returns the tree as a page in one file. Names and texts cannot become markup: the template escapes them, and
// JSON writes <, > and & as \u escapes.
func (t *Tree) HTML() ([]byte, error) {
	data, err := json.Marshal(map[string]any{"description": board.Describe(t.Book.Game), "root": t.Root, "games": t.Games})
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%d positions, searched by %s.", t.Book.Positions(), t.Book.Origin.Agent)
	if t.Games > 0 {
		note += fmt.Sprintf(" Numbers of games are of %d.", t.Games)
	}
	if t.Cut > 0 {
		note += fmt.Sprintf(" %d further moves are left out.", t.Cut)
	}
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, map[string]any{
		"Title": "Openings of " + t.Book.Game.Name, "Note": note, "First": t.Book.Game.Players[env.First], "Policy": policy,
		"Data": template.JS(data), "Script": template.JS(script), "Style": template.CSS(style),
	})
	return b.Bytes(), err
}
