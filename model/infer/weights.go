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

// ErrFormat is wrapped by every error about bytes that are no sound weights or tensors file.
var ErrFormat = errors.New("bad tensors file")

// Tensor is a named array, row-major.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// Weights are the parameters of a network. Order and names of the tensors follow from the config and the game.
type Weights struct {
	Config  Config
	Tensors []Tensor
	// ValueScale is c in the sigma(q) of the searches that the network was trained with, above 0. Gumbel search with this
	// network should use it too. Default 0.5.
	ValueScale float64
	dims       dims
}

const defaultValueScale = 0.5

// NewWeights draws the weights of a fresh network, which plays uniformly (see the package's comment for the variances).
// It panics if the config is not valid for game.
func NewWeights(game *env.Game, config Config, rng *rand.Rand) *Weights {
	if config.Validate(game) != nil {
		panic("infer: new weights of an invalid config")
	}
	w := &Weights{Config: config, ValueScale: defaultValueScale, dims: dimsOf(game)}
	for _, s := range layout(config, w.dims) {
		data := make([]float32, product(s.shape))
		switch s.start {
		case startOne:
			for i := range data {
				data[i] = 1
			}
		case startHe:
			deviation := math.Sqrt(2 / float64(product(s.shape[1:])))
			for i := range data {
				data[i] = float32(deviation * rng.NormFloat64())
			}
		}
		w.Tensors = append(w.Tensors, Tensor{s.name, s.shape, data})
	}
	return w
}

// Lookup returns the tensor of that name, or nil.
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

// Validate reports whether the weights are a whole network of game.
func (w *Weights) Validate(game *env.Game) error {
	if err := w.Config.Validate(game); err != nil {
		return err
	}
	if w.dims != dimsOf(game) {
		return fmt.Errorf("network has other shapes than %s; another version of the program made it", game.Name)
	}
	if !(w.ValueScale > 0) {
		return fmt.Errorf("value scale is %v; it must be above 0", w.ValueScale)
	}
	return w.checkTensors()
}

// checkTensors compares names and shapes with what the config asks for.
func (w *Weights) checkTensors() error {
	specs := layout(w.Config, w.dims)
	if len(w.Tensors) != len(specs) {
		return fmt.Errorf("%d tensors; the architecture has %d", len(w.Tensors), len(specs))
	}
	for i, s := range specs {
		t := w.Tensors[i]
		if t.Name != s.name || !slices.Equal(t.Shape, s.shape) {
			return fmt.Errorf("tensor %d is %q %v; the architecture has %q %v", i, t.Name, t.Shape, s.name, s.shape)
		}
		if len(t.Data) != product(s.shape) {
			return fmt.Errorf("tensor %d, %q %v, holds %d values; it must be %d", i, t.Name, t.Shape, len(t.Data), product(s.shape))
		}
	}
	return nil
}

const (
	weightsFormat  = "ludus-weights"
	weightsVersion = 2
)

// Marshal writes the weights as a safetensors file. Equal weights give equal bytes.
func (w *Weights) Marshal() []byte {
	number := strconv.Itoa
	return MarshalTensors(map[string]string{
		"format":        weightsFormat,
		"version":       number(weightsVersion),
		"game":          w.Config.Game,
		"channels":      number(w.Config.Channels),
		"blocks":        number(w.Config.Blocks),
		"value_scale":   strconv.FormatFloat(w.ValueScale, 'g', -1, 64),
		"input_planes":  number(w.dims.input.C),
		"height":        number(w.dims.input.H),
		"width":         number(w.dims.input.W),
		"policy_planes": number(w.dims.policyPlanes),
		"policy_extras": number(w.dims.policyExtras),
		"classes":       number(w.dims.classes),
		"goal_head":     strconv.FormatBool(w.dims.goals),
	}, w.Tensors)
}

// Unmarshal reads what [Weights.Marshal] wrote. Errors wrap [ErrFormat]. The result keeps no reference to data.
func Unmarshal(data []byte) (*Weights, error) {
	metadata, tensors, err := UnmarshalTensors(data)
	if err != nil {
		return nil, err
	}
	w := &Weights{Tensors: tensors}
	if err := w.readMetadata(metadata); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err := w.checkTensors(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return w, nil
}

func (w *Weights) readMetadata(metadata map[string]string) error {
	if got := metadata["format"]; got != weightsFormat {
		return fmt.Errorf("format is %q; weights have %q", got, weightsFormat)
	}
	var errs []error
	number := func(key string, lo, hi int) int {
		n, err := strconv.Atoi(metadata[key])
		if err != nil || n < lo || n > hi {
			errs = append(errs, fmt.Errorf("%s is %q; it must be in %d..%d", key, metadata[key], lo, hi))
		}
		return n
	}
	if got := metadata["version"]; got != strconv.Itoa(weightsVersion) {
		return fmt.Errorf("version is %q; this program reads version %d", got, weightsVersion)
	}
	w.Config.Game = metadata["game"]
	w.Config.Channels = number("channels", 4, maxChannels)
	w.Config.Blocks = number("blocks", 0, maxBlocks)
	w.dims.input = env.Shape{C: number("input_planes", 1, 1024), H: number("height", 1, 64), W: number("width", 1, 64)}
	w.dims.policyPlanes = number("policy_planes", 1, 1024)
	w.dims.policyExtras = number("policy_extras", 0, 4096)
	w.dims.classes = number("classes", 1, 1024)
	var err error
	if w.dims.goals, err = strconv.ParseBool(metadata["goal_head"]); err != nil {
		errs = append(errs, fmt.Errorf("goal_head is %q; it must be true or false", metadata["goal_head"]))
	}
	w.ValueScale, err = strconv.ParseFloat(metadata["value_scale"], 64)
	if err != nil || !(w.ValueScale > 0) || math.IsInf(w.ValueScale, 0) {
		errs = append(errs, fmt.Errorf("value_scale is %q; it must be a number above 0", metadata["value_scale"]))
	}
	return errors.Join(append(errs, w.Config.validateSizes())...)
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
