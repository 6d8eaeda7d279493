package gates

import "math/bits"

// Lanes plays up to 64 games of a circuit at once, with any number of roles. Bit i of each word, and of a set of games,
// belongs to game i.
type Lanes struct {
	Circuit *Circuit
	Values  Values
	Legal   [][64][]int32 // Legal[r][g]: the legal moves of role r in game g, after FindLegal

	inputs []Ref    // scratch of Apply: move inputs that are true
	next   []uint64 // scratch of Apply: next values of the fluents
}

// NewLanes returns games in their first position.
func NewLanes(c *Circuit) *Lanes {
	l := &Lanes{Circuit: c, Values: c.NewValues(), Legal: make([][64][]int32, len(c.Program.Roles)), next: make([]uint64, len(c.Next))}
	for i, on := range c.Program.Starts() {
		if on {
			l.Values.Set(c.Fluent(i), ^uint64(0))
		}
	}
	return l
}

// Start puts all games in the position of game 0 of others of the same circuit.
func (l *Lanes) Start(from *Lanes) {
	for i := range l.Circuit.Next {
		f := l.Circuit.Fluent(i)
		l.Values.Set(f, -(from.Values.Get(f) & 1)) // all ones if the fluent is true
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
				lists[game] = append(lists[game], int32(m))
			}
		}
	}
}

// Apply plays a ply in each game of a set: movesOf gives the move of each role. The other games keep their position.
func (l *Lanes) Apply(games uint64, movesOf func(game int) []int32) {
	c, v := l.Circuit, l.Values
	for rest := games; rest != 0; rest &= rest - 1 {
		game := bits.TrailingZeros64(rest)
		for role, m := range movesOf(game) {
			r := c.Move(role, int(m))
			v.Set(r, v.Get(r)|1<<game)
			l.inputs = append(l.inputs, r)
		}
	}
	c.Moves(v)
	for i, r := range c.Next {
		l.next[i] = v.Get(r)&games | v.Get(c.Fluent(i))&^games // unchanged in other games
	}
	for _, r := range l.inputs { // a next value may be an input: only now
		v.Set(r, 0)
	}
	l.inputs = l.inputs[:0]
	for i, word := range l.next {
		v.Set(c.Fluent(i), word)
	}
}
