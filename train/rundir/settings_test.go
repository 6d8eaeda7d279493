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
	"time"

	"ludus/checkpoints"
	"ludus/env/games"
	"ludus/train/match"
)

func TestSettings(t *testing.T) {
	game := games.Must("quad-5x5")
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
		if value, ok := inJSON[set.Key]; ok == (set.Key == sizesKey) || value != set.field.get() { // no sizes in a run of one
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
		{"sizes=9,7,11", "in ascending order, such as 5,7,9,11"},
		{"sizes=5,7,99", "in ascending order, such as 5,7,9,11"},
		{"sizes=", "in ascending order, such as 5,7,9,11"},
		{"sizes=small", "in ascending order, such as 5,7,9,11"},
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
		if err := s.Change(map[string]float64{d.Key: d.High + 1}); err == nil || !strings.HasSuffix(d.Help(), d.field.values(&d)) ||
			!strings.HasSuffix(err.Error(), d.field.values(&d)) {
			t.Errorf("help %q, error %v", d.Help(), err)
		}
	}
	bad := map[string]float64{"parallel_games": -1, "blocks": 1.5, "nonsense": 1}
	if err := s.Change(bad); strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not every problem is reported at once: %v", err)
	}
	for _, text := range []string{
		`{"simulations": 48, "learning_rate": 0.002}`, `{"game": "hex", "settings": {"simulations": 48, "learning_rate": 0.002}}`,
	} {
		values, err := ParseSettings([]byte("\ufeff" + text))
		if err != nil || values["simulations"] != 48 || values["learning_rate"] != 0.002 {
			t.Errorf("%s: settings %v, %v", text, values, err)
		}
	}
	_, err = ParseSettings([]byte(`{"blocks": "3", "channel": 8, "batch_size": 2.5}`))
	if want := "setting blocks must be a number, such as 32\nunknown setting \"channel\"; did you mean \"channels\"?"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
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

