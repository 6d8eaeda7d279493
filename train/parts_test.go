package train

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/mcts"
	"ludus/model"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

func TestWindowSize(t *testing.T) {
	const c = 20000
	for _, n := range []int{0, 1, c} {
		if got := windowSize(n, c, maxWindow); got != n {
			t.Errorf("W(%d) = %d", n, got)
		}
	}
	// W(2c) = c + 0.4 c (2^0.65 - 1)/0.65 = c (1 + 0.4 x 0.5691/0.65)
	if got, want := windowSize(2*c, c, maxWindow), 27003; math.Abs(float64(got-want)) > 5 {
		t.Errorf("W(2c) = %d, want %d", got, want)
	}
	// The slope just after c is 0.4.
	if slope := float64(windowSize(c+1000, c, maxWindow)-c) / 1000; math.Abs(slope-0.4) > 0.01 {
		t.Errorf("the window grows with slope %.3f after c", slope)
	}
	for c, want := range map[int]int{20_000: maxWindow, 2 * maxWindow: 2 * maxWindow} {
		if got := windowSize(1e9, c, maxWindow); got != want {
			t.Errorf("a window that starts with %d ends with %d positions, want %d", c, got, want)
		}
	}
}

func TestWindowKeepsTheNewestWholeGames(t *testing.T) {
	game := newGame(t, "quad-5x5")
	rng := rand.New(rand.NewPCG(3, 4))
	w := window{game: game}
	var all []*record.Record
	for range 50 {
		r := recordtest.Random(game, rng)
		all = append(all, r)
		w.add([]*record.Record{r}, 100)
		if w.positions >= 100 && w.positions-len(w.games[0].Plies) >= 100 {
			t.Fatal("the window holds a game too many")
		}
	}
	if w.positions < 100 {
		t.Fatalf("%d positions", w.positions)
	}
	kept := all[len(all)-len(w.games):]
	i := 0
	for g, r := range kept {
		if w.games[g].Record != r {
			t.Fatal("the window does not hold the newest games")
		}
		for p := range r.Plies {
			if got, ply := w.find(i); got.Record != r || ply != p {
				t.Fatalf("position %d is not ply %d of game %d", i, p, g)
			}
			i++
		}
	}
}

func TestRateFactor(t *testing.T) {
	for _, c := range []struct {
		share float64
		step  int
		want  float64
	}{
		{0, 0, 1.0 / 200}, {0, 99, 0.5}, {0, 199, 1}, {0.3, 5000, 1}, {0.5, 5000, 1},
		{0.75, 5000, 0.02 + 0.98*0.5}, {1, 5000, 0.02},
	} {
		if got := learningRateFactor(c.share, c.step); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("rate at %v, step %d: %v, want %v", c.share, c.step, got, c.want)
		}
	}
}

// TestSampler compares samples with the states that they were made from, in the mover's frame and transformed.
func TestSampler(t *testing.T) {
	for _, name := range games.Names() {
		game := newGame(t, name)
		rng := rand.New(rand.NewPCG(5, 6))
		r := recordtest.Random(game, rng)
		w := window{game: game}
		w.add([]*record.Record{r}, 1)
		sampler, batch := newSampler(game), model.NewBatch(game, 1)
		state := game.NewState()
		for _, a := range r.Opening {
			state.Apply(a)
		}
		for i, p := range r.Plies {
			symmetry := rng.IntN(len(game.Symmetries))
			sampler.write(batch, 0, &w, sample{i, symmetry}, 0)
			turn, mover := &game.Symmetries[symmetry], state.Player()
			checkInputs(t, game, state, batch, turn)
			checkPolicy(t, game, state, mover, batch.LegalMask, batch.Policy, batch.PolicyWeight[0], turn, &p)
			class := slices.Index(batch.Outcome, 1)
			if class < 0 || game.ClassFor(mover, class) != r.Outcome {
				t.Errorf("%s: ply %d has class %d for %s, First's is %d", name, i, class, game.Players[mover], r.Outcome)
			}
			if batch.Goals[0] != float32(r.Goals[mover])/100 || batch.Goals[1] != float32(r.Goals[mover.Opponent()])/100 {
				t.Errorf("%s: goals %v, want the mover's first of %v", name, batch.Goals, r.Goals)
			}
			state.Apply(p.Action)
			if i+1 < len(r.Plies) {
				checkPolicy(t, game, state, mover, batch.ReplyMask, batch.Reply, batch.ReplyWeight[0], turn, &r.Plies[i+1])
			} else if batch.ReplyWeight[0] != 0 {
				t.Errorf("%s: the last ply has a reply", name)
			}
		}
	}
}

