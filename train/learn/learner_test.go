package learn

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

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

// TestFill: the parts of a batch together make all of it, whatever its size and the number of goroutines.
func TestFill(t *testing.T) {
	game := games.Must("quad-5x5")
	settings := rundir.DefaultSettings(game)
	for _, settings.BatchSize = range []int{8, 13, 100} {
		l := newLearner([]*env.Game{game}, &settings, 1, nil, parallel.Runner(2))
		s := l.sizes[0]
		s.training.add([]*record.Record{recordtest.Random(game, rand.New(rand.NewPCG(3, 3)))}, 1)
		l.draw(&s.training, rand.New(rand.NewPCG(4, 4)))
		l.fill(s, &s.training, 0.25)
		want, rng, sampler := model.NewBatch(game, settings.BatchSize), rand.New(rand.NewPCG(4, 4)), newSampler(game)
		for i := range want.Size {
			position := rng.IntN(s.training.positions)
			sampler.write(want, i, &s.training, sample{position, rng.IntN(len(game.Symmetries))}, 0.25)
		}
		if !reflect.DeepEqual(s.batch, want) {
			t.Errorf("a batch of %d has samples that are not those drawn", settings.BatchSize)
		}
	}
}

// TestValidationSet: no game is in both sets, and the sizes of their windows follow from what was added.
func TestValidationSet(t *testing.T) {
	game := games.Must("quad-5x5")
	settings := rundir.DefaultSettings(game)
	settings.ValidationShare, settings.ReplayWindow = 0.3, 200
	l := newLearner([]*env.Game{game}, &settings, 1, nil, parallel.Runner(1))
	s, rng := l.sizes[0], rand.New(rand.NewPCG(9, 9))
	n := 0
	all := make([]Counts, 1)
	for range 30 {
		var records []*record.Record
		for range 5 {
			records = append(records, recordtest.Random(game, rng))
		}
		all = l.Add(records, n, all, 1)
		n += len(records)
		for _, r := range s.validation.records() {
			if slices.Contains(s.training.records(), r) {
				t.Fatal("a game of the validation set is trained on")
			}
		}
	}
	added := all[0]
	if share := float64(added.Validation) / float64(added.Validation+added.Training); math.Abs(share-0.3) > 0.1 {
		t.Errorf("%.2f of the positions are in the validation set", share)
	}
	if sizes := l.windowSizes(added); s.training.positions < sizes.Training || s.validation.positions < sizes.Validation {
		t.Errorf("windows of %d and %d positions, should be %+v", s.training.positions, s.validation.positions, sizes)
	}
	if sizes := l.windowSizes(Counts{Training: 1e9, Validation: 1e9}); sizes.Training != maxWindow || sizes.Validation != 0.3*maxWindow {
		t.Errorf("windows end with %+v positions", sizes)
	}
}

func TestDiversity(t *testing.T) {
	game := games.Must("golden-rectangle")
	a, b := recordtest.Random(game, rand.New(rand.NewPCG(1, 1))), recordtest.Random(game, rand.New(rand.NewPCG(2, 2)))
	if d := Diversity(nil); d != (rundir.Diversity{}) {
		t.Errorf("no games are %+v", d)
	}
	d := Diversity([]*record.Record{a, b, a, a})
	if want := float64(3*a.Length()+b.Length()) / 4; d.Duplicates != 0.5 || d.MeanPlies != want {
		t.Errorf("two games of which one is played three times: %+v, want a mean of %v plies", d, want)
	}
}

