package doctor

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints"
	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/rundir"
)

func newGame(t *testing.T, name string) *env.Game {
	t.Helper()
	game, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// healthy returns a run of breakthrough-6x6 that learns: uniform play has a loss of 2.5, the least is 0.5.
func healthy(t *testing.T) *Run {
	game := newGame(t, "breakthrough-6x6")
	r := &Run{
		Game: game, Config: rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game)), Parameters: 100_000,
		First: Policy{Count: 1000, Share: 1, Uniform: 2.5, Target: 1},
		Games: Games{Count: 256, Duplicates: 0.05},
		Newest: Accuracy{
			Policy: Policy{Count: 1000, Share: 1, Uniform: 2.5, Target: 0.5, Loss: 1, Swapped: 4, Entropy: 1},
			Value:  Value{Count: 400, Games: 100, Spread: 0.3, Correlation: 0.9},
			Search: Search{Count: 100, Targets: 0.05, Network: 0.2, Uniform: 0.4},
		},
	}
	for g := 1; g <= 20; g++ {
		r.Metrics = append(r.Metrics, rundir.Metrics{
			Generation: g, Games: 200, TotalGames: 200 * g, Positions: 1600, ReplayPositions: 1600 * g, Steps: 50 * g,
			LearningRate: 3e-3, PolicyLoss: 0.9, OutcomeLoss: 0.3, ValidationPolicyLoss: 1, ValidationOutcomeLoss: 0.35,
		})
	}
	return r
}

// learnedNothing changes a run to one whose network plays almost uniformly.
func learnedNothing(r *Run) {
	r.Newest.Policy.Loss, r.Newest.Policy.Entropy = 2.2, 2.45
	for i := range r.Metrics {
		r.Metrics[i].PolicyLoss, r.Metrics[i].ValidationPolicyLoss = 2.2, 2.2
	}
}

// steps sets the training steps of the newest generation.
func steps(n int) func(r *Run) { return func(r *Run) { r.Metrics[len(r.Metrics)-1].Steps = n } }

