package gamefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
)

// draft is a game as a file has it, before its moves are played; as JSON it is a line of a file.
type draft struct {
	Game    string    `json:"game"`
	Players [2]string `json:"players,omitzero"`
	Date    string    `json:"date,omitempty"`
	Event   string    `json:"event,omitempty"`
	Place   string    `json:"place,omitempty"`
	Opening int       `json:"opening,omitempty"`
	Moves   []entry   `json:"moves"`
	Result  Result    `json:"result,omitempty"`
	End     string    `json:"end,omitempty"`
	Comment string    `json:"comment,omitempty"`

	at       place // of moves without a place
	coloured bool  // SGF or GGF: the first player is black here
}

// entry is a [Move] as a file has it.
type entry struct {
	Move    string    `json:"move"`
	Seconds float64   `json:"seconds,omitempty"`
	Value   *float64  `json:"value,omitempty"`
	Bad     int       `json:"bad,omitempty"`
	Comment string    `json:"comment,omitempty"`
	Instead [][]entry `json:"instead,omitempty"`

	place
	by      string // who made it: B or W in coloured drafts, the player's name in others; "": unknown
	isSetUp bool   // a stone of a position that is set up
	err     error  // of the entry, which has no move
}

// record plays a draft's moves and returns its record.
func (d *draft) record(game *env.Game) (*Record, error) {
	p := newPosition(game)
	p.at, p.coloured = d.at, d.coloured
	moves, err := p.replay(d.Moves)
	if err != nil {
		return nil, err
	}
	r := &Record{
		Game: game, Players: d.Players, Date: d.Date, Event: d.Event, Place: d.Place, Comment: d.Comment, Moves: moves,
		Opening: min(max(d.Opening, 0), len(moves)), Result: d.Result, End: d.End,
	}
	if d.coloured && FirstIsBlack(game) == (p.flipped && game.Family != "hex") { // LittleGolem calls the first player black
		r.Players[0], r.Players[1] = r.Players[1], r.Players[0]
		r.Result = r.Result.exchanged()
	}
	switch {
	case p.end != "":
		r.Result, r.End = Lost(p.loser), p.end
	case p.exchanged: // the file's result is by colours
		r.Result = r.Result.exchanged()
	}
	r.finish(p.state)
	return r, nil
}

// position is a position of a game that is read.
type position struct {
	game   *env.Game
	parser *notation.Parser // nil until a move is not written as its name
	state  env.State
	legal  []env.Action
	plies  int        // moves so far
	last   env.Action // the last move

	at       place // of the draft
	coloured bool  // moves are SGF's or GGF's, by black or white
	// flipped means that white begins, though black does in ludus: so LittleGolem writes Hex.
	flipped bool
	// exchanged means that the players of Hex have exchanged colours by a swap, and the piece has stayed what and where
	// it is. In ludus the piece changes its colour, and its column and row are exchanged.
	exchanged bool
	end       string     // "resigned" or "forfeit", if the moves say so
	loser     env.Player // by such an end
}

func newPosition(game *env.Game) *position {
	p := &position{game: game, state: game.NewState()}
	p.legal = p.state.Legal(nil)
	return p
}

// branch returns an independent copy.
func (p *position) branch() *position {
	b := *p
	b.state, b.legal = p.game.Copy(p.state), slices.Clone(p.legal)
	return &b
}

// play plays a legal move and appends it to moves.
func (p *position) play(moves []Move, a env.Action) []Move {
	p.state.Apply(a)
	p.legal, p.plies, p.last = p.state.Legal(p.legal[:0]), p.plies+1, a
	return append(moves, Move{Action: a})
}

