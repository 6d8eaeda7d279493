package ggp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ludus/env/gdl/kif"
)

// message is a parsed message from a match server.
type message struct {
	kind  string // info, preview, start, play, stop or abort
	match string // match id; "" for info and preview

	// Fields of start messages.
	role                  string
	rules                 []kif.Rule
	words                 *kif.Case
	startClock, playClock time.Duration

	// moves holds the last move of each role in play and stop messages, in the order of the roles; nil at the start, where
	// servers write NIL or ().
	moves []kif.Node
}

// lengths holds the least number of words and lists of each message; only START's may be longer.
var lengths = map[string]int{"info": 1, "preview": 3, "start": 6, "play": 3, "stop": 3, "abort": 2}

// parse parses a message.
func parse(text string) (*message, error) {
	nodes, err := kif.Read(text)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 1 && nodes[0].IsList() {
		nodes = nodes[0].List
	}
	if len(nodes) == 0 || nodes[0].IsList() {
		return nil, fmt.Errorf("a message is a list such as (INFO)")
	}
	m := &message{kind: strings.ToLower(nodes[0].Atom)}
	least, known := lengths[m.kind]
	switch {
	case !known:
		return nil, fmt.Errorf("unknown message %.40q; it must be INFO, PREVIEW, START, PLAY, STOP or ABORT", m.kind)
	case len(nodes) < least || len(nodes) > least && m.kind != "start":
		return nil, fmt.Errorf("%s with %d arguments; it takes %d", strings.ToUpper(m.kind), len(nodes)-1, least-1)
	case least == 1 || m.kind == "preview":
		return m, nil
	case nodes[1].IsList():
		return nil, kif.Errorf(nodes[1].Pos, "a list stands where the name of a match must stand")
	}
	m.match = nodes[1].Atom
	switch m.kind {
	case "start":
		err = m.readStart(nodes)
	case "play", "stop":
		m.moves = nodes[2].List
		for _, n := range m.moves {
			if _, err := kif.NewTerm(n); err != nil {
				return nil, err
			}
		}
	}
	return m, err
}

// readStart parses (START MATCH ROLE (RULE...) STARTCLOCK PLAYCLOCK ...).
func (m *message) readStart(nodes []kif.Node) (err error) {
	if nodes[2].IsList() {
		return kif.Errorf(nodes[2].Pos, "a list stands where a role must stand")
	}
	if !nodes[3].IsList() {
		return kif.Errorf(nodes[3].Pos, "the rules must be a list")
	}
	m.words = kif.CaseOf(nodes[3].List)
	m.role = m.words.Fold(nodes[2]).Atom
	if m.rules, err = kif.Rules(nodes[3].List); err != nil {
		return err
	}
	for i, clock := range []*time.Duration{&m.startClock, &m.playClock} {
		n := nodes[4+i]
		seconds, err := strconv.Atoi(n.Atom)
		if err != nil || seconds < 0 || seconds > maxClock {
			return kif.Errorf(n.Pos, "a clock is a number of seconds from 0 to %d, not %.40q", maxClock, n.String())
		}
		*clock = time.Duration(seconds) * time.Second
	}
	return nil
}

// maxClock is the longest accepted clock in seconds.
const maxClock = 1_000_000