// TestRestore compares the windows and counts of a learner that is restored with those of one that was never
// interrupted. The run trains two sizes.
func TestRestore(t *testing.T) {
	boards := []*env.Game{games.Must("quad(size=4,quads=4,whites=1)"), games.Must("quad(size=5,quads=4,whites=1)")}
	settings := rundir.DefaultSettings(boards[0])
	settings.BatchSize, settings.ReplayWindow, settings.ValidationShare = 16, 100, 0.2
	rng := rand.New(rand.NewPCG(1, 2))
	whole, restored := newLearner(boards, &settings, 1, nil, nil), newLearner(boards, &settings, 1, nil, nil)
	var generations [][]*record.Record
	var firsts []int
	counts := make([]Counts, 2)
	games := 0
	for g := range 12 {
		var records []*record.Record
		for i := range 6 {
			records = append(records, recordtest.Random(boards[min(g%3, 1)*i/3], rng)) // a third of them only small ones
		}
		if g == 3 {
			records = nil // the file is lost
		}
		generations, firsts = append(generations, records), append(firsts, games)
		counts = whole.Add(records, games, counts, 1)
		games += len(records)
	}
	read := func(generation int) ([]*record.Record, int, error) {
		return generations[generation-1], firsts[generation-1], nil
	}
	if err := restored.Restore(counts, 12, read); err != nil {
		t.Fatal(err)
	}
	total := 0
	for i, w := range whole.sizes {
		r := restored.sizes[i]
		if !reflect.DeepEqual(r.training, w.training) || !reflect.DeepEqual(r.validation, w.validation) {
			t.Errorf("the windows of size %d differ", i)
		}
		if w.training.positions >= counts[i].Training || counts[i].Weight > float64(counts[i].Training) {
			t.Errorf("the window dropped none of %d positions", counts[i].Training)
		}
		if w.training.positions == 0 || w.validation.positions == 0 {
			t.Errorf("%d positions for training, %d for validation", w.training.positions, w.validation.positions)
		}
		for _, g := range w.training.games {
			if g.Game != boards[i] {
				t.Errorf("the window of size %d holds a game of %s", i, g.Game.Name)
			}
		}
		total += w.training.positions
	}
	if whole.Positions() != total {
		t.Errorf("%d positions, want %d", whole.Positions(), total)
	}
	broken := errors.New("broken")
	err := newLearner(boards, &settings, 1, nil, nil).Restore(counts, 9, func(int) ([]*record.Record, int, error) { return nil, 0, broken })
	if !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// TestTrainLosses: the losses of a generation are means over the steps of its own size. Uniform policies have a loss of
// at most ln 9 on the small board and more on the large one; a learning rate of 0 keeps them uniform.
func TestTrainLosses(t *testing.T) {
	small, large := games.Must("hex(size=3,swap=0)"), games.Must("hex(size=9,swap=0)")
	boards := []*env.Game{small, large}
	settings := rundir.DefaultSettings(large)
	settings.BatchSize, settings.LearningRate, settings.ValidationShare = 16, 0, 0.2
	rng := rand.New(rand.NewPCG(1, 1))
	weights := infer.NewWeights(large, infer.Config{Game: large.Name, Channels: 4, Blocks: 1, Pooled: true}, rng)
	l, err := New(boards, &settings, 1, weights, 1)
	if err != nil {
		t.Fatal(err)
	}
	var records []*record.Record
	for i := range 80 {
		r := recordtest.Random(boards[i%2], rng)
		for i := range r.Plies {
			r.Plies[i].TrainPolicy = true
		}
		records = append(records, r)
	}
	l.Add(records, 0, make([]Counts, 2), 1)
	for _, c := range []struct {
		game  *env.Game
		steps []int
	}{{small, []int{2, 3}}, {large, []int{3, 2}}, {small, []int{0, 2}}, {large, []int{2, 0}}} {
		m := rundir.Metrics{Generation: 1}
		if err := l.Train(t.Context(), &m, c.game, c.steps, 0.5, func(float64) {}); err != nil {
			t.Fatal(err)
		}
		own, low, high := c.steps[l.index(c.game)], 0.5, math.Log(9)
		if c.game == large {
			low, high = high+0.2, math.Log(81)
		}
		if x := m.ValidationPolicyLoss; x < low || x > high {
			t.Errorf("%s: validation policy loss %v", c.game.Name, x)
		}
		if own == 0 {
			low, high = 0, 0
		}
		if x := m.PolicyLoss; x < low || x > high || (m.OutcomeLoss > 0) != (own > 0) || (m.ReplyLoss > 0) != (own > 0) {
			t.Errorf("%s, %v steps: metrics %+v", c.game.Name, c.steps, m)
		}
		if x := m.OutcomeLoss; own > 0 && math.Abs(x-math.Ln2) > 1e-3 {
			t.Errorf("%s, %v steps: outcome loss %v, want ln 2", c.game.Name, c.steps, x)
		}
	}
}

// TestMixed: the steps of each size are spread evenly.
func TestMixed(t *testing.T) {
	for _, c := range []struct{ steps, want []int }{
		{[]int{0}, nil}, {[]int{3}, []int{0, 0, 0}}, {[]int{1, 0, 4}, []int{2, 2, 0, 2, 2}},
		{[]int{2, 2}, []int{0, 1, 0, 1}}, {[]int{1, 2, 3}, []int{2, 1, 0, 2, 1, 2}},
	} {
		if got := mixed(c.steps); !slices.Equal(got, c.want) {
			t.Errorf("%v steps: %v, want %v", c.steps, got, c.want)
		}
	}
}
