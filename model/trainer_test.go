package model

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/parallel"
)

// TestFreshLoss compares the losses of a fresh network, which predicts uniform policies and classes and goals of 0,
// with numbers computed by hand.
func TestFreshLoss(t *testing.T) {
	game := envtest.Board(2, 2, 2, 1, 0, 3, true)
	w := infer.NewWeights(game, infer.Config{Game: game.Name, Channels: 4, Blocks: 1}, newRand(1))
	b := NewBatch(game, 2)
	copy(b.LegalMask, []float32{1, 1, 0, 1, 1, 1, 1, 1})
	copy(b.Policy, []float32{1, 0, 0, 0, 0.5, 0.5, 0, 0})
	copy(b.PolicyWeight, []float32{1, 0.5})
	copy(b.Outcome, []float32{0, 1, 0, 0.5, 0.25, 0.25})
	copy(b.Goals, []float32{1, 0, 0.5, 0.5})
	got, err := newTrainer(t, game, w, DefaultConfig(), nil).Losses(b)
	if err != nil {
		t.Fatal(err)
	}
	want := Losses{
		Policy:  (math.Log(3) + 0.5*math.Log(4)) / 2, // three legal actions, and four of weight a half
		Outcome: math.Log(3),
		Goals:   (1 + 0.5*0.5 + 0.5*0.5) / 2,
	}
	want.Total = want.Policy + want.Outcome + 0.1*want.Goals
	if apart(got, want) > 1e-6 {
		t.Fatalf("losses %+v; want %+v", got, want)
	}
}

// TestWithoutFigureLayers: a network from the time before its game listed figures trains as it did.
func TestWithoutFigureLayers(t *testing.T) {
	game := games.Must("othello(size=4)")
	before := *game
	before.Figures = nil
	b, w := randomBatch(game, 16, 1), randomNetwork(&before, infer.Config{Game: game.Name, Channels: 8, Blocks: 1}, 1)
	var trained [2]*infer.Weights
	for i, g := range []*env.Game{&before, game} {
		tr := newTrainer(t, g, w.Clone(), DefaultConfig(), nil)
		if _, err := tr.Step(b, 0.01); err != nil {
			t.Fatal(err)
		}
		trained[i] = tr.params.weights
	}
	if !reflect.DeepEqual(trained[0], trained[1]) {
		t.Error("the game with figures changes the step")
	}
}

// TestCrossEntropyRow uses an example computed by hand: legal exponentials 1, 2, 4 give probabilities 1/7, 2/7, 4/7.
func TestCrossEntropyRow(t *testing.T) {
	x := []float32{0, 500, float32(math.Log(2)), float32(math.Log(4))}
	target, legal := []float32{0, 0, 0.5, 0.5}, []float32{1, 0, 1, 1}
	gradient := make([]float32, 4)
	loss := crossEntropyRow(x, target, legal, 2, gradient)
	if want := 0.5*math.Log(7./2) + 0.5*math.Log(7./4); math.Abs(loss-want) > 1e-6 {
		t.Errorf("cross-entropy %v; want %v", loss, want)
	}
	for i, want := range []float64{2. / 7, 0, 4./7 - 1, 8./7 - 1} {
		if math.Abs(float64(gradient[i])-want) > 1e-6 {
			t.Errorf("gradient %v; want %v at %d", gradient, want, i)
		}
	}
}

// TestOverfit trains on one batch only: the losses of policy and reply fall to the entropy of their targets, the
// outcome loss to zero, and illegal actions with huge logits have no effect.
func TestOverfit(t *testing.T) {
	game := envtest.Board(3, 3, 3, 2, 1, 3, true)
	w := infer.NewWeights(game, infer.Config{Game: game.Name, Channels: 16, Blocks: 1}, newRand(1))
	b := randomBatch(game, 32, 2)
	k := len(game.Classes)
	clear(b.Outcome)
	for r := range b.Size {
		b.Outcome[r*k+r%k] = 1
		b.PolicyWeight[r], b.ReplyWeight[r] = 1, 1
	}
	policyEntropy, replyEntropy := meanEntropy(b.Policy, b.PolicyWeight), meanEntropy(b.Reply, b.ReplyWeight)
	config := DefaultConfig()
	config.WeightDecay, config.GoalWeight, config.ReplyWeight = 0, 1, 1
	tr := newTrainer(t, game, w, config, nil)
	var got Losses
	for step := range 600 {
		var err error
		if got, err = tr.Step(b, 3e-3*(1-float64(step)/600)); err != nil {
			t.Fatal(err)
		}
	}
	if got.Policy-policyEntropy > 0.02 || got.Policy < policyEntropy-1e-6 || got.Outcome > 0.02 || got.Goals > 0.02 ||
		got.Reply-replyEntropy > 0.02 || got.Reply < replyEntropy-1e-6 {
		t.Errorf("after 600 steps on one batch: %+v; the entropies of the targets are %v and %v", got, policyEntropy, replyEntropy)
	}
	for i, p := range policyOf(t, game, tr.params.weights, b) {
		if b.LegalMask[i] == 0 && p != 0 || math.Abs(float64(p-b.Policy[i])) > 0.15 {
			t.Fatalf("probability %v of action %d; its target is %v, legal %v", p, i, b.Policy[i], b.LegalMask[i])
		}
	}
}

