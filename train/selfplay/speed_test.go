package selfplay

import (
	"testing"

	"ludus/env/games"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/rundir"
)

func uniform(int) mcts.Evaluator { return mcts.Uniform{} }

// TestThroughput checks the counts of rounds with and without caches, on one thread and two.
func TestThroughput(t *testing.T) {
	game := games.Must("quad-5x5")
	settings := rundir.DefaultSettings(game)
	const games = 32
	for _, entries := range []int{0, cacheEntries} {
		for _, threads := range []int{1, 2} {
			player := newPlayer(newGames(game, &settings, 0, games), threads, entries)
			player.Scatter(t.Context())
			a := &Assignment{Simulations: settings.Simulations, MeanPlies: 10, network: new(infer.Network)}
			player.network = a.network // evaluations are uniform
			var total Throughput
			for range 3 {
				did, err := player.Round(t.Context(), a, 4)
				if err != nil {
					t.Fatal(err)
				}
				total.Add(did.Throughput)
				if did.Simulations > settings.Simulations*did.Positions {
					t.Errorf("%d simulations of %d positions", did.Simulations, did.Positions)
				}
				if did.Seconds <= 0 || did.Idle < 0 || did.Idle > float64(threads)*did.Seconds {
					t.Errorf("%d threads: %+v", threads, did.Throughput)
				}
			}
			mean := float64(total.Evaluations) / float64(total.Batches)
			if total.Positions == 0 || total.Simulations < total.Positions || mean > float64(games/threads) || mean < 2 {
				t.Errorf("%d threads: %+v", threads, total)
			}
			if cached := entries > 0; cached != (total.CacheHits > 0) {
				t.Errorf("cache %v: %d hits", cached, total.CacheHits)
			}
		}
	}
}
