package infer

import (
	"errors"
	"fmt"

	"ludus/env"
)

// Widths of the heads' hidden layers.
const (
	policyWidth  = 32 // channels of the policy head
	outcomeWidth = 16 // channels of the outcome head's cells if it flattens them
	pooledWidth  = 32 // the same if it pools them
	hiddenWidth  = 64 // the outcome head's hidden layer
)

const (
	maxChannels = 512
	maxBlocks   = 64
)

// Config is the architecture of a network.
type Config struct {
	// Game is the canonical name of the game.
	Game string
	// Sheet is the rule sheet of a game of one, otherwise "".
	Sheet string
	// Channels of the tower: a multiple of 4 from 4 to 512. AlphaZero has 256.
	Channels int
	// Blocks of two convolutions each, or with figure layers of a convolution and two of these: 0 to 64.
	// AlphaZero has 19 or 39.
	Blocks int
	// Pooled: the outcome head pools its cells (see [Pooling]), so the network has no weight per cell and plays every
	// size of its family. Otherwise the head flattens them, which fits one size.
	Pooled bool
}

// maxFlattened is the number of cells of the largest board whose default network flattens them.
const maxFlattened = 64

// DefaultConfig is the default architecture for runs of any length: 32 channels, with 3 blocks on boards of up to 25
// cells and 4 on larger ones. It is pooled on boards of more than 64 cells, which people play in several sizes; on
// smaller ones it has a weight per cell, with which the small games were tuned.
func DefaultConfig(game *env.Game) Config {
	blocks := 4
	if game.Tensor.Cells() <= 25 {
		blocks = 3
	}
	pooled := game.Tensor.Cells() > maxFlattened
	return Config{Game: game.Name, Sheet: game.Sheet, Channels: 32, Blocks: blocks, Pooled: pooled}
}

// outcomeInputs returns the channels of the outcome head's cells and the number of inputs of its hidden layer.
func (c Config) outcomeInputs(game *env.Game) (width, inputs int) {
	if c.Pooled {
		return pooledWidth, pooledValues * pooledWidth
	}
	return outcomeWidth, game.Tensor.Cells() * outcomeWidth
}

// Validate reports everything that is wrong with the config for game.
func (c Config) Validate(game *env.Game) error {
	var errs []error
	if !game.Is(c.Game) {
		errs = append(errs, fmt.Errorf("network for %q; the game is %q", c.Game, game.Name))
	}
	return errors.Join(append(errs, c.validateSizes())...)
}

// validateSizes is Validate without the name of the game.
func (c Config) validateSizes() error {
	var errs []error
	if c.Channels < 4 || c.Channels > maxChannels || c.Channels%4 != 0 {
		errs = append(errs, fmt.Errorf("channels is %d; it must be a multiple of 4 from 4 to %d", c.Channels, maxChannels))
	}
	if c.Blocks < 0 || c.Blocks > maxBlocks {
		errs = append(errs, fmt.Errorf("blocks is %d; it must be from 0 to %d", c.Blocks, maxBlocks))
	}
	return errors.Join(errs...)
}

// initialisation is the distribution of the values of a new tensor.
type initialisation uint8

const (
	initZero initialisation = iota
	initOne
	initHe // normal(0, 2 / fan-in)
)

// tensorLayout describes one tensor of a network.
type tensorLayout struct {
	name  string
	shape []int
	init  initialisation
}

// layout lists the tensors of a network, with figure layers or without, in the order of [Weights.Tensors].
func layout(c Config, game *env.Game, figures bool) []tensorLayout {
	var list []tensorLayout
	add := func(name string, init initialisation, shape ...int) {
		list = append(list, tensorLayout{name, shape, init})
	}
	conv := func(prefix, suffix string, init initialisation, in int) {
		add(prefix+"conv"+suffix, init, c.Channels, 3, 3, in)
		add(prefix+"scale"+suffix, initOne, c.Channels)
		add(prefix+"bias"+suffix, initZero, c.Channels)
	}
	linear := func(name string, init initialisation, out, in int) {
		add(name+".weight", init, out, in)
		add(name+".bias", initZero, out)
	}
	conv("stem.", "", initHe, game.Tensor.C)
	for i := range c.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		if !figures {
			conv(prefix, "1", initHe, c.Channels)
			conv(prefix, "2", initZero, c.Channels)
			continue
		}
		conv(prefix, "", initZero, c.Channels)
		for layer := range FigureLayers {
			prefix := FigureLayerPrefix(i, layer)
			add(prefix+"figures.weight", initHe, c.Channels, c.Channels)
			add(prefix+"cells.weight", initZero, c.Channels, c.Channels)
		}
	}
	linear("policy.hidden", initHe, policyWidth, c.Channels)
	linear("policy.planes", initZero, game.PolicyPlanes, policyWidth)
	if game.PolicyExtras > 0 {
		linear("policy.extras", initZero, game.PolicyExtras, hiddenWidth)
	}
	width, inputs := c.outcomeInputs(game)
	linear("outcome.cells", initHe, width, c.Channels)
	linear("outcome.hidden", initHe, hiddenWidth, inputs)
	linear("outcome.classes", initZero, len(game.Classes), hiddenWidth)
	if game.GoalHead {
		linear("goals", initZero, 2, hiddenWidth)
	}
	return list
}
