package agent_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
)

// TestGumbelLeaves measures how many leaves of a Gumbel search should be pending at once: 1, 2, 4 or 16. More fill a batch
// when one position is searched alone, but each is selected without the values of the others. It runs if
// LUDUS_TEST_LEAVES names the weights, for example:
//
//	LUDUS_TEST_LEAVES=runs/quad-7x7 go test ./train/agent -run GumbelLeaves -v -timeout 1h
//
// LUDUS_TEST_LEAVES_GAMES (400) and LUDUS_TEST_LEAVES_SIMS (64) change the games of a match and the simulations of a move.
// Each number of leaves plays 16 leaves, three times: at equal simulations; at equal time of a search alone, as in play;
// and at equal time of a match, where games share their batches.
func TestGumbelLeaves(t *testing.T) {
	path := os.Getenv("LUDUS_TEST_LEAVES")
	if path == "" {
		t.Skip("LUDUS_TEST_LEAVES does not name weights to measure with")
	}
	weights, _, err := rundir.LoadWeights(agent.ParseReference(path))
	if err != nil {
		t.Fatal(err)
	}
	l := &leavesTest{T: t, path: path, games: setting(t, "LUDUS_TEST_LEAVES_GAMES", 400)}
	if l.game, err = games.New(weights.Config.Game); err != nil {
		t.Fatal(err)
	}
	l.balance = match.NewBalanceChecker(l.game)
	const most = 16
	sims := setting(t, "LUDUS_TEST_LEAVES_SIMS", 64)
	l.play(most, sims, most, sims) // chooses the openings
	alone, inMatch := l.secondsAlone(most, sims), l.play(most, sims, most, sims).Seconds
	t.Logf("%s, %d simulations, %d games a match", l.game.Name, sims, l.games)
	t.Logf("%2d leaves: %.2f ms a move alone, %.1f s a match", most, 1e3*alone, inMatch)
	for _, leaves := range []int{1, 2, 4} {
		ownAlone, ownMatch := l.secondsAlone(leaves, sims), l.play(leaves, sims, leaves, sims).Seconds
		t.Logf("%2d leaves: %.2f ms a move alone, %.1f s a match", leaves, 1e3*ownAlone, ownMatch)
		for _, c := range []struct {
			what string
			sims int
		}{
			{"equal simulations", sims},
			{"equal time alone", max(1, int(float64(sims)*alone/ownAlone))},
			{"equal time in matches", max(1, int(float64(sims)*inMatch/ownMatch))},
		} {
			r := l.play(leaves, c.sims, most, sims)
			t.Logf("%2d leaves, %3d simulations, against %d, %d: %.3f [%.3f, %.3f], %s",
				leaves, c.sims, most, sims, r.Score, r.Low, r.High, c.what)
		}
	}
}

type leavesTest struct {
	*testing.T
	path    string
	game    *env.Game
	games   int // of a match
	balance *match.BalanceChecker
}

func (l *leavesTest) factory(leaves, sims int) *agent.Factory {
	f, err := rundir.ParseAgent(l.game, fmt.Sprintf("net:%s,sims=%d", l.path, sims))
	if err != nil {
		l.Fatal(err)
	}
	f.SetGumbelLeaves(leaves)
	return f
}

// secondsAlone is the mean time of a move where one position is searched at a time.
func (l *leavesTest) secondsAlone(leaves, sims int) float64 {
	states, moves := envtest.Positions(l.game, 1, 200), 0
	var spent time.Duration
	for spent < 2*time.Second {
		player, err := l.factory(leaves, sims).New(1) // with an empty cache
		if err != nil {
			l.Fatal(err)
		}
		start := time.Now()
		for _, state := range states {
			if _, err := player.Choose(context.Background(), state); err != nil {
				l.Fatal(err)
			}
		}
		spent += time.Since(start)
		moves += len(states)
	}
	return spent.Seconds() / float64(moves)
}

func (l *leavesTest) play(leaves, sims, opponentLeaves, opponentSims int) match.Result {
	config := match.Config{
		Game: l.game, A: l.factory(leaves, sims), B: l.factory(opponentLeaves, opponentSims),
		Games: l.games, Seed: 1, OpeningPlies: 4, Threads: 1, Balance: l.balance,
	}
	result, err := match.Run(context.Background(), config)
	if err != nil {
		l.Fatal(err)
	}
	return result
}

// setting reads a number from the environment.
func setting(t *testing.T, name string, value int) int {
	text := os.Getenv(name)
	if text == "" {
		return value
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 {
		t.Fatalf("%s=%s is not a number above 0", name, text)
	}
	return value
}
