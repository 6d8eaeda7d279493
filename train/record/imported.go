package record

import (
	"math"
	"slices"

	"ludus/env"
)

// Imported is a game of other players, as files of games have it.
type Imported struct {
	Moves   []env.Action // all moves, which must be legal
	Opening int          // number of first moves that were drawn at random
	Values  []float64    // [moves] expected utility after a move for the player who made it; NaN: unknown
	Wrong   error        // why the game cannot be read and is left out; nil: it can
	Result  float64      // First's utility by the result that the file gives; NaN: unknown. A game's end by the rules counts more
}

// Record returns the game as a record that a run can learn from: the policy target of a ply is its move, unless its
// player lost the game. The class distribution is that of the file's value; it is all 0 if there is none, see
// [Record.FillClasses]. A game that ends before its rules end it is adjudicated by the result. Record returns nil if the
// game is wrong or has no move to learn, or if its result is unknown or impossible, such as a draw where there is none.
func (im *Imported) Record(game *env.Game) *Record {
	if im.Wrong != nil || im.Opening >= len(im.Moves) {
		return nil
	}
	r := &Record{Game: game, Opening: slices.Clone(im.Moves[:im.Opening]), Done: true}
	state, legal := game.NewState(), []env.Action(nil)
	for i, a := range im.Moves {
		if i >= im.Opening {
			legal = state.Legal(legal[:0])
			p := Ply{Action: a, Proven: -1, Policy: make(Shares, len(legal)), Classes: classesOf(game, im.Values[i])}
			p.Policy[slices.Index(legal, a)] = Unit
			r.Plies = append(r.Plies, p)
		}
		state.Apply(a)
	}
	if state.Done() {
		r.Outcome, r.Goals = state.Outcome(), state.Goals()
	} else {
		class := slices.IndexFunc(classesOf(game, im.Result), func(share uint16) bool { return share == Unit })
		if class < 0 {
			return nil
		}
		r.Adjudicated, r.Outcome = true, class
		r.Goals = [2]int{game.Classes[class].Goal(), game.Classes[game.ClassFor(env.Second, class)].Goal()}
	}
	for i, mover := range r.Movers() {
		r.Plies[i].TrainPolicy = game.UtilityFor(mover, r.Outcome) >= 0
	}
	return r
}

// classesOf returns the distribution [K] over one or two neighbouring possible classes whose expected utility is the
// given one; all 0 if that is NaN.
func classesOf(game *env.Game, utility float64) Shares {
	shares := make(Shares, len(game.Classes))
	if math.IsNaN(utility) {
		return shares
	}
	better, worse := -1, -1 // the neighbours of utility among the possible classes
	for k, c := range game.Classes {
		switch {
		case c.Impossible:
		case better < 0 || float64(c.Utility) >= utility:
			better, worse = k, k
		case worse == better:
			worse = k
		}
	}
	share := 1.0
	if high, low := float64(game.Classes[better].Utility), float64(game.Classes[worse].Utility); high > low {
		share = min(max((utility-low)/(high-low), 0), 1)
	}
	shares[better] = uint16(share*Unit + 0.5)
	shares[worse] += Unit - shares[better]
	return shares
}

// FillClasses gives every ply without a class distribution the exact class of the first proven ply from there on, or
// else the game's outcome.
func (r *Record) FillClasses() {
	movers, outcome := r.Movers(), r.Outcome // First's class
	for i := len(r.Plies) - 1; i >= 0; i-- {
		p := &r.Plies[i]
		if p.Proven >= 0 {
			outcome = r.Game.ClassFor(movers[i], int(p.Proven))
		}
		if p.Classes.sum() == 0 {
			p.Classes[r.Game.ClassFor(movers[i], outcome)] = Unit
		}
	}
}
