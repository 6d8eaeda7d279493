package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ludus/env"
	"ludus/model/infer"
)

// Origin says where weights were read from.
type Origin struct {
	Path       string // the file, checkpoint or run that was named, without @GENERATION
	Generation int    // of the checkpoint; -1 for a weights file
	Digest     string // SHA-256 of the weights that were read, in hexadecimal
	// Damaged names what was passed over: checkpoints of the run, newer than this one, that are not whole.
	Damaged []error
}

// ErrWeights means that the weights of a reference cannot be loaded, or do not play the game.
var ErrWeights = errors.New("no network")

// readNetwork reads a network that plays game.
func readNetwork(game *env.Game, reference string, read Loader) (*infer.Network, Origin, error) {
	if read == nil {
		return nil, Origin{Generation: -1}, fmt.Errorf("%w in %s: networks cannot be loaded here", ErrWeights, reference)
	}
	weights, origin, err := read(reference)
	if err != nil {
		return nil, origin, misspelt(reference, err)
	}
	if weights.Config.Game != game.Name {
		return nil, origin, fmt.Errorf("%w of %s in %s: it plays %s", ErrWeights, game.Name, reference, weights.Config.Game)
	}
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return nil, origin, fmt.Errorf("%w in %s: %w", ErrWeights, reference, err)
	}
	if overflows(network) {
		return nil, origin, fmt.Errorf("%w in %s: its weights are so large that what it says of the first position is no number",
			ErrWeights, reference)
	}
	return network, origin, nil
}

// overflows tells whether the network says no finite number of the first position. Finite weights, which files must hold, can
// still be too large: those of a run that diverged, say.
func overflows(network *infer.Network) bool {
	game := network.Game()
	logits, classes := make([]float32, game.NumActions()), make([]float32, len(game.Classes))
	network.NewEvaluator(1).Evaluate([]env.State{game.NewState()}, logits, classes)
	return slices.ContainsFunc(slices.Concat(logits, classes), func(x float32) bool { return x-x != 0 })
}

// misspelt adds a hint to the error of a missing path that ends in a misspelt option, such as net:PATH,simz=3.
func misspelt(reference string, err error) error {
	_, option, ok := strings.Cut(reference, ",")
	if !ok || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key, _, assigned := strings.Cut(option, "=")
	if near := env.Nearest(key, optionKeys["net"]); assigned && near != "" {
		return fmt.Errorf("%w; did you mean the option %q?", err, near)
	}
	return err
}
