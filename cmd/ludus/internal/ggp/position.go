package ggp

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/interpreter"
)

// position is a position of a match, for any number of roles, by compiled rules or by the interpreter. Roles are known by
// their index, moves by numbers. One goroutine at a time may use a position and its clones.
type position interface {
	roles() []string
	over() bool
	legal(role int) []int32
	goals() []int // of each role; -1 for one that has none or several
	text(role int, move int32) string
	number(role int, text string) (move int32, known bool)
	clone() position
	copyFrom(position)            // of the same match and kind
	play(moves []int32) error     // a move of each role
	playouts(*rand.Rand) playouts // plays randomly to the end, or for maxPlayout plies
	within(ctx context.Context)   // limits the methods that follow; err then tells whether their results are right
	err() error                   // the context's error if a method was interrupted
	// renewed returns itself, or an equal position with less memory, whose moves may have other numbers.
	renewed(ctx context.Context) (p position, changed bool, err error)
}

// playouts are the results of random games from a position.
type playouts struct {
	scores []float64 // mean score of each role, see score
	line   []int32   // the best finished game's moves, if there is one role
	best   float64   // its score; -1 without one
}

// score is a goal as a reward from 0 to 1.
func score(goal int) float64 { return float64(max(goal, 0)) / 100 }

// Bounds of random games.
const (
	maxPlayout = 500 // plies; a longer game counts as unfinished
	unfinished = 0.5 // its score for all roles
)

// rules are the rules of a sheet as a circuit, for any number of roles, with the names of roles and moves.
type rules struct {
	circuit *gates.Circuit
	names   []string           // of roles, in the order of the circuit
	moves   []map[string]int32 // by role: the number of each move by its text
}

// newRules indexes the roles and moves of a circuit by their texts.
func newRules(circuit *gates.Circuit) *rules {
	r := &rules{circuit: circuit}
	p := circuit.Program
	for role, t := range p.Roles {
		r.names = append(r.names, p.Terms.Text(t))
		moves := map[string]int32{}
		for i, m := range p.Moves[role] {
			moves[p.Terms.Text(m)] = int32(i)
		}
		r.moves = append(r.moves, moves)
	}
	return r
}

// compiled is a position by compiled rules.
type compiled struct {
	*rules
	at    *gates.Lanes // the position is that of game 0
	games *gates.Lanes // for playouts; nil until the first
}

// start returns the first position of a match.
func (r *rules) start() *compiled {
	c := &compiled{rules: r, at: gates.NewLanes(r.circuit)}
	r.circuit.Position(c.at.Values)
	return c
}

// holds reports whether a gate is true.
func (c *compiled) holds(r gates.Ref) bool { return c.at.Values.Get(r)&1 != 0 }

func (c *compiled) roles() []string        { return c.names }
func (c *compiled) over() bool             { return c.holds(c.circuit.Terminal) }
func (c *compiled) within(context.Context) {}
func (c *compiled) err() error             { return nil }

func (c *compiled) renewed(context.Context) (position, bool, error) { return c, false, nil }

func (c *compiled) clone() position {
	copied := c.rules.start()
	copied.copyFrom(c)
	return copied
}

func (c *compiled) copyFrom(from position) { copy(c.at.Values, from.(*compiled).at.Values) }

func (c *compiled) text(role int, move int32) string {
	return c.circuit.Program.Terms.Text(c.circuit.Program.Moves[role][move])
}

func (c *compiled) number(role int, text string) (int32, bool) {
	m, known := c.moves[role][text]
	return m, known
}

func (c *compiled) legal(role int) []int32 {
	var list []int32
	for i, r := range c.circuit.Legal[role] {
		if c.holds(r) {
			list = append(list, int32(i))
		}
	}
	return list
}

func (c *compiled) play(moves []int32) error {
	c.at.Apply(1, func(int) []int32 { return moves }) // 1: the set of game 0
	c.circuit.Position(c.at.Values)
	return nil
}

func (c *compiled) goals() []int {
	c.circuit.FinalGoals(c.at.Values)
	var list []int
	for role := range c.names {
		list = append(list, goalIn(c.circuit, c.at.Values, role, 0))
	}
	return list
}

// goalIn returns the goal of a role in one of 64 positions; -1 if it has none or several.
func goalIn(circuit *gates.Circuit, v gates.Values, role, game int) int {
	value, count := -1, 0
	for _, g := range circuit.Goals[role] {
		if v.Get(g.Holds)>>game&1 != 0 {
			value = g.Value
			count++
		}
	}
	if count != 1 {
		return -1
	}
	return value
}

