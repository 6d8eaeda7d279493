package learn

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/record"
	"ludus/train/record/recordtest"
)

// records returns the games of the window, oldest first.
func (w *window) records() []*record.Record {
	all := make([]*record.Record, len(w.games))
	for i := range w.games {
		all[i] = w.games[i].Record
	}
	return all
}

func TestWindowSize(t *testing.T) {
	const c = 20000
	for _, n := range []int{0, 1, c} {
		if got := windowSize(n, c, maxWindow); got != n {
			t.Errorf("W(%d) = %d", n, got)
		}
	}
	// W(2c) = c + 0.4 c (2^0.65 - 1)/0.65 = c (1 + 0.4 x 0.5691/0.65)
	if got, want := windowSize(2*c, c, maxWindow), 27003; math.Abs(float64(got-want)) > 5 {
		t.Errorf("W(2c) = %d, want %d", got, want)
	}
	// The slope just after c is 0.4.
	if slope := float64(windowSize(c+1000, c, maxWindow)-c) / 1000; math.Abs(slope-0.4) > 0.01 {
		t.Errorf("the window grows with slope %.3f after c", slope)
	}
	for c, want := range map[int]int{20_000: maxWindow, 2 * maxWindow: 2 * maxWindow} {
		if got := windowSize(1e9, c, maxWindow); got != want {
			t.Errorf("a window that starts with %d ends with %d positions, want %d", c, got, want)
		}
	}
}

func TestWindowKeepsTheNewestWholeGames(t *testing.T) {
	game := games.Must("quad-5x5")
	rng := rand.New(rand.NewPCG(3, 4))
	w := window{game: game}
	var all []*record.Record
	for range 50 {
		r := recordtest.Random(game, rng)
		all = append(all, r)
		w.add([]*record.Record{r}, 100)
		if w.positions >= 100 && w.positions-len(w.games[0].Plies) >= 100 {
			t.Fatal("the window holds a game too many")
		}
	}
	if w.positions < 100 {
		t.Fatalf("%d positions", w.positions)
	}
	kept := all[len(all)-len(w.games):]
	i := 0
	for g, r := range kept {
		if w.games[g].Record != r {
			t.Fatal("the window does not hold the newest games")
		}
		for p := range r.Plies {
			if got, ply := w.find(i); got.Record != r || ply != p {
				t.Fatalf("position %d is not ply %d of game %d", i, p, g)
			}
			i++
		}
	}
}

// shortGames returns n random games of tic-tac-toe, which repeat many positions; a third of them are there twice.
func shortGames(t *testing.T, n int) (*env.Game, []*record.Record) {
	game := games.Must("tic-tac-toe")
	rng := rand.New(rand.NewPCG(11, 12))
	var all []*record.Record
	for range n {
		r := recordtest.Random(game, rng)
		all = append(all, r)
		if rng.IntN(3) == 0 {
			all = append(all, r)
		}
	}
	return game, all
}

// canonicalKeys returns the canonical key of each searched position of the games.
func canonicalKeys(game *env.Game, games []*record.Record) (keys []env.Key) {
	for _, r := range games {
		state := game.NewState()
		for i, a := range r.Moves() {
			if i >= len(r.Opening) {
				key, _ := state.CanonicalKey()
				keys = append(keys, key)
			}
			state.Apply(a)
		}
	}
	return keys
}

// countsOf counts how often the games hold each position, up to symmetry.
func countsOf(game *env.Game, games []*record.Record) map[uint64]int32 {
	counts := map[uint64]int32{}
	for _, key := range canonicalKeys(game, games) {
		counts[key.Hash()]++
	}
	return counts
}

// weightOf is the weight of all positions: the sum of sqrt(n) over distinct positions.
func weightOf(counts map[uint64]int32) (sum float64) {
	for _, n := range counts {
		sum += math.Sqrt(float64(n))
	}
	return sum
}

// TestWindowCounts compares the window's counts, and the growth of the weight that add returns, with counts made from
// scratch, while the window drops games.
func TestWindowCounts(t *testing.T) {
	game, all := shortGames(t, 60)
	w := window{game: game}
	dropped := 0
	for len(all) > 0 {
		n := min(len(all), 7)
		before := w.records()
		grown := w.add(all[:n], 60)
		after := append(before, all[:n]...)
		if want := weightOf(countsOf(game, after)) - weightOf(countsOf(game, before)); math.Abs(grown-want) > 1e-9 {
			t.Errorf("the weight grows by %v, want %v", grown, want)
		}
		dropped += len(after) - len(w.games)
		if !maps.Equal(w.counts, countsOf(game, w.records())) {
			t.Errorf("counts %v, want %v", w.counts, countsOf(game, w.records()))
		}
		all = all[n:]
	}
	if dropped < 10 {
		t.Errorf("%d games were dropped", dropped)
	}
}

// TestRepeatedPositionsWeighLess checks that samples draw a position that the window holds n times sqrt(n) times as
// often as one that it holds once.
func TestRepeatedPositionsWeighLess(t *testing.T) {
	game, all := shortGames(t, 40)
	w := window{game: game}
	w.add(all, 1e6)
	counts, keys := countsOf(game, all), canonicalKeys(game, all)
	const n = 100_000
	drawn := map[uint64]float64{}
	for _, s := range drawSamples(nil, n, &w, rand.New(rand.NewPCG(1, 2))) {
		drawn[keys[s.position].Hash()]++
	}
	most := int32(0)
	for key, count := range counts {
		p := math.Sqrt(float64(count)) / weightOf(counts)
		if got, sigma := drawn[key], math.Sqrt(n*p*(1-p)); math.Abs(got-n*p) > 5*sigma {
			t.Errorf("a position held %d times is drawn %v times, want %.0f ± %.0f", count, got, n*p, sigma)
		}
		most = max(most, count)
	}
	if most < 9 {
		t.Errorf("the most frequent position is held %d times", most)
	}
}

// TestLabels checks where outcome targets come from: a proven ply, a mistake of exploration, or the end of the game.
func TestLabels(t *testing.T) {
	game := games.Must("breakthrough-6x6")
	r := recordtest.Random(game, rand.New(rand.NewPCG(7, 8)))
	movers := r.Movers()
	for i := range r.Plies { // the search expects the outcome throughout
		own := game.ClassFor(movers[i], r.Outcome)
		r.Plies[i].Classes = []uint16{0, 0}
		r.Plies[i].Classes[own] = record.Unit
	}
	check := func(want func(i int) int) {
		t.Helper()
		for i, label := range labelsOf(game, r, movers) {
			if label != want(i) {
				t.Errorf("ply %d has the label of ply %d, want %d", i, label, want(i))
			}
		}
	}
	outcome := func(int) int { return -1 }
	check(outcome)
	at := 0
	for i, mover := range movers {
		if game.ClassFor(mover, r.Outcome) == 1 && i > 2 { // the loser
			at = i
		}
	}
	slices.Reverse(r.Plies[at].Classes) // the loser expected to win, and drew another move
	check(outcome)
	r.Plies[at].Explored = true
	mistake := func(i int) int {
		if i <= at {
			return at
		}
		return -1
	}
	check(mistake)
	r.Plies[1].Proven = 0
	check(func(i int) int {
		if i <= 1 {
			return 1
		}
		return mistake(i)
	})
}
