package train

import (
	"context"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train/record"
	"ludus/train/rundir"
)

// A run and the processes that play for it meet in two interfaces, which package train/remote implements: a run publishes
// networks and receives games (Workers); a player learns of the newest network and publishes games (Learner). A run's own
// games need neither: collect plays them, in between, on the threads that learn afterwards.

// Network is a network to play with, and how to play with it. It is immutable.
type Network struct {
	Run         string // the run's id
	Game        *env.Game
	Settings    rundir.Settings
	Generation  int            // that trained the network; 0: the weights that the run started with
	Simulations int            // per move: Settings.Simulations, or more if the learner has enough games
	MeanPlies   float64        // mean length of the run's games so far
	Weights     *infer.Weights // averaged

	ready *infer.Network // the weights prepared for evaluation
}

// Prepare makes the weights ready for play. It returns an error if they are not a complete network for the game, or if
// settings are out of range.
func (n *Network) Prepare() (err error) {
	if err := n.Settings.Validate(); err != nil {
		return err
	}
	n.ready, err = infer.NewNetwork(n.Game, n.Weights)
	return err
}

// Learner is a run as its players see it.
type Learner interface {
	// Newest returns the newest network, ready for play. It waits until there is one.
	Newest(ctx context.Context) (*Network, error)
	// PublishGames hands finished games to the run. It may wait until the run can take them.
	PublishGames(ctx context.Context, b *record.Message) error
}

// Workers are players in other processes, as a run sees them. Methods may be called concurrently.
type Workers interface {
	// PublishNetwork makes n the newest network.
	PublishNetwork(ctx context.Context, n *Network) error
	// Receive waits for the next message of a worker. An error ends the run.
	Receive(ctx context.Context) (*record.Delivery, error)
	// Limit says how many bytes of messages may wait. More are refused, so that workers wait.
	Limit(ctx context.Context, bytes int64)
	// Report adds to s what waits in the stream, and shows it to people who ask for it.
	Report(ctx context.Context, s *rundir.WorkersStatus)
	// Finish says that the run is finished: workers wait for another one.
	Finish(ctx context.Context) error
	// Close ends the connection.
	Close()
}
