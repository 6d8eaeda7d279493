package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludus/env/games"
)

// FuzzFlags parses --sprt and --moves: a valid value can be formatted and parsed again, and an error names the flag or
// the move.
func FuzzFlags(f *testing.F) {
	for _, text := range []string{
		"0,10", "-5, 5", "NaN,1", "Inf,-Inf", "1,2,3", ",", "", "64x5", "64x", "x", "-4x1", "1e3x2", "64X5", "99999999999999999999x1",
		"(mark r3 c3);(mark r2 c2)", "mark r3 c3 ; ;mark r3 c4;", "(mark r3 c3);(mark r3 c3)", ";;;", "noop",
		"(mark r1 c2);(mark r1 c3);(mark r2 c1);(mark r1 c4);(mark r3 c2);(mark r2 c5);(mark r2 c3);(mark r3 c5);", "\n", "\xff",
	} {
		f.Add(text)
	}
	game, err := games.New("quad-5x5")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		named := func(err error, name string) {
			t.Helper()
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%q: error %v", text, err)
			}
		}
		if sprt, err := parseSPRT(text); err != nil {
			named(err, "--sprt")
		} else if sprt.Validate() == nil {
			if again, err := parseSPRT(fmt.Sprintf("%g,%g", sprt.Elo0, sprt.Elo1)); err != nil || *again != *sprt {
				t.Errorf("%q is %v, and that is %v, %v", text, sprt, again, err)
			}
		}
		_, played, err := splitMoves(game, text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "the game is over") {
				named(err, "move ")
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
