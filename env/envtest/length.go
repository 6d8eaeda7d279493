package envtest

import (
	"math/rand/v2"
	"slices"

	"ludus/env"
)

// Effort of checkLength.
const (
	lengthSearches = 4     // searches, each from a new random game
	lengthPlies    = 10000 // plies of each search, at least
)

// checkLength looks for games longer than MaxPlies. Random games are rarely long, so it searches: it changes the
// longest game found so far in one place, and keeps the result if that is not shorter.
func checkLength(g *env.Game) error {
	for seed := range lengthSearches {
		rng := rand.New(rand.NewPCG(uint64(seed), 6))
		var longest []env.Action
		for plies := 0; plies < lengthPlies; {
			w := variation(g, longest, rng)
			if len(w.Moves) > g.MaxPlies {
				return w.errorf("%d plies, but MaxPlies is %d", len(w.Moves), g.MaxPlies)
			}
			if len(w.Moves) >= len(longest) {
				longest = slices.Clone(w.Moves)
			}
			plies += len(w.Moves)
		}
	}
	return nil
}

// variation plays a game again with one move less or two moves exchanged. It plays the first of the remaining moves
// that is legal and does not end the game. Where there is none, it plays the one of a few random moves after which most
// moves are legal.
func variation(g *env.Game, moves []env.Action, rng *rand.Rand) *walk {
	rest, candidates := slices.Clone(moves), 1<<rng.IntN(4)
	if n := len(rest); n > 0 {
		i, j := rng.IntN(n), rng.IntN(n)
		rest[i], rest[j] = rest[j], rest[i]
		if i == j || rng.IntN(2) == 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	w, next := newWalk(g), g.NewState()
	var legal []env.Action
	after := func(a env.Action) int { // number of legal moves after a; 0 if it ends the game
		next.CopyFrom(w.State)
		next.Apply(a)
		legal = next.Legal(legal[:0])
		return len(legal)
	}
	for !w.State.Done() {
		playable := func(a env.Action) bool {
			_, ok := slices.BinarySearch(w.Legal, a)
			return ok && after(a) > 0
		}
		if i := slices.IndexFunc(rest, playable); i >= 0 {
			_ = w.Play(rest[i])
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		best, most := w.Legal[0], -1
		for range candidates {
			a := w.Legal[rng.IntN(len(w.Legal))]
			if n := after(a); n > most {
				best, most = a, n
			}
		}
		_ = w.Play(best)
	}
	return w
}
