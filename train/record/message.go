package record

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ludus/checkpoints"
	"ludus/env"
)

// Message is finished games that a worker sends together. A game's id is its process and its number: First, First+1
// and so on. A process numbers its games from 0 and never uses a number for two games.
type Message struct {
	Run        string `json:"run"`        // id of the training run
	Process    string `json:"process"`    // id of the worker's process; secret, because whoever knows it can send in its name
	First      int    `json:"first"`      // number of the first game, counted by the process
	Generation int    `json:"generation"` // generation of the network that finished the games; the newest if there are several
	Threads    int    `json:"threads"`    // number of threads of the process

	Records []*Record `json:"-"`
}

// Delivery is a message as it arrives. Nothing in it has been checked.
type Delivery struct {
	Sender string // the worker's name for itself, of at most 40 letters, digits, dashes and underscores
	Data   []byte // input of [ReadMessage]
	// Acknowledge confirms that the games are durable in the run directory, or will never be used. A message without
	// confirmation is delivered again.
	Acknowledge func()
}

// Games returns the number of games.
func (m *Message) Games() int { return len(m.Records) }

// Positions returns the number of searched positions.
func (m *Message) Positions() int { return Count(m.Records) }

// Append adds the games of message o, which comes from the same process and run.
func (m *Message) Append(o *Message) {
	m.Records, m.Generation = append(m.Records, o.Records...), max(m.Generation, o.Generation)
}

// Take removes games from the start of m, as many as fit into one message and at least one, and returns them.
func (m *Message) Take() *Message {
	n, size := 0, 0
	var scratch []byte
	for n < len(m.Records) && size <= MaxTaken {
		scratch = m.Records[n].Append(scratch[:0])
		size += len(scratch)
		if n == 0 || size <= MaxTaken { // a game that exceeds the limit stays in m, unless it is the first
			n++
		}
	}
	return m.Split(n)
}

// Split removes the first n games from m and returns them.
func (m *Message) Split(n int) *Message {
	first := *m
	first.Records = m.Records[:n:n]
	m.Records, m.First = m.Records[n:], m.First+n
	return &first
}

// PlayVersion is the version of the workers' behaviour: how they play and rescore games, and how they encode messages.
// Worker and training must have the same. TestPlayVersion in package selfplay says when to increase it.
const PlayVersion = 3

// Kind of the sealed data. A message is sealed with PlayVersion: a line of JSON, then records as in a file of games.
const messageKind = "ludus-batch"

// Limits of a message. A NATS server accepts 1 MiB by default.
const (
	MaxMessage = 1 << 20  // compressed size in bytes
	MaxTaken   = 64 << 10 // uncompressed bytes of games per message; only a single game may have more
	maxPayload = 8 << 20  // uncompressed bytes
	maxHeader  = 256      // bytes of the JSON header
	maxNumber  = 1 << 30  // largest number of a process's games
)

// ErrMessage means that data are not a message of valid games of the run. Errors of [ReadMessage] wrap it.
var ErrMessage = errors.New("not a message with games of the run")

// Marshal encodes the message.
func (m *Message) Marshal() []byte {
	header, err := json.Marshal(m)
	if err != nil {
		panic("record: " + err.Error()) // cannot happen: a message always marshals
	}
	payload := append(binary.AppendUvarint(nil, uint64(len(header))), header...)
	return checkpoints.Seal(messageKind, PlayVersion, append(payload, marshal(m.Records)...))
}

// ReadMessage decodes a message and checks everything that can be checked: it must be for the run, every game must be
// one of games, which differ in the sides of their boards, and follow the rules to its end, and its search results must
// be distributions.
func ReadMessage(games []*env.Game, run string, data []byte) (*Message, error) {
	m, err := readMessage(games, run, data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return m, nil
}

// readMessage is ReadMessage without the prefix of its errors.
func readMessage(games []*env.Game, run string, data []byte) (*Message, error) {
	if len(data) > MaxMessage {
		return nil, fmt.Errorf("%d bytes, more than %d", len(data), MaxMessage)
	}
	payload, err := checkpoints.UnsealAtMost(messageKind, PlayVersion, data, maxPayload)
	if errors.Is(err, checkpoints.ErrVersion) {
		return nil, fmt.Errorf("its worker is of another version: use the same build: %w", err)
	}
	if err != nil {
		return nil, err
	}
	m, rest, err := readHeader(payload)
	if err != nil {
		return nil, err
	}
	if m.Run != run {
		return nil, fmt.Errorf("it belongs to run %.16s, this is run %s", m.Run, run)
	}
	find := func(side int) (*env.Game, error) {
		i := slices.IndexFunc(games, func(g *env.Game) bool { return g.Tensor.W == side })
		if i < 0 {
			return nil, fmt.Errorf("the run has no board with sides of %d", side)
		}
		return games[i], nil
	}
	if m.Records, err = unmarshal(find, rest); err != nil {
		return nil, err
	}
	if len(m.Records) == 0 {
		return nil, errors.New("it has no games")
	}
	for i, r := range m.Records {
		err := r.CheckSearch()
		if r.Adjudicated {
			err = errors.New("the rules have not ended it")
		}
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", i, err)
		}
	}
	return m, nil
}

// readHeader reads the header of a message and returns the rest of the payload.
func readHeader(payload []byte) (*Message, []byte, error) {
	size, n := binary.Uvarint(payload)
	if n <= 0 || size > maxHeader || size > uint64(len(payload)-n) {
		return nil, nil, errors.New("its header is too long")
	}
	m := new(Message)
	if err := json.Unmarshal(payload[n:n+int(size)], m); err != nil {
		return nil, nil, err
	}
	odd := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) }
	if m.Process == "" || strings.ContainsFunc(m.Process+m.Run, odd) {
		return nil, nil, errors.New("its names must be printable ASCII")
	}
	if min(m.First, m.Generation, m.Threads) < 0 || max(m.First, m.Generation, m.Threads) > maxNumber {
		return nil, nil, errors.New("its numbers are out of range")
	}
	return m, payload[n+int(size):], nil
}
