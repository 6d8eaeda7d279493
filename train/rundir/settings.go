package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/env/naming"
	"ludus/model/infer"
)

// Settings are the hyperparameters of a run. [Settings.List] describes each and gives its range.
type Settings struct {
	ParallelGames       int     `json:"parallel_games"`
	PliesPerGeneration  int     `json:"plies_per_generation"`
	Simulations         int     `json:"simulations"`
	ValueScale          float64 `json:"value_scale"`
	Channels            int     `json:"channels"`
	Blocks              int     `json:"blocks"`
	BatchSize           int     `json:"batch_size"`
	LearningRate        float64 `json:"learning_rate"`
	WeightDecay         float64 `json:"weight_decay"`
	SamplesPerPosition  float64 `json:"samples_per_position"`
	ReplayWindow        int     `json:"replay_window"`
	ValueMix            float64 `json:"value_mix"`
	ExplorationPlies    int     `json:"exploration_plies"`
	ExplorationFraction float64 `json:"exploration_fraction"`
	ValidationShare     float64 `json:"validation_share"`
	KeepNewest          int     `json:"keep_newest"`
	KeepEvery           int     `json:"keep_every"`
	SolverNodes         int     `json:"solver_nodes"`
	RatingShare         float64 `json:"rating_share"`
	Sizes               Sizes   `json:"sizes,omitempty"`
}

// DefaultSettings returns the settings of a new run of game.
func DefaultSettings(game *env.Game) Settings {
	net := infer.DefaultConfig(game)
	return Settings{
		Simulations: simulations(game), ValueScale: 0.5,
		Channels: net.Channels, Blocks: net.Blocks,
		BatchSize: 256, LearningRate: 3e-3, WeightDecay: 0.01, SamplesPerPosition: samplesPerPosition(game),
		ReplayWindow: 20000, ValueMix: 0.25, ExplorationPlies: 8, ExplorationFraction: 0.15, ValidationShare: 0.05,
		SolverNodes: 1000, KeepNewest: 5, KeepEvery: 10, RatingShare: 0.05,
		Sizes: DefaultSizes(game),
	}
}

// simulations is the default of the setting simulations. More pay off on large boards unless all figures are small,
// such as five in a row: these tell good moves from bad ones.
func simulations(game *env.Game) int {
	longest := 0
	for _, figure := range game.Figures {
		longest = max(longest, len(figure))
	}
	if game.Tensor.Cells() < 64 || longest > 0 && longest <= 6 {
		return 16
	}
	return 32
}

// samplesPerPosition is the default of the setting samples_per_position: the number of the game's symmetries, at least
// 4 and at most 8. Each sample is transformed by a random symmetry; a position with few different images is learned by
// heart if it is drawn often.
func samplesPerPosition(game *env.Game) float64 { return float64(min(max(len(game.Symmetries), 4), 8)) }

// Setting describes one field of a [Settings].
type Setting struct {
	Key       string  // its name for --set and in JSON
	Low, High float64 // the values allowed, both included
	multiple  float64 // the value must be a multiple of this; 0: any number
	field     field   // accessor of its value in the Settings
	doc       string  // first part of its Help
}

// field is a field of a Settings. As a number, it is a value of [Settings.Change].
type field interface {
	get() float64
	set(x float64)
	text() string                           // as --set takes it
	parse(text string) (float64, error)     // reads text without checking the range
	parseJSON(data []byte) (float64, error) // reads its value in JSON; an error says what that must be
	values(s *Setting) string               // describes the allowed values, such as "a multiple of 4 from 4 to 512"
}

// number is a field that holds one number.
type number[T int | float64] struct{ value *T }

func (n number[T]) get() float64  { return float64(*n.value) }
func (n number[T]) set(x float64) { *n.value = T(x) }
func (n number[T]) text() string  { return decimal(n.get()) }

