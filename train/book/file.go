package book

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

// Version is the version of the format of books.
const Version = 1

// ErrBook is wrapped by errors about the content of a book.
var ErrBook = errors.New("bad book")

// header is the first line of a file.
type header struct {
	Book  int    `json:"book"` // version
	Game  string `json:"game"`
	Sheet string `json:"sheet,omitempty"` // rule sheet, if the game has one
	Origin
	Games int `json:"games,omitempty"` // number of games that were counted
}

// line is the line of a search.
type line struct {
	Line  []string   `json:"line"`  // moves from the start
	Value *float64   `json:"value"` // for the player to move
	Exact bool       `json:"exact,omitempty"`
	Moves []moveLine `json:"moves"` // the search's choice first
}

// moveLine is a move that a search has considered.
type moveLine struct {
	Move   string   `json:"move"`
	Value  *float64 `json:"value"` // for the player who makes it
	Visits int      `json:"visits,omitempty"`
	Prior  float64  `json:"prior,omitempty"`
	Games  int      `json:"games,omitempty"` // in which the position after the move came up
}

// Read reads a book from a file. A book that Make has not finished has fewer positions.
func Read(path string) (*Book, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// Parse is Read for the content of a file.
func Parse(data []byte) (*Book, error) {
	b, err := parse(data)
	if err == nil && b.Positions() == 0 {
		err = fmt.Errorf("%w: it has no positions", ErrBook)
	}
	if err != nil {
		return nil, err
	}
	b.digest = fmt.Sprintf("%x", sha256.Sum256(data))
	return b, nil
}

// ReadFor is Read for an agent that plays a game.
func ReadFor(game *env.Game, path string) (agent.Book, error) {
	b, err := Read(path)
	if err != nil {
		return nil, err
	}
	if err := b.CheckGame(game); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// CheckGame returns an error unless the book is one of a game.
func (b *Book) CheckGame(game *env.Game) error {
	if b.Game.Name != game.Name || b.Game.Sheet != game.Sheet {
		return fmt.Errorf("%w of %s: it is one of %s", ErrBook, game.Name, b.Game.Name)
	}
	return nil
}

// parse parses a file. It ignores an unfinished last line, which a crash may leave.
func parse(data []byte) (*Book, error) {
	lines := bytes.SplitAfter(data, []byte{'\n'})
	var h header
	err := json.Unmarshal(lines[0], &h)
	switch {
	case err != nil || h.Book == 0 || len(lines) == 1:
		return nil, fmt.Errorf("%w: it does not begin with a line {\"book\":%d", ErrBook, Version)
	case h.Book != Version:
		return nil, fmt.Errorf("%w: %w: version %d; this program reads version %d", ErrBook, checkpoints.ErrVersion, h.Book, Version)
	}
	game, err := games.Restore(h.Game, h.Sheet)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBook, err)
	}
	b := newBook(game, h.Origin)
	b.Games = h.Games
	for i, text := range lines[1 : len(lines)-1] {
		if err := b.parseLine(text); err != nil {
			return nil, fmt.Errorf("line %d: %w: %w", i+2, ErrBook, err)
		}
	}
	b.settle()
	return b, nil
}

// parseLine adds the search of a line.
func (b *Book) parseLine(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	state, moves, err := env.ReplayText(b.Game, l.Line)
	if err != nil {
		return err
	}
	key, _ := state.CanonicalKey()
	n := b.nodes[key]
	switch {
	case n == nil:
		return errors.New("no earlier line leads to this position")
	case n.search != nil:
		return errors.New("an earlier line has this position or an image of it")
	}
	s := &search{proven: l.Exact}
	if s.value, err = value(l.Value); err != nil {
		return err
	}
	legal, after := state.Legal(nil), b.Game.NewState()
	for _, m := range l.Moves {
		e := estimate{visits: m.Visits, prior: m.Prior}
		if e.action, err = b.Game.ParseAction(m.Move); err != nil {
			return err
		}
		if e.value, err = value(m.Value); err != nil {
			return err
		}
		twice := slices.ContainsFunc(s.moves, func(o estimate) bool { return o.action == e.action })
		if twice || !slices.Contains(legal, e.action) || m.Visits < 0 || m.Prior < 0 || m.Prior > 1 || m.Games < 0 || m.Games > b.Games {
			return fmt.Errorf("move %s is not legal, or stands there twice, or its visits, prior or games are out of range", m.Move)
		}
		s.moves = append(s.moves, e)
		if m.Games > 0 {
			b.games[keyAfter(after, state, e.action)] = m.Games
		}
	}
	if len(s.moves) == 0 {
		return errors.New("the position has no moves")
	}
	n.Line = moves
	b.add(n, s)
	return nil
}

// value returns a value of a file.
func value(x *float64) (float64, error) {
	if x == nil || !(*x >= -1 && *x <= 1) {
		return 0, errors.New("a value is missing or not from -1 to 1")
	}
	return *x, nil
}

// header returns the first line of the file.
func (b *Book) header() []byte {
	return marshal(header{Version, b.Game.Name, b.Game.Sheet, b.Origin, b.Games})
}

// searchLine returns the line of a position's search.
func (b *Book) searchLine(moves []env.Action, s *search) []byte {
	l := line{Line: b.Game.Names(moves), Value: &s.value, Exact: s.proven}
	state, _ := env.Replay(b.Game, moves) // lines are legal
	after := b.Game.NewState()
	for i := range s.moves {
		e := &s.moves[i]
		games := b.games[keyAfter(after, state, e.action)]
		l.Moves = append(l.Moves, moveLine{b.Game.ActionNames[e.action], &e.value, e.visits, e.prior, games})
	}
	return marshal(l)
}

// marshal returns a value as a line of JSON without line end.
func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("book: a line of plain fields cannot be written")
	}
	return data
}

// lines returns the lines of the file. The same book gives the same bytes.
func (b *Book) lines() [][]byte {
	lines := [][]byte{b.header()}
	for _, n := range b.list {
		lines = append(lines, b.searchLine(n.Line, n.search))
	}
	return lines
}
