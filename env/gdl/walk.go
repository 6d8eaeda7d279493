package gdl

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"ludus/env/gdl/gates"
)

// maxTrial is the largest number of plies of a random game; a longer one counts as endless.
const maxTrial = 5000

// walk plays up to 64 random games of a circuit at once, with any number of roles. Bit i of each word belongs to game i.
type walk struct {
	circuit *gates.Circuit
	values  gates.Values
	rng     *rand.PCG
	playing uint64      // set of the games that are not over
	legal   [][64][]int // legal[r][g]: the legal moves of role r in game g
	goals   [][64]int   // goals[r][g]: the goal of role r in game g, which is over
	plies   [64]int
	history [64][]int   // moves of each game so far: per ply one move of each role
	inputs  []gates.Ref // move inputs that were set by the last ply
	next    []uint64    // scratch of apply: next values of the fluents
}

// newWalk returns a walk of the given number of games, all in their initial position.
func newWalk(circuit *gates.Circuit, seed uint64, games int) *walk {
	roles := len(circuit.Program.Roles)
	w := &walk{
		circuit: circuit, values: circuit.NewValues(), rng: rand.NewPCG(seed, 1), playing: 1<<games - 1,
		legal: make([][64][]int, roles), goals: make([][64]int, roles), next: make([]uint64, len(circuit.Next)),
	}
	for i, start := range circuit.Program.Starts() {
		if start {
			w.values.Set(circuit.Fluent(i), ^uint64(0))
		}
	}
	return w
}

// step plays one random ply in each game that is not over. It returns the first law of games that is broken, and the
// game that breaks it; "" if all are kept.
func (w *walk) step() (law string, game int) {
	w.circuit.Position(w.values)
	over := w.values.Get(w.circuit.Terminal) & w.playing
	if law, game := w.checkGoals(over); law != "" {
		return law, game
	}
	w.playing &^= over
	return w.move(w.playing)
}

// move plays a random ply in each game of the bit set games, whose legal moves the circuit has computed. It returns the
// first broken law and its game.
func (w *walk) move(games uint64) (law string, game int) {
	w.findLegal(games)
	for rest := games; rest != 0; rest &= rest - 1 {
		game := bits.TrailingZeros64(rest)
		if law := w.checkMoves(game); law != "" {
			return law, game
		}
		random := w.rng.Uint64() // one number for all roles, because at most one has a choice
		for role := range w.legal {
			list := w.legal[role][game]
			k, _ := bits.Mul64(random, uint64(len(list)))
			w.history[game] = append(w.history[game], list[k])
		}
		w.plies[game]++
	}
	w.apply(games, func(game int) []int { return w.movesOf(game, w.plies[game]-1) })
	return "", 0
}

// movesOf returns each role's move in one ply of a game.
func (w *walk) movesOf(game, ply int) []int {
	roles := len(w.legal)
	return w.history[game][ply*roles : (ply+1)*roles]
}

// checkGoals checks that in each game of the bit set over, which has ended, every role has exactly one goal, and stores
// it in w.goals. It returns the first broken law and its game.
func (w *walk) checkGoals(over uint64) (law string, game int) {
	if over == 0 {
		return "", 0
	}
	w.circuit.FinalGoals(w.values)
	for role, goals := range w.circuit.Goals {
		for rest := over; rest != 0; rest &= rest - 1 {
			game := bits.TrailingZeros64(rest)
			var held []string
			for _, g := range goals {
				if w.values.Get(g.Holds)>>game&1 != 0 {
					held = append(held, fmt.Sprint(g.Value))
					w.goals[role][game] = g.Value
				}
			}
			switch {
			case len(held) == 0:
				return fmt.Sprintf("the game is over, and %s has no goal", w.role(role)), game
			case len(held) > 1:
				return fmt.Sprintf("the game is over, and %s has the goals %s", w.role(role), strings.Join(held, " and ")), game
			}
		}
	}
	return "", 0
}

// checkMoves checks the legal moves in a game that is not over: every role has one, at most one role
// has several, and the game is not too long. It returns the broken law, or "".
func (w *walk) checkMoves(game int) (law string) {
	choosing, other, stuck := none, none, none // roles: the first two with a choice, and the first without a move
	for role := range w.legal {
		switch n := len(w.legal[role][game]); {
		case n == 0 && stuck == none:
			stuck = role
		case n > 1 && choosing == none:
			choosing = role
		case n > 1 && other == none:
			other = role
		}
	}
	switch {
	case stuck != none && choosing != none:
		return fmt.Sprintf("%s, who is not to move, has no legal move such as noop", w.role(stuck))
	case stuck != none:
		return fmt.Sprintf("%s has no legal move, and the game is not over", w.role(stuck))
	case other != none:
		return fmt.Sprintf("%s and %s both have a choice", w.role(choosing), w.role(other))
	case w.plies[game] >= maxTrial:
		return fmt.Sprintf("the game is not over after %d plies", maxTrial)
	}
	return ""
}

// role returns the name of a role.
func (w *walk) role(i int) string { return w.circuit.Program.Terms.Text(w.circuit.Program.Roles[i]) }

// findLegal lists the legal moves of each role in each game of the bit set games, in w.legal.
func (w *walk) findLegal(games uint64) {
	for role, moves := range w.circuit.Legal {
		lists := &w.legal[role]
		for game := range lists {
			lists[game] = lists[game][:0]
		}
		for m, r := range moves {
			for word := w.values.Get(r) & games; word != 0; word &= word - 1 {
				game := bits.TrailingZeros64(word)
				lists[game] = append(lists[game], m)
			}
		}
	}
}

// apply plays a ply in each game of the bit set games: movesOf gives the move of each role. The other games keep their
// position.
func (w *walk) apply(games uint64, movesOf func(game int) []int) {
	c, v := w.circuit, w.values
	for _, r := range w.inputs {
		v.Set(r, 0)
	}
	w.inputs = w.inputs[:0]
	for rest := games; rest != 0; rest &= rest - 1 {
		game := bits.TrailingZeros64(rest)
		for role, m := range movesOf(game) {
			r := c.Move(role, m)
			v.Set(r, v.Get(r)|1<<game)
			w.inputs = append(w.inputs, r)
		}
	}
	c.Moves(v)
	for i, r := range c.Next {
		w.next[i] = v.Get(r)&games | v.Get(c.Fluent(i))&^games // unchanged in other games
	}
	for i, word := range w.next {
		v.Set(c.Fluent(i), word)
	}
}
