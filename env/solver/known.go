package solver

import (
	"cmp"
	"slices"

	"ludus/env"
)

// known holds what best play gives First in games that take more than a moment to solve: 1 a win, 0 a draw, -1 a loss.
// SOLVED.md has the sources.
var known = map[string]int{"quad-5x5": 1, "connect-four": 1, "othello-6x6": -1, "othello": 0}

// momentNodes is the node limit of BestPlay.
const momentNodes = 10_000

// BestPlay returns what best play from the start gives First: 1 a win, 0 a draw, -1 a loss. ok is false if that is neither
// known nor solved in a moment.
func BestPlay(game *env.Game) (result int, ok bool) {
	if result, ok := known[game.Name]; ok {
		return result, true
	}
	if game.Family == "hex" { // the first player can win, so with swapping the second can
		if slices.Contains(game.Params, env.Param{Name: "swap", Value: "0"}) {
			return 1, true
		}
		return -1, true
	}
	class, ok := New(game, 16*momentNodes).Solve(game.NewState(), Limits{Nodes: momentNodes})
	if !ok {
		return 0, false
	}
	return cmp.Compare(game.Classes[class].Utility, 0), true
}
