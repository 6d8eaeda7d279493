package match

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// FuzzRecord reads records that may be another match's, or damaged: a game that is taken for one of the match is one, from
// its opening to its end.
func FuzzRecord(f *testing.F) {
	game, err := games.New("breakthrough(columns=3,rows=5)")
	if err != nil {
		f.Fatal(err)
	}
	m := Config{Game: game, A: parse(f, game, "greedy"), B: parse(f, game, "random"), Games: 4, Seed: 4, Openings: 1}
	openings := newOpenings(&m)
	lines := [][]byte{}
	add := func(x any) {
		line, err := json.Marshal(x)
		if err != nil {
			f.Fatal(err)
		}
		lines = append(lines, line)
	}
	add(m.header())
	for i := range m.Games {
		opening, err := openings.get(context.Background(), m.opening(i))
		if err != nil {
			f.Fatal(err)
		}
		g := m.newGame(i, opening)
		state := game.NewState()
		for _, a := range g.moves {
			state.Apply(a)
		}
		for ; !state.Done(); state.Apply(g.moves[len(g.moves)-1]) {
			g.moves = append(g.moves, state.RandomAction(0))
		}
		g.end(state)
		recorded := recordedGame{Game: i, Opening: m.opening(i), First: "a", Goals: g.goals}
		for _, a := range g.moves {
			recorded.Moves = append(recorded.Moves, game.ActionTexts[a])
		}
		add(recorded)
	}
	f.Add(bytes.Join(lines, []byte{'\n'}))
	f.Add(lines[1])
	f.Add([]byte(`{"match":1}` + "\n" + `{"game":1,"moves":["noop"]}`))
	f.Add([]byte(`{"match":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Split(data, []byte{'\n'})
		_ = m.checkHeader(lines[0]) // another match's games may still fit this one's
		played := make([]*played, m.Games)
		for _, line := range lines {
			before := slices.Clone(played)
			if err := m.recall(context.Background(), line, openings, played); err != nil && !slices.Equal(before, played) {
				t.Fatalf("%s is refused and counts", line)
			}
		}
		for i, g := range played {
			if g == nil {
				continue
			}
			if state, err := env.Replay(game, g.moves); err != nil || !state.Done() {
				t.Fatalf("game %d is not a finished game: %v", i, err)
			}
		}
		if r, err := parseRecorded(lines); err == nil {
			for _, g := range r.Games {
				if _, moves, err := Replay(game, g.Moves); err == nil && len(moves) > game.MaxPlies || g.Number < 0 {
					t.Errorf("game %d of %d moves", g.Number, len(moves))
				}
			}
		}
	})
}
