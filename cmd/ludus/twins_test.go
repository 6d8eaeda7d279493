package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl/sheets"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// TestTwins compares an agent of a rule sheet with an agent of the same game written in Go. LUDUS_TEST_TWINS has the sheet's
// name, an agent of each, such as net:RUN, the number of pairs of games, and the random plies that they begin with. Each
// opening is played twice with swapped seats; openings are not repeated.
func TestTwins(t *testing.T) {
	var (
		sheet, a, b  string
		pairs, plies int
	)
	if n, _ := fmt.Sscan(os.Getenv("LUDUS_TEST_TWINS"), &sheet, &a, &b, &pairs, &plies); n != 5 {
		t.Skip("LUDUS_TEST_TWINS is not set")
	}
	native, err := games.New(sheets.Natives[sheet])
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), sheet+".kif")
	if err := os.WriteFile(file, []byte(sheets.Text(sheet)), 0o600); err != nil {
		t.Fatal(err)
	}
	bySheet, err := games.New("gdl(" + file + ")")
	if err != nil {
		t.Fatal(err)
	}
	twins := [2]twin{newTwin(t, bySheet, a), newTwin(t, native, b)}

	rng := rand.New(rand.NewPCG(1, 7))
	seen := map[string]bool{}
	var scores []stats.Cluster
	results := map[float64]int{}
	for tries := 0; len(scores) < pairs && tries < 100*pairs; tries++ {
		opening := randomTexts(native, plies, rng)
		key := strings.Join(opening, " ")
		if len(opening) < plies || seen[key] {
			continue
		}
		seen[key] = true
		pair := stats.Cluster{N: 2}
		for _, seat := range []env.Player{env.First, env.Second} {
			score := playTwins(t, twins, opening, seat, rng)
			results[score]++
			pair.Sum += score
		}
		scores = append(scores, pair)
	}
	score := stats.Mean(scores)
	t.Logf("%s: %s by the sheet against %s in Go: %.3f (%.3f to %.3f) in %d games, scores %v",
		sheet, a, b, score.Value, score.Low, score.High, 2*len(scores), results)
}

// twin is a game, a position of it, and an agent.
type twin struct {
	game  *env.Game
	state env.State
	agent agent.Agent
}

func newTwin(t *testing.T, game *env.Game, spec string) twin {
	t.Helper()
	factory, err := agent.ParseFactory(game, spec, rundir.LoadWeights)
	if err != nil {
		t.Fatal(err)
	}
	made, err := factory.New(1)
	if err != nil {
		t.Fatal(err)
	}
	return twin{game, game.NewState(), made}
}

// apply plays a move, which it reads from its text.
func (w *twin) apply(t *testing.T, text string) {
	t.Helper()
	move, err := w.game.ParseAction(text)
	if err != nil {
		t.Fatal(err)
	}
	w.state.Apply(move)
	w.agent.Observe(move)
}

// randomTexts plays random moves from the start, at most so many, none of which ends the game.
func randomTexts(game *env.Game, plies int, rng *rand.Rand) (texts []string) {
	state := game.NewState()
	for len(texts) < plies {
		move := state.RandomAction(rng.Uint64())
		if state.Apply(move); state.Done() {
			return texts
		}
		texts = append(texts, game.ActionTexts[move])
	}
	return texts
}

// playTwins plays a game in which the first twin has the seat, and returns its score.
func playTwins(t *testing.T, twins [2]twin, opening []string, seat env.Player, rng *rand.Rand) float64 {
	t.Helper()
	for i := range twins {
		w := &twins[i]
		w.agent.Reset(rng.Uint64())
		w.state = w.game.NewState()
		for _, text := range opening {
			w.apply(t, text)
		}
	}
	a, b := &twins[0], &twins[1]
	for !b.state.Done() {
		w := a
		if b.state.Player() != seat {
			w = b
		}
		move, err := w.agent.Choose(t.Context(), w.state)
		if err != nil {
			t.Fatal(err)
		}
		text := w.game.ActionTexts[move]
		a.apply(t, text)
		b.apply(t, text)
	}
	if a.state.Goals() != b.state.Goals() {
		t.Fatalf("goals %v by the sheet, %v in Go", a.state.Goals(), b.state.Goals())
	}
	return (1 + b.game.UtilityFor(seat, b.state.Outcome())) / 2
}
