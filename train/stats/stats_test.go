package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// interval is the interval of independent scores.
func interval(scores ...float64) (low, high float64) {
	var clusters []Cluster
	for _, s := range scores {
		clusters = append(clusters, Cluster{1, s})
	}
	e := Mean(clusters)
	return e.Low, e.High
}

// Pairs are drawn with known probabilities; the interval must contain the true mean in about 95 % of matches.
func TestPairs(t *testing.T) {
	const matches = 4000
	rng := rand.New(rand.NewPCG(5, 6))
	independent := func(win, draw float64) func() float64 {
		game := func() float64 {
			switch x := rng.Float64(); {
			case x < win:
				return 1
			case x < win+draw:
				return 0.5
			}
			return 0
		}
		return func() float64 { return (game() + game()) / 2 }
	}
	for _, c := range []struct {
		name  string
		mean  float64
		pairs int
		draw  func() float64
	}{
		{"equal agents", 0.5, 50, independent(0.5, 0)},
		{"many draws", 0.5, 50, independent(0.2, 0.6)},
		{"better agent", 0.8, 50, independent(0.8, 0)},
		{"much better agent", 0.95, 100, independent(0.95, 0)},
		{"nearly always", 0.99, 100, independent(0.99, 0)},
		{"always", 1, 20, independent(1, 0)},
		{"the opening decides both games", 0.7, 50, func() float64 { return math.Floor(rng.Float64() + 0.7) }},
		{"the first player mostly wins", 0.5, 50, func() float64 { // pairs are split, with few exceptions
			switch x := rng.Float64(); {
			case x < 0.1:
				return 0
			case x < 0.2:
				return 1
			}
			return 0.5
		}},
		{"few pairs", 0.6, 8, independent(0.6, 0)},
	} {
		held := 0
		for range matches {
			scores := make([]float64, c.pairs)
			sum := 0.0
			for i := range scores {
				scores[i] = c.draw()
				sum += scores[i]
			}
			low, high := interval(scores...)
			mean := sum / float64(c.pairs)
			if !(0 <= low && low <= mean && mean <= high && high <= 1) || math.IsNaN(low+high) {
				t.Fatalf("%s: interval %v to %v around %v", c.name, low, high, mean)
			}
			if low <= c.mean && c.mean <= high {
				held++
			}
		}
		share := float64(held) / matches
		t.Logf("%-32s %.3f", c.name, share)
		if share < 0.93 {
			t.Errorf("%s: the interval holds the mean in %.3f of matches", c.name, share)
		}
	}
	if low, high := interval(); low != 0 || high != 1 {
		t.Errorf("without games the interval is %v to %v", low, high)
	}
	if low, _ := interval(1, 1, 1, 1, 1, 1, 1, 1, 1, 1); low < 0.6 || low > 0.85 {
		t.Errorf("ten won pairs give at least %v", low)
	}
}

// The interval contains the true mean in about 95 % of cases, even if the positions of a game are similar.
func TestClusters(t *testing.T) {
	const trials = 2000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		games      int
		rate, like float64 // probability of an error, and that a second position of a game is as the first
	}{{400, 0.3, 0}, {400, 0.3, 0.9}, {400, 0.05, 0.9}, {1500, 0.01, 0.5}, {60, 0.5, 1}} {
		covered := 0
		for range trials {
			clusters := make([]Cluster, c.games)
			for i := range clusters {
				first := 0.0
				if rng.Float64() < c.rate {
					first = 1
				}
				clusters[i] = Cluster{1, first}
				if rng.IntN(2) == 0 {
					continue
				}
				second := first
				if rng.Float64() >= c.like {
					if second = 0; rng.Float64() < c.rate {
						second = 1
					}
				}
				clusters[i] = Cluster{2, first + second}
			}
			e := Mean(clusters)
			if e.Low > e.Value || e.High < e.Value {
				t.Fatalf("%+v does not hold its mean", e)
			}
			if e.Low <= c.rate && c.rate <= e.High {
				covered++
			}
		}
		if share := float64(covered) / trials; share < 0.93 || share > 0.975 {
			t.Errorf("%+v: %.1f %% of the intervals hold the truth", c, 100*share)
		}
	}
	if e := Mean(nil); e != (Estimate{0, 0, 1}) {
		t.Errorf("nothing gives %+v", e)
	}
}

// Halves are rounded away from 0, as on pages; numbers that only look like halves are not.
func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{31.25, 1, "31.3"}, {3.125, 2, "3.13"}, {1182.5, 0, "1183"}, {1183.5, 0, "1184"}, {-0.5, 0, "-1"}, {1.45, 1, "1.4"}, {1.005, 2, "1.00"},
		{8.345, 2, "8.35"}, {0, 1, "0.0"}, {99.95, 1, "100.0"}, {2.25, 1, "2.3"},
	} {
		if got := Decimal(c.x, c.digits); got != c.want {
			t.Errorf("%v with %d digits: %s, want %s", c.x, c.digits, got, c.want)
		}
	}
	if got := (Estimate{0.3125, 0.1, 0.5625}).Percent(); got != "31.3 % (10.0 to 56.3)" {
		t.Error(got)
	}
}
