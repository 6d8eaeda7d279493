package train

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"ludus/env"
	"ludus/train/rundir"
)

// measureDiversity measures finished games.
func measureDiversity(game *env.Game, games []*record) rundir.Diversity {
	var d diversity
	for _, r := range games {
		d.add(game, r)
	}
	return d.result()
}

// diversity accumulates a [rundir.Diversity] game by game. It remembers games and positions by 64-bit hashes.
type diversity struct {
	games    map[uint64]bool
	plies    []plyDiversity // by ply of the game
	count    int            // games
	length   int            // plies of all games
	searched int            // positions
	proven   int            // positions
	first    float64        // sum of First's scores
}

// plyDiversity accumulates the searched positions at one ply of the games.
type plyDiversity struct {
	positions map[uint64]bool
	count     int
	entropy   float64 // sum over the policy targets that are trained on
	targets   int     // number of these
}

func (v *diversity) add(game *env.Game, r *record) {
	if v.games == nil {
		v.games = make(map[uint64]bool)
		v.plies = make([]plyDiversity, game.MaxPlies)
	}
	hash := fnv.New64a()
	state := game.NewState()
	for i, a := range r.moves() {
		if j := i - len(r.opening); j >= 0 {
			v.plies[i].see(state, &r.plies[j])
			v.searched++
			if r.plies[j].proven >= 0 {
				v.proven++
			}
		}
		hash.Write(binary.LittleEndian.AppendUint32(nil, uint32(a)))
		state.Apply(a)
	}
	v.games[hash.Sum64()] = true
	v.count++
	v.length += len(r.opening) + len(r.plies)
	v.first += score(r.goals)
}

func (s *plyDiversity) see(state env.State, p *ply) {
	if s.positions == nil {
		s.positions = make(map[uint64]bool)
	}
	key := state.Key()
	s.positions[key.Hash()] = true
	s.count++
	if p.teaches {
		s.targets++
		s.entropy += entropyOf(p.policy)
	}
}

func (v *diversity) result() rundir.Diversity {
	var d rundir.Diversity
	if v.count == 0 {
		return d
	}
	n := float64(v.count)
	d.MeanPlies, d.FirstShare, d.Duplicates = float64(v.length)/n, v.first/n, 1-float64(len(v.games))/n
	d.Proven = float64(v.proven) / float64(max(1, v.searched))
	for _, s := range v.plies {
		d.Distinct = append(d.Distinct, share(float64(len(s.positions)), float64(s.count)))
		d.Entropy = append(d.Entropy, share(s.entropy, float64(s.targets)))
	}
	return d
}

// share is a/b rounded to three places, or 0 where nothing was counted.
func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return math.Round(1000*a/b) / 1000
}

// score is First's: 1 for the higher goal, 1/2 for equal ones.
func score(goals [2]int) float64 {
	switch {
	case goals[0] > goals[1]:
		return 1
	case goals[0] < goals[1]:
		return 0
	}
	return 0.5
}

// entropyOf is the entropy in nats of a quantised distribution.
func entropyOf(q []uint16) float64 {
	p := make([]float32, len(q))
	normalise(p, q)
	h := 0.0
	for _, x := range p {
		if x > 0 {
			h -= float64(x) * math.Log(float64(x))
		}
	}
	return h
}
