package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/gdl/sheets"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
	"ludus/train/rundir"
)

func wasm(t *testing.T) []byte {
	t.Helper()
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := r.DecodeAll(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// network is a network for comparing engines.
type network struct {
	game        *env.Game
	weights     *infer.Weights
	simulations int
	run, file   string // have the weights
}

// networks returns a small random network for each game and for some rule sheets, or those in the files that match the
// pattern LUDUS_TEST_WEIGHTS, such as runs/*.safetensors.
func networks(t *testing.T) (list []network) {
	t.Helper()
	add := func(game *env.Game, weights *infer.Weights, simulations int) {
		run, file := export(t, weights)
		list = append(list, network{game, weights, simulations, run, file})
	}
	if pattern := os.Getenv("LUDUS_TEST_WEIGHTS"); pattern != "" {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no weights match %s, %v", pattern, err)
		}
		for _, file := range files {
			weights, _, err := rundir.LoadWeights(agent.Reference{Path: file})
			if err != nil {
				t.Fatal(err)
			}
			add(games.Must(weights.Config.Game), weights, 64)
		}
		return list
	}
	for _, name := range games.Names() {
		game, simulations := games.Must(name), 32
		if game.Tensor.H*game.Tensor.W > 11*11 { // more would meet ties within the tree, among hundreds of nearly equal moves
			simulations = 2
		}
		add(game, infertest.RandomWeights(game, 8, 1, 1), simulations)
	}
	for _, name := range []string{"breakthrough-6x6", "two-marks", "race", "golden-rectangle"} {
		game, _, err := gdl.New(t.Context(), name, sheets.Text(name))
		if err != nil {
			t.Fatal(err)
		}
		weights := infertest.RandomWeights(game, 8, 1, 1)
		weights.Config.Sheet = game.Sheet
		add(game, weights, 32)
	}
	return list
}

// position is an unfinished state and the moves that led to it.
type position struct {
	state env.State
	moves []string
}

// positions returns count positions of random games.
func positions(game *env.Game, count int) (list []position) {
	rng := rand.NewPCG(1, 2)
	for {
		state, moves := game.NewState(), []string{}
		for ; !state.Done(); state.Apply(must(game.ParseAction(moves[len(moves)-1]))) {
			if len(list) == count {
				return list
			}
			at := game.Copy(state)
			list = append(list, position{at, moves[:len(moves):len(moves)]})
			moves = append(moves, game.ActionTexts[state.RandomAction(rng.Uint64())])
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A run, its exported weights file and its exported page choose the same moves with the same simulations. The page may
// differ in ties, since WebAssembly rounds differently from the assembly kernels.
func TestEnginesAgree(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node is not installed")
	}
	const count = 100
	all := networks(t)
	replies := requestAll(t, func(send func(op string, request any)) {
		for _, n := range all {
			send("weights", n.file)
			for _, p := range positions(n.game, count) {
				send("choose", map[string]any{"game": n.game.Name, "moves": p.moves, "agent": fmt.Sprintf("net:agent,sims=%d,solve=0", n.simulations)})
			}
		}
	})
	for _, n := range all {
		page := replies[:count]
		replies = replies[count:]
		t.Run(n.game.Name, func(t *testing.T) {
			if strings.Contains(page[0].Error, games.ErrName.Error()) {
				t.Skip("the embedded engine is older than this game: run go generate ./cmd/ludus/internal/page before a release")
			}
			list := positions(n.game, count)
			ours, exported := choose(t, n, n.run, list), choose(t, n, n.file, list)
			different := 0
			for i, p := range list {
				if ours[i] != exported[i] {
					t.Errorf("after %q the run plays %s, the file %s", p.moves, ours[i], exported[i])
				}
				if page[i].Error != "" {
					t.Fatal(page[i].Error)
				}
				theirs := page[i].Reply["move"].(string)
				if ours[i] == theirs {
					continue
				}
				different++
				policy, value := apart(t, n, p.state, ours[i], theirs)
				t.Logf("after %q: %s, the page %s; apart by %.2g in the improved policy, %.2g in value", p.moves, ours[i], theirs, policy, value)
				if min(policy, value) > 1e-3 {
					t.Error("that is no tie")
				}
			}
			t.Logf("%d simulations: %d of %d moves are the same", n.simulations, count-different, count)
			if 100*different > count {
				t.Errorf("%d of %d moves differ", different, count)
			}
		})
	}
}

// export writes weights as a run and as a file.
func export(t *testing.T, w *infer.Weights) (run, file string) {
	t.Helper()
	run = t.TempDir()
	store := checkpoints.NewStore(filepath.Join(run, "checkpoints"))
	err := store.Save(1, nil, []checkpoints.Part{{Name: "weights.safetensors", Data: w.Marshal()}})
	if err != nil {
		t.Fatal(err)
	}
	read, _, err := rundir.LoadWeights(agent.Reference{Path: run})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "weights.safetensors")
	if err := os.WriteFile(file, read.Marshal(), 0o666); err != nil {
		t.Fatal(err)
	}
	return run, file
}

// choose returns the moves of the agent in this process.
func choose(t *testing.T, n network, path string, list []position) (moves []string) {
	t.Helper()
	spec := agent.Spec{Kind: agent.Net, Network: agent.Reference{Path: path}, Simulations: n.simulations}
	agent, err := agent.NewFactory(n.game, spec, rundir.LoadWeights).New(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		agent.Reset(0)
		action, err := agent.Choose(context.Background(), p.state)
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, n.game.ActionNames[action])
	}
	return moves
}

// reply is a reply of the engine.
type reply struct {
	Reply map[string]any
	Error string
}

// requestAll runs the embedded engine in Node and sends it requests. The request weights, with a file, starts an engine
// with other weights, and has no reply.
func requestAll(t *testing.T, requests func(send func(op string, request any))) (replies []reply) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "engine.wasm")
	if err := os.WriteFile(program, wasm(t), 0o666); err != nil {
		t.Fatal(err)
	}
	var in, stderr bytes.Buffer
	requests(func(op string, request any) {
		json.NewEncoder(&in).Encode([]any{op, request})
	})
	cmd := exec.Command("node", filepath.Join("testdata", "engine.js"), "wasm_exec.js", program)
	cmd.Stdin, cmd.Stderr = &in, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var r reply
		if err := decoder.Decode(&r); err == io.EOF {
			return replies
		} else if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, r)
	}
}

