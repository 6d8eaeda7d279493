package shipped_test

import (
	"context"
	"fmt"
	"testing"

	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/cpu"
	"ludus/train/shipped"
)

// BenchmarkThreads measures the speed of one search on one and on two cores. CPU time above that of one thread is the cost of
// smaller parts of a batch and of waiting.
//
//	go test ./train/shipped -run - -bench Threads -benchtime 50x
func BenchmarkThreads(b *testing.B) {
	for _, name := range []string{"othello", "hex", "gomoku-15x15", "quad-5x5"} {
		game := games.Must(name)
		positions := envtest.Positions(game, 1, 200)
		for _, search := range []string{"gumbel", "puct"} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/threads=%d", name, search, threads), func(b *testing.B) {
					text := fmt.Sprintf("zoo,search=%s,threads=%d", search, threads)
					factory, err := agent.ParseFactory(game, text, shipped.Loader(game, nil))
					if err != nil {
						b.Fatal(err)
					}
					player, err := factory.New(1)
					if err != nil {
						b.Fatal(err)
					}
					simulations, start := 0, cpu.Time()
					for i := 0; b.Loop(); i++ {
						analysis, err := player.Analyze(context.Background(), positions[i%len(positions)], 1000)
						if err != nil {
							b.Fatal(err)
						}
						simulations += analysis.Simulations
					}
					b.ReportMetric(float64(simulations)/b.Elapsed().Seconds(), "simulations/s")
					b.ReportMetric(float64((cpu.Time()-start).Nanoseconds())/float64(simulations), "CPU-ns/simulation")
				})
			}
		}
	}
}
