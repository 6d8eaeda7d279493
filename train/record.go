package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ludus/env"
)

// record is one game of self-play, finished or not.
type record struct {
	opening []env.Action // played before the search took over; not trained on
	plies   []ply
	done    bool
	outcome int    // First's class; only if done
	goals   [2]int // First's and Second's, 0 to 100; only if done
}

// ply is one searched move.
type ply struct {
	action  env.Action
	teaches bool // the policy target has weight 1, otherwise 0
	// proven is the mover's exact class where the search proved the root, otherwise -1.
	proven int8
	// policy is the target over the legal actions, ascending, and classes the class distribution backed up through
	// the played move, mover's: both as shares of unit.
	policy  []uint16
	classes []uint16
}

// unit stands for 1 in a quantised distribution. Training uses the quantised numbers too, so that a resumed run sees
// what the first one saw.
const unit = 65535

// quantise appends p, each entry in [0, 1], as shares of unit.
func quantise(dst []uint16, p []float32) []uint16 {
	for _, x := range p {
		dst = append(dst, uint16(min(max(x, 0), 1)*unit+0.5))
	}
	return dst
}

// normalise writes the quantised distribution q into dst so that it sums to 1.
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

// moves returns every move of the game from the start.
func (r *record) moves() []env.Action {
	all := slices.Clone(r.opening)
	for i := range r.plies {
		all = append(all, r.plies[i].action)
	}
	return all
}

// result is First's class as seen from ply i on: the exact class of the next proven root, where there is one (play
// after it may have thrown it away), otherwise how the game ended.
func (r *record) result(game *env.Game, movers []env.Player, i int) int {
	for j := i; j < len(r.plies); j++ {
		if c := r.plies[j].proven; c >= 0 {
			return game.ClassFor(movers[j], int(c))
		}
	}
	return r.outcome
}

// append writes the record in the form that readRecord reads.
func (r *record) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(r.opening)))
	for _, a := range r.opening {
		dst = binary.AppendUvarint(dst, uint64(a))
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.plies)))
	for i := range r.plies {
		p := &r.plies[i]
		teaches := byte(0)
		if p.teaches {
			teaches = 1
		}
		dst = binary.AppendUvarint(dst, uint64(p.action))
		dst = append(dst, teaches, byte(p.proven))
		for _, x := range p.policy {
			dst = binary.LittleEndian.AppendUint16(dst, x)
		}
		for _, x := range p.classes {
			dst = binary.LittleEndian.AppendUint16(dst, x)
		}
	}
	if !r.done {
		return append(dst, 0)
	}
	return append(dst, 1, byte(r.outcome), byte(r.goals[0]), byte(r.goals[1]))
}

// reader takes records apart; the first thing that does not fit sets err.
type reader struct {
	game *env.Game
	data []byte
	err  error
}

var errRecord = errors.New("record does not fit the game")

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", errRecord, fmt.Sprintf(format, args...))
	}
}

func (r *reader) bytes(n int) []byte {
	if r.err == nil && n > len(r.data) {
		r.fail("it ends too early")
	}
	if r.err != nil {
		return make([]byte, n)
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

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

func (r *reader) shares(n int) []uint16 {
	b := r.bytes(2 * n)
	s := make([]uint16, n)
	for i := range s {
		s[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return s
}

// move reads an action and plays it.
func (r *reader) move(replayer *env.Replayer) env.Action {
	a := env.Action(r.uvarint(r.game.NumActions() - 1))
	if r.err == nil {
		if err := replayer.Play(a); err != nil {
			r.fail("%v", err)
		}
	}
	return a
}

// record reads one record and checks it against the rules.
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
		flags := r.bytes(2)
		p.teaches, p.proven = flags[0] == 1, int8(flags[1])
		if p.proven < -1 || int(p.proven) >= len(r.game.Classes) {
			r.fail("proven class %d", p.proven)
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
		r.fail("its end is not the position's")
	}
	return rec
}

// marshalRecords writes a count and the records.
func marshalRecords(records []*record) []byte {
	data := binary.AppendUvarint(nil, uint64(len(records)))
	for _, r := range records {
		data = r.append(data)
	}
	return data
}

// unmarshalRecords reads what marshalRecords wrote; every game must be finished.
func unmarshalRecords(game *env.Game, data []byte) ([]*record, error) {
	r := &reader{game: game, data: data}
	records := make([]*record, 0, 64)
	for i := range r.uvarint(1 << 30) {
		rec := r.record()
		if r.err == nil && !rec.done {
			r.fail("it is not finished")
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
