package gdl_test

import (
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// BenchmarkPlayout plays random games by sheets and natively: moves a second on one core.
func BenchmarkPlayout(b *testing.B) {
	for _, sheet := range []string{"breakthrough-6x6", "quad-7x7", "quad-5x5", "golden-rectangle", "free-for-all-2p", "connect-four"} {
		native, err := games.New(natives[sheet])
		if err != nil {
			b.Fatal(err)
		}
		for _, kind := range []struct {
			name string
			game *env.Game
		}{{"native", native}, {"sheet", mustNew(b, sheet)}} {
			b.Run(sheet+"/"+kind.name, func(b *testing.B) {
				rng := rand.NewPCG(1, 1)
				start, s := kind.game.NewState(), kind.game.NewState()
				moves := 0
				for b.Loop() {
					s.CopyFrom(start)
					moves += env.Playout(s, rng)
				}
				b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
			})
		}
	}
}
