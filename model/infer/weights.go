package infer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

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

// Weights are the parameters of a network. Config, game and [Weights.HasFigureLayers] determine the names, shapes and
// order of the tensors; in a file they may have any order.
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
	return newWeights(game, config, len(game.Figures) > 0, rng)
}

// newWeights is NewWeights for a network with figure layers or without.
func newWeights(game *env.Game, config Config, figures bool, rng *rand.Rand) *Weights {
	w := &Weights{Config: config, ValueScale: defaultValueScale}
	for _, l := range layout(config, game, figures) {
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

// HasFigureLayers reports whether the blocks have figure layers: those of new networks have them in games with figures.
// Networks that were made before their game listed figures have none.
func (w *Weights) HasFigureLayers() bool { return w.Config.Blocks > 0 && w.Lookup(firstConv) == nil }

// firstConv is a tensor that only blocks of two convolutions have.
const firstConv = "blocks.0.conv1"

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
	want := layout(w.Config, game, w.HasFigureLayers() && len(game.Figures) > 0)
	kind := fmt.Sprintf("a network of %s with %d channels and %d blocks", game.Name, w.Config.Channels, w.Config.Blocks)
	for i, l := range want {
		t := w.Lookup(l.name)
		switch {
		case t == nil:
			return fmt.Errorf("there is no tensor %q, which %s has", l.name, kind)
		case !slices.Equal(t.Shape, l.shape):
			return fmt.Errorf("tensor %q has the shape %v; in %s it is %v", l.name, t.Shape, kind, l.shape)
		case len(t.Data) != product(l.shape):
			return fmt.Errorf("tensor %q %v holds %d values; it must be %d", l.name, l.shape, len(t.Data), product(l.shape))
		case t != &w.Tensors[i]:
			return fmt.Errorf("tensor %d is %q instead of %q", i, w.Tensors[i].Name, l.name)
		}
	}
	if len(w.Tensors) > len(want) {
		return fmt.Errorf("there is a tensor %q, which %s has not", w.Tensors[len(want)].Name, kind)
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

// MarshalHalf is Marshal with values rounded to half precision, in half the bytes. [Unmarshal] reads the rounded
// values.
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
	if w.Config.Pooled {
		metadata["pooled"] = "true"
	}
	if w.Config.Sheet != "" {
		metadata["sheet"] = w.Config.Sheet
	}
	return marshalTensors(metadata, w.Tensors, dtype)
}

// Unmarshal reads what [Weights.Marshal] or [Weights.MarshalHalf] wrote. Errors wrap [ErrFormat]. The weights do not
// refer to data. Call [Weights.Validate] to check that they are a complete network for a game.
func Unmarshal(data []byte) (*Weights, error) {
	metadata, tensors, err := unmarshalTensors(data, arrange)
	if err != nil {
		return nil, err
	}
	w := &Weights{Tensors: tensors}
	if err := w.readMetadata(metadata); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return w, nil
}

// arrange puts the tensors of a weights file in the order of [Weights.Tensors], those of unknown names last. It reports
// whether their names are those of a network: of another set of tensors, [Weights.Validate] says what is wrong.
func arrange(metadata map[string]string, tensors []Tensor) (complete bool) {
	blocks, err := strconv.Atoi(metadata["blocks"])
	if err != nil || blocks > maxBlocks {
		return false // readMetadata returns an error
	}
	game, figures := &env.Game{}, true // names and order depend on no more than what the tensors tell of these
	for _, t := range tensors {
		switch {
		case strings.HasPrefix(t.Name, "policy.extras."):
			game.PolicyExtras = 1
		case strings.HasPrefix(t.Name, "goals."):
			game.GoalHead = true
		case t.Name == firstConv:
			figures = false
		}
	}
	position := map[string]int{}
	for i, l := range layout(Config{Blocks: blocks}, game, figures) {
		position[l.name] = i + 1
	}
	slices.SortStableFunc(tensors, func(a, b Tensor) int {
		return cmp.Compare(cmp.Or(position[a.Name], math.MaxInt), cmp.Or(position[b.Name], math.MaxInt))
	})
	unknown := func(t Tensor) bool { return position[t.Name] == 0 }
	return len(tensors) == len(position) && !slices.ContainsFunc(tensors, unknown)
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
	pooled, ok := metadata["pooled"] // left out if not
	if ok && pooled != "true" {
		return fmt.Errorf("pooled is %q; it must be \"true\" or left out", pooled)
	}
	w.Config = Config{
		Game: env.Renamed(metadata["game"]), Sheet: metadata["sheet"], Channels: channels, Blocks: blocks, Pooled: ok,
	}
	w.ValueScale = scale
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
