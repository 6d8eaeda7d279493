package match

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"ludus/env/games"
	"ludus/train/agent"
)

// FuzzFile reads files of other matches and damaged ones: an accepted game is a legal game of this match, from its
// opening to its end, or to where the player to move has lost it.
func FuzzFile(f *testing.F) {
	game := games.Must("breakthrough(columns=3,rows=5)")
	m := Config{Game: game, A: parse(f, game, "greedy"), B: parse(f, game, "random"), Games: 8, Seed: 4, OpeningPlies: 1}
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
		state, moves := game.NewState(), slices.Clone(opening.moves)
		for _, a := range moves {
			state.Apply(a)
		}
		e := ending{}
		for ; !state.Done(); state.Apply(moves[len(moves)-1]) {
			if i >= 4 && len(moves) == i {
				e = ending{agent.Fault{Kind: endings[i], Detail: "exit status 1"}, sideOf(i, state.Player())} // including void ones
				break
			}
			moves = append(moves, state.RandomAction(0))
		}
		f := newFinishedGame(i, opening, moves, state, e)
		f.seconds, f.restarts = [2]float64{1.5, 0}, [2]int{0, i}
		add(f.record(game, i))
	}
	f.Add(bytes.Join(lines, []byte{'\n'}))
	f.Add(lines[1])
	f.Add([]byte(`{"match":3}` + "\n" + `{"game":1,"moves":["noop"]}`))
	f.Add([]byte(`{"match":3}` + "\n" + `{"game":0,"a_first":true,"moves":[],"goals":[0,100],"end":"resigned","loser":"a"}`))
	f.Add([]byte(`{"match":4}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, list, err := parseFile(bytes.Split(data, []byte{'\n'}))
		if err != nil {
			return
		}
		_ = m.checkHeader(h) // another match's games may still fit this one's
		for i := range list {
			if list[i].Number < 0 {
				t.Errorf("game %d", list[i].Number)
			}
			if list[i].Number >= m.Games {
				continue
			}
			g, err := m.replay(context.Background(), &list[i], openings)
			if err != nil {
				continue
			}
			state := game.NewState()
			for _, a := range g.moves {
				if !slices.Contains(state.Legal(nil), a) {
					t.Fatalf("game %d has illegal moves", i)
				}
				state.Apply(a)
			}
			e := g.ending
			if e.Void() || e.early() && e.side != sideOf(list[i].Number, state.Player()) {
				t.Fatalf("game %d: ending %+v", i, e)
			}
			if state.Done() == e.early() || g.goals != list[i].Goals {
				t.Fatalf("game %d is not finished, or with other goals", i)
			}
		}
	})
}
