package record_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/record"
	"ludus/train/record/recordtest"
)

func TestMessageRoundTrip(t *testing.T) {
	game := games.Must("quad-5x5")
	m := recordtest.Message(game, rand.New(rand.NewPCG(1, 1)), 5)
	small := games.Must("quad(size=4,quads=3,whites=0)")
	m.Append(recordtest.Message(small, rand.New(rand.NewPCG(1, 3)), 2)) // of several sizes
	m.First, m.Generation = 7, 3
	if back, err := record.ReadMessage([]*env.Game{small, game}, "run", m.Marshal()); err != nil || !reflect.DeepEqual(m, back) {
		t.Errorf("a message changes on the way: %v", err)
	}
	all := &record.Message{Run: "run", Process: "w"}
	all.Append(m)
	all.Append(recordtest.Message(game, rand.New(rand.NewPCG(1, 2)), 3000))
	games := 0
	for number := 0; all.Games() > 0; number = games {
		part := all.Take()
		if part.First != number || part.Games() == 0 {
			t.Fatalf("game %d comes after %d games", part.First, number)
		}
		games += part.Games()
		if len(part.Marshal()) > record.MaxMessage {
			t.Errorf("a message of %d bytes", len(part.Marshal()))
		}
	}
	if games != 3007 {
		t.Errorf("%d games", games)
	}
}

// TestReadMessageRejects: nothing that cannot come from an honest worker of the run is accepted.
func TestReadMessageRejects(t *testing.T) {
	game, other := games.Must("quad-5x5"), games.Must("breakthrough-6x6")
	rng := rand.New(rand.NewPCG(1, 1))
	seal := func(version, size int) []byte {
		return checkpoints.Seal("ludus-batch", version, make([]byte, size))
	}
	change := func(f func(m *record.Message)) []byte {
		m := recordtest.Message(game, rng, 2)
		f(m)
		return m.Marshal()
	}
	changeGame := func(f func(r *record.Record)) []byte {
		return change(func(m *record.Message) { f(m.Records[1]) })
	}
	for name, data := range map[string][]byte{
		"nothing":            nil,
		"noise":              []byte("PUB ludus.games.a 0"),
		"another version":    seal(record.PlayVersion+1, 10),
		"a bomb":             seal(record.PlayVersion, 400<<20),
		"too many bytes":     make([]byte, record.MaxMessage+1),
		"zeros":              seal(record.PlayVersion, 100),
		"another run":        change(func(m *record.Message) { m.Run = "other" }),
		"a negative number":  change(func(m *record.Message) { m.First = -1 }),
		"a large number":     change(func(m *record.Message) { m.First = math.MaxInt }),
		"no worker":          change(func(m *record.Message) { m.Process = "" }),
		"control characters": change(func(m *record.Message) { m.Process = "\x1b[2J" }),
		"a long name":        change(func(m *record.Message) { m.Process = strings.Repeat("w", 2000) }),
		"no games":           change(func(m *record.Message) { m.Records = nil }),
		"another game":       recordtest.Message(other, rng, 2).Marshal(),
		"another size":       recordtest.Message(games.Must("quad(size=6,quads=8,whites=0)"), rng, 2).Marshal(),
		"an illegal move":    changeGame(func(r *record.Record) { r.Plies[1].Action = r.Plies[0].Action }),
		"a wrong outcome":    changeGame(func(r *record.Record) { r.Outcome ^= 1 }),
		"wrong goals":        changeGame(func(r *record.Record) { r.Goals[0]++ }),
		"an unfinished game": changeGame(func(r *record.Record) { r.Done = false }),
		"a cut game":         changeGame(func(r *record.Record) { r.Plies = r.Plies[:1] }),
		"an opening only":    changeGame(func(r *record.Record) { r.Opening, r.Plies = r.Moves(), nil }),
		"a policy above 1":   changeGame(func(r *record.Record) { copy(r.Plies[0].Policy, record.Shares{record.Unit, record.Unit}) }),
		"an empty policy":    changeGame(func(r *record.Record) { clear(r.Plies[0].Policy); r.Plies[0].TrainPolicy = true }),
		"an improper class":  changeGame(func(r *record.Record) { clear(r.Plies[0].Classes) }),
		"a class too many":   changeGame(func(r *record.Record) { r.Plies[0].Proven = int8(len(game.Classes)) }),
	} {
		if m, err := record.ReadMessage([]*env.Game{game}, "run", data); !errors.Is(err, record.ErrMessage) || m != nil {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
