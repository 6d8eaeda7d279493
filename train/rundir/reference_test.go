package rundir

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
)

// testWeights is a small network, another one for each seed.
func testWeights(game *env.Game, seed uint64) *infer.Weights {
	config := infer.Config{Game: game.Name, Channels: 4, Blocks: 1}
	return infer.NewWeights(game, config, rand.New(rand.NewPCG(seed, seed)))
}

// testRun writes a run's folder with checkpoints of the given generations, each with another network.
func testRun(t testing.TB, game *env.Game, generations ...int) string {
	t.Helper()
	dir := t.TempDir()
	store := Checkpoints(dir)
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

func TestLoadWeights(t *testing.T) {
	game := games.Must("quad-5x5")
	run := testRun(t, game, 1, 2, 7)
	file := filepath.Join(t.TempDir(), "quad,5x5@home.safetensors")
	writeFile(t, file, testWeights(game, 9).Marshal())
	writeFile(t, filepath.Join(run, "arena.jsonl"), []byte("{}\n"))
	writeFile(t, filepath.Join(run, RatingsFile), []byte(`{"version":2,"agents":[{"generation":2,"rating":6,"low":5},{"generation":7,"rating":4}]}`))
	for reference, want := range map[string]int{run: 7, run + "/": 7, run + "@2": 2, run + "@best": 2, filepath.Join(run, "checkpoints", "000001"): 1, file: 9} {
		w, origin, err := LoadWeights(agent.ParseReference(reference))
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
		`[{"agent":"net@5","generation":5,"rating":3,"low":2},{"agent":"random","rating":2},{"agent":"net@7","generation":7,"rating":1}]`: 7, // 5 is gone
		`[{"agent":"net@2","generation":2,"rating":3,"low":2},{"agent":"net@1","generation":1,"rating":1}]`:                               7, // not rated
		`[{"generation":1,"rating":900,"low":100},{"generation":7,"rating":800,"low":700},{"generation":2,"rating":1,"low":0}]`:           7,
	} {
		writeFile(t, filepath.Join(run, RatingsFile), []byte(`{"version":2,"agents":`+ratings+`}`))
		if _, origin, err := LoadWeights(agent.Reference{Path: run, At: "best"}); err != nil || origin.Generation != want {
			t.Errorf("by %s the best is %d, %v", ratings, origin.Generation, err)
		}
	}
	if _, origin, err := LoadWeights(agent.Reference{Path: testRun(t, game, 4, 5), At: "best"}); err != nil || origin.Generation != 5 {
		t.Errorf("without ratings the best is %d, %v", origin.Generation, err)
	}
	damaged := testRun(t, game, 1)
	writeFile(t, filepath.Join(damaged, RatingsFile), []byte(`{"agents":`))
	other := testRun(t, game, 1)
	writeFile(t, filepath.Join(other, ConfigFile), []byte(`{"version":1}`))
	for reference, want := range map[string]string{
		run + "@3":        "only of 1, 2, 7",
		run + "/nowhere":  "no such file or directory",
		damaged + "@best": "ratings.json: damaged",
		other:             "format version 1, this program reads 4",
		t.TempDir():       "neither a run nor a checkpoint",
		file + "@1":       "this is a file",
		testRun(t, game):  "neither a run nor a checkpoint",
		filepath.Join(run, "checkpoints", "000001") + "@1": "this is a checkpoint",
		filepath.Join(run, "arena.jsonl"):                  "bad tensors file",
	} {
		if _, _, err := LoadWeights(agent.ParseReference(reference)); !errors.Is(err, agent.ErrWeights) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want one that says %q", reference, err, want)
		}
	}
}

// TestReferencePath: an existing path is taken whole, even if it ends like a reference to a generation.
func TestReferencePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run@3")
	game := games.Must("quad-5x5")
	if _, _, err := LoadWeights(agent.ParseReference(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing path: error %v", err)
	}
	writeFile(t, path, testWeights(game, 1).Marshal())
	if _, origin, err := LoadWeights(agent.ParseReference(path)); err != nil || origin.Path != path || origin.Generation != -1 {
		t.Errorf("an existing path is read as %+v, %v", origin, err)
	}
}

// TestDamagedCheckpoint: a damaged newest checkpoint is reported and the newest whole one used; selected by its number
// it is an error.
func TestDamagedCheckpoint(t *testing.T) {
	game := games.Must("quad-5x5")
	run := testRun(t, game, 1, 2)
	part := filepath.Join(run, "checkpoints", "000002", "weights.safetensors")
	data, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, part, data[:len(data)/2])
	_, origin, err := LoadWeights(agent.Reference{Path: run})
	if err != nil || origin.Generation != 1 || len(origin.Damaged) != 1 || !strings.Contains(origin.Damaged[0].Error(), part) {
		t.Errorf("origin %+v, error %v", origin, err)
	}
	if _, _, err := LoadWeights(agent.CheckpointOf(run, 2)); !errors.Is(err, checkpoints.ErrDamaged) || !errors.Is(err, agent.ErrWeights) {
		t.Errorf("error %v; want damage", err)
	}
	file := filepath.Join(t.TempDir(), "w")
	writeFile(t, file, data[:100])
	if _, _, err := LoadWeights(agent.Reference{Path: file}); !errors.Is(err, infer.ErrFormat) {
		t.Errorf("error %v; want a bad file", err)
	}
}

// FuzzBest reads any ratings.json and parses any reference.
func FuzzBest(f *testing.F) {
	f.Add([]byte(`{"version":2,"agents":[{"generation":3,"low":10},{"low":20},{"generation":4,"low":30}]}`), "run@12")
	f.Add([]byte(`{"version":2,"agents":null}`), "a@b@-1")
	f.Add([]byte(`{"version":1`), "@best")
	f.Fuzz(func(t *testing.T, data []byte, reference string) {
		if ratings, err := parseFile[Ratings](data); err == nil {
			ratings.Best([]int{0, 3, 4})
		}
		if r := agent.ParseReference(reference); r.String() != reference {
			t.Errorf("%q is read as %+v", reference, r)
		}
	})
}
