package train

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"unicode"

	"ludus/checkpoints"
	"ludus/env"
)

// Batch is finished games that a player publishes together. A game's id is its process and its number: First, First+1
// and so on. A process numbers its games from 0 and never uses a number for two games.
type Batch struct {
	Run        string `json:"run"`        // see Network.Run
	Process    string `json:"process"`    // id of the playing process; secret, because whoever knows it can send in its name
	First      int    `json:"first"`      // number of the first game
	Generation int    `json:"generation"` // of the network that finished the games; the newest, if they have several
	Threads    int    `json:"threads"`    // that the process plays on

	games []*record
	body  uint64 // hash of the games as they were received
}

// Games returns the number of games.
func (b *Batch) Games() int { return len(b.games) }

// Positions returns the number of searched positions.
func (b *Batch) Positions() int { return positionsOf(b.games) }

// Append adds the games of o, which must come from the same process and run.
func (b *Batch) Append(o *Batch) {
	b.games, b.Generation = append(b.games, o.games...), max(b.Generation, o.Generation)
}

// Take removes as many games from the start of b as fit into a message, at least one, and returns them.
func (b *Batch) Take() *Batch {
	n, size := 0, 0
	var scratch []byte
	for n < len(b.games) && size <= maxTaken {
		scratch = b.games[n].append(scratch[:0])
		if size += len(scratch); n == 0 || size <= maxTaken {
			n++
		}
	}
	return b.split(n)
}

// split removes the first n games from b and returns them.
func (b *Batch) split(n int) *Batch {
	first := *b
	first.games = b.games[:n:n]
	b.games, b.First = b.games[n:], b.First+n
	return &first
}

// PlayVersion is the version of what workers do: how they play and rescore games, and how messages are written. Worker and
// learner must have the same. TestPlayVersion says when to increase it.
const PlayVersion = 2

// A message with a batch is sealed, with PlayVersion: a line of JSON, then records as in a file of games.
const batchKind = "ludus-batch"

// Limits of a message. A NATS server accepts 1 MiB by default.
const (
	MaxMessage      = 1 << 20  // bytes, compressed
	maxTaken        = 64 << 10 // bytes of games in one message, plain; only a single game may have more
	maxBatchPayload = 8 << 20  // bytes, plain
	maxBatchHeader  = 256      // bytes
	maxNumber       = 1 << 30  // of games of a process
)

// ErrBatch means that a message is not a batch of valid games of the run. Errors of ReadBatch wrap it.
var ErrBatch = errors.New("not a batch of the run's games")

// Marshal encodes the batch as a message.
func (b *Batch) Marshal() []byte {
	header, err := json.Marshal(b)
	if err != nil {
		panic("train: " + err.Error()) // a batch always marshals
	}
	payload := append(binary.AppendUvarint(nil, uint64(len(header))), header...)
	return checkpoints.Seal(batchKind, PlayVersion, append(payload, marshalRecords(b.games)...))
}

// ReadBatch decodes a message and checks everything that can be checked: it must be for the run,
// every game must follow the rules to its end, and its search results must be distributions.
func ReadBatch(game *env.Game, run string, data []byte) (*Batch, error) {
	if len(data) > MaxMessage {
		return nil, fmt.Errorf("%w: %d bytes, more than %d", ErrBatch, len(data), MaxMessage)
	}
	payload, err := checkpoints.UnsealAtMost(batchKind, PlayVersion, data, maxBatchPayload)
	if errors.Is(err, checkpoints.ErrVersion) {
		return nil, fmt.Errorf("%w: its worker is of another version: use the same build: %w", ErrBatch, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBatch, err)
	}
	b, rest, err := readBatchHeader(payload)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBatch, err)
	}
	if b.Run != run {
		return nil, fmt.Errorf("%w: it belongs to run %.16s, this is run %s", ErrBatch, b.Run, run)
	}
	games, err := unmarshalRecords(game, rest)
	if err == nil && len(games) == 0 {
		err = errors.New("it has no games")
	}
	for i := 0; i < len(games) && err == nil; i++ {
		if err = games[i].checkSearch(); err != nil {
			err = fmt.Errorf("game %d: %w", i, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBatch, err)
	}
	b.games, b.body = games, maphash.Bytes(bodySeed, rest)
	return b, nil
}

// bodySeed is random, so that nobody can make two different messages with one hash.
var bodySeed = maphash.MakeSeed()

// readBatchHeader reads the header of a batch and returns the rest of the payload.
func readBatchHeader(payload []byte) (*Batch, []byte, error) {
	size, n := binary.Uvarint(payload)
	if n <= 0 || size > maxBatchHeader || size > uint64(len(payload)-n) {
		return nil, nil, errors.New("its header is too long")
	}
	b := new(Batch)
	if err := json.Unmarshal(payload[n:n+int(size)], b); err != nil {
		return nil, nil, err
	}
	odd := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) }
	if b.Process == "" || strings.ContainsFunc(b.Process+b.Run, odd) {
		return nil, nil, errors.New("its names must be printable ASCII")
	}
	if min(b.First, b.Generation, b.Threads) < 0 || max(b.First, b.Generation, b.Threads) > maxNumber {
		return nil, nil, errors.New("its numbers are out of range")
	}
	return b, payload[n+int(size):], nil
}

// checkSearch returns an error if the search's results in a finished game cannot be those of a search: distributions
// must sum to 1. Rescoring may have removed moves from a policy target.
func (r *record) checkSearch() error {
	if len(r.plies) == 0 {
		return errors.New("no position was searched")
	}
	for i := range r.plies {
		p := &r.plies[i]
		policy, classes := sum(p.policy), sum(p.classes)
		if policy > unit+len(p.policy) || policy == 0 && p.trainPolicy {
			return fmt.Errorf("ply %d: the policy target sums to %.3f", i, float64(policy)/unit)
		}
		if abs := max(classes-unit, unit-classes); abs > len(p.classes) {
			return fmt.Errorf("ply %d: the class distribution sums to %.3f", i, float64(classes)/unit)
		}
	}
	return nil
}

// sum returns the sum of a quantised distribution.
func sum(q []uint16) int {
	total := 0
	for _, x := range q {
		total += int(x)
	}
	return total
}
