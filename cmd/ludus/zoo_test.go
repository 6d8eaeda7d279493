package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/checkpoints/zoo"
)

// Everything that needs an agent works in an empty folder for games with a shipped one.
func TestZoo(t *testing.T) {
	dir := t.TempDir()
	const request = `{"id":"a","moves":["(mark r3 c3)"],"simulations":4}`
	if out := run(t, dir, request, "analyze", "quad-5x5"); !strings.Contains(out, `"simulations":4`) {
		t.Errorf("analyze replies %s", out)
	}
	for _, args := range [][]string{{"quad-5x5"}, {"quad-5x5", "zoo"}, {"quad-5x5", "policy:zoo"}} {
		out := run(t, dir, "(mark r3 c3)\n", append([]string{"play"}, args...)...)
		if !strings.Contains(out, "o plays ") {
			t.Errorf("play %v: the agent did not answer:\n%s", args, out)
		}
	}
	if out := run(t, dir, "", "arena", "quad-5x5", "zoo,sims=8", "random", "--games", "2"); !strings.Contains(out, "zoo,sims=8 against random") {
		t.Errorf("arena prints %s", out)
	}
	if out := run(t, dir, "", "games", "quad-5x5"); !strings.Contains(out, "the shipped agent, zoo") || !strings.Contains(out, "Elo above random moves") || !strings.Contains(out, "loses value in") {
		t.Errorf("games prints %s", out)
	}
	var game struct{ Zoo zoo.Card }
	if err := json.Unmarshal([]byte(run(t, dir, "", "games", "quad-5x5", "--json")), &game); err != nil || game.Zoo.Network.Parameters == 0 {
		t.Errorf("games --json: %+v, %v", game, err)
	}
	_, errs, code := ludus(t, dir, "", "train", "quad-5x5", "--from", "zoo", "--run", "r", "--generations", "1", "--set", "parallel_games=4", "--set",
		"plies_per_generation=4", "--set", "rating_share=0")
	if code != 0 {
		t.Errorf("train --from zoo: %s", errs)
	}
	if out := run(t, dir, "", "export", "r@0", "--format", "weights", "--half", "-o", "half.safetensors"); !strings.Contains(out, "net:half.safetensors") {
		t.Errorf("export prints %s", out)
	}
	half, err := os.ReadFile(filepath.Join(dir, "half.safetensors"))
	if err != nil || !bytes.Equal(half, zoo.Weights("quad-5x5")) {
		t.Errorf("the first weights of a run from zoo are not the shipped ones, %v", err)
	}
	for _, format := range []string{"html", "weights", "onnx"} {
		if out := run(t, dir, "", "export", "zoo", "--game", "quad-5x5", "--format", format); !strings.Contains(out, "shipped with ludus") {
			t.Errorf("export prints %s", out)
		}
	}
}

// For games without a shipped agent, play has another opponent, and other commands say what would be right.
func TestNoZoo(t *testing.T) {
	dir := t.TempDir()
	const game = "line-up(width=5,height=5,line=4,gravity=0)" // there is an agent for lines of 5, and for pieces that fall
	out, errs, code := ludus(t, dir, "c3\n", "play", game)
	if code != 0 || !strings.Contains(out, "c3") || !strings.Contains(errs, "no agent of "+game+" is shipped; mcts:1000 plays; for one of this game: ") {
		t.Errorf("play: exit %d, %s, %s", code, errs, out)
	}
	const want = "no agent of " + game + " is shipped; train one: ludus train '" + game + "'"
	if out, errs, code := ludus(t, dir, `{"id":"a","moves":[],"simulations":8}`+"\n", "analyze", game); code != 0 || !strings.Contains(out, `"best"`) ||
		!strings.Contains(errs, "mcts:1000 plays") {
		t.Errorf("analyze: exit %d, %s, %s", code, errs, out)
	}
	fails(t, dir, 1, want, "export", "zoo", "--game", game)
	fails(t, dir, 1, want, "train", game, "--from", "zoo")
	fails(t, dir, 2, "zoo needs --game", "export", "zoo")
	fails(t, dir, 2, "--half needs --format weights", "export", "zoo", "--game", "quad-5x5", "--half")
	fails(t, dir, 1, "without @3", "arena", "quad-5x5", "random", "net:zoo@3")
	fails(t, dir, 1, "no such file", "arena", "quad-5x5", "random", "net:./zoo")
}

