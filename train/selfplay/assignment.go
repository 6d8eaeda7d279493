package selfplay

import (
	"context"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train/record"
	"ludus/train/rundir"
)

// Assignment says what to play: a run's newest network, and how to search with it. It is immutable once
// [Assignment.Prepare] has been called.
type Assignment struct {
	Run         string    // run id
	Game        *env.Game // of the run, or on another size of its board
	Settings    rundir.Settings
	Generation  int            // generation that trained the network; 0: the weights that the run started with
	Simulations int            // simulations per move: Settings.Simulations, or more if the learner has enough games
	MeanPlies   float64        // mean length of the run's games on this board so far
	Weights     *infer.Weights // averaged weights

	network *infer.Network // the weights prepared for evaluation
}

// Prepare makes the weights ready for play. It returns an error if they are not a complete network for the game, or if
// settings are out of range.
func (a *Assignment) Prepare() (err error) {
	if err := a.Settings.Validate(); err != nil {
		return err
	}
	a.network, err = infer.NewNetwork(a.Game, a.Weights)
	return err
}

// Network returns the network that Prepare has made.
func (a *Assignment) Network() *infer.Network { return a.network }

// Learner is a training run as its workers see it. Package remote implements it.
type Learner interface {
	// Newest returns the newest assignment, ready for play. It waits until there is one.
	Newest(ctx context.Context) (*Assignment, error)
	// PublishGames hands finished games to the run. It may wait until the run can take them.
	PublishGames(ctx context.Context, m *record.Message) error
}
