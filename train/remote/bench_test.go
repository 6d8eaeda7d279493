package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/cpu"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// collector is a learner that keeps the games of one player.
type collector struct {
	network *selfplay.Assignment
	games   *record.Message
	want    int
	enough  func()
}

func (c *collector) Newest(context.Context) (*selfplay.Assignment, error) { return c.network, nil }

func (c *collector) PublishGames(_ context.Context, b *record.Message) error {
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
	c := &collector{want: want, network: &selfplay.Assignment{
		Run: "run", Game: game, Settings: rundir.DefaultSettings(game), Simulations: 16, MeanPlies: 30, Weights: weights,
	}}
	if err := c.network.Prepare(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.enough = cancel
	if err := selfplay.Play(ctx, c, 2, func(selfplay.Played) {}); !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return c, nil
}

// shippedGames is messages with games that the agent shipped for a game has played.
type shippedGames struct {
	game             *env.Game
	messages         [][]byte
	games, positions int
}

func newShippedGames(b *testing.B, name string) *shippedGames {
	game := games.Must(name)
	weights, err := infer.Unmarshal(zoo.Weights(name))
	if err != nil {
		b.Fatal(err)
	}
	c, err := selfPlayGames(b, game, weights, 640)
	if err != nil {
		b.Fatal(err)
	}
	s := &shippedGames{game: game, games: c.games.Games(), positions: c.games.Positions()}
	for c.games.Games() > 0 {
		s.messages = append(s.messages, c.games.Take().Marshal())
	}
	return s
}

// read does with a message what a learner does: it decodes it, and replays and validates its games.
func (s *shippedGames) read(b *testing.B, data []byte) {
	if _, err := record.ReadMessage([]*env.Game{s.game}, "run", data); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkIngest measures on one core how many games per second of the shipped agents a learner decodes, replays and
// validates, and how many bytes a game has in a message.
func BenchmarkIngest(b *testing.B) {
	for _, name := range []string{"breakthrough-6x6", "quad-5x5", "quad-7x7", "connect-four"} {
		b.Run(name, func(b *testing.B) {
			s := newShippedGames(b, name)
			bytes := 0
			for _, data := range s.messages {
				bytes += len(data)
			}
			for b.Loop() {
				for _, data := range s.messages {
					s.read(b, data)
				}
			}
			b.ReportMetric(float64(b.N*s.games)/b.Elapsed().Seconds(), "games/s")
			b.ReportMetric(float64(bytes)/float64(s.games), "bytes/game")
			b.ReportMetric(float64(s.positions)/float64(s.games), "positions/game")
			b.ReportMetric(float64(s.games)/float64(len(s.messages)), "games/message")
		})
	}
}

// BenchmarkStream measures the same with the way through the learner's NATS server: a message is published, written to
// disk and acknowledged, received and read. It counts the CPU time of all that, the publisher's included.
func BenchmarkStream(b *testing.B) {
	s := newShippedGames(b, "breakthrough-6x6")
	h := startHub(b, startServer(b, b.TempDir()), "run")
	h.Limit(b.Context(), 64<<20)
	start := cpu.Time()
	for b.Loop() {
		for _, data := range s.messages {
			if _, err := h.js.PublishAsync(gamesOf("run", "a"), data); err != nil {
				b.Fatal(err)
			}
		}
		for range s.messages {
			d, err := h.Receive(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			s.read(b, d.Data)
			d.Acknowledge()
		}
	}
	b.ReportMetric(float64(b.N*s.games)/(cpu.Time()-start).Seconds(), "games/CPU-s")
	b.ReportMetric(float64(b.N*s.games)/b.Elapsed().Seconds(), "games/s")
}

// BenchmarkConnections measures how many messages per second many workers send through the gate of the learner's server, with
// TLS: each sends games of the shipped agent, waits until the message is on the disk, and sends the next one.
func BenchmarkConnections(b *testing.B) {
	s := newShippedGames(b, "breakthrough-6x6")
	for _, connections := range []int{1, 10, 100, 500} {
		b.Run(fmt.Sprint(connections), func(b *testing.B) {
			server, err := StartServer("0.0.0.0:0", b.TempDir(), false, func(text string) { b.Log(text) })
			if err != nil {
				b.Fatal(err)
			}
			learner, err := hub(b, server)(b.Context(), "run")
			if err != nil {
				b.Fatal(err)
			}
			defer learner.Close()
			learner.Limit(b.Context(), 64<<20)
			var workers []*nats.Conn
			for range connections {
				workers = append(workers, connectAsWorker(b, server))
			}
			var next, sent atomic.Int64
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			var joined sync.WaitGroup
			start := cpu.Time()
			b.ResetTimer()
			for _, conn := range workers {
				joined.Go(func() {
					for {
						i := next.Add(1)
						if i > int64(b.N) {
							return
						}
						data := s.messages[int(i)%len(s.messages)]
						if _, err := conn.Request(gamesOf("run", "a"), data, time.Minute); err != nil {
							b.Error(err)
							cancel()
							return
						}
						sent.Add(int64(len(data)))
					}
				})
			}
			for range b.N {
				d, err := learner.Receive(ctx)
				if err != nil {
					b.Error(err)
					break
				}
				d.Acknowledge()
			}
			joined.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			b.ReportMetric(float64(b.N)/(cpu.Time()-start).Seconds(), "messages/CPU-s")
			b.ReportMetric(float64(sent.Load())/float64(b.N), "bytes/message")
		})
	}
}
