package suite

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"ludus/checkpoints"
)

// A suite that Parse accepts, in either format, has legal positions of its game, and writing and reading keeps it.
func FuzzSuite(f *testing.F) {
	s := mustMake(f, options(f, small[0], 4))
	f.Add(s.Pack())
	f.Add(s.Lines())
	f.Add([]byte(`{"game":"quad-5x5","moves":[],"player":"x","values":{}}`))
	f.Add(checkpoints.Seal(packedKind, packedVersion, []byte(`{"positions":[{}]}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrSuite) && !errors.Is(err, checkpoints.ErrDamaged) && !errors.Is(err, checkpoints.ErrVersion) {
				t.Errorf("error %v", err)
			}
			return
		}
		for i := range s.Positions {
			p := &s.Positions[i]
			state, err := p.replay(s.Game)
			if err != nil || state.Done() || len(state.Legal(nil)) != len(p.Values) {
				t.Fatalf("position %d: %v", i, err)
			}
		}
		lines, err := Parse(s.Lines())
		if err != nil || !reflect.DeepEqual(lines.Positions, s.Positions) {
			t.Errorf("as lines it is another: %v", err)
		}
		if packed, err := Parse(s.Pack()); err == nil && !reflect.DeepEqual(packed, s) {
			t.Error("packed it is another")
		}
	})
}

// A game in a part file is read completely or not at all.
func FuzzPart(f *testing.F) {
	s := mustMake(f, options(f, small[0], 4))
	for i := range s.Positions {
		text, err := json.Marshal(partGame{Number: i, Candidates: s.Positions[i : i+1]})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"number":-1,"candidates":[{}]}`))
	f.Add([]byte(`{"number":1,"candidates":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &maker{Options: Options{Game: s.Game}, waiting: make(map[int][]candidate)}
		err := m.readPart(data)
		if err != nil && (!errors.Is(err, ErrSuite) || len(m.waiting) > 0) {
			t.Errorf("%d games after error %v", len(m.waiting), err)
		}
		if err == nil && len(m.waiting) != 1 {
			t.Errorf("%d games", len(m.waiting))
		}
	})
}
