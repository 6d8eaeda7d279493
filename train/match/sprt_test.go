package match

import (
	"math"
	"math/rand/v2"
	"testing"
)

// halves samples a game's result in half points, with the expected score and share of draws (fewer if score allows no more).
func halves(rng *rand.Rand, score, draws float64) int {
	draws = min(draws, 2*min(score, 1-score))
	switch x, win := rng.Float64(), score-draws/2; {
	case x < win:
		return 2
	case x < win+draws:
		return 1
	}
	return 0
}

// If one hypothesis holds, no more tests decide for the other than promised: for independent games, games decided by
// their opening or seat, and single games.
func TestSPRTErrorRates(t *testing.T) {
	tests := 1500
	if testing.Short() {
		tests = 200
	}
	most := 0.05 + 3*math.Sqrt(0.05*0.95/float64(tests))
	for _, c := range []struct {
		name string
		draw func(rng *rand.Rand, score float64) int
	}{
		{"independent games", func(rng *rand.Rand, s float64) int { return halves(rng, s, 0) + halves(rng, s, 0) }},
		{"many draws", func(rng *rand.Rand, s float64) int { return halves(rng, s, 0.5) + halves(rng, s, 0.5) }},
		{"the opening decides", func(rng *rand.Rand, s float64) int { return 2 * halves(rng, s, 0.3) }},
		{"the seat mostly decides", func(rng *rand.Rand, s float64) int {
			if rng.IntN(2) == 0 {
				return 2
			}
			return 2 * halves(rng, 0.5+2*(s-0.5), 0)
		}},
	} {
		for _, test := range []SPRT{{0, 50}, {-60, -10}, {-40, 40}} {
			for h, want := range []string{AcceptH0, AcceptH1} {
				score := scoreOf([]float64{test.Elo0, test.Elo1}[h])
				wrong, drawn := 0, 0
				for i := range tests {
					rng := rand.New(rand.NewPCG(uint64(i), uint64(h)))
					counts, decision := make([]int, 5), Undecided
					for ; decision == Undecided; drawn++ {
						counts[c.draw(rng, score)]++
						decision = test.test(counts).Decision
					}
					if decision != want {
						wrong++
					}
				}
				rate := float64(wrong) / float64(tests)
				t.Logf("%-24s %4g to %-4g %s holds: wrong %.3f, %d counted", c.name, test.Elo0, test.Elo1, want, rate, drawn/tests)
				if rate > most {
					t.Errorf("%s, %g to %g: where %s holds, %.3f of the tests say otherwise; at most %.3f is chance", c.name,
						test.Elo0, test.Elo1, want, rate, most)
				}
			}
		}
	}
}

// Without draws the ratio has a closed form. For close hypotheses it is that of the normal distribution.
func TestLogRatio(t *testing.T) {
	for _, c := range [][2]int{{10, 10}, {3, 50}, {400, 380}, {1, 1}} {
		s0, s1 := 0.4, 0.55
		want := float64(c[0])*math.Log((1-s1)/(1-s0)) + float64(c[1])*math.Log(s1/s0)
		if got := logRatio(c[:], s0, s1); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d losses, %d wins: %v; want %v", c[0], c[1], got, want)
		}
	}
	counts, n, mean, square := []int{40, 210, 510, 260, 60}, 0.0, 0.0, 0.0
	for i, c := range counts {
		a := float64(i) / 4
		n, mean, square = n+float64(c), mean+a*float64(c), square+a*a*float64(c)
	}
	mean, square = mean/n, square/n
	s0, s1 := scoreOf(3), scoreOf(6)
	want := n * (s1 - s0) * (2*mean - s0 - s1) / (square - mean*mean) / 2
	if got := logRatio(counts, s0, s1); math.Abs(got-want) > 0.01*math.Abs(want) {
		t.Errorf("close hypotheses: %v; the normal distribution has %v", got, want)
	}
	for _, counts := range [][]int{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {100000, 0, 0, 0, 0}, {0, 0, 7, 0, 0}, {0, 1000000, 0}} {
		if got := logRatio(counts, scoreOf(-1000), scoreOf(1000)); math.IsNaN(got) || math.IsInf(got, 0) {
			t.Errorf("%v: %v", counts, got)
		}
	}
}

func TestTilt(t *testing.T) {
	for _, s := range []float64{0.01, 0.3, 0.5, 0.97} {
		shares := []float64{0.1, 0.2, 0.4, 0.25, 0.05}
		x := tilt(shares, s)
		sum, mean := 0.0, 0.0
		for i, p := range shares {
			a := float64(i) / 4
			q := p / (1 + x*(a-s))
			sum, mean = sum+q, mean+a*q
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(mean-s) > 1e-9 {
			t.Errorf("mean %v: the distribution adds up to %v and has mean %v", s, sum, mean)
		}
	}
}

// The test ends a match after the same pair on any number of threads, and counts the games up to there.
func TestSPRTEndsMatch(t *testing.T) {
	game := quad(t)
	for _, c := range []struct {
		a, b, decision string
	}{{"greedy", "random", AcceptH1}, {"random", "greedy", AcceptH0}, {"random", "random", Undecided}} {
		var want Result
		for _, threads := range []int{1, 2, 7} {
			m := Config{
				Game: game, A: parse(t, game, c.a), B: parse(t, game, c.b), Games: 151, Seed: 3, OpeningPlies: 2,
				Threads: threads, Balance: checkerOf(game), SPRT: &SPRT{Elo0: -20, Elo1: 20},
			}
			got := mustRun(t, m)
			if got.SPRT.Decision != c.decision || (got.Games < m.Games) != (c.decision != Undecided) {
				t.Errorf("%s against %s, %d threads: %+v", c.a, c.b, threads, got)
			}
			if threads == 1 {
				want = got
			}
			if got != want {
				t.Errorf("%s against %s, %d threads: %+v; one thread: %+v", c.a, c.b, threads, got, want)
			}
		}
	}
}

func TestSPRTValidate(t *testing.T) {
	for _, s := range []SPRT{{0, 0}, {10, 0}, {-2000, 0}, {0, 2000}, {math.NaN(), 1}, {0, math.NaN()}} {
		if s.Validate() == nil {
			t.Errorf("%v is taken", s)
		}
	}
	if err := (&SPRT{-5, 5}).Validate(); err != nil {
		t.Error(err)
	}
}