// policyOf returns the policy for the batch, over legal actions.
func policyOf(t *testing.T, game *env.Game, w *infer.Weights, b *Batch) []float32 {
	logits, _, _ := inferred(t, game, w, b)
	actions := game.NumActions()
	p := make([]float32, len(logits))
	for r := range b.Size {
		sum := 0.0
		for i := r * actions; i < (r+1)*actions; i++ {
			p[i] = b.LegalMask[i] * float32(math.Exp(float64(logits[i])))
			sum += float64(p[i])
		}
		for i := r * actions; i < (r+1)*actions; i++ {
			p[i] = float32(float64(p[i]) / sum)
		}
	}
	return p
}

func inferred(t *testing.T, game *env.Game, w *infer.Weights, b *Batch) (logits, classes, goals []float32) {
	t.Helper()
	n, err := infer.NewNetwork(game, w)
	if err != nil {
		t.Fatal(err)
	}
	logits, classes = make([]float32, b.Size*game.NumActions()), make([]float32, b.Size*len(game.Classes))
	if game.GoalHead {
		goals = make([]float32, 2*b.Size)
	}
	n.NewEvaluator(b.Size).EvaluateTensors(b.Inputs, logits, classes, goals)
	return logits, classes, goals
}

// TestInferAgrees compares inference with the training graph on positions of all games, and for other sizes of the
// network.
func TestInferAgrees(t *testing.T) {
	type network struct {
		game             string
		channels, blocks int // 0 channels: the default
	}
	networks := []network{{"tic-tac-toe", 12, 1}, {"tic-tac-toe", 8, 0}, {"hex-5x5", 12, 1}}
	for _, name := range games.Names() {
		networks = append(networks, network{game: name})
	}
	for _, n := range networks {
		game := games.Must(n.game)
		config := infer.DefaultConfig(game)
		if n.channels > 0 {
			config.Channels, config.Blocks = n.channels, n.blocks
		}
		w := randomWeights(game, config.Channels, config.Blocks, 1)
		checkAgrees(t, newTrainer(t, game, w, DefaultConfig(), nil), game, w)
	}
}

// checkAgrees compares inference by w with the training graph of game in tr, whose weights are w's.
func checkAgrees(t *testing.T, tr *Trainer, game *env.Game, w *infer.Weights) {
	t.Helper()
	b := randomBatch(game, partRows, 1)
	for i, s := range envtest.Positions(game, 1, partRows) {
		s.Encode(b.Inputs[i*game.Tensor.Size() : (i+1)*game.Tensor.Size()])
	}
	logits, classes, goals := inferred(t, game, w, b)
	if _, err := tr.Losses(b); err != nil {
		t.Fatal(err)
	}
	size := slices.IndexFunc(tr.sizes, func(s *size) bool { return s.game == game })
	graph := tr.sizes[size].lossGraphs.idle[0]
	actions, k := game.NumActions(), len(game.Classes)
	width := len(graph.outputs) / partRows
	for r := range b.Size {
		output := slices.Clone(graph.outputs[r*width : (r+1)*width])
		within(t, game.Name+" logits", logits[r*actions:(r+1)*actions], output[:actions], 1e-3, 1e-3)
		output = output[2*actions:] // after the reply
		probabilities(output[:k])
		within(t, game.Name+" classes", classes[r*k:(r+1)*k], output[:k], 1e-4, 0)
		if game.GoalHead {
			within(t, game.Name+" goals", goals[2*r:2*r+2], output[k:], 1e-4, 1e-4)
		}
	}
}

func probabilities(x []float32) {
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v))
	}
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v)) / sum)
	}
}

func within(t *testing.T, what string, got, want []float32, absolute, relative float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values; want %d", what, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); d > max(absolute, relative*math.Abs(float64(want[i]))) {
			t.Fatalf("%s: %v at %d; the training graph has %v", what, got[i], i, want[i])
		}
	}
}

