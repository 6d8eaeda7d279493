package gdl

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ludus/env/gdl/interpreter"
)

// proveLongest returns what findLongest proves of a sheet. The error says that its players are not proven to take turns.
func proveLongest(t *testing.T, text string) (plies int, proof string, err error) {
	t.Helper()
	net, err := Read(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	f := net.NewFolder()
	turns, err := findTurns(net, f)
	if err == nil {
		plies, proof = findLongest(net, f, turns)
	}
	return plies, proof, err
}

// TestLongest proves, or does not prove, that games of small sheets end.
func TestLongest(t *testing.T) {
	const count = `(init (left 5)) (less 1 2) (less 2 3) (less 3 4) (less 4 5) (less 0 1)
		(<= (legal ?p (take ?n)) (true (control ?p)) (true (left ?m)) (less ?n ?m)) (<= terminal (true (left 0)))`
	for name, c := range map[string]struct {
		text  string
		plies int // 0: not proven
	}{
		"count down":       {count + "(<= (next (left ?n)) (does ?p (take ?n)))", 5},
		"count and return": {count + "(<= (next (left ?n)) (does ?p (take ?n)) (distinct ?n 1)) (<= (next (left 5)) (does ?p (take 1)))", 0},
		"pass":             {count + "(<= (next (left ?n)) (does ?p (take ?n))) (<= (next (left ?n)) (true (left ?n)) (does ?p pass)) (<= (legal ?p pass) (true (control ?p)))", 0},
		"a may pass":       {count + "(<= (next (left ?n)) (does ?p (take ?n))) (<= (next (left ?n)) (true (left ?n)) (does a pass)) (<= (legal a pass) (true (control a)))", 0},
		"forgotten count":  {count + "(<= (next (left ?n)) (does ?p (take ?n)) (distinct ?n 2)) (<= (legal ?p wait) (true (control ?p)))", 0},
		"never over":       {"(<= (legal ?p go) (true (control ?p))) (<= terminal (true (over)))", 0},
	} {
		plies, proof, err := proveLongest(t, twoPlayers+goals+c.text)
		if err != nil || plies != c.plies || (proof == "") != (plies == 0) {
			t.Errorf("%s: %d plies, proof %q, error %v; want %d plies", name, plies, proof, err, c.plies)
		}
	}
}

// TestLongestBounds compares what is proven of random sheets with the longest of all their games.
func TestLongestBounds(t *testing.T) {
	proven := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		b.WriteString(twoPlayers + goals + "(<= terminal (true (end)))\n")
		fact := func() string { return fmt.Sprintf("(%c %d)", 'x'+rng.IntN(2), rng.IntN(3)) }
		test := func() string {
			return []string{"", "", "(true " + fact() + ")", "(not (true " + fact() + "))"}[rng.IntN(4)]
		}
		for _, name := range []string{"x", "y"} {
			if rng.IntN(5) > 0 {
				fmt.Fprintf(&b, "(init (%s 0))\n", name)
			}
		}
		for _, move := range []string{"m", "n"} {
			if rng.IntN(2) == 0 {
				fmt.Fprintf(&b, "(<= (legal ?p %s) (true (control ?p)) %s)\n", move, test())
			} else {
				fmt.Fprintf(&b, "(<= (legal ?p %s) (true (control ?p)) (true %s))\n", move, fact())
			}
			for _, name := range []string{"x", "y"} {
				for from := range 3 {
					to := from + rng.IntN(3-from)
					if rng.IntN(12) == 0 {
						to = rng.IntN(3)
					}
					fmt.Fprintf(&b, "(<= (next (%s %d)) (does ?p %s) (true (%s %d)) %s)\n", name, to, move, name, from, test())
				}
			}
		}
		fmt.Fprintf(&b, "(<= (next (end)) (true %s) (true %s))\n", fact(), fact())
		text := b.String()
		plies, proof, err := proveLongest(t, text)
		if err != nil || proof == "" {
			continue
		}
		proven++
		game, err := interpreter.New(t.Context(), text, interpreter.MaxTerms)
		if err != nil {
			t.Fatal(err)
		}
		start, err := game.Start()
		if err != nil {
			t.Fatal(err)
		}
		if n := longestGame(t, game, start, map[string]int{}); n < 0 || n > plies {
			t.Errorf("seed %d: at most %d plies are proven (%s), the longest game has %d (-1: no end)\n%s", seed, plies, proof, n, text)
		}
	}
	if t.Logf("%d of 300 sheets are proven", proven); proven < 20 {
		t.Errorf("%d sheets are proven", proven)
	}
}

// longestGame returns the plies of the longest game from a position, which ends where the mover has no move; -1 if a game
// may go on for ever.
func longestGame(t *testing.T, game *interpreter.Game, p *interpreter.Position, known map[string]int) int {
	key := fmt.Sprint(p.True())
	if n, ok := known[key]; ok {
		return n
	}
	known[key] = -1
	most := 0
	if !p.Terminal() {
		legal := [2][]string{p.Legal(game.Roles[0]), p.Legal(game.Roles[1])}
		for _, a := range legal[0] {
			for _, b := range legal[1] {
				next, err := p.Next([]string{a, b})
				if err != nil {
					t.Fatal(err)
				}
				n := longestGame(t, game, next, known)
				if n < 0 {
					return -1
				}
				most = max(most, n+1)
			}
		}
	}
	known[key] = most
	return most
}

// TestUsualPlies checks that plans do not rest on a cap that games do not reach.
func TestUsualPlies(t *testing.T) {
	g, info, err := New(t.Context(), "stop", `(role a) (role b) (init (control a))
		(<= (legal ?p go) (true (control ?p))) (<= (legal ?p stop) (true (control ?p)))
		(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
		(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
		(<= (next (over ?p)) (does ?p stop)) (<= terminal (true (over ?p)))
		(<= (goal a 100) (true (over b))) (<= (goal a 0) (not (true (over b))))
		(<= (goal b 0) (true (over b))) (<= (goal b 100) (not (true (over b))))`)
	if err != nil {
		t.Fatal(err)
	}
	if info.Proven || g.UsualPlies < 5 || 4*g.UsualPlies != g.MaxPlies {
		t.Errorf("usually up to %d plies, at most %d (%s)", g.UsualPlies, g.MaxPlies, info.Longest)
	}
}
