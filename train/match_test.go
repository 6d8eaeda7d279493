package train

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
)

var networks = flag.String("networks", "", "for BenchmarkArena: a folder of runs named after their games, instead of new networks")

// BenchmarkArena is the speed of a match between two networks over that of self-play with one of them, in positions a
// second at equal simulations, each with its caches as they are, in turn. Openings of four plies keep most games apart;
// the solver has checked them before.
func BenchmarkArena(b *testing.B) {
	for _, name := range []string{"quad-5x5", "breakthrough-6x6"} {
		game := newGame(b, name)
		weights := infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(1, 1)))
		if *networks != "" {
			var err error
			if weights, _, err = rundir.LoadWeights(agent.Reference{Path: filepath.Join(*networks, name)}); err != nil {
				b.Fatal(err)
			}
		}
		network, err := infer.NewNetwork(game, weights)
		if err != nil {
			b.Fatal(err)
		}
		var paths [2]string
		for i := range paths { // the networks play alike, but are two
			weights.Tensors[0].Data[0] += 1e-6
			paths[i] = filepath.Join(b.TempDir(), "weights")
			if err := os.WriteFile(paths[i], weights.Marshal(), 0o666); err != nil {
				b.Fatal(err)
			}
		}
		balance := match.NewBalanceChecker(game)
		for _, simulations := range []int{16, 64} {
			for _, threads := range []int{1, 2} {
				settings := rundir.DefaultSettings(game)
				settings.Simulations = simulations
				play := NewSelfPlay(game, settings, threads, true)
				play.SetEvaluator(evaluatorsOf(network))
				config := match.Config{
					Game: game, Games: 16384 / simulations * threads, Seed: 1, OpeningPlies: 4, Threads: threads, Balance: balance,
				}
				for i, side := range []**agent.Factory{&config.A, &config.B} {
					spec := agent.Spec{Kind: agent.Net, Network: agent.Reference{Path: paths[i]}, Simulations: simulations}
					*side = agent.NewFactory(game, spec, rundir.LoadWeights)
				}
				b.Run(fmt.Sprintf("%s/simulations=%d/threads=%d", name, simulations, threads), func(b *testing.B) {
					compareSpeeds(b, config, play)
				})
			}
		}
	}
}

func compareSpeeds(b *testing.B, config match.Config, play *SelfPlay) {
	if _, err := match.Run(context.Background(), config); err != nil {
		b.Fatal(err)
	}
	var total Throughput
	plies, seconds, repeats := 0.0, 0.0, 0.0
	for b.Loop() {
		result, err := match.Run(context.Background(), config)
		if err != nil {
			b.Fatal(err)
		}
		plies += float64(result.Games) * (result.MeanPlies - float64(config.OpeningPlies))
		seconds += result.Seconds
		repeats = float64(result.Duplicates) / float64(result.Games)
		played, err := play.Play(context.Background(), time.Duration(result.Seconds*float64(time.Second)))
		if err != nil {
			b.Fatal(err)
		}
		total.Add(played)
	}
	selfPlay := float64(total.Positions) / total.Seconds
	b.ReportMetric(plies/seconds, "arena/s")
	b.ReportMetric(selfPlay, "selfplay/s")
	b.ReportMetric(plies/seconds/selfPlay, "ratio")
	b.ReportMetric(repeats, "repeats")
}
