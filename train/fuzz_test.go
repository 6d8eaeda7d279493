package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
)

// fuzzed is a game of few moves that has everything that records hold.
func fuzzed(f *testing.F, name string) *env.Game {
	f.Helper()
	game, err := games.New(name)
	if err != nil {
		f.Fatal(err)
	}
	return game
}

// Records that are read are written again as they were, but for what a byte may say in several ways.
func FuzzRecords(f *testing.F) {
	game := fuzzed(f, "free-for-all-2p")
	f.Add(marshalRecords([]*record{randomRecord(game, rand.New(rand.NewPCG(1, 2)))}))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := unmarshalRecords(game, data)
		if err != nil {
			if !errors.Is(err, errRecord) {
				t.Fatal(err)
			}
			return
		}
		if back, err := unmarshalRecords(game, marshalRecords(records)); err != nil || !reflect.DeepEqual(back, records) {
			t.Errorf("records change on the way through bytes: %v", err)
		}
	})
}

// Slots that are read play on, and are written again as they were.
func FuzzSlots(f *testing.F) {
	game := fuzzed(f, "quad(size=4,quads=3,whites=1)")
	settings := DefaultSettings(game)
	fresh := func() []*slot {
		return []*slot{newSlot(game, &settings, 1, 0), newSlot(game, &settings, 1, 1)}
	}
	slots := fresh()
	f.Add(marshalSlots(slots))
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range slots { // one that is in the middle of its game
		s.rec = randomRecord(game, rng)
		s.rec.plies, s.rec.done, s.opened = s.rec.plies[:2], false, true
	}
	f.Add(marshalSlots(slots))
	f.Fuzz(func(t *testing.T, data []byte) {
		slots := fresh()
		if err := unmarshalSlots(game, data, slots); err != nil {
			if !errors.Is(err, errRecord) {
				t.Fatal(err)
			}
			return
		}
		written := marshalSlots(slots)
		again := fresh()
		if err := unmarshalSlots(game, written, again); err != nil || !bytes.Equal(marshalSlots(again), written) {
			t.Errorf("slots change on the way through bytes: %v", err)
		}
		for _, s := range slots {
			if s.state.Done() || len(s.state.Legal(nil)) == 0 {
				t.Error("a slot's game is over")
			}
		}
	})
}

// A config.json that is read can be used, and is written as one that reads the same.
func FuzzConfig(f *testing.F) {
	game := fuzzed(f, "quad-5x5")
	config := Config{Version: 2, Game: game.Name, Seed: 1, Settings: DefaultSettings(game), Plan: Plan{Generations: 60, ParallelGames: 256, PliesPerGeneration: 8, Seconds: 480}}
	whole, err := json.Marshal(config)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":3}`))
	f.Add([]byte(`{"version":2,"settings":{"simulations":1e99}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseConfig(data)
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
		if back, err := parseConfig(written); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%s reads as %+v, %v", written, back, err)
		}
	})
}

// FuzzSettings reads a file of settings and one of --set: what is accepted lies in its range, and is read back as it is
// written.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"simulations": 32, "learning_rate": 0.001}`), "parallel_games=64")
	f.Add([]byte(`{"simulations": "32"}`), "learning_rate=1e-3")
	f.Add([]byte(`{"simulation": 32}`), "learning_rate=NaN")
	f.Add([]byte(`{"blocks": 3.5, "value_mix": -0}`), "")
	game := fuzzed(f, "quad-5x5")
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

// Lines of metrics, matches and checks are read or told, and those that are read are written as ones that read the same.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"generation":1,"policy_loss":1.5,"distinct_by_ply":[1,0.5],"calibration":[{}],"in_window":{}}`))
	f.Add([]byte(`{"generation":3,"agent":"net@3","opponent":"random","score":0.5,"pentanomial":[1,2,3,4,5],"sprt":{"verdict":"none"}}`))
	f.Add([]byte(`{"generation":3,"agent":"policy","positions":500,"error":0.1}`))
	f.Add([]byte("{}\n\nnull\n[]\n{\"generation\":1e99}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Split(data, []byte{'\n'})
		checkLines[Metrics](t, lines)
		checkLines[Judged](t, lines)
		checkLines[Checked](t, lines)
	})
}

func checkLines[T any](t *testing.T, lines [][]byte) {
	all, errs := parseLines[T](lines)
	if len(all)+len(errs) != len(lines) {
		t.Fatalf("%d of %d lines are read, %d told", len(all), len(lines), len(errs))
	}
	// The second time round there are no fields that are written as if they were not there.
	written := marshalled(t, all)
	again, errs := parseLines[T](written)
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
