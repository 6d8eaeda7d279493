package train

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/record"
	"ludus/train/record/recordtest"
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

// FuzzGamesInProgress parses any games in progress: those that parse can continue, and are written the same.
func FuzzGamesInProgress(f *testing.F) {
	game := fuzzed(f, "quad(size=4,quads=3,whites=1)")
	settings := rundir.DefaultSettings(game)
	fresh := func() []*gameInProgress { return newGamesInProgress(game, &settings, 1, 2) }
	games := fresh()
	f.Add(marshalGamesInProgress(games))
	rng := rand.New(rand.NewPCG(3, 4))
	for _, g := range games { // one that is in the middle of its game
		g.record = recordtest.Random(game, rng)
		g.record.Plies, g.record.Done, g.opened = g.record.Plies[:2], false, true
	}
	f.Add(marshalGamesInProgress(games))
	f.Fuzz(func(t *testing.T, data []byte) {
		games := fresh()
		if err := unmarshalGamesInProgress(data, games); err != nil {
			if !errors.Is(err, record.ErrRecord) {
				t.Fatal(err)
			}
			return
		}
		written := marshalGamesInProgress(games)
		again := fresh()
		if err := unmarshalGamesInProgress(written, again); err != nil || !bytes.Equal(marshalGamesInProgress(again), written) {
			t.Errorf("games change on the way through bytes: %v", err)
		}
		for _, g := range games {
			if g.state.Done() || len(g.state.Legal(nil)) == 0 {
				t.Error("a game in progress is over")
			}
		}
	})
}