// A config whose import cannot be continued is damaged.
func TestDamagedImport(t *testing.T) {
	game, dir := games.Must("quad-5x5"), t.TempDir()
	for _, c := range []struct {
		games, generations, every int
		want                      error
	}{{5, 2, 3, nil}, {5, 0, 1, checkpoints.ErrDamaged}, {5, 6, 1, checkpoints.ErrDamaged}, {5, 2, 0, checkpoints.ErrDamaged}} {
		config := NewConfig(game.Name, 1, DefaultSettings(game))
		config.Plan.Generations, config.Plan.PliesPerGeneration, config.Plan.ParallelGames = 8, 8, 8
		config.Import = &Import{Games: c.games, Generations: c.generations, Every: c.every}
		if err := config.Write(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadConfig(dir); !errors.Is(err, c.want) {
			t.Errorf("%+v: error %v, want %v", c, err, c.want)
		}
	}
}

// Large boards without small figures are searched more.
func TestSimulations(t *testing.T) {
	for game, want := range map[string]int{
		"othello": 32, "hex": 32, "breakthrough-8x8": 32, "othello-6x6": 16, "hex-7x7": 16, "quad-11x11": 16, "gomoku-15x15": 16,
		"line-up(width=9,height=9,line=6,gravity=0)": 16, "line-up(width=9,height=9,line=7,gravity=0)": 32,
	} {
		if got := DefaultSettings(games.Must(game)).Simulations; got != want {
			t.Errorf("%s: %d simulations, want %d", game, got, want)
		}
	}
}

// The default number of samples per position is that of the game's symmetries, at least 4 and at most 8.
func TestSamplesPerPosition(t *testing.T) {
	for game, want := range map[string]float64{"quad-5x5": 8, "othello-6x6": 4, "connect-four": 4} {
		if got := DefaultSettings(games.Must(game)).SamplesPerPosition; got != want {
			t.Errorf("%s: %v, want %v", game, got, want)
		}
	}
	game := games.Must("quad-5x5")
	square := game.Symmetries
	for count, want := range map[int]float64{1: 4, 6: 6, 12: 8} {
		game.Symmetries = slices.Concat(square, square)[:count]
		if got := DefaultSettings(game).SamplesPerPosition; got != want {
			t.Errorf("%d symmetries: %v, want %v", count, got, want)
		}
	}
}

// A checkpoint's score combines all its matches against one opponent with the default search.
func TestScores(t *testing.T) {
	line := func(generation int, agent, opponent, shipped string, simulations int, pairs [5]int) MatchResult {
		return MatchResult{Generation: generation, Agent: agent, Opponent: opponent, Shipped: shipped, Simulations: simulations, Result: match.Result{Pentanomial: pairs}}
	}
	scores := Scores([]MatchResult{
		line(7, "net@7", "zoo", "now", 64, [5]int{1, 0, 0, 0, 3}),
		line(3, "net@3", "zoo", "now", 64, [5]int{2, 0, 2, 0, 0}),
		line(7, "net@7", "zoo", "now", 64, [5]int{3, 0, 0, 0, 1}),
		line(7, "net@7", "zoo", "before", 64, [5]int{0, 0, 0, 0, 9}),
		line(7, "net@7", "zoo", "now", 16, [5]int{0, 0, 0, 0, 9}),
		line(7, "net@7", "greedy", "", 64, [5]int{0, 0, 0, 0, 9}),
		line(7, "net@7,sims=4,temp=0.5", "zoo", "now", 64, [5]int{0, 0, 0, 0, 9}),
		line(8, "net@8", "zoo", "now", 64, [5]int{}),
	}, "zoo", "now")
	if len(scores) != 2 || scores[0].Generation != 3 || scores[0].Value != 0.25 || scores[0].Games != 8 ||
		scores[1].Generation != 7 || scores[1].Value != 0.5 || scores[1].Games != 16 || !(0 < scores[1].Low && scores[1].Low < 0.5 && scores[1].High > 0.5) {
		t.Errorf("%+v", scores)
	}
}

// The best checkpoint is the newest, unless it is rated and the interval of another lies above its rating.
func TestBest(t *testing.T) {
	rated := func(generation int, low, rating float64) Rating {
		return Rating{Generation: &generation, Low: low, Rating: rating}
	}
	for _, c := range []struct {
		ratings *Ratings
		want    int
	}{
		{nil, 9}, {&Ratings{}, 9},
		{&Ratings{Agents: []Rating{rated(5, 75, 80), rated(9, 20, 70), rated(2, 72, 90), {Low: 99}}}, 5},
		{&Ratings{Agents: []Rating{rated(5, 69, 80), rated(9, 20, 70)}}, 9},
		{&Ratings{Agents: []Rating{rated(5, 75, 80)}}, 9},                 // the newest is not rated
		{&Ratings{Agents: []Rating{rated(7, 75, 80), rated(9, 0, 1)}}, 9}, // 7 is gone
	} {
		if got := c.ratings.Best([]int{2, 5, 9}); got != c.want {
			t.Errorf("%+v: the best is %d, want %d", c.ratings, got, c.want)
		}
	}
}

// A run's length is written as the options of "ludus train" read it, without units of 0.
func TestLengthOption(t *testing.T) {
	for want, p := range map[string]Plan{
		"--generations 12": {Generations: 12}, "--time 10m": {Seconds: 600}, "--cpu 1h": {Seconds: 3600, CPU: true},
		"--time 1h30s": {Seconds: 3630}, "--cpu 1h30m": {Seconds: 5400, CPU: true}, "--time 20h10m0.5s": {Seconds: 72600.5},
	} {
		name, value := p.LengthOption()
		if got := name + " " + value; got != want {
			t.Errorf("%+v: %s, want %s", p, got, want)
		}
		if d, err := time.ParseDuration(value); p.Seconds > 0 && (err != nil || d.Seconds() != p.Seconds) {
			t.Errorf("%s is %v, %v; want %v s", value, d, err, p.Seconds)
		}
	}
}

// A folder without a config is no run.
func TestOpenNoRun(t *testing.T) {
	if _, _, err := Open(t.TempDir()); !errors.Is(err, ErrNoRun) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want ErrNoRun", err)
	}
}
