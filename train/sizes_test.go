package train

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/learn"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// tinySizes is a tiny run of two sizes.
func tinySizes(t testing.TB, dir string, generations int) Options {
	o := tiny(t, dir, generations)
	o.Game = games.Must("quad(size=5,quads=4,whites=1)")
	sizes, err := rundir.SizesOf(4, 5)
	if err != nil {
		t.Fatal(err)
	}
	o.Settings["sizes"] = float64(sizes)
	return o
}

// metricsOf returns the lines of metrics.
func metricsOf(t *testing.T, dir string) []rundir.Metrics {
	t.Helper()
	lines, _, err := rundir.MetricsFile.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestSizes: a run of two sizes plays and learns both, begins with the small one, and gives the same bytes with any
// number of threads and if it stops after each generation, with games in progress of both sizes.
func TestSizes(t *testing.T) {
	const generations = 16
	o := tinySizes(t, t.TempDir(), generations)
	o.Threads = 1
	mustTrain(t, o)
	three := o
	three.Dir, three.Threads = t.TempDir(), 3
	for g := 1; g < generations; g++ {
		stopAfter(t, three, g)
	}
	mustTrain(t, three)
	sameRun(t, o.Dir, three.Dir, generations)
	sameMetrics(t, o.Dir, three.Dir, generations)

	small := games.Must("quad(size=4,quads=4,whites=1)")
	lines, work, count := metricsOf(t, o.Dir), map[int]int{}, countersOf(t, o.Dir)
	for _, m := range lines {
		cells := m.Size * m.Size
		work[m.Size] += m.Positions * cells
		if want := 12 * 3 * 25; m.Positions*cells < want*9/10 || m.Positions*cells > want*11/10 {
			t.Errorf("generation %d on %dx%[2]d: %d positions", m.Generation, m.Size, m.Positions)
		}
		records, _, err := record.Read(o.Game, o.Dir, m.Generation)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if r.Game.Tensor.W != m.Size {
				t.Errorf("generation %d on %dx%[2]d holds a game of %s", m.Generation, m.Size, r.Game.Name)
			}
		}
	}
	if lines[0].Size != 4 || lines[generations-1].Size != 5 || len(work) != 2 || work[4] < 3*900 || work[5] < 6*900 {
		t.Errorf("sizes from %d to %d, work %v", lines[0].Size, lines[generations-1].Size, work)
	}
	behind, one := []float64{count.Sizes[0].Behind, count.Sizes[1].Behind}, 12*3*25.0
	if math.Abs(behind[0]+behind[1]) > 1e-6 || math.Abs(behind[0]) > 1.1*one || behind[0] == 0 {
		t.Errorf("the sizes are behind by %v; a generation is %v", behind, one)
	}
	// In the second half the small size gets a quarter of the work.
	late := [2]int{}
	for _, m := range lines[generations/2+1:] {
		late[m.Size-4] += m.Positions * m.Size * m.Size
	}
	if total := float64(late[0] + late[1]); math.Abs(float64(late[0])-total/4) > 2*one {
		t.Errorf("work %v in the second half", late)
	}
	if len(count.Sizes) != 2 || count.Sizes[0].Games+count.Sizes[1].Games != count.Games ||
		count.Sizes[0].Plies+count.Sizes[1].Plies != count.Plies {
		t.Errorf("counters %+v", count)
	}
	// The samples per position are as set, on both boards together, in the cost of steps.
	weight := count.Sizes[0].Sets.Weight*16 + count.Sizes[1].Sets.Weight*25
	if most := weight * 8 / 16 / 16; float64(count.Steps) > most || float64(count.Steps) < most/2 {
		t.Errorf("%d steps; if all were small, %v would be due", count.Steps, most)
	}
	weights, _, err := rundir.LoadWeights(agent.Reference{Path: o.Dir})
	if err != nil || !weights.Config.Pooled || weights.Config.Game != o.Game.Name {
		t.Fatalf("weights %+v, error %v", weights.Config, err)
	}
	if resized, err := weights.Resize(o.Game, small); err != nil || resized.Validate(small) != nil {
		t.Errorf("they do not play the small board: %v", err)
	}
	config, err := os.ReadFile(filepath.Join(o.Dir, rundir.ConfigFile))
	if err != nil || !strings.Contains(string(config), `"sizes": [`) {
		t.Errorf("config %s, error %v", config, err)
	}
}