// TestFill: the parts of a batch together make all of it, whatever its size and the number of goroutines.
func TestFill(t *testing.T) {
	game := newGame(t, "quad-5x5")
	settings := rundir.DefaultSettings(game)
	for _, settings.BatchSize = range []int{8, 13, 100} {
		l := newLearner(game, &settings, 1, nil, parallel.Runner(2))
		l.training.add([]*record.Record{recordtest.Random(game, rand.New(rand.NewPCG(3, 3)))}, 1)
		l.draw(&l.training, rand.New(rand.NewPCG(4, 4)))
		l.fill(&l.training, 0.25)
		want, rng, sampler := model.NewBatch(game, settings.BatchSize), rand.New(rand.NewPCG(4, 4)), newSampler(game)
		for i := range want.Size {
			position := rng.IntN(l.training.positions)
			sampler.write(want, i, &l.training, sample{position, rng.IntN(len(game.Symmetries))}, 0.25)
		}
		if !reflect.DeepEqual(l.batch, want) {
			t.Errorf("a batch of %d has samples that are not those drawn", settings.BatchSize)
		}
	}
}

// checkInputs fails unless the batch's only sample has the tensor of state, turned.
func checkInputs(t *testing.T, game *env.Game, state env.State, batch *model.Batch, turn *env.Symmetry) {
	t.Helper()
	tensor := make([]float32, game.Tensor.Size())
	state.Encode(tensor)
	cells := game.Tensor.Cells()
	for c := range game.Tensor.C {
		for i := range cells {
			if batch.Inputs[c*cells+int(turn.Cells[i])] != tensor[c*cells+i] {
				t.Fatalf("%s: plane %d, cell %d is not where the symmetry takes it", game.Name, c, i)
			}
		}
	}
}

// checkPolicy fails unless mask and target [A] are those of ply p, whose position is state, in mover's frame and turned, and
// weight says whether it is trained on.
func checkPolicy(
	t *testing.T, game *env.Game, state env.State, mover env.Player, mask, target []float32, weight float32,
	turn *env.Symmetry, p *record.Ply,
) {
	t.Helper()
	legal := state.Legal(nil)
	policy := make([]float32, len(legal))
	p.Policy.Normalise(policy)
	sum := float32(0)
	for _, x := range mask {
		sum += x
	}
	if int(sum) != len(legal) {
		t.Fatalf("%s: %v legal actions of %d", game.Name, sum, len(legal))
	}
	for j, a := range legal {
		to := turn.Actions[game.Frame(mover)[a]]
		if mask[to] != 1 || target[to] != policy[j] {
			t.Fatalf("%s: %s is not trained on where the mover's frame has it", game.Name, game.ActionTexts[a])
		}
	}
	if (weight == 1) != p.TrainPolicy {
		t.Fatalf("%s: policy weight %v", game.Name, weight)
	}
}

