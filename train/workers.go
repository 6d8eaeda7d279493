package train

import (
	"context"

	"ludus/env"
	"ludus/model/infer"
)

// A run and those who play for it meet in two places. The run publishes networks and receives games. A player learns of
// the newest network and publishes games. local connects a run with the player in its own process.

// Network is a network to play with. It is immutable.
type Network struct {
	Generation int            // that trained it; 0: the weights that the run started with
	Weights    *infer.Weights // averaged

	ready *infer.Network // the weights prepared for evaluation
}

// NewNetwork prepares the weights of a generation. It returns an error if they are not a complete network for game.
func NewNetwork(game *env.Game, generation int, weights *infer.Weights) (*Network, error) {
	ready, err := infer.NewNetwork(game, weights)
	if err != nil {
		return nil, err
	}
	return &Network{Generation: generation, Weights: weights, ready: ready}, nil
}

// Batch is finished games that a player publishes together.
type Batch struct {
	Generation int // of the network that finished the games

	games []*record
}

// local connects a run with the player in its process. Only one of the two is active at a time.
type local struct {
	newest  *Network
	batches []Batch // not received yet
}

// PublishNetwork makes n the newest network.
func (l *local) PublishNetwork(_ context.Context, n *Network) error {
	l.newest = n
	return nil
}

// Newest returns the newest network.
func (l *local) Newest(context.Context) (*Network, error) { return l.newest, nil }

// PublishGames hands finished games to the run.
func (l *local) PublishGames(_ context.Context, b Batch) error {
	l.batches = append(l.batches, b)
	return nil
}

// Receive returns the batches that were published since the last call.
func (l *local) Receive(context.Context) ([]Batch, error) {
	batches := l.batches
	l.batches = nil
	return batches, nil
}
