package suite

import (
	"embed"
	"errors"
	"io/fs"

	"ludus/env"
)

//go:embed testdata
var shipped embed.FS

// Extension ends the names of packed suites.
const Extension = ".suite"

// Shipped returns the suite of a game that is part of the program, and whether there is one.
func Shipped(game *env.Game) (*Suite, bool) {
	data, err := shipped.ReadFile("testdata/" + env.FileName(game.Name) + Extension)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	var s *Suite
	if err == nil {
		s, err = Parse(data)
	}
	if err != nil || s.Game != game {
		panic("suite: a shipped suite is damaged")
	}
	return s, true
}