// TestTargets: a proven position's class is the target of itself and of the plies before it; the search's classes are
// mixed in elsewhere.
func TestTargets(t *testing.T) {
	game := newGame(t, "breakthrough-6x6")
	r := recordtest.Random(game, rand.New(rand.NewPCG(7, 8)))
	loser := 1 - r.Outcome // First's class that did not come about
	at := len(r.Plies) / 2
	movers := recordtest.Movers(game, r)
	r.Plies[at].Proven = int8(game.ClassFor(movers[at], loser))
	w := window{game: game}
	w.add([]*record.Record{r}, 1)
	g := &w.games[0]
	for i, label := range g.labels {
		if want := map[bool]int{true: at, false: -1}[i <= at]; label != want {
			t.Errorf("ply %d has the label of ply %d, want %d", i, label, want)
		}
	}
	sampler, batch := newSampler(game), model.NewBatch(game, 1)
	sampler.write(batch, 0, &w, sample{position: at}, 0.25)
	if c := batch.Outcome[game.ClassFor(g.movers[at], loser)]; c != 1 {
		t.Errorf("a proven root's class has weight %v", c)
	}
	sampler.write(batch, 0, &w, sample{position: at - 1}, 0) // the other player's ply, before the proven one
	if c := batch.Outcome[game.ClassFor(g.movers[at-1], loser)]; g.movers[at-1] == g.movers[at] || c != 1 {
		t.Errorf("the class that the next ply proves has weight %v for the player before it", c)
	}
	sampler.write(batch, 0, &w, sample{position: at + 1}, 0.25)
	q := make([]float32, 2)
	r.Plies[at+1].Classes.Normalise(q)
	for k := range q {
		want := 0.25 * q[k]
		if k == game.ClassFor(g.movers[at+1], r.Outcome) {
			want += 0.75
		}
		if math.Abs(float64(batch.Outcome[k]-want)) > 1e-6 {
			t.Errorf("class %d has weight %v, want %v", k, batch.Outcome[k], want)
		}
	}
}

// TestStarts: an eighth of the games start from the empty board, half after random plies, up to 0.6 of the mean length of a
// game, and the rest after up to 6 plies from the policy.
func TestStarts(t *testing.T) {
	game := newGame(t, "quad-7x7")
	settings := rundir.DefaultSettings(game)
	g := newGamesInProgress(game, &settings, 1, 1)[0]
	g.meanPlies = 20
	const n = 20000
	empty, random, policy, longest, most := 0, 0, 0, 0, 0
	for range n {
		g.opened, g.policyPlies = false, 0
		g.beginGame()
		switch opening := len(g.record.Opening); {
		case g.policyPlies > 0:
			policy, most = policy+1, max(most, g.policyPlies)
		case opening > 0:
			random, longest = random+1, max(longest, opening)
		default:
			empty++
		}
	}
	for i, got := range []int{empty, random, policy} {
		if want := n * []float64{0.125, 0.5, 0.375}[i]; math.Abs(float64(got)-want) > 0.02*n {
			t.Errorf("%d games of kind %d; want about %v", got, i, want)
		}
	}
	if longest != 12 || most != 6 {
		t.Errorf("up to %d random plies and %d from the policy; want 12 and 6", longest, most)
	}
}

// TestPlyClasses plays with an evaluator that is sure of First's win, whoever moves: the classes recorded with a ply
// are those of its player to move, after a block too.
func TestPlyClasses(t *testing.T) {
	game := newGame(t, "quad-7x7")
	settings := rundir.DefaultSettings(game)
	settings.Simulations = 8
	g := newGamesInProgress(game, &settings, 1, 1)[0]
	g.search = mcts.New(game, mcts.DefaultConfig())
	g.meanPlies, g.pliesLeft = 10, 600
	b := mcts.NewBatcher(game, firstWins{game}, 1, 0)
	for g.advance(b) {
		b.Flush()
	}
	checked, again := 0, 0
	for _, r := range append(g.finished, g.record) {
		movers := recordtest.Movers(game, r)
		for i, p := range r.Plies {
			if len(r.Opening)+i > 3 {
				break // the end of the game is near enough to be seen, which the evaluator cannot change
			}
			checked++
			if i > 0 && movers[i] == movers[i-1] {
				again++
			}
			if first := p.Classes[game.ClassFor(movers[i], 0)]; first < record.Unit-1 {
				t.Fatalf("ply %d of %s gives First's win %d of %d", i, game.Players[movers[i]], first, record.Unit)
			}
		}
	}
	if checked < 20 || again == 0 {
		t.Fatalf("%d plies checked, %d after a block", checked, again)
	}
}

