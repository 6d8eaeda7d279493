package ratings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
)

// fewer are the baselines that take almost no time.
var fewer = []string{Anchor, "greedy"}

// testRun makes a run's folder with small fresh networks of quad-5x5 as the given generations.
func testRun(t testing.TB, generations ...int) (dir string, game *env.Game) {
	t.Helper()
	game = games.Must("quad-5x5")
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "checkpoints"), 0o777); err != nil {
		t.Fatal(err)
	}
	store := checkpoints.NewStore(filepath.Join(dir, "checkpoints"))
	config := infer.DefaultConfig(game)
	config.Channels, config.Blocks = 4, 1
	for _, g := range generations {
		weights := infer.NewWeights(game, config, rand.New(rand.NewPCG(uint64(g), 0)))
		if err := store.Save(g, nil, []checkpoints.Part{{Name: "weights.safetensors", Data: weights.Marshal()}}); err != nil {
			t.Fatal(err)
		}
	}
	return dir, game
}

// balance is shared by all tests, which play its game.
var balance = func() *match.BalanceChecker {
	game, err := games.New("quad-5x5")
	if err != nil {
		panic(err)
	}
	return match.NewBalanceChecker(game)
}()

// openPool opens the pool of a run without shipped agents.
func openPool(t testing.TB, dir string, game *env.Game) *Pool {
	t.Helper()
	p, warnings, err := open(dir, game, 4, fewer, balance, scale{})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return p
}

func everyone(p *Pool) []int { return append(p.Baselines(), p.Checkpoints(100)...) }

