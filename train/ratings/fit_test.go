package ratings

import (
	"ludus/train/stats"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fitted fits the ratings of agents, of whom only the anchor's is known.
func fitted(agents, anchor int, pairings ...pairing) *fit {
	elo := slices.Repeat([]float64{math.NaN()}, agents)
	elo[anchor] = 0
	return newFit(elo, pairings)
}

// anchorInterval is the interval of an agent's difference from the anchor.
func anchorInterval(f *fit, agent int) (low, high float64) {
	g := *f
	g.centre = make([]float64, len(f.rating))
	return g.interval(agent)
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %.6g, want %.6g", what, got, want)
	}
}

// elo is the Elo difference at which the expected number of points in games is points.
func elo(points, games float64) float64 { return 400 * math.Log10(points/(games-points)) }

// With two agents, the prior adds half a point to each.
func TestTwo(t *testing.T) {
	for _, c := range []struct {
		pairing       pairing
		points, games float64
	}{
		{pairing{a: 1, b: 0, singles: [3]int{0, 0, 100}}, 100, 100},
		{pairing{a: 0, b: 1, singles: [3]int{0, 0, 100}}, 0, 100},
		{pairing{a: 1, b: 0, pentanomial: [5]int{0, 0, 0, 0, 50}}, 100, 100},
		{pairing{a: 1, b: 0, pentanomial: [5]int{1, 2, 3, 4, 5}, singles: [3]int{1, 2, 3}}, 24, 36},
		{pairing{a: 1, b: 0, singles: [3]int{0, 7, 0}}, 3.5, 7},
		{pairing{a: 1, b: 0, singles: [3]int{0, 0, 1_000_000}}, 1e6, 1e6},
	} {
		f := fitted(2, 0, c.pairing)
		near(t, "the difference", f.elo(1), elo(c.points+0.5, c.games+1), 0.01)
		near(t, "the anchor", f.elo(0), 0, 0)
		low, high := anchorInterval(f, 1)
		if !(low < f.elo(1) && f.elo(1) < high) || math.IsInf(high-low, 0) {
			t.Errorf("%+v: rating %v lies in no finite interval %v to %v", c.pairing, f.elo(1), low, high)
		}
	}
}

// After 100 : 0 the interval is narrower below the rating than above.
func TestLopsided(t *testing.T) {
	f := fitted(2, 0, pairing{a: 1, b: 0, pentanomial: [5]int{0, 0, 0, 0, 50}})
	low, high := anchorInterval(f, 1)
	if up, down := high-f.elo(1), f.elo(1)-low; !(up > 1.5*down) {
		t.Errorf("rating %.0f, interval %.0f to %.0f", f.elo(1), low, high)
	}
}

// The order of pairings, and of the two agents in them, does not matter; the anchor only shifts the scale.
func TestSymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := world{draws: 0.3, elo: spreadOut(rng, 7, 700)}
	pairings := uneven(20)(&w, rng)
	f := fitted(7, 0, pairings...)
	turned := slices.Clone(pairings)
	slices.Reverse(turned)
	for i := range turned {
		p := &turned[i]
		p.a, p.b = p.b, p.a
		slices.Reverse(p.pentanomial[:])
		slices.Reverse(p.singles[:])
	}
	g := fitted(7, 3, turned...)
	for i := range 7 {
		near(t, "a rating", g.elo(i), f.elo(i)-f.elo(3), 1e-3)
		low, high := f.interval(i)
		low2, high2 := g.interval(i)
		near(t, "an interval's width", high2-low2, high-low, 0.1)
		near(t, "a deviation", g.deviation(i), f.deviation(i), 0.01)
		if !(low < f.elo(i) && f.elo(i) < high) {
			t.Errorf("rating %v is outside %v to %v", f.elo(i), low, high)
		}
	}
}

// The ratings maximize the likelihood: each agent's points equal the expected ones.
func TestLikeliest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	w := world{draws: 0.3, elo: spreadOut(rng, 9, 1500)}
	f := fitted(9, 0, uneven(15)(&w, rng)...)
	excess, virtual := make([]float64, 9), 0.0
	for i := range f.edges {
		l := &f.edges[i]
		x := l.won - (l.won+l.lost)*logistic(f.rating[l.a]-f.rating[l.b])
		excess[l.a] += x
		excess[l.b] -= x
		virtual += l.prior
	}
	for _, x := range excess {
		near(t, "the excess of an agent's points", x, 0, 1e-4)
	}
	near(t, "the prior's games", virtual, 8, 1e-6)
}

// With many independent games, the intervals of the profile, the curvature and the binomial distribution agree.
func TestManyGames(t *testing.T) {
	const games, points = 40000, 25000
	f := fitted(2, 0, pairing{a: 1, b: 0, pentanomial: [5]int{
		20000 * 9 / 64, 0, 2 * 20000 * 15 / 64, 0, 20000 * 25 / 64}}) // pairs of independent games won with 5/8
	p := float64(points) / games
	want := 2 * stats.Z * eloPerUnit / math.Sqrt(games*p*(1-p))
	low, high := anchorInterval(f, 1)
	near(t, "the interval's width", high-low, want, want/200)
	low, high = f.interval(1)
	near(t, "the place's interval", high-low, want/2, want/200) // two agents' centre lies between them
	near(t, "the deviation", f.deviation(1), want/8*2/stats.Z, want/200)
}

// Pairs whose two games end alike give half the information; pairs that the seat decides give more.
func TestScatter(t *testing.T) {
	width := func(pentanomial [5]int) float64 {
		low, high := anchorInterval(fitted(2, 0, pairing{a: 1, b: 0, pentanomial: pentanomial}), 1)
		return high - low
	}
	independent := width([5]int{250, 0, 500, 0, 250})
	near(t, "the ratio of pairs that end alike", width([5]int{500, 0, 0, 0, 500})/independent, math.Sqrt2, 0.05)
	if ratio := width([5]int{25, 0, 950, 0, 25}) / independent; ratio > 0.5 {
		t.Errorf("the ratio where seats decide is %.2f", ratio)
	}
}

func TestUnconnected(t *testing.T) {
	one := pairing{a: 0, b: 1, singles: [3]int{1, 0, 1}}
	two := pairing{a: 2, b: 3, singles: [3]int{1, 0, 1}}
	none := pairing{a: 1, b: 2}
	f, alone := fitted(4, 0, one, two, none), fitted(2, 0, one)
	if !slices.Equal(f.rated, []bool{true, true, false, false}) {
		t.Errorf("rated: %v", f.rated)
	}
	low, high := f.interval(1)
	low2, high2 := alone.interval(1)
	near(t, "a rating beside unconnected agents", f.elo(1), alone.elo(1), 1e-6)
	near(t, "its interval's lower end", low, low2, 1e-6)
	near(t, "its interval's upper end", high, high2, 1e-6)
	if got := connected([]bool{3: true}, []pairing{one, two, none}); !slices.Equal(got, []bool{false, false, true, true}) {
		t.Errorf("connected: %v", got)
	}
	if f := fitted(1, 0); f.elo(0) != 0 {
		t.Errorf("a pool of one is rated %v", f.elo(0))
	}
}