// Each cause is found in a run with everything that shows it, and no longer if one of these things lies just beyond its
// threshold.
func TestThresholds(t *testing.T) {
	fewGames := func(r *Run) { r.Games.Count = minGames - 1 }
	fewPositions := func(r *Run) { r.Newest.Policy.Count = minPositions - 1 }
	gain := func(x float64) func(r *Run) { return func(r *Run) { r.Newest.Policy.Loss = 2.5 - 2*x } }
	all := math.Log(float64(healthy(t).Game.NumActions()))
	for _, c := range []struct {
		cause  string
		change func(r *Run) // of a healthy run
		except []func(r *Run)
	}{
		{"no game has ended",
			func(r *Run) { r.Metrics = []rundir.Metrics{{Generation: 1}, {Generation: 2}, {Generation: 3}} },
			[]func(r *Run){func(r *Run) { r.Metrics = r.Metrics[1:] }, func(r *Run) { r.Metrics[2].TotalGames = 1 }}},
		{"no training step",
			func(r *Run) { r.Metrics = []rundir.Metrics{{Generation: 1, TotalGames: 5, ReplayPositions: 255}} },
			[]func(r *Run){func(r *Run) { r.Metrics[0].ReplayPositions = 256 }, steps(1), func(r *Run) { r.Metrics[0].TotalGames = 0 }}},
		{"illegal moves in the policy loss",
			func(r *Run) { r.First.Count, r.Metrics[0].ValidationPolicyLoss = 30, 2.5+(all-2.5)/3+0.01 },
			[]func(r *Run){
				func(r *Run) { r.First.Count = 29 },
				func(r *Run) { r.Metrics[0].ValidationPolicyLoss -= 0.02 },
				func(r *Run) { r.First.Uniform = all - 0.49 },
				func(r *Run) { r.Config.From = "weights" },
			}},
		{"illegal moves in the policy loss", // the validation set had few games
			func(r *Run) { r.Metrics[0].TotalGames, r.Metrics[0].PolicyLoss = 199, 2.5+(all-2.5)/3+0.01 },
			[]func(r *Run){
				func(r *Run) { r.Metrics[0].PolicyLoss, r.Metrics[0].ValidationPolicyLoss = 3, 4 },
				func(r *Run) { r.Metrics[0].LearningRate = 3.1e-3 },
			}},
		{"outcomes have the wrong sign",
			func(r *Run) { r.Newest.Value.Correlation = -0.31; steps(fewSteps)(r) },
			[]func(r *Run){
				func(r *Run) { r.Newest.Value.Correlation = -0.29 },
				func(r *Run) { r.Newest.Value = Value{400, minGames - 1, 1, -1} },
				steps(fewSteps - 1),
			}},
		{"training and play use different frames",
			func(r *Run) { gain(0)(r); r.Newest.Policy.Swapped = 2.29 }, // 10 % would be 2.3
			[]func(r *Run){func(r *Run) { r.Newest.Policy.Swapped = 2.31 }, gain(0.01), fewGames, fewPositions, steps(fewSteps - 1)}},
		{"identical games",
			func(r *Run) { r.Games = Games{50, 0.8} },
			[]func(r *Run){func(r *Run) { r.Games.Count = 49 }, func(r *Run) { r.Games.Duplicates = 0.79 }}},
		{"no exploration",
			func(r *Run) { r.Games, r.Config.Settings.ExplorationPlies = Games{50, 0.8}, 0 },
			[]func(r *Run){func(r *Run) { r.Games.Duplicates = 0.79 }}},
		{"too little training",
			func(r *Run) {
				learnedNothing(r)
				r.Config.Settings.SamplesPerPosition = 0.9
				steps(62)(r) // 0.496 samples for each of 32000 positions
			},
			[]func(r *Run){steps(63), steps(0), fewGames, gain(0.21), func(r *Run) { r.Config.Settings.SamplesPerPosition = 1 }}},
		{"learning rate too high",
			func(r *Run) { learnedNothing(r); gain(0.19)(r); r.Config.Settings.LearningRate = 0.03 },
			[]func(r *Run){gain(0.21), fewGames, fewPositions, steps(fewSteps - 1), func(r *Run) { r.Config.Settings.LearningRate = 0.029 }}},
		{"learning rate too high",
			func(r *Run) { r.Config.Settings.LearningRate, r.Newest.Value.Correlation = 0.03, 0.29 },
			[]func(r *Run){func(r *Run) { r.Newest.Value.Correlation = 0.31 }, func(r *Run) { r.Newest.Value.Games = minGames - 1 }}},
		{"learning rate too low",
			func(r *Run) { learnedNothing(r); gain(0.19)(r); r.Config.Settings.LearningRate = 3e-4 },
			[]func(r *Run){
				gain(0.21), fewGames, fewPositions, steps(fewSteps - 1), func(r *Run) { r.Config.Settings.LearningRate = 3.1e-4 },
				func(r *Run) { r.Newest.Policy.Entropy = 2.37 }, // 95 % of uniform play would be 2.375
			}},
		{"the network does not see the position",
			func(r *Run) { learnedNothing(r); gain(0.19)(r); r.Newest.Value.Correlation = 0.29 },
			[]func(r *Run){
				gain(0.21), fewGames, fewPositions, steps(fewSteps - 1),
				func(r *Run) { r.Newest.Value.Correlation = 0.31 },
				func(r *Run) { r.Newest.Value.Spread = 0.29 },
				func(r *Run) { r.Newest.Value.Games = minGames - 1 },
				func(r *Run) { r.Config.Settings.LearningRate = 0.03 },
				func(r *Run) { r.Config.Settings.LearningRate = 3e-4 },
			}},
		{"values learn nothing",
			func(r *Run) { r.Newest.Value.Correlation = -0.29; gain(0.21)(r) },
			[]func(r *Run){
				gain(0.19), func(r *Run) { r.Newest.Value.Correlation = 0.31 }, fewGames, fewPositions, steps(fewSteps - 1),
			}},
		{"replay window too small",
			func(r *Run) { r.Config.Settings.ReplayWindow = 2000; r.Newest.Policy.Loss = 1.31 }, // a quarter of 0.9 to 2.5 is 1.3
			[]func(r *Run){
				func(r *Run) { r.Newest.Policy.Loss = 1.29 }, func(r *Run) { r.Config.Settings.ReplayWindow = 2001 },
				fewGames, fewPositions, steps(fewSteps - 1),
			}},
		{"overtraining",
			func(r *Run) {
				r.Config.Settings.SamplesPerPosition = 12 // the default is 4
				for i := range r.Metrics {
					r.Metrics[i].ValidationPolicyLoss = 1.71 // half of 0.9 to 2.5 is 1.7
				}
			},
			[]func(r *Run){
				func(r *Run) { r.Config.Settings.SamplesPerPosition = 11 }, fewGames, fewPositions, steps(fewSteps - 1),
				func(r *Run) {
					for i := range r.Metrics {
						r.Metrics[i].ValidationPolicyLoss = 1.69
					}
				},
			}},
		{"overfitting",
			func(r *Run) {
				for i := range r.Metrics[1:] {
					r.Metrics[1+i].ValidationPolicyLoss = 2.35 // 90 % of 0.9 to 2.5 is 2.34
				}
			},
			[]func(r *Run){func(r *Run) {
				for i := range r.Metrics {
					r.Metrics[i].ValidationPolicyLoss = 2.33
				}
			}, fewGames}},
		{"too few simulations",
			func(r *Run) { r.Newest.Search, r.Config.Settings.Simulations = Search{50, 0.061, 0.1, 0.4}, 4 },
			[]func(r *Run){
				func(r *Run) { r.Newest.Search.Count = 49 }, func(r *Run) { r.Newest.Search.Targets = 0.059 },
				func(r *Run) { r.Newest.Search.Network = 0.099 }, func(r *Run) { r.Newest.Value.Correlation = 0.49 },
				func(r *Run) { r.Config.Settings.Simulations = 5 }, fewGames,
			}},
		{"search ignores values",
			func(r *Run) { r.Newest.Search, r.Config.Settings.ValueScale = Search{50, 0.061, 0.1, 0.4}, 0.1 },
			[]func(r *Run){func(r *Run) { r.Config.Settings.ValueScale = 0.11 }}},
		{"network too small",
			func(r *Run) { gain(0.49)(r); r.Config.Settings.Channels = rundir.DefaultSettings(r.Game).Channels / 3 },
			[]func(r *Run){gain(0.51), fewGames, fewPositions, steps(2*fewSteps - 1), func(r *Run) { r.Config.Settings.Channels += 4 }}},
	} {
		found := func(except func(r *Run)) string {
			r := healthy(t)
			c.change(r)
			if except != nil {
				except(r)
			}
			if d := Diagnose(r); len(d.Findings) > 0 {
				return d.Findings[0].Cause
			}
			return ""
		}
		if cause := found(nil); cause != c.cause {
			t.Errorf("the cause is %q, want %q", cause, c.cause)
		}
		for i, except := range c.except {
			if cause := found(except); cause == c.cause {
				t.Errorf("%q is found in spite of exception %d", cause, i)
			}
		}
	}
	if d := Diagnose(healthy(t)); len(d.Findings) > 0 {
		t.Errorf("a healthy run has the finding %q", d.Findings[0].Cause)
	}
}