// A shipped agent plays other sizes of its game, and trainings on them start from it.
func TestOtherSizes(t *testing.T) {
	dir := t.TempDir()
	for game, trained := range map[string]string{
		"breakthrough(columns=7,rows=8)": "breakthrough-8x8", "hex(size=6)": "hex-7x7", "hex(size=9)": "hex", "othello(size=4)": "othello-6x6",
		"quad(size=9)": "quad-11x11", "golden-rectangle(columns=6)": "golden-rectangle", "free-for-all(size=6)": "free-for-all-2p",
		"line-up(width=9,height=6,line=4,gravity=1)": "connect-four", "line-up(width=7,height=7,line=5,gravity=0)": "gomoku-9x9",
	} {
		_, errs, code := ludus(t, dir, "", "play", game)
		if want := "that of " + trained + " plays"; code != 0 || !strings.Contains(errs, want) {
			t.Errorf("play %s: exit %d, %s, want %s", game, code, errs, want)
		}
		if out := run(t, dir, "", "games", game); !strings.Contains(out, "the shipped agent of "+trained) {
			t.Errorf("games %s: %s", game, out)
		}
		out := strings.TrimSpace(run(t, dir, "", "arena", game, "policy:zoo", "random", "--games", "20", "--json"))
		var result struct{ Score float64 }
		if err := json.Unmarshal([]byte(out[strings.LastIndexByte(out, '\n')+1:]), &result); err != nil || result.Score < 0.9 {
			t.Errorf("arena %s: the network of %s alone scores %v against random moves, %v", game, trained, result.Score, err)
		}
	}
	if _, errs, code := ludus(t, dir, "", "train", "hex(size=4)", "--from", "zoo", "--run", "r", "--generations", "1", "--set", "parallel_games=4", "--set",
		"plies_per_generation=4", "--set", "rating_share=0"); code != 0 {
		t.Errorf("train --from zoo: %s", errs)
	}
	run(t, dir, "", "export", "zoo", "--game", "hex(size=4)", "--format", "weights", "-o", "own.safetensors")
	run(t, dir, "", "arena", "hex(size=4)", "net:own.safetensors,sims=2", "net:r@0,sims=2", "--games", "2")
	fails(t, dir, 1, "rules differ in more than the size", "train", "hex(size=4,swap=0)", "--from", "own.safetensors", "--run", "s")
}

// The commands on a card give its numbers again, but for moves that kernels of another instruction set choose
// otherwise.
func TestCardCommands(t *testing.T) {
	for _, name := range zoo.Games() {
		for _, e := range zoo.CardOf(name).Errors {
			if e.Suite != "hard" || e.Agent != "policy:zoo" {
				continue // they take longer
			}
			args := append(strings.Fields(e.Command)[1:], "--json")
			var all struct {
				Positions int
				Error     struct{ Value float64 }
			}
			out := run(t, t.TempDir(), "", args...)
			if err := json.NewDecoder(strings.NewReader(out[strings.Index(out, "{"):])).Decode(&all); err != nil {
				t.Fatal(err)
			}
			if moves := (all.Error.Value - e.Error.Value) * float64(e.Positions); all.Positions != e.Positions || math.Abs(moves) > 2 {
				t.Errorf("%s: %.4f of %d positions, the card says %.4f of %d", e.Command, all.Error.Value, all.Positions, e.Error.Value, e.Positions)
			}
		}
	}
}