// playouts plays 64 games at once.
func (c *compiled) playouts(rng *rand.Rand) playouts {
	if c.games == nil {
		c.games = gates.NewLanes(c.circuit)
	}
	l, roles := c.games, len(c.names)
	l.Start(c.at)
	out := playouts{scores: make([]float64, roles), best: -1}
	var lines [64][]int32
	chosen := make([]int32, 64*roles)
	breakOff := func(games uint64) {
		for role := range roles {
			out.scores[role] += unfinished * float64(bits.OnesCount64(games)) / 64
		}
	}
	playing := ^uint64(0)
	for range maxPlayout {
		c.circuit.Position(l.Values)
		if over := l.Values.Get(c.circuit.Terminal) & playing; over != 0 {
			c.circuit.FinalGoals(l.Values)
			playing &^= over
			for ; over != 0; over &= over - 1 {
				game := bits.TrailingZeros64(over)
				for role := range roles {
					s := score(goalIn(c.circuit, l.Values, role, game))
					out.scores[role] += s / 64
					if roles == 1 && s > out.best {
						out.best, out.line = s, lines[game]
					}
				}
			}
		}
		l.FindLegal(playing)
		stuck := uint64(0)
		for rest := playing; rest != 0; rest &= rest - 1 {
			game := bits.TrailingZeros64(rest)
			for role := range roles {
				list := l.Legal[role][game]
				if len(list) == 0 {
					stuck |= 1 << game
					break
				}
				chosen[game*roles+role] = list[rng.IntN(len(list))]
			}
			if roles == 1 && stuck>>game&1 == 0 {
				lines[game] = append(lines[game], chosen[game])
			}
		}
		breakOff(stuck)
		playing &^= stuck
		if playing == 0 {
			return out
		}
		l.Apply(playing, func(game int) []int32 { return chosen[game*roles : (game+1)*roles] })
	}
	breakOff(playing)
	return out
}

// interpreted is a position by the interpreter.
type interpreted struct{ at *interpreter.Position }

func (i *interpreted) roles() []string               { return i.at.Game().Roles }
func (i *interpreted) over() bool                    { return i.at.Terminal() }
func (i *interpreted) legal(role int) []int32        { return i.at.Moves(role) }
func (i *interpreted) text(_ int, move int32) string { return i.at.Game().Text(move) }
func (i *interpreted) within(ctx context.Context)    { i.at.Game().Within(ctx) }
func (i *interpreted) err() error                    { return i.at.Game().Err() }
func (i *interpreted) clone() position               { return &interpreted{i.at} }
func (i *interpreted) copyFrom(from position)        { i.at = from.(*interpreted).at }

func (i *interpreted) number(_ int, text string) (int32, bool) {
	m, err := i.at.Game().Number(text)
	return m, err == nil
}

func (i *interpreted) play(moves []int32) error {
	next, err := i.at.Play(moves)
	if err == nil {
		i.at = next
	}
	return err
}

func (i *interpreted) renewed(ctx context.Context) (position, bool, error) {
	at, err := i.at.Renewed(ctx)
	if err != nil {
		return nil, false, err
	}
	return &interpreted{at}, at != i.at, nil
}

func (i *interpreted) goals() []int {
	var list []int
	for _, role := range i.roles() {
		goal := -1
		if values := i.at.Goals(role); len(values) == 1 {
			goal = values[0]
		}
		list = append(list, goal)
	}
	return list
}

// playouts plays one game. If it is interrupted, its result is meaningless.
func (i *interpreted) playouts(rng *rand.Rand) playouts {
	out := playouts{scores: slices.Repeat([]float64{unfinished}, len(i.roles())), best: -1}
	at, moves := &interpreted{i.at}, make([]int32, len(i.roles()))
	for range maxPlayout {
		if at.over() {
			for role, goal := range at.goals() {
				out.scores[role] = score(goal)
			}
			out.best = out.scores[0]
			break
		}
		for role := range moves {
			legal := at.legal(role)
			if len(legal) == 0 {
				return out
			}
			moves[role] = legal[rng.IntN(len(legal))]
		}
		if at.play(moves) != nil {
			break
		}
		out.line = append(out.line, moves[0])
	}
	return out
}
