package agent

import (
	"errors"
	"strings"
	"testing"

	"ludus/model/infer"
	"ludus/model/infer/infertest"
)

// A loader with a shipped network loads it for zoo and nothing else.
func TestWithShipped(t *testing.T) {
	game := quad(t)
	weights := infertest.RandomWeights(game, 8, 1, 1)
	other := errors.New("other")
	load := func(Reference) (*infer.Weights, Origin, error) { return nil, Origin{}, other }
	loader := WithShipped(game, weights.MarshalHalf(), nil, load)
	for _, text := range []string{"zoo", "policy:zoo", "zoo,sims=3"} {
		f, err := ParseFactory(game, text, loader)
		if err != nil {
			t.Fatal(err)
		}
		if origin, err := f.Load(); err != nil || origin.Path != Zoo || len(origin.Digest) != 64 {
			t.Errorf("%s: loaded from %+v, error %v", text, origin, err)
		}
	}
	if _, _, err := loader(NetSpec("zoo").Network); err != other || NetSpec("zoo").String() != "net:./zoo" || CheckpointOf("zoo", 3).Shipped() {
		t.Errorf("a folder zoo is %v, error %v", NetSpec("zoo"), err)
	}
	for want, load := range map[string]Loader{
		"no agent of quad-5x5 is shipped; train one":               WithShipped(game, nil, nil, load),
		"no network in zoo: bad tensors file: 3 bytes; the length": WithShipped(game, []byte("abc"), nil, load),
	} {
		if _, _, err := load(ZooSpec().Network); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one that says %q", err, want)
		}
	}
	if _, _, err := loader(Reference{Zoo, "3"}); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), "without @3") {
		t.Errorf("zoo@3: error %v", err)
	}
}
