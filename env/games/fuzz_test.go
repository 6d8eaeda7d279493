package games

import (
	"errors"
	"testing"

	"ludus/env"
)

// FuzzParseAction checks that ParseAction accepts an action whose own text is read as the same action, or returns
// ErrAction.
func FuzzParseAction(f *testing.F) {
	for _, text := range []string{"(mark r3 c3)", "mark  3 0", "noop", "(noop)", "((move 1 4 2 6))", "", "( )", "MARK r3 c3", "\xff"} {
		f.Add(text)
	}
	var all []*env.Game
	for _, name := range append(Names(), "quad(size=11)", "free-for-all(size=9)") {
		all = append(all, Must(name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, game := range all {
			a, err := game.ParseAction(text)
			if err != nil {
				if !errors.Is(err, env.ErrAction) {
					t.Errorf("%s: error %v", game.Name, err)
				}
				continue
			}
			if again, err := game.ParseAction(game.ActionTexts[a]); err != nil || again != a || game.ActionTexts[a] == "" {
				t.Errorf("%s: %q is action %d, whose text %q is %d, %v", game.Name, text, a, game.ActionTexts[a], again, err)
			}
		}
	})
}
