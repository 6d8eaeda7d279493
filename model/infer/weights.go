package infer

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"ludus/env"
)

// ErrFormat is wrapped by every error about bytes that are no valid tensors or weights file.
var ErrFormat = errors.New("bad tensors file")

// Tensor is a named array, row-major.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// Weights are the parameters of a network. Config and game determine the order, names and shapes of the tensors.
type Weights struct {
	Config Config
	// ValueScale is the search setting mcts.Config.ValueScale of the games that the network was trained on, above 0.
	// Gumbel search with this network should use it too. Default 0.5.
	ValueScale float64
	Tensors    []Tensor
}

const defaultValueScale = 0.5

// NewWeights draws the weights of a new network, whose policy and classes are uniform; the package comment lists the
// variances. It panics if the config is not valid for game.
func NewWeights(game *env.Game, config Config, rng *rand.Rand) *Weights {
	if config.Validate(game) != nil {
		panic("infer: new weights of an invalid config")
	}
	w := &Weights{Config: config, ValueScale: defaultValueScale}
	for _, l := range layout(config, game) {
		data := make([]float32, product(l.shape))
		switch l.init {
		case initOne:
			for i := range data {
				data[i] = 1
			}
		case initHe:
			deviation := math.Sqrt(2 / float64(product(l.shape[1:])))
			for i := range data {
				data[i] = float32(deviation * rng.NormFloat64())
			}
		}
		w.Tensors = append(w.Tensors, Tensor{l.name, l.shape, data})
	}
	return w
}

// Parameters returns the number of parameters.
func (w *Weights) Parameters() int {
	n := 0
	for _, t := range w.Tensors {
		n += len(t.Data)
	}
	return n
}

// Lookup returns the tensor with the given name, or nil.
func (w *Weights) Lookup(name string) *Tensor {
	for i := range w.Tensors {
		if w.Tensors[i].Name == name {
			return &w.Tensors[i]
		}
	}
	return nil
}

// Clone returns an independent copy.
func (w *Weights) Clone() *Weights {
	c := *w
	c.Tensors = slices.Clone(w.Tensors)
	for i := range c.Tensors {
		c.Tensors[i].Data = slices.Clone(c.Tensors[i].Data)
	}
	return &c
}

// Validate returns an error unless the weights are a complete network for game.
func (w *Weights) Validate(game *env.Game) error {
	if err := w.Config.Validate(game); err != nil {
		return err
	}
	if !validScale(w.ValueScale) {
		return fmt.Errorf("value scale is %v; it must be above 0", w.ValueScale)
	}
	want := layout(w.Config, game)
	if len(w.Tensors) != len(want) {
		return fmt.Errorf("%d tensors; the architecture has %d in this version of %s: another version of the program made the "+
			"network, or it is not complete", len(w.Tensors), len(want), game.Name)
	}
	for i, l := range want {
		t := w.Tensors[i]
		if t.Name != l.name || !slices.Equal(t.Shape, l.shape) {
			return fmt.Errorf("tensor %d is %q %v, but %q %v in this version of %s: another version of the program made it",
				i, t.Name, t.Shape, l.name, l.shape, game.Name)
		}
		if len(t.Data) != product(l.shape) {
			return fmt.Errorf("tensor %d, %q %v, holds %d values; it must be %d",
				i, t.Name, t.Shape, len(t.Data), product(l.shape))
		}
	}
	return nil
}

func validScale(c float64) bool { return c > 0 && !math.IsInf(c, 0) }

const (
	weightsFormat  = "ludus-weights"
	weightsVersion = "2"
)

// Marshal writes the weights as a safetensors file. Equal weights give equal bytes.
func (w *Weights) Marshal() []byte { return w.marshal(single) }

// MarshalHalf is Marshal with values rounded to half precision, in half the bytes. [Unmarshal] reads the rounded values.
func (w *Weights) MarshalHalf() []byte { return w.marshal(half) }

// marshal is Marshal with values of the given data type.
func (w *Weights) marshal(dtype string) []byte {
	metadata := map[string]string{
		"format":      weightsFormat,
		"version":     weightsVersion,
		"game":        w.Config.Game,
		"channels":    strconv.Itoa(w.Config.Channels),
		"blocks":      strconv.Itoa(w.Config.Blocks),
		"value_scale": strconv.FormatFloat(w.ValueScale, 'g', -1, 64),
	}
	if w.Config.Sheet != "" {
		metadata["sheet"] = w.Config.Sheet
	}
	return marshalTensors(metadata, w.Tensors, dtype)
}

// Unmarshal reads what [Weights.Marshal] or [Weights.MarshalHalf] wrote. Errors wrap [ErrFormat]. The weights do not
// refer to data. Call [Weights.Validate] to check that they are a complete network for a game.
func Unmarshal(data []byte) (*Weights, error) {
	metadata, tensors, err := UnmarshalTensors(data)
	if err != nil {
		return nil, err
	}
	w := &Weights{Tensors: tensors}
	if err := w.readMetadata(metadata); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return w, nil
}

// readMetadata checks the metadata of a weights file and sets w.Config and w.ValueScale from it.
func (w *Weights) readMetadata(metadata map[string]string) error {
	if got := metadata["format"]; got != weightsFormat {
		return fmt.Errorf("format is %q; weights have %q", got, weightsFormat)
	}
	if got := metadata["version"]; got != weightsVersion {
		return fmt.Errorf("version is %q; this program reads version %s", got, weightsVersion)
	}
	channels, err1 := strconv.Atoi(metadata["channels"])
	blocks, err2 := strconv.Atoi(metadata["blocks"])
	scale, err3 := strconv.ParseFloat(metadata["value_scale"], 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return fmt.Errorf("channels, blocks or value_scale: %w", err)
	}
	w.Config, w.ValueScale = Config{Game: metadata["game"], Sheet: metadata["sheet"], Channels: channels, Blocks: blocks}, scale
	if !validScale(scale) {
		return fmt.Errorf("value_scale is %v; it must be above 0", scale)
	}
	return w.Config.validateSizes()
}

// product is the number of values of a tensor with this shape.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
