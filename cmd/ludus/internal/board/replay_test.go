package board

import (
	"slices"
	"testing"

	"ludus/cmd/internal/diagrams"
	"ludus/env"
	"ludus/env/games"
)

// A replay shows every position, and annotate sees the state before each move.
func TestReplay(t *testing.T) {
	game := games.Must("quad-5x5")
	final, moves, err := env.ReplayText(game, won)
	if err != nil {
		t.Fatal(err)
	}
	state := game.NewState()
	r := NewReplay(game, moves, func(ply int, at env.State, p *ReplayPosition) {
		if at.Key() != state.Key() || p.Move != game.ActionNames[moves[ply]] || p.Legal != len(state.Legal(nil)) || p.Player != int(state.Player()) {
			t.Errorf("ply %d: %+v", ply, p)
		}
		p.Random = ply == 0
		state.Apply(moves[ply])
	})
	last := r.Positions[len(moves)]
	if len(r.Positions) != len(moves)+1 || !r.Positions[0].Random || r.Positions[1].Random || r.Goals != final.Goals() {
		t.Errorf("%+v", r)
	}
	if last.Player != -1 || last.Move != "" || *last.Value != 1 || !last.Proven || !slices.Equal(last.WonBy, final.WinningCells(nil)) || last.Pieces != diagrams.Pieces(final) {
		t.Errorf("the last position: %+v", last)
	}
	if unfinished := NewReplay(game, moves[:2], nil); unfinished.Positions[2].Value != nil || unfinished.Positions[2].Player != -1 {
		t.Errorf("the last position of an unfinished game: %+v", unfinished.Positions[2])
	}
}
