package shipped

import (
	"errors"
	"math"
	"strings"
	"testing"

	"ludus/checkpoints/zoo"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
)

// FileLoader loads its file for zoo and nothing else, and Loader loads other references from files.
func TestLoaders(t *testing.T) {
	game := games.Must("quad-5x5")
	loader := FileLoader(game, infertest.RandomWeights(game, 8, 1, 1).MarshalHalf(), nil)
	for _, text := range []string{"zoo", "policy:zoo", "zoo,sims=3"} {
		f, err := agent.ParseFactory(game, text, loader)
		if err != nil {
			t.Fatal(err)
		}
		if origin, err := f.Load(); err != nil || origin.Path != agent.Zoo || len(origin.Digest) != 64 {
			t.Errorf("%s: loaded from %+v, error %v", text, origin, err)
		}
	}
	folder, other := agent.NetSpec("zoo"), errors.New("other")
	files := func(agent.Reference) (*infer.Weights, agent.Origin, error) { return nil, agent.Origin{}, other }
	if _, _, err := Loader(game, files)(folder.Network); !errors.Is(err, other) || folder.String() != "net:./zoo" || agent.CheckpointOf("zoo", 3).Shipped() {
		t.Errorf("a folder zoo is %v, error %v", folder, err)
	}
	for _, c := range []struct {
		want string
		load agent.Loader
		from agent.Reference
	}{
		{"only zoo can be loaded here", loader, folder.Network},
		{"no agent of quad-5x5 is shipped; train one", FileLoader(game, nil, nil), agent.ZooSpec().Network},
		{"no network in zoo: bad tensors file: 3 bytes; the length", FileLoader(game, []byte("abc"), nil), agent.ZooSpec().Network},
		{"without @3", loader, agent.Reference{Path: agent.Zoo, At: "3"}},
	} {
		if _, _, err := c.load(c.from); !errors.Is(err, agent.ErrWeights) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v; want one that says %q", err, c.want)
		}
	}
}

// A network in a file from before its game got a name is of this game, not of another size.
func TestFullName(t *testing.T) {
	game := games.Must("hex")
	w := infertest.RandomWeights(game, 4, 1, 1)
	w.Config.Game = game.Full
	files := func(agent.Reference) (*infer.Weights, agent.Origin, error) { return w, agent.Origin{}, nil }
	if got, origin, err := Loader(game, files)(agent.ParseReference("old")); err != nil || got != w || !w.Config.Pooled || origin.TrainedOn != "" {
		t.Errorf("trained on %q, error %v", origin.TrainedOn, err)
	}
}

// The intervals of shipped dials contain what their checks measured, and are no wider than that needs.
func TestDialContainsChecks(t *testing.T) {
	for _, name := range zoo.Games() {
		card := zoo.CardOf(name).Dial
		if card == nil {
			continue
		}
		dial, most := Dial(name), 0.0
		for _, c := range card.Checks {
			low, high := dial.Interval(c.Elo)
			if c.Rating.Value < low || c.Rating.Value > high {
				t.Errorf("%s, elo=%d: rated %v, outside %.0f to %.0f", name, c.Elo, c.Rating.Value, low, high)
			}
			most = max(most, math.Abs(float64(c.Elo)-c.Rating.Value))
		}
		for i, s := range card.Strengths {
			if d := dial[i]; d.Rating != s.Rating || d.High-d.Rating > s.High-s.Rating+most || d.Rating-d.Low > s.Rating-s.Low+most {
				t.Errorf("%s: strength %+v became %+v", name, s, d)
			}
		}
	}
}

func TestTrainedOn(t *testing.T) {
	for name, want := range map[string]string{
		"hex": "hex", "hex(size=4)": "hex-5x5", "hex(size=6)": "hex-7x7", "hex(size=9)": "hex", "hex-19x19": "hex",
		"breakthrough(columns=7,rows=7)": "breakthrough-8x8", "othello(size=4)": "othello-6x6",
	} {
		game, err := games.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := TrainedOn(game); got == nil || got.Name != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	if game, err := games.Find("hex(size=9,swap=0)"); err != nil || TrainedOn(game) != nil {
		t.Errorf("without swap: %v, %v", game, err)
	}
}
