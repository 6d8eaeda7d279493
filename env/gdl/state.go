package gdl

import (
	"math/bits"
	"slices"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
)

// state is a position of a sheet's game; it implements [env.State].
type state struct {
	game     *game
	position *gates.Position
	turn     int // whose turn it is, as an index into turns.fluents
	plies    int
	moves    int // number of legal moves; 0 once the game is over
	outcome  int
	goals    [2]int

	list []int32      // scratch of TerminalActions: the legal moves
	ends gates.Values // scratch of TerminalActions: positions after moves; nil until its first call
}

func (g *game) newState() *state {
	s := &state{game: g, position: g.start.Clone()}
	s.update()
	return s
}

// update computes the fields that follow from the position and the number of plies.
func (s *state) update() {
	g := s.game
	s.turn = g.turns.at(s.position.On())
	s.moves = 0
	over := s.position.Terminal(s.mode())
	if !over {
		for _, word := range s.legal() {
			s.moves += bits.OnesCount64(word)
		}
	}
	switch {
	case over || s.moves == 0: // New refuses sheets in whose random games a player has no move
		for role := range g.circuit.Goals {
			s.goals[g.turns.playerOf(role)] = s.position.Goal(role)
		}
		g.classes.complete(&s.goals, s.Player())
		s.outcome = g.classes.of(s.goals)
	case g.limit > 0 && s.plies >= g.limit:
		s.moves = 0
		s.goals = goalsAtLimit
		s.outcome = g.classes.of(s.goals)
	default:
		s.goals = [2]int{}
		s.outcome = env.Unfinished
	}
}

// mode returns the circuit's mode for the turn, see gates.Mode.
func (s *state) mode() int { return s.game.turns.modes[s.turn] }

// legal returns the mover's legal moves as a bit set of indices into s.actions(). It is undefined once the game is
// over.
func (s *state) legal() []uint64 { return s.position.Legal(s.mode()) }

// actions lists all moves that the mover's role may make as the mover, legal now or not; legal returns indices into it.
func (s *state) actions() []action { return s.game.policy.actions[s.game.turns.mover[s.turn]] }

func (s *state) Player() env.Player {
	return s.game.turns.playerOf(s.game.turns.mover[s.turn])
}

func (s *state) Done() bool    { return s.outcome != env.Unfinished }
func (s *state) Outcome() int  { return s.outcome }
func (s *state) Goals() [2]int { return s.goals }

func (s *state) Legal(dst []env.Action) []env.Action {
	if s.Done() {
		return dst
	}
	actions := s.actions()
	for i, word := range s.legal() {
		for ; word != 0; word &= word - 1 {
			dst = append(dst, actions[64*i+bits.TrailingZeros64(word)].id)
		}
	}
	return dst
}

// RandomAction finds the word of the bit set with the nth legal move, then the bit.
func (s *state) RandomAction(r uint64) env.Action {
	nth, _ := bits.Mul64(r, uint64(s.moves))
	k := int(nth)
	set := s.legal()
	i := 0
	for ; k >= bits.OnesCount64(set[i]); i++ {
		k -= bits.OnesCount64(set[i])
	}
	return s.actions()[64*i+nthBit(set[i], k)].id
}

// nthBit returns the position of set bit k of a word, counted from the lowest, 0.
func nthBit(word uint64, k int) int {
	for ; k > 0; k-- {
		word &= word - 1
	}
	return bits.TrailingZeros64(word)
}

// Apply turns the action into an index of the mover's moves, see policy.entry, and plays it.
func (s *state) Apply(a env.Action) {
	g := s.game
	s.position.Apply(s.mode(), g.policy.entry[g.turns.mover[s.turn]][a])
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
		s.ends = g.circuit.NewValues()
	}
	s.list = s.list[:0]
	for i, word := range s.legal() {
		for ; word != 0; word &= word - 1 {
			s.list = append(s.list, int32(64*i+bits.TrailingZeros64(word)))
		}
	}
	for rest := s.list; len(rest) > 0; {
		now := rest[:min(64, len(rest))]
		rest = rest[len(now):]
		s.position.After(s.mode(), now, s.ends)
		g.circuit.Position(s.ends)
		dst = s.appendEnds(dst, now)
	}
	return dst
}