// train does the steps numbered from to to-1. The number of a step is the seed of its batch.
func train(t *testing.T, tr *Trainer, from, to int) {
	t.Helper()
	for step := from; step < to; step++ {
		if _, err := tr.Step(randomBatch(tr.game, 3*partRows+7, uint64(step)), 1e-3); err != nil {
			t.Fatal(err)
		}
	}
}

// TestParallel trains on one to 64 goroutines: parts that are not all full must give the same bits.
func TestParallel(t *testing.T) {
	for _, game := range []*env.Game{
		withFigures(envtest.Board(3, 3, 4, 2, 2, 3, true)), withManyFigures(envtest.Board(3, 2, 9, 2, 1, 3, true)),
		envtest.Board(3, 2, 9, 2, 1, 3, true),
	} {
		var want []byte
		for _, threads := range []int{0, 1, 2, 3, 7, 16, 64} {
			run := parallel.Runner(threads)
			if threads == 0 {
				run = nil
			}
			tr := newTrainer(t, game, randomWeights(game, 8, 2, 1), DefaultConfig(), run)
			train(t, tr, 0, 5)
			if got := tr.MarshalState(); want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%d goroutines changed the result", threads)
			}
		}
	}
}

// TestParts computes the gradients of a batch, of the same samples doubled, which have twice the parts, and of the
// batch again. All have the same mean losses and gradients but for rounding, so nothing is left over from the batch
// before.
func TestParts(t *testing.T) {
	game := withFigures(envtest.Board(3, 3, 4, 2, 2, 3, true))
	once := randomBatch(game, 2*partRows, 1)
	twice := NewBatch(game, 2*once.Size)
	for i, a := range once.arrays() {
		*twice.arrays()[i].values = slices.Concat(*a.values, *a.values)
	}
	tr := newTrainer(t, game, randomWeights(game, 8, 2, 1), DefaultConfig(), nil)
	var first [][]float32
	for i, b := range []*Batch{once, twice, once} {
		if _, err := tr.computeGradients(b); err != nil {
			t.Fatal(err)
		}
		for j, g := range tr.gradients {
			if i == 0 {
				first = append(first, slices.Clone(g))
			} else if d := distance(g, first[j]); d > 1e-6 || i == 2 && d > 0 {
				t.Errorf("batch %d: the gradient of %s is %.1e off", i, tr.params.tensors[j].Name, d)
			}
		}
	}
}

// TestRate checks that a step uses its learning rate: without weight decay Adam's first step moves each weight by the
// rate, or by less if its gradient is tiny.
func TestRate(t *testing.T) {
	game := envtest.Board(3, 3, 4, 2, 2, 3, true)
	w := randomWeights(game, 8, 1, 1)
	config := DefaultConfig()
	config.WeightDecay = 0
	for _, rate := range []float64{0, 1e-3, 1e-2} {
		tr := newTrainer(t, game, w, config, nil)
		if _, err := tr.Step(randomBatch(game, 8, 1), rate); err != nil {
			t.Fatal(err)
		}
		furthest := 0.0
		for i, before := range w.Tensors {
			for j, v := range tr.params.values[i] {
				furthest = max(furthest, math.Abs(float64(v-before.Data[j])))
			}
		}
		if math.Abs(furthest-rate) > 1e-3*rate {
			t.Errorf("a step at rate %v moves weights by %v", rate, furthest)
		}
	}
}

// TestStepAllocatesNothing counts the allocations of a step after the first ones, on one and on two goroutines.
func TestStepAllocatesNothing(t *testing.T) {
	game := withFigures(envtest.Board(3, 3, 4, 2, 2, 3, true))
	b := randomBatch(game, 3*partRows+7, 1)
	for _, parallel := range []func(int, func(int)){nil, parallel.Runner(2)} {
		tr := newTrainer(t, game, randomWeights(game, 8, 2, 1), DefaultConfig(), parallel)
		step := func() {
			if _, err := tr.Step(b, 1e-3); err != nil {
				t.Fatal(err)
			}
		}
		graphs := &tr.sizes[0].stepGraphs
		first, second := graphs.take(), graphs.take() // two goroutines may need as many graphs
		graphs.put(first)
		graphs.put(second)
		scratches := [2]*scratch{tr.scratches.take(), tr.scratches.take()}
		for _, s := range scratches {
			for _, prepare := range tr.sizes[0].prepare {
				prepare(&s.kernel)
			}
			tr.scratches.put(s)
		}
		for range 10 {
			step()
		}
		if n := testing.AllocsPerRun(20, step); n != 0 {
			t.Errorf("a warm step allocates %v objects; want 0", n)
		}
	}
}

