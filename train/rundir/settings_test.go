package rundir

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints"
)

func TestSettings(t *testing.T) {
	game := newGame(t, "quad-5x5")
	s := DefaultSettings(game)
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	inJSON := make(map[string]float64)
	if err := json.Unmarshal(text, &inJSON); err != nil {
		t.Fatal(err)
	}
	for _, set := range s.List() { // each entry of the table is one field under its JSON key
		if value, ok := inJSON[set.Key]; !ok || value != set.field.get() {
			t.Errorf("setting %s is %v, and %v in JSON", set.Key, set.Text(), value)
		}
		delete(inJSON, set.Key)
	}
	if len(inJSON) > 0 {
		t.Errorf("the table lacks %v", inJSON)
	}
	for _, c := range []struct{ text, says string }{
		{"simulatons=3", `did you mean "simulations"?`},
		{"simulations=many", "a whole number from 2 to 100000"},
		{"simulations=2.5", "a whole number from 2 to 100000"},
		{"simulations=1", "a whole number from 2 to 100000"},
		{"simulations", "write it as KEY=VALUE"},
		{"learning_rate=NaN", "a number from 0.000001 to 1"},
		{"learning_rate=fast", "a number from 0.000001 to 1"},
		{"samples_per_position=-1", "a number from 0.1 to 100"},
		{"channels=63", "a multiple of 4 from 4 to 512"},
		{"channels=1024", "a multiple of 4 from 4 to 512"},
	} {
		s := DefaultSettings(game)
		key, value, err := ParseSetting(c.text)
		if err == nil {
			err = s.Change(map[string]float64{key: value})
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || s != DefaultSettings(game) {
			t.Errorf("%s gives %v and %+v; want %q", c.text, err, s, c.says)
		}
	}
	for _, d := range s.List() { // errors and help agree
		if err := s.Change(map[string]float64{d.Key: d.High + 1}); err == nil || !strings.HasSuffix(d.Help(), d.values()) ||
			!strings.HasSuffix(err.Error(), d.values()) {
			t.Errorf("help %q, error %v", d.Help(), err)
		}
	}
	bad := map[string]float64{"parallel_games": -1, "blocks": 1.5, "nonsense": 1}
	if err := s.Change(bad); strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not every problem is reported at once: %v", err)
	}
	values, err := ParseSettings([]byte("\ufeff" + `{"simulations": 48, "learning_rate": 0.002}`))
	if err != nil || values["simulations"] != 48 || values["learning_rate"] != 0.002 {
		t.Errorf("settings %v, %v", values, err)
	}
	for _, text := range []string{``, `[]`, `{"blocks": true}`, `{"blocks": {}}`, `{"blocks": null}`, `nonsense`} {
		if _, err := ParseSettings([]byte(text)); err == nil {
			t.Errorf("settings %q are accepted", text)
		}
	}
}

func TestReadRatings(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadRatings(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	for text, want := range map[string]error{`{"version":9}`: checkpoints.ErrVersion, `{"vers`: checkpoints.ErrDamaged} {
		if err := os.WriteFile(filepath.Join(dir, RatingsFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRatings(dir); !errors.Is(err, want) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// The default number of samples per position is that of the game's symmetries, at least 4 and at most 8.
func TestSamplesPerPosition(t *testing.T) {
	for game, want := range map[string]float64{"quad-5x5": 8, "othello-6x6": 4, "connect-four": 4} {
		if got := DefaultSettings(newGame(t, game)).SamplesPerPosition; got != want {
			t.Errorf("%s: %v, want %v", game, got, want)
		}
	}
	game := newGame(t, "quad-5x5")
	square := game.Symmetries
	for count, want := range map[int]float64{1: 4, 6: 6, 12: 8} {
		game.Symmetries = slices.Concat(square, square)[:count]
		if got := DefaultSettings(game).SamplesPerPosition; got != want {
			t.Errorf("%d symmetries: %v, want %v", count, got, want)
		}
	}
}