// apart returns by how much two moves differ in a search: in the improved policy, which decides, and in value. The
// search tries the moves of the largest priors. If it does not try y, policy is at most by how much y's prior misses
// those.
func apart(t *testing.T, n network, state env.State, x, y string) (policy, value float64) {
	t.Helper()
	net, err := infer.NewNetwork(n.game, n.weights)
	if err != nil {
		t.Fatal(err)
	}
	search := mcts.New(n.game, mcts.DefaultConfig())
	search.Start(state, n.simulations, nil)
	search.Run(mcts.NewBatcher(n.game, net.NewEvaluator(16), 16, 0))
	of, least := map[string]mcts.Move{}, float32(1) // least prior of the moves tried
	for _, m := range search.Moves() {
		of[n.game.ActionNames[m.Action]] = m
		if m.Visits > 0 {
			least = min(least, m.Prior)
		}
	}
	policy, value = math.Abs(float64(of[x].Policy-of[y].Policy)), math.Abs(of[x].Value-of[y].Value)
	if of[y].Visits == 0 {
		policy = min(policy, math.Abs(float64(least/of[y].Prior-1)))
	}
	return policy, value
}

// The page's agent has a solver by default.
func TestEngineSolves(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node is not installed")
	}
	_, file := export(t, infertest.RandomWeights(games.Must("quad-5x5"), 8, 1, 1))
	request := map[string]any{"game": "quad-5x5", "moves": []string{"c3", "b1", "c2", "d1"}, "agent": "net:agent"}
	replies := requestAll(t, func(send func(op string, request any)) {
		send("weights", file)
		send("analyze", request)
		request["agent"] = "net:agent,sims=64,solve=0"
		send("analyze", request)
	})
	if replies[0].Reply["proven"] != true || replies[1].Reply["proven"] == true {
		t.Errorf("with a solver %+v, without %+v", replies[0], replies[1])
	}
}

// The engine replies to invalid requests with errors and continues.
func TestEngineRefuses(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node is not installed")
	}
	const name = "quad-5x5"
	_, file := export(t, infertest.RandomWeights(games.Must(name), 8, 1, 1))
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("not weights at all"), 0o666); err != nil {
		t.Fatal(err)
	}
	wants := []string{"unknown operation", "did you mean", "it plays " + name, "this page has one, agent", "unknown kind",
		"programs are started from the command line only", "programs are started from the command line only", "", "bad tensors file", ""}
	for i, reply := range requestAll(t, func(send func(op string, request any)) {
		send("weights", file)
		send("chose", nil)
		send("describe", map[string]any{"game": "kuad-5x5"})
		send("choose", map[string]any{"game": "free-for-all-2p", "agent": "policy:agent"})
		send("choose", map[string]any{"game": name, "agent": "policy:runs/mine"})
		send("choose", map[string]any{"game": name, "agent": "magic"})
		send("choose", map[string]any{"game": name, "agent": `gtp:"touch marker"`})
		send("analyze", map[string]any{"game": name, "agent": `nboard:"touch marker"`})
		send("analyze", map[string]any{"game": name, "agent": "policy:agent"})
		send("weights", broken)
		send("choose", map[string]any{"game": name, "agent": "policy:agent"})
		send("choose", map[string]any{"game": name, "agent": "greedy"})
	}) {
		if !strings.Contains(reply.Error, wants[i]) || (reply.Error == "") != (wants[i] == "") {
			t.Errorf("reply %d: error %q; want %q", i, reply.Error, wants[i])
		}
	}
}
