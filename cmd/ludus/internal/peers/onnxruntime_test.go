package peers

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/model/infer"
)

// mustRun is the environment variable that makes a missing engine a failure rather than a reason to skip.
const mustRun = "LUDUS_TEST_PEERS"

// installed skips the test where a peer is missing.
func installed(t *testing.T, p *Peer, err error) *Peer {
	t.Helper()
	path := os.Getenv("NODE_PATH") // asking for it also makes the test's cached result depend on it
	if errors.Is(err, ErrMissing) && os.Getenv(mustRun) == "" {
		t.Skipf("%v; NODE_PATH is %q", err, path)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// randomWeights are weights none of whose tensors is zero, so that every part of the network matters.
func randomWeights(game *env.Game, config infer.Config) *infer.Weights {
	rng := rand.New(rand.NewPCG(7, 1))
	w := infer.NewWeights(game, config, rng)
	for _, t := range w.Tensors {
		deviation := 0.2
		if len(t.Shape) > 1 {
			deviation = math.Sqrt(float64(t.Shape[0]) / float64(len(t.Data)))
		}
		for i := range t.Data {
			t.Data[i] += float32(deviation * rng.NormFloat64())
		}
	}
	return w
}

// TestONNXRuntimeAgrees compares an exported model in ONNX Runtime with our own inference, in every game.
func TestONNXRuntimeAgrees(t *testing.T) {
	for _, name := range games.Names() {
		t.Run(name, func(t *testing.T) {
			game, err := games.New(name)
			if err != nil {
				t.Fatal(err)
			}
			w := randomWeights(game, infer.DefaultConfig(game))
			p, err := ONNXRuntime(t.Context(), game, w, 1)
			installed(t, p, err)
			network, err := infer.NewNetwork(game, w)
			if err != nil {
				t.Fatal(err)
			}
			for _, batch := range []int{1, 5, 32} {
				agree(t, game, network, p, envtest.Positions(game, uint64(batch), batch))
			}
		})
	}
}

// TestONNXRuntimeSaysWhatIsWrong holds that an error of the script quotes its reason.
func TestONNXRuntimeSaysWhatIsWrong(t *testing.T) {
	game, err := games.New("quad-5x5")
	if err != nil {
		t.Fatal(err)
	}
	p, err := ONNXRuntime(t.Context(), game, randomWeights(game, infer.DefaultConfig(game)), 1)
	installed(t, p, err)
	if _, err := p.evaluate(make([]float32, 1)); err == nil || !strings.Contains(err.Error(), "dims") {
		t.Errorf("a tensor that is too short gives %v", err)
	}
}

// agree evaluates states by both engines: probabilities and values are to be within 1e-4, the rest within 1e-3 of its
// size, or of 1 if that is more.
func agree(t *testing.T, game *env.Game, network *infer.Network, p *Peer, states []env.State) {
	t.Helper()
	batch, size, k := len(states), game.Tensor.Size(), len(game.Classes)
	inputs := make([]float32, batch*size)
	for i, s := range states {
		s.Encode(inputs[i*size : (i+1)*size])
	}
	want := map[string][]float32{
		"policy": make([]float32, batch*game.NumActions()), "outcome": make([]float32, batch*k), "value": make([]float32, batch),
	}
	evaluator := network.NewEvaluator(batch)
	evaluator.EvaluateTensors(inputs, want["policy"], want["outcome"])
	for i, p := range want["outcome"] {
		want["value"][i/k] += p * game.Classes[i%k].Utility
	}
	if game.GoalHead {
		want["goals"] = evaluator.Goals()
	}
	got, err := p.evaluate(inputs)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d outputs; want %d", len(got), len(want))
	}
	for output, values := range want {
		if len(got[output]) != len(values) {
			t.Fatalf("batch %d: %s has %d values; want %d", batch, output, len(got[output]), len(values))
		}
		for i, v := range values {
			tolerance := 1e-4
			if output == "policy" || output == "goals" {
				tolerance = 1e-3 * max(1, math.Abs(float64(v)))
			}
			if d := math.Abs(float64(got[output][i] - v)); !(d <= tolerance) {
				t.Fatalf("batch %d: %s[%d] is %v; ours is %v", batch, output, i, got[output][i], v)
			}
		}
	}
}
