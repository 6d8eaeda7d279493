package infer

import (
	"errors"
	"fmt"

	"ludus/env"
)

// Widths of the heads' hidden layers.
const (
	policyWidth  = 32 // channels of the policy head
	outcomeWidth = 16 // channels of the outcome head before flattening
	hiddenWidth  = 64 // the outcome head's hidden layer
)

const (
	maxChannels = 1024
	maxBlocks   = 64
)

// Config is the architecture of a network.
type Config struct {
	// Game is the canonical name of the game.
	Game string
	// Channels of the tower: a multiple of 4 in 4..1024. AlphaZero has 256.
	Channels int
	// Blocks of two convolutions each: 0..64. AlphaZero has 19 or 39.
	Blocks int
}

// DefaultConfig is the architecture that suits ten minutes of training: 32 channels, 3 blocks on boards of up to
// 25 cells and 4 on larger ones.
func DefaultConfig(game *env.Game) Config {
	blocks := 4
	if game.Tensor.Cells() <= 25 {
		blocks = 3
	}
	return Config{Game: game.Name, Channels: 32, Blocks: blocks}
}

// Validate reports everything that is wrong with the config as one of game.
func (c Config) Validate(game *env.Game) error {
	var errs []error
	if c.Game != game.Name {
		errs = append(errs, fmt.Errorf("network for %q; the game is %q", c.Game, game.Name))
	}
	return errors.Join(append(errs, c.validateSizes())...)
}

func (c Config) validateSizes() error {
	var errs []error
	if c.Channels < 4 || c.Channels > maxChannels || c.Channels%4 != 0 {
		errs = append(errs, fmt.Errorf("channels is %d; it must be a multiple of 4 in 4..%d", c.Channels, maxChannels))
	}
	if c.Blocks < 0 || c.Blocks > maxBlocks {
		errs = append(errs, fmt.Errorf("blocks is %d; it must be in 0..%d", c.Blocks, maxBlocks))
	}
	return errors.Join(errs...)
}

// dims is what a network's shapes take from its game.
type dims struct {
	input                               env.Shape
	policyPlanes, policyExtras, classes int
	goals                               bool
}

func dimsOf(game *env.Game) dims {
	return dims{game.Tensor, game.PolicyPlanes, game.PolicyExtras, len(game.Classes), game.GoalHead}
}

// start is how the values of a new tensor are drawn.
type start uint8

const (
	startZero start = iota
	startOne
	startHe // normal(0, 2 / fan-in)
)

// spec describes one tensor of a network.
type spec struct {
	name  string
	shape []int
	start start
}

// layout lists the tensors of a network in the order in which files and [Weights] hold them.
func layout(c Config, d dims) []spec {
	var specs []spec
	add := func(name string, start start, shape ...int) { specs = append(specs, spec{name, shape, start}) }
	conv := func(prefix, suffix string, start start, in int) {
		add(prefix+"conv"+suffix, start, c.Channels, 3, 3, in)
		add(prefix+"scale"+suffix, startOne, c.Channels)
		add(prefix+"bias"+suffix, startZero, c.Channels)
	}
	linear := func(name string, start start, out, in int) {
		add(name+".weight", start, out, in)
		add(name+".bias", startZero, out)
	}
	conv("stem.", "", startHe, d.input.C)
	for i := range c.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		conv(prefix, "1", startHe, c.Channels)
		conv(prefix, "2", startZero, c.Channels)
	}
	linear("policy.hidden", startHe, policyWidth, c.Channels)
	linear("policy.planes", startZero, d.policyPlanes, policyWidth)
	if d.policyExtras > 0 {
		linear("policy.extras", startZero, d.policyExtras, hiddenWidth)
	}
	linear("outcome.cells", startHe, outcomeWidth, c.Channels)
	linear("outcome.hidden", startHe, hiddenWidth, d.input.Cells()*outcomeWidth)
	linear("outcome.classes", startZero, d.classes, hiddenWidth)
	if d.goals {
		linear("goals", startZero, 2, hiddenWidth)
	}
	return specs
}