// A run without any files but its config has no findings.
func TestTooLittleData(t *testing.T) {
	game := newGame(t, "hex-7x7")
	d := Diagnose(&Run{Game: game, Config: rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game))})
	if len(d.Findings) > 0 || len(d.Curves) > 0 || d.Status != "The run has not trained yet." {
		t.Errorf("%+v", d)
	}
}

func TestCorrelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, slope := range []float64{-1, -0.3, 0, 0.5, 2} {
		var sums pairs
		var x, y []float64
		for range 50 {
			x = append(x, 10+rng.NormFloat64())
			y = append(y, slope*x[len(x)-1]+rng.NormFloat64())
			sums.add(x[len(x)-1], y[len(y)-1])
		}
		meanX, _ := meanAndError(x)
		meanY, _ := meanAndError(y)
		var xy, xx, yy float64
		for i := range x {
			xy += (x[i] - meanX) * (y[i] - meanY)
			xx += (x[i] - meanX) * (x[i] - meanX)
			yy += (y[i] - meanY) * (y[i] - meanY)
		}
		if want := xy / math.Sqrt(xx*yy); math.Abs(sums.correlation()-want) > 1e-9 {
			t.Errorf("slope %v: %v, want %v", slope, sums.correlation(), want)
		}
		if want := math.Sqrt(yy / 50); math.Abs(sums.spread()-want) > 1e-9 {
			t.Errorf("slope %v: a spread of %v, want %v", slope, sums.spread(), want)
		}
	}
	for _, c := range []struct{ x, y []float64 }{{}, {[]float64{1}, []float64{2}}, {[]float64{1, 2, 3}, []float64{0.1, 0.1, 0.1}}} {
		var sums pairs
		for i := range c.x {
			sums.add(c.x[i], c.y[i])
		}
		if sums.correlation() != 0 || sums.spread() > 0 && len(c.x) < 2 {
			t.Errorf("%v: %v, want 0; spread %v", c, sums.correlation(), sums.spread())
		}
	}
}

