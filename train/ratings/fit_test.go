package ratings

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func fitted(t testing.TB, agents, anchor int, pairings ...Pairing) *Fit {
	t.Helper()
	f, err := New(agents, anchor, pairings)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %.6g, want %.6g", what, got, want)
	}
}

// elo is the difference that makes for so many points of games.
func elo(points, games float64) float64 { return 400 * math.Log10(points/(games-points)) }

// Two agents: half a point more for each than they have won.
func TestTwo(t *testing.T) {
	for _, c := range []struct {
		pairing       Pairing
		points, games float64
	}{
		{Pairing{A: 1, B: 0, Singles: [3]int{0, 0, 100}}, 100, 100},
		{Pairing{A: 0, B: 1, Singles: [3]int{0, 0, 100}}, 0, 100},
		{Pairing{A: 1, B: 0, Pentanomial: [5]int{0, 0, 0, 0, 50}}, 100, 100},
		{Pairing{A: 1, B: 0, Pentanomial: [5]int{1, 2, 3, 4, 5}, Singles: [3]int{1, 2, 3}}, 24, 36},
		{Pairing{A: 1, B: 0, Singles: [3]int{0, 7, 0}}, 3.5, 7},
		{Pairing{A: 1, B: 0, Singles: [3]int{0, 0, 1_000_000}}, 1e6, 1e6},
	} {
		f := fitted(t, 2, 0, c.pairing)
		near(t, "the difference", f.Rating(1), elo(c.points+0.5, c.games+1), 0.01)
		near(t, "the anchor", f.Rating(0), 0, 0)
		low, high := f.AnchorInterval(1)
		if !(low < f.Rating(1) && f.Rating(1) < high) || math.IsInf(high-low, 0) {
			t.Errorf("%+v: rating %v lies in no finite interval %v to %v", c.pairing, f.Rating(1), low, high)
		}
	}
}

// What is won 100 : 0 is known better from below than from above.
func TestLopsided(t *testing.T) {
	f := fitted(t, 2, 0, Pairing{A: 1, B: 0, Pentanomial: [5]int{0, 0, 0, 0, 50}})
	low, high := f.AnchorInterval(1)
	if up, down := high-f.Rating(1), f.Rating(1)-low; !(up > 1.5*down) {
		t.Errorf("rating %.0f, interval %.0f to %.0f", f.Rating(1), low, high)
	}
}

// The order of pairings, and which of two agents is A, do not matter; the anchor only moves the zero.
func TestSymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := world{draws: 0.3, elo: spreadOut(rng, 7, 700)}
	pairings := uneven(20)(&w, rng)
	f := fitted(t, 7, 0, pairings...)
	turned := slices.Clone(pairings)
	slices.Reverse(turned)
	for i := range turned {
		p := &turned[i]
		p.A, p.B = p.B, p.A
		slices.Reverse(p.Pentanomial[:])
		slices.Reverse(p.Singles[:])
	}
	g := fitted(t, 7, 3, turned...)
	for i := range 7 {
		near(t, "a rating", g.Rating(i), f.Rating(i)-f.Rating(3), 1e-3)
		low, high := f.Interval(i)
		low2, high2 := g.Interval(i)
		near(t, "an interval's width", high2-low2, high-low, 0.1)
		near(t, "a deviation", g.Deviation(i), f.Deviation(i), 0.01)
		if !(low < f.Rating(i) && f.Rating(i) < high) {
			t.Errorf("rating %v is outside %v to %v", f.Rating(i), low, high)
		}
	}
}

// The ratings are at the top of the likelihood: each agent's points are those expected.
func TestLikeliest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	w := world{draws: 0.3, elo: spreadOut(rng, 9, 1500)}
	f := fitted(t, 9, 0, uneven(15)(&w, rng)...)
	excess, virtual := make([]float64, 9), 0.0
	for i := range f.links {
		l := &f.links[i]
		x := l.won - (l.won+l.lost)*expected(f.rating[l.a]-f.rating[l.b])
		excess[l.a] += x
		excess[l.b] -= x
		virtual += l.drawn
	}
	for _, x := range excess {
		near(t, "the excess of an agent's points", x, 0, 1e-4)
	}
	near(t, "the prior's games", virtual, 8, 1e-6)
}

// Where many independent games were played, the profile's interval, the curvature's and the binomial's are one.
func TestManyGames(t *testing.T) {
	const games, points = 40000, 25000
	f := fitted(t, 2, 0, Pairing{A: 1, B: 0, Pentanomial: [5]int{
		20000 * 9 / 64, 0, 2 * 20000 * 15 / 64, 0, 20000 * 25 / 64}}) // pairs of independent games won with 5/8
	p := float64(points) / games
	want := 2 * z * perUnit / math.Sqrt(games*p*(1-p))
	low, high := f.AnchorInterval(1)
	near(t, "the interval's width", high-low, want, want/200)
	low, high = f.Interval(1)
	near(t, "the place's interval", high-low, want/2, want/200) // two agents' middle lies between them
	near(t, "the deviation", f.Deviation(1), want/8*2/z, want/200)
}

