package ggp

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/gdl"
	"ludus/env/gdl/sheets"
	"ludus/model/infer"
	"ludus/train/agent"
)

// TestLearning plays a match with training during the start clock: START is answered in time, and so is every PLAY.
func TestLearning(t *testing.T) {
	if testing.Short() {
		t.Skip("it uses a long start clock")
	}
	address, l := serveTuned(t, testMargin, func(s *Server) { s.minLearning = 5 * time.Second })
	o := matchServer{
		address: address, text: sheets.Text("tic-tac-toe"), startClock: 14, playClock: testPlay, rng: rand.New(rand.NewPCG(1, 1)),
	}.play(t)
	t.Logf("START took %v, the slowest PLAY %v: %s", o.start, o.slowest, l)
	if text := l.String(); !strings.Contains(text, "a network trained during the start clock scores") {
		t.Error("no network was trained")
	}
}

// TestLearningEnds ends a match while a network is trained. The memory is given back.
func TestLearningEnds(t *testing.T) {
	runtime.GC() // what earlier tests left
	before := live()
	address, _ := serveTuned(t, testMargin, func(s *Server) { s.minLearning = time.Second })
	started := make(chan string)
	go func() {
		started <- send(t, address, fmt.Sprintf("(START m x (%s) 60 5)", sheets.Text("tic-tac-toe")))
	}()
	time.Sleep(3 * time.Second)
	begin := time.Now()
	during := live()
	answers(t, address, "(ABORT m)", "aborted")
	if answer := <-started; answer != "ready" || time.Since(begin) > 10*time.Second {
		t.Errorf("START is answered %q after %v", answer, time.Since(begin))
	}
	answers(t, address, "(INFO)", "((name ludus) (status available))")
	for begin := time.Now(); live() > before+4<<20 && time.Since(begin) < 5*time.Second; {
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("%d MB before, %d during and %d after the match", before>>20, during>>20, live()>>20)
	if live() > before+4<<20 {
		t.Error("the memory is not given back")
	}
}

// faulty is a position of a game with a fault, which shows after some evaluations.
type faulty struct {
	env.State
	left *atomic.Int32
}

func (f faulty) CopyFrom(src env.State) { f.State.CopyFrom(src.(faulty).State) }

func (f faulty) Encode(dst []float32) {
	if f.left.Add(-1) < 0 {
		panic("fault of a game")
	}
	f.State.Encode(dst)
}

// TestFaultInTraining checks that a panic of training, which runs on several goroutines, is an error of learn that is
// logged, and leaves no folder behind.
func TestFaultInTraining(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, evaluations := range []int32{1, 500, 20_000} { // while the speed is measured, and later
		game, _, err := gdl.New(t.Context(), "tic-tac-toe", sheets.Text("tic-tac-toe"))
		if err != nil {
			t.Fatal(err)
		}
		var left atomic.Int32
		left.Store(evaluations)
		good := game.NewState
		game.NewState = func() env.State { return faulty{good(), &left} }
		var lines strings.Builder
		s := &Server{memory: MinMemory, most: 1, log: log.New(&lines, "", 0)}
		m := &match{server: s, ready: time.Now().Add(settling + 8*time.Second)}
		network := m.learn(t.Context(), game, agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: 10}, nil))
		if left.Load() >= 0 {
			t.Logf("the machine is too slow for %d evaluations", evaluations)
			continue
		}
		if network != nil {
			t.Fatalf("a network after %d evaluations", evaluations)
		}
		if !strings.Contains(lines.String(), "no network: internal error: fault of a game") {
			t.Errorf("the log is %q", lines.String())
		}
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
			t.Errorf("files left: %v, error %v", left, err)
		}
	}
}

// TestFaultInComparison checks that a panic while the network is compared is an error, and that the network is not used.
func TestFaultInComparison(t *testing.T) {
	game, _, err := gdl.New(t.Context(), "tic-tac-toe", sheets.Text("tic-tac-toe"))
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	s := &Server{memory: MinMemory, most: 1, log: log.New(&lines, "", 0)}
	m := &match{server: s, ready: time.Now().Add(settling + 5*time.Second)}
	search := agent.NewFactory(game, agent.NetSpec("none"), func(agent.Reference) (*infer.Weights, agent.Origin, error) { panic("fault of a search") })
	if m.learn(t.Context(), game, search) != nil {
		t.Error("the network is used")
	}
	if text := lines.String(); !strings.Contains(text, "no network: internal error: fault of a search") && !strings.Contains(text, "too short") {
		t.Errorf("the log is %q", text)
	}
}

// TestCompare compares a search with one that has more time in the same games.
func TestCompare(t *testing.T) {
	game, _, err := gdl.New(t.Context(), "tic-tac-toe", sheets.Text("tic-tac-toe"))
	if err != nil {
		t.Fatal(err)
	}
	strong := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: 1000}, nil)
	weak := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: 1}, nil)
	score, n, err := compare(t.Context(), strong, weak, time.Second, time.Now().Add(2*time.Second))
	if err != nil || n < 4 || n%2 != 0 || score.Low <= 0.5 {
		t.Errorf("score %v in %d games, error %v", score, n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, n, err := compare(ctx, strong, weak, time.Second, time.Now().Add(time.Hour)); !errors.Is(err, context.Canceled) || n != 0 {
		t.Errorf("%d games, error %v", n, err)
	}
}
