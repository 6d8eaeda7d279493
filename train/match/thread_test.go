package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/train/agent"
)

// Games played many at once equal those played one at a time, for any number of threads: for all kinds of search, two
// networks, agents without one, and games in which players do not alternate.
func TestLockstepPlaysTheSameGames(t *testing.T) {
	for _, name := range []string{"quad-5x5", "quad-7x7", "breakthrough-6x6"} {
		game := games.Must(name)
		const one, two = "1", "2"
		for _, texts := range [][2]string{
			{"net:" + one + ",sims=16", "net:" + two + ",sims=12"},
			{"net:" + one + ",sims=32,search=puct", "net:" + one + ",sims=12,temp=1"},
			{"net:" + one + ",sims=6,threads=2", "policy:" + two},
			{"policy:" + one + ",temp=1", "mcts:10"},
			{"greedy", "net:" + two + ",sims=20,search=puct,temp=0.5"},
		} {
			a, b := texts[0], texts[1]
			m := Config{Game: game, A: parse(t, game, a), B: parse(t, game, b), Games: 13, Seed: 3, OpeningPlies: 2, Balance: checkerOf(game)}
			alone := [2]agent.Agent{newAgent(t, game, a), newAgent(t, game, b)}
			var want []*finishedGame
			for i := range m.Games {
				want = append(want, playGame(t, &m, alone, i))
			}
			for _, threads := range []int{1, 2, 7} {
				m.Threads = threads
				for i, g := range playAll(t, &m) {
					if g.aFirst != want[i].aFirst || g.goals != want[i].goals || !slices.Equal(g.moves, want[i].moves) {
						t.Fatalf("%s, %s against %s, %d threads: game %d is %v; alone it is %v", name, a, b, threads, i, *g, *want[i])
					}
				}
			}
		}
		if testing.Short() {
			return
		}
	}
}

// playAll plays all games of a match.
func playAll(t testing.TB, m *Config) []*finishedGame {
	t.Helper()
	c, err := m.play(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c.games
}

// A thread plays all its games at once; fewer if trees are large, one if an agent has a time limit or none a network.
func TestGamesAtOnce(t *testing.T) {
	game := quad()
	for _, c := range []struct {
		a, b                 string
		games, threads, want int
	}{
		{"net:x", "net:y", 1000, 2, agent.MaxBatched},
		{"net:x", "random", 1000, 1, agent.MaxBatched},
		{"net:x", "policy:x", 21, 2, 11},
		{"net:x,sims=10000", "net:y", 1000, 2, 13},
		{"net:x,sims=10000", "net:y,sims=10000", 1000, 2, 6},
		{"net:x,sims=64", "mcts:1000000", 1000, 2, 1},
		{"net:x,sims=1000000", "random", 1000, 2, 1},
		{"net:x", "net:y,time=10ms", 1000, 2, 1},
		{"net:x", "solver:1000", 1000, 2, agent.MaxBatched},
		{"net:x", "solver:100000000", 1000, 2, 1},
		{"mcts:200", "random", 1000, 2, 1},
	} {
		m := Config{Game: game, A: parse(t, game, c.a), B: parse(t, game, c.b), Games: c.games}
		if got := m.gamesAtOnce(c.threads); got != c.want {
			t.Errorf("%s against %s, %d games, %d threads: %d games at once; want %d", c.a, c.b, c.games, c.threads, got, c.want)
		}
	}
}

// A long search ends when the match is cancelled, even if all its evaluations come from the cache.
func TestCancelledInLongSearches(t *testing.T) {
	for _, name := range []string{"quad-7x7", "breakthrough(columns=2,rows=4)"} {
		game := games.Must(name)
		const run = "1"
		for _, sims := range []int{30000, 1000000} {
			text := fmt.Sprintf("net:%s,sims=%d,search=puct", run, sims)
			m := Config{Game: game, A: parse(t, game, text), B: parse(t, game, text), Games: 100000, Seed: 1, Threads: 2}
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			start := time.Now()
			if _, err := Run(ctx, m); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 2*time.Second {
				t.Errorf("%s, %d simulations: error %v after %v", name, sims, err, time.Since(start))
			}
			cancel()
		}
	}
}
