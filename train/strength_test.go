package train_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/match"
	"ludus/train/remote"
	"ludus/train/rundir"
	"ludus/train/stats"
	"ludus/train/suite"
)

// strengthGame is the environment variable with the game that the tests in this file train on; without it they are
// skipped. LUDUS_TEST_STRENGTH_GENERATIONS (100), _SEEDS (3), _POSITIONS of the suite (2000) and _GAMES of a match (200)
// change how much they train and test.
const strengthGame = "LUDUS_TEST_STRENGTH"

// A strengthArm is a way to train.
type strengthArm struct {
	name   string
	change func(t *testing.T, o *train.Options) (stop func())
}

// TestStaleness measures how much games of old networks hurt: self-play uses networks that are 0, 1, 4 or 16 generations
// older than the newest. All runs learn from the same number of positions.
//
//	LUDUS_TEST_STRENGTH=quad-5x5 go test ./train -run Staleness -v -timeout 10h
func TestStaleness(t *testing.T) {
	var arms []strengthArm
	for _, k := range []int{0, 1, 4, 16} {
		arms = append(arms, strengthArm{fmt.Sprintf("%2d generations", k), func(_ *testing.T, o *train.Options) func() {
			train.OldNetworks(o, k)
			return func() {}
		}})
	}
	compareStrength(t, arms)
}

// TestWorkersStrength compares a run that only learns from the games of three workers, which it receives over the network,
// with a run in a single process. Both learn from the same number of positions.
//
//	LUDUS_TEST_STRENGTH=quad-5x5 go test ./train -run WorkersStrength -v -timeout 10h
func TestWorkersStrength(t *testing.T) {
	compareStrength(t, []strengthArm{
		{"single process", func(*testing.T, *train.Options) func() { return func() {} }},
		{"three workers", withWorkers},
	})
}

// withWorkers lets three workers, in processes of their own, play for a run that only learns, until stop is called. They
// search as many simulations as the run of a single process.
func withWorkers(t *testing.T, o *train.Options) (stop func()) {
	notify := func(text string) { t.Log(text) }
	var workers []*exec.Cmd
	o.LearnOnly = true
	train.FixedSimulations(o)
	o.Workers = func(ctx context.Context, id string) (train.Workers, error) {
		server, err := remote.StartServer("127.0.0.1:0", o.Dir, false, notify)
		if err != nil {
			return nil, err
		}
		for range 3 {
			workers = append(workers, child{Role: "worker", URL: server.URL()}.start(t))
		}
		return remote.NewHub(ctx, remote.HubOptions{Server: server, Run: id, Notify: notify})
	}
	return func() {
		for _, w := range workers {
			kill(w)
		}
	}
}

// strengthTest compares arms on one game.
type strengthTest struct {
	*testing.T
	game                                 *env.Game
	suite                                *suite.Suite
	generations, seeds, positions, games int
	balance                              *match.BalanceChecker
}

// compareStrength trains each arm with several seeds. It logs their errors in solved positions with 64 simulations and,
// for the arms after the first, the differences of errors and the scores against the first arm's run of the same seed.
func compareStrength(t *testing.T, arms []strengthArm) {
	name := os.Getenv(strengthGame)
	if name == "" {
		t.Skip(strengthGame + " names no game to train on")
	}
	game, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	solved, ok := suite.Shipped(game)
	if !ok {
		t.Fatalf("%s=%s: no solved positions of this game are shipped", strengthGame, name)
	}
	s := strengthTest{
		T: t, game: game, suite: solved, generations: number(t, "GENERATIONS", 100), seeds: number(t, "SEEDS", 3), games: number(t, "GAMES", 200),
		positions: number(t, "POSITIONS", 2000), balance: match.NewBalanceChecker(game),
	}
	t.Logf("%s, %d generations, %d seeds, %d games a match", game.Name, s.generations, s.seeds, s.games)
	var base []string
	var baseErrors []float64
	for i, arm := range arms {
		var dirs []string
		var errs, differences, scores []float64
		for seed := range s.seeds {
			dir := filepath.Join(t.TempDir(), "run")
			s.train(arm, dir, uint64(seed+1))
			dirs, errs = append(dirs, dir), append(errs, s.error(dir))
			if i > 0 {
				differences = append(differences, errs[seed]-baseErrors[seed])
				scores = append(scores, s.match(dir, base[seed], uint64(seed+1)))
			}
		}
		if i == 0 {
			base, baseErrors = dirs, errs
			t.Logf("%s: error %s %%", arm.name, interval(errs, 100))
			continue
		}
		t.Logf("%s: error %s %%, difference %s, score %s %%", arm.name, interval(errs, 100), interval(differences, 100), interval(scores, 100))
	}
}

// number reads a number from the environment.
func number(t *testing.T, suffix string, value int) int {
	text := os.Getenv(strengthGame + "_" + suffix)
	if text == "" {
		return value
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 {
		t.Fatalf("%s_%s=%s is not a number above 0", strengthGame, suffix, text)
	}
	return value
}

// interval formats the mean of x times scale, with its 95 % interval if there are two or more.
func interval(x []float64, scale float64) string {
	e, ok := stats.StudentMean(x)
	if e = e.Scaled(scale); !ok {
		return fmt.Sprintf("%.2f", e.Value)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", e.Value, e.Low, e.High)
}

func (s *strengthTest) train(arm strengthArm, dir string, seed uint64) {
	o := train.Options{
		Dir: dir, Game: s.game, Generations: s.generations, Threads: runtime.GOMAXPROCS(0), Seed: &seed,
		Settings: map[string]float64{"rating_share": 0},
	}
	stop := arm.change(s.T, &o)
	defer stop()
	summary, err := train.Train(s.Context(), o)
	if err != nil {
		s.Fatal(err)
	}
	s.Logf("%s, seed %d: %d positions, %d steps, %.0f s", arm.name, seed, summary.Positions, summary.Steps, summary.Seconds)
}

// error is the run's share of errors in the solved positions.
func (s *strengthTest) error(dir string) float64 {
	factory, err := rundir.ParseAgent(s.game, "net:"+dir)
	if err != nil {
		s.Fatal(err)
	}
	result, err := s.suite.Test(s.Context(), factory, suite.TestOptions{Threads: runtime.GOMAXPROCS(0), Positions: s.positions, Seed: 1})
	if err != nil {
		s.Fatal(err)
	}
	return result.Error.Value
}

// match is the score of run a against run b.
func (s *strengthTest) match(a, b string, seed uint64) float64 {
	c := match.Config{Game: s.game, Games: s.games, Seed: seed, OpeningPlies: 4, Threads: runtime.GOMAXPROCS(0), Balance: s.balance}
	var err error
	if c.A, err = rundir.ParseAgent(s.game, "net:"+a); err == nil {
		c.B, err = rundir.ParseAgent(s.game, "net:"+b)
	}
	if err != nil {
		s.Fatal(err)
	}
	result, err := match.Run(s.Context(), c)
	if err != nil {
		s.Fatal(err)
	}
	return result.Score
}
