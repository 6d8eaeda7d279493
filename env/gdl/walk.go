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

// walk plays up to 64 random games of a circuit at once, with any number of roles.
type walk struct {
	*gates.Lanes
	rng     *rand.PCG
	playing uint64    // set of the games that are not over
	goals   [][64]int // goals[r][g]: the goal of role r in game g, which is over
	plies   [64]int
	history [64][]int32 // moves of each game so far: per ply one move of each role
}

// newWalk returns a walk of the given number of games, all in their initial position.
func newWalk(circuit *gates.Circuit, seed uint64, games int) *walk {
	return &walk{
		Lanes: gates.NewLanes(circuit), rng: rand.NewPCG(seed, 1), playing: 1<<games - 1,
		goals: make([][64]int, len(circuit.Program.Roles)),
	}
}

// step plays one random ply in each game that is not over. It returns the first law of games that is broken, and the
// game that breaks it; "" if all are kept.
func (w *walk) step() (law string, game int) {
	w.Circuit.Position(w.Values)
	over := w.Values.Get(w.Circuit.Terminal) & w.playing
	if law, game := w.checkGoals(over); law != "" {
		return law, game
	}
	w.playing &^= over
	return w.move(w.playing)
}

// move plays a random ply in each game of the bit set games, whose legal moves the circuit has computed. It returns the
// first broken law and its game.
func (w *walk) move(games uint64) (law string, game int) {
	w.FindLegal(games)
	for rest := games; rest != 0; rest &= rest - 1 {
		game := bits.TrailingZeros64(rest)
		if law := w.checkMoves(game); law != "" {
			return law, game
		}
		random := w.rng.Uint64() // one number for all roles, because at most one has a choice
		for role := range w.Legal {
			list := w.Legal[role][game]
			k, _ := bits.Mul64(random, uint64(len(list)))
			w.history[game] = append(w.history[game], list[k])
		}
		w.plies[game]++
	}
	w.Apply(games, func(game int) []int32 { return w.movesOf(game, w.plies[game]-1) })
	return "", 0
}

// movesOf returns each role's move in one ply of a game.
func (w *walk) movesOf(game, ply int) []int32 {
	roles := len(w.Legal)
	return w.history[game][ply*roles : (ply+1)*roles]
}

// checkGoals checks that in each game of the bit set over, which has ended, every role has exactly one goal, and stores
// it in w.goals. It returns the first broken law and its game.
func (w *walk) checkGoals(over uint64) (law string, game int) {
	if over == 0 {
		return "", 0
	}
	w.Circuit.FinalGoals(w.Values)
	for role, goals := range w.Circuit.Goals {
		for rest := over; rest != 0; rest &= rest - 1 {
			game := bits.TrailingZeros64(rest)
			var held []string
			for _, g := range goals {
				if w.Values.Get(g.Holds)>>game&1 != 0 {
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
	for role := range w.Legal {
		switch n := len(w.Legal[role][game]); {
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
func (w *walk) role(i int) string { return w.Circuit.Program.Terms.Text(w.Circuit.Program.Roles[i]) }
