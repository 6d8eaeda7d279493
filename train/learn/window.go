package learn

import (
	"math"
	"sort"

	"ludus/env"
	"ludus/train/record"
)

// The replay window grows by a power law with exponent windowExponent and initial slope windowSlope (KataGo: Wu 2019,
// appendix C), up to maxWindow positions: 100 MB on small boards, 500 MB on 19x19.
const (
	windowExponent = 0.65
	windowSlope    = 0.4
	maxWindow      = 500_000
)

// windowSize returns W(n), the number of positions that a window should hold after n were added in total:
//
//	W(n) = c + 0.4 (n^0.65 - c^0.65) / (0.65 c^-0.35) for n > c, otherwise n,
//
// but at most the larger of c and most.
func windowSize(n, c, most int) int {
	if n <= c {
		return n
	}
	start := float64(c)
	grown := math.Pow(float64(n), windowExponent) - math.Pow(start, windowExponent)
	size := int(start + windowSlope*grown/(windowExponent*math.Pow(start, windowExponent-1)))
	return min(size, max(c, most))
}

// windowGame is a finished game in a window.
type windowGame struct {
	*record.Record
	movers []env.Player // player to move at each searched ply
	keys   []uint64     // hash of the canonical key of each searched position
	labels []int        // by searched ply: the same or a later ply whose value is its outcome target; see labelsOf
	first  int          // index in the window of the game's first position
}

// newWindowGame prepares a game for a window, which then sets first.
func newWindowGame(game *env.Game, r *record.Record) windowGame {
	g := windowGame{Record: r}
	state := game.NewState()
	for range r.Positions(state) {
		key, _ := state.CanonicalKey()
		g.movers, g.keys = append(g.movers, state.Player()), append(g.keys, key.Hash())
	}
	g.labels = labelsOf(game, r, g.movers)
	return g
}

// mistakeLoss is the least loss of utility, by the search's values before and after a randomly drawn move, that makes
// the move a mistake.
const mistakeLoss = 0.3

// labelsOf returns, for each searched ply, the ply whose value is its outcome target, or -1 for the outcome of the
// game. That is the first ply from there on that is proven or whose move is a mistake of exploration, because play
// after a mistake says nothing about the plies before it. Source: lc0's rescorer.
func labelsOf(game *env.Game, r *record.Record, movers []env.Player) []int {
	labels := make([]int, len(r.Plies))
	label := -1
	after := game.UtilityFor(env.First, r.Outcome) // First's expected utility after ply i
	for i := len(r.Plies) - 1; i >= 0; i-- {
		p := &r.Plies[i]
		value := movers[i].Sign() * p.Value(game)
		if p.Proven >= 0 || p.Explored && movers[i].Sign()*(value-after) > mistakeLoss {
			label = i
		}
		labels[i], after = label, value
	}
	return labels
}

// window holds the newest games of the training set or the validation set: as few as give the wanted number of
// positions, but all of the newest generation.
type window struct {
	game      *env.Game
	games     []windowGame
	positions int
	counts    map[uint64]int32 // occurrences of each position in the window, by windowGame.keys
}

// add appends games and drops the older games that are not needed for size positions. It returns the growth of the
// total weight: a position that the window holds n times has weight sqrt(n), so frequent positions do not crowd out
// others.
func (w *window) add(games []*record.Record, size int) (weight float64) {
	if w.counts == nil {
		w.counts = map[uint64]int32{}
	}
	for _, r := range games {
		g := newWindowGame(w.game, r)
		w.games = append(w.games, g)
		w.positions += len(r.Plies)
		for _, key := range g.keys {
			n := float64(w.counts[key])
			weight += math.Sqrt(n+1) - math.Sqrt(n)
			w.counts[key]++
		}
	}
	drop, older := 0, len(w.games)-len(games)
	for drop < older && w.positions-len(w.games[drop].Plies) >= size {
		w.positions -= len(w.games[drop].Plies)
		for _, key := range w.games[drop].keys {
			w.counts[key]--
			if w.counts[key] == 0 {
				delete(w.counts, key)
			}
		}
		drop++
	}
	w.games = append(w.games[:0:0], w.games[drop:]...) // a new array, so that dropped games free their memory
	first := 0
	for i := range w.games {
		w.games[i].first = first
		first += len(w.games[i].Plies)
	}
	return weight
}

// find locates a position by its index in the window: its game and its searched ply. Index 0 is the oldest position.
func (w *window) find(position int) (*windowGame, int) {
	k := sort.Search(len(w.games), func(k int) bool { return w.games[k].first > position }) - 1
	return &w.games[k], position - w.games[k].first
}