func TestGain(t *testing.T) {
	p := Policy{Uniform: 2, Target: 1}
	for loss, want := range map[float64]float64{2: 0, 1: 1, 1.5: 0.5, 3: -1} {
		if p.Gain(loss) != want {
			t.Errorf("a loss of %v is a gain of %v, want %v", loss, p.Gain(loss), want)
		}
	}
	p.Target = 2
	if p.Gain(5) != 1 {
		t.Errorf("a gain of %v where there is nothing to learn", p.Gain(5))
	}
	for _, c := range []struct{ training, other, want float64 }{
		{1, 1, 0}, {1, 2, 1}, {1, 1.5, 0.5}, {0, 1, 0}, // not measured
		{1.81, 2, 0}, // nearly as uniform play
	} {
		if got := lostShare(c.training, c.other, 2); got != c.want {
			t.Errorf("training %v, other %v: %v is lost, want %v", c.training, c.other, got, c.want)
		}
	}
}

func TestFalling(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		n     int
		slope float64 // per generation; the noise is 0.1
		want  bool
	}{{100, -0.02, true}, {100, 0.02, false}, {14, -1, false}, {15, -1, true}} {
		r := &Run{}
		for g := range c.n {
			loss := 50 + c.slope*float64(g) + 0.1*rng.NormFloat64()
			r.Metrics = append(r.Metrics, rundir.Metrics{PolicyLoss: loss, OutcomeLoss: 0.1})
		}
		if r.falling() != c.want {
			t.Errorf("%d generations with a slope of %v: falling %v", c.n, c.slope, r.falling())
		}
	}
}

