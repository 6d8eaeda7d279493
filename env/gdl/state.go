package gdl

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"ludus/env"
	"ludus/env/gdl/network"
)

// state is a position; it implements env.State.
type state struct {
	game    *game
	on      []uint64 // set of the fluents that are true
	turn    int      // entry of turns
	plies   int
	legal   []env.Action
	outcome int
	goals   [2]int

	values network.Values // scratch: what holds in this position if fresh
	fresh  bool
	ends   network.Values // scratch of TerminalActions; nil until its first call
	next   []uint64       // scratch of Apply
}

func (g *game) newState() *state {
	s := &state{game: g, on: make([]uint64, len(g.init)), next: make([]uint64, len(g.init)), values: g.net.NewValues()}
	s.reset()
	return s
}

// reset goes back to the first position.
func (s *state) reset() {
	copy(s.on, s.game.init)
	s.plies = 0
	s.update()
}

// load computes what holds in the position.
func (s *state) load() {
	for i := range s.game.net.Next {
		s.values.Set(s.game.net.Fluent(i), -(s.on[i/64] >> (i % 64) & 1))
	}
	s.game.net.Position(s.values)
	s.fresh = true
}

// update sets all that follows from the fluents.
func (s *state) update() {
	g := s.game
	s.load()
	for k, i := range g.turns.fluents {
		if s.on[i/64]>>(i%64)&1 != 0 {
			s.turn = k
		}
	}
	s.legal, s.outcome, s.goals = s.legal[:0], env.Unfinished, [2]int{}
	over := s.values.Get(g.net.Terminal)&1 != 0
	if !over {
		for _, a := range g.actions[g.turns.mover[s.turn]] {
			if s.values.Get(a.legal)&1 != 0 {
				s.legal = append(s.legal, a.id)
			}
		}
	}
	switch {
	case over || len(s.legal) == 0: // trial refuses sheets without a legal move, if it finds such a position
		s.legal = s.legal[:0]
		s.goals = g.finalGoals(s.values, 0)
		s.outcome = g.class(s.goals)
	case g.limit > 0 && s.plies >= g.limit:
		s.legal = s.legal[:0]
		s.goals = goalsAtLimit
		s.outcome = g.class(s.goals)
	}
}

// finalGoals returns the goals of First and Second in one of the positions of v. If several hold, the least counts, and
// 0 if none does; if the goals must add up to 100, Second's follows from First's.
func (g *game) finalGoals(v network.Values, lane int) (goals [2]int) {
	for role, list := range g.net.Goals {
		for _, goal := range list {
			if v.Get(goal.Holds)>>lane&1 != 0 {
				goals[g.turns.playerOf(role)] = goal.Value
				break
			}
		}
	}
	if g.bySum {
		goals[1] = 100 - goals[0]
	}
	return goals
}

// check returns an error if the position shows that the sheet is broken.
func (s *state) check() error {
	g := s.game
	p := g.net.Program
	if s.values.Get(g.net.Terminal)&1 == 0 {
		if s.outcome != env.Unfinished && (g.limit == 0 || s.plies < g.limit) {
			return fmt.Errorf("%s has no legal move in a position that is not terminal: %s",
				p.Terms.Text(p.Roles[g.turns.mover[s.turn]]), s.text())
		}
		role := 1 - g.turns.mover[s.turn]
		if idle := g.turns.idle[s.turn]; idle < 0 || s.values.Get(g.net.Legal[role][idle])&1 == 0 {
			return fmt.Errorf("%s, who is not to move, has no legal move such as noop: %s", p.Terms.Text(p.Roles[role]), s.text())
		}
		return nil
	}
	for role, list := range g.net.Goals {
		count := 0
		for _, goal := range list {
			count += int(s.values.Get(goal.Holds) & 1)
		}
		if count != 1 {
			return fmt.Errorf("%s has %d goals in a terminal position: %s", p.Terms.Text(p.Roles[role]), count, s.text())
		}
	}
	if s.outcome < 0 {
		return errors.New("gdl: goals without a class")
	}
	return nil
}

// text lists the fluents of the position.
func (s *state) text() string {
	p := s.game.net.Program
	var list []string
	for i, f := range p.Fluents {
		if s.on[i/64]>>(i%64)&1 != 0 {
			list = append(list, p.Terms.Text(f))
		}
	}
	return strings.Join(list, " ")
}

func (s *state) Player() env.Player {
	return s.game.turns.playerOf(s.game.turns.mover[s.turn])
}

func (s *state) Done() bool                          { return s.outcome != env.Unfinished }
func (s *state) Legal(dst []env.Action) []env.Action { return append(dst, s.legal...) }
func (s *state) Outcome() int                        { return s.outcome }
func (s *state) Goals() [2]int                       { return s.goals }

func (s *state) RandomAction(r uint64) env.Action {
	i, _ := bits.Mul64(r, uint64(len(s.legal)))
	return s.legal[i]
}

// setMove sets or clears the moves of both players if the mover plays a.
func (s *state) setMove(a env.Action, word uint64) {
	g := s.game
	mover := g.turns.mover[s.turn]
	s.values.Set(g.net.Move(mover, g.move[mover][a]), word)
}

// setIdle sets or clears the move of the player who is not to move.
func (s *state) setIdle(word uint64) {
	g := s.game
	if idle := g.turns.idle[s.turn]; idle >= 0 {
		s.values.Set(g.net.Move(1-g.turns.mover[s.turn], idle), word)
	}
}

