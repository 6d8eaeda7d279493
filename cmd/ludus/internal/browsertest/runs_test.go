package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"ludus/cmd/ludus/internal/web"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/naming"
	"ludus/train"
	"ludus/train/shipped"
)

// trained are the runs of trainRun by the names of their games. Tests get copies.
var trained struct {
	dir  string // TestMain makes and removes it
	mu   sync.Mutex
	runs map[string]bool
}

// trainRun makes a run of four short generations of a game in dir, with ratings, suite results, and scores of 12 % and 20 %
// of generations 1 and 4. It trains once for each game.
func trainRun(t *testing.T, dir, name string) {
	t.Helper()
	trained.mu.Lock()
	defer trained.mu.Unlock()
	run := filepath.Join(trained.dir, naming.FileName(name))
	if !trained.runs[name] {
		trainNew(t, run, name)
		trained.runs[name] = true
	}
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
}

// trainNew makes a run as trainRun does, in a directory that does not exist.
func trainNew(t *testing.T, dir, name string) {
	t.Helper()
	game := games.Must(name)
	_, err := train.Train(t.Context(), train.Options{
		Dir: dir, Game: game, Generations: 4, Threads: 2,
		Settings: map[string]float64{
			"parallel_games": 8, "plies_per_generation": 30, "simulations": 4, "channels": 4, "blocks": 1, "batch_size": 16,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"ratings.json": `{"version":2,"anchor":"random","games":900,"agents":[
			{"agent":"net@3","generation":3,"rating":120.5,"low":80,"high":161,"games":300},
			{"agent":"mcts:200","rating":88,"low":60,"high":116,"games":300},
			{"agent":"net@1","generation":1,"rating":12,"low":-20,"high":44,"games":300},
			{"agent":"random","rating":0,"low":-15,"high":15,"games":300}]}`,
		"arena.jsonl": scoreLine(game, 1, 3) + scoreLine(game, 4, 5),
		"suite.jsonl": `{"generation":1,"agent":"policy","positions":100,"error":0.5,"low":0.4,"high":0.6}
{"generation":3,"agent":"policy","positions":100,"error":0.3,"low":0.2,"high":0.4}
{"generation":3,"agent":"net","positions":100,"error":0.1,"low":0.05,"high":0.2}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// scoreLine is the line of arena.jsonl about a checkpoint that won a number of 25 pairs of games against the run's opponent.
func scoreLine(game *env.Game, generation, won int) string {
	return fmt.Sprintf(`{"generation":%d,"agent":"net@%d","opponent":"%s","number":1,"simulations":64,"shipped":"%s","games":50,"pentanomial":[%d,0,0,0,%d]}`+"\n",
		generation, generation, shipped.Opponent(game), shipped.Digest(game), 25-won, won)
}

// raiseScore makes the newest checkpoint of a run of quad-5x5 better than the shipped agent: it scores 96 %.
func raiseScore(t *testing.T, run string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(run, "arena.jsonl"), []byte(scoreLine(games.Must("quad-5x5"), 4, 24)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// serve runs the server of ludus serve until the test ends or stop is called. It returns the address to open.
func serve(t *testing.T, o web.Options) (address string, stop func()) {
	t.Helper()
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	o.Threads = 2
	s, err := web.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Serve(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the server ended with %v", err)
		}
	}()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return s.URL(), stop
}
