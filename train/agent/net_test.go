package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
)

// load returns a loader that reads a path N as the network with random weights of seed N.
func load(game *env.Game) Loader {
	return func(reference Reference) (*infer.Weights, Origin, error) {
		n, err := strconv.ParseUint(reference.Path, 10, 64)
		if err != nil {
			return nil, Origin{}, ErrWeights
		}
		return infertest.RandomWeights(game, 4, 1, n), Origin{Path: reference.Path, Generation: -1, Digest: reference.Path}, nil
	}
}

func parse(t testing.TB, game *env.Game, text string) *Factory {
	t.Helper()
	spec, err := ParseFactory(game, text, load(game))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func quad() *env.Game { return games.Must("quad-5x5") }

func TestOtherGame(t *testing.T) {
	other := games.Must("quad-7x7")
	spec, err := ParseFactory(other, "net:1", load(quad()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spec.New(1); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), "it plays quad-5x5") {
		t.Errorf("error %v", err)
	}
}

// Weights from before a game was listed have its full name.
func TestFullName(t *testing.T) {
	game := quad()
	w := infertest.RandomWeights(game, 4, 1, 1)
	w.Config.Game = game.Full
	spec, err := ParseFactory(game, "net:1", func(Reference) (*infer.Weights, Origin, error) { return w, Origin{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spec.New(1); err != nil {
		t.Error(err)
	}
}

func TestOverflowingWeights(t *testing.T) {
	game := quad()
	w := infertest.RandomWeights(game, 4, 1, 1)
	for _, tensor := range w.Tensors {
		for i := range tensor.Data {
			tensor.Data[i] *= 1e30
		}
	}
	spec, err := ParseFactory(game, "net:large", func(Reference) (*infer.Weights, Origin, error) { return w, Origin{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spec.New(1); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("error %v; want ErrWeights, for what the network says", err)
	}
}

// All agents, on all games: an analysis holds every legal move once, in order, with values in range; what is played is
// legal and follows from the seed.
func TestAgentsOnAllGames(t *testing.T) {
	for _, name := range games.Names() {
		game := games.Must(name)
		const run = "1"
		for _, text := range []string{"random", "greedy", "mcts:50", "alphabeta:1", "net:" + run + ",sims=16", "net:" + run + ",search=puct,sims=16,temp=1",
			"net:" + run + ",sims=8,temp=0.5", "net:" + run + ",sims=40,threads=3", "net:" + run + ",sims=8,time=1s", "policy:" + run, "policy:" + run + ",temp=1"} {
			one, two := newAgent(t, game, text), newAgent(t, game, text)
			one.Reset(5)
			two.Reset(5)
			state, rng := game.NewState(), rand.New(rand.NewPCG(1, 1))
			for ply := 0; !state.Done() && ply < 20; ply++ {
				legal := state.Legal(nil)
				if ply%7 == 4 {
					checkAnalysis(t, game, newAgent(t, game, text), state, text)
				}
				a, err := one.Choose(context.Background(), state)
				if err != nil {
					t.Fatal(err)
				}
				if b, err := two.Choose(context.Background(), state); err != nil || a != b {
					t.Fatalf("%s, %s: the same seed plays %d and %d (%v)", name, text, a, b, err)
				}
				if !slices.Contains(legal, a) {
					t.Fatalf("%s, %s plays an illegal move", name, text)
				}
				if rng.IntN(3) == 0 { // leave the path that a kept tree knows best
					a = legal[rng.IntN(len(legal))]
				}
				state.Apply(a)
				one.Observe(a)
				two.Observe(a)
			}
		}
	}
}

func checkAnalysis(t *testing.T, game *env.Game, a Agent, state env.State, text string) {
	t.Helper()
	key := state.Key()
	got, err := a.Analyze(context.Background(), state, 30)
	if err != nil {
		t.Fatal(err)
	}
	if state.Key() != key {
		t.Fatalf("%s, %s changes the state", game.Name, text)
	}
	var actions []env.Action
	for i, m := range got.Moves {
		actions = append(actions, m.Action)
		if m.Value != nil && !(math.Abs(*m.Value) <= 1+1e-6) || m.Prior != nil && !(*m.Prior >= 0 && *m.Prior <= 1+1e-6) {
			t.Fatalf("%s, %s: value %v, prior %v", game.Name, text, orZero(m.Value), orZero(m.Prior))
		}
		if i > 1 && orZero(m.Visits) > orZero(got.Moves[i-1].Visits) {
			t.Fatalf("%s, %s: moves are not sorted by visits", game.Name, text)
		}
	}
	slices.Sort(actions)
	if !slices.Equal(actions, state.Legal(nil)) || got.Player != state.Player() {
		t.Fatalf("%s, %s: analysis of %v for %d", game.Name, text, actions, got.Player)
	}
	if got.Value != nil && !(math.Abs(*got.Value) <= 1+1e-6) {
		t.Fatalf("%s, %s: value %v", game.Name, text, *got.Value)
	}
	if g := got.Goals; g != nil && (!(g[0] >= 0 && g[0] <= 100+1e-3) || !(g[1] >= 0 && g[1] <= 100+1e-3)) {
		t.Fatalf("%s, %s: goals %v", game.Name, text, *g)
	}
	knows := strings.HasPrefix(text, "net:") || strings.HasPrefix(text, "policy:")
	if knows != (got.Goals != nil) || knows && got.Value == nil {
		t.Fatalf("%s, %s: value %v, goals %v", game.Name, text, got.Value, got.Goals)
	}
	if strings.HasPrefix(text, "net:") && !got.Proven && got.Simulations != 30 {
		t.Fatalf("%s, %s: %d simulations of 30", game.Name, text, got.Simulations)
	}
}

// The first move of an analysis is the move that the agent plays with as many simulations.
func TestAnalysisIsPlay(t *testing.T) {
	game := quad()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, simulations := range []int{16, 64, 300} {
		for _, option := range []string{"", ",search=puct"} {
			a := newAgent(t, game, fmt.Sprintf("net:1,sims=%d%s", simulations, option))
			for range 10 {
				state := game.NewState()
				for range rng.IntN(6) {
					legal := state.Legal(nil)
					state.Apply(legal[rng.IntN(len(legal))])
				}
				a.Reset(1)
				played, err := a.Choose(context.Background(), state)
				if err != nil {
					t.Fatal(err)
				}
				analysis, err := a.Analyze(context.Background(), state, 0)
				if err != nil {
					t.Fatal(err)
				}
				if best := analysis.Moves[0].Action; best != played {
					t.Errorf("%s: plays %s, analysis %s", a.(*Batched).spec, game.ActionTexts[played], game.ActionTexts[best])
				}
			}
		}
	}
}

// Even an untrained network finds an immediate win, from either seat, and reports that it is proven.
func TestNetworkSeesProvenWin(t *testing.T) {
	game, state := position(t, "quad-5x5", "mark r2 c2", "mark r4 c3", "mark r2 c3", "mark r4 c4", "mark r3 c2", "mark r5 c3")
	const run = "1"
	for _, text := range []string{"net:" + run, "net:" + run + ",search=puct", "net:" + run + ",sims=1", "net:" + run + ",threads=2", "net:" + run + ",time=20ms", "net:" + run + ",time=20ms,threads=2"} {
		only(t, game, state, text, "(mark r3 c3)")
		analysis, err := newAgent(t, game, text).Analyze(context.Background(), state, 10)
		if err != nil {
			t.Fatal(err)
		}
		if !analysis.Proven || *analysis.Value != 1 || *analysis.Goals != [2]float64{100, 0} {
			t.Errorf("%s: proven %v, value %v, goals %v", text, analysis.Proven, *analysis.Value, *analysis.Goals)
		}
	}
}

// A kept tree follows the moves of both players. If it does not match the position, a new tree is built.
func TestTreeIsKept(t *testing.T) {
	game := quad()
	for _, text := range []string{"net:1,search=puct,sims=200", "net:1,search=puct,sims=200,threads=2"} {
		testTreeIsKept(t, game, newAgent(t, game, text).(*Batched))
	}
}

func testTreeIsKept(t *testing.T, game *env.Game, a *Batched) {
	t.Helper()
	state := game.NewState()
	visits := func() int {
		total := 0
		for _, m := range a.search.Moves() {
			total += m.Visits
		}
		return total
	}
	choose := func() env.Action {
		move, err := a.Choose(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		return move
	}
	apply := func(move env.Action) {
		state.Apply(move)
		a.Observe(move)
	}
	apply(choose())
	choose()
	if n := visits(); n <= 200 || a.search.Simulations() != 200 {
		t.Errorf("%d visits, %d new simulations; want some of the tree kept and 200 new", n, a.search.Simulations())
	}
	state.Apply(state.Legal(nil)[0]) // not observed
	choose()
	if n := visits(); n != 200 {
		t.Errorf("%d visits in a tree of another position; want 200", n)
	}
	a.Observe(env.Action(0)) // a corner: not legal
	a.Reset(1)
	choose()
	if n := visits(); n != 200 {
		t.Errorf("%d visits after a reset; want 200", n)
	}
}

// Searches of few simulations have one pending leaf, so each value counts at once.
func TestPUCTLeaves(t *testing.T) {
	for simulations, want := range map[int]int{1: 1, 16: 1, 64: 4, 255: 15, 256: 16, MaxSimulations: 16} {
		if got := (Spec{Kind: Net, PUCT: true}).maxLeaves(simulations); got != want {
			t.Errorf("%d simulations: %d pending leaves; want %d", simulations, got, want)
		}
	}
	if got := (Spec{Kind: Net, PUCT: true, Threads: 3}).maxLeaves(MaxSimulations); got != 48 {
		t.Errorf("three threads: %d pending leaves; want 48", got)
	}
	game := quad()
	text := "net:1"
	used := newAgent(t, game, text)
	for _, simulations := range []int{0, 1000, 10} { // no answer depends on earlier ones
		got, err := used.Analyze(context.Background(), game.NewState(), simulations)
		if err != nil {
			t.Fatal(err)
		}
		want, err := newAgent(t, game, text).Analyze(context.Background(), game.NewState(), simulations)
		if err != nil {
			t.Fatal(err)
		}
		if *got.Value != *want.Value || got.Moves[0].Action != want.Moves[0].Action {
			t.Errorf("%d simulations: value %v, from a new agent %v", simulations, *got.Value, *want.Value)
		}
	}
}

// The goals of an analysis come with the evaluations of the search.
func TestGoalsTakeNoFurtherEvaluation(t *testing.T) {
	game := games.Must("free-for-all-2p")
	for text, want := range map[string]int{"policy:1": 1, "net:1": 1 + 10} {
		a := newAgent(t, game, text).(*Batched)
		analysis, err := a.Analyze(context.Background(), game.NewState(), 10)
		if err != nil || analysis.Goals == nil {
			t.Fatalf("%s: goals %v, error %v", text, analysis.Goals, err)
		}
		stats := a.batcher.TakeStats()
		if n := stats.Evaluations + stats.CacheHits; n != want {
			t.Errorf("%s: %d evaluations; want %d", text, n, want)
		}
	}
}

// Agents search with the value scale that their network was trained with, which changes their moves.
func TestValueScale(t *testing.T) {
	game := quad()
	moves := map[float64]string{}
	for _, scale := range []float64{0, 0.5, 0.001} {
		f, err := ParseFactory(game, "net:1,sims=16", func(r Reference) (*infer.Weights, Origin, error) {
			w := infertest.RandomWeights(game, 4, 1, 1)
			if scale > 0 {
				w.ValueScale = scale
			}
			return w, Origin{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.New(1)
		if err != nil {
			t.Fatal(err)
		}
		for _, state := range envtest.Positions(game, 1, 40) {
			move, err := a.Choose(context.Background(), state)
			if err != nil {
				t.Fatal(err)
			}
			moves[scale] += fmt.Sprint(move, " ")
		}
	}
	if moves[0] != moves[0.5] || moves[0.001] == moves[0.5] {
		t.Errorf("moves by value scale, 0 being the default: %v", moves)
	}
}

func TestTimeAndCancelling(t *testing.T) {
	game := games.Must("quad-7x7")
	const run = "1"
	start := time.Now()
	if _, err := newAgent(t, game, "net:"+run+",time=50ms").Choose(context.Background(), game.NewState()); err != nil {
		t.Fatal(err)
	}
	if spent := time.Since(start); spent < 50*time.Millisecond || spent > 2*time.Second {
		t.Errorf("a move of 50ms took %v", spent)
	}
	for _, c := range []struct{ own, limit time.Duration }{{50 * time.Millisecond, time.Minute}, {time.Minute, 50 * time.Millisecond}} {
		start := time.Now()
		timed := newAgent(t, game, fmt.Sprintf("net:%s,time=%v", run, c.own)).(Timed)
		if _, err := timed.ChooseWithin(t.Context(), game.NewState(), c.limit); err != nil || time.Since(start) > 5*time.Second {
			t.Errorf("time=%v within %v took %v: %v", c.own, c.limit, time.Since(start), err)
		}
	}
	for _, text := range []string{"random", "greedy", "mcts:1000000", "alphabeta:12", "net:" + run + ",sims=1000000", "net:" + run + ",sims=1000000,threads=2", "policy:" + run} {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		if text == "random" || text == "greedy" || strings.HasPrefix(text, "policy") {
			cancel()
		}
		a := newAgent(t, game, text)
		start := time.Now()
		_, err := a.Choose(ctx, game.NewState())
		if err == nil || !errors.Is(err, ctx.Err()) || time.Since(start) > 3*time.Second {
			t.Errorf("%s: error %v after %v", text, err, time.Since(start))
		}
		if _, err := a.Analyze(ctx, game.NewState(), 100000); err == nil {
			t.Errorf("%s: analysis without error", text)
		}
		cancel()
	}
}

// The loader gets the reference as it was written, once.
func TestLoader(t *testing.T) {
	game := quad()
	loaded := ""
	f, err := ParseFactory(game, "net:agent@best,sims=4", func(reference Reference) (*infer.Weights, Origin, error) {
		loaded += reference.String() + "."
		return infertest.RandomWeights(game, 4, 1, 1), Origin{Path: "memory", Generation: 5, Digest: "one"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.New(1); err != nil {
			t.Fatal(err)
		}
	}
	if origin, err := f.Load(); err != nil || origin.Generation != 5 || loaded != "agent@best." {
		t.Errorf("origin %+v, error %v, loaded %q", origin, err, loaded)
	}
	for text, want := range map[string]string{
		"policy:agent": "not here: file does not exist", "net:agent,simz=3": `unknown option "simz=3"; did you mean "sims"?`,
		"policy:agent,foo=3": `not here: file does not exist; unknown option "foo=3" (policy takes only temp, solve, book)`,
	} {
		f, err := ParseFactory(game, text, func(Reference) (*infer.Weights, Origin, error) {
			return nil, Origin{}, fmt.Errorf("not here: %w", fs.ErrNotExist)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.New(1); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want the loader's and %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"net:a,b,foo=1":         `bad agent "net:a,b,foo=1": unknown option "foo=1" (net takes only`,
		"net:a,b@3,simz=1":      `unknown option "simz=1"; did you mean "sims"?`,
		"policy:a,b,foo,temp=1": `unknown option "foo" (policy takes only`,
	} {
		f, err := ParseFactory(game, text, func(r Reference) (*infer.Weights, Origin, error) {
			if r.Path == "a,b" {
				return infertest.RandomWeights(game, 4, 1, 1), Origin{}, nil
			}
			return nil, Origin{}, fmt.Errorf("not here: %w", fs.ErrNotExist)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Load(); !errors.Is(err, ErrSpec) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want ErrSpec and %q", text, err, want)
		}
	}
}