// TestResume continues training in a new trainer from a saved state.
func TestResume(t *testing.T) {
	game := withFigures(envtest.Board(3, 3, 4, 2, 0, 3, false))
	game.Name = "gomoku-9x9"
	whole := newTrainer(t, game, randomWeights(game, 8, 1, 1), DefaultConfig(), nil)
	train(t, whole, 0, 6)

	first := newTrainer(t, game, randomWeights(game, 8, 1, 1), DefaultConfig(), nil)
	train(t, first, 0, 3)
	second := newTrainer(t, game, randomWeights(game, 8, 1, 2), DefaultConfig(), parallel.Runner(2))
	state := bytes.Replace(first.MarshalState(), []byte(`"gomoku-9x9"`), []byte(`"gomoku"    `), 1) // its former name
	if err := second.UnmarshalState(state); err != nil {
		t.Fatal(err)
	}
	if second.Steps() != 3 {
		t.Errorf("%d steps; want 3", second.Steps())
	}
	train(t, second, 3, 6)
	if !bytes.Equal(whole.MarshalState(), second.MarshalState()) {
		t.Error("a resumed trainer differs from one that was never stopped")
	}
	if !bytes.Equal(whole.AverageWeights().Marshal(), second.AverageWeights().Marshal()) {
		t.Error("a resumed trainer's average differs")
	}
}

