package gates

import "math/bits"

// Lanes plays up to 64 games of a circuit at once, with any number of roles. Bit i of each word, and of a set of games,
// belongs to game i.
type Lanes struct {
	Circuit *Circuit
	Values  Values
	Legal   [][64][]int // Legal[r][g]: the legal moves of role r in game g, after FindLegal

	inputs []Ref    // move inputs that the last Apply set
	next   []uint64 // scratch of Apply: next values of the fluents
}

// NewLanes returns games in the position in which the given fluents are true.
func NewLanes(c *Circuit, on []bool) *Lanes {
	l := &Lanes{Circuit: c, Values: c.NewValues(), Legal: make([][64][]int, len(c.Program.Roles)), next: make([]uint64, len(c.Next))}
	l.Start(on)
	return l
}

// Start puts all games in the position in which the given fluents are true.
func (l *Lanes) Start(on []bool) {
	for i, on := range on {
		word := uint64(0)
		if on {
			word = ^word
		}
		l.Values.Set(l.Circuit.Fluent(i), word)
	}
}

// FindLegal lists the legal moves of each role in each game of a set; call [Circuit.Position] first.
func (l *Lanes) FindLegal(games uint64) {
	for role, moves := range l.Circuit.Legal {
		lists := &l.Legal[role]
		for game := range lists {
			lists[game] = lists[game][:0]
		}
		for m, r := range moves {
			for word := l.Values.Get(r) & games; word != 0; word &= word - 1 {
				game := bits.TrailingZeros64(word)
				lists[game] = append(lists[game], m)
			}
		}
	}
}

// Apply plays a ply in each game of a set: movesOf gives the move of each role. The other games keep their position.
func (l *Lanes) Apply(games uint64, movesOf func(game int) []int) {
	c, v := l.Circuit, l.Values
	for _, r := range l.inputs {
		v.Set(r, 0)
	}
	l.inputs = l.inputs[:0]
	for rest := games; rest != 0; rest &= rest - 1 {
		game := bits.TrailingZeros64(rest)
		for role, m := range movesOf(game) {
			r := c.Move(role, m)
			v.Set(r, v.Get(r)|1<<game)
			l.inputs = append(l.inputs, r)
		}
	}
	c.Moves(v)
	for i, r := range c.Next {
		l.next[i] = v.Get(r)&games | v.Get(c.Fluent(i))&^games // unchanged in other games
	}
	for i, word := range l.next {
		v.Set(c.Fluent(i), word)
	}
}
