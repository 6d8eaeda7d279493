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

// A packed suite is a sealed file (see [checkpoints.Seal]). Its payload is the length of a JSON header, the header,
// then columns, each with one field of all positions, because similar numbers compress well side by side. All numbers
// are uvarints:
//
//	number of the game, minus that of the previous position
//	source, plies to the end, UCT outcome: three columns
//	number of moves
//	each move, as its index in the legal moves
//	the value, a class, of each legal move
const (
	packedKind    = "ludus-suite"
	packedVersion = 1
)

type packedHeader struct {
	Game string `json:"game"`
	Origin
	Positions int `json:"positions"`
}

// Pack returns the suite in the packed format.
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
		step := p.GameNumber - before
		before = p.GameNumber
		return step
	})
	column(func(p *Position) int { return int(p.Source) })
	column(func(p *Position) int { return p.PliesToEnd })
	column(func(p *Position) int { return int(p.UCT) })
	column(func(p *Position) int { return len(p.Moves) })
	for i := range s.Positions {
		r := env.NewReplayer(s.Game)
		for _, a := range s.Positions[i].Moves {
			index, _ := slices.BinarySearch(r.Legal, a)
			payload = binary.AppendUvarint(payload, uint64(index))
			if err := r.Play(a); err != nil {
				panic("suite: " + err.Error())
			}
		}
	}
	for i := range s.Positions {
		for _, v := range s.Positions[i].Values {
			payload = binary.AppendUvarint(payload, uint64(v))
		}
	}
	return checkpoints.Seal(packedKind, packedVersion, payload)
}

// Parse reads a suite in the packed format or as lines of JSON, and checks that every position fits the game. Errors
// wrap [ErrSuite] or those of package checkpoints.
func Parse(data []byte) (*Suite, error) {
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) > 0 && text[0] == '{' {
		return parseLines(data)
	}
	payload, version, err := checkpoints.Unseal(packedKind, data)
	if err != nil {
		return nil, err
	}
	if version != packedVersion {
		return nil, fmt.Errorf("format version %d: %w", version, checkpoints.ErrVersion)
	}
	u := unpacker{rest: bytes.NewReader(payload)}
	s := u.suite()
	if u.err != nil {
		return nil, u.err
	}
	return s, nil
}

// unpacker reads a payload. err is the first error; after it, reads return zeros.
type unpacker struct {
	rest *bytes.Reader
	err  error
}

// maxNumber bounds every number of a payload.
const maxNumber = 1 << 30

// number reads a number from 0 to limit.
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

// header reads the header. A position takes at least six bytes, which bounds the number of positions.
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

// suite reads the payload; the result is valid if u.err is nil.
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
	column(maxNumber, func(p *Position, n int) { before += n; p.GameNumber = before })
	column(len(sourceNames)-1, func(p *Position, n int) { p.Source = Source(n) })
	column(maxNumber, func(p *Position, n int) { p.PliesToEnd = n })
	column(int(UCTLoses), func(p *Position, n int) { p.UCT = UCTOutcome(n) })
	column(game.MaxPlies, func(p *Position, n int) { p.Moves = make([]env.Action, n) })
	for i := range s.Positions {
		u.moves(game, &s.Positions[i])
	}
	for i := range s.Positions {
		p := &s.Positions[i]
		for k := range p.Values {
			p.Values[k] = u.number(len(game.Classes) - 1)
		}
		if u.err == nil && !someMoveLoses(p.Values) {
			u.err = fmt.Errorf("%w: position %d: all moves have the same value", ErrSuite, i+1)
		}
	}
	return s
}

// moves reads the moves of a position and allocates Values, one for each legal move.
func (u *unpacker) moves(game *env.Game, p *Position) {
	r := env.NewReplayer(game)
	for i := range p.Moves {
		if u.err == nil && r.State.Done() {
			u.err = fmt.Errorf("%w: a move comes after the game's end", ErrSuite)
		}
		k := u.number(len(r.Legal) - 1)
		if u.err != nil {
			return
		}
		p.Moves[i] = r.Legal[k]
		u.err = r.Play(p.Moves[i])
	}
	if u.err == nil && r.State.Done() {
		u.err = fmt.Errorf("%w: a game is over", ErrSuite)
	}
	p.Values = make([]int, len(r.Legal))
}
