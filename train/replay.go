package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"ludus/env"
	"ludus/model"
)

// windowGrowth is the exponent with which the replay window grows, windowSlope its initial slope against the positions
// played (KataGo: Wu 2019, appendix C). It ends at mostWindow, some 100 MB, so that a run of days needs no more memory
// than one of an hour.
const (
	windowGrowth = 0.65
	windowSlope  = 0.4
	mostWindow   = 500_000
)

// windowSize returns W(N), the positions to keep of the newest games when n have been played:
//
//	W(N) = c + 0.4 (N^0.65 - c^0.65) / (0.65 c^-0.35) for N > c, otherwise N,
//
// and no more than most, or c where that is more.
func windowSize(n, c, most int) int {
	if n <= c {
		return n
	}
	start := float64(c)
	grown := math.Pow(float64(n), windowGrowth) - math.Pow(start, windowGrowth)
	size := int(start + windowSlope*grown/(windowGrowth*math.Pow(start, windowGrowth-1)))
	return min(size, max(c, most))
}

// stored is a finished game in the window.
type stored struct {
	*record
	movers []env.Player // who moves at each ply
	first  int          // positions of the window before this game
}

// window holds the newest games of a run, whole. The least number of them is kept that holds the positions asked for.
type window struct {
	game      *env.Game
	games     []stored
	positions int
}

// add appends games and drops the oldest that are not needed to hold size positions.
func (w *window) add(records []*record, size int) {
	for _, r := range records {
		w.games = append(w.games, stored{record: r, movers: moversOf(w.game, r)})
		w.positions += len(r.plies)
	}
	drop := 0
	for drop < len(w.games) && w.positions-len(w.games[drop].plies) >= size {
		w.positions -= len(w.games[drop].plies)
		drop++
	}
	w.games = append(w.games[:0:0], w.games[drop:]...)
	first := 0
	for i := range w.games {
		w.games[i].first = first
		first += len(w.games[i].plies)
	}
}

func moversOf(game *env.Game, r *record) []env.Player {
	state := game.NewState()
	for _, a := range r.opening {
		state.Apply(a)
	}
	movers := make([]env.Player, len(r.plies))
	for i := range r.plies {
		movers[i] = state.Player()
		state.Apply(r.plies[i].action)
	}
	return movers
}

// records returns the games of the window, oldest first.
func (w *window) records() []*record {
	all := make([]*record, len(w.games))
	for i := range w.games {
		all[i] = w.games[i].record
	}
	return all
}

// position returns the game and ply of the window's position i.
func (w *window) position(i int) (*stored, int) {
	k := sort.Search(len(w.games), func(k int) bool { return w.games[k].first > i }) - 1
	return &w.games[k], i - w.games[k].first
}

// rows writes training rows: positions of a window, in the mover's frame, turned by a symmetry.
type rows struct {
	game   *env.Game
	state  env.State
	start  env.State
	tensor []float32
	legal  []env.Action
	policy []float32
	class  []float32
}

func newRows(game *env.Game) *rows {
	return &rows{
		game: game, state: game.NewState(), start: game.NewState(),
		tensor: make([]float32, game.Tensor.Size()), class: make([]float32, len(game.Classes)),
	}
}

// draws are what the rows of a batch are made of: positions of a window, each with a symmetry.
type draws struct {
	positions, symmetries []int
}

// draw makes n draws from w.
func (d *draws) draw(n int, w *window, rng *rand.Rand) {
	d.positions, d.symmetries = d.positions[:0], d.symmetries[:0]
	for range n {
		d.positions = append(d.positions, rng.IntN(w.positions))
		d.symmetries = append(d.symmetries, rng.IntN(len(w.game.Symmetries)))
	}
}

// fill makes the rows of batch from lo to hi out of the draws; blend is the share of the search's classes in the outcome
// target.
func (e *rows) fill(batch *model.Batch, lo, hi int, w *window, d *draws, blend float64) {
	for i := lo; i < hi; i++ {
		g, ply := w.position(d.positions[i])
		e.write(batch, i, g, ply, &e.game.Symmetries[d.symmetries[i]], float32(blend))
	}
}

// write sets row i of the batch to the given ply of g, turned by the symmetry.
func (e *rows) write(batch *model.Batch, i int, g *stored, ply int, turn *env.Symmetry, blend float32) {
	e.state.CopyFrom(e.start)
	for _, a := range g.opening {
		e.state.Apply(a)
	}
	for _, p := range g.plies[:ply] {
		e.state.Apply(p.action)
	}
	p, mover := &g.plies[ply], g.movers[ply]
	actions, classes := e.game.NumActions(), len(e.game.Classes)

	e.state.Encode(e.tensor)
	turn.Transform(batch.Inputs[i*len(e.tensor):(i+1)*len(e.tensor)], e.tensor)

	e.legal = e.state.Legal(e.legal[:0])
	e.policy = slices.Grow(e.policy[:0], len(e.legal))[:len(e.legal)]
	normalise(e.policy, p.policy)
	legal, policy := batch.LegalMask[i*actions:(i+1)*actions], batch.Policy[i*actions:(i+1)*actions]
	clear(legal)
	clear(policy)
	frame := e.game.Frame(mover)
	for j, a := range e.legal {
		to := turn.Actions[frame[a]]
		legal[to], policy[to] = 1, e.policy[j]
	}
	batch.PolicyWeight[i] = 0
	if p.teaches {
		batch.PolicyWeight[i] = 1
	}

	target := batch.Outcome[i*classes : (i+1)*classes]
	clear(target)
	result := e.game.ClassFor(mover, g.result(e.game, g.movers, ply))
	if p.proven >= 0 {
		blend = 0 // result is exact
	}
	if blend > 0 {
		normalise(e.class, p.classes)
		for k, q := range e.class {
			target[k] = blend * q
		}
	}
	target[result] += 1 - blend
	goals := env.ByPlayer(mover, g.goals) // the mover's first
	batch.Goals[2*i], batch.Goals[2*i+1] = float32(goals[0])/100, float32(goals[1])/100
}