func (s *state) Apply(a env.Action) {
	g := s.game
	if !s.fresh {
		s.load()
	}
	s.setIdle(1)
	s.setMove(a, 1)
	g.net.Moves(s.values)
	clear(s.next)
	for i, r := range g.net.Next {
		s.next[i/64] |= s.values.Get(r) & 1 << (i % 64)
	}
	s.setMove(a, 0)
	s.setIdle(0)
	s.on, s.next = s.next, s.on
	s.plies++
	s.update()
}

// TerminalActions computes the positions after up to 64 moves at once.
func (s *state) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	g := s.game
	if s.ends == nil {
		s.ends = g.net.NewValues()
	}
	if !s.fresh {
		s.load()
	}
	s.setIdle(^uint64(0))
	for rest := s.legal; len(rest) > 0; {
		now := rest[:min(64, len(rest))]
		rest = rest[len(now):]
		for lane, a := range now {
			s.setMove(a, 1<<lane)
		}
		g.net.Moves(s.values)
		for i, r := range g.net.Next {
			s.ends.Set(g.net.Fluent(i), s.values.Get(r))
		}
		for _, a := range now {
			s.setMove(a, 0)
		}
		g.net.Position(s.ends)
		dst = s.appendEnds(dst, now)
	}
	s.setIdle(0)
	return dst
}

// appendEnds appends those of the moves after which the game is over; s.ends holds the positions after them.
func (s *state) appendEnds(dst []env.TerminalAction, moves []env.Action) []env.TerminalAction {
	g := s.game
	over := s.ends.Get(g.net.Terminal)
	var can uint64 // somebody can move
	if over != ^uint64(0) {
		can = s.canMove()
	}
	for lane, a := range moves {
		switch {
		case over>>lane&1 != 0 || can>>lane&1 == 0:
			dst = append(dst, env.TerminalAction{Action: a, Outcome: g.class(g.finalGoals(s.ends, lane))})
		case g.limit > 0 && s.plies+1 >= g.limit:
			dst = append(dst, env.TerminalAction{Action: a, Outcome: g.class(goalsAtLimit)})
		}
	}
	return dst
}

// canMove returns in which of the positions of s.ends the mover has a move.
func (s *state) canMove() (can uint64) {
	g := s.game
	for k, i := range g.turns.fluents {
		turn := s.ends.Get(g.net.Fluent(i)) &^ can
		if turn == 0 {
			continue
		}
		var some uint64
		for _, a := range g.actions[g.turns.mover[k]] {
			if some |= s.ends.Get(a.legal); some&turn == turn {
				break
			}
		}
		can |= turn & some
	}
	return can
}

func (s *state) CopyFrom(src env.State) {
	o := src.(*state)
	copy(s.on, o.on)
	s.turn, s.plies, s.outcome, s.goals = o.turn, o.plies, o.outcome, o.goals
	s.legal = append(s.legal[:0], o.legal...)
	s.fresh = false
}

func (s *state) Key() (k env.Key) {
	g := s.game
	if g.zobrist == nil {
		copy(k[:], s.on)
		if g.limit > 0 {
			k[7] = uint64(s.plies)
		}
		return k
	}
	for w, word := range s.on {
		for ; word != 0; word &= word - 1 {
			for i, x := range g.zobrist[64*w+bits.TrailingZeros64(word)] {
				k[i] += x
			}
		}
	}
	if g.limit > 0 {
		for i, x := range g.zobrist[len(g.net.Next)+s.plies] {
			k[i] += x
		}
	}
	return k
}

func (s *state) CanonicalKey() (env.Key, int) { return s.Key(), 0 }

func (s *state) Encode(dst []float32) {
	g := s.game
	clear(dst)
	for _, e := range g.constant {
		dst[e.index] = e.value
	}
	for w, word := range s.on {
		for ; word != 0; word &= word - 1 {
			for _, e := range g.entries[64*w+bits.TrailingZeros64(word)] {
				dst[e.index] = max(dst[e.index], e.value)
			}
		}
	}
	if g.limit > 0 {
		left := dst[len(dst)-g.env.Tensor.Cells():]
		for i := range left {
			left[i] = float32(g.limit-s.plies) / float32(g.limit)
		}
	}
}

func (s *state) Pieces(dst []uint8) []uint8 {
	start := len(dst)
	for range s.game.env.Tensor.Cells() {
		dst = append(dst, 0)
	}
	for w, word := range s.on {
		for ; word != 0; word &= word - 1 {
			if p := s.game.pieces[64*w+bits.TrailingZeros64(word)]; p.kind > 0 {
				dst[start+int(p.cell)] = p.kind
			}
		}
	}
	return dst
}

// WinningCells appends none: a sheet does not say which cells decide.
func (s *state) WinningCells(dst []int32) []int32 { return dst }

// Detail lists the fluents that the board does not show, up to a length.
func (s *state) Detail() string {
	p := s.game.net.Program
	var list []string
	for _, i := range s.game.details {
		if s.on[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if len(list) == maxDetails {
			list = append(list, "...")
			break
		}
		list = append(list, p.Terms.Text(p.Fluents[i]))
	}
	return strings.Join(list, " ")
}

const maxDetails = 12
