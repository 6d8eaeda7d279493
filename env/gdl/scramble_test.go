package gdl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
)

// scramble renames everything in a sheet but keywords and numbers, and shuffles its rules and their conditions. It
// returns the new names, too.
func scramble(t *testing.T, text string, rng *rand.Rand) (string, map[string]string) {
	t.Helper()
	rules, err := kif.ReadRules(text)
	if err != nil {
		t.Fatal(err)
	}
	keep := strings.Fields("role init true next legal does goal terminal base input not or and distinct")
	names := map[string]string{}
	var rename func(x kif.Term) kif.Term
	rename = func(x kif.Term) kif.Term {
		_, notNumber := strconv.Atoi(x.Name)
		if notNumber != nil && !slices.Contains(keep, x.Name) {
			if names[x.Name] == "" {
				names[x.Name] = fmt.Sprintf("w%dq", 1000+len(names)*7)
				if x.IsVariable() {
					names[x.Name] = "?" + names[x.Name]
				}
			}
			x.Name = names[x.Name]
		}
		args := make([]kif.Term, len(x.Args))
		for i, a := range x.Args {
			args[i] = rename(a)
		}
		x.Args = args
		return x
	}
	// The order of the roles means something: it is the order of moves in a match.
	var roles, lines []string
	for _, r := range rules {
		r.Head = rename(r.Head)
		for i := range r.Body {
			r.Body[i] = rename(r.Body[i])
		}
		rng.Shuffle(len(r.Body), func(i, j int) { r.Body[i], r.Body[j] = r.Body[j], r.Body[i] })
		if r.Head.Name == "role" {
			roles = append(roles, r.String())
		} else {
			lines = append(lines, r.String())
		}
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(append(roles, lines...), "\n"), names
}

// TestScrambled plays random games by scrambled sheets and natively.
func TestScrambled(t *testing.T) {
	for sheet, name := range natives {
		t.Run(sheet, func(t *testing.T) {
			t.Parallel()
			native, err := games.New(name)
			if err != nil {
				t.Fatal(err)
			}
			text, names := scramble(t, sheets.Text(sheet), rand.New(rand.NewPCG(5, 5)))
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
