package record

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"ludus/env"
)

// Record is a game of self-play, finished or in progress, or an imported game.
type Record struct {
	Game    *env.Game
	Opening []env.Action // moves before the first search, random or by the policy; not trained on
	Plies   []Ply
	Done    bool   // the game has ended
	Outcome int    // First's outcome class, if Done
	Goals   [2]int // goals of First and Second, 0 to 100, if Done
	// Adjudicated means that the result does not follow from the moves: the game, an imported one, ended before its
	// rules end it, such as by resignation.
	Adjudicated bool
}

// Ply is a move chosen after a search, and the search's results. Classes are for the player to move.
type Ply struct {
	Action      env.Action
	TrainPolicy bool // the policy target has weight 1, otherwise 0
	Explored    bool // the move was drawn at random instead of chosen by the search
	Proven      int8 // exact class of the position if search or solver proved it, otherwise -1
	// Policy is the policy target over the legal actions in ascending order. It is all 0, and TrainPolicy false, if the
	// solver refuted every likely move and did not find the best one within its limit.
	Policy  Shares
	Classes Shares // [K] expected outcome classes under the policy target
}

// Positions replays the record and yields each searched ply with its index. state must be the starting position of
// r.Game. During an iteration it is the position in which the ply was searched, and must not be changed. After the
// last ply it is the final position of the record; after a break it stays where it was.
func (r *Record) Positions(state env.State) iter.Seq2[int, *Ply] {
	return func(yield func(int, *Ply) bool) {
		for _, a := range r.Opening {
			state.Apply(a)
		}
		for i := range r.Plies {
			if !yield(i, &r.Plies[i]) {
				return
			}
			state.Apply(r.Plies[i].Action)
		}
	}
}

// Movers returns the player to move at each searched ply.
func (r *Record) Movers() (movers []env.Player) {
	state := r.Game.NewState()
	for range r.Positions(state) {
		movers = append(movers, state.Player())
	}
	return movers
}

// Length is the number of moves, the opening included.
func (r *Record) Length() int { return len(r.Opening) + len(r.Plies) }

// Moves returns all moves of the game from its start, in a new slice.
func (r *Record) Moves() []env.Action {
	all := slices.Clone(r.Opening)
	for i := range r.Plies {
		all = append(all, r.Plies[i].Action)
	}
	return all
}

// Count returns the number of searched positions in records.
func Count(records []*Record) int {
	n := 0
	for _, r := range records {
		n += len(r.Plies)
	}
	return n
}

// Work returns the number of searched positions times the cells of the board, by which the work of search and training
// grows.
func (r *Record) Work() int { return len(r.Plies) * r.Game.Tensor.Cells() }

// Work returns the work of all records.
func Work(records []*Record) int {
	n := 0
	for _, r := range records {
		n += r.Work()
	}
	return n
}

// ProvenShare is the share of searched positions whose exact class is known; 0 without any.
func ProvenShare(records []*Record) float64 {
	proven := 0
	for _, r := range records {
		for i := range r.Plies {
			if r.Plies[i].Proven >= 0 {
				proven++
			}
		}
	}
	return float64(proven) / float64(max(1, Count(records)))
}

// Value is the expected utility for the player to move, exact if proven.
func (p *Ply) Value(game *env.Game) float64 {
	if p.Proven >= 0 {
		return float64(game.Classes[p.Proven].Utility)
	}
	classes := make([]float32, len(p.Classes))
	p.Classes.Normalise(classes)
	return game.ExpectedUtility(classes)
}

// Shares is a quantised distribution: an entry x stands for x/Unit.
type Shares []uint16

// Unit stands for 1 in a quantised distribution.
const Unit = 65535

// Quantise appends the entries of p, each in [0, 1], to dst.
func Quantise(dst Shares, p []float32) Shares {
	for _, x := range p {
		dst = append(dst, uint16(min(max(x, 0), 1)*Unit+0.5))
	}
	return dst
}

// Normalise sets dst to the distribution, scaled to sum to 1; all entries are 0 if those of s are.
func (s Shares) Normalise(dst []float32) {
	scale := float32(0)
	if sum := s.sum(); sum > 0 {
		scale = 1 / float32(sum)
	}
	for i, x := range s {
		dst[i] = float32(x) * scale
	}
}

// sum returns the sum of the entries; Unit stands for 1.
func (s Shares) sum() int {
	total := 0
	for _, x := range s {
		total += int(x)
	}
	return total
}

// CheckSearch returns an error if the search results of a finished game are impossible: distributions must sum to 1, up
// to rounding of each entry by one unit. A policy target may sum to less: rescoring removes moves.
func (r *Record) CheckSearch() error {
	if len(r.Plies) == 0 {
		return errors.New("no position was searched")
	}
	for i := range r.Plies {
		p := &r.Plies[i]
		policy, classes := p.Policy.sum(), p.Classes.sum()
		if policy > Unit+len(p.Policy) || policy == 0 && p.TrainPolicy {
			return fmt.Errorf("ply %d: the policy target sums to %.3f", i, float64(policy)/Unit)
		}
		if abs := max(classes-Unit, Unit-classes); abs > len(p.Classes) {
			return fmt.Errorf("ply %d: the class distribution sums to %.3f", i, float64(classes)/Unit)
		}
	}
	return nil
}