// The status tells more by ratings, or by errors on the suite, than by losses.
func TestStatus(t *testing.T) {
	rated := func(generation int, rating float64) rundir.Rating {
		return rundir.Rating{Generation: &generation, Rating: rating, Low: rating - 20, High: rating + 20}
	}
	tested := func(generation int, share float64) rundir.SuiteResult {
		return rundir.SuiteResult{Agent: "net", Generation: generation, Error: share, Low: share - 0.01, High: share + 0.01}
	}
	for _, c := range []struct {
		change func(r *Run)
		want   string
	}{
		{steps(0), "not trained yet"},
		{steps(fewSteps - 1), "Look again after"},
		{func(r *Run) {}, "ratings show whether play still gets better"},
		{func(r *Run) {
			for i := range r.Metrics {
				r.Metrics[i].ValidationPolicyLoss -= 0.01 * float64(i)
			}
		}, "losses still fall"},
		{func(r *Run) { r.Newest.Policy.Loss = r.Newest.Policy.Target + 0.01 }, "longer training will hardly help"},
		{func(r *Run) {
			r.Ratings = []rundir.Rating{rated(20, 100), {Agent: "random"}, rated(10, 59), rated(5, 99), rated(11, 90)}
		},
			"stronger since generation 10:"},
		{func(r *Run) { r.Ratings = []rundir.Rating{rated(20, 100), rated(10, 61)} }, "Since generation 10 play has not become stronger beyond chance"},
		{func(r *Run) { r.Ratings = []rundir.Rating{rated(20, 100), rated(11, 0)} }, "ratings show"},
		{func(r *Run) { r.Suite = []rundir.SuiteResult{tested(10, 0.05), tested(20, 0.02)} }, "stronger since generation 10:"},
		{func(r *Run) { r.Suite = []rundir.SuiteResult{tested(10, 0.05), tested(20, 0.04)} }, "not become stronger beyond chance"},
	} {
		r := healthy(t)
		c.change(r)
		if d := Diagnose(r); !strings.Contains(d.Status, c.want) {
			t.Errorf("%q, want %q", d.Status, c.want)
		}
	}
}

func TestUntrained(t *testing.T) {
	r := &Run{}
	if got := r.untrained([]int{1, 2}); got != nil {
		t.Errorf("without training steps: %v", got)
	}
	for g, steps := range []int{0, 0, 0, 7, 9} {
		r.Metrics = append(r.Metrics, rundir.Metrics{Generation: g + 1, Steps: steps})
	}
	if got := r.untrained([]int{1, 3, 4, 5}); !slices.Equal(got, []int{1, 3, 4}) {
		t.Errorf("%v, want 1, 3 and 4: generation 4 trains on its own games too", got)
	}
}

// Recorded losses stand beside those of plain runs only.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		change func(r *Run)
		want   bool
	}{
		{func(r *Run) {}, true},
		{func(r *Run) { r.Config.Settings.RatingShare = 0 }, true},
		{func(r *Run) { r.Config.Settings.Channels = 64 }, true},
		{func(r *Run) { r.Config.Settings.LearningRate = 0.01 }, false},
		{func(r *Run) { r.Config.From = "weights" }, false},
	} {
		r := healthy(t)
		c.change(r)
		if got := r.recordedLosses().Command != ""; got != c.want {
			t.Errorf("settings %v: recorded losses %v, want %v", r.Config.Settings, got, c.want)
		}
	}
}

// Losses stand beside those that a training of about the run's length had after as many positions, as far as that went.
func TestRecordedLosses(t *testing.T) {
	r := healthy(t) // generation g has 50 g steps of 256 samples
	samples := func(g int) int { return 50 * 256 * g }
	all := []zoo.Losses{
		{Command: "2m", SamplesPerPosition: 4, Samples: []int{samples(5), samples(10)}, Policy: []float64{2, 1}},
		{Command: "10m", SamplesPerPosition: 4, Samples: []int{samples(10), samples(20), samples(100)}, Policy: []float64{2, 1, 0.5}, Outcome: []float64{0, 0.4, 0.2}},
		{Command: "40m with 8 samples", SamplesPerPosition: 8, Samples: []int{2 * samples(10), 2 * samples(400)}, Policy: []float64{3, 1}},
	}
	for generations, want := range map[int]string{20: "2m", 40: "10m", 100: "10m", 300: "40m with 8 samples"} {
		last := &r.Metrics[len(r.Metrics)-1]
		last.Generations = generations
		if got := r.nearest(all); got.Command != want {
			t.Errorf("with %d generations: %s, want %s", generations, got.Command, want)
		}
	}
	if got := r.nearest(nil); got.Command != "" {
		t.Errorf("of none: %+v", got)
	}
	curve := func(losses zoo.Losses, name string) *Curve {
		curves := r.metricCurves(losses)
		return &curves[slices.IndexFunc(curves, func(c Curve) bool { return c.Name == name })]
	}
	if c := curve(all[0], "policy loss"); len(c.Recorded) != 11 || c.Recorded[0] != 2 || c.Recorded[6] != 1.6 || c.Recorded[10] != 1 || c.NewestRecorded() != nil {
		t.Errorf("beside a shorter training: %+v", c)
	}
	if c := curve(all[1], "policy loss"); len(c.Recorded) != 20 || c.Recorded[14] != 1.5 || *c.NewestRecorded() != 1 {
		t.Errorf("beside a longer training: %+v", c)
	}
	if c := curve(all[2], "policy loss"); len(c.Recorded) != 20 || c.Recorded[9] != 3 || c.Recorded[19] >= 3 || c.Recorded[19] < 2.9 {
		t.Errorf("beside a training with other samples per position: %+v", c)
	}
	if c := curve(all[1], "outcome loss"); len(c.Recorded) != 20 || c.Recorded[0] != 0.4 {
		t.Errorf("where the first losses were not measured: %+v", c)
	}
	if c := curve(all[1], "validation policy loss"); c.Recorded != nil {
		t.Errorf("of a loss that was not recorded: %+v", c)
	}
}

