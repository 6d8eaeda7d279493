package infer

import (
	"fmt"
	"slices"

	"ludus/env"
	"ludus/model/infer/kernel"
)

// linear is a layer y = x W + b, packed for the kernels.
type linear struct {
	in, out   int
	paddedOut int       // out rounded up to a multiple of 8
	weights   []float32 // [in, paddedOut] in panels of 16 columns
	bias      []float32 // [paddedOut]
}

// conv is a 3x3 convolution with its bias [padded channels]. The scale that follows the convolution is folded into its
// weights.
type conv struct {
	*kernel.Conv
	bias []float32
}

// block is a residual block: two convolutions, or one convolution and [FigureLayers] figure layers.
type block struct {
	convs   []conv
	figures []figureLayer
}

// Network is a network ready to run. It is immutable and may be shared by goroutines; each needs its own [Evaluator].
type Network struct {
	Game       *env.Game
	ValueScale float64 // as [Weights.ValueScale]

	planes   int // of the input, rounded up to a multiple of 8
	channels int // of the tower, rounded up to a multiple of 8

	stem   conv
	blocks []block
	sums   *FigureSums // nil without figure layers

	policyHidden, policyPlanes, policyExtras    linear
	outcomeCells, outcomeHidden, outcomeClasses linear
	pooling                                     *Pooling // nil if the outcome head flattens the cells
	goals                                       linear
}

// NewNetwork prepares a copy of weights for running. It folds every scale into the convolution before it. It returns an
// error if the weights are not a complete network for game.
func NewNetwork(game *env.Game, w *Weights) (*Network, error) {
	if err := w.Validate(game); err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	n := &Network{
		Game: game, ValueScale: w.ValueScale,
		planes: kernel.PadChannels(game.Tensor.C), channels: kernel.PadChannels(w.Config.Channels),
	}
	n.stem = n.fold(w, "stem.", "", n.planes)
	if w.HasFigureLayers() {
		n.sums = NewFigureSums(game, n.channels)
	}
	for i := range w.Config.Blocks {
		prefix := fmt.Sprintf("blocks.%d.", i)
		if n.sums == nil {
			n.blocks = append(n.blocks, block{convs: []conv{n.fold(w, prefix, "1", n.channels), n.fold(w, prefix, "2", n.channels)}})
			continue
		}
		b := block{convs: []conv{n.fold(w, prefix, "", n.channels)}}
		for layer := range FigureLayers {
			prefix := FigureLayerPrefix(i, layer)
			b.figures = append(b.figures, figureLayer{pack(w, prefix+"figures", n.channels), pack(w, prefix+"cells", n.channels)})
		}
		n.blocks = append(n.blocks, b)
	}
	n.policyHidden = pack(w, "policy.hidden", n.channels)
	n.policyPlanes = pack(w, "policy.planes", policyWidth)
	n.outcomeCells = pack(w, "outcome.cells", n.channels)
	_, inputs := w.Config.outcomeInputs(game)
	n.outcomeHidden = pack(w, "outcome.hidden", inputs)
	if w.Config.Pooled {
		n.pooling = NewPooling(game.Tensor.Cells())
	}
	n.outcomeClasses = pack(w, "outcome.classes", hiddenWidth)
	if game.PolicyExtras > 0 {
		n.policyExtras = pack(w, "policy.extras", hiddenWidth)
	}
	if game.GoalHead {
		n.goals = pack(w, "goals", hiddenWidth)
	}
	return n, nil
}

// fold returns the convolution prefix+"conv"+suffix, its weights multiplied by the scale of their output channel. Zeros
// extend its input channels to paddedIn and its output channels to n.channels.
func (n *Network) fold(w *Weights, prefix, suffix string, paddedIn int) conv {
	weight := w.Lookup(prefix + "conv" + suffix)
	scale := w.Lookup(prefix + "scale" + suffix).Data
	out, in := weight.Shape[0], weight.Shape[3]
	folded := make([]float32, n.channels*9*paddedIn)
	for row := range out * 9 {
		for c, v := range weight.Data[row*in : (row+1)*in] {
			folded[row*paddedIn+c] = v * scale[row/9] // 9 taps per output channel
		}
	}
	bias := slices.Clone(w.Lookup(prefix + "bias" + suffix).Data)
	bias = append(bias, make([]float32, n.channels-out)...)
	board := n.Game.Tensor
	return conv{kernel.NewConv(board.H, board.W, paddedIn, n.channels, folded), bias}
}

// pack returns the linear layer of the given name for the kernels. Zeros extend its inputs to paddedIn and replace a bias
// that it lacks.
func pack(w *Weights, name string, paddedIn int) linear {
	weight := w.Lookup(name + ".weight")
	out, in := weight.Shape[0], weight.Shape[1]
	l := linear{in: paddedIn, out: out, paddedOut: kernel.PadChannels(out)}
	l.weights = kernel.Pack(paddedIn, l.paddedOut, func(i, o int) float32 {
		if i >= in || o >= out {
			return 0
		}
		return weight.Data[o*in+i]
	})
	l.bias = make([]float32, l.paddedOut)
	if bias := w.Lookup(name + ".bias"); bias != nil {
		copy(l.bias, bias.Data)
	}
	return l
}
