package ggp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"ludus/env/gdl"
	"ludus/env/gdl/interpreter"
	"ludus/train/stats"
)

// sheet returns a sheet of testdata.
func sheet(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".kif"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// startOf returns the first position of a sheet, compiled or interpreted.
func startOf(t testing.TB, text string, compile bool) position {
	t.Helper()
	if compile {
		circuit, err := gdl.Read(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		return newRules(circuit).start()
	}
	game, err := interpreter.New(t.Context(), text, interpreter.MaxTerms)
	if err != nil {
		t.Fatal(err)
	}
	start, err := game.Start()
	if err != nil {
		t.Fatal(err)
	}
	return &interpreted{start}
}

// playAgainstRandom plays a game, a search of so many simulations per move for one role, random moves for the others, and
// returns the role's score. Without simulations its moves are random, too.
func playAgainstRandom(t *testing.T, start position, role, simulations int, rng *rand.Rand) float64 {
	t.Helper()
	p := start.clone()
	u := newUCT(p, 64<<20, rng)
	for !p.over() {
		var moves []int32
		named := map[string]string{}
		for r, name := range p.roles() {
			legal := p.legal(r)
			move := legal[rng.IntN(len(legal))]
			if r == role && simulations > 0 && len(legal) > 1 {
				move, _ = p.number(r, u.move(t, r, simulations))
			}
			moves = append(moves, move)
			named[name] = p.text(r, move)
		}
		if simulations > 0 {
			if err := u.follow(named); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.play(moves); err != nil {
			t.Fatal(err)
		}
	}
	return score(p.goals()[role])
}

// move returns the move of a search with a number of simulations.
func (u *uct) move(t *testing.T, role, simulations int) string {
	t.Helper()
	if u.root == nil {
		u.root = u.expand(u.position)
	}
	for i := 0; i < simulations && u.best < 1; i++ {
		if err := u.simulate(); err != nil {
			t.Fatal(err)
		}
	}
	return u.text(role)
}

// TestScores measures the search against random moves in games that ludus cannot train on: with simultaneous moves,
// with three players, and with one. LUDUS_TEST_MATCHES=100 plays so many games of each.
func TestScores(t *testing.T) {
	fixed, err := strconv.Atoi(os.Getenv("LUDUS_TEST_MATCHES"))
	for _, c := range []struct {
		sheet       string
		compiled    bool
		simulations int
		roles       int
		least       float64 // score
	}{
		{"bids", true, 300, 2, 0.7}, {"bids", false, 1000, 2, 0.6},
		{"three", true, 300, 3, 0.8}, {"three", false, 100, 3, 0.7},
		{"lights", true, 300, 1, 0.9}, {"lights", false, 2000, 1, 0.5},
	} {
		t.Run(fmt.Sprintf("%s/compiled=%t", c.sheet, c.compiled), func(t *testing.T) {
			t.Parallel()
			games := 8
			switch {
			case err == nil:
				games = fixed
			case c.compiled:
				games = 24
			}
			start := startOf(t, sheet(t, c.sheet), c.compiled)
			var search, random []stats.Cluster
			for i := range games {
				rng := rand.New(rand.NewPCG(uint64(i), 7))
				search = append(search, stats.Cluster{N: 1, Sum: playAgainstRandom(t, start, i%c.roles, c.simulations, rng)})
				random = append(random, stats.Cluster{N: 1, Sum: playAgainstRandom(t, start, i%c.roles, 0, rng)})
			}
			s, r := stats.Mean(search), stats.Mean(random)
			t.Logf("%d games: the search scores %.0f %% (95 %%: %.0f to %.0f), random moves %.0f %% (%.0f to %.0f)",
				games, 100*s.Value, 100*s.Low, 100*s.High, 100*r.Value, 100*r.Low, 100*r.High)
			if s.Value < c.least {
				t.Errorf("the search scores %.2f, want at least %.2f", s.Value, c.least)
			}
		})
	}
}

// TestPositions: compiled and interpreted positions agree on random games.
func TestPositions(t *testing.T) {
	for _, name := range []string{"bids", "three", "lights"} {
		a, b := startOf(t, sheet(t, name), true), startOf(t, sheet(t, name), false)
		rng := rand.New(rand.NewPCG(1, 1))
		for !a.over() {
			var one, two []int32
			for role, r := range a.roles() {
				if b.roles()[role] != r || len(a.legal(role)) != len(b.legal(role)) {
					t.Fatalf("%s: roles %v and %v", name, a.roles(), b.roles())
				}
				legal := a.legal(role)
				one = append(one, legal[rng.IntN(len(legal))])
				move, known := b.number(role, a.text(role, one[role]))
				if !known {
					t.Fatalf("%s: %s is unknown", name, a.text(role, one[role]))
				}
				two = append(two, move)
			}
			if err := a.play(one); err != nil {
				t.Fatal(err)
			}
			if err := b.play(two); err != nil {
				t.Fatal(err)
			}
		}
		if !b.over() || fmt.Sprint(a.goals()) != fmt.Sprint(b.goals()) {
			t.Errorf("%s: over is %t, goals %v and %v", name, b.over(), a.goals(), b.goals())
		}
	}
}

// TestPlayouts: random games of compiled and interpreted positions have the same mean scores, and the 64 that are played at
// once have results of their own.
func TestPlayouts(t *testing.T) {
	for _, name := range []string{"bids", "three"} {
		rng := rand.New(rand.NewPCG(1, 2))
		a, b := startOf(t, sheet(t, name), true), startOf(t, sheet(t, name), false)
		const calls, games = 20, 400
		compiled, interpreted := make([]float64, len(a.roles())), make([]float64, len(a.roles()))
		least, most := 1.0, 0.0
		for range calls {
			scores := a.playouts(rng).scores
			least, most = min(least, scores[0]), max(most, scores[0])
			for role, s := range scores {
				compiled[role] += s / calls
			}
		}
		for range games {
			for role, s := range b.playouts(rng).scores {
				interpreted[role] += s / games
			}
		}
		for role := range compiled {
			if math.Abs(compiled[role]-interpreted[role]) > 0.1 { // four standard errors
				t.Errorf("%s: mean scores %v and %v", name, compiled, interpreted)
			}
		}
		if most-least > 0.4 { // six standard errors of a mean of 64 games
			t.Errorf("%s: means of 64 games from %v to %v", name, least, most)
		}
	}
}

// TestBestLine: a game without end is not the best one, and what is left of the best game is kept after its first move.
func TestBestLine(t *testing.T) {
	const text = "(role a) (init (at 0)) (succ 0 1) (succ 1 2) (legal a stay) (<= (legal a step) (true (at ?n)) (succ ?n ?m))" +
		"(<= (next (at ?n)) (does a stay) (true (at ?n))) (<= (next (at ?m)) (does a step) (true (at ?n)) (succ ?n ?m))" +
		"(<= terminal (true (at 2))) (<= (goal a 40) (true (at ?n)))"
	for _, compile := range []bool{true, false} {
		u := newUCT(startOf(t, text, compile), 1<<20, rand.New(rand.NewPCG(1, 1)))
		u.root = u.expand(u.position)
		for range 20 {
			if err := u.simulate(); err != nil {
				t.Fatal(err)
			}
		}
		if u.best != 0.4 || len(u.line) < 2 {
			t.Fatalf("compiled %t: the best game scores %v with %d moves", compile, u.best, len(u.line))
		}
		rest := len(u.line) - 1
		if err := u.follow(map[string]string{"a": u.position.text(0, u.line[0])}); err != nil || len(u.line) != rest {
			t.Errorf("compiled %t: %d moves of the best game are left, want %d, %v", compile, len(u.line), rest, err)
		}
	}
}

// TestRoom: the tree stays within its memory, and keeps what a move leaves of it.
func TestRoom(t *testing.T) {
	start := startOf(t, sheet(t, "three"), true)
	u := newUCT(start, 100<<10, rand.New(rand.NewPCG(1, 1)))
	move := u.move(t, 0, 3000)
	if u.used < 100<<10 || u.used > 110<<10 || u.used != u.root.size() {
		t.Errorf("%d bytes, %d counted", u.used, u.root.size())
	}
	visits := u.root.visits
	if err := u.follow(map[string]string{"red": move, "green": "noop", "blue": "noop"}); err != nil {
		t.Fatal(err)
	}
	if u.root == nil || u.root.visits == 0 || u.root.visits >= visits || u.used >= 100<<10 {
		t.Errorf("after the move: %+v, %d bytes", u.root, u.used)
	}
	if err := u.follow(map[string]string{"red": "noop", "green": "(fly 1 1)", "blue": "noop"}); err == nil {
		t.Error("an unknown move is accepted")
	}
}