// Read leaves out what is damaged or missing, but not the config.
func TestReadDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, err := train.Train(t.Context(), train.Options{
		Dir: dir, Game: newGame(t, "tic-tac-toe"), Generations: 4, Threads: 1,
		Settings: map[string]float64{"parallel_games": 8, "plies_per_generation": 10, "simulations": 2, "channels": 4, "blocks": 1, "batch_size": 8, "rating_share": 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Read(t.Context(), dir)
	if err != nil || whole.First.Count == 0 || whole.Games.Count < 8 || whole.Newest.Value.Games == 0 || whole.Parameters == 0 || len(whole.Metrics) != 4 {
		t.Fatalf("%+v, %v", whole, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(canceled, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, damage := range []struct {
			name string
			do   func() error
		}{
			{"removed", func() error { return os.Remove(path) }},
			{"empty", func() error { return os.WriteFile(path, nil, 0o666) }},
			{"cut", func() error { return os.WriteFile(path, whole[:len(whole)/2], 0o666) }},
			{"garbled", func() error { return os.WriteFile(path, []byte("\xff{}\x00"), 0o666) }},
		} {
			if err := damage.do(); err != nil {
				return err
			}
			r, err := Read(t.Context(), dir)
			switch name := filepath.Base(path); {
			case name == rundir.ConfigFile:
				if err == nil || damage.name == "removed" && !(errors.Is(err, fs.ErrNotExist) && errors.Is(err, rundir.ErrNoRun)) {
					t.Errorf("%s %s: %v", name, damage.name, err)
				}
			case err != nil:
				t.Errorf("%s %s: %v", path, damage.name, err)
			default:
				Diagnose(r)
			}
		}
		return os.WriteFile(path, whole, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := checkpoints.WriteFile(rundir.GamesPath(dir, 4), checkpoints.Seal("ludus-games", 99, nil)); err != nil {
		t.Fatal(err)
	}
	if r, err := Read(t.Context(), dir); err != nil || r.Games.Count == 0 || r.Games.Count >= whole.Games.Count {
		t.Errorf("with games of another version: %+v, %v", r.Games, err)
	}
}

// TestSameGamesOfSheet points to the rule sheet, not to ludus, if all games of a sheet are the same.
func TestSameGamesOfSheet(t *testing.T) {
	r := healthy(t)
	r.Games = Games{50, 0.8}
	if f := sameGames(r); f == nil || !strings.Contains(f.Fix, "random generator") {
		t.Errorf("without a sheet: %+v", f)
	}
	game := *r.Game
	game.Sheet, r.Game = "(role x)", &game
	if f := sameGames(r); f == nil || !strings.HasPrefix(f.Fix, "Look at the rule sheet first") {
		t.Errorf("with a sheet: %+v", f)
	}
}
