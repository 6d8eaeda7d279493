package main

import (
	"slices"
	"strings"
	"testing"

	"ludus/env/games"
)

// FuzzFlags parses --moves: a valid value can be formatted and parsed again, and an error names the move.
func FuzzFlags(f *testing.F) {
	for _, text := range []string{
		"", ",", "1,2,3", "64x5", "99999999999999999999x1",
		"(mark r3 c3);(mark r2 c2)", "mark r3 c3 ; ;mark r3 c4;", "(mark r3 c3);(mark r3 c3)", ";;;", "noop",
		"(mark r1 c2);(mark r1 c3);(mark r2 c1);(mark r1 c4);(mark r3 c2);(mark r2 c5);(mark r2 c3);(mark r3 c5);", "\n", "\xff",
	} {
		f.Add(text)
	}
	game := games.Must("quad-5x5")
	f.Fuzz(func(t *testing.T, text string) {
		_, played, err := splitMoves(game, text)
		if err != nil {
			if message := err.Error(); !strings.HasPrefix(message, "the game is over") && !strings.Contains(message, "move ") {
				t.Errorf("%q: error %v", text, err)
			}
			return
		}
		var texts []string
		for _, a := range played {
			texts = append(texts, game.ActionTexts[a])
		}
		if _, again, err := splitMoves(game, strings.Join(texts, ";")); err != nil || !slices.Equal(again, played) {
			t.Errorf("%q is %v, and that is %v, %v", text, texts, again, err)
		}
	})
}
