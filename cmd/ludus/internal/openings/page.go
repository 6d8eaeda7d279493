package openings

import (
	_ "embed"
	"fmt"
	"sync"

	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
)

//go:embed page.html
var pageHTML string

// pages is made when it is first needed, so that other commands start faster.
var pages = sync.OnceValue(func() *static.OneFile {
	return static.NewOneFile(pageHTML, static.Styles("base.css", "shell.css", "board.css", "openings.css"), static.Inline("openings.js"))
})

// HTML returns the tree as a page in one file.
func (t *Tree) HTML() ([]byte, error) {
	note := fmt.Sprintf("%d positions, searched by %s.", t.Book.Positions(), t.Book.Origin.Agent)
	if t.Book.Games > 0 {
		note += fmt.Sprintf(" Numbers of games are of %d.", t.Book.Games)
	}
	if t.Cut > 0 {
		note += fmt.Sprintf(" %d further moves are left out.", t.Cut)
	}
	return pages().HTML("Openings of "+t.Book.Game.Name, map[string]string{"Note": note, "First": t.Book.Game.Players[env.First]},
		map[string]any{"description": board.Describe(t.Book.Game), "root": t.Root, "games": t.Book.Games})
}
