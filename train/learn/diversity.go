package learn

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"ludus/env"
	"ludus/model"
	"ludus/train/record"
	"ludus/train/rundir"
)

// Diversity accumulates a [rundir.Diversity], which measures how varied games are, game by game. It remembers games and
// positions by 64-bit hashes. The zero value is ready for use.
type Diversity struct {
	games    map[uint64]bool // hashes of the games' moves
	plies    []plyDiversity  // indexed by ply
	count    int             // number of games
	length   int             // total plies of all games
	searched int             // number of searched positions
	proven   int             // number of proven positions
	first    float64         // sum of First's scores
}

// plyDiversity accumulates the searched positions at one ply of the games.
type plyDiversity struct {
	positions map[uint64]bool // hashes of canonical keys
	count     int             // number of positions, repeated ones included
	entropy   float64         // sum of the entropies of policy targets that are trained on
	targets   int             // number of such policy targets
}

// Searched returns the number of searched positions in the games added so far.
func (d *Diversity) Searched() int { return d.searched }

// Add counts a finished game.
func (d *Diversity) Add(game *env.Game, r *record.Record) {
	if d.games == nil {
		d.games = make(map[uint64]bool)
	}
	for len(d.plies) < r.Length() {
		d.plies = append(d.plies, plyDiversity{})
	}
	state := game.NewState()
	for i, p := range r.Positions(state) {
		d.plies[len(r.Opening)+i].add(state, p)
		if p.Proven >= 0 {
			d.proven++
		}
	}
	hash := fnv.New64a()
	for _, a := range r.Moves() {
		hash.Write(binary.LittleEndian.AppendUint32(nil, uint32(a)))
	}
	d.games[hash.Sum64()] = true
	d.count++
	d.searched += len(r.Plies)
	d.length += r.Length()
	d.first += firstScore(r.Goals)
}

// add counts a searched position.
func (p *plyDiversity) add(state env.State, ply *record.Ply) {
	if p.positions == nil {
		p.positions = make(map[uint64]bool)
	}
	key := state.Key()
	p.positions[key.Hash()] = true
	p.count++
	if ply.TrainPolicy {
		p.targets++
		p.entropy += entropyOf(ply.Policy)
	}
}

// Result returns the diversity of the games added so far; all zero without any.
func (d *Diversity) Result() rundir.Diversity {
	var r rundir.Diversity
	if d.count == 0 {
		return r
	}
	n := float64(d.count)
	r.MeanPlies, r.FirstScore, r.Duplicates = float64(d.length)/n, d.first/n, 1-float64(len(d.games))/n
	r.Proven = float64(d.proven) / float64(max(1, d.searched))
	for _, s := range d.plies {
		r.Distinct = append(r.Distinct, ratio(float64(len(s.positions)), float64(s.count)))
		r.Entropy = append(r.Entropy, ratio(s.entropy, float64(s.targets)))
	}
	return r
}

// ratio is a/b rounded to three places; 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return math.Round(1000*a/b) / 1000
}

// firstScore is First's score: 1 if its goal is higher than Second's, 1/2 if they are equal.
func firstScore(goals [2]int) float64 {
	switch {
	case goals[0] > goals[1]:
		return 1
	case goals[0] < goals[1]:
		return 0
	}
	return 0.5
}

// entropyOf is the entropy of a distribution in nats.
func entropyOf(q record.Shares) float64 {
	p := make([]float32, len(q))
	q.Normalise(p)
	return model.Entropy(p)
}
