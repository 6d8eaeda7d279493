package ratings

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Each connecting pair connects one more agent with the anchor; together they form a tree.
func TestConnectingPair(t *testing.T) {
	var pairings []pairing
	all := func(a, b int) bool { return true }
	for range 6 {
		a, b, ok := connectingPair([]bool{3: true, 6: false}, pairings, all)
		if !ok || max(a-b, b-a) != 1 {
			t.Fatalf("joining %v gives %d, %d, %v", pairings, a, b, ok)
		}
		pairings = append(pairings, pairing{a: a, b: b, singles: [3]int{1, 0, 0}})
	}
	if a, b, ok := connectingPair([]bool{3: true, 6: false}, pairings, all); ok {
		t.Errorf("all are joined, and %d and %d are to be", a, b)
	}
}

// The match of nextPair reduces the variances most per second: this adds each match's expected games to the likelihood.
func TestNextPair(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	w := world{elo: spreadOut(rng, 6, 600)}
	pairings := uneven(20)(&w, rng)
	f := fitted(6, 0, pairings...)
	plan := everybodyMay(64)
	plan.cost = func(a, b int) float64 { return 0.01 * float64(1+a+b) }
	plan.target = func(i int) bool { return i != 2 }
	plan.may = func(a, b int) bool { return a+b != 5 }
	total := func(f *fit) (sum float64) {
		for i := range 6 {
			if i != 2 {
				sum += f.deviation(i) * f.deviation(i)
			}
		}
		return sum
	}
	a, b, ok := f.nextPair(plan)
	if !ok || a+b == 5 {
		t.Fatalf("%d and %d are next, %v", a, b, ok)
	}
	f.cov, f.dispersion = f.inverse, 1 // without the correction for scatter, which unplayed games know nothing of
	fall := func(a, b int) float64 {
		g, p := *f, logistic(f.rating[a]-f.rating[b])
		before := 0.0
		for _, l := range f.edges {
			if l.a == min(a, b) && l.b == max(a, b) {
				before = float64(l.played.games()) * p * (1 - p)
			}
		}
		games := (boundedInformation(before+64*p*(1-p)) - boundedInformation(before)) / (p * (1 - p))
		g.edges = append(slices.Clone(f.edges), edge{a: a, b: b, won: games * p, lost: games * (1 - p)})
		g.info, g.cov = g.information(g.rating), new(mat.SymDense)
		if err := g.info.InverseTo(g.cov); err != nil {
			t.Fatal(err)
		}
		return (total(f) - total(&g)) / plan.cost(a, b)
	}
	a, b, _ = f.nextPair(plan)
	for i := range 6 {
		for j := range i {
			if i+j != 5 && fall(i, j) > fall(a, b)*(1+1e-9) {
				t.Errorf("%d against %d gives more per second, %v, than %d against %d, %v", i, j, fall(i, j), a, b, fall(a, b))
			}
		}
	}
	plan.may = func(a, b int) bool { return false }
	if _, _, ok := f.nextPair(plan); ok {
		t.Error("nobody may play, and somebody is next")
	}
}

// TestFewerGames: until all standard errors are 20, the pairs of nextPair need fewer games than a round robin.
func TestFewerGames(t *testing.T) {
	pools := 10
	if testing.Short() {
		pools = 2
	}
	chosen, all := 0, 0
	for pool := range pools {
		rng := rand.New(rand.NewPCG(7, uint64(pool)))
		w := world{draws: 0.2, elo: spreadOut(rng, 16, 1500)}
		_, games := playAdaptively(&w, rng, 20)
		chosen += games
		all += gamesOfEverybody(&w, rng, 20)
	}
	t.Logf("%d games a pool, against %d of everybody against everybody", chosen/pools, all/pools)
	if chosen*3 > all*2 {
		t.Errorf("%d games are not much fewer than %d", chosen, all)
	}
}

// gamesOfEverybody is how many games a round robin needs until each agent's deviation is small enough.
func gamesOfEverybody(w *world, rng *rand.Rand, deviation float64) int {
	var pairings []pairing
	games := 0
	for {
		pairings = append(pairings, everybody(4)(w, rng)...)
		games += 8 * len(w.elo) * (len(w.elo) - 1) / 2
		f := fitted(len(w.elo), 0, pairings...)
		widest := 0.0
		for i := range w.elo {
			widest = max(widest, f.deviation(i))
		}
		if widest <= deviation {
			return games
		}
	}
}

func TestGameSeconds(t *testing.T) {
	want := []float64{0.001, 0.02, 0.3}
	var matches []matchTime
	for a := range want {
		for b := range a {
			matches = append(matches, matchTime{a: a, b: b, games: 50 * (a + b), seconds: float64(50*(a+b)) * (want[a] + want[b])})
		}
	}
	got := gameSeconds(4, matches)
	for i, c := range want {
		if math.Abs(got[i]-c) > 0.1*c+0.002 {
			t.Errorf("agent %d costs %v a game, want %v", i, got[i], c)
		}
	}
	if !(got[3] > 0.01 && got[3] < 0.3) {
		t.Errorf("an agent without a match costs %v", got[3])
	}
	if none := gameSeconds(2, nil); !(none[0] > 0) {
		t.Errorf("without matches: %v", none)
	}
}
