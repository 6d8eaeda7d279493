package gdl

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"ludus/env/gdl/network"
)

// Limits of findChoices: moves in each of its games, and gates computed.
const (
	maxChoiceMoves = 2000
	maxChoiceWork  = 1 << 27
)

// findChoices plays random games, 64 at once, and returns an error about the first position in which both players have a
// choice; nil if it finds none.
func findChoices(n *network.Network) error {
	v := n.NewValues()
	rng := rand.New(rand.NewPCG(3, 1))
	position, moves, _ := n.Size()
	fresh := ^uint64(0) // games to begin
	for range min(maxChoiceMoves, maxChoiceWork/(1+position+moves)) {
		begin(n, v, fresh)
		n.Position(v)
		both, all := v.Get(n.Terminal.Not()), ^uint64(0)
		for role := range 2 {
			one, two := counts(n.Legal[role], v)
			both &= two
			all &= one
		}
		if both != 0 {
			return choiceError(n, v, bits.TrailingZeros64(both))
		}
		fresh = v.Get(n.Terminal) | ^all
		for role := range 2 {
			chooseAny(n, v, role, rng)
		}
		n.Moves(v)
		advance(n, v)
	}
	return nil
}

// begin sets the first position in some games.
func begin(n *network.Network, v network.Values, games uint64) {
	if games == 0 {
		return
	}
	for i, fluent := range n.Program.Fluents {
		r := n.Fluent(i)
		word := v.Get(r) &^ games
		if slices.Contains(n.Program.Init, fluent) {
			word |= games
		}
		v.Set(r, word)
	}
}

// counts returns where one or more gates are true, and where two or more are.
func counts(refs []network.Ref, v network.Values) (one, two uint64) {
	for _, r := range refs {
		two |= one & v.Get(r)
		one |= v.Get(r)
	}
	return one, two
}

// chooseAny sets a random legal move of a role in each game; not all are equally likely.
func chooseAny(n *network.Network, v network.Values, role int, rng *rand.Rand) {
	legal := n.Legal[role]
	open, first := ^uint64(0), rng.IntN(max(1, len(legal)))
	for i := range legal {
		v.Set(n.Move(role, i), 0)
	}
	for _, chance := range []bool{true, false} {
		for k := range legal {
			i := (first + k) % len(legal)
			take := v.Get(legal[i]) & open
			if chance {
				take &= rng.Uint64() & rng.Uint64()
			}
			open &^= take
			v.Set(n.Move(role, i), v.Get(n.Move(role, i))|take)
		}
	}
}

// advance makes the next fluents the fluents.
func advance(n *network.Network, v network.Values) {
	next := make([]uint64, len(n.Next))
	for i, r := range n.Next {
		next[i] = v.Get(r)
	}
	for i, word := range next {
		v.Set(n.Fluent(i), word)
	}
}

// choiceError describes a game in which both players have a choice.
func choiceError(n *network.Network, v network.Values, game int) error {
	p := n.Program
	var parts []string
	for role, moves := range p.Moves {
		var list []string
		for i, m := range moves {
			if v.Get(n.Legal[role][i])>>game&1 != 0 && len(list) < 2 {
				list = append(list, p.Terms.Text(m))
			}
		}
		parts = append(parts, fmt.Sprintf("%s between %s", p.Terms.Text(p.Roles[role]), strings.Join(list, " and ")))
	}
	return fmt.Errorf("both players have a choice: %s, in %s", strings.Join(parts, ", "), textOf(n, v, game))
}

// textOf lists the fluents that are true in a game.
func textOf(n *network.Network, v network.Values, game int) string {
	var list []string
	for i, f := range n.Program.Fluents {
		if v.Get(n.Fluent(i))>>game&1 != 0 {
			list = append(list, n.Program.Terms.Text(f))
		}
	}
	return strings.Join(list, " ")
}
