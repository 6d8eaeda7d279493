package ratings

import (
	"bytes"
	"reflect"
	"testing"

	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// FuzzMatches rates the agents of any arena.jsonl: there is always a table that can be written.
func FuzzMatches(f *testing.F) {
	f.Add([]byte(`{"generation":3,"agent":"net@3","opponent":"random","number":1,"games":4,"wins":2,"draws":1,"losses":1,"pentanomial":[0,1,0,0,1],"seconds":2}`))
	f.Add([]byte(`{"agent":"greedy","opponent":"random","games":5,"wins":5,"number":1}` + "\n" + `{"agent":"mcts:5","opponent":"greedy","games":2,"pentanomial":[0,0,1,0,0],"number":1}`))
	f.Add([]byte(`{"agent":"greedy","opponent":"random","games":1000000,"losses":1000000,"number":1}` + "\n" + `{"agent":"random","opponent":"greedy","games":1000000,"losses":1000000,"number":2}`))
	f.Add([]byte(`{"agent":"greedy","opponent":"random","games":-5,"wins":-5,"pentanomial":[-1,0,0,0,0]}` + "\n[]\n"))
	game := games.Must("quad-5x5")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Split(data, []byte{'\n'})
		matches, warnings := rundir.MatchesFile.Parse(lines)
		if len(matches)+len(warnings) != len(lines) {
			t.Fatalf("%d of %d lines are read, %d warnings", len(matches), len(lines), len(warnings))
		}
		if len(matches) > 20 {
			return // of no more interest, but much work
		}
		p := newPool("", game, agent.DefaultSimulations, nil)
		p.fill(nil, fewer, matches)
		table := p.Ratings()
		if err := table.Write(dir); err != nil {
			t.Fatalf("%v of %+v", err, table)
		}
		if back, err := rundir.ReadRatings(dir); err != nil || !reflect.DeepEqual(back, table) {
			t.Errorf("%+v reads as %+v: %v", table, back, err)
		}
		p.gameSeconds()
	})
}
