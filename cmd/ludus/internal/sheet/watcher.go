package sheet

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/env/gdl/kif"
)

const (
	pollInterval = 200 * time.Millisecond
	checkTime    = 60 * time.Second // time limit of a check
	witnessTime  = 10 * time.Second // time limit of the search for a broken law
)

// Watcher checks a sheet whenever its file changes.
type Watcher struct {
	path     string
	describe func(*env.Game) string

	mu     sync.Mutex
	newest *Check
}

// NewWatcher returns a watcher of a sheet file, which need not exist. describe describes an accepted game to people.
func NewWatcher(path string, describe func(*env.Game) string) *Watcher {
	return &Watcher{path: path, describe: describe, newest: &Check{File: path, State: Checking}}
}

// version identifies a version of a file by its time and size.
type version struct {
	exists     bool
	time, size int64
}

// look returns the file's current version; the zero version if there is no file.
func (w *Watcher) look() version {
	info, err := os.Stat(w.path)
	if err != nil {
		return version{}
	}
	return version{true, info.ModTime().UnixNano(), info.Size()}
}

// Run watches the file until ctx ends, and returns ctx's error. It reports each finished check. A file that changes is
// checked once it looks the same twice in a row: editors write in several steps, or put a new file in the old one's
// place. A check of an older version is cancelled.
func (w *Watcher) Run(ctx context.Context, report func(*Check)) error {
	var (
		running         sync.WaitGroup
		cancel          = func() {}
		before, checked *version
	)
	defer running.Wait()
	defer func() { cancel() }()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for number := 0; ; {
		now := w.look()
		if before != nil && now == *before && (checked == nil || now != *checked) {
			cancel()
			running.Wait()
			checked = &now
			number++
			limited, stop := context.WithTimeout(ctx, checkTime)
			cancel = stop
			running.Go(func() { w.check(limited, number, report) })
		}
		before = &now
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// check checks the current version of the file, and publishes and reports the result.
func (w *Watcher) check(ctx context.Context, number int, report func(*Check)) {
	c := &Check{State: Missing}
	text, err := kif.ReadFile(w.path, kif.MaxBytes+1)
	if err == nil {
		w.publish(&Check{Number: number, File: w.path, State: Checking})
		c = check(ctx, w.path, string(text), w.describe)
	} else {
		c.Problem = err.Error()
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return // a newer version will be checked, or the watcher ends
	}
	c.Number, c.File = number, w.path
	w.publish(c)
	report(c)
}

// publish makes c the newest check.
func (w *Watcher) publish(c *Check) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.newest = c
}

// Latest returns the newest check. Do not change it.
func (w *Watcher) Latest() *Check {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.newest
}

// Game returns the accepted game of the newest check if it has the given name; otherwise nil.
func (w *Watcher) Game(name string) *env.Game {
	w.mu.Lock()
	defer w.mu.Unlock()
	if g := w.newest.accepted; g != nil && g.Name == name {
		return g
	}
	return nil
}

// RandomGame returns a game of random moves.
func RandomGame(game *env.Game, seed uint64) *board.Replay {
	rng := rand.New(rand.NewPCG(seed, 0))
	state := game.NewState()
	var moves []env.Action
	for !state.Done() {
		a := state.RandomAction(rng.Uint64())
		state.Apply(a)
		moves = append(moves, a)
	}
	r := board.NewReplay(game, moves, nil)
	r.Agents = [2]string{"a random player", "a random player"}
	return r
}
