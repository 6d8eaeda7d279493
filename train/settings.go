package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/model/infer"
)

// Settings are the choices of a run.
type Settings struct {
	Slots       int     `json:"slots"`
	Plies       int     `json:"plies"`
	Simulations int     `json:"simulations"`
	ValueScale  float64 `json:"value_scale"`
	Channels    int     `json:"channels"`
	Blocks      int     `json:"blocks"`
	Batch       int     `json:"batch"`
	Rate        float64 `json:"rate"`
	Decay       float64 `json:"decay"`
	Reuse       float64 `json:"reuse"`
	Window      int     `json:"window"`
	Blend       float64 `json:"blend"`
	Explore     int     `json:"explore"`
	Uniform     float64 `json:"uniform"`
	HeldOut     float64 `json:"held_out"`
	KeepNewest  int     `json:"keep_newest"`
	KeepEvery   int     `json:"keep_every"`
	Rating      float64 `json:"rating"`
}

// ranges say what each setting is and may be, in the order of the struct. Values of AlphaZero (AZ: Silver et al. 2018)
// and Gumbel AlphaZero (GZ: Danihelka et al. 2022) stand beside ours.
var ranges = []struct {
	key      string
	low, top float64
	doc      string
}{
	{"slots", 0, 65536, "games in play at once; 0: 256, or fewer where a time plan is short (AZ 5000)"},
	{"plies", 0, 1000, "plies of each game in a generation; 0: by the plan"},
	{"simulations", 2, 100000, "of each move in self-play (AZ 800, GZ 2 to 200)"},
	{"value_scale", 0.01, 10, "c of the search's sigma on values in [-1, 1] (GZ 0.5)"},
	{"channels", 4, 512, "width of the network, a multiple of 4 (AZ 256)"},
	{"blocks", 1, 40, "residual blocks of the network (AZ 19)"},
	{"batch", 8, 4096, "positions of a learning step (AZ 4096)"},
	{"rate", 1e-6, 1, "highest learning rate"},
	{"decay", 0, 1, "decoupled weight decay"},
	{"reuse", 0.1, 100, "samples learnt from for each position played"},
	{"window", 100, 1e8, "positions after which the replay window grows slower than the run"},
	{"blend", 0, 1, "share of the search's judgement in the outcome target (AZ 0)"},
	{"explore", 0, 100, "first plies of a game that are drawn, not chosen (AZ 30)"},
	{"uniform", 0, 1, "share of the uniform distribution in those draws"},
	{"held_out", 0, 0.5, "share of games kept from the learner, to measure its losses"},
	{"keep_newest", 1, 1e6, "checkpoints that are kept, the newest ones"},
	{"keep_every", 0, 1e6, "of the older ones, keep one of so many; 0: none"},
	{"rating", 0, 0.5, "share of the time for matches that rate the run; 0: none, at its end neither. Games and weights do not depend on it"},
}

// DefaultSettings returns what a run of game uses where nothing else is asked for.
func DefaultSettings(game *env.Game) Settings {
	net := infer.DefaultConfig(game)
	return Settings{
		Simulations: 16, ValueScale: 0.5,
		Channels: net.Channels, Blocks: net.Blocks,
		Batch: 256, Rate: 1e-3, Decay: 0.01, Reuse: 4,
		Window: 20000, Blend: 0.25, Explore: 8, Uniform: 0.15, HeldOut: 0.05,
		KeepNewest: 5, KeepEvery: 10, Rating: 0.05,
	}
}

// Setting describes one setting for people.
type Setting struct{ Key, Default, Doc string }

// DescribeSettings lists the settings with their defaults for game.
func DescribeSettings(game *env.Game) []Setting {
	s := DefaultSettings(game)
	var all []Setting
	i := 0
	for key, field := range s.fields() {
		r := ranges[i]
		doc := fmt.Sprintf("%s; %s to %s", r.doc, plain(r.low), plain(r.top))
		all = append(all, Setting{key, fmt.Sprint(field.Interface()), doc})
		i++
	}
	return all
}

// Validate reports every setting that is out of its range.
func (s *Settings) Validate() error {
	var errs []error
	i := 0
	for key, field := range s.fields() {
		r := ranges[i]
		if x := number(field); !(x >= r.low && x <= r.top) {
			errs = append(errs, fmt.Errorf("setting %s=%v: it must lie between %s and %s",
				key, field.Interface(), plain(r.low), plain(r.top)))
		}
		i++
	}
	return errors.Join(errs...)
}

// Set changes one setting from its text.
func (s *Settings) Set(key, value string) error {
	for k, field := range s.fields() {
		if k != key {
			continue
		}
		if field.Kind() == reflect.Int {
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("setting %s=%s: it must be a whole number", key, value)
			}
			field.SetInt(int64(n))
			return nil
		}
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("setting %s=%s: it must be a number", key, value)
		}
		field.SetFloat(x)
		return nil
	}
	return unknownKey(key)
}

// Apply changes the settings that are asked for and reports everything that is wrong with them.
func (s *Settings) Apply(asked map[string]string) error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		errs = append(errs, s.Set(key, asked[key]))
	}
	return errors.Join(append(errs, s.Validate())...)
}

// ParseSettings reads a file of settings: one JSON object of numbers.
func ParseSettings(data []byte) (map[string]string, error) {
	var object map[string]json.Number
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("settings must be one JSON object of numbers, such as {\"simulations\": 32}: %w", err)
	}
	asked := make(map[string]string, len(object))
	for key, value := range object {
		asked[key] = value.String()
	}
	return asked, nil
}

// Differences lists the settings in which s departs from t, as "key=s (t)".
func (s *Settings) Differences(t *Settings) []string {
	var out []string
	other := make(map[string]any)
	for key, field := range t.fields() {
		other[key] = field.Interface()
	}
	for key, field := range s.fields() {
		if field.Interface() != other[key] {
			out = append(out, fmt.Sprintf("%s=%v (the run has %v)", key, field.Interface(), other[key]))
		}
	}
	return out
}

// fields yields each setting's key and value.
func (s *Settings) fields() func(yield func(string, reflect.Value) bool) {
	v := reflect.ValueOf(s).Elem()
	return func(yield func(string, reflect.Value) bool) {
		for i := range v.NumField() {
			if !yield(v.Type().Field(i).Tag.Get("json"), v.Field(i)) {
				return
			}
		}
	}
}

// plain writes a number without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func number(v reflect.Value) float64 {
	if v.Kind() == reflect.Int {
		return float64(v.Int())
	}
	return v.Float()
}

func unknownKey(key string) error {
	var known []string
	for _, r := range ranges {
		known = append(known, r.key)
	}
	hint := ""
	if near := env.Nearest(key, known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("unknown setting %q%s (there are: %s)", key, hint, strings.Join(known, ", "))
}
