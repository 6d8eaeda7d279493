package infer

import (
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

func newEvaluator(t testing.TB, game *env.Game, w *Weights, batch int) *Evaluator {
	t.Helper()
	n, err := NewNetwork(game, w)
	if err != nil {
		t.Fatal(err)
	}
	return n.NewEvaluator(batch)
}

// TestRowsIndependent evaluates positions alone, in batches of other sizes and orders, and by a network in other memory:
// the bits must be the same.
func TestRowsIndependent(t *testing.T) {
	for _, name := range games.Names() {
		game := games.Must(name)
		w := randomWeights(game, DefaultConfig(game), 1)
		states := envtest.Positions(game, 1, 9)
		actions, k := game.NumActions(), len(game.Classes)
		logits, classes := make([]float32, 9*actions), make([]float32, 9*k)
		e := newEvaluator(t, game, w, 4) // smaller than the batch
		var goals, g []float32
		if game.GoalHead {
			goals = make([]float32, 2*9)
		}
		e.Evaluate(states, logits, classes, goals)

		other := newEvaluator(t, game, w.Clone(), 16)
		slices.Reverse(states)
		for size := 1; size <= 3; size++ {
			for first := 0; first < 9; first += size {
				n := min(size, 9-first)
				l, c := make([]float32, n*actions), make([]float32, n*k)
				if game.GoalHead {
					g = make([]float32, 2*n)
				}
				other.Evaluate(states[first:first+n], l, c, g)
				for i := range n {
					r := 8 - first - i
					same := slices.Equal(l[i*actions:(i+1)*actions], logits[r*actions:(r+1)*actions]) &&
						slices.Equal(c[i*k:(i+1)*k], classes[r*k:(r+1)*k])
					if game.GoalHead {
						same = same && slices.Equal(g[2*i:2*i+2], goals[2*r:2*r+2])
					}
					if !same {
						t.Fatalf("%s: position %d has other bits in a batch of %d", name, r, size)
					}
				}
			}
		}
	}
}

// TestWithoutFigureLayers: a network from the time before its game listed figures stays valid and plays as it did, also
// after a file and on another size of the board.
func TestWithoutFigureLayers(t *testing.T) {
	game, large := games.Must("othello-6x6"), games.Must("othello")
	evaluated := func(game *env.Game, w *Weights) []float32 {
		logits, classes := make([]float32, 8*game.NumActions()), make([]float32, 8*len(game.Classes))
		newEvaluator(t, game, w, 8).Evaluate(envtest.Positions(game, 1, 8), logits, classes, nil)
		return append(logits, classes...)
	}
	before, largeBefore := *game, *large
	before.Figures, largeBefore.Figures = nil, nil
	old := randomWeights(&before, DefaultConfig(&before), 1)
	read, err := Unmarshal(old.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	if old.HasFigureLayers() || read.HasFigureLayers() || !randomWeights(game, DefaultConfig(game), 1).HasFigureLayers() {
		t.Error("an old network has figure layers, or a new one has not")
	}
	if err := randomWeights(game, DefaultConfig(game), 1).Validate(&before); err == nil {
		t.Error("a network with figure layers is valid for a game without figures")
	}
	want := evaluated(&before, old)
	if !slices.Equal(evaluated(game, old), want) || !slices.Equal(evaluated(game, read), want) {
		t.Error("the game with figures, or a file, changes the evaluations")
	}
	resized, err := old.Resize(game, large)
	if err != nil {
		t.Fatal(err)
	}
	resizedBefore, err := old.Resize(&before, &largeBefore)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(evaluated(large, resized), evaluated(&largeBefore, resizedBefore)) {
		t.Error("the game with figures changes the evaluations of a resized network")
	}
}

// TestEvaluateTensors checks that states and their tensors give the same.
func TestEvaluateTensors(t *testing.T) {
	game := games.Must("free-for-all-2p")
	e := newEvaluator(t, game, randomWeights(game, DefaultConfig(game), 1), 4)
	states := envtest.Positions(game, 1, 4)
	inputs := make([]float32, 4*game.Tensor.Size())
	for i, s := range states {
		s.Encode(inputs[i*game.Tensor.Size() : (i+1)*game.Tensor.Size()])
	}
	results := func(evaluate func(logits, classes, goals []float32), goals []float32) []float32 {
		logits, classes := make([]float32, 4*game.NumActions()), make([]float32, 4*len(game.Classes))
		evaluate(logits, classes, goals)
		return slices.Concat(logits, classes, goals)
	}
	fromStates := results(func(l, c, g []float32) { e.Evaluate(states, l, c, g) }, make([]float32, 8))
	fromTensors := func(l, c, g []float32) { e.EvaluateTensors(inputs, l, c, g) }
	if !slices.Equal(fromStates, results(fromTensors, make([]float32, 8))) {
		t.Error("tensors give other results than their states")
	}
	if !slices.Equal(fromStates[:len(fromStates)-8], results(fromTensors, nil)) {
		t.Error("without goals the rest is other")
	}
}

func TestWarmEvaluateAllocatesNothing(t *testing.T) {
	for _, name := range []string{"quad-5x5", "free-for-all-2p", "hex(size=9)"} { // the last is pooled
		game := games.Must(name)
		e := newEvaluator(t, game, randomWeights(game, DefaultConfig(game), 1), 8)
		states := envtest.Positions(game, 1, 8)
		logits, classes := make([]float32, 8*game.NumActions()), make([]float32, 8*len(game.Classes))
		if n := testing.AllocsPerRun(5, func() { e.Evaluate(states, logits, classes, nil) }); n != 0 {
			t.Errorf("%s: %v allocations a batch; want 0", name, n)
		}
	}
}

func TestEvaluatePanicsOnWrongSizes(t *testing.T) {
	game := envtest.Board(2, 3, 3, 1, 0, 2, false)
	e := newEvaluator(t, game, randomWeights(game, Config{Game: game.Name, Channels: 4, Blocks: 1}, 1), 1)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	e.EvaluateTensors(make([]float32, 18), make([]float32, 8), make([]float32, 2), nil)
}

func TestNewNetworkErrors(t *testing.T) {
	game := envtest.Board(2, 3, 3, 1, 0, 2, false)
	good := randomWeights(game, Config{Game: game.Name, Channels: 4, Blocks: 1}, 1)
	other := envtest.Board(3, 3, 3, 1, 0, 2, false)
	if _, err := NewNetwork(other, good); err == nil {
		t.Error("weights of another game are accepted")
	}
	renamed := *other
	renamed.Name = game.Name
	if _, err := NewNetwork(&renamed, good); err == nil {
		t.Error("weights of other shapes are accepted")
	}
	for name, spoil := range map[string]func(w *Weights){
		"missing tensor": func(w *Weights) { w.Tensors = w.Tensors[1:] },
		"other name":     func(w *Weights) { w.Tensors[0].Name = "x" },
		"other shape":    func(w *Weights) { w.Tensors[0].Shape = []int{4, 3, 3, 9} },
		"short data":     func(w *Weights) { w.Tensors[0].Data = w.Tensors[0].Data[1:] },
		"config":         func(w *Weights) { w.Config.Blocks = 2 },
	} {
		w := good.Clone()
		spoil(w)
		if _, err := NewNetwork(game, w); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
