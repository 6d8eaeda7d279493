package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ludus/env"
	"ludus/env/games"
)

// line is a position as a line of JSON. The fields after Values are optional.
type line struct {
	Game       string         `json:"game"`
	Sheet      string         `json:"sheet,omitempty"` // rule sheet, if the game has one; only in the suite's first line
	Moves      []string       `json:"moves"`           // moves from the start
	Player     string         `json:"player"`          // player to move
	Values     map[string]int `json:"values"`          // goal for the player after each legal move
	Source     string         `json:"source,omitempty"`
	GameNumber int            `json:"game_number"` // number of the game that the position comes from
	PliesToEnd int            `json:"plies_to_end,omitempty"`
	UCTLoses   *bool          `json:"uct_loses,omitempty"`
}

// Lines returns the suite as JSON, one line per position.
func (s *Suite) Lines() []byte {
	var b bytes.Buffer
	for i := range s.Positions {
		sheet := ""
		if i == 0 {
			sheet = s.Game.Sheet
		}
		b.Write(marshalLine(s.Game, sheet, &s.Positions[i]))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// marshalLine returns a position as a line of JSON.
func marshalLine(game *env.Game, sheet string, p *Position) []byte {
	l := line{
		Game: game.Name, Sheet: sheet, Moves: game.Texts(p.Moves), Values: map[string]int{},
		Source: sourceNames[p.Source], GameNumber: p.GameNumber, PliesToEnd: p.PliesToEnd,
	}
	state, _ := env.Replay(game, p.Moves) // cannot fail: a suite's moves are legal
	l.Player = game.Players[state.Player()]
	for i, a := range state.Legal(nil) {
		l.Values[game.ActionTexts[a]] = game.Classes[p.Values[i]].Goal()
	}
	if p.UCT != unknownUCT {
		loses := p.UCT == uctLoses
		l.UCTLoses = &loses
	}
	data, err := json.Marshal(l)
	if err != nil {
		panic("suite: a line of plain fields cannot be written")
	}
	return data
}

// parseLines parses a suite of JSON lines in any order. It skips blank lines.
func parseLines(data []byte) (*Suite, error) {
	s := &Suite{}
	for i, text := range bytes.Split(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		game, p, err := parseLine(text, i)
		if err == nil && s.Game != nil && s.Game != game {
			err = fmt.Errorf("a position of %s in a suite of %s", game.Name, s.Game.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: %w", i+1, ErrSuite, err)
		}
		s.Game = game
		s.Positions = append(s.Positions, p)
	}
	return s, nil
}

// parseLine parses a position. gameNumber is used if the line has no game_number.
func parseLine(text []byte, gameNumber int) (*env.Game, Position, error) {
	l := line{GameNumber: gameNumber} // the default: Unmarshal keeps it if the line has no game_number
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, Position{}, err
	}
	game, err := games.Restore(l.Game, l.Sheet)
	if err != nil {
		return nil, Position{}, err
	}
	p := Position{PliesToEnd: l.PliesToEnd, GameNumber: l.GameNumber}
	if i := slices.Index(sourceNames, l.Source); i > 0 { // otherwise the source is unknown
		p.Source = gameSource(i)
	}
	if l.UCTLoses != nil {
		p.UCT = uctKeeps
		if *l.UCTLoses {
			p.UCT = uctLoses
		}
	}
	err = l.fill(game, &p)
	return game, p, err
}

// fill sets the moves and values of p from the line and checks them.
func (l *line) fill(game *env.Game, p *Position) error {
	state, moves, err := env.ReplayText(game, l.Moves)
	if err != nil {
		return err
	}
	p.Moves = moves
	values := make(map[env.Action]int, len(l.Values)) // classes by action
	for text, goal := range l.Values {
		a, err := game.ParseAction(text)
		if err != nil {
			return err
		}
		class := slices.IndexFunc(game.Classes, func(c env.Class) bool { return c.Goal() == goal })
		if class < 0 {
			return fmt.Errorf("no game of %s ends with a goal of %d", game.Name, goal)
		}
		if _, twice := values[a]; twice {
			return fmt.Errorf("there are two values of %s", game.ActionTexts[a])
		}
		values[a] = class
	}
	for _, a := range state.Legal(nil) {
		class, ok := values[a]
		if !ok {
			return fmt.Errorf("%s is legal and has no value", game.ActionTexts[a])
		}
		p.Values = append(p.Values, class)
	}
	if len(values) > len(p.Values) {
		return errors.New("there are values of moves that are not legal")
	}
	if err := p.check(game, state); err != nil {
		return err
	}
	if mover := game.Players[state.Player()]; l.Player != mover {
		return fmt.Errorf("%s is to move, not %q", mover, l.Player)
	}
	return nil
}
