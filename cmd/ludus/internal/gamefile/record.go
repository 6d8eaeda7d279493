package gamefile

import (
	"fmt"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
)

// Record is the record of one game.
type Record struct {
	Game    *env.Game
	Players [2]string // names of First and Second; "": unknown
	Date    string    // as the file writes it; ludus writes 2006-01-02
	Event   string
	Place   string
	Comment string // on the game
	Moves   []Move
	Result  Result
	End     string // why it ended before its rules end it: "resigned", "time", "forfeit", or another word of the file
}

// Move is a move of a record, with what is known about it.
type Move struct {
	Action  env.Action
	Seconds float64  // that the player took; 0: unknown
	Value   *float64 // expected utility after the move for the player who made it, in [-1, 1]; nil: unknown
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
func won(p env.Player) Result {
	if p == env.First {
		return FirstWon
	}
	return SecondWon
}

// Lost returns the result of a game that a player has lost.
func Lost(p env.Player) Result { return won(p.Opponent()) }

// New returns the record of a game whose moves, which must be legal, are known.
func New(game *env.Game, moves []env.Action) *Record {
	r, p := &Record{Game: game}, newPosition(game)
	for _, a := range moves {
		r.Moves = append(r.Moves, Move{Action: a})
		p.play(a)
	}
	r.finish(p)
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
func (r *Record) finish(p *position) {
	if !p.state.Done() {
		return
	}
	r.Result, r.End = Draw, ""
	if winner, lead := Lead(r.Game, p.state); lead > 0 {
		r.Result = won(winner)
	}
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
	lead = 0
	for _, k := range state.Pieces(nil) {
		if game.Drawing.IsOf(k, winner.Opponent()) {
			lead--
		} else {
			lead++
		}
	}
	return winner, lead
}

// FirstIsBlack reports whether black moves first, as in most games; in games whose first player is called white, it
// is white.
func FirstIsBlack(game *env.Game) bool {
	return game.Players[env.First] != "white" && game.Players[env.Second] != "black"
}

// position is a position of a game that is read.
type position struct {
	game   *env.Game
	parser *notation.Parser
	state  env.State
	legal  []env.Action
}

func newPosition(game *env.Game) *position {
	p := &position{game: game, state: game.NewState()}
	p.legal = p.state.Legal(nil)
	return p
}

// branch returns an independent copy.
func (p *position) branch() *position {
	b := &position{p.game, p.parser, p.game.NewState(), slices.Clone(p.legal)}
	b.state.CopyFrom(p.state)
	return b
}

func (p *position) play(a env.Action) {
	p.state.Apply(a)
	p.legal = p.state.Legal(p.legal[:0])
}

// parse returns the legal move that a text names, in any form that people write. The game must not be over.
func (p *position) parse(text string) (env.Action, error) {
	a, err := p.game.ParseAction(text)
	if err == nil && slices.Contains(p.legal, a) {
		return a, nil
	}
	if p.parser == nil {
		p.parser = notation.NewParser(p.game)
	}
	return p.parser.Parse(p.state, p.legal, text)
}

// forcedPass returns the pass that is the only legal move, which many files leave out.
func (p *position) forcedPass() (a env.Action, ok bool) {
	if len(p.legal) != 1 || p.game.ActionNames[p.legal[0]] != "pass" {
		return 0, false
	}
	return p.legal[0], true
}

// isPass reports whether a text is a word for a pass.
func isPass(text string) bool {
	return slices.Contains([]string{"pass", "pa", "ps", "--"}, strings.ToLower(text))
}

// add plays the move that a text names and returns moves with it. A pass after the end of the game is ignored.
func (p *position) add(moves []Move, text string) ([]Move, error) {
	if isPass(text) {
		text = "pass"
	}
	switch {
	case p.state.Done() && text == "pass":
		return moves, nil
	case p.state.Done():
		return moves, fmt.Errorf("the game is over; %s is one move too many", env.Quote(text))
	}
	a, err := p.parse(text)
	if err != nil {
		return moves, err
	}
	p.play(a)
	return append(moves, Move{Action: a}), nil
}

// addLoosely is add for lists of moves that leave forced passes out.
func (p *position) addLoosely(moves []Move, text string) ([]Move, error) {
	longer, err := p.add(moves, text)
	if pass, forced := p.forcedPass(); err != nil && forced {
		p.play(pass)
		return p.add(append(moves, Move{Action: pass}), text)
	}
	return longer, err
}
