package remote

import (
	"context"
	"errors"
	"testing"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/rundir"
)

// collector is a learner that keeps the games of one player.
type collector struct {
	network *train.Network
	games   *train.Batch
	want    int
	enough  func()
}

func (c *collector) Newest(context.Context) (*train.Network, error) { return c.network, nil }

func (c *collector) PublishGames(_ context.Context, b *train.Batch) error {
	if c.games == nil {
		b.Process = "a"
		c.games = b
	} else {
		c.games.Append(b)
	}
	if c.games.Games() >= c.want {
		c.enough()
	}
	return nil
}

// selfPlayGames returns games that a worker plays with default settings.
func selfPlayGames(t testing.TB, game *env.Game, weights *infer.Weights, want int) (*collector, error) {
	c := &collector{want: want, network: &train.Network{
		Run: "run", Game: game, Settings: rundir.DefaultSettings(game), Simulations: 16, MeanPlies: 30, Weights: weights,
	}}
	if err := c.network.Prepare(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.enough = cancel
	if err := train.Play(ctx, c, 2, func(train.Played) {}); !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return c, nil
}

// BenchmarkIngest measures on one core how many games per second of the shipped agents a learner decodes, replays and
// validates, and how many bytes a game has in a message.
func BenchmarkIngest(b *testing.B) {
	for _, name := range []string{"breakthrough-6x6", "quad-5x5", "quad-7x7", "connect-four"} {
		b.Run(name, func(b *testing.B) {
			game, err := games.New(name)
			if err != nil {
				b.Fatal(err)
			}
			weights, err := infer.Unmarshal(zoo.Weights(name))
			if err != nil {
				b.Fatal(err)
			}
			c, err := selfPlayGames(b, game, weights, 640)
			if err != nil {
				b.Fatal(err)
			}
			count, positions := c.games.Games(), c.games.Positions()
			var messages [][]byte
			bytes := 0
			for c.games.Games() > 0 {
				data := c.games.Take().Marshal()
				messages = append(messages, data)
				bytes += len(data)
			}
			for b.Loop() {
				for _, data := range messages {
					if _, err := train.ReadBatch(c.network.Game, "run", data); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N*count)/b.Elapsed().Seconds(), "games/s")
			b.ReportMetric(float64(bytes)/float64(count), "bytes/game")
			b.ReportMetric(float64(positions)/float64(count), "positions/game")
			b.ReportMetric(float64(count)/float64(len(messages)), "games/message")
		})
	}
}
