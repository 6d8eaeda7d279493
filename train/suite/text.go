package suite

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"ludus/env"
	"ludus/env/games"
)

// line is a position as a line of JSON; the fields after Values may be missing.
type line struct {
	Game   string         `json:"game"`
	Moves  []string       `json:"moves"`  // from the start
	Player string         `json:"player"` // to move
	Values map[string]int `json:"values"` // each legal move's goal for the player
	Source string         `json:"source,omitempty"`
	Number *int           `json:"number,omitempty"` // of the game that the position was taken from
	ToGo   int            `json:"to_go,omitempty"`  // plies until that game ended
	UCT    *bool          `json:"uct_loses,omitempty"`
}

// Lines writes the suite as lines of JSON, one a position.
func (s *Suite) Lines() []byte {
	var b bytes.Buffer
	for i := range s.Positions {
		b.Write(marshalLine(s.Game, &s.Positions[i]))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// marshalLine writes one position, which fits the game.
func marshalLine(game *env.Game, p *Position) []byte {
	l := line{Game: game.Name, Moves: game.Texts(p.Moves), Values: map[string]int{}, Source: p.Source.String(), Number: &p.Number, ToGo: p.ToGo}
	state := game.NewState()
	for _, a := range p.Moves {
		state.Apply(a)
	}
	l.Player = game.Players[state.Player()]
	for i, a := range state.Legal(nil) {
		l.Values[game.ActionTexts[a]] = game.Classes[p.Values[i]].Goal()
	}
	if p.UCT != UnknownAnswer {
		loses := p.UCT == Loses
		l.UCT = &loses
	}
	data, err := json.Marshal(l)
	if err != nil {
		panic("suite: a line of plain fields cannot be written")
	}
	return data
}

// parseLines reads what Lines writes, the games in any order; blank lines are passed over.
func parseLines(data []byte) (*Suite, error) {
	s := &Suite{}
	for i, text := range bytes.Split(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		game, p, err := parseLine(text, i)
		if err == nil && s.Game != nil && s.Game != game {
			err = fmt.Errorf("%w: a position of %s in a suite of %s", ErrSuite, game.Name, s.Game.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		s.Game = game
		s.Positions = append(s.Positions, p)
	}
	if len(s.Positions) == 0 {
		return nil, fmt.Errorf("%w: it has no positions", ErrSuite)
	}
	slices.SortStableFunc(s.Positions, func(a, b Position) int { return cmp.Compare(a.Number, b.Number) })
	return s, nil
}

// parseLine reads one position; number is that of its game where the line does not tell.
func parseLine(text []byte, number int) (*env.Game, Position, error) {
	l := line{Number: &number}
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, Position{}, fmt.Errorf("%w: %w", ErrSuite, err)
	}
	game, err := games.New(l.Game)
	if err != nil {
		return nil, Position{}, fmt.Errorf("%w: %w", ErrSuite, err)
	}
	p := Position{ToGo: l.ToGo}
	if l.Number != nil {
		p.Number = *l.Number
	}
	if min(p.Number, p.ToGo) < 0 || max(p.Number, p.ToGo) > mostNumber {
		return nil, Position{}, fmt.Errorf("%w: number is %d and to_go %d; they must lie between 0 and %d", ErrSuite, p.Number, p.ToGo, mostNumber)
	}
	if i := slices.Index(sourceNames, l.Source); i > 0 {
		p.Source = Source(i)
	}
	if l.UCT != nil {
		p.UCT = Keeps
		if *l.UCT {
			p.UCT = Loses
		}
	}
	return game, p, l.fill(game, &p)
}

// fill reads the moves and values.
func (l *line) fill(game *env.Game, p *Position) error {
	for _, text := range l.Moves {
		a, err := game.ParseAction(text)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrSuite, err)
		}
		p.Moves = append(p.Moves, a)
	}
	values := make(map[env.Action]int, len(l.Values))
	for text, g := range l.Values {
		a, err := game.ParseAction(text)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrSuite, err)
		}
		class := slices.IndexFunc(game.Classes, func(c env.Class) bool { return c.Goal() == g })
		if class < 0 {
			return fmt.Errorf("%w: no game of %s ends with a goal of %d", ErrSuite, game.Name, g)
		}
		if _, twice := values[a]; twice {
			return fmt.Errorf("%w: there are two values of %s", ErrSuite, game.ActionTexts[a])
		}
		values[a] = class
	}
	return p.fill(game, l.Player, values)
}

// fill sets the values in the order of the legal moves.
func (p *Position) fill(game *env.Game, player string, values map[env.Action]int) error {
	actions := make([]env.Action, 0, len(values))
	for a := range values {
		actions = append(actions, a)
	}
	slices.Sort(actions)
	for _, a := range actions {
		p.Values = append(p.Values, values[a])
	}
	state, err := p.replay(game)
	if err != nil {
		return err
	}
	if !slices.Equal(state.Legal(nil), actions) {
		return fmt.Errorf("%w: the values are of other moves than the legal ones", ErrSuite)
	}
	if mover := game.Players[state.Player()]; player != mover {
		return fmt.Errorf("%w: %s is to move, not %q", ErrSuite, mover, player)
	}
	return nil
}