// firstWins is an evaluator that is sure of First's win.
type firstWins struct{ game *env.Game }

func (ev firstWins) Evaluate(states []env.State, logits, classes, goals []float32) {
	mcts.Uniform{}.Evaluate(states, logits, classes, goals)
	clear(classes)
	for i, state := range states {
		classes[i*len(ev.game.Classes)+ev.game.ClassFor(state.Player(), 0)] = 1
	}
}

// leaning is an evaluator that finds another class likely in each position.
type leaning struct{ game *env.Game }

func (l leaning) Evaluate(states []env.State, logits, classes, _ []float32) {
	clear(logits)
	clear(classes)
	for i, state := range states {
		key := state.Key()
		classes[i*len(l.game.Classes)+int(key.Hash()%uint64(len(l.game.Classes)))] = 1
	}
}

// TestPlyIsTheMovePlayed compares the recorded ply with the result of the search: its move, its policy target, the
// classes that the search expects in the position, and whether another move than its best was drawn.
func TestPlyIsTheMovePlayed(t *testing.T) {
	game := newGame(t, "quad-7x7")
	settings := rundir.DefaultSettings(game)
	g := newGamesInProgress(game, &settings, 1, 1)[0]
	g.search = mcts.New(game, mcts.DefaultConfig())
	g.explorationPlies = 4
	b := mcts.NewBatcher(game, leaning{game}, 1, 0)
	rec := g.record
	for !rec.Done {
		g.startSearch(16, g.rng)
		g.search.Run(b)
		moves := slices.Clone(g.search.Moves())
		classes := make([]float32, len(game.Classes)) // the mean over the moves
		for i, m := range moves {
			g.search.MoveClasses(g.classes, i)
			for k, share := range g.classes {
				classes[k] += m.Policy * share
			}
		}
		class, proven := g.search.Proven()
		if proven {
			clear(classes)
			classes[class] = 1
		}
		best, n := g.search.Best(), len(rec.Plies)
		g.playSearched()
		ply := &rec.Plies[n]
		i := slices.IndexFunc(moves, func(m mcts.Move) bool { return m.Action == ply.Action })
		if i < 0 || n >= 4 && ply.Action != best {
			t.Fatalf("ply %d is action %d; the search chose %d", n, ply.Action, best)
		}
		if ply.Explored != (ply.Action != best) || proven != (ply.Proven >= 0) || proven && int(ply.Proven) != class {
			t.Fatalf("ply %d is action %d, explored %v, proven class %d; the search chose %d", n, ply.Action, ply.Explored, ply.Proven, best)
		}
		var policy []float32
		for _, m := range moves {
			policy = append(policy, m.Policy)
		}
		if !slices.Equal(ply.Policy, record.Quantise(nil, policy)) || !slices.Equal(ply.Classes, record.Quantise(nil, classes)) {
			t.Fatalf("ply %d has policy %v and classes %v, want %v; move %d is %+v", n, ply.Policy, ply.Classes, classes, i, moves[i])
		}
	}
	if len(rec.Plies) < 6 {
		t.Fatalf("the game has %d plies", len(rec.Plies))
	}
}

// TestGeneration counts the plies of a generation, by game and in all, when games wait for their turn.
func TestGeneration(t *testing.T) {
	game := newGame(t, "quad-5x5")
	settings := rundir.DefaultSettings(game)
	for _, threads := range []int{1, 3} {
		play := newSelfPlay(newGamesInProgress(game, &settings, 1, 80), threads, 64)
		for _, g := range play.games {
			g.meanPlies = 10
		}
		for generation := 1; generation <= 3; generation++ {
			play.begin(uniform, 2)
			if err := play.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i, g := range play.games {
				plies := len(g.record.Plies)
				for _, r := range g.finished {
					plies += len(r.Plies)
				}
				if plies != 2*generation || g.search != nil {
					t.Fatalf("%d threads: game %d has %d plies after generation %d of 2", threads, i, plies, generation)
				}
			}
			if n := play.played.Load(); n != int64(2*len(play.games)) {
				t.Fatalf("%d threads: %d plies counted in generation %d", threads, n, generation)
			}
		}
	}
}

