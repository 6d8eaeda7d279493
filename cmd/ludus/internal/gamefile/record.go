package gamefile

import "ludus/env"

// Record is the record of one game.
type Record struct {
	Game    *env.Game
	Players [2]string // names of First and Second; "": unknown
	Date    string    // as the file writes it; ludus writes 2006-01-02
	Event   string
	Place   string
	Comment string // on the game
	Moves   []Move
	Opening int // number of first moves that nobody chose: drawn at random, or set up
	Result  Result
	End     string // why it ended before its rules end it: "resigned", "time", "forfeit", or another word of the file
}

// Move is a move of a record, with what is known about it.
type Move struct {
	Action  env.Action
	Seconds float64  // that the player took; 0: unknown
	Value   *float64 // expected utility after the move for the player who made it, in [-1, 1]; nil: unknown
	Bad     int      // 1: marked as a bad move, 2: as a very bad one
	Comment string
	Instead [][]Move // variations: lines that begin in place of this move
}

// Result says who won; "" for an unfinished game or an unknown result.
type Result string

const (
	FirstWon  Result = "1-0"
	SecondWon Result = "0-1"
	Draw      Result = "1/2-1/2"
)

// won returns the result of a game that a player has won.
func won(p env.Player) Result { return [2]Result{FirstWon, SecondWon}[p] }

// Lost returns the result of a game that a player has lost.
func Lost(p env.Player) Result { return won(p.Opponent()) }

// exchanged returns the result for players who have changed seats.
func (r Result) exchanged() Result {
	return map[Result]Result{FirstWon: SecondWon, SecondWon: FirstWon, Draw: Draw}[r]
}

// New returns the record of a game whose moves, which must be legal, are known.
func New(game *env.Game, moves []env.Action) *Record {
	r, p := &Record{Game: game}, newPosition(game)
	for _, a := range moves {
		r.Moves = p.play(r.Moves, a)
	}
	r.finish(p.state)
	return r
}

// Actions returns the moves of the game without variations.
func (r *Record) Actions() []env.Action {
	list := make([]env.Action, len(r.Moves))
	for i := range r.Moves {
		list[i] = r.Moves[i].Action
	}
	return list
}

// finish sets the result of a game that its rules have ended.
func (r *Record) finish(state env.State) {
	if !state.Done() {
		return
	}
	r.Result, r.End = Draw, ""
	if winner, lead := Lead(r.Game, state); lead > 0 {
		r.Result = won(winner)
	}
}

// score returns the winner, by how much he has won, 0 if the rules have not ended the game, and the letter of SGF for
// why it ended before, or "". A draw's winner is First.
func (r *Record) score() (winner env.Player, lead int, how string) {
	if r.Result == SecondWon {
		winner = env.Second
	}
	switch r.End {
	case "":
		state, err := env.Replay(r.Game, r.Actions())
		if err == nil && state.Done() {
			_, lead = Lead(r.Game, state)
		}
		return winner, lead, ""
	case "resigned":
		return winner, 0, "R"
	case "time", "overstepped":
		return winner, 0, "T"
	}
	return winner, 0, "F"
}

// Lead returns the winner of a finished game, and by how much: a number of discs in Othello, where the winner gets the
// empty cells, and a difference of final scores elsewhere; 0 for a draw.
func Lead(game *env.Game, state env.State) (winner env.Player, lead int) {
	goals := state.Goals()
	lead = goals[env.First] - goals[env.Second]
	if lead < 0 {
		winner, lead = env.Second, -lead
	}
	if lead == 0 || game.Family != "othello" {
		return winner, lead
	}
	pieces := state.Pieces(nil)
	lead = len(pieces)
	for _, k := range pieces {
		if game.Drawing.IsOf(k, winner.Opponent()) {
			lead -= 2
		}
	}
	return winner, lead
}

// FirstIsBlack reports whether black moves first, as in most games; in games whose first player is called white, it
// is white.
func FirstIsBlack(game *env.Game) bool {
	return game.Players[env.First] != "white" && game.Players[env.Second] != "black"
}
