package train

import (
	"fmt"

	"ludus/env"
)

// Played is a finished game of self-play.
type Played struct {
	Number  int // in the run, from 0
	Opening int // moves before the search took over
	Moves   []env.Action
	Goals   [2]int     // First's and Second's, 0 to 100
	Plies   []Searched // of the moves after the opening
}

// Searched is what the search found where a move was played.
type Searched struct {
	Value  float64   // expected utility for First after the move, or the position's exact one
	Proven bool      // Value is exact
	Policy []float32 // what the network was to learn, by legal action, ascending; sums to 1
}

// ReadPlayed reads the games that ended in a generation, in the order of their numbers. The error wraps fs.ErrNotExist where
// there is no such file, checkpoints.ErrDamaged or checkpoints.ErrVersion.
func ReadPlayed(game *env.Game, dir string, generation int) ([]Played, error) {
	records, first, err := readGames(game, dir, generation)
	if err != nil {
		return nil, fmt.Errorf("games of generation %d: %w", generation, err)
	}
	games := make([]Played, len(records))
	for i, r := range records {
		games[i] = Played{Number: first + i, Opening: len(r.opening), Moves: r.moves(), Goals: r.goals, Plies: r.searched(game)}
	}
	return games, nil
}

// searched tells of every searched move.
func (r *record) searched(game *env.Game) []Searched {
	all := make([]Searched, len(r.plies))
	state := game.NewState()
	for _, a := range r.opening {
		state.Apply(a)
	}
	for i := range r.plies {
		p := &r.plies[i]
		mover := state.Player()
		all[i] = Searched{Value: mover.Sign() * p.value(game), Proven: p.proven >= 0, Policy: make([]float32, len(p.policy))}
		normalise(all[i].Policy, p.policy)
		state.Apply(p.action)
	}
	return all
}

// value is the mover's expected utility.
func (p *ply) value(game *env.Game) float64 {
	if p.proven >= 0 {
		return float64(game.Classes[p.proven].Utility)
	}
	shares := make([]float32, len(p.classes))
	normalise(shares, p.classes)
	return game.ExpectedUtility(shares)
}
