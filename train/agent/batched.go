package agent

import (
	"context"

	"ludus/env"
)

// Batched is an agent whose evaluations can be batched with those of other games. It chooses the moves that [Agent.Choose]
// would.
type Batched interface {
	Agent
	// Begin starts to choose a move in state, which must not change before the choice is made.
	Begin(state env.State)
	// Proceed continues until the move is chosen (done), or until the agent waits for [Evaluators.EvaluateAll]. The only
	// error is that of a cancelled ctx, after which the agent needs a Reset.
	Proceed(ctx context.Context) (a env.Action, done bool, err error)
}

// Limits on the agents that a goroutine runs at once.
const (
	// MaxBatched is enough for the agents' leaves to fill batches, and few enough for their trees to stay in a core's cache.
	MaxBatched = 32
	// MaxMemoryBytes bounds the memory of the agents' trees and tables.
	MaxMemoryBytes = 128 << 20
)