func lines(t testing.TB, dir string) [][]byte {
	t.Helper()
	all, err := checkpoints.ReadLines(filepath.Join(dir, "arena.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// written writes ratings.json and reads it again.
func written(t testing.TB, p *Pool, dir string) *rundir.Ratings {
	t.Helper()
	if _, err := p.Write(); err != nil {
		t.Fatal(err)
	}
	table, err := rundir.ReadRatings(dir)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestRate(t *testing.T) {
	dir, game := testRun(t, 0, 3, 8)
	p := openPool(t, dir, game)
	calls := 0
	err := p.Rate(context.Background(), Options{Targets: everyone(p), Players: everyone(p), Within: 60, Threads: 2,
		Progress: func(Progress) { calls++ }})
	if err != nil {
		t.Fatal(err)
	}
	table := written(t, p, dir)
	if len(table.Agents) != 5 || table.Version != 2 || table.Anchor != "random" || table.Simulations != 4 || table.Game != "quad-5x5" {
		t.Errorf("%+v", table)
	}
	if !slices.IsSortedFunc(table.Agents, func(a, b rundir.Rating) int { return int(b.Rating - a.Rating) }) {
		t.Errorf("not the best first: %+v", table.Agents)
	}
	games := 0
	for _, a := range table.Agents {
		games += a.Games
		if max(a.High-a.Rating, a.Rating-a.Low) > 60 || a.Low > a.Rating || a.High < a.Rating || a.Gone {
			t.Errorf("%+v", a)
		}
		if (a.Generation == nil) == strings.HasPrefix(a.Agent, "net@") || a.Agent == "random" && (a.Rating != 0 || a.High < 0) {
			t.Errorf("%+v", a)
		}
	}
	if games != 2*table.Games {
		t.Errorf("%d games of the agents, %d in all", games, table.Games)
	}
	for _, line := range lines(t, dir) {
		var m rundir.MatchResult
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		a, _ := generationOf(m.Agent)
		b, _ := generationOf(m.Opponent)
		if m.Generation != max(a, b) || b > a || m.Simulations != 4 || m.Games < minMatchGames {
			t.Errorf("%s", line)
		}
	}
	if calls < len(lines(t, dir)) {
		t.Errorf("%d calls of Progress for %d matches", calls, len(lines(t, dir)))
	}
	before := len(lines(t, dir))
	p = openPool(t, dir, game)
	if err := p.Rate(context.Background(), Options{Targets: everyone(p), Players: everyone(p), Within: 60, Threads: 2}); err != nil {
		t.Fatal(err)
	}
	if again := written(t, p, dir); len(lines(t, dir)) != before || !reflect.DeepEqual(again, table) {
		t.Errorf("ratings that were narrow enough were rated again: %+v", again)
	}
}

// TestGoOn: ratings that are interrupted after each match count each finished match once.
func TestGoOn(t *testing.T) {
	dir, game := testRun(t, 0, 5)
	seen := make(map[string]bool)
	for stops := 1; ; stops++ {
		p := openPool(t, dir, game)
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		err := p.Rate(ctx, Options{Targets: everyone(p), Players: everyone(p), Within: 80, Threads: 2, Progress: func(Progress) {
			if calls++; calls == 2 { // a match is finished
				cancel()
			}
		}})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if n := len(lines(t, dir)); n != stops {
			t.Fatalf("%d matches after %d interruptions", n, stops)
		}
	}
	for _, line := range lines(t, dir) {
		var m rundir.MatchResult
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf("%s %s %d", m.Agent, m.Opponent, m.Number)
		if before := fmt.Sprintf("%s %s %d", m.Agent, m.Opponent, m.Number-1); seen[key] || m.Number > 1 && !seen[before] {
			t.Errorf("played twice, or before its time: %s", line)
		}
		seen[key] = true
	}
}

// TestBroken: a checkpoint that cannot be read is reported and left out.
func TestBroken(t *testing.T) {
	for _, early := range []bool{true, false} {
		dir, game := testRun(t, 1, 2, 3)
		if err := os.Truncate(filepath.Join(dir, "checkpoints", "000002", "weights.safetensors"), 100); err != nil {
			t.Fatal(err)
		}
		p := openPool(t, dir, game)
		var warned []error
		warn := func(err error) { warned = append(warned, err) }
		o := Options{Targets: everyone(p), Players: everyone(p), Within: 90, Threads: 2, Warn: warn}
		if early {
			p.LoadAll(warn)
		}
		if err := p.Rate(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		table := written(t, p, dir)
		if len(table.Agents) != 4 || table.Find(2) != nil || table.Find(3) == nil {
			t.Errorf("%+v", table)
		}
		if len(warned) != 1 || !errors.Is(warned[0], checkpoints.ErrDamaged) || !strings.Contains(warned[0].Error(), "@2") {
			t.Errorf("warned of %v", warned)
		}
	}
}

// TestLimits: the limits on games and time are kept.
func TestLimits(t *testing.T) {
	dir, game := testRun(t, 1)
	p := openPool(t, dir, game)
	left := time.Duration(-1)
	o := Options{Targets: everyone(p), Players: everyone(p), Within: 10, MaxGames: 150, Threads: 1, Progress: func(p Progress) { left = p.Left }}
	if err := p.Rate(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if left != 0 {
		t.Errorf("no game is left to play, and %v", left)
	}
	if table := written(t, p, dir); table.Games != 150 || len(table.Agents) != 3 {
		t.Errorf("%+v", table)
	}
	start := time.Now()
	if err := p.Rate(context.Background(), Options{Targets: everyone(p), Players: everyone(p), MaxTime: 300 * time.Millisecond, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if spent := time.Since(start); spent > 3*time.Second {
		t.Errorf("300 ms took %v", spent)
	}
}

// TestWhatCounts: only matches at the pool's simulations count, and agents that no match connects with the anchor have no
// rating. A line that does not parse is a warning; a torn last line is none.
func TestWhatCounts(t *testing.T) {
	dir, game := testRun(t, 7)
	text := `{"generation":4,"agent":"net@4","opponent":"random","number":1,"simulations":64,"wins":8,"draws":1,"losses":1,"games":10,"seconds":1}
{"generation":7,"agent":"net@7","opponent":"net@4","number":1,"simulations":64,"wins":1,"draws":1,"losses":2,"games":4,"pentanomial":[1,0,0,1,0]}
{"generation":7,"agent":"net@7","opponent":"net@4","number":2,"simulations":16,"wins":40,"draws":0,"losses":0,"games":40}
{"generation":7,"agent":"net:runs/a@7,sims=3","opponent":"random","number":1,"simulations":64,"wins":40,"draws":0,"losses":0,"games":40}
{"generation":0,"agent":"greedy","opponent":"alphabeta:2","number":1,"simulations":16,"wins":5,"draws":0,"losses":5,"games":10}
nonsense
{"generation":7,"torn`
	if err := os.WriteFile(filepath.Join(dir, "arena.jsonl"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, warnings, err := Open(dir, game, agent.DefaultSimulations, fewer, nil)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "line 6") {
		t.Fatal(err, warnings)
	}
	table, err := p.Write()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, a := range table.Agents {
		all = append(all, fmt.Sprintf("%s %d %v", a.Agent, a.Games, a.Gone))
	}
	if want := []string{"net@4 14 true", "net@7 4 false", "random 10 false"}; !slices.Equal(slices.Sorted(slices.Values(all)), want) {
		t.Errorf("rated: %v, want %v", all, want) // greedy and alphabeta:2 have not met the others
	}
	if four := table.Find(4); four.Score != 0.7857 {
		t.Errorf("%+v", four)
	}
}

// TestRepeats: pairs that repeat another are no evidence, and the others still count as pairs.
func TestRepeats(t *testing.T) {
	dir, game := testRun(t, 1)
	p := openPool(t, dir, game)
	p.count(&rundir.MatchResult{Agent: "net@1", Opponent: "random", Simulations: 4, Number: 1, Result: match.Result{
		Games: 100, Wins: 75, Losses: 25, Pairs: 50, Repeats: 42, Pentanomial: [5]int{0, 0, 4, 0, 4},
	}})
	got := p.pairings[len(p.pairings)-1]
	if got.games() != 16 || got.points() != 12 || got.pentanomial != [5]int{0, 0, 4, 0, 4} {
		t.Errorf("%+v", got)
	}
}

// TestSpent: two networks play each opening once, whatever the number of their matches, and then no more.
func TestSpent(t *testing.T) {
	dir, game := testRun(t, 1, 2)
	p := openPool(t, dir, game)
	a, b := p.Index("net@1"), p.Index("net@2")
	total := 0
	for p.pairs[twoOf(a, b)].matches < 10 && !p.pairs[twoOf(a, b)].exhausted {
		m, err := p.Play(context.Background(), a, b, 16, 2, false)
		if err != nil {
			t.Fatal(err)
		}
		if total += m.Games; m.Repeats > 0 {
			t.Errorf("%+v", m)
		}
	}
	if total < 40 || total > 80 || !p.pairs[twoOf(a, b)].exhausted {
		t.Errorf("%d games", total)
	}
	p = openPool(t, dir, game)
	before := len(lines(t, dir))
	if m, err := p.Play(context.Background(), a, b, 16, 2, false); err != nil || m.Games > 0 || len(lines(t, dir)) != before {
		t.Errorf("%+v, %v", m, err)
	}
	o := Options{Targets: []int{a, b}, Players: []int{p.Index(Anchor), a, b}, Within: 1, MaxGames: 400, Threads: 2}
	if err := p.Rate(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	matches, _, err := rundir.MatchesFile.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range matches[before:] {
		if m.Opponent != Anchor && m.Games > 0 {
			t.Errorf("%s plays %s again", m.Agent, m.Opponent)
		}
	}
}

func TestCheckpoints(t *testing.T) {
	dir, game := testRun(t, 0, 1, 2, 10, 20, 30, 38, 39, 40)
	p := openPool(t, dir, game)
	for most, want := range map[int][]int{1: {40}, 2: {0, 40}, 3: {0, 20, 40}, 5: {0, 10, 20, 30, 40}, 9: {0, 1, 2, 10, 20, 30, 38, 39, 40}, 50: {0, 1, 2, 10, 20, 30, 38, 39, 40}} {
		var got []int
		for _, i := range p.Checkpoints(most) {
			got = append(got, p.agents[i].generation)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d checkpoints: %v, want %v", most, got, want)
		}
	}
}

// TestOnesided: rating does not go on for an agent that has lost all of many games.
func TestOnesided(t *testing.T) {
	dir, game := testRun(t, 1, 2)
	p := openPool(t, dir, game)
	for _, m := range []rundir.MatchResult{
		{Agent: "greedy", Opponent: "random", Number: 1, Result: match.Result{Games: 4000, Wins: 4000}},
		{Agent: "net@1", Opponent: "greedy", Simulations: 4, Number: 1, Result: match.Result{Games: 4000, Wins: 2000, Losses: 2000}},
		{Agent: "net@2", Opponent: "net@1", Simulations: 4, Number: 1, Result: match.Result{Games: 4000, Wins: 2000, Losses: 2000}},
	} {
		if err := p.add(&m); err != nil {
			t.Fatal(err)
		}
	}
	before := len(lines(t, dir))
	if err := p.Rate(context.Background(), Options{Targets: everyone(p), Players: everyone(p), Within: 40, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if n := len(lines(t, dir)); n != before {
		t.Errorf("%d more matches", n-before)
	}
}

// TestReference: uncertain ratings of checkpoints that are gone do not widen the intervals of the others.
func TestReference(t *testing.T) {
	dir, game := testRun(t, 1, 2)
	p := openPool(t, dir, game)
	even := match.Result{Games: 4000, Wins: 2000, Losses: 2000}
	for _, m := range []rundir.MatchResult{
		{Agent: "greedy", Opponent: "random", Number: 1, Result: even},
		{Agent: "net@1", Opponent: "greedy", Simulations: 4, Number: 1, Result: even},
		{Agent: "net@2", Opponent: "net@1", Simulations: 4, Number: 1, Result: even},
	} {
		if err := p.add(&m); err != nil {
			t.Fatal(err)
		}
	}
	width := func(p *Pool) float64 {
		a := written(t, p, dir).Find(1)
		return a.High - a.Low
	}
	alone := width(p)
	for _, gone := range []string{"net@4", "net@5", "net@6", "net@7", "net@8"} {
		m := rundir.MatchResult{Agent: gone, Opponent: "net@1", Simulations: 4, Number: 1, Result: match.Result{Games: 10, Wins: 5, Losses: 5}}
		if err := p.add(&m); err != nil {
			t.Fatal(err)
		}
	}
	p = openPool(t, dir, game)
	if w := width(p); w > alone*1.1 {
		t.Errorf("the interval is %.0f wide, without the others %.0f", w, alone)
	}
	p.SetReference(append(p.Baselines(), p.Index("net@4"), p.Index("net@1")))
	if w := width(p); w > alone*1.5 {
		t.Errorf("the interval from the centre of some is %.0f wide, from that of all %.0f", w, alone)
	}
}

// TestCostsOfCheckpoints: all checkpoints get the same cost, even if some of their matches were slower.
func TestCostsOfCheckpoints(t *testing.T) {
	dir, game := testRun(t, 1, 2, 3)
	p := openPool(t, dir, game)
	for _, m := range []rundir.MatchResult{
		{Agent: "greedy", Opponent: "random", Number: 1, Result: match.Result{Games: 8, Wins: 8, Seconds: 2}},
		{Agent: "net@1", Opponent: "greedy", Simulations: 4, Number: 1, Result: match.Result{Games: 200, Wins: 200, Seconds: 3}},
		{Agent: "net@2", Opponent: "net@1", Simulations: 4, Number: 1, Result: match.Result{Games: 50, Wins: 50, Seconds: 1}},
	} {
		if err := p.add(&m); err != nil {
			t.Fatal(err)
		}
	}
	cost := p.gameSeconds()
	two, three := p.Index("net@2"), p.Index("net@3")
	if cost[two] != cost[three] || cost[two] < 0.005 || cost[two] > 0.02 {
		t.Errorf("costs %v", cost)
	}
}

// TestMatchesOfTraining: matches of training count and use up openings, but a checkpoint that has played no other is not
// rated.
func TestMatchesOfTraining(t *testing.T) {
	dir, game := testRun(t, 1, 2)
	p := openPool(t, dir, game)
	a, b := p.Index("net@2"), p.Index("net@1")
	m, err := p.Play(t.Context(), a, p.Index("greedy"), 8, 1, true)
	if err != nil || !m.Training {
		t.Fatal(m, err)
	}
	p = openPool(t, dir, game)
	if slices.Contains(p.PlayedCheckpoints(), a) || p.Ratings().Find(2) != nil || p.pairs[twoOf(a, p.Index("greedy"))].games != 8 {
		t.Errorf("after a match of training: %+v", p.Ratings().Agents)
	}
	for _, opponent := range []int{b, 0} {
		if _, err := p.Play(t.Context(), a, opponent, 8, 1, false); err != nil {
			t.Fatal(err)
		}
	}
	if r := openPool(t, dir, game).Ratings().Find(2); r == nil || r.Games != 24 {
		t.Errorf("the rating is %+v; want one from 24 games", r)
	}
}
