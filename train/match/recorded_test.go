package match

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestReadRecord(t *testing.T) {
	m := recorded(t, 6)
	mustRun(t, m)
	if !IsRecord(m.Record) {
		t.Error("the record of a match does not look like one")
	}
	r, err := ReadRecord(m.Record)
	if err != nil {
		t.Fatal(err)
	}
	if r.Game != m.Game.Name || r.A != "greedy" || r.B != "random" || len(r.Games) != 6 {
		t.Errorf("%s: %s against %s, %d games", r.Game, r.A, r.B, len(r.Games))
	}
	for i, g := range r.Games {
		state, _, err := Replay(m.Game, g.Moves)
		if err != nil || g.Number != i || g.AFirst != (i%2 == 0) {
			t.Fatalf("game %d: number %d, A first %v, %v", i, g.Number, g.AFirst, err)
		}
		goals := state.Goals()
		if !g.AFirst {
			goals[0], goals[1] = goals[1], goals[0]
		}
		if goals != g.Goals {
			t.Errorf("game %d ends with %v, recorded is %v", i, goals, g.Goals)
		}
	}

	for text, wanted := range map[string]bool{
		"": false, "{}\n": false, `{"generation":1}` + "\n": false, `{"match":99,"game":"quad-5x5"}` + "\n": true,
		`{"match":2,"game":"quad-5x5"}` + "\n{]\n": true,
	} {
		path := filepath.Join(t.TempDir(), "other")
		writeFile(t, path, []byte(text))
		if _, err := ReadRecord(path); !errors.Is(err, ErrRecord) {
			t.Errorf("%q: %v", text, err)
		}
		if IsRecord(path) != wanted {
			t.Errorf("%q: begins like a record: %v", text, !wanted)
		}
	}
}