// Pairs that end alike tell half as much, seats that decide more.
func TestScatter(t *testing.T) {
	width := func(pentanomial [5]int) float64 {
		low, high := fitted(t, 2, 0, Pairing{A: 1, B: 0, Pentanomial: pentanomial}).AnchorInterval(1)
		return high - low
	}
	independent := width([5]int{250, 0, 500, 0, 250})
	near(t, "the ratio of pairs that end alike", width([5]int{500, 0, 0, 0, 500})/independent, math.Sqrt2, 0.05)
	if ratio := width([5]int{25, 0, 950, 0, 25}) / independent; ratio > 0.5 {
		t.Errorf("the ratio where seats decide is %.2f", ratio)
	}
}

func TestUnconnected(t *testing.T) {
	one := Pairing{A: 0, B: 1, Singles: [3]int{1, 0, 1}}
	two := Pairing{A: 2, B: 3, Singles: [3]int{1, 0, 1}}
	none := Pairing{A: 1, B: 2}
	if _, err := New(4, 0, []Pairing{one, two, none}); !errors.Is(err, ErrUnconnected) {
		t.Errorf("error %v", err)
	}
	if got := Connected(4, 3, []Pairing{one, two, none}); !slices.Equal(got, []bool{false, false, true, true}) {
		t.Errorf("connected: %v", got)
	}
	if f := fitted(t, 1, 0); f.Rating(0) != 0 {
		t.Errorf("a pool of one is rated %v", f.Rating(0))
	}
}

// The median is of one agent, or of two: narrower nowhere, and of no width there.
func TestMedian(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, n := range []int{1, 2, 7, 8} {
		w := world{draws: 0.3, elo: spreadOut(rng, n, 700)}
		f := fitted(t, n, 0, everybody(20)(&w, rng)...)
		order := make([]float64, n)
		for i := range order {
			order[i] = f.Rating(i)
		}
		slices.Sort(order)
		width := func(i int) float64 {
			low, high := f.MedianInterval(i)
			return high - low
		}
		for i := range n {
			if got, want := width(i) == 0, n%2 == 1 && f.Rating(i) == order[n/2]; got != want {
				t.Errorf("%d agents: rating %.0f of %.0f, interval %.0f wide", n, f.Rating(i), order, width(i))
			}
		}
		if n == 2 {
			low, high := f.Interval(0)
			near(t, "two agents' interval", width(0), high-low, 1e-6)
		}
	}
}

// TestLeeway: intervals and leeway together hold what agents are rated where pairings depart from the ratings.
func TestLeeway(t *testing.T) {
	pools := 40
	if testing.Short() {
		pools = 15
	}
	var alone, together int
	for pool := range pools {
		rng := rand.New(rand.NewPCG(12, uint64(pool)))
		strength := spreadOut(rng, 10, 500)
		var pairings []Pairing
		for a := range strength {
			for _, b := range []int{(a + 1) % 10, (a + 2) % 10, (a + 4) % 10} {
				w := world{draws: 0.2, elo: slices.Clone(strength)}
				w.elo[a] += 60 * rng.NormFloat64()
				pairings = append(pairings, w.play(rng, a, b, 150))
			}
		}
		f := fitted(t, 10, 0, pairings...)
		truth := world{elo: strength}
		for i := range strength {
			low, high := f.Interval(i)
			off := math.Abs(truth.place(f, i, f.middle) - f.Rating(i))
			if off < (high-low)/2 {
				alone++
			}
			if off < math.Hypot((high-low)/2, f.Leeway(i)) {
				together++
			}
		}
	}
	share := func(n int) float64 { return 10 * float64(n) / float64(pools) }
	t.Logf("intervals hold in %.1f %%, with the leeway in %.1f %%", share(alone), share(together))
	if share(alone) > 85 || share(together) < 92 || share(together) > 98.5 {
		t.Errorf("intervals hold in %.1f %%, with the leeway in %.1f %%", share(alone), share(together))
	}
}

// TestMisfit: how far pairings depart from any ratings is found out, and that they do not is, too.
func TestMisfit(t *testing.T) {
	for _, departure := range []float64{0, 80} {
		sum := 0.0
		const pools = 20
		for pool := range pools {
			rng := rand.New(rand.NewPCG(11, uint64(pool)))
			strength := spreadOut(rng, 8, 400)
			var pairings []Pairing
			for a := range strength {
				for b := range a {
					w := world{draws: 0.2, elo: slices.Clone(strength)}
					w.elo[a] += departure * rng.NormFloat64()
					pairings = append(pairings, w.play(rng, a, b, 100))
				}
			}
			f := fitted(t, 8, 0, pairings...)
			sum += f.Misfit() * f.Misfit() / pools
		}
		near(t, "the misfit", math.Sqrt(sum), departure, 12)
	}
	if f := fitted(t, 2, 0, Pairing{A: 0, B: 1, Singles: [3]int{3, 0, 7}}); f.Misfit() != 0 {
		t.Errorf("two agents always fit, and not by %v", f.Misfit())
	}
}