// TestValidationSet: no game is in both sets, and the sizes of their windows follow from what was added.
func TestValidationSet(t *testing.T) {
	game := newGame(t, "quad-5x5")
	settings := rundir.DefaultSettings(game)
	settings.ValidationShare, settings.ReplayWindow = 0.3, 200
	l := newLearner(game, &settings, 1, nil, parallel.Runner(1))
	rng := rand.New(rand.NewPCG(9, 9))
	n := 0
	var added positionCounts
	for range 30 {
		var records []*record.Record
		for range 5 {
			records = append(records, recordtest.Random(game, rng))
		}
		added = l.add(records, n, added)
		n += len(records)
		for _, r := range l.validation.records() {
			if slices.Contains(l.training.records(), r) {
				t.Fatal("a game of the validation set is trained on")
			}
		}
	}
	if share := float64(added.Validation) / float64(added.Validation+added.Training); math.Abs(share-0.3) > 0.1 {
		t.Errorf("%.2f of the positions are in the validation set", share)
	}
	if sizes := l.windowSizes(added); l.training.positions < sizes.Training || l.validation.positions < sizes.Validation {
		t.Errorf("windows of %d and %d positions, should be %+v", l.training.positions, l.validation.positions, sizes)
	}
	if sizes := l.windowSizes(positionCounts{Training: 1e9, Validation: 1e9}); sizes.Training != maxWindow || sizes.Validation != 0.3*maxWindow {
		t.Errorf("windows end with %+v positions", sizes)
	}
}

// TestPlan: a time plan fills its time, with games short enough to end often. It has enough generations, and none lasts
// longer than two minutes.
func TestPlan(t *testing.T) {
	for _, name := range games.Names() {
		game := newGame(t, name)
		settings := rundir.DefaultSettings(game)
		for _, c := range []cost{
			{position: 0.0005, step: 0.05, generation: 0.05}, {position: 0.002, step: 0.13, generation: 0.05},
			{position: 0.03, step: 1.5, generation: 0.05},
		} {
			for _, limit := range []time.Duration{5 * time.Minute, 10 * time.Hour, 24 * time.Hour, MaxTime} {
				p, err := timePlan(limit.Seconds(), game, &settings, c)
				if err != nil {
					t.Fatal(err)
				}
				position := c.position + settings.SamplesPerPosition*(1-settings.ValidationShare)/float64(settings.BatchSize)*c.step
				generation := float64(p.ParallelGames*p.PliesPerGeneration)*position + c.generation
				seconds := float64(p.Generations) * generation
				if seconds > limit.Seconds() || seconds < limit.Seconds()*2/3 || p.ParallelGames < minParallel || p.Generations < 30 ||
					generation > maxGenerationSeconds ||
					p.Generations > targetGenerations*9/8 && generation < plannedGenerationSeconds/2 ||
					checkLength(0, p.Generations) != nil {
					t.Errorf("%s at %+v: plan %+v takes %.0f s of %v, a generation %.1f s", name, c, p, seconds, limit, generation)
				}
			}
		}
	}
}

// TestLongGenerations: settings that make a generation longer than two minutes are rejected; shorter ones are kept.
func TestLongGenerations(t *testing.T) {
	game, c := newGame(t, "quad-5x5"), cost{position: 0.002, step: 0.13, generation: 0.05}
	for _, test := range []struct {
		games, plies int
		ok           bool
	}{{65536, 0, false}, {0, 1000, false}, {1000, 100, false}, {512, 16, true}, {0, 20, true}} {
		settings := rundir.DefaultSettings(game)
		settings.ParallelGames, settings.PliesPerGeneration = test.games, test.plies
		p, err := timePlan(3600, game, &settings, c)
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "at most 120 s") {
			t.Errorf("%d games, %d plies: plan %+v, error %v", test.games, test.plies, p, err)
		}
	}
}

