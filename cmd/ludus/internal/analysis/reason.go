package analysis

import (
	"fmt"

	"ludus/env"
	"ludus/train/agent"
)

// reason explains the best move of an analysis, in words that follow its name and "which"; "" if there is nothing to
// say. It considers facts, and then what the next move is worth.
func reason(game *env.Game, state env.State, a *agent.Analysis) string {
	if text := fact(game, state, a); text != "" {
		return text
	}
	return comparison(game, a)
}

// fact is a reason that follows, in this order, from what the rules decide one move ahead or from proven values.
func fact(game *env.Game, state env.State, a *agent.Analysis) string {
	mover, opponent := state.Player(), game.Players[state.Player().Opponent()]
	best := a.Moves[0].Action
	if winsAtOnce(game, state, mover, best) {
		return "wins at once"
	}
	if a.Proven && *a.Value > 0 {
		return "wins against any reply"
	}
	if len(a.Moves) == 1 {
		return "is the only move"
	}
	if safe, bestIsSafe := safeMoves(game, state, best); 2*safe <= len(a.Moves) {
		switch {
		case safe == 0:
			return fmt.Sprintf("cannot stop %s from winning at once; nor can any other move", opponent)
		case bestIsSafe && safe == 1:
			return fmt.Sprintf("is the only move after which %s cannot win at once", opponent)
		case bestIsSafe:
			return fmt.Sprintf("is one of %d moves after which %s cannot win at once", safe, opponent)
		}
	}
	if a.Proven {
		if *a.Value == 0 {
			return "leads to a draw if both play perfectly"
		}
		return "loses, like every other move, if the opponent plays perfectly"
	}
	return ""
}

// comparison compares the best move with the one that the agent would play next: that with the highest prior, or
// without priors with the most visits. It is "" unless that one is worse by mistakeLoss or more.
func comparison(game *env.Game, a *agent.Analysis) string {
	next := a.Moves[1]
	for _, m := range a.Moves[1:] {
		if m.Prior != nil && *m.Prior > *next.Prior {
			next = m
		}
	}
	best := a.Moves[0].Value
	if best == nil || next.Value == nil || *best-*next.Value < mistakeLoss {
		return ""
	}
	name := game.ActionNames[next.Action]
	if *next.Value == -1 && next.Prior != nil { // with a network only a proven loss is worth that little
		return fmt.Sprintf("is better than %s, which loses", name)
	}
	return fmt.Sprintf("is better than %s, which gives away about %.0f %%", name, 50*(*best-*next.Value))
}

// winsAtOnce reports whether a move ends the game with a higher goal for player than for the opponent.
func winsAtOnce(game *env.Game, state env.State, player env.Player, move env.Action) bool {
	for _, t := range state.TerminalActions(nil) {
		if t.Action == move {
			return game.UtilityFor(player, t.Outcome) > 0
		}
	}
	return false
}

// safeMoves counts the moves after which the opponent cannot win at once, and reports whether the best move is one.
func safeMoves(game *env.Game, state env.State, best env.Action) (safe int, bestIsSafe bool) {
	opponent := state.Player().Opponent()
	next := game.NewState()
	var replies []env.TerminalAction
	for _, move := range state.Legal(nil) {
		next.CopyFrom(state)
		next.Apply(move)
		loses := next.Done() && game.UtilityFor(opponent, next.Outcome()) > 0
		if !next.Done() && next.Player() == opponent {
			replies = next.TerminalActions(replies[:0])
			for _, t := range replies {
				loses = loses || game.UtilityFor(opponent, t.Outcome) > 0
			}
		}
		if !loses {
			safe++
			bestIsSafe = bestIsSafe || move == best
		}
	}
	return safe, bestIsSafe
}
