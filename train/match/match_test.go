package match

import (
	"context"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
)

func quad() *env.Game { return games.Must("quad-5x5") }

var balances = map[string]*BalanceChecker{}

// checkerOf returns a checker that all tests of a game share, which saves most of the solver's work.
func checkerOf(game *env.Game) *BalanceChecker {
	if balances[game.Name] == nil {
		balances[game.Name] = NewBalanceChecker(game)
	}
	return balances[game.Name]
}

// load returns a loader that reads a path N as the network with random weights of seed N.
func load(game *env.Game) agent.Loader {
	return func(reference agent.Reference) (*infer.Weights, agent.Origin, error) {
		n, err := strconv.ParseUint(reference.Path, 10, 64)
		if err != nil {
			return nil, agent.Origin{}, agent.ErrWeights
		}
		return infertest.RandomWeights(game, 4, 1, n), agent.Origin{Path: reference.Path, Generation: -1, Digest: reference.Path}, nil
	}
}

func parse(t testing.TB, game *env.Game, text string) *agent.Factory {
	t.Helper()
	spec, err := agent.ParseFactory(game, text, load(game))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// newAgent returns the agent of a spec.
func newAgent(t testing.TB, game *env.Game, text string) agent.Agent {
	t.Helper()
	a, err := parse(t, game, text).New(1)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// play returns the result of games between the agents of two texts.
func play(t testing.TB, m Config, game, a, b string) Result {
	t.Helper()
	var err error
	if m.Game, err = games.New(game); err != nil {
		t.Fatal(err)
	}
	m.A, m.B = parse(t, m.Game, a), parse(t, m.Game, b)
	m.Balance = checkerOf(m.Game)
	r, err := Run(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBaselinesRank(t *testing.T) {
	for _, c := range []struct {
		game, better, worse string
		least               float64
	}{
		{"quad-5x5", "greedy", "random", 0.9},
		{"quad-5x5", "mcts:100", "random", 0.95},
		{"quad-7x7", "greedy", "random", 0.8},
		{"breakthrough-6x6", "mcts:100", "random", 0.9},
		{"breakthrough-6x6", "alphabeta:3", "random", 0.7},
		{"golden-rectangle", "mcts:200", "random", 0.8},
		{"free-for-all-2p", "alphabeta:2", "random", 0.9},
		{"free-for-all-2p", "mcts:100", "random", 0.9},
		{"quad-5x5", "mcts:800", "mcts:50", 0.6},
	} {
		if r := play(t, Config{Games: 40, Seed: 3, OpeningPlies: 2, Threads: 2}, c.game, c.better, c.worse); r.Score < c.least {
			t.Errorf("%s: %s scores %.2f against %s; want %.2f", c.game, c.better, r.Score, c.worse, c.least)
		}
	}
}

func TestMatchDoesNotDependOnThreads(t *testing.T) {
	var want Result
	for _, threads := range []int{1, 2, 5} {
		r := play(t, Config{Games: 31, Seed: 7, OpeningPlies: 2, Threads: threads}, "quad-5x5", "mcts:20", "greedy")
		r.Seconds = 0
		if threads == 1 {
			want = r
		}
		if !reflect.DeepEqual(r, want) {
			t.Errorf("%d threads: %+v; one thread: %+v", threads, r, want)
		}
		if r.Games != 31 || r.Wins+r.Draws+r.Losses != 31 {
			t.Errorf("%+v does not add up to 31 games", r)
		}
	}
	a := play(t, Config{Games: 30, Seed: 1, OpeningPlies: 2, Threads: 1}, "quad-5x5", "random", "random")
	b := play(t, Config{Games: 30, Seed: 2, OpeningPlies: 2, Threads: 1}, "quad-5x5", "random", "random")
	if a.Seconds, b.Seconds = 0, 0; reflect.DeepEqual(a, b) {
		t.Error("two seeds give the same match")
	}
}

// playGame plays game i of a match alone.
func playGame(t *testing.T, m *Config, agents [2]agent.Agent, i int) *finishedGame {
	t.Helper()
	g := &game{config: m, agents: agents, alone: true}
	opening, err := newOpenings(m).get(context.Background(), i/2)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.start(context.Background(), i, opening); err != nil {
		t.Fatal(err)
	}
	if done, err := g.advance(context.Background()); err != nil || !done {
		t.Fatalf("game %d: done %v, %v", i, done, err)
	}
	return g.finished()
}

func TestPairsShareOpeningsAndSwapSeats(t *testing.T) {
	game := quad()
	m := Config{Game: game, A: parse(t, game, "random"), B: parse(t, game, "random"), Games: 8, Seed: 5, OpeningPlies: 4, Threads: 1,
		Balance: checkerOf(game)}
	var agents [2]agent.Agent
	for i := range agents {
		agents[i] = newAgent(t, game, "random")
	}
	openings := map[string]bool{}
	for i := 0; i < m.Games; i += 2 {
		one, two := playGame(t, &m, agents, i), playGame(t, &m, agents, i+1)
		if !one.aFirst || two.aFirst || !slices.Equal(one.moves[:4], two.moves[:4]) {
			t.Errorf("pair %d: seats %v and %v, openings %v and %v", i/2, one.aFirst, two.aFirst, one.moves[:4], two.moves[:4])
		}
		if slices.Equal(one.moves, two.moves) {
			t.Errorf("pair %d: random agents repeat their game", i/2)
		}
		openings[(movesKey(one.moves[:4]))] = true
	}
	if len(openings) != 4 {
		t.Errorf("%d different openings in 4 pairs", len(openings))
	}
}

// witness plays at random and remembers for whom it moved and which moves it observed.
type witness struct {
	agent.Agent
	moved    []env.Player
	observed []env.Action
}

func (w *witness) Reset(seed uint64)    { w.Agent.Reset(seed); w.moved, w.observed = nil, nil }
func (w *witness) Observe(a env.Action) { w.observed = append(w.observed, a) }
func (w *witness) Choose(ctx context.Context, state env.State) (env.Action, error) {
	w.moved = append(w.moved, state.Player())
	return w.Agent.Choose(ctx, state)
}

// Players may move twice in a row: each agent moves for its own player only and sees every move of the game.
func TestAgentsKeepTheirSeats(t *testing.T) {
	game := games.Must("quad-7x7")
	for i := range 6 {
		m := Config{Game: game, Games: 6, OpeningPlies: 3}
		one, two := &witness{Agent: newAgent(t, game, "random")}, &witness{Agent: newAgent(t, game, "random")}
		g := playGame(t, &m, [2]agent.Agent{one, two}, i)
		want := env.First
		if !g.aFirst {
			want = env.Second
		}
		for side, a := range []*witness{one, two} {
			for _, p := range a.moved {
				if side == 0 && p != want || side == 1 && p != want.Opponent() {
					t.Fatalf("game %d: agent %d moves for %s", i, side, game.Players[p])
				}
			}
			if !slices.Equal(a.observed, g.moves) {
				t.Fatalf("game %d: agent %d has seen %d moves of %d", i, side, len(a.observed), len(g.moves))
			}
		}
		state := game.NewState()
		for _, a := range g.moves {
			state.Apply(a)
		}
		goals := state.Goals()
		if g.goals != [2]int{goals[want], goals[want.Opponent()]} {
			t.Fatalf("game %d: goals %v of A and B, %v of the players; A moves first: %v", i, g.goals, goals, g.aFirst)
		}
	}
}

func TestCancelledMatchKeepsItsGames(t *testing.T) {
	game := quad()
	ctx, cancel := context.WithCancel(context.Background())
	m := Config{Game: game, A: parse(t, game, "mcts:2000"), B: parse(t, game, "random"), Games: 100000, OpeningPlies: 2, Threads: 2, Balance: checkerOf(game),
		Progress: func(Result) { cancel() }}
	r, err := Run(ctx, m)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want that of the context", err)
	}
	if r.Games < 1 || r.Games > 1000 || r.Wins+r.Draws+r.Losses != r.Games {
		t.Errorf("%+v after the first game", r)
	}
}

// However long a call of Progress takes, the games get nearly all the time.
func TestProgressTakesLittleTime(t *testing.T) {
	const slow = 20 * time.Millisecond
	calls, last := 0, 0
	start := time.Now()
	play(t, Config{Games: 30000, Seed: 1, Threads: 2, Progress: func(r Result) {
		time.Sleep(slow)
		calls++
		last = r.Games
	}}, "quad-5x5", "random", "random")
	if most := 2 + int(time.Since(start)/(progressCost*slow)); calls > most || last != 30000 {
		t.Errorf("called %d times, %d games at last; want at most %d times, and all games", calls, last, most)
	}
}

func TestMatchValidate(t *testing.T) {
	game := quad()
	for want, m := range map[string]Config{
		"games is 0":         {Threads: 1},
		"from 1 to 1000000":  {Threads: 1, Games: math.MaxInt},
		"opening plies is 1": {Games: 1, Threads: 1, OpeningPlies: 16},
		"opening plies is -": {Games: 1, Threads: 1, OpeningPlies: -1},
		"threads is 0":       {Games: 1},
	} {
		m.Game = game
		if _, err := Run(context.Background(), m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one that says %q", err, want)
		}
	}
	m := Config{Game: game, A: parse(t, game, "random"), B: parse(t, game, "net:nowhere"), Games: 1, Threads: 2}
	if _, err := Run(context.Background(), m); !errors.Is(err, agent.ErrWeights) {
		t.Errorf("an agent without network: error %v", err)
	}
	tiny := games.Must("quad(size=4,quads=1,whites=0)")
	m = Config{Game: tiny, A: parse(t, tiny, "random"), B: parse(t, tiny, "random"), Games: 4, Threads: 2, OpeningPlies: 1}
	if r, err := Run(context.Background(), m); err != nil || r.Games != 4 || r.Draws != 4 {
		t.Errorf("%+v, %v; want four draws", r, err)
	}
	long := games.Must("breakthrough(columns=2,rows=4)")
	m = Config{Game: long, A: parse(t, long, "random"), B: parse(t, long, "random"), Games: 1, Threads: 1, OpeningPlies: long.MaxPlies - 1}
	if _, err := Run(context.Background(), m); !errors.Is(err, ErrOpening) {
		t.Errorf("openings as long as the game: error %v", err)
	}
}
