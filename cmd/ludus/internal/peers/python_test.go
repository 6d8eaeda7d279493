package peers

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/onnx"
)

// python returns the first interpreter with the packages, or "".
func python(t *testing.T, packages string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} { // the first in PATH may lack the system's packages
		if exec.CommandContext(t.Context(), name, "-c", "import "+packages).Run() == nil {
			return name
		}
	}
	return ""
}

// output runs a command and returns its output.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return string(out)
}

// export writes an ONNX model to a file.
func (n *network) export(t *testing.T) (path string) {
	t.Helper()
	data, err := onnx.Marshal(n.game, n.weights, "v1")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestChecker checks models of every game, and one with a single convolution, with ONNX's checker.
func TestChecker(t *testing.T) {
	interpreter := python(t, "onnx")
	if interpreter == "" {
		missing(t, "onnx", "the package onnx of Python is not installed")
	}
	list := networks(t)
	small := infer.Config{Game: list[0].game.Name, Channels: 4, Blocks: 0}
	list = append(list, network{game: list[0].game, weights: randomWeights(list[0].game, small)})
	args := []string{filepath.Join("testdata", "check.py")}
	for _, n := range list {
		args = append(args, n.export(t))
	}
	decoder := json.NewDecoder(strings.NewReader(output(t, exec.CommandContext(t.Context(), interpreter, args...))))
	for _, n := range list {
		var got struct {
			IR       int
			Opset    []int
			Producer string
			Metadata map[string]any
			Outputs  map[string][]any
		}
		if err := decoder.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.IR != 8 || !reflect.DeepEqual(got.Opset, []int{17}) || got.Producer != "ludus v1" || got.Metadata["game"] != n.game.Name {
			t.Errorf("%s: read as %+v", n.name, got)
		}
		actions := any(float64(n.game.NumActions()))
		if n.weights.Config.Pooled {
			actions = "actions"
		}
		want := map[string][]any{
			"policy":  {"batch", actions},
			"outcome": {"batch", float64(len(n.game.Classes))},
			"value":   {"batch"},
		}
		if n.game.GoalHead {
			want["goals"] = []any{"batch", 2.0}
		}
		if !reflect.DeepEqual(got.Outputs, want) {
			t.Errorf("%s: outputs %v; want %v", n.name, got.Outputs, want)
		}
	}
}

// TestExamples runs the example programs on 50 positions of each game that they play, and compares their moves with
// policy: and their values with ours. It refuses another game, that of a sheet, and a wrong move.
func TestExamples(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	folder := filepath.Join(root, "model", "infer", "onnx", "examples")
	sheet := filepath.Join(root, "env", "gdl", "sheets", "tic-tac-toe.kif") // its game has no parameters
	for _, file := range []string{"pick.js", "pick.py"} {
		t.Run(file, func(t *testing.T) {
			path := filepath.Join(folder, file)
			if _, err := os.Stat(path); err != nil { // which also makes the test's cached result depend on it
				t.Fatal(err)
			}
			interpreter, variables := interpreterOf(t, file)
			refused := 0
			for _, n := range append(networks(t), untrained(t, "quad-5x5"), newNetwork(t, sheet)) {
				plays := n.game.Family == "quad" || n.game.Family == "line-up"
				if !plays && n.name != sheet && refused > 0 {
					continue
				}
				cmd := exec.CommandContext(t.Context(), interpreter, path, n.export(t))
				cmd.Env = append(os.Environ(), variables...)
				if !plays {
					refused++
					refuses(t, cmd, "has no rules of "+n.game.Name)
					continue
				}
				lines, states := n.randomGames(50)
				bothMove(t, states)
				cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
				n.compareLines(t, states, output(t, cmd))
				if !n.fresh {
					continue
				}
				cmd = exec.CommandContext(t.Context(), cmd.Path, cmd.Args[1:]...)
				cmd.Env, cmd.Stdin = append(os.Environ(), variables...), strings.NewReader("zz9\n")
				refuses(t, cmd, n.game.Name+" has no move 'zz9'; its moves are written like "+n.game.ActionNames[0])
			}
		})
	}
}

// interpreterOf returns the interpreter of an example, and environment variables: Node with ONNX Runtime, or Python
// with ONNX Runtime or a stand-in.
func interpreterOf(t *testing.T, file string) (interpreter string, variables []string) {
	t.Helper()
	if filepath.Ext(file) == ".js" {
		runtime(t, newNetwork(t, "quad-5x5"))
		return "node", nil
	}
	if interpreter := python(t, "onnxruntime, numpy"); interpreter != "" {
		return interpreter, nil
	}
	if interpreter = python(t, "onnx, numpy"); interpreter == "" {
		missing(t, "onnx", "neither onnxruntime nor onnx of Python is installed")
	}
	runtime(t, newNetwork(t, "quad-5x5"))
	t.Log("no ONNX Runtime for Python: a stand-in uses the one of Node")
	return interpreter, []string{"PYTHONPATH=testdata"}
}

// refuses checks the error of an example: it says want, and not where the example's code failed.
func refuses(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) || bytes.Contains(out, []byte("Traceback")) || bytes.Contains(out, []byte("    at ")) {
		t.Errorf("%v\n%s\nwant %q", err, out, want)
	}
}

// randomGames returns positions of random games that are not done, and the moves that lead to them.
func (n *network) randomGames(positions int) (lines []string, states []env.State) {
	rng := rand.New(rand.NewPCG(2, 0))
	for {
		var moves []string
		for state := n.game.NewState(); !state.Done(); {
			if len(lines) == positions {
				return lines, states
			}
			copied := n.game.Copy(state)
			lines, states = append(lines, strings.Join(moves, "; ")), append(states, copied)
			action := state.RandomAction(rng.Uint64())
			moves = append(moves, n.game.ActionNames[action])
			state.Apply(action)
		}
	}
}

// compareLines compares an example's output, lines of a move, a tab and a value, with policy:.
func (n *network) compareLines(t *testing.T, states []env.State, out string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(states) {
		t.Fatalf("%d lines for %d positions", len(lines), len(states))
	}
	agent := n.policy(t)
	for i, state := range states {
		text, number, _ := strings.Cut(lines[i], "\t")
		move := slices.Index(n.game.ActionNames, text)
		value, err := strconv.ParseFloat(number, 64)
		if move < 0 || err != nil {
			t.Fatalf("line %d is %q", i+1, lines[i])
		}
		analysis := analyze(t, agent, state)
		n.sameMove(t, state, env.Action(move), analysis)
		if math.Abs(value-*analysis.Value) > 2e-4 { // 1e-4 plus rounding
			t.Errorf("%sis worth %v; ours is %v", n.game.Board(state), value, *analysis.Value)
		}
	}
}
