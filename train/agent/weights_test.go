package agent

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
)

// testRun writes a run's folder with checkpoints of the given generations, each with another network.
func testRun(t testing.TB, game *env.Game, generations ...int) string {
	t.Helper()
	dir := t.TempDir()
	store, err := checkpoints.Open(filepath.Join(dir, "checkpoints"))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range generations {
		parts := []checkpoints.Part{{Name: "weights.safetensors", Data: testWeights(game, uint64(g)).Marshal()}}
		if err := store.Save(g, nil, parts); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestReadWeights(t *testing.T) {
	game := quad(t)
	run := testRun(t, game, 1, 2, 7)
	file := filepath.Join(t.TempDir(), "quad,5x5@home.safetensors")
	writeFile(t, file, testWeights(game, 9).Marshal())
	writeFile(t, filepath.Join(run, "arena.jsonl"), []byte(`{"generation":1,"opponent":"mcts:200","score":0.9}
{"generation":2,"opponent":"mcts:200","score":0.9}
{"generation":7,"opponent":"mcts:200","score":0.8}
{"generation":7,"opponent":"random","score":1}
{"generation":5,"opponent":"mcts:200","score":0.99}
{"generation":0,"agent":"greedy","opponent":"mcts:200","score":1}
not JSON
{"generation":1,"opponent":"mcts:200","score":0.99,"torn`))
	for reference, want := range map[string]int{run: 7, run + "/": 7, run + "@2": 2, run + "@best": 2, filepath.Join(run, "checkpoints", "000001"): 1, file: 9} {
		w, origin, err := ReadWeights(reference)
		if err != nil {
			t.Errorf("%s: %v", reference, err)
			continue
		}
		if string(w.Marshal()) != string(testWeights(game, uint64(want)).Marshal()) {
			t.Errorf("%s: these are not the weights of generation %d", reference, want)
		}
		if generation := want; reference != file && origin.Generation != generation || reference == file && origin.Generation != -1 {
			t.Errorf("%s: origin %+v", reference, origin)
		}
	}
	for ratings, want := range map[string]int{
		`{"agents":[{"agent":"net@5","generation":5,"rating":3},{"agent":"random","rating":2},{"agent":"net@1","generation":1,"rating":1}]}`: 1,
		`{"agents":[{"generation":1,"rating":900,"low":100},{"generation":7,"rating":800,"low":700},{"generation":2,"rating":1,"low":0}]}`:   7,
		`{"agents":[{"agent":"net@5","generation":5,"rating":3}]}`:                                                                           2,
		`{"agents":`: 2,
	} {
		writeFile(t, filepath.Join(run, "ratings.json"), []byte(ratings))
		if _, origin, err := ReadWeights(run + "@best"); err != nil || origin.Generation != want {
			t.Errorf("by %s the best is %d, %v", ratings, origin.Generation, err)
		}
	}
	for reference, want := range map[string]string{
		run + "@3":       "it has [1 2 7]",
		run + "/nowhere": "no such file or folder",
		run + ",simz=3":  `did you mean the option "sims"?`,
		t.TempDir():      "neither a run nor a checkpoint",
		file + "@1":      "this is a file",
		testRun(t, game): "neither a run nor a checkpoint",
		filepath.Join(run, "checkpoints", "000001") + "@1": "this is one checkpoint",
		filepath.Join(run, "arena.jsonl"):                  "bad tensors file",
		testRun(t, game, 4) + "@best":                      "rates no checkpoint",
	} {
		if _, _, err := ReadWeights(reference); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want one that says %q", reference, err, want)
		}
	}
}

// A torn checkpoint is named and the newest whole one used; asked for by number it is an error.
func TestDamagedCheckpoint(t *testing.T) {
	game := quad(t)
	run := testRun(t, game, 1, 2)
	part := filepath.Join(run, "checkpoints", "000002", "weights.safetensors")
	data, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, part, data[:len(data)/2])
	_, origin, err := ReadWeights(run)
	if err != nil || origin.Generation != 1 || len(origin.Damaged) != 1 || !strings.Contains(origin.Damaged[0].Error(), part) {
		t.Errorf("origin %+v, error %v", origin, err)
	}
	if _, _, err := ReadWeights(run + "@2"); !errors.Is(err, checkpoints.ErrDamaged) || !errors.Is(err, ErrWeights) {
		t.Errorf("error %v; want damage", err)
	}
	file := filepath.Join(t.TempDir(), "w")
	writeFile(t, file, data[:100])
	if _, _, err := ReadWeights(file); !errors.Is(err, infer.ErrFormat) {
		t.Errorf("error %v; want a bad file", err)
	}
}

// FuzzBest reads what says which generation is best: files of others may hold anything.
func FuzzBest(f *testing.F) {
	f.Add([]byte(`{"agents":[{"generation":3,"low":10},{"low":20},{"generation":4,"low":30}]}`), "run@12")
	f.Add([]byte(`{"generation":3,"agent":"net@3","opponent":"random","score":0.5}`+"\n"+`{"generation":4,"opponent":"random","score":1}`), "@best")
	f.Add([]byte(`{"agents":null}`), "a@b@-1")
	f.Fuzz(func(t *testing.T, data []byte, reference string) {
		rated(data)
		list := byRating(bytes.Split(data, []byte{'\n'}))
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("generations come twice: %v", list)
		}
		path, at := SplitReference(reference)
		if at != "" && path+"@"+at != reference || at == "" && path != reference {
			t.Errorf("%q is cut into %q and %q", reference, path, at)
		}
	})
}