// appendEnds appends those of the moves that end the game. Position i of s.ends is the one after moves[i].
func (s *state) appendEnds(dst []env.TerminalAction, moves []int32) []env.TerminalAction {
	g := s.game
	all := ^uint64(0) >> (64 - len(moves)) // the set of these positions
	over := s.ends.Get(g.circuit.Terminal) & all
	if over != all {
		over |= all &^ g.canMove(s.ends) // without a legal move the game is over, too
	}
	if over != 0 {
		g.circuit.FinalGoals(s.ends)
	}
	actions := s.actions()
	for i, k := range moves {
		switch {
		case over>>i&1 != 0:
			dst = append(dst, env.TerminalAction{Action: actions[k].id, Outcome: g.classes.of(g.finalGoals(s.ends, i))})
		case g.limit > 0 && s.plies+1 >= g.limit:
			dst = append(dst, env.TerminalAction{Action: actions[k].id, Outcome: g.classes.of(goalsAtLimit)})
		}
	}
	return dst
}

// finalGoals returns the goals of First and Second in position i of v: for each role the least goal that holds, or 0.
// If the game's goals add up to 100, the mover's goal then decides the opponent's, as in update.
func (g *game) finalGoals(v gates.Values, i int) (goals [2]int) {
	for role, list := range g.circuit.Goals {
		for _, goal := range list {
			if v.Get(goal.Holds)>>i&1 != 0 {
				goals[g.turns.playerOf(role)] = goal.Value
				break
			}
		}
	}
	if g.classes.bySum {
		for k := range g.turns.fluents { // the mover is the role whose control fluent is true
			if g.turns.where(g.circuit, v, k)>>i&1 != 0 {
				g.classes.complete(&goals, g.turns.playerOf(g.turns.mover[k]))
				break
			}
		}
	}
	return goals
}

// canMove returns the set of those of the 64 positions of v in which the mover has a legal move.
func (g *game) canMove(v gates.Values) (can uint64) {
	for k := range g.turns.fluents {
		turn := g.turns.where(g.circuit, v, k) &^ can // where it is this turn and no move is found yet
		if turn == 0 {
			continue
		}
		var some uint64
		for _, a := range g.policy.actions[g.turns.mover[k]] {
			some |= v.Get(a.legal)
			if some&turn == turn {
				break
			}
		}
		can |= turn & some
	}
	return can
}

func (s *state) CopyFrom(src env.State) {
	o := src.(*state)
	s.position.CopyFrom(o.position)
	s.turn, s.plies, s.moves, s.outcome, s.goals = o.turn, o.plies, o.moves, o.outcome, o.goals
}

func (s *state) Key() env.Key { return s.game.keys.key(s.position.On(), s.plies, 0) }

func (s *state) CanonicalKey() (env.Key, int) {
	keys := &s.game.keys
	least, symmetry := s.Key(), 0
	for i := 1; i < len(keys.images); i++ {
		if k := keys.key(s.position.On(), s.plies, i); slices.Compare(k[:], least[:]) < 0 {
			least, symmetry = k, i
		}
	}
	return least, symmetry
}

// Encode fills the planes of fluents, then, with a cap of plies, the last plane: the share of plies left.
func (s *state) Encode(dst []float32) {
	g := s.game
	g.tensor.encode(dst, s.position.On(), s.Player())
	if g.limit > 0 {
		left := dst[len(dst)-g.env.Tensor.Cells():]
		for i := range left {
			left[i] = float32(g.limit-s.plies) / float32(g.limit)
		}
	}
}

func (s *state) Pieces(dst []uint8) []uint8 {
	start := len(dst)
	dst = s.game.appendBoard(dst)
	for w, word := range s.position.On() {
		for ; word != 0; word &= word - 1 {
			s.game.draw(dst[start:], 64*w+bits.TrailingZeros64(word))
		}
	}
	return dst
}

// WinningCells appends nothing: a sheet does not say which cells decide a game.
func (s *state) WinningCells(dst []int32) []int32 { return dst }

// Detail lists up to maxDetails true fluents that the board does not show.
func (s *state) Detail() string {
	p := s.game.circuit.Program
	var list []string
	on := s.position.On()
	for _, i := range s.game.drawing.details {
		if on[i/64]>>(i%64)&1 == 0 {
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