func TestStateErrors(t *testing.T) {
	game := envtest.Board(3, 3, 4, 2, 0, 3, false)
	tr := newTrainer(t, game, randomWeights(game, 8, 1, 1), DefaultConfig(), nil)
	train(t, tr, 0, 1)
	state := tr.MarshalState()
	edit := func(from, to string) []byte { return bytes.Replace(state, []byte(from), []byte(to), 1) }
	for want, data := range map[string][]byte{
		"truncated":       state[:len(state)/2],
		"format is":       tr.params.weights.Marshal(),
		"version is":      edit(`"version":"3"`, `"version":"9"`),
		"game is":         edit(game.Name, strings.Repeat("x", len(game.Name))),
		"steps is":        edit(`"steps":"1"`, `"steps":"x"`),
		"want \"weights.": newTrainer(t, game, randomWeights(game, 4, 1, 1), DefaultConfig(), nil).MarshalState(),
		"tensors":         newTrainer(t, game, randomWeights(game, 8, 2, 1), DefaultConfig(), nil).MarshalState(),
	} {
		err := tr.UnmarshalState(data)
		if !errors.Is(err, ErrState) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
	if !bytes.Equal(state, tr.MarshalState()) {
		t.Error("a bad state changed the trainer")
	}
}

// TestReplyHead: a new trainer has a reply head of zeros, also one that starts from a trained network: its first reply
// loss is that of uniform play. The network to play with has no reply head, but its tower has learned by it.
func TestReplyHead(t *testing.T) {
	game := withFigures(envtest.Board(3, 3, 4, 2, 2, 3, true))
	w := randomWeights(game, 8, 2, 1)
	b := randomBatch(game, partRows, 1)
	uniform, actions := 0.0, game.NumActions()
	for r, weight := range b.ReplyWeight {
		legal := 0.0
		for _, v := range b.ReplyMask[r*actions : (r+1)*actions] {
			legal += float64(v)
		}
		uniform += float64(weight) * math.Log(legal) / float64(b.Size)
	}
	var with, without *infer.Weights
	for _, weight := range []float64{0, 0.15} {
		config := DefaultConfig()
		config.ReplyWeight = weight
		tr := newTrainer(t, game, w, config, nil)
		for range 3 { // zeros pass no gradient to the tower in the first step
			if _, err := tr.Step(b, 1e-3); err != nil {
				t.Fatal(err)
			}
		}
		without, with = with, tr.AverageWeights()
	}
	if slices.Equal(with.Lookup("stem.conv").Data, without.Lookup("stem.conv").Data) {
		t.Error("the tower does not learn by the reply")
	}
	if err := with.Validate(game); err != nil {
		t.Error(err)
	}
	for _, start := range []*infer.Weights{w, with} {
		losses, err := newTrainer(t, game, start, DefaultConfig(), nil).Losses(b)
		if err != nil || math.Abs(losses.Reply-uniform) > 1e-5 {
			t.Errorf("the first reply loss is %v, that of uniform play %v; error %v", losses.Reply, uniform, err)
		}
	}
}

// TestAverage compares the moving average with its definition: the mean of the first 20 weights, then a horizon of 20
// steps.
func TestAverage(t *testing.T) {
	game := envtest.Board(1, 2, 2, 1, 0, 2, false)
	tr := newTrainer(t, game, randomWeights(game, 4, 0, 1), DefaultConfig(), nil)
	want := 0.0
	for step := 1; step <= 25; step++ {
		train(t, tr, step, step+1)
		live := float64(tr.params.weights.Lookup("stem.bias").Data[0])
		want += (live - want) / min(float64(step), 20)
		if got := float64(tr.AverageWeights().Lookup("stem.bias").Data[0]); math.Abs(got-want) > 1e-5 {
			t.Fatalf("average %v after %d steps; want %v", got, step, want)
		}
	}
}

// newTestOptimizer returns an optimizer of a matrix and a vector, with a function that does a step with their
// gradients.
func newTestOptimizer(config Config, matrix, vector []float32) (*optimizer, func(dMatrix, dVector []float32) error) {
	p := &parameters{
		tensors: []infer.Tensor{{Shape: []int{1, len(matrix)}}, {Shape: []int{len(vector)}}},
		values:  [][]float32{matrix, vector},
	}
	gradients := p.zeros()
	s := newOptimizer(config, p, func(n int, do func(i int)) {
		for i := range n {
			do(i)
		}
	})
	return s, func(dMatrix, dVector []float32) error {
		copy(gradients[0], dMatrix)
		copy(gradients[1], dVector)
		return s.step(0.1, gradients)
	}
}

// TestAdamW compares two steps with numbers computed by hand. The first step moves a weight by rate g/|g| for any g.
func TestAdamW(t *testing.T) {
	config := Config{WeightDecay: 0.5}
	matrix, vector := []float32{1, -2}, []float32{1, -2}
	_, step := newTestOptimizer(config, matrix, vector)
	if err := step([]float32{0.3, 0}, []float32{0.3, 0}); err != nil {
		t.Fatal(err)
	}
	nearly(t, "decaying weights", matrix, 1-0.1-0.05, -2+0.1)
	nearly(t, "others", vector, 1-0.1, -2)
	if err := step([]float32{-0.1, 0}, []float32{-0.1, 0}); err != nil {
		t.Fatal(err)
	}
	m := (0.9*0.03 - 0.01) / (1 - 0.81)                      // first moment 0.1*0.3, then its mean with -0.1
	v := (0.999*0.001*0.09 + 0.001*0.01) / (1 - 0.999*0.999) // second moment likewise
	nearly(t, "after two steps", vector, 0.9-0.1*m/math.Sqrt(v), -2)
}

// TestClip checks that a gradient of norm 5 over both parameters is scaled to 1, and that one of norm 0.8 stays.
func TestClip(t *testing.T) {
	for _, c := range []struct{ scale, want float32 }{{1, 0.2}, {0.16, 1}} {
		s, step := newTestOptimizer(DefaultConfig(), []float32{0, 0}, []float32{0, 0})
		if err := step([]float32{3 * c.scale, 0}, []float32{0, 4 * c.scale}); err != nil {
			t.Fatal(err)
		}
		nearly(t, "first moment", s.moment1[0], 0.1*float64(3*c.scale*c.want), 0)
		nearly(t, "first moment", s.moment1[1], 0, 0.1*float64(4*c.scale*c.want))
	}
}

func nearly(t *testing.T, what string, got []float32, want ...float64) {
	t.Helper()
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 1e-6 {
			t.Errorf("%s: %v; want %v", what, got, want)
			return
		}
	}
}

// TestDiverged trains on a batch with NaN: the step must fail and change nothing.
func TestDiverged(t *testing.T) {
	game := envtest.Board(1, 2, 2, 1, 0, 2, false)
	tr := newTrainer(t, game, randomWeights(game, 4, 1, 1), DefaultConfig(), nil)
	before := tr.MarshalState()
	b := randomBatch(game, 8, 1)
	b.Inputs[5] = float32(math.NaN())
	if _, err := tr.Step(b, 1e-3); !errors.Is(err, ErrDiverged) {
		t.Errorf("error %v; want ErrDiverged", err)
	}
	if !bytes.Equal(before, tr.MarshalState()) {
		t.Error("a failed step changed the trainer")
	}
}

func TestNewTrainerErrors(t *testing.T) {
	game := envtest.Board(1, 2, 2, 1, 0, 2, false)
	w := randomWeights(game, 4, 1, 1)
	if _, err := NewTrainer([]*env.Game{envtest.Board(2, 2, 2, 1, 0, 2, false)}, w, DefaultConfig(), nil); err == nil {
		t.Error("weights of another game are accepted")
	}
}