// replay plays a line of moves and its variations. Errors are [*Error].
func (p *position) replay(list []entry) (moves []Move, err error) {
	for i := range list {
		e := &list[i]
		var instead [][]Move
		for _, line := range e.Instead {
			variation, err := p.branch().replay(line)
			if err != nil {
				return nil, err
			}
			if len(variation) > 0 {
				instead = append(instead, variation)
			}
		}
		before := len(moves)
		moves, err = p.enter(moves, e)
		switch {
		case err != nil && e.isSetUp:
			return nil, errorAt(e.place, 0, errSetUp(e, p.state, err))
		case err != nil:
			return nil, errorAt(cmp.Or(e.place, p.at), p.plies+1, err)
		case p.end != "":
			return moves, nil
		case len(moves) == before: // a pass after the end
			continue
		}
		m := &moves[len(moves)-1]
		m.Comment, m.Bad, moves[before].Instead = e.Comment, max(0, min(2, e.Bad)), instead
		if e.Seconds > 0 && e.Seconds < 1e9 {
			m.Seconds = e.Seconds
		}
		if e.Value != nil {
			m.Value = new(max(-1, min(1, *e.Value+0))) // + 0 turns -0 into 0
		}
	}
	return moves, nil
}

// enter plays the move of an entry and appends it to moves, after a forced pass that the file leaves out. A pass after
// the end of the game is ignored.
func (p *position) enter(moves []Move, e *entry) ([]Move, error) {
	text, player := strings.TrimSpace(e.Move), p.player(e.by)
	switch {
	case e.err != nil:
		return moves, e.err
	case !p.coloured || p.state.Done() || player == p.state.Player():
	case p.plies == 0 && p.game.Family != "othello": // which begins with pieces of both colours
		p.flipped, player = true, player.Opponent()
	case p.plies == 2 && p.game.ActionNames[p.last] == "swap":
		p.exchanged, player = true, player.Opponent()
	}
	if p.coloured {
		if oneOf(text, "resign", "forfeit", "resigned") {
			p.end, p.loser = endOf(text), player
			return moves, nil
		}
		var err error
		text, err = p.fromSGF(text)
		if err != nil {
			return moves, err
		}
	}
	if p.state.Done() && isPass(text) {
		return moves, nil
	}
	a, err := p.parse(text)
	if err != nil && p.mustPass() {
		moves = p.play(moves, p.legal[0])
		a, err = p.parse(text)
	}
	switch {
	case e.by != "" && !p.state.Done() && player != p.state.Player():
		return moves, fmt.Errorf("%s[%s]: it is %s's turn", e.by, text, p.game.Players[p.state.Player()])
	case err != nil:
		return moves, err
	}
	return p.play(moves, a), nil
}

// player returns the player who makes a move, as the file says it.
func (p *position) player(by string) env.Player {
	switch {
	case !p.coloured:
		return env.Player(slices.Index(p.game.Players[:], by))
	case (by == "B") == FirstIsBlack(p.game) != (p.flipped != p.exchanged):
		return env.First
	}
	return env.Second
}

// parse returns the legal move that a text names, in any form that people write.
func (p *position) parse(text string) (env.Action, error) {
	if p.state.Done() {
		return 0, fmt.Errorf("the game is over; %s is one move too many", env.Quote(text))
	}
	if isPass(text) {
		text = "pass"
	}
	if a, exact := p.exact(text); exact {
		return a, nil
	}
	if p.parser == nil {
		p.parser = notation.NewParser(p.game)
	}
	return p.parser.Parse(p.state, p.legal, text)
}

// exact returns the legal move that has a text as its name or official text.
func (p *position) exact(text string) (a env.Action, ok bool) {
	a, err := p.game.ParseAction(text)
	return a, err == nil && slices.Contains(p.legal, a)
}

// mustPass reports whether a pass, which many files leave out, is the only legal move.
func (p *position) mustPass() bool {
	return len(p.legal) == 1 && p.game.ActionNames[p.legal[0]] == "pass"
}

// isPass reports whether a text is a word for a pass.
func isPass(text string) bool { return oneOf(text, "pass", "pa", "ps", "--") }

// oneOf reports whether one of the words equals a text in any case.
func oneOf(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
}
