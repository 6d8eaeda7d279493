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
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// healthy returns a run of breakthrough-6x6 that learns: uniform play has a loss of 2.5, the least is 0.5.
func healthy(t *testing.T) *run {
	game := games.Must("breakthrough-6x6")
	r := &run{
		game: game, config: rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game)),
		targets: targets{games: 256, uniform: 2.5, least: 0.5, outcomes: 0.69},
	}
	for g := 1; g <= 20; g++ {
		r.metrics = append(r.metrics, rundir.Metrics{
			Generation: g, Games: 200, TotalGames: 200 * g, Positions: 1600, ReplayPositions: 1600 * g, Steps: 50 * g,
			LearningRate: 3e-3, PolicyLoss: 0.9, OutcomeLoss: 0.3, ValidationPolicyLoss: 1, ValidationOutcomeLoss: 0.35,
			Diversity: rundir.Diversity{Duplicates: 0.05},
		})
	}
	return r
}

// A change makes a run less healthy.
type change func(r *run)

// steps sets the training steps of the newest generation.
func steps(n int) change { return func(r *run) { r.metrics[len(r.metrics)-1].Steps = n } }

// each changes the metrics of all generations.
func each(change func(m *rundir.Metrics)) change {
	return func(r *run) {
		for i := range r.metrics {
			change(&r.metrics[i])
		}
	}
}

// learned sets the share of the policy targets that the network has learned of the training set and the validation set.
func learned(training, validation float64) change {
	return each(func(m *rundir.Metrics) { m.PolicyLoss, m.ValidationPolicyLoss = 2.5-2*training, 2.5-2*validation })
}

func set(key string, x float64) change {
	return func(r *run) {
		if err := r.config.Settings.Change(map[string]float64{key: x}); err != nil {
			panic(err)
		}
	}
}

func outcome(loss float64) change { return each(func(m *rundir.Metrics) { m.OutcomeLoss = loss }) }
func repeated(games int, share float64) change {
	return each(func(m *rundir.Metrics) { m.Games, m.Duplicates = games, share })
}

func fewTargets(r *run) { r.targets.games = fewGames - 1 }

// better lets a suite show that play becomes stronger.
func better(r *run) { r.suite = []rundir.SuiteResult{tested(10, 0.05), tested(20, 0.02)} }

func tested(generation int, share float64) rundir.SuiteResult {
	return rundir.SuiteResult{Agent: "net", Generation: generation, Positions: 500, Error: share, Low: share - 0.01, High: share + 0.01}
}

// rated sets ratings of two checkpoints, each 40 Elo uncertain.
func rated(before int, first float64, newest int, second float64) change {
	agent := func(generation int, rating float64) rundir.Rating {
		return rundir.Rating{Generation: &generation, Rating: rating, Low: rating - 40, High: rating + 40}
	}
	return func(r *run) {
		r.ratings = &rundir.Ratings{Agents: []rundir.Rating{agent(newest, second), {Agent: "random"}, agent(before, first)}}
	}
}

// falling lets the validation loss fall from generation to generation.
func falling(r *run) {
	each(func(m *rundir.Metrics) { m.ValidationPolicyLoss -= 0.01 * float64(m.Generation) })(r)
}

// decays lets the learning rate decay from a generation on.
func decays(from int) change {
	return each(func(m *rundir.Metrics) {
		if m.Generation >= from {
			m.LearningRate /= float64(1 + m.Generation)
		}
	})
}

func scored(generation int, share float64) rundir.Score {
	return rundir.Score{Generation: generation, Opponent: "zoo", Games: 90, Estimate: stats.Estimate{Value: share, Low: share - 0.1, High: share + 0.1}}
}