func (n number[T]) parse(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

func (n number[T]) parseJSON(data []byte) (float64, error) {
	x, err := n.parse(string(data))
	if err != nil {
		err = errors.New("must be a number, such as 32")
	}
	return x, err
}

func (n number[T]) values(s *Setting) string {
	kind := "a number"
	switch {
	case s.multiple == 1:
		kind = "a whole number"
	case s.multiple > 1:
		kind = "a multiple of " + decimal(s.multiple)
	}
	return fmt.Sprintf("%s from %s to %s", kind, decimal(s.Low), decimal(s.High))
}

// List describes the fields of s in the order of the help. The help texts give in parentheses the values of AlphaZero
// (AZ: Silver et al. 2018) and Gumbel AlphaZero (GZ: Danihelka et al. 2022).
func (s *Settings) List() []Setting {
	return []Setting{ // Key, Low, High, multiple, field, doc
		{"parallel_games", 0, 65536, 1, number[int]{&s.ParallelGames},
			"self-play games in progress at once; 0: 256, or fewer if --time is short (AZ 5000)"},
		{"plies_per_generation", 0, 1000, 1, number[int]{&s.PliesPerGeneration},
			"plies that each game advances in a generation; 0: chosen by the plan"},
		{"simulations", 2, 100000, 1, number[int]{&s.Simulations},
			"per move of self-play; by default 32 on 64 cells or more unless the longest figure has at most 6, otherwise 16 (AZ 800, GZ 2 to 200)"},
		{"value_scale", 0.01, 10, 0, number[float64]{&s.ValueScale},
			"c_scale of the Gumbel search, for values in [-1, 1] (GZ 0.5)"},
		{"channels", 4, 512, 4, number[int]{&s.Channels}, "width of the network (AZ 256)"},
		{"blocks", 1, 40, 1, number[int]{&s.Blocks}, "residual blocks, each of two convolutions, or of one and two figure layers if the game " +
			"has figures (AZ 19)"},
		{"batch_size", 8, 4096, 1, number[int]{&s.BatchSize}, "samples per training step (AZ 4096)"},
		{"learning_rate", 1e-6, 1, 0, number[float64]{&s.LearningRate}, "peak of the learning rate schedule"},
		{"weight_decay", 0, 1, 0, number[float64]{&s.WeightDecay}, "decoupled weight decay of Muon and AdamW"},
		{"samples_per_position", 0.1, 100, 0, number[float64]{&s.SamplesPerPosition},
			"training samples drawn per position played (replay ratio); repeated positions count less; by default the number of " +
				"the game's symmetries, at least 4 and at most 8"},
		{"replay_window", 100, 1e8, 1, number[int]{&s.ReplayWindow},
			"the replay window holds all positions until the run has this many; after that it grows sublinearly"},
		{"value_mix", 0, 1, 0, number[float64]{&s.ValueMix},
			"share of the search's value in the value target (lc0: q ratio; AZ 0)"},
		{"exploration_plies", 0, 100, 1, number[int]{&s.ExplorationPlies},
			"first searched plies of a game: their moves are drawn from the policy target (AZ 30)"},
		{"exploration_fraction", 0, 1, 0, number[float64]{&s.ExplorationFraction},
			"probability that such a move is drawn uniformly instead"},
		{"validation_share", 0, 0.5, 0, number[float64]{&s.ValidationShare},
			"share of games in the validation set, which is never trained on"},
		{"solver_nodes", 0, 1e8, 1, number[int]{&s.SolverNodes},
			"nodes of the exact solver for each position of a finished game; its results replace the search's; 0: off"},
		{"keep_newest", 1, 1e6, 1, number[int]{&s.KeepNewest}, "number of newest checkpoints to keep; may be changed in an existing run"},
		{"keep_every", 0, 1e6, 1, number[int]{&s.KeepEvery}, "keep every n-th of the older checkpoints; 0: none; may be changed, too"},
		{"rating_share", 0, 0.5, 0, number[float64]{&s.RatingShare},
			"share of the time for matches against the shipped agent, or mcts:200 without one, which measure the run; 0: no " +
				"matches and no tests in solved positions. Games and weights do not depend on it"},
		{sizesKey, 0, math.MaxUint32, 1, &s.Sizes,
			"boards to train on, from small to large, the game's own last; one network plays them all. By default up to four, " +
				"from half the side, if the board has more than 64 cells; own: the game's own alone"},
	}
}

// Changed lists the settings that differ from the given ones, as "KEY=VALUE". It leaves out settings that affect
// neither games nor weights.
func (s *Settings) Changed(from Settings) (changed []string) {
	others := from.List()
	for i, own := range s.List() {
		ignored := own.keeps() || own.Key == "rating_share"
		if !ignored && own.Text() != others[i].Text() {
			changed = append(changed, own.Key+"="+own.Text())
		}
	}
	return changed
}

// keeps reports whether the setting only says which checkpoints stay. Such settings may be changed in an existing run.
func (s *Setting) keeps() bool { return strings.HasPrefix(s.Key, "keep_") }

// Text returns the setting's value as --set takes it, numbers without an exponent.
func (s *Setting) Text() string { return s.field.text() }

// Help says what the setting does and which values it takes.
func (s *Setting) Help() string { return s.doc + "; " + s.field.values(s) }

// check returns an error if the setting does not allow x. text is x as it appears in the error.
func (s *Setting) check(x float64, text string) error {
	if x >= s.Low && x <= s.High && (s.multiple == 0 || math.Mod(x, s.multiple) == 0) {
		return nil
	}
	return fmt.Errorf("setting %s=%s: it must be %s", s.Key, text, s.field.values(s))
}

// find returns the setting named key.
func (s *Settings) find(key string) (*Setting, error) {
	var known []string
	for _, d := range s.List() {
		if d.Key == key {
			return &d, nil
		}
		known = append(known, d.Key)
	}
	if near := naming.Nearest(key, known); near != "" {
		return nil, fmt.Errorf("unknown setting %q; did you mean %q?", key, near)
	}
	return nil, fmt.Errorf("unknown setting %q", key)
}

// Value returns the value of the setting named key, which must exist.
func (s *Settings) Value(key string) float64 {
	d, err := s.find(key)
	if err != nil {
		panic(err)
	}
	return d.field.get()
}

// Validate reports every setting that is out of its range.
func (s *Settings) Validate() error {
	var errs []error
	for _, d := range s.List() {
		errs = append(errs, d.check(d.field.get(), d.Text()))
	}
	return errors.Join(errs...)
}

// Change sets settings by key and reports all errors at once. After an error s is unchanged.
func (s *Settings) Change(values map[string]float64) error {
	changed := *s
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(values)) {
		d, err := changed.find(key)
		if err == nil {
			err = d.check(values[key], decimal(values[key]))
		}
		if err == nil {
			d.field.set(values[key])
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	*s = changed
	return nil
}

// ParseSetting reads KEY=VALUE. It does not check the range.
func ParseSetting(text string) (key string, value float64, err error) {
	key, written, ok := strings.Cut(text, "=")
	key, written = strings.TrimSpace(key), strings.TrimSpace(written)
	if !ok {
		return "", 0, fmt.Errorf("setting %q: write it as KEY=VALUE, such as simulations=64", text)
	}
	d, err := new(Settings).find(key)
	if err != nil {
		return "", 0, err
	}
	if value, err = d.field.parse(written); err != nil {
		return "", 0, d.check(math.NaN(), written) // no setting allows NaN, so this error names the allowed values
	}
	return key, value, nil
}

// ParseSettings reads a JSON object of settings, or those in the config.json of a run. It does not check ranges.
func ParseSettings(data []byte) (map[string]float64, error) {
	data = env.SkipByteOrderMark(data)
	values := map[string]float64{}
	var config struct{ Settings json.RawMessage }
	if json.Unmarshal(data, &config) == nil && config.Settings != nil {
		data, values[sizesKey] = config.Settings, 0 // a run of one size does not name it
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("settings must be a JSON object, such as {\"simulations\": 32}: %w", err)
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(object)) {
		d, err := new(Settings).find(key)
		if err == nil {
			values[key], err = d.field.parseJSON(object[key])
			if err != nil {
				err = fmt.Errorf("setting %s %w", key, err)
			}
		}
		errs = append(errs, err)
	}
	return values, errors.Join(errs...)
}

// Differences lists the settings in which s differs from those of a run, as "KEY=VALUE (the run has VALUE)". It leaves
// out keep_newest and keep_every, which may be changed.
func (s *Settings) Differences(run *Settings) []string {
	var all []string
	ours, theirs := s.List(), run.List()
	for i := range ours {
		if a, b := ours[i].Text(), theirs[i].Text(); a != b && !ours[i].keeps() {
			all = append(all, fmt.Sprintf("%s=%s (the run has %s)", ours[i].Key, a, b))
		}
	}
	return all
}

// decimal writes a number without an exponent.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
