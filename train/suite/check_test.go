package suite

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

func check(t *testing.T, s *Suite, agent string, o CheckOptions) Report {
	t.Helper()
	r, err := s.Check(context.Background(), mustSpec(t, s.Game, agent), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Seconds = 0
	return r
}

// A perfect agent loses nothing, and a random one what is foretold of it.
func TestCheck(t *testing.T) {
	s := mustMake(t, options(t, small[0], 200))
	perfect := check(t, s, "alphabeta:50", CheckOptions{Threads: 2})
	if perfect.Error.Value != 0 || perfect.Loss.Value != 0 || perfect.Error.High > 0.05 {
		t.Errorf("a perfect agent: %+v", perfect.Row)
	}
	random := check(t, s, "random", CheckOptions{Threads: 2})
	if e := random.Error; e.Low > random.Random || e.High < random.Random || e.Low < e.Value/2 {
		t.Errorf("a random agent errs %+v, foretold %v", e, random.Random)
	}
	if l := random.Loss; l.Low > random.RandomLoss || l.High < random.RandomLoss {
		t.Errorf("a random agent loses %+v, foretold %v", l, random.RandomLoss)
	}
	for _, rows := range [][]Row{random.ToGo, random.Keeping, random.UCT, random.Source} {
		n, errors := 0, 0.0
		for _, row := range rows {
			n += row.Positions
			errors += row.Error.Value * float64(row.Positions)
		}
		if n != random.Positions || math.Abs(errors-random.Error.Value*float64(n)) > 1e-6 {
			t.Errorf("rows %+v do not add up", rows)
		}
	}
}

func TestCheckIsDeterministic(t *testing.T) {
	s := mustMake(t, options(t, small[3], 80))
	want := check(t, s, "mcts:20", CheckOptions{Threads: 1, Positions: 70})
	last := 0
	got := check(t, s, "mcts:20", CheckOptions{Threads: 4, Positions: 70, Progress: func(done, all int) {
		if done <= last || all != 70 {
			t.Errorf("progress %d of %d after %d", done, all, last)
		}
		last = done
	}})
	if last != 70 || got.Positions != 70 {
		t.Errorf("%d of %d positions", last, got.Positions)
	}
	if got.Row != want.Row {
		t.Errorf("four threads: %+v, one: %+v", got.Row, want.Row)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Check(ctx, mustSpec(t, s.Game, "mcts:20"), CheckOptions{Threads: 2}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// The interval holds the truth in about 95 % of cases, also where the positions of a game are alike.
func TestEstimateCovers(t *testing.T) {
	const trials = 2000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		games      int
		rate, like float64 // probability of an error, and that a second position of a game is as the first
	}{{400, 0.3, 0}, {400, 0.3, 0.9}, {400, 0.05, 0.9}, {1500, 0.01, 0.5}, {60, 0.5, 1}} {
		covered := 0
		for range trials {
			clusters := make([]cluster, c.games)
			for i := range clusters {
				first := 0.0
				if rng.Float64() < c.rate {
					first = 1
				}
				clusters[i] = cluster{1, first}
				if rng.IntN(2) == 0 {
					continue
				}
				second := first
				if rng.Float64() >= c.like {
					if second = 0; rng.Float64() < c.rate {
						second = 1
					}
				}
				clusters[i] = cluster{2, first + second}
			}
			e := estimate(clusters)
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
	if e := estimate(nil); e != (Estimate{0, 0, 1}) {
		t.Errorf("nothing gives %+v", e)
	}
}
