package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ludus/env"
)

// Flags of a ply in an encoded record.
const (
	trainPolicyFlag = 1 << iota
	exploredFlag
)

// How the game of an encoded record stands.
const (
	inProgress = iota
	endedByRules
	adjudicated
)

// Append appends the encoded record, which [Reader.Record] reads, to dst.
func (r *Record) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(r.Opening)))
	for _, a := range r.Opening {
		dst = binary.AppendUvarint(dst, uint64(a))
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.Plies)))
	for i := range r.Plies {
		p := &r.Plies[i]
		flags := byte(0)
		if p.TrainPolicy {
			flags |= trainPolicyFlag
		}
		if p.Explored {
			flags |= exploredFlag
		}
		dst = binary.AppendUvarint(dst, uint64(p.Action))
		dst = append(dst, flags, byte(p.Proven))
		for _, x := range slices.Concat(p.Policy, p.Classes) {
			dst = binary.LittleEndian.AppendUint16(dst, x)
		}
	}
	end := byte(endedByRules)
	switch {
	case !r.Done:
		return append(dst, inProgress)
	case r.Adjudicated:
		end = adjudicated
	}
	return append(dst, end, byte(r.Outcome), byte(r.Goals[0]), byte(r.Goals[1]))
}

// Reader parses records and checks them against the rules. After the first failure all reads return zeros.
type Reader struct {
	game *env.Game
	data []byte
	err  error // the first failure; wraps ErrRecord
}

// ErrRecord means that a record is damaged or breaks the rules of the game.
var ErrRecord = errors.New("the record does not fit the game")

// NewReader returns a reader of records of a game. It does not change data.
func NewReader(game *env.Game, data []byte) *Reader { return &Reader{game: game, data: data} }

// Err returns the first failure, which wraps [ErrRecord]; nil: none.
func (r *Reader) Err() error { return r.err }

// Fail sets the failure unless there is one already.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrRecord, fmt.Sprintf(format, args...))
	}
}

// End returns the first failure; unread data are a failure, too.
func (r *Reader) End() error {
	if len(r.data) > 0 {
		r.Fail("%d bytes are left over", len(r.data))
	}
	return r.err
}

// Bytes reads n bytes.
func (r *Reader) Bytes(n int) []byte {
	if n > len(r.data) {
		r.Fail("the data ends too early")
	}
	if r.err != nil {
		return make([]byte, n)
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// Uvarint reads a number of at most limit.
func (r *Reader) Uvarint(limit int) int {
	if r.err != nil {
		return 0
	}
	x, n := binary.Uvarint(r.data)
	if n <= 0 || x > uint64(limit) {
		r.Fail("a number is missing or above %d", limit)
		return 0
	}
	r.data = r.data[n:]
	return int(x)
}

// Record reads one record and replays it: its moves must be legal and its result must be that of the last position,
// which an adjudicated game has not.
func (r *Reader) Record() *Record {
	rec := &Record{Game: r.game}
	replayer := env.NewReplayer(r.game)
	for range r.Uvarint(r.game.MaxPlies) {
		rec.Opening = append(rec.Opening, r.move(replayer))
	}
	for range r.Uvarint(r.game.MaxPlies) {
		if r.err != nil {
			return rec
		}
		rec.Plies = append(rec.Plies, r.ply(replayer))
	}
	end, state := r.Bytes(1)[0], replayer.State
	if end == inProgress {
		if state.Done() {
			r.Fail("the game has ended, but has no result")
		}
		return rec
	}
	b := r.Bytes(3)
	rec.Done, rec.Adjudicated = true, end == adjudicated
	rec.Outcome, rec.Goals = int(b[0]), [2]int{int(b[1]), int(b[2])}
	switch {
	case end > adjudicated || state.Done() == rec.Adjudicated:
		r.Fail("the recorded end is not that of the moves")
	case rec.Adjudicated && (rec.Outcome >= len(r.game.Classes) || max(rec.Goals[0], rec.Goals[1]) > 100):
		r.Fail("the adjudicated result is none of the game's")
	case !rec.Adjudicated && (rec.Outcome != state.Outcome() || rec.Goals != state.Goals()):
		r.Fail("the recorded result is not that of the last position")
	}
	return rec
}

// ply reads a ply and plays its move.
func (r *Reader) ply(replayer *env.Replayer) Ply {
	legal := len(replayer.Legal)
	p := Ply{Action: r.move(replayer)}
	b := r.Bytes(2)
	p.TrainPolicy, p.Explored, p.Proven = b[0]&trainPolicyFlag > 0, b[0]&exploredFlag > 0, int8(b[1])
	if p.Proven < -1 || int(p.Proven) >= len(r.game.Classes) {
		r.Fail("proven class %d of %d", p.Proven, len(r.game.Classes))
	}
	p.Policy = r.shares(legal)
	p.Classes = r.shares(len(r.game.Classes))
	return p
}

// move reads an action, checks that it is legal and plays it.
func (r *Reader) move(replayer *env.Replayer) env.Action {
	a := env.Action(r.Uvarint(r.game.NumActions() - 1))
	if r.err == nil {
		if err := replayer.Play(a); err != nil {
			r.Fail("%v", err)
		}
	}
	return a
}

// shares reads a quantised distribution of n entries.
func (r *Reader) shares(n int) Shares {
	b := r.Bytes(2 * n)
	s := make(Shares, n)
	for i := range s {
		s[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return s
}

// marshal encodes records: their number, then the side of each record's board and the record.
func marshal(records []*Record) []byte {
	data := binary.AppendUvarint(nil, uint64(len(records)))
	for _, r := range records {
		data = binary.AppendUvarint(data, uint64(r.Game.Tensor.W))
		data = r.Append(data)
	}
	return data
}

// unmarshal decodes data made by marshal; every game must be finished. find returns the game on a board of the given
// side. Errors wrap ErrRecord.
func unmarshal(find func(side int) (*env.Game, error), data []byte) ([]*Record, error) {
	r := NewReader(nil, data)
	records := make([]*Record, 0, 64)
	for i := range r.Uvarint(1 << 30) {
		game, err := find(r.Uvarint(1 << 20))
		if err != nil {
			r.Fail("%v", err)
			return nil, fmt.Errorf("game %d: %w", i, r.err)
		}
		r.game = game
		rec := r.Record()
		if !rec.Done {
			r.Fail("the game is not finished")
		}
		if r.err != nil {
			return nil, fmt.Errorf("game %d: %w", i, r.err)
		}
		records = append(records, rec)
	}
	return records, r.End()
}
