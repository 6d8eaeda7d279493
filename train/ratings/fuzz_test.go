package ratings

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"ludus/checkpoints"
	"ludus/env/games"
)

// FuzzMatches makes ratings of whatever arena.jsonl says: there is always a table that can be written.
func FuzzMatches(f *testing.F) {
	f.Add([]byte(`{"generation":3,"agent":"net@3","opponent":"random","number":1,"games":4,"wins":2,"draws":1,"losses":1,"pentanomial":[0,1,0,0,1],"seconds":2}`))
	f.Add([]byte(`{"agent":"greedy","opponent":"random","games":5,"wins":5,"number":1}` + "\n" + `{"agent":"mcts:5","opponent":"greedy","games":2,"pentanomial":[0,0,1,0,0],"number":1}`))
	f.Add([]byte(`{"agent":"greedy","opponent":"random","games":1000000,"losses":1000000,"number":1}` + "\n" + `{"agent":"random","opponent":"greedy","games":1000000,"losses":1000000,"number":2}`))
	f.Add([]byte(`{"agent":"greedy","opponent":"random","games":-5,"wins":-5,"pentanomial":[-1,0,0,0,0]}` + "\n[]\n"))
	game, err := games.New("quad-5x5")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Split(data, []byte{'\n'})
		matches, warnings := parseMatches(lines)
		if len(matches)+len(warnings) != len(lines) {
			t.Fatalf("%d of %d lines are read, %d told", len(matches), len(lines), len(warnings))
		}
		if len(matches) > 20 {
			return // of no more interest, but much work
		}
		p := &Pool{
			game: game, simulations: DefaultSimulations,
			number: make(map[string]int), met: make(map[[2]int]int), begun: make(map[[2]int]int), spent: make(map[[2]int]bool),
		}
		if err := p.fill(nil, fewer, matches); err != nil {
			t.Fatal(err)
		}
		table := p.table()
		written, err := json.Marshal(table)
		if err != nil {
			t.Fatalf("%v of %+v", err, table)
		}
		if back, err := parseTable(written); err != nil || !reflect.DeepEqual(back, table) {
			t.Errorf("%s reads as another: %v", written, err)
		}
		p.costs(0.1)
	})
}

// A ratings.json that is read is written as one that reads the same.
func FuzzTable(f *testing.F) {
	f.Add([]byte(`{"version":1,"anchor":"random","games":900,"agents":[{"agent":"net@3","generation":3,"rating":120.5,"low":80,"high":161}]}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`{"agents":[{"generation":1e9}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := parseTable(data)
		if err != nil {
			if !errors.Is(err, checkpoints.ErrDamaged) && !errors.Is(err, checkpoints.ErrVersion) {
				t.Errorf("error %v", err)
			}
			return
		}
		table.Find(3)
		table.After(3)
		written, err := json.Marshal(table)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parseTable(written); err != nil || !reflect.DeepEqual(back, table) {
			t.Errorf("%s reads as another: %v", written, err)
		}
	})
}
