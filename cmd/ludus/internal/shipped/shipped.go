// Package shipped gives commands and pages the agents of package checkpoints/zoo.
package shipped

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/ratings"
)

// Loader returns a loader of a game's shipped network, with its strength dial. Other networks are loaded by load;
// its error about a missing run says how to train one.
func Loader(game *env.Game, load agent.Loader) agent.Loader {
	return agent.WithShipped(game, zoo.Weights(game.Name), ratings.ShippedDial(game.Name), func(r agent.Reference) (*infer.Weights, agent.Origin, error) {
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
	hint := fmt.Sprintf("; train one with \"ludus train %s\"", game.Name)
	if zoo.CardOf(game.Name) != nil {
		hint += ", or use zoo, the shipped agent"
	}
	return hint
}
