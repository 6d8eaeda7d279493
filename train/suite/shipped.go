package suite

import (
	"embed"
	"errors"
	"io/fs"

	"ludus/env"
	"ludus/env/naming"
)

//go:embed testdata
var shipped embed.FS

// Shipped returns the suite for game that is embedded in the program; ok is false if there is none.
func Shipped(game *env.Game) (s *Suite, ok bool) { return readShipped("testdata/", game) }

// ShippedHard returns the hard suite for game that is embedded in the program; ok is false if there is none.
func ShippedHard(game *env.Game) (s *Suite, ok bool) { return readShipped("testdata/hard/", game) }

// readShipped reads the suite of game from an embedded folder.
func readShipped(folder string, game *env.Game) (s *Suite, ok bool) {
	data, err := shipped.ReadFile(folder + naming.FileName(game.Name) + ".suite")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err == nil {
		s, err = Parse(data)
	}
	if err != nil || s.Game != game {
		panic("suite: a shipped suite cannot be read")
	}
	return s, true
}
