//go:build unix

package program

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/program/fake"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/match"
)

// mixture are the faults of engines that fail in every way.
var mixture = []string{fake.Die, fake.DieOnce, fake.DieOnce, fake.Flood, fake.Illegal, fake.Malformed, fake.Refuse, fake.Resign, fake.Noise}

// failingMatch returns a match of a fake engine, which fails in some of 1,000 positions, against random moves.
func failingMatch(t *testing.T, kind agent.Kind, name, options string, n, threads int, args ...string) match.Config {
	t.Helper()
	config := match.Config{Game: games.Must(name), Games: n, Seed: 7, OpeningPlies: 2, Threads: threads}
	for i, text := range []string{fakeSpec(kind, name, options, args...), "random"} {
		factory, err := agent.ParseFactory(config.Game, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		*[]**agent.Factory{&config.A, &config.B}[i] = factory.WithPrograms(Start)
	}
	return config
}

// leftovers is what may leak: children, open files and goroutines of this process.
type leftovers struct{ children, files, goroutines int }

func countLeftovers() leftovers {
	files, _ := os.ReadDir("/proc/self/fd")
	return leftovers{len(childrenOf(os.Getpid())), len(files), runtime.NumGoroutine()}
}

func (l leftovers) exceed(m leftovers) bool {
	return l.children > m.children || l.files > m.files || l.goroutines > m.goroutines
}

// TestFailingPrograms plays matches against engines that fail in every way. The results tell exactly what the engines
// say that they did, and nothing is left.
func TestFailingPrograms(t *testing.T) {
	games := map[agent.Kind]int{agent.GTP: 1000, agent.Gomocup: 60, agent.NBoard: 40}
	if testing.Short() {
		games = map[agent.Kind]int{agent.GTP: 100, agent.Gomocup: 20, agent.NBoard: 10}
	}
	warm := testAgent(t, "tic-tac-toe", fakeSpec(agent.GTP, "tic-tac-toe", "")) // starts the guard
	if err := warm.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	warm.Close()
	for _, protocol := range protocols {
		t.Run(string(protocol.kind), func(t *testing.T) {
			before := countLeftovers()
			log := filepath.Join(t.TempDir(), "log")
			args := slices.Concat([]string{"log=" + log, "share=40", fake.Hang}, mixture, mixture, mixture) // hangs take time
			config := failingMatch(t, protocol.kind, protocol.game, "time=200ms", games[protocol.kind], 2, args...)
			early := int64(0) // heap after about 100 games
			config.Progress = func(r match.Result) {
				if early == 0 && r.Games >= 100 {
					early = heap()
				}
			}
			result, err := match.Run(context.Background(), config)
			if err != nil {
				t.Fatal(err)
			}
			if growth := heap() - early; early > 0 && growth > 4<<20 {
				t.Errorf("the heap grows by %d KB", growth>>10)
			}
			done := make(map[string]int)
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range strings.Fields(string(text)) {
				done[fault]++
			}
			side := result.Sides[0]
			var got map[string]int
			data, err := json.Marshal(side.Forfeits)
			if err == nil {
				err = json.Unmarshal(data, &got)
			}
			if err != nil {
				t.Fatal(err)
			}
			illegal, refused := done[fake.Illegal]+done[fake.Malformed], done[fake.Refuse]
			if protocol.kind != agent.GTP {
				illegal, refused = illegal+refused, 0
			}
			want := map[string]int{
				"overstepped": done[fake.Hang], "flooded": done[fake.Flood], "illegal": illegal, "refused": refused,
				"died": done[fake.Die] + done[fake.DieOnce] - side.Restarts,
			}
			for fault, n := range want {
				if got[fault] != n {
					t.Errorf("%d games %s, but the engines did so %d times", got[fault], fault, n)
				}
				if n == 0 && fault != "refused" && games[protocol.kind] >= 1000 {
					t.Errorf("no game %s", fault)
				}
			}
			if side.Resigned != done[fake.Resign] || side.Void.Total() > 0 || result.Games != config.Games ||
				result.Wins+result.Draws+result.Losses != config.Games || result.Losses < side.Forfeits.Total()+side.Resigned {
				t.Errorf("result %+v; done %v", result, done)
			}
			t.Logf("%d games in %.1f s, %d plies: %d:%d:%d; %s; done %v; heap %d KB after 100 games, %d KB now", result.Games, result.Seconds,
				int(result.MeanPlies*float64(result.Games)), result.Wins, result.Draws, result.Losses, side.Text(), done, early>>10, heap()>>10)
			deadline := time.Now().Add(5 * time.Second)
			after := countLeftovers()
			for ; after.exceed(before) && time.Now().Before(deadline); after = countLeftovers() {
				time.Sleep(10 * time.Millisecond)
			}
			if after.exceed(before) {
				t.Errorf("left over %+v, before %+v", after, before)
			}
		})
	}
}

// heap returns the bytes in use.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestThreadsDoNotMatter plays matches against an engine that fails by the position alone, with one and with two
// threads.
func TestThreadsDoNotMatter(t *testing.T) {
	games := 100
	if testing.Short() {
		games = 30
	}
	var results []match.Result
	for threads := 1; threads <= 2; threads++ {
		config := failingMatch(t, agent.GTP, "hex-5x5", "deterministic=yes", games, threads, slices.Concat([]string{"share=80"}, mixture)...)
		result, err := match.Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		result.Seconds = 0
		for i := range result.Sides {
			result.Sides[i].SecondsPerMove = 0
		}
		results = append(results, result)
	}
	if !reflect.DeepEqual(results[0], results[1]) {
		t.Errorf("one thread:\n%+v\ntwo threads:\n%+v", results[0], results[1])
	}
	if results[0].Sides[0].Forfeits.Total() < games/20 {
		t.Errorf("few faults: %s", results[0].Sides[0].Text())
	}
}