// TestLength: absurd lengths, and a time too short to measure the machine in, are rejected; no folder is left behind.
func TestLength(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct {
		time        time.Duration
		generations int
		says        string
	}{
		{999999 * time.Hour, 0, "at most 720h (30 days)"},
		{0, 1e9, "at most 100000"},
		{-time.Second, 0, "at most 720h"},
		{time.Microsecond, 0, "the time limit ended while this machine's speed was measured"},
	} {
		o := tiny(t, dir, c.generations)
		o.Time = c.time
		if _, err := Train(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, %d generations: error %v; want one that says %q", c.time, c.generations, err, c.says)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a rejected run left its folder behind")
	}
}

// TestRatingDue: a run is rated after every tenth of its plan, or somewhat more often if rated checkpoints are then
// kept, and at its end.
func TestRatingDue(t *testing.T) {
	for generations, want := range map[int][]int{
		25:  {3, 6, 9, 12, 15, 18, 21, 24, 25},
		145: {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 145},
	} {
		config := &rundir.Config{Plan: rundir.Plan{Generations: generations}, Settings: rundir.Settings{KeepEvery: 10}}
		var due []int
		for g := 1; g <= generations; g++ {
			if ratingDue(config, g) {
				due = append(due, g)
			}
		}
		if !slices.Equal(due, want) {
			t.Errorf("rated after generations %v, want %v", due, want)
		}
	}
}

// TestAdjust: a plan made for a machine half as fast becomes twice as long, and vice versa.
func TestAdjust(t *testing.T) {
	for _, seconds := range []float64{1, 4} {
		p := rundir.Plan{Seconds: 200, Generations: 90}
		settings := rundir.Settings{RatingShare: 0.05} // 2 % at the end, 3 % on the way
		adjustPlan(&p, 10, []float64{seconds, seconds, seconds}, 10*seconds, &settings)
		end := 10*seconds + float64(p.Generations-10)*seconds
		if want := 10*seconds + (200*0.98-10*seconds)*0.97*safety; math.Abs(end-want) > seconds || p.Adjusted != 0 {
			t.Errorf("%v s a generation: %+v ends after %v s, want %v", seconds, p, end, want)
		}
	}
	// Generations that turn out too long get shorter, unless the settings fix their plies.
	for fixed, want := range map[int]int{0: 3, 8: 8} {
		p := rundir.Plan{Seconds: 86400, Generations: 900, PliesPerGeneration: 8}
		adjustPlan(&p, 150, []float64{240, 240, 240}, 36000, &rundir.Settings{PliesPerGeneration: fixed})
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
			if adjustmentDue(&p, g+1, len(recent)) {
				adjustPlan(&p, g, recent, spent, &rundir.Settings{})
			}
			if decayed = g; spent+seconds > p.Seconds { // as replan stops
				break
			}
		}
		if off := spent/p.Seconds - 1; off < -0.01 || off > 0 || float64(decayed) < 0.98*float64(p.Generations) {
			t.Errorf("slower by %.2f at %.2f: %.1f %% off, %d generations of %d", speed, turn, 100*off, decayed, p.Generations)
		}
	}
}

func TestDiversity(t *testing.T) {
	game := newGame(t, "golden-rectangle")
	a, b := recordtest.Random(game, rand.New(rand.NewPCG(1, 1))), recordtest.Random(game, rand.New(rand.NewPCG(2, 2)))
	d := measureDiversity(game, []*record.Record{a, b, a, a})
	if d.Duplicates != 0.5 {
		t.Errorf("two games of which one is played three times: %v duplicates", d.Duplicates)
	}
	if got := d.Distinct[len(a.Opening)]; got != 0.5 && got != 0.25 {
		t.Errorf("share of distinct positions %v", got)
	}
	if one := measureDiversity(game, nil); one.MeanPlies != 0 {
		t.Error("no games have a length")
	}
}