// TestSeedsOfSizes: the games of each size have their own random generators, and those of the run's board are the same
// as in a run of one size.
func TestSeedsOfSizes(t *testing.T) {
	var sizes []*env.Game
	for _, name := range []string{"quad(size=4,quads=4,whites=1)", "quad(size=5,quads=4,whites=1)", "quad(size=6,quads=4,whites=1)"} {
		sizes = append(sizes, games.Must(name))
	}
	own := sizes[2]
	config := rundir.NewConfig(own.Name, 7, rundir.DefaultSettings(own))
	config.Plan.ParallelGames = 2
	r := &run{
		state:   &state{Options: Options{Game: own, Threads: 1}, config: config, games: sizes},
		players: make([]*selfplay.Player, len(sizes)),
	}
	seen := map[string]bool{}
	for _, game := range sizes {
		seen[string(r.player(game).MarshalGames())] = true // generators, and games without moves
	}
	if len(seen) != len(sizes) {
		t.Error("games of two sizes have the same random generators")
	}
	if !seen[string(selfplay.NewPlayer(own, &config.Settings, 7, 2, 1).MarshalGames())] {
		t.Error("the games of the run's board have other generators than in a run of one size")
	}
}

// TestOwnSize: a run of the game's own size alone is the same however that is said, and its config does not name it.
func TestOwnSize(t *testing.T) {
	a, b := trained(t, 2), tiny(t, t.TempDir(), 2)
	sizes, err := rundir.SizesOf(4)
	if err != nil {
		t.Fatal(err)
	}
	b.Settings["sizes"] = float64(sizes)
	mustTrain(t, b)
	sameRun(t, a, b.Dir, 2)
	mustTrain(t, b) // the same settings again
	config, err := os.ReadFile(filepath.Join(b.Dir, rundir.ConfigFile))
	if err != nil || strings.Contains(string(config), "sizes") || metricsOf(t, b.Dir)[0].Size != 0 {
		t.Errorf("config %s, error %v", config, err)
	}
}

// TestSizesRefused: sizes that a run cannot have are errors and leave no run behind.
func TestSizesRefused(t *testing.T) {
	for name, says := range map[string]string{"4,7": "the last must be 5", "3,5": "size=3 is not allowed", "5,6": "the last must be 5"} {
		o := tinySizes(t, filepath.Join(t.TempDir(), "run"), 2)
		_, value, err := rundir.ParseSetting("sizes=" + name)
		if err != nil {
			t.Fatal(err)
		}
		o.Settings["sizes"] = value
		if _, err := Train(t.Context(), o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("sizes %s: error %v, want %q", name, err, says)
		}
		if _, err := os.Stat(o.Dir); err == nil {
			t.Errorf("sizes %s leave a folder behind", name)
		}
	}
	o := tinySizes(t, t.TempDir(), 1)
	mustTrain(t, o)
	delete(o.Settings, "sizes")
	mustTrain(t, o) // the run's own
	o.Settings["sizes"] = 0
	if _, err := Train(t.Context(), o); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "sizes=own (the run has 4,5)") {
		t.Errorf("other sizes than the run's: %v", err)
	}
	from := tiny(t, t.TempDir(), 1) // its network has weights per cell
	from.Game = o.Game
	mustTrain(t, from)
	o.Dir, o.From, o.Settings = filepath.Join(t.TempDir(), "run"), from.Dir, tinySizes(t, "", 1).Settings
	if _, err := Train(t.Context(), o); !errors.Is(err, ErrNetworkSize) || !strings.Contains(err.Error(), "leave out sizes=4,5") {
		t.Errorf("from a network with weights per cell: %v", err)
	}
}

