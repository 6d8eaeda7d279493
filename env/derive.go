package env

import (
	"math/bits"
	"slices"
)

// Rules are the methods that a game must implement, on a pointer to its position S; [State] documents each. [Derive]
// copies positions by assignment, so S must hold no slice, map or pointer to anything that a move changes.
type Rules[S any] interface {
	*S
	Player() Player
	Outcome() int
	Legal(dst []Action) []Action // called only before the end
	Apply(a Action)
	Key() Key
	Encode(dst []float32)
	Pieces(dst []uint8) []uint8
}

// Derive sets g.NewState to a function that returns a [State] at position start. It implements State on top of the
// Rules methods of *S: slower than a hand-written State, but free of allocations once warm.
//
// Optional methods of *S that it uses instead of its own: RandomAction, TerminalActions, CanonicalKey, Goals (needed by
// games with a GoalHead), WinningCells, Detail. A game in which every nanosecond counts implements State itself.
func Derive[S any, R Rules[S]](g *Game, start S) {
	g.NewState = func() State {
		d := &derived[S, R]{game: g, start: start, position: start}
		d.rules = &d.position
		return d
	}
}

// derived implements State on top of Rules; see Derive.
type derived[S any, R Rules[S]] struct {
	game     *Game
	start    S
	position S
	rules    R              // points to position
	moves    []Action       // from start to position
	legal    []Action       // scratch of RandomAction and TerminalActions
	other    *derived[S, R] // returned by scratch; nil until its first call
}

func (d *derived[S, R]) Player() Player             { return d.rules.Player() }
func (d *derived[S, R]) Done() bool                 { return d.rules.Outcome() != Unfinished }
func (d *derived[S, R]) Outcome() int               { return d.rules.Outcome() }
func (d *derived[S, R]) Key() Key                   { return d.rules.Key() }
func (d *derived[S, R]) Encode(dst []float32)       { d.rules.Encode(dst) }
func (d *derived[S, R]) Pieces(dst []uint8) []uint8 { return d.rules.Pieces(dst) }

func (d *derived[S, R]) Legal(dst []Action) []Action {
	if d.Done() {
		return dst
	}
	return d.rules.Legal(dst)
}

func (d *derived[S, R]) Apply(a Action) {
	d.rules.Apply(a)
	d.moves = append(d.moves, a)
}

func (d *derived[S, R]) CopyFrom(src State) {
	s := src.(*derived[S, R])
	d.position = s.position
	d.moves = append(d.moves[:0], s.moves...)
}

// Goals returns those of S if it has that method, otherwise the goals of the outcome's class.
func (d *derived[S, R]) Goals() [2]int {
	if own, ok := any(d.rules).(interface{ Goals() [2]int }); ok {
		return own.Goals()
	}
	return GoalsOf(d.game.Classes, d.Outcome())
}

// RandomAction uses the method of S if there is one; otherwise it takes legal action floor(r n / 2^64).
func (d *derived[S, R]) RandomAction(r uint64) Action {
	if own, ok := any(d.rules).(interface{ RandomAction(r uint64) Action }); ok {
		return own.RandomAction(r)
	}
	d.legal = d.rules.Legal(d.legal[:0])
	i, _ := bits.Mul64(r, uint64(len(d.legal)))
	return d.legal[i]
}

// TerminalActions uses the method of S if there is one; otherwise it plays every legal action on a copy and appends those
// that end the game.
func (d *derived[S, R]) TerminalActions(dst []TerminalAction) []TerminalAction {
	if own, ok := any(d.rules).(interface {
		TerminalActions(dst []TerminalAction) []TerminalAction
	}); ok {
		return own.TerminalActions(dst)
	}
	d.legal = d.Legal(d.legal[:0])
	next := d.scratch()
	for _, a := range d.legal {
		next.position = d.position
		next.rules.Apply(a)
		if next.Done() {
			dst = append(dst, TerminalAction{a, next.Outcome()})
		}
	}
	return dst
}

// CanonicalKey uses the method of S if there is one; otherwise it plays the game again under every symmetry and returns the
// least key.
func (d *derived[S, R]) CanonicalKey() (Key, int) {
	if own, ok := any(d.rules).(interface{ CanonicalKey() (Key, int) }); ok {
		return own.CanonicalKey()
	}
	least, symmetry := d.Key(), 0
	image := d.scratch()
	for i := 1; i < len(d.game.Symmetries); i++ {
		image.position = d.start
		for _, a := range d.moves {
			image.rules.Apply(d.game.Symmetries[i].Actions[a])
		}
		if key := image.Key(); slices.Compare(key[:], least[:]) < 0 {
			least, symmetry = key, i
		}
	}
	return least, symmetry
}

func (d *derived[S, R]) WinningCells(dst []int32) []int32 {
	if own, ok := any(d.rules).(interface{ WinningCells(dst []int32) []int32 }); ok {
		return own.WinningCells(dst)
	}
	return dst
}

func (d *derived[S, R]) Detail() string {
	if own, ok := any(d.rules).(interface{ Detail() string }); ok {
		return own.Detail()
	}
	return ""
}

// scratch returns a second position, for the caller to overwrite. It is the same one at every call.
func (d *derived[S, R]) scratch() *derived[S, R] {
	if d.other == nil {
		d.other = d.game.NewState().(*derived[S, R])
	}
	return d.other
}
