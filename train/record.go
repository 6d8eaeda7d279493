package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ludus/env"
)

// record is a self-play game, finished or in progress.
type record struct {
	opening []env.Action // random or policy moves before the first search; not trained on
	plies   []ply
	done    bool   // the game has ended
	outcome int    // First's class; only if done
	goals   [2]int // First's and Second's, 0 to 100; only if done
}

// ply is a move chosen after a search, and the search's results. Classes are for the player to move.
type ply struct {
	action      env.Action
	trainPolicy bool // the policy target has weight 1, otherwise 0
	explored    bool // the move was drawn, and is not the search's choice
	proven      int8 // exact class of the position if search or solver proved it, otherwise -1
	// Quantised distributions: the policy target over the legal actions in ascending order, and the classes [K] that
	// the search expects under it.
	policy  []uint16
	classes []uint16
}

// unit stands for 1 in a quantised distribution. Training uses quantised numbers even before they are stored: a resumed
// run must see the same ones.
const unit = 65535

// quantise appends the entries of p, each in [0, 1], as multiples of 1/unit to dst.
func quantise(dst []uint16, p []float32) []uint16 {
	for _, x := range p {
		dst = append(dst, uint16(min(max(x, 0), 1)*unit+0.5))
	}
	return dst
}

// normalise sets dst to the quantised distribution q, scaled to sum to 1; all entries are 0 if those of q are.
func normalise(dst []float32, q []uint16) {
	sum := 0
	for _, x := range q {
		sum += int(x)
	}
	scale := float32(0)
	if sum > 0 {
		scale = 1 / float32(sum)
	}
	for i, x := range q {
		dst[i] = float32(x) * scale
	}
}

// moves returns all moves of the game from its start.
func (r *record) moves() []env.Action {
	all := slices.Clone(r.opening)
	for i := range r.plies {
		all = append(all, r.plies[i].action)
	}
	return all
}

// Flags of a ply in a file.
const (
	trainPolicyFlag = 1 << iota
	exploredFlag
)

// append appends the record in the format of [reader.record].
func (r *record) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(r.opening)))
	for _, a := range r.opening {
		dst = binary.AppendUvarint(dst, uint64(a))
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.plies)))
	for i := range r.plies {
		p := &r.plies[i]
		flags := byte(0)
		if p.trainPolicy {
			flags |= trainPolicyFlag
		}
		if p.explored {
			flags |= exploredFlag
		}
		dst = binary.AppendUvarint(dst, uint64(p.action))
		dst = append(dst, flags, byte(p.proven))
		for _, x := range slices.Concat(p.policy, p.classes) {
			dst = binary.LittleEndian.AppendUint16(dst, x)
		}
	}
	if !r.done {
		return append(dst, 0)
	}
	return append(dst, 1, byte(r.outcome), byte(r.goals[0]), byte(r.goals[1]))
}

// reader parses records and checks them against the rules. The first failure sets err; later reads return zeros.
type reader struct {
	game *env.Game
	data []byte
	err  error // the first failure; wraps errRecord
}

// errRecord means that a record is damaged or breaks the rules of the game.
var errRecord = errors.New("the record does not fit the game")

// fail sets err unless it is set already.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", errRecord, fmt.Sprintf(format, args...))
	}
}

// bytes reads n bytes.
func (r *reader) bytes(n int) []byte {
	if r.err == nil && n > len(r.data) {
		r.fail("the data ends too early")
	}
	if r.err != nil {
		return make([]byte, n)
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// uvarint reads a varint of at most limit.
func (r *reader) uvarint(limit int) int {
	if r.err != nil {
		return 0
	}
	x, n := binary.Uvarint(r.data)
	if n <= 0 || x > uint64(limit) {
		r.fail("a number is missing or above %d", limit)
		return 0
	}
	r.data = r.data[n:]
	return int(x)
}

// shares reads a quantised distribution of n entries.
func (r *reader) shares(n int) []uint16 {
	b := r.bytes(2 * n)
	s := make([]uint16, n)
	for i := range s {
		s[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return s
}

// move reads an action, checks that it is legal and plays it.
func (r *reader) move(replayer *env.Replayer) env.Action {
	a := env.Action(r.uvarint(r.game.NumActions() - 1))
	if r.err == nil {
		if err := replayer.Play(a); err != nil {
			r.fail("%v", err)
		}
	}
	return a
}

// record reads one record and replays it: its moves must be legal and its result must be that of the last position.
func (r *reader) record() *record {
	rec := &record{}
	replayer := env.NewReplayer(r.game)
	for range r.uvarint(r.game.MaxPlies) {
		rec.opening = append(rec.opening, r.move(replayer))
	}
	for range r.uvarint(r.game.MaxPlies) {
		if r.err != nil {
			return rec
		}
		legal := len(replayer.Legal)
		p := ply{action: r.move(replayer)}
		b := r.bytes(2)
		p.trainPolicy, p.explored, p.proven = b[0]&trainPolicyFlag > 0, b[0]&exploredFlag > 0, int8(b[1])
		if p.proven < -1 || int(p.proven) >= len(r.game.Classes) {
			r.fail("proven class %d of %d", p.proven, len(r.game.Classes))
		}
		p.policy = r.shares(legal)
		p.classes = r.shares(len(r.game.Classes))
		rec.plies = append(rec.plies, p)
	}
	rec.done = r.bytes(1)[0] == 1
	if rec.done {
		b := r.bytes(3)
		rec.outcome, rec.goals = int(b[0]), [2]int{int(b[1]), int(b[2])}
	}
	state := replayer.State
	wrongEnd := rec.done && (rec.outcome != state.Outcome() || rec.goals != state.Goals())
	if r.err == nil && (rec.done != state.Done() || wrongEnd) {
		r.fail("the recorded result is not that of the last position")
	}
	return rec
}

// marshalRecords encodes records: their number, then each record.
func marshalRecords(records []*record) []byte {
	data := binary.AppendUvarint(nil, uint64(len(records)))
	for _, r := range records {
		data = r.append(data)
	}
	return data
}

// unmarshalRecords decodes data made by marshalRecords; every game must be finished. Errors wrap errRecord.
func unmarshalRecords(game *env.Game, data []byte) ([]*record, error) {
	r := &reader{game: game, data: data}
	records := make([]*record, 0, 64)
	for i := range r.uvarint(1 << 30) {
		rec := r.record()
		if r.err == nil && !rec.done {
			r.fail("the game is not finished")
		}
		if r.err != nil {
			return nil, fmt.Errorf("game %d: %w", i, r.err)
		}
		records = append(records, rec)
	}
	if len(r.data) > 0 {
		r.fail("%d bytes are left over", len(r.data))
	}
	return records, r.err
}