// TestSizesWithWorkers: the games of workers count whatever their size; those of a board that the run does not train
// are rejected.
func TestSizesWithWorkers(t *testing.T) {
	o := tinySizes(t, t.TempDir(), 6)
	o.LearnOnly = true
	w := &fakeWorkers{}
	rng := rand.New(rand.NewPCG(1, 1))
	var messages [][]byte
	o.Workers = func(_ context.Context, id string) (Workers, error) {
		for number := 0; len(messages) < 200; number++ {
			name := "quad(size=4,quads=4,whites=1)"
			if len(messages)%3 == 0 {
				name = o.Game.Name
			}
			b := recordtest.Message(games.Must(name), rng, 1)
			b.Run, b.First = id, number
			messages = append(messages, b.Marshal())
		}
		foreign := recordtest.Message(games.Must("quad(size=6,quads=4,whites=1)"), rng, 1)
		foreign.Run, foreign.Process = id, "foreign"
		w.deliveries = make(chan *record.Delivery, len(messages)+1)
		w.deliveries <- &record.Delivery{Sender: "b", Data: foreign.Marshal(), Acknowledge: func() {}}
		for _, data := range messages { // all, also when the run goes on
			w.deliveries <- &record.Delivery{Sender: "a", Data: data, Acknowledge: func() {}}
		}
		return w, nil
	}
	stopAfter(t, o, 3)
	mustTrain(t, o)
	count, games := countersOf(t, o.Dir), map[string]int{}
	for g := 1; g <= 6; g++ {
		records, _, err := record.Read(o.Game, o.Dir, g)
		if err != nil {
			t.Fatal(err)
		}
		plies := map[int]int{} // by size
		number := map[int]int{}
		for _, r := range records {
			games[r.Game.Name]++
			plies[r.Game.Tensor.W] += r.Length()
			number[r.Game.Tensor.W]++
		}
		m := metricsOf(t, o.Dir)[g-1]
		if n := number[m.Size]; n > 0 && math.Abs(m.MeanPlies-float64(plies[m.Size])/float64(n)) > 1e-9 {
			t.Errorf("generation %d on %dx%[2]d: mean length %v of %v plies in %v games", g, m.Size, m.MeanPlies, plies, number)
		}
	}
	if games[o.Game.Name] != count.Sizes[1].Games || len(games) != 2 || count.Sizes[0].Games < count.Sizes[1].Games {
		t.Errorf("games %v, counters %+v", games, count.Sizes)
	}
	if m := metricsOf(t, o.Dir); !slices.ContainsFunc(m, func(m rundir.Metrics) bool { return m.Size == 5 }) {
		t.Error("no generation plays the large board, though most games are small")
	}
	if w.newest == nil || w.newest.Weights.Config.Game != w.newest.Game.Name {
		t.Errorf("the newest assignment is %+v", w.newest)
	}
}

// TestSpeed: the speed of self-play counts in positions of the target's board.
func TestSpeed(t *testing.T) {
	small, large := games.Must("quad(size=4,quads=4,whites=1)"), games.Must("quad(size=5,quads=4,whites=1)")
	s := &state{Options: Options{Game: large}, clock: plan.Start()}
	for game, want := range map[*env.Game]float64{small: 320, large: 500} {
		s.setSpeed(game, 1000, 2)
		if s.clock.Speed != want {
			t.Errorf("%v positions/s on %s, want %v", s.clock.Speed, game.Name, want)
		}
	}
}

