package agent

import (
	"time"

	"ludus/env"
)

// Clock is the time that a match gives. It is not the agent's own limit, [Spec].Time.
type Clock struct {
	Move time.Duration // for this move; 0: no limit
	// Left is the rest of each player's time for all its moves, First's before Second's. Both are 0 without a limit.
	Left [2]time.Duration
}

// Margin is the time beyond its limit after which an agent has overstepped it.
const Margin = 200 * time.Millisecond

// Limit returns the most time that player p may take for its next move; 0: no limit.
func (c Clock) Limit(p env.Player) time.Duration {
	if c.Move > 0 && c.Left[p] > 0 {
		return min(c.Move, c.Left[p])
	}
	return max(c.Move, c.Left[p], 0)
}

// Share returns the time that player p should take for its next move, after some plies of the game: the time for the
// move, but not more than a share of the rest. 0: no limit.
func (c Clock) Share(game *env.Game, plies int, p env.Player) time.Duration {
	if c.Left[p] > 0 {
		c.Left[p] = max(1, c.Left[p]/time.Duration(MovesLeft(game, plies)))
	}
	return c.Limit(p)
}

// MovesLeft estimates how many moves the player to move has still to make after some plies of the game: half of the
// usual rest of the game, at least 8.
func MovesLeft(game *env.Game, plies int) int { return max(8, (game.UsualPlies-plies+1)/2) }
