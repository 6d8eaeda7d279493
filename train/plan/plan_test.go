package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/train/learn"
	"ludus/train/rundir"
)

// TestPlan: a time plan fills its time, with games short enough to end often. It has enough generations, and none lasts
// longer than two minutes.
func TestPlan(t *testing.T) {
	for _, name := range games.Names() {
		game := games.Must(name)
		settings := rundir.DefaultSettings(game)
		for _, c := range []Cost{
			{position: 0.0005, step: 0.05, generation: 0.05}, {position: 0.002, step: 0.13, generation: 0.05},
			{position: 0.03, step: 1.5, generation: 0.05},
		} {
			for _, limit := range []time.Duration{5 * time.Minute, 10 * time.Hour, 24 * time.Hour, maxTime} {
				p, err := ForTime(limit.Seconds(), game, &settings, c)
				if err != nil {
					t.Fatal(err)
				}
				position := c.position + settings.SamplesPerPosition*(1-settings.ValidationShare)/float64(settings.BatchSize)*c.step
				generation := float64(p.ParallelGames*p.PliesPerGeneration)*position + c.generation
				seconds := float64(p.Generations) * generation
				if seconds > limit.Seconds() || seconds < limit.Seconds()*2/3 || p.ParallelGames < minParallel || p.Generations < 30 ||
					generation > maxGenerationSeconds ||
					p.Generations > targetGenerations*9/8 && generation < plannedGenerationSeconds/2 ||
					(Length{Generations: p.Generations}).Validate() != nil {
					t.Errorf("%s at %+v: plan %+v takes %.0f s of %v, a generation %.1f s", name, c, p, seconds, limit, generation)
				}
			}
		}
	}
}

// TestLongGenerations: settings that make a generation longer than two minutes are rejected; shorter ones are kept.
func TestLongGenerations(t *testing.T) {
	game, c := games.Must("quad-5x5"), Cost{position: 0.002, step: 0.13, generation: 0.05}
	for _, test := range []struct {
		games, plies int
		ok           bool
	}{{65536, 0, false}, {0, 1000, false}, {1000, 100, false}, {512, 16, true}, {0, 20, true}} {
		settings := rundir.DefaultSettings(game)
		settings.ParallelGames, settings.PliesPerGeneration = test.games, test.plies
		p, err := ForTime(3600, game, &settings, c)
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "at most 120 s") {
			t.Errorf("%d games, %d plies: plan %+v, error %v", test.games, test.plies, p, err)
		}
	}
}

// TestMeasureDue: a run is measured after every tenth of its plan, or somewhat more often if measured checkpoints are then
// kept, and at its end.
func TestMeasureDue(t *testing.T) {
	for generations, want := range map[int][]int{
		25:  {3, 6, 9, 12, 15, 18, 21, 24, 25},
		145: {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 145},
	} {
		config := &rundir.Config{Plan: rundir.Plan{Generations: generations}, Settings: rundir.Settings{KeepEvery: 10}}
		var due []int
		for g := 1; g <= generations; g++ {
			if MeasureDue(config, g) {
				due = append(due, g)
			}
		}
		if !slices.Equal(due, want) {
			t.Errorf("measured after generations %v, want %v", due, want)
		}
	}
}

// TestAdjust: a plan made for a machine half as fast becomes twice as long, and vice versa.
func TestAdjust(t *testing.T) {
	for _, seconds := range []float64{1, 4} {
		p := rundir.Plan{Seconds: 200, Generations: 90}
		settings := rundir.Settings{RatingShare: 0.05} // 2 % at the end, 3 % on the way
		adjust(&p, 10, []float64{seconds, seconds, seconds}, 10*seconds, &settings)
		end := 10*seconds + float64(p.Generations-10)*seconds
		if want := 10*seconds + (200*0.98-10*seconds)*0.97*safety; math.Abs(end-want) > seconds {
			t.Errorf("%v s a generation: %+v ends after %v s, want %v", seconds, p, end, want)
		}
	}
	// Generations that turn out too long get shorter, unless the settings fix their plies.
	for fixed, want := range map[int]int{0: 3, 8: 8} {
		p := rundir.Plan{Seconds: 86400, Generations: 900, PliesPerGeneration: 8}
		adjust(&p, 150, []float64{240, 240, 240}, 36000, &rundir.Settings{PliesPerGeneration: fixed})
		if p.PliesPerGeneration != want {
			t.Errorf("plan %+v, want %d plies", p, want)
		}
	}
}