// TestOldCheckpoint: a checkpoint of before there were sizes has their counters in its totals.
func TestOldCheckpoint(t *testing.T) {
	var c counters
	text := `{"games": 7, "plies": 70, "sets": {"training": 50, "validation": 9, "weight": 49.5}}`
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	sizes := c.bySize()
	if len(sizes) != 1 || sizes[0].Games != 7 || sizes[0].Plies != 70 || sizes[0].Sets != c.Sets || c.Sets.Weight != 49.5 {
		t.Errorf("%+v", sizes)
	}
}

// TestTakeSteps: one size takes exactly the steps that are due; several share their cost by their weights, if ready.
func TestTakeSteps(t *testing.T) {
	small, large := games.Must("quad(size=4,quads=4,whites=1)"), games.Must("quad(size=5,quads=4,whites=1)")
	for _, c := range []struct {
		games      []*env.Game
		generation int // done, of 10
		large      int // positions of the last size added to its training set
		owed       int
		want       []int
	}{
		{[]*env.Game{large}, 0, 320, 0, []int{320 * 8 / 16}},
		{[]*env.Game{large}, 9, 320, 7, []int{320*8/16 + 7}},
		{[]*env.Game{large}, 9, 1, 0, nil},                     // not ready
		{[]*env.Game{small, large}, 9, 320, 0, []int{62, 120}}, // 160 steps of 25 cells: a quarter of that on 16 cells
		{[]*env.Game{small, large}, 0, 320, 0, []int{250, 0}},
		{[]*env.Game{small, large}, 9, 0, 50, []int{50, 0}}, // only the small one is ready
		{[]*env.Game{small, large}, 9, 10, 0, []int{7, 0}},  // and takes the whole cost, of 5 steps of 25 cells
	} {
		settings := rundir.DefaultSettings(large)
		settings.BatchSize, settings.ValidationShare = 16, 0
		learner, err := learn.New(c.games, &settings, 1, infer.NewWeights(large, infer.Config{
			Game: large.Name, Channels: 4, Blocks: 1, Pooled: true}, rand.New(rand.NewPCG(1, 1))), 1)
		if err != nil {
			t.Fatal(err)
		}
		config := rundir.NewConfig(large.Name, 1, settings)
		config.Plan.Generations = 10
		r := &run{state: &state{Options: Options{Game: large}, config: config, games: c.games}, learner: learner}
		r.count.Generation = c.generation
		sizes := make([]sizeCounters, len(c.games))
		before := setsOf(sizes)
		rng := rand.New(rand.NewPCG(2, 2))
		fill := func(i, positions int) {
			for n := 0; n < positions; {
				games := []*record.Record{recordtest.Random(c.games[i], rng)}
				for at, sets := range learner.Add(games, 0, setsOf(sizes), 1) {
					sizes[at].Sets = sets
				}
				n += record.Count(games)
			}
		}
		if len(c.games) > 1 {
			fill(0, 100)
			before = setsOf(sizes)
		}
		fill(len(c.games)-1, c.large)
		sizes[len(sizes)-1].Sets.Weight = float64(c.large)
		again := slices.Clone(sizes)
		steps := r.takeSteps(sizes, before, c.owed)
		if !slices.Equal(steps, c.want) {
			t.Errorf("%+v: %v steps", c, steps)
		}
		for _, s := range sizes {
			if s.Due < 0 || s.Due >= 1 || len(sizes) == 1 && s.Due != 0 {
				t.Errorf("%+v: %v steps are due", c, s.Due)
			}
		}
		// What is left of a step counts in the next generation.
		if len(sizes) > 1 && steps != nil {
			for i := range again {
				again[i].Due = 0.875
			}
			more := r.takeSteps(again, before, c.owed)
			for i := range more {
				total, due := float64(more[i])+again[i].Due, float64(steps[i])+sizes[i].Due+0.875
				if math.Abs(total-due) > 1e-9 || again[i].Due >= 1 {
					t.Errorf("%+v: %v of %v steps taken", c, more, due)
				}
			}
		}
	}
}
