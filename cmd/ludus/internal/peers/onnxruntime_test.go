package peers

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// mustRun is the environment variable that lists the packages that must be installed: onnxruntime-node of Node, onnx of
// Python. Tests of others are skipped.
const mustRun = "LUDUS_TEST_PEERS"

// missing skips the test because a package is not installed, or fails it if mustRun lists the package.
func missing(t *testing.T, name, reason string) {
	t.Helper()
	if slices.Contains(strings.Fields(os.Getenv(mustRun)), name) {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// runtime starts ONNX Runtime with the model of a network, or skips the test if it is not installed.
func runtime(t *testing.T, n network) *peer {
	t.Helper()
	path := os.Getenv("NODE_PATH") // asking for it also makes the test's cached result depend on it
	p, err := startRuntime(t.Context(), n.game, n.weights, 1)
	if errors.Is(err, errMissing) {
		missing(t, "onnxruntime-node", err.Error()+"; NODE_PATH is "+path)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

// randomWeights returns weights without zero tensors: every part of the network affects the outputs.
func randomWeights(game *env.Game, config infer.Config) *infer.Weights {
	rng := rand.New(rand.NewPCG(7, 1))
	w := infer.NewWeights(game, config, rng)
	for _, t := range w.Tensors {
		deviation := 0.2
		if len(t.Shape) > 1 {
			deviation = math.Sqrt(float64(t.Shape[0]) / float64(len(t.Data)))
		}
		if strings.HasPrefix(t.Name, "blocks.") && strings.HasSuffix(t.Name, ".cells.weight") {
			deviation /= 100 // else activations, and with them rounding errors, grow from block to block
		}
		if strings.HasPrefix(t.Name, "outcome.") {
			deviation /= 4 // else outcomes are sure, and the same everywhere
		}
		for i := range t.Data {
			t.Data[i] += float32(deviation * rng.NormFloat64())
		}
	}
	return w
}

// network is a network to compare.
type network struct {
	name    string
	game    *env.Game
	weights *infer.Weights
	file    string // with the weights
	fresh   bool   // untrained: all moves have the same prior
}

// networks returns a random network per game, and those in the files that match the pattern LUDUS_TEST_WEIGHTS, such as
// runs/*.safetensors.
func networks(t *testing.T) (list []network) {
	t.Helper()
	for _, name := range games.Names() {
		list = append(list, newNetwork(t, name))
	}
	files, err := filepath.Glob(os.Getenv("LUDUS_TEST_WEIGHTS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		weights, _, err := rundir.LoadWeights(agent.Reference{Path: file})
		if err != nil {
			t.Fatal(err)
		}
		game := games.Must(weights.Config.Game)
		list = append(list, network{name: filepath.Base(file), game: game, weights: weights, file: file})
	}
	return list
}

// newNetwork returns a random network.
func newNetwork(t *testing.T, name string) network {
	t.Helper()
	game := games.Must(name)
	return written(t, network{name: name, game: game, weights: randomWeights(game, infer.DefaultConfig(game))})
}

// untrained returns a network as it is before training.
func untrained(t *testing.T, name string) network {
	t.Helper()
	game := games.Must(name)
	weights := infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(7, 2)))
	return written(t, network{name: name, game: game, weights: weights, fresh: true})
}

// written writes a network to a file.
func written(t *testing.T, n network) network {
	t.Helper()
	n.file = filepath.Join(t.TempDir(), filepath.Base(n.name))
	if err := os.WriteFile(n.file, n.weights.Marshal(), 0o666); err != nil {
		t.Fatal(err)
	}
	return n
}

// policy returns the agent policy:FILE of the network.
func (n *network) policy(t *testing.T) agent.Agent {
	t.Helper()
	spec, err := agent.ParseFactory(n.game, "policy:"+n.file, rundir.LoadWeights)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := spec.New(1)
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

// TestONNXRuntimeAgrees compares exported models in ONNX Runtime with our inference: for every game the outputs for
// 200 positions of random games, one by one and in batches, and the best moves.
func TestONNXRuntimeAgrees(t *testing.T) {
	runtime(t, newNetwork(t, "quad-5x5")) // skips all games at once
	for _, n := range networks(t) {
		t.Run(n.name, func(t *testing.T) {
			p := runtime(t, n)
			states := envtest.Positions(n.game, 1, 200)
			bothMove(t, states)
			ours := n.evaluate(t, states)
			for _, batch := range []int{1, 37} { // 200 is not a multiple of 37: the last batch is smaller
				theirs := p.evaluateAll(t, n.game, states, batch)
				n.compare(t, batch, ours, theirs)
				if batch == 1 {
					n.compareMoves(t, states, theirs["policy"])
				}
			}
		})
	}
}

// TestONNXRuntimeSizes runs the model of a pooled network on boards of two sizes and compares with our inference on
// each.
func TestONNXRuntimeSizes(t *testing.T) {
	for _, names := range [][2]string{{"hex(size=9)", "hex(size=13)"}, {"othello-8x8", "othello(size=10)"},
		{"gomoku", "line-up(width=11,height=9,line=5,gravity=0)"}, {"quad(size=9)", "quad-7x7"}, {"golden-rectangle-9x9", "golden-rectangle"}} {
		game := games.Must(names[0])
		weights := randomWeights(game, infer.Config{Game: game.Name, Channels: 32, Blocks: 2, Pooled: true})
		p := runtime(t, network{name: names[0], game: game, weights: weights})
		for _, name := range names {
			n := network{name: name, game: games.Must(name), weights: weights}
			if n.game.Name != game.Name {
				resized, err := weights.Resize(game, n.game)
				if err != nil {
					t.Fatal(err)
				}
				n.weights = resized
			}
			states := envtest.Positions(n.game, 1, 100)
			n.compare(t, 37, n.evaluate(t, states), p.evaluateAll(t, n.game, states, 37))
		}
	}
}

// bothMove fails if one player is rarely to move.
func bothMove(t *testing.T, states []env.State) {
	t.Helper()
	var moves [2]int
	for _, s := range states {
		moves[s.Player()]++
	}
	if min(moves[0], moves[1]) < len(states)/4 {
		t.Errorf("of %d positions the players are to move in %v", len(states), moves)
	}
}

// encode returns the tensors [B, C, H, W] of states.
func encode(game *env.Game, states []env.State) []float32 {
	size := game.Tensor.Size()
	inputs := make([]float32, len(states)*size)
	for i, s := range states {
		s.Encode(inputs[i*size : (i+1)*size])
	}
	return inputs
}

// evaluate returns the outputs of our inference by name. Each output must differ between positions.
func (n *network) evaluate(t *testing.T, states []env.State) map[string][]float32 {
	t.Helper()
	rows, k := len(states), len(n.game.Classes)
	outputs := map[string][]float32{
		"policy": make([]float32, rows*n.game.NumActions()), "outcome": make([]float32, rows*k), "value": make([]float32, rows),
	}
	ours, err := infer.NewNetwork(n.game, n.weights)
	if err != nil {
		t.Fatal(err)
	}
	if n.game.GoalHead {
		outputs["goals"] = make([]float32, 2*rows)
	}
	ours.NewEvaluator(rows).EvaluateTensors(encode(n.game, states), outputs["policy"], outputs["outcome"], outputs["goals"])
	for i, p := range outputs["outcome"] {
		outputs["value"][i/k] += p * n.game.Classes[i%k].Utility
	}
	for name, values := range outputs {
		first := slices.Repeat(values[:len(values)/rows], rows)
		if worst(first, values, same) < 0.02 {
			t.Errorf("%s hardly differs from position to position", name)
		}
	}
	return outputs
}

// evaluateAll runs the model on states in batches.
func (p *peer) evaluateAll(t *testing.T, game *env.Game, states []env.State, batch int) map[string][]float32 {
	t.Helper()
	all := map[string][]float32{}
	for part := range slices.Chunk(states, batch) {
		outputs, err := p.evaluate(game, encode(game, part))
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range outputs {
			all[name] = append(all[name], values...)
		}
	}
	return all
}

// Units of differences.
func same(float64) float64            { return 1 }
func magnitude(value float64) float64 { return max(1, math.Abs(value)) }

// worst returns the largest difference between ours and theirs, in a unit that depends on ours. NaN counts as infinite.
func worst(ours, theirs []float32, unit func(float64) float64) (most float64) {
	for i, v := range ours {
		d := math.Abs(float64(theirs[i]-v)) / unit(float64(v))
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}

// compare compares outputs: probabilities and values within 1e-4, the rest within 1e-3 times max(1, magnitude).
func (n *network) compare(t *testing.T, batch int, ours, theirs map[string][]float32) {
	t.Helper()
	if len(theirs) != len(ours) {
		t.Fatalf("%d outputs; want %d", len(theirs), len(ours))
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if len(theirs[name]) != len(ours[name]) {
			t.Fatalf("batch %d: %s has %d values; want %d", batch, name, len(theirs[name]), len(ours[name]))
		}
		unit, tolerance := same, 1e-4
		if name == "policy" || name == "goals" {
			unit, tolerance = magnitude, 1e-3
		}
		d := worst(ours[name], theirs[name], unit)
		t.Logf("batch %d: %s differs by %.1e at most", batch, name, d)
		if d > tolerance {
			t.Errorf("batch %d: %s differs by %v; at most %v is allowed", batch, name, d, tolerance)
		}
	}
}

// compareMoves compares the legal move with the largest of logits [B, A] to the move of policy: in each state.
func (n *network) compareMoves(t *testing.T, states []env.State, logits []float32) {
	t.Helper()
	agent := n.policy(t)
	for i := range states {
		row, frame := logits[i*n.game.NumActions():], n.game.Frame(states[i].Player())
		legal := states[i].Legal(nil)
		best := slices.MaxFunc(legal, func(a, b env.Action) int { return cmp.Compare(row[frame[a]], row[frame[b]]) })
		n.sameMove(t, states[i], best, analyze(t, agent, states[i]))
	}
}

func analyze(t *testing.T, agent agent.Agent, state env.State) *agent.Analysis {
	t.Helper()
	analysis, err := agent.Analyze(t.Context(), state, 0)
	if err != nil {
		t.Fatal(err)
	}
	return analysis
}

// sameMove fails if the picked move is not the one that policy: plays. Moves whose priors differ by less than one in a
// thousand count as equal, except for an untrained network.
func (n *network) sameMove(t *testing.T, state env.State, picked env.Action, analysis *agent.Analysis) {
	t.Helper()
	ours := analysis.Moves[0]
	if ours.Action == picked {
		return
	}
	for _, m := range analysis.Moves {
		if m.Action != picked {
			continue
		}
		text := n.game.ActionTexts
		if *m.Prior < *ours.Prior*(1-1e-3) || n.fresh {
			t.Errorf("%spicks %s, of prior %v; policy: plays %s, of %v",
				n.game.Board(state), text[picked], *m.Prior, text[ours.Action], *ours.Prior)
		} else {
			t.Logf("%sa tie: %s of prior %v, %s of %v", n.game.Board(state), text[picked], *m.Prior, text[ours.Action], *ours.Prior)
		}
		return
	}
	t.Errorf("%spicks %s, which is not legal", n.game.Board(state), n.game.ActionTexts[picked])
}

// TestONNXRuntimeSaysWhatIsWrong checks that an error of the script has its reason.
func TestONNXRuntimeSaysWhatIsWrong(t *testing.T) {
	n := newNetwork(t, "quad-5x5")
	p := runtime(t, n)
	if _, err := p.evaluate(n.game, make([]float32, 1)); err == nil || !strings.Contains(err.Error(), "dims") {
		t.Errorf("a tensor that is too short gives %v", err)
	}
}
