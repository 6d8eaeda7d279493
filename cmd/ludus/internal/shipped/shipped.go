// Package shipped gives commands and pages the agents of package checkpoints/zoo.
package shipped

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/ratings"
)

// Loader returns a loader of a game's shipped network, with its strength dial. For a size without one that is the network
// of [TrainedOn], resized. Other networks are loaded by load; its error about a missing run says how to train one.
func Loader(game *env.Game, load agent.Loader) agent.Loader {
	trained := game
	if other := TrainedOn(game); other != nil {
		trained = other
	}
	own := loadShipped(game, trained, load)
	if trained == game {
		return own
	}
	return func(r agent.Reference) (*infer.Weights, agent.Origin, error) {
		weights, origin, err := own(r)
		if err != nil || !r.Shipped() {
			return weights, origin, err
		}
		if weights, err = weights.Resize(trained, game); err != nil {
			return nil, origin, fmt.Errorf("%w: %w", agent.ErrWeights, err)
		}
		origin.Digest, origin.TrainedOn = fmt.Sprintf("%x", sha256.Sum256(weights.Marshal())), trained.Name
		return weights, origin, nil
	}
}

// sizes are the names of parameters that give the size of the board.
var sizes = []string{"size", "columns", "rows", "width", "height"}

// TrainedOn returns the game whose shipped network plays a game: the game itself, or, if the other parameters are the same, the
// nearest size by number of cells; of two equally near, the smaller. It returns nil if there is none.
func TrainedOn(game *env.Game) (nearest *env.Game) {
	if zoo.Weights(game.Name) != nil {
		return game
	}
	far := func(g *env.Game) int {
		d := g.Tensor.Cells() - game.Tensor.Cells()
		return max(d, -d)
	}
	for _, name := range zoo.Games() {
		other, err := games.New(name)
		if err != nil || other.Family != game.Family || !slices.Equal(otherParams(other), otherParams(game)) {
			continue
		}
		if nearest == nil || far(other) < far(nearest) || far(other) == far(nearest) && other.Tensor.Cells() < nearest.Tensor.Cells() {
			nearest = other
		}
	}
	return nearest
}

// otherParams returns a game's parameters without those of its size.
func otherParams(game *env.Game) []env.Param {
	return slices.DeleteFunc(slices.Clone(game.Params), func(p env.Param) bool { return slices.Contains(sizes, p.Name) })
}

// loadShipped returns a loader of the network shipped for the game trained, with the dial and the hints for a game.
func loadShipped(game, trained *env.Game, load agent.Loader) agent.Loader {
	return agent.WithShipped(trained, zoo.Weights(trained.Name), ratings.ShippedDial(game.Name), func(r agent.Reference) (*infer.Weights, agent.Origin, error) {
		weights, origin, err := load(r)
		if err != nil {
			err = fmt.Errorf("%w%s", err, trainHint(game, r, err))
		}
		return weights, origin, err
	})
}

// trainHint says how to get a network if the run that a reference names does not exist, and is named like the game.
func trainHint(game *env.Game, r agent.Reference, err error) string {
	if !errors.Is(err, fs.ErrNotExist) || filepath.Base(r.Path) != env.FileName(game.Name) {
		return ""
	}
	hint := "; train one: " + agent.TrainCommand(game)
	if TrainedOn(game) != nil {
		hint += ", or use zoo, the shipped agent"
	}
	return hint
}
