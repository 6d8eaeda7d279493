package gdl

import (
	"strings"
	"testing"
)

const (
	// A piece is placed, then turned, by the same player.
	placeTurn = `
(role x) (role o) (init (placing x)) (init (free 1)) (init (free 2)) (init (free 3))
(<= (legal ?p (place ?n)) (true (placing ?p)) (true (free ?n)))
(<= (legal ?p left) (true (turning ?p)))
(<= (legal ?p right) (true (turning ?p)))
(<= (legal ?p noop) (role ?p) (not (true (placing ?p))) (not (true (turning ?p))))
(<= (next (turning ?p)) (true (placing ?p)))
(<= (next (placing o)) (true (turning x)))
(<= (next (placing x)) (true (turning o)))
(<= (next (free ?n)) (true (free ?n)) (not (taken ?n)))
(<= (taken ?n) (does ?p (place ?n)))
(<= open (true (free ?n)))
(<= terminal (not open))
(<= (goal x 100) (true (turning x))) (<= (goal x 0) (not (true (turning x))))
(<= (goal o 0) (true (turning x))) (<= (goal o 100) (not (true (turning x))))
`
	// One player lifts a block, the other puts it down. No fluent is true if nothing is lifted.
	lift = `
(role lifter) (role parker) (init (on a)) (init (on b)) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal lifter (lift ?b)) (true (on ?b)) (not holding))
(<= (legal parker noop) (not holding))
(<= (legal lifter noop) holding)
(<= (legal parker put) holding)
(<= (legal parker drop) holding)
(<= holding (true (lifted ?b)))
(<= (next (lifted ?b)) (does lifter (lift ?b)))
(<= (next (on ?b)) (true (on ?b)) (not (does parker drop)))
(<= (next (on ?b)) (true (lifted ?b)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4)))
(<= (goal lifter 100) (true (on a))) (<= (goal lifter 0) (not (true (on a))))
(<= (goal parker 0) (true (on a))) (<= (goal parker 100) (not (true (on a))))
`
	// A player goes on until the last stone of the hand. That the turn is no one else's follows only from the hand's being
	// one number.
	stones = `
(role x) (role o) (init (control x)) (init (hand 3)) (init (left 4))
(minus 1 0) (minus 2 1) (minus 3 2) (minus 4 3) (opponent x o) (opponent o x)
(<= (legal ?p keep) (true (control ?p)))
(<= (legal ?p drop) (true (control ?p)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (hand ?m)) (true (hand ?n)) (minus ?n ?m) (distinct ?n 1))
(<= (next (hand 3)) (true (hand 1)))
(<= (next (control ?p)) (does ?p drop) (true (hand ?n)) (distinct ?n 1))
(<= (next (control ?p)) (does ?p drop) (true (hand 1)) (true (left 3)))
(<= (next (control ?q)) (does ?p drop) (true (hand 1)) (not (true (left 3))) (opponent ?p ?q))
(<= (next (control ?p)) (does ?p keep))
(<= (next (left ?n)) (true (left ?n)) (does ?p keep))
(<= (next (left ?m)) (true (left ?n)) (does ?p drop) (minus ?n ?m))
(<= terminal (true (left 0)))
(<= (goal ?p 100) (true (control ?p))) (<= (goal ?p 0) (role ?p) (not (true (control ?p))))
`
	// A player chooses the board to play on. Turns on both boards change together.
	boards = `
(role x) (role o) (init (control1 x)) (init (control2 x)) (init (free 1 a)) (init (free 2 a)) (init (free 1 b)) (init (free 2 b))
(<= (legal ?p (take 1 ?n)) (true (control1 ?p)) (true (free 1 ?n)))
(<= (legal ?p (take 2 ?n)) (true (control2 ?p)) (true (free 2 ?n)))
(<= (legal ?p noop) (role ?p) (not (true (control1 ?p))) (not (true (control2 ?p))))
(<= (next (control1 x)) (true (control1 o))) (<= (next (control1 o)) (true (control1 x)))
(<= (next (control2 x)) (true (control2 o))) (<= (next (control2 o)) (true (control2 x)))
(<= (next (free ?b ?n)) (true (free ?b ?n)) (not (taken ?b ?n)))
(<= (taken ?b ?n) (does ?p (take ?b ?n)))
(<= open (true (free ?b ?n)))
(<= terminal (not open))
(<= (goal x 100) (true (control1 x))) (<= (goal x 0) (not (true (control1 x))))
(<= (goal o 0) (true (control1 x))) (<= (goal o 100) (not (true (control1 x))))
`
)

// TestTurns proves that players take turns in sheets in which one group of fluents does not show it.
func TestTurns(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		entries int // of turns
	}{"two names": {placeTurn, 4}, "none": {lift, 3}, "groups": {stones, 3}, "pairs": {boards, 2}} {
		g, _, err := New(t.Context(), "turns", c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s := g.NewState().(*state)
		if n := len(s.game.turns.fluents); n != c.entries {
			t.Errorf("%s: %d entries, want %d", name, n, c.entries)
		}
		for i := uint64(0); !s.Done(); i += 1 << 62 {
			checkPosition(t, s)
			s.Apply(s.RandomAction(i))
		}
	}
}

// TestNoTurns refuses games in which both players may have a choice: with a position if random games find one.
func TestNoTurns(t *testing.T) {
	// Each clock shows a number; the players would both have a choice at numbers that the clocks never show at once.
	const clocks = `
(role a) (role b) (init (x 1)) (init (y 1)) (init (step 1)) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 1)
(<= (next (x ?n)) (true (x ?m)) (after ?m ?n))
(<= (next (y ?n)) (true (y ?m)) (after ?m ?n))
(<= (legal a go) (true (x ?n)))
(<= (legal a stay) (true (x 1)))
(<= (legal b go) (true (y ?n)))
(<= (legal b stay) (true (y 2)))
(<= (next (done)) (does a stay) (true (x 1)))
(<= (next (done)) (does b stay) (true (x 2)))
(<= terminal (true (done)))
(<= (goal a 100) (true (x 1))) (<= (goal a 0) (not (true (x 1))))
(<= (goal b 0) (true (x 1))) (<= (goal b 100) (not (true (x 1))))
`
	for text, want := range map[string]string{
		clocks: "it is not shown that players take turns: ",
		strings.ReplaceAll(clocks, "(y 2)", "(y 1)"): "a and b both have a choice, in the position (x 1) (y 1) (step 1)",
	} {
		if _, _, err := New(t.Context(), "turns", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