// Each cause is found in a run with everything that shows it, and no longer if one of these things lies just beyond its
// threshold. A healthy run has no finding.
func TestThresholds(t *testing.T) {
	early := steps(fewSteps - 1)
	for _, c := range []struct {
		cause   string
		changes []change // of a healthy run
		except  []change
	}{
		{"", nil, []change{learned(0.25, 0.25), repeated(200, 0.75)}},
		{"no game has ended",
			[]change{func(r *run) { r.metrics = []rundir.Metrics{{Generation: 1}, {Generation: 2}, {Generation: 3}} }},
			[]change{func(r *run) { r.metrics = r.metrics[1:] }, func(r *run) { r.metrics[2].TotalGames = 1 }}},
		{"no training step",
			[]change{func(r *run) { r.metrics = []rundir.Metrics{{Generation: 1, TotalGames: 5, ReplayPositions: 255}} }},
			[]change{func(r *run) { r.metrics[0].ReplayPositions = 256 }, steps(1), func(r *run) { r.metrics[0].TotalGames = 0 }}},
		{"identical games", []change{repeated(10, 0.81)},
			[]change{repeated(10, 0.79), func(r *run) { r.metrics = r.metrics[16:] }}},
		{"no exploration", []change{repeated(10, 0.81), set("exploration_plies", 0)}, []change{repeated(10, 0.79), set("exploration_plies", 1)}},
		{"too little training", []change{learned(0.19, 0.19), set("samples_per_position", 0.5), steps(1)}, // the default is 4
			[]change{learned(0.21, 0.21), set("samples_per_position", 0.51), steps(0), fewTargets}},
		{"learning rate too high", []change{learned(0.19, 0.19), set("learning_rate", 0.03)},
			[]change{learned(0.21, 0.21), set("learning_rate", 0.029), early, fewTargets}},
		{"learning rate too high", []change{outcome(0.63), set("learning_rate", 0.03)}, []change{outcome(0.62)}}, // 90 % of 0.69 is 0.621
		{"learning rate too high", []change{outcome(0.31), set("learning_rate", 0.03), func(r *run) { r.targets.outcomes = 0.1 }}, []change{outcome(0.29)}},
		{"learning rate too low", []change{learned(0.19, 0.19), set("learning_rate", 3e-4)},
			[]change{learned(0.21, 0.21), set("learning_rate", 3.1e-4), early, fewTargets}},
		{"replay window too small", []change{learned(0.8, 0.39), set("replay_window", 2000)},
			[]change{learned(0.8, 0.41), set("replay_window", 2001), early, fewTargets}},
		{"overtraining", []change{learned(0.8, 0.39), set("samples_per_position", 12)},
			[]change{learned(0.8, 0.41), learned(0.12, 0.05), set("samples_per_position", 11), early, fewTargets}},
		{"overfitting", []change{learned(0.8, 0.07)}, []change{learned(0.8, 0.09), early, fewTargets}},
		{"too few simulations", []change{learned(0.51, 0.5), set("simulations", 3)},
			[]change{learned(0.49, 0.49), set("simulations", 4), early, fewTargets, better}},
		{"search ignores values", []change{learned(0.51, 0.5), set("value_scale", 0.1)},
			[]change{learned(0.49, 0.49), set("value_scale", 0.11), early, fewTargets, better}},
		{"network too small", []change{learned(0.49, 0.49), set("channels", 8)},
			[]change{learned(0.51, 0.51), set("channels", 12), steps(2*fewSteps - 1), fewTargets}},
	} {
		found := func(changes ...change) string {
			r := healthy(t)
			for _, change := range append(slices.Clone(c.changes), changes...) {
				change(r)
			}
			d := r.diagnose(false)
			if len(d.Findings) == 0 {
				return ""
			}
			if f := d.Findings[0]; f.Evidence == "" || f.Fix == "" {
				t.Errorf("%+v", f)
			}
			return d.Findings[0].Cause
		}
		if cause := found(); cause != c.cause {
			t.Errorf("the cause is %q, want %q", cause, c.cause)
		}
		for i, except := range c.except {
			if cause := found(except); (cause == c.cause) != (c.cause == "") {
				t.Errorf("%q: with exception %d the cause is %q", c.cause, i, cause)
			}
		}
	}
}

// Identical games point to the rule sheet of a game that has one.
func TestSameGamesOfSheet(t *testing.T) {
	r := healthy(t)
	repeated(50, 0.9)(r)
	game := *r.game
	game.Sheet, r.game = "(role x)", &game
	if f := sameGames(r); f == nil || f.Cause != "identical games" || !strings.HasPrefix(f.Fix, "Look at the rule sheet first") {
		t.Errorf("%+v", f)
	}
}

// A run without any files but its config has no findings.
func TestTooLittleData(t *testing.T) {
	game := games.Must("hex-7x7")
	d := (&run{game: game, config: rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game))}).diagnose(false)
	if len(d.Findings) > 0 || len(d.Curves) > 0 || d.Summary.Longer != "The run has not trained yet." {
		t.Errorf("%+v", d)
	}
}

