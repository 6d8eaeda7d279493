package agenttest

import (
	"strconv"
	"testing"

	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
)

// Factory returns the factory of a spec for the game with the given name. A network's path is the seed of its random
// weights.
func Factory(t testing.TB, name, spec string) *agent.Factory {
	t.Helper()
	game, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := agent.ParseFactory(game, spec, func(r agent.Reference) (*infer.Weights, agent.Origin, error) {
		seed, err := strconv.ParseUint(r.Path, 10, 64)
		return infertest.RandomWeights(game, 4, 1, seed), agent.Origin{Digest: r.Path}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
