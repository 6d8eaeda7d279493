package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"ludus/checkpoints"
	"ludus/env/games"
)

// FuzzConfig reads any config.json: one that reads is valid, and reads the same after writing.
func FuzzConfig(f *testing.F) {
	game := games.Must("quad-5x5")
	config := Config{Version: configVersion, Game: game.Name, Seed: 1, Settings: DefaultSettings(game), Plan: Plan{Generations: 60, ParallelGames: 256, PliesPerGeneration: 8, Seconds: 480}}
	whole, err := json.Marshal(config)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":4}`))
	f.Add([]byte(`{"version":2,"settings":{"simulations":1e99}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseFile[Config](data)
		if err != nil {
			if !errors.Is(err, checkpoints.ErrDamaged) && !errors.Is(err, checkpoints.ErrVersion) {
				t.Errorf("error %v", err)
			}
			return
		}
		if c.Plan.Last() < 1 || c.Settings.Validate() != nil {
			t.Errorf("a config of %d generations and settings %+v", c.Plan.Last(), c.Settings)
		}
		written, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parseFile[Config](written); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%s reads as %+v, %v", written, back, err)
		}
	})
}

// FuzzSettings reads any file of settings and a KEY=VALUE: accepted settings are valid, and read the same after
// writing.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"simulations": 32, "learning_rate": 0.001}`), "parallel_games=64")
	f.Add([]byte(`{"simulations": "32"}`), "learning_rate=1e-3")
	f.Add([]byte(`{"simulation": 32}`), "learning_rate=NaN")
	f.Add([]byte(`{"blocks": 3.5, "value_mix": -0}`), "")
	game := games.Must("quad-5x5")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		values, err := ParseSettings(data)
		if err != nil {
			values = map[string]float64{}
		}
		if key, value, err := ParseSetting(text); err == nil {
			values[key] = value
		}
		s := DefaultSettings(game)
		if s.Change(values) != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Errorf("settings that were accepted: %v", err)
		}
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseSettings(written)
		back := Settings{}
		if err == nil {
			err = back.Change(again)
		}
		if err != nil || back != s {
			t.Errorf("%s reads as %+v: %v", written, back, err)
		}
	})
}

// FuzzRatings reads any ratings.json: one that reads reads the same after writing.
func FuzzRatings(f *testing.F) {
	f.Add([]byte(`{"version":2,"anchor":"random","games":900,"agents":[{"agent":"net@3","generation":3,"rating":120.5,"low":80,"high":161}]}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`{"agents":[{"generation":1e9}]}`))
	f.Add([]byte(`{"version":2,"dials":[{"generation":3,"strengths":[{"temperature":64,"rating":80.5,"low":60,"high":110},{"simulations":64,"rating":900,"low":850,"high":950}]}]}`))
	f.Add([]byte(`{"version":2,"dials":[{"strengths":[{"rating":10},{"simulations":1000000,"rating":1e15,"high":1e16}]}]}`))
	f.Add([]byte(`{"version":2,"dials":[{"strengths":[{"rating":10,"low":10,"high":10},{"rating":10,"low":10,"high":10},{"rating":10000,"high":10000}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := parseFile[Ratings](data)
		if err != nil {
			if !errors.Is(err, checkpoints.ErrDamaged) && !errors.Is(err, checkpoints.ErrVersion) {
				t.Errorf("error %v", err)
			}
			return
		}
		table.Find(3)
		table.Best([]int{0, 3, 4})
		for _, d := range table.Dials {
			for _, l := range d.Strengths.Levels() {
				if i := d.Strengths; float64(l.Elo) < i[0].Rating || float64(l.Elo) > i[len(i)-1].Rating {
					t.Errorf("level %+v of %+v", l, i)
				}
			}
		}
		written, err := json.Marshal(table)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parseFile[Ratings](written); err != nil || !reflect.DeepEqual(back, table) {
			t.Errorf("%s reads as another: %v", written, err)
		}
	})
}

// FuzzLines reads any JSON Lines: each line parses or is a warning, and lines that parse parse the same after writing.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"generation":1,"policy_loss":1.5,"duplicate_games":2}`))
	f.Add([]byte(`{"generation":3,"agent":"net@3","opponent":"random","score":0.5,"pentanomial":[1,2,3,4,5]}`))
	f.Add([]byte(`{"generation":3,"agent":"policy","positions":500,"error":0.1}`))
	f.Add([]byte("{}\n\nnull\n[]\n{\"generation\":1e99}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Split(data, []byte{'\n'})
		checkLines(t, MetricsFile, lines)
		checkLines(t, MatchesFile, lines)
		checkLines(t, SuiteFile, lines)
	})
}

func checkLines[T any](t *testing.T, file LinesFile[T], lines [][]byte) {
	all, errs := file.Parse(lines)
	if len(all)+len(errs) != len(lines) {
		t.Fatalf("%d of %d lines parse, %d warnings", len(all), len(lines), len(errs))
	}
	// Written once, lines have no fields that writing would drop.
	written := marshalled(t, all)
	again, errs := file.Parse(written)
	if len(errs) > 0 || !slices.EqualFunc(marshalled(t, again), written, bytes.Equal) {
		t.Errorf("%s reads as another: %v", bytes.Join(written, []byte{'\n'}), errs)
	}
}

func marshalled[T any](t *testing.T, all []T) (lines [][]byte) {
	for _, x := range all {
		line, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}
