package train

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"ludus/env"
	"ludus/model"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// shortGames returns n random games of tic-tac-toe, which repeat many positions; a third of them are there twice.
func shortGames(t *testing.T, n int) (*env.Game, []*record.Record) {
	game := newGame(t, "tic-tac-toe")
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

// TestKeepOut checks that a window that keeps positions out draws all others and no reply from those, and that dropped games
// leave correct counts.
func TestKeepOut(t *testing.T) {
	game := newGame(t, "quad-5x5")
	rng := rand.New(rand.NewPCG(5, 6))
	w := window{game: game, keepOut: true}
	var weight float64
	for range 300 {
		weight += w.add([]*record.Record{recordtest.Random(game, rng)}, 2000)
	}
	var keys []uint64
	trainable := 0
	for i := range w.games {
		for _, key := range w.games[i].keys {
			if keys = append(keys, key); !suite.KeptOut(key) {
				trainable++
			}
		}
	}
	if share := float64(trainable) / float64(len(keys)); w.trainable != trainable || share < 0.9 || share > 0.97 {
		t.Errorf("%d trainable positions, counted %d of %d", w.trainable, trainable, len(keys))
	}
	if weight < float64(w.trainable)/2 {
		t.Errorf("the weight grew by %v", weight)
	}
	samples := drawSamples(nil, 20*len(keys), &w, rng)
	drawn := map[uint64]bool{}
	batch, s := model.NewBatch(game, 1), newSampler(game)
	replies := 0
	for _, x := range samples {
		drawn[keys[x.position]] = true
		s.write(batch, 0, &w, x, 0)
		g, ply := w.find(x.position)
		if batch.ReplyWeight[0] > 0 {
			replies++
			if suite.KeptOut(g.keys[ply+1]) {
				t.Fatal("a reply comes from a position that is kept out")
			}
		}
	}
	for _, key := range keys {
		if drawn[key] == suite.KeptOut(key) {
			t.Fatalf("position %x: drawn %v, kept out %v", key, drawn[key], suite.KeptOut(key))
		}
	}
	if replies < len(samples)/2 || len(w.counts) != len(drawn) {
		t.Errorf("%d replies of %d samples; %d positions are counted, %d were drawn", replies, len(samples), len(w.counts), len(drawn))
	}
}

// TestLoadWindows compares the windows and counts of a run that is continued with those of an uninterrupted one.
func TestLoadWindows(t *testing.T) {
	for keepOut := range 2 {
		t.Run(fmt.Sprintf("keep_out=%d", keepOut), func(t *testing.T) { testLoadWindows(t, float64(keepOut)) })
	}
}

func testLoadWindows(t *testing.T, keepOut float64) {
	const generations = 9
	o := tiny(t, t.TempDir(), generations)
	o.Settings["rating_share"], o.Settings["samples_per_position"], o.Settings["keep_out"] = 0, 0.1, keepOut
	o.Observe = func(Event) {}
	mustTrain(t, o)
	r := &run{Options: o, store: rundir.Checkpoints(o.Dir)}
	weights, err := r.configure(t.Context())
	if err == nil {
		err = r.load(weights)
	}
	if err != nil {
		t.Fatal(err)
	}
	l := newLearner(r.Game, &r.config.Settings, r.config.Seed, nil, parallel.Runner(1))
	var sets positionCounts
	for g := 1; g <= generations; g++ {
		games, first, err := record.Read(r.Game, o.Dir, g)
		if err != nil {
			t.Fatal(err)
		}
		sets = l.add(games, first, sets)
	}
	if r.count.Sets != sets || sets.Weight >= float64(sets.Training) {
		t.Errorf("the run counts %+v, want %+v", r.count.Sets, sets)
	}
	if !reflect.DeepEqual(r.learner.training, l.training) || !reflect.DeepEqual(r.learner.validation, l.validation) {
		t.Error("the windows differ")
	}
	if l.training.positions >= sets.Training || len(l.training.counts) == l.training.positions {
		t.Errorf("the window dropped none of %d positions, or repeats none", sets.Training)
	}
	for _, w := range []*window{&l.training, &l.validation} {
		if some := w.trainable < w.positions; some != (keepOut > 0) || w.trainable == 0 {
			t.Errorf("%d of %d positions are trained on", w.trainable, w.positions)
		}
	}
}

// TestTargetsAfterMistakes checks the outcome targets of a game that a drawn move threw away: up to this move they are
// what the search expected before it, then the game's outcome. The search's own classes are mixed in everywhere.
func TestTargetsAfterMistakes(t *testing.T) {
	game := newGame(t, "breakthrough-6x6")
	r := recordtest.Random(game, rand.New(rand.NewPCG(7, 8)))
	movers, at := recordtest.Movers(game, r), 0
	own := make([]int, len(r.Plies)) // the outcome, as the mover's class
	for i := range r.Plies {
		own[i] = game.ClassFor(movers[i], r.Outcome)
		r.Plies[i].Classes = []uint16{0, 0}
		r.Plies[i].Classes[own[i]] = record.Unit
		if own[i] == 1 && i < len(r.Plies)/2 { // the loser's
			at = i
		}
	}
	r.Plies[at].Explored, r.Plies[at].Classes = true, []uint16{3000, 1000}
	w := window{game: game}
	w.add([]*record.Record{r}, 1)
	sampler, batch := newSampler(game), model.NewBatch(game, 1)
	for _, mix := range []float32{0, 0.25} {
		for i := range r.Plies {
			want := [2]float32{}
			want[own[i]] = 1
			switch {
			case i == at:
				want = [2]float32{0.75, 0.25}
			case i < at: // the loser had won with a probability of 0.75
				loses := 0.75 * (1 - mix)
				want[own[i]], want[1-own[i]] = 1-loses, loses
			}
			sampler.write(batch, 0, &w, sample{position: i}, float64(mix))
			for k := range want {
				if math.Abs(float64(batch.Outcome[k]-want[k])) > 1e-6 {
					t.Fatalf("ply %d of %d, mistake at %d, mix %v: target %v, want %v", i, len(r.Plies), at, mix, batch.Outcome, want)
				}
			}
		}
	}
}
