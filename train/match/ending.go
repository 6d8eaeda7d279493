package match

import (
	"fmt"
	"strings"
	"unicode"

	"ludus/train/agent"
)

// ending is how a game ended before a terminal position. It is zero if the game did not.
type ending struct {
	agent.Fault
	side int // whose agent ended it: 0 for A, 1 for B
}

// endings lists the ways in which a game can end before a terminal position.
var endings = []agent.FaultKind{
	agent.Died, agent.Overstepped, agent.Flooded, agent.Illegal, agent.Refused, agent.NoStart, agent.Lost, agent.Resigned,
}

// early reports whether the game ended before a terminal position.
func (e *ending) early() bool { return e.Kind != "" }

// Side tells about a side's agent what its results do not.
type Side struct {
	// SecondsPerMove is the mean time of a move. It is measured in matches that play one game at a time per thread:
	// those with outside programs, clocks or agents with a time limit.
	SecondsPerMove float64    `json:"seconds_per_move,omitzero"`
	Forfeits       FaultCount `json:"forfeits,omitempty"` // games lost by a fault
	// Void counts games that do not count because of the agent. Records do not hold them: a match that continues plays
	// them.
	Void      FaultCount `json:"void,omitempty"`
	Resigned  int        `json:"resigned,omitzero"`
	Restarts  int        `json:"restarts,omitzero"`   // times that a program died and was started again in a game
	LastFault string     `json:"last_fault,omitzero"` // details of the fault in the game with the highest number, in one line
}

// FaultCount counts games by the fault that ended them; faults that did not occur are left out.
type FaultCount map[agent.FaultKind]int

// Total is the number of games.
func (f FaultCount) Total() (n int) {
	for _, count := range f {
		n += count
	}
	return n
}

// text lists the faults, such as "2 died, 1 refused a legal move". With a single kind there is no number.
func (f FaultCount) text() string {
	var parts []string
	for _, kind := range endings {
		switch n := f[kind]; n {
		case 0:
		case f.Total():
			return kind.Phrase()
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, kind.Phrase()))
		}
	}
	return strings.Join(parts, ", ")
}

// Text says in one line what happened to the agent, apart from its time; "" if nothing did.
func (s *Side) Text() string {
	var parts []string
	games := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	if n := s.Forfeits.Total(); n > 0 {
		noun := "games"
		if n == 1 {
			noun = "game"
		}
		games(n, fmt.Sprintf("%s forfeited (%s)", noun, s.Forfeits.text()))
	}
	games(s.Void.Total(), fmt.Sprintf("void (%s)", s.Void.text()))
	if s.Restarts == 1 {
		games(1, "restart")
	} else {
		games(s.Restarts, "restarts")
	}
	games(s.Resigned, "resigned")
	text := strings.Join(parts, ", ")
	if s.LastFault != "" {
		text += "; last fault: " + s.LastFault
	}
	return text
}

// add counts a game of the side, 0 for A and 1 for B. SecondsPerMove is a sum until the end.
func (s *Side) add(side int, g *finishedGame) {
	if !g.ending.Void() {
		s.SecondsPerMove += g.seconds[side]
	}
	s.Restarts += g.restarts[side]
	if !g.ending.early() || g.ending.side != side {
		return
	}
	counted := &s.Forfeits
	switch {
	case g.ending.Kind == agent.Resigned:
		s.Resigned++
		return
	case g.ending.Void():
		counted = &s.Void
	}
	if *counted == nil {
		*counted = make(FaultCount)
	}
	(*counted)[g.ending.Kind]++
	s.LastFault = oneLine(g.ending.Detail)
}

// oneLine returns the printable characters of a text, 200 at most, with blanks for others.
func oneLine(text string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text))
	return strings.TrimSpace(string(runes[:min(len(runes), 200)]))
}