// Positions count with the root of how often they occur, and targets that are not trained on with 0.
func TestTargets(t *testing.T) {
	game := games.Must("tic-tac-toe")
	ply := func(a env.Action, policy record.Shares) record.Ply {
		return record.Ply{Action: a, TrainPolicy: true, Policy: policy}
	}
	even := slices.Repeat(record.Shares{1}, 9)
	games := []*record.Record{
		{Outcome: 0, Plies: []record.Ply{ply(4, even), ply(0, record.Shares{1, 1, 0, 0, 0, 0, 0, 0})}},
		{Outcome: 2, Plies: []record.Ply{ply(4, even), {Policy: make(record.Shares, 8)}}}, // the same positions
	}
	weight := 2 * math.Sqrt2
	got, want := targetsOf(game, games), targets{2, (math.Sqrt2*math.Log(9) + math.Log(8)) / weight, (math.Sqrt2*math.Log(9) + math.Log(2)) / weight, math.Ln2}
	if got.games != 2 || math.Abs(got.uniform-want.uniform)+math.Abs(got.least-want.least)+math.Abs(got.outcomes-want.outcomes) > 1e-6 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := targetsOf(game, nil); got != (targets{}) {
		t.Errorf("of no games: %+v", got)
	}
}

func TestLearned(t *testing.T) {
	for _, c := range []struct {
		targets targets
		loss    float64
		want    float64
	}{
		{targets{uniform: 2, least: 1}, 2, 0}, {targets{uniform: 2, least: 1}, 1, 1}, {targets{uniform: 2, least: 1}, 3, -1},
		{targets{uniform: 2, least: 2}, 5, 1}, // nothing to learn
	} {
		if got := c.targets.learned(c.loss); got != c.want {
			t.Errorf("%+v, a loss of %v: %v, want %v", c.targets, c.loss, got, c.want)
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
		r := &run{}
		for g := range c.n {
			loss := 50 + c.slope*float64(g) + 0.1*rng.NormFloat64()
			r.metrics = append(r.metrics, rundir.Metrics{PolicyLoss: loss, OutcomeLoss: 0.1})
		}
		if r.falling() != c.want {
			t.Errorf("%d generations with a slope of %v: falling %v", c.n, c.slope, r.falling())
		}
	}
}

// The summary tells by measured strength, and by losses where that does not tell.
func TestLonger(t *testing.T) {
	for _, c := range []struct {
		change change
		want   string
	}{
		{steps(0), "not trained yet"},
		{steps(fewSteps - 1), "look again after"},
		{func(r *run) {}, "Too early to tell whether longer training helps: the losses have not fallen beyond chance, and strength was not measured often enough"},
		{falling, "losses still fall."},
		{func(r *run) { falling(r); decays(20)(r) }, "losses still fell when the learning rate began to decay."},
		{func(r *run) { falling(r); decays(10)(r) }, "Too early to tell"}, // losses nearly always fall in the decay
		{learned(0.99, 0.99), "will hardly help"},
		{better, "should help: since generation 10 errors in solved positions have fallen from 5.0 % (4.0 to 6.0) to 2.0 % (1.0 to 3.0)."},
		{func(r *run) { r.suite = []rundir.SuiteResult{tested(10, 0.05), tested(20, 0.035)} }, "may not help: since generation 10 neither strength nor losses"},
		{func(r *run) {
			r.scores = []rundir.Score{scored(5, 0.5), scored(10, 0.2), scored(11, 0.5), scored(20, 0.5)}
		},
			"since generation 10 the score against the shipped agent has risen from 20.0 % (10.0 to 30.0) to 50.0 %"},
		{func(r *run) { r.scores = []rundir.Score{scored(10, 0.2), scored(20, 0.35)} }, "since generation 10 neither strength nor losses"},
		{func(r *run) { r.scores = []rundir.Score{scored(11, 0.2), scored(20, 0.9)} }, "not measured often enough"},
		{func(r *run) { falling(r); rated(10, 1143, 20, 1183)(r) }, "may not help: since generation 10 the rating has not risen beyond chance."},
		{rated(10, 1082.5, 20, 1182.5), "should help: since generation 10 the rating has risen from 1083 to 1183 Elo."},
		{func(r *run) { falling(r); rated(11, 1000, 20, 1100)(r) }, "losses still fall"}, // nothing of the first half is rated
		{func(r *run) { falling(r); rated(5, 1100, 10, 1000)(r) }, "losses still fall"},  // nor of the second half
		{func(r *run) { better(r); rated(10, 1143, 20, 1143)(r) }, "errors in solved positions have fallen"},
	} {
		r := healthy(t)
		c.change(r)
		d := r.diagnose(false)
		if !strings.Contains(d.Summary.Longer, c.want) {
			t.Errorf("%q, want %q", d.Summary.Longer, c.want)
		}
		if got := r.diagnose(true).Summary.Longer; strings.Contains(got, "may not help") ||
			strings.Contains(d.Summary.Longer, "may not help") && !strings.HasPrefix(got, "Too early to tell whether longer training helps: since generation 10 ") {
			t.Errorf("while training: %q", got)
		}
	}
}

// The summary says how good the agent is, beside the shipped one, and names the next command.
func TestSummary(t *testing.T) {
	r := healthy(t)
	r.dir, r.config.Plan = "runs/my run", rundir.Plan{Generations: 20, Seconds: 480}
	good := func() string { return strings.Join(r.diagnose(false).Summary.Good, " ") }
	if got := good(); got != "Its strength is not measured yet." {
		t.Error(got)
	}
	set("rating_share", 0)(r)
	if got := good(); got != "Its strength is not measured (rating_share=0)." {
		t.Error(got)
	}
	better(r)
	r.scores = []rundir.Score{scored(20, 0.25)}
	shipped := zoo.CardOf(r.game.Name).Find("shipped", "zoo").Error
	want := "Generation 20 loses value in 2.0 % (1.0 to 3.0) of 500 solved positions (95 % intervals); the shipped agent in " + stats.Estimate(shipped).Percent() +
		". Generation 20 scores 25.0 % (15.0 to 35.0) in 90 games against the shipped agent; 50 % would be as strong."
	if got := good(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, c := range []struct {
		change   change
		training bool
		want     string
	}{
		{func(*run) {}, false, "train --run 'runs/my run' --time 16m"},
		{func(*run) {}, true, ""},
		{func(r *run) { r.config.Plan = rundir.Plan{Generations: 21} }, false, "train --run 'runs/my run'"},
		{func(r *run) { r.config.Plan = rundir.Plan{Generations: 20} }, false, "train --run 'runs/my run' --generations 40"},
		{func(r *run) { r.config.Plan = rundir.Plan{Generations: 20, Seconds: 2700, CPU: true} }, false, "train --run 'runs/my run' --cpu 1h30m"},
		{func(r *run) { r.suite, r.scores = nil, nil }, false, "rate 'runs/my run'"},
		{func(r *run) { r.ratings = &rundir.Ratings{Agents: []rundir.Rating{{Generation: new(20)}}} }, false, "export 'runs/my run'"},
		{repeated(10, 0.9), false, ""}, // the finding says what to do
	} {
		c.change(r)
		if got := r.diagnose(c.training).Summary.Next; got != c.want {
			t.Errorf("next is %q, want %q", got, c.want)
		}
	}
}

// A run that diverged has that finding alone, until it has trained beyond.
func TestDiverged(t *testing.T) {
	for rate, want := range map[float64]struct{ fix, next string }{
		1:     {"Train a new run with 0.003.", "train breakthrough-6x6 --run runs/fast-2 --time 45s --set batch_size=64"},
		0.003: {"Train a new run with 0.001.", "train breakthrough-6x6 --run runs/fast-2 --time 45s --set batch_size=64 --set learning_rate=0.001"},
	} {
		r := healthy(t)
		r.dir, r.config.Plan.Seconds = "runs/fast", 45
		set("batch_size", 64)(r)
		repeated(10, 0.9)(r)
		set("learning_rate", rate)(r)
		r.config.Plan.Diverged = 21
		d := r.diagnose(false)
		if len(d.Findings) != 1 || d.Findings[0].Cause != "training diverged" || !strings.HasSuffix(d.Findings[0].Fix, want.fix) || d.Early ||
			d.Summary.Longer != "" || d.Summary.Next != want.next {
			t.Errorf("%+v", d)
		}
		r.config.Plan.Diverged = 20
		if d := r.diagnose(false); d.Findings[0].Cause == "training diverged" {
			t.Errorf("%+v", d.Findings)
		}
	}
}

// Recorded losses stand beside those of plain runs only.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		change change
		want   bool
	}{
		{func(r *run) {}, true},
		{set("rating_share", 0), true},
		{set("channels", 64), true},
		{set("learning_rate", 0.01), false},
		{func(r *run) { r.config.From = "weights" }, false},
	} {
		r := healthy(t)
		c.change(r)
		if got := r.recordedLosses().Command != ""; got != c.want {
			t.Errorf("settings %v: recorded losses %v, want %v", r.config.Settings, got, c.want)
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
		last := &r.metrics[len(r.metrics)-1]
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

// trained trains a tiny run of the given number of generations, on boards of the given sizes, until a generation has
// ended, and returns its directory.
func trained(t *testing.T, game string, generations, until int, sizes ...int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	settings := map[string]float64{"parallel_games": 8, "plies_per_generation": 8, "simulations": 2, "channels": 4, "blocks": 1,
		"batch_size": 8, "rating_share": 0}
	if len(sizes) > 0 {
		all, err := rundir.SizesOf(sizes...)
		if err != nil {
			t.Fatal(err)
		}
		settings["sizes"] = float64(all)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := train.Train(ctx, train.Options{
		Dir: dir, Game: games.Must(game), Generations: generations, Threads: 1, Settings: settings,
		Observe: func(e train.Event) {
			if e.Metrics != nil && e.Metrics.Generation == until && until < generations {
				cancel()
			}
		},
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return dir
}

// TestLargestBoard: before a run of several sizes plays its own board, the checks are about the largest board so far,
// and findings name it.
func TestLargestBoard(t *testing.T) {
	r, err := read(trained(t, "quad(size=5,quads=4,whites=1)", 100, 4, 4, 5))
	if err != nil || r.targets.games == 0 || r.side != 4 || len(r.metricCurves(zoo.Losses{})) < 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	r.targets = targets{games: 256, uniform: 2.5, least: 0.5, outcomes: 0.69}
	r.metrics[3].Steps = 2 * fewSteps
	learned(0.4, 0.1)(r)
	if found := r.findings(); len(found) != 1 || !strings.Contains(found[0].Evidence, "on the 4x4 board") {
		t.Errorf("findings %+v", found)
	}
}

// The error of the shipped agent is that on the board whose suite tests the run.
func TestShippedErrorOfSmallerBoard(t *testing.T) {
	r := &run{game: games.Must("hex"), suite: []rundir.SuiteResult{{Agent: "net", Game: "hex-7x7"}}}
	if curves := r.errorCurves(); len(curves) != 1 || curves[0].Shipped == nil {
		t.Errorf("%+v", curves)
	}
}

// TestOneBoard: after a run of two sizes has played both, losses and games are those of the large board alone.
func TestOneBoard(t *testing.T) {
	dir := trained(t, "quad(size=5,quads=4,whites=1)", 8, 8, 4, 5)
	r, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var losses []float64
	want := map[*env.Game]int{}
	for i := range r.metrics {
		if m := &r.metrics[i]; m.Size == 5 && m.PolicyLoss > 0 {
			losses = append(losses, m.PolicyLoss)
		}
		played, _, err := record.Read(r.game, dir, i+1)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range played {
			want[p.Game]++
		}
	}
	if r.side != 5 || len(want) != 2 || len(losses) == 0 || len(losses) == len(r.metrics) {
		t.Fatalf("side %d, games %v, losses %v", r.side, want, losses)
	}
	if got := r.series(policyLoss); !slices.Equal(got, losses) {
		t.Errorf("losses %v, want %v", got, losses)
	}
	if r.targets.games != want[r.game] {
		t.Errorf("targets of %d games, want %d", r.targets.games, want[r.game])
	}
	for board, n := range want {
		newest, err := newestGames(r.game, board, dir)
		if err != nil || len(newest) != n || slices.ContainsFunc(newest, func(p *record.Record) bool { return p.Game != board }) {
			t.Errorf("%d games of %s, want %d; error %v", len(newest), board.Name, n, err)
		}
	}
}

// Diagnose leaves out what is damaged or missing, but not the config.
func TestReadDamaged(t *testing.T) {
	dir := trained(t, "tic-tac-toe", 4, 4)
	whole, err := read(dir)
	if err != nil || whole.targets.games < 8 || len(whole.metrics) != 4 {
		t.Fatalf("%+v, %v", whole, err)
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
			_, err := Diagnose(dir)
			switch name := filepath.Base(path); {
			case name == rundir.ConfigFile:
				if err == nil || damage.name == "removed" && !(errors.Is(err, fs.ErrNotExist) && errors.Is(err, rundir.ErrNoRun)) {
					t.Errorf("%s %s: %v", name, damage.name, err)
				}
			case err != nil:
				t.Errorf("%s %s: %v", path, damage.name, err)
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
	if r, err := read(dir); err != nil || r.targets.games == 0 || r.targets.games >= whole.targets.games {
		t.Errorf("with games of another version: %+v, %v", r, err)
	}
}
