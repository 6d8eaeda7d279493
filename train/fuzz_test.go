package train

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/rundir"
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
	settings := rundir.DefaultSettings(game)
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
