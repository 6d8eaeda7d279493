package gdl_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/gdl/sheets"
)

// TestScrambled plays random games by scrambled sheets and natively.
func TestScrambled(t *testing.T) {
	for sheet, name := range sheets.Natives {
		t.Run(sheet, func(t *testing.T) {
			t.Parallel()
			native := games.Must(name)
			text, names, err := sheets.Scramble(sheets.Text(sheet), rand.New(rand.NewPCG(5, 5)))
			if err != nil {
				t.Fatal(err)
			}
			g, info, err := gdl.New(t.Context(), sheet, text)
			if err != nil {
				t.Fatal(err)
			}
			if plain := mustNew(t, sheet); g.Tensor != plain.Tensor || info.Proven && g.MaxPlies != plain.MaxPlies || len(g.Classes) != len(plain.Classes) {
				t.Errorf("tensor %v, %d plies, %d classes (%+v); unscrambled %v, %d, %d", g.Tensor, g.MaxPlies, len(g.Classes), *info,
					plain.Tensor, plain.MaxPlies, len(plain.Classes))
			}
			// Moves as the native game writes them.
			back := map[string]string{}
			for from, to := range maps.All(names) {
				back[to] = from
			}
			n := 100
			if testing.Short() {
				n = 2
			}
			for i := range n {
				rng := rand.New(rand.NewPCG(uint64(i), 6))
				a, b := native.NewState(), g.NewState()
				for !a.Done() {
					texts := map[string]int{}
					for _, x := range b.Legal(nil) {
						texts[unscrambled(g.ActionTexts[x], back)] = int(x)
					}
					legal := a.Legal(nil)
					for _, x := range legal {
						if _, ok := texts[native.ActionTexts[x]]; !ok || len(texts) != len(legal) {
							t.Fatalf("legal moves %v, want %v", slices.Sorted(maps.Keys(texts)), native.Texts(legal))
						}
					}
					x := legal[rng.IntN(len(legal))]
					y, err := g.ParseAction(g.ActionTexts[texts[native.ActionTexts[x]]])
					if err != nil {
						t.Fatal(err)
					}
					a.Apply(x)
					b.Apply(y)
				}
				if !b.Done() || a.Goals() != b.Goals() {
					t.Fatalf("over is %t with goals %v, want %v", b.Done(), b.Goals(), a.Goals())
				}
			}
		})
	}
}

// unscrambled returns a move's text with the names of the sheet before.
func unscrambled(text string, back map[string]string) string {
	words := strings.Fields(strings.NewReplacer("(", "( ", ")", " )").Replace(text))
	for i, w := range words {
		if name, ok := back[w]; ok {
			words[i] = name
		}
	}
	return strings.NewReplacer("( ", "(", " )", ")").Replace(strings.Join(words, " "))
}
