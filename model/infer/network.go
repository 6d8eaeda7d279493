package infer

import (
	"fmt"
	"slices"

	"ludus/env"
)

// linear is y = W x + b with W [out, in], in a multiple of 4; convolutions see 9 times their channels as in.
type linear struct {
	weight, bias []float32
	in, out      int
}

// Network is a network ready to run. It is immutable and shared by any number of goroutines, each of which needs an
// [Evaluator] of its own.
type Network struct {
	game   *env.Game
	config Config

	stem   linear
	blocks [][2]linear

	policyHidden, policyPlanes, policyExtras    linear
	outcomeCells, outcomeHidden, outcomeClasses linear
	goals                                       linear
}

// NewNetwork prepares weights for running: it folds every scale into the convolution before it. The weights are copied.
// It is an error if they are not a whole network of game.
func NewNetwork(game *env.Game, w *Weights) (*Network, error) {
	if err := w.Validate(game); err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	n := &Network{game: game, config: w.Config, stem: foldConv(w, "stem.", "")}
	for i := range w.Config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		n.blocks = append(n.blocks, [2]linear{foldConv(w, prefix, "1"), foldConv(w, prefix, "2")})
	}
	n.policyHidden = copyLinear(w, "policy.hidden")
	n.policyPlanes = copyLinear(w, "policy.planes")
	n.outcomeCells = copyLinear(w, "outcome.cells")
	n.outcomeHidden = copyLinear(w, "outcome.hidden")
	n.outcomeClasses = copyLinear(w, "outcome.classes")
	if game.PolicyExtras > 0 {
		n.policyExtras = copyLinear(w, "policy.extras")
	}
	if game.GoalHead {
		n.goals = copyLinear(w, "goals")
	}
	return n, nil
}

// Config returns the architecture.
func (n *Network) Config() Config { return n.config }

// Game returns the game that the network plays.
func (n *Network) Game() *env.Game { return n.game }

// foldConv multiplies a convolution's weights by their output channel's scale and pads their inputs to a multiple of 4.
func foldConv(w *Weights, prefix, suffix string) linear {
	weight := w.Lookup(prefix + "conv" + suffix)
	scale := w.Lookup(prefix + "scale" + suffix).Data
	out, in := weight.Shape[0], weight.Shape[3]
	padded := PadChannels(in)
	bias := slices.Clone(w.Lookup(prefix + "bias" + suffix).Data)
	l := linear{Aligned(out * 9 * padded), bias, 9 * padded, out}
	for row := range out * 9 {
		for c, v := range weight.Data[row*in : (row+1)*in] {
			l.weight[row*padded+c] = v * scale[row/9]
		}
	}
	return l
}

func copyLinear(w *Weights, name string) linear {
	weight := w.Lookup(name + ".weight")
	bias := slices.Clone(w.Lookup(name + ".bias").Data)
	l := linear{Aligned(len(weight.Data)), bias, weight.Shape[1], weight.Shape[0]}
	copy(l.weight, weight.Data)
	return l
}

// PadChannels is the number of channels, a multiple of 4, that activations of c channels are stored with.
func PadChannels(c int) int { return (c + 3) &^ 3 }
