package suite

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
)

// packedKind and packedVersion mark a packed suite. Its payload is a header as JSON, its length before it, then each
// column of all positions after the other, since like things compress well side by side; all numbers are uvarints:
//
//	number of the game, as the difference to the position before
//	source, plies to go, answer of UCT
//	number of moves
//	each move, as its index in the legal ones
//	each value's class
const (
	packedKind    = "ludus-suite"
	packedVersion = 1
)

type packedHeader struct {
	Game string `json:"game"`
	Origin
	Positions int `json:"positions"`
}

// Pack writes the suite in few bytes.
func (s *Suite) Pack() []byte {
	header, err := json.Marshal(packedHeader{s.Game.Name, s.Origin, len(s.Positions)})
	if err != nil {
		panic("suite: a header of plain fields cannot be written")
	}
	payload := binary.AppendUvarint(nil, uint64(len(header)))
	payload = append(payload, header...)
	column := func(of func(p *Position) int) {
		for i := range s.Positions {
			payload = binary.AppendUvarint(payload, uint64(of(&s.Positions[i])))
		}
	}
	before := 0
	column(func(p *Position) int {
		step := p.Number - before
		before = p.Number
		return step
	})
	column(func(p *Position) int { return int(p.Source) })
	column(func(p *Position) int { return p.ToGo })
	column(func(p *Position) int { return int(p.UCT) })
	column(func(p *Position) int { return len(p.Moves) })
	for i := range s.Positions {
		payload = s.Positions[i].appendMoves(s.Game, payload)
	}
	for i := range s.Positions {
		for _, v := range s.Positions[i].Values {
			payload = binary.AppendUvarint(payload, uint64(v))
		}
	}
	return checkpoints.Seal(packedKind, packedVersion, payload)
}

// appendMoves writes the index of each move in the legal ones.
func (p *Position) appendMoves(game *env.Game, dst []byte) []byte {
	state := game.NewState()
	var legal []env.Action
	for _, a := range p.Moves {
		legal = state.Legal(legal[:0])
		dst = binary.AppendUvarint(dst, uint64(slices.Index(legal, a)))
		state.Apply(a)
	}
	return dst
}

// Parse reads a suite in either form, packed or lines of JSON, and checks that every position fits its game. Errors wrap
// [ErrSuite] or those of package checkpoints.
func Parse(data []byte) (*Suite, error) {
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) > 0 && text[0] == '{' {
		return parseLines(data)
	}
	payload, version, err := checkpoints.Unseal(packedKind, data)
	if err != nil {
		return nil, err
	}
	if version > packedVersion {
		return nil, fmt.Errorf("format version %d: %w", version, checkpoints.ErrVersion)
	}
	u := unpacker{rest: bytes.NewReader(payload)}
	s := u.suite()
	if u.err != nil {
		return nil, u.err
	}
	return s, nil
}

// unpacker takes a payload apart; the first thing that does not fit sets err.
type unpacker struct {
	rest *bytes.Reader
	err  error
}

// mostNumber bounds every number in a payload.
const mostNumber = 1 << 30

// number reads one number of at most limit.
func (u *unpacker) number(limit int) int {
	if u.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(u.rest)
	if err != nil || n > uint64(limit) {
		u.err = fmt.Errorf("%w: a number is missing or too large", ErrSuite)
		return 0
	}
	return int(n)
}

// header reads the header; a position takes six bytes or more, which bounds how many there can be.
func (u *unpacker) header() (h packedHeader) {
	text := make([]byte, u.number(u.rest.Len()))
	if _, err := io.ReadFull(u.rest, text); err == nil && u.err == nil {
		u.err = json.Unmarshal(text, &h)
	}
	if u.err != nil || h.Positions < 0 || h.Positions > u.rest.Len()/6 {
		u.err = fmt.Errorf("%w: its header is wrong", ErrSuite)
	}
	return h
}

func (u *unpacker) suite() *Suite {
	h := u.header()
	if u.err != nil {
		return nil
	}
	game, err := games.New(h.Game)
	if err != nil {
		u.err = fmt.Errorf("%w: %w", ErrSuite, err)
		return nil
	}
	s := &Suite{Game: game, Origin: h.Origin, Positions: make([]Position, h.Positions)}
	column := func(limit int, set func(p *Position, n int)) {
		for i := range s.Positions {
			set(&s.Positions[i], u.number(limit))
		}
	}
	before := 0
	column(mostNumber, func(p *Position, n int) { before += n; p.Number = before })
	column(len(sourceNames)-1, func(p *Position, n int) { p.Source = Source(n) })
	column(mostNumber, func(p *Position, n int) { p.ToGo = n })
	column(int(Loses), func(p *Position, n int) { p.UCT = Answer(n) })
	column(game.MaxPlies, func(p *Position, n int) { p.Moves = make([]env.Action, n) })
	for i := range s.Positions {
		u.moves(game, &s.Positions[i])
	}
	for i := range s.Positions {
		p := &s.Positions[i]
		for k := range p.Values {
			p.Values[k] = u.number(len(game.Classes) - 1)
		}
		if u.err == nil && !matters(p.Values) {
			u.err = fmt.Errorf("%w: position %d: all moves are worth the same", ErrSuite, i+1)
		}
	}
	return s
}

// moves reads the moves of a position and makes room for its values.
func (u *unpacker) moves(game *env.Game, p *Position) {
	state := game.NewState()
	var legal []env.Action
	for i := range p.Moves {
		legal = state.Legal(legal[:0])
		if u.err == nil && state.Done() {
			u.err = fmt.Errorf("%w: a move comes after the game's end", ErrSuite)
		}
		k := u.number(len(legal) - 1)
		if u.err != nil {
			return
		}
		p.Moves[i] = legal[k]
		state.Apply(legal[k])
	}
	if u.err == nil && state.Done() {
		u.err = fmt.Errorf("%w: a game is over", ErrSuite)
	}
	p.Values = make([]int, len(state.Legal(legal[:0])))
}