// TestCPUPlanEnds: runs of equal CPU time end within 1 % of it, though generations get slower or faster by a fifth at any
// time and vary by a tenth.
func TestCPUPlanEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := rundir.Plan{Seconds: 480, CPU: true, Generations: 150 + rng.IntN(200), PliesPerGeneration: 8}
		turn, speed := rng.Float64(), 0.8+0.4*rng.Float64()
		spent, decayed := 0.0, 0
		var recent []float64
		for g := 1; g <= p.Generations; g++ {
			seconds := 1.9 + 0.2*rng.Float64()
			if spent > turn*p.Seconds {
				seconds *= speed
			}
			spent, recent = spent+seconds, append(recent, seconds)
			if adjustmentDue(&p, g+1, spent, len(recent)) {
				adjust(&p, g, recent, spent, &rundir.Settings{})
			}
			decayed = g
			if spent+seconds > p.Seconds { // as replan stops
				break
			}
		}
		if off := spent/p.Seconds - 1; off < -0.01 || off > 0 || float64(decayed) < 0.98*float64(p.Generations) {
			t.Errorf("slower by %.2f at %.2f: %.1f %% off, %d generations of %d", speed, turn, 100*off, decayed, p.Generations)
		}
	}
}

// TestSlowMachine: a run whose machine becomes slow or fast at any time ends within its time, near the end of its learning
// rate schedule. Its learning rate never rises.
func TestSlowMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	settings := rundir.Settings{RatingShare: 0.05}
	for range 300 {
		now := time.Unix(0, 0)
		c := &Clock{now: func() time.Time { return now }, started: now}
		c.Begin(0)
		p := rundir.Plan{Seconds: 24, Generations: 215, PliesPerGeneration: 8, ParallelGames: 16}
		turn, speed := 0.1+0.8*rng.Float64(), math.Exp2(3*rng.Float64()-1) // half the time or up to four times
		generation := 0
		for generation < p.Last() {
			seconds := 0.095 + 0.01*rng.Float64()
			if c.Elapsed().Seconds() > turn*p.Seconds {
				seconds *= speed
			}
			now = now.Add(time.Duration(seconds * float64(time.Second)))
			generation++
			c.AddGeneration(seconds)
			before, last := Share(&p, generation), LastBeforeDecay(&p)
			c.Adjust(&p, &settings, generation)
			if next := Share(&p, generation+1); before > learn.ConstantShare && (next <= before || LastBeforeDecay(&p) != last) {
				t.Fatalf("slower by %.2f at %.2f: the schedule goes from %.3f to %.3f after generation %d: %+v", speed, turn, before, next, generation, p)
			}
			if c.NextOver(&p, &settings, generation) {
				p.Stopped = generation
			}
		}
		spent, share := c.Elapsed().Seconds(), Share(&p, generation+1)
		if spent > p.Seconds || spent < 0.9*p.Seconds || share < 0.93 {
			t.Errorf("slower by %.2f at %.2f: %.1f s of %v, %d generations of %d", speed, turn, spent, p.Seconds, generation, p.Generations)
		}
	}
}

// TestChangeBackBeforeDecay: the learning rate of a run that goes back to a generation before its decay, and whose length
// changes again, decays by the end of the new length.
func TestChangeBackBeforeDecay(t *testing.T) {
	settings := &rundir.Settings{}
	p := Change(rundir.Plan{Generations: 100}, Length{Generations: 120}, settings, Done{Generation: 80})
	p = Change(p, Length{Generations: 70}, settings, Done{Generation: 45})
	if first, last := Share(&p, 46), Share(&p, 71); first != 45./70 || last != 1 {
		t.Errorf("share %.3f when it changes, %.3f at the end: %+v", first, last, p)
	}
}

// TestChangeInDecay: another length during the decay of the learning rate does not let it rise, and keeps the last
// generation before the decay. The share still rises from 0 over the generations that are done.
func TestChangeInDecay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := rundir.Plan{Generations: 10 + rng.IntN(100)}
		last, share := LastBeforeDecay(&p), 0.0
		for g := 1; g <= p.Generations; g++ {
			if g > last+1 && rng.IntN(5) == 0 {
				p = Change(p, Length{Generations: g + rng.IntN(50)}, &rundir.Settings{}, Done{Generation: g - 1})
			}
			if next := Share(&p, g); next < share || next > 1 || LastBeforeDecay(&p) != last {
				t.Fatalf("generation %d after the decay began at %d: share %.3f, then %.3f: %+v", g, last, share, next, p)
			}
			share = Share(&p, g)
			for done := 1; done < g; done++ {
				if s, next := Share(&p, done), Share(&p, done+1); s >= next || (s > 0) != (done > 1) {
					t.Fatalf("share %.3f at generation %d, %.3f at the next: %+v", s, done, next, p)
				}
			}
		}
	}
}
