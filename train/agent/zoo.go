package agent

import (
	"crypto/sha256"
	"fmt"

	"ludus/env"
	"ludus/model/infer"
)

// Zoo stands for the network that is shipped with the program for a game, in the place of a path: net:zoo, policy:zoo,
// and in short zoo. A folder of this name is ./zoo.
const Zoo = "zoo"

// Shipped reports whether the reference names the game's shipped network.
func (r Reference) Shipped() bool { return r.Path == Zoo }

// pathTo returns a reference's path to a file or folder, which may have the name that stands for the shipped network.
func pathTo(path string) string {
	if path == Zoo {
		return "./" + path
	}
	return path
}

// TrainCommand returns the command that trains an agent of a game. That of a rule sheet is named by its file, which is not known.
func TrainCommand(game *env.Game) string {
	if game.Sheet != "" {
		return "ludus train SHEET.kif"
	}
	return "ludus train " + env.ShellWord(game.Name)
}

// WithShipped returns a loader of a game's shipped network, whose weights file and dial it is given; nil if none is
// shipped. For other references it calls load.
func WithShipped(game *env.Game, file []byte, dial Dial, load Loader) Loader {
	return func(r Reference) (*infer.Weights, Origin, error) {
		if !r.Shipped() {
			return load(r)
		}
		origin := Origin{Path: Zoo, Generation: -1, Digest: fmt.Sprintf("%x", sha256.Sum256(file)), Dial: dial}
		switch {
		case file == nil:
			return nil, origin, fmt.Errorf("%w: no agent of %s is shipped; train one: %s", ErrWeights, game.Name, TrainCommand(game))
		case r.At != "":
			return nil, origin, fmt.Errorf("%w: zoo is one network, without @%s; a run in a folder zoo is ./zoo", ErrWeights, r.At)
		}
		weights, err := infer.Unmarshal(file)
		if err != nil {
			return nil, origin, fmt.Errorf("%w in zoo: %w", ErrWeights, err)
		}
		return weights, origin, nil
	}
}
