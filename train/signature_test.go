package train

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"ludus/model/infer/kernel"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// TestSignature trains a tiny run of each game and compares a hash of its final weights with a recorded one: the
// signature of everything that decides them, from rules and search to sampling and the optimizer. A change that should
// not affect games or weights must leave it alone. If a change is meant to affect them, replace the hashes below by
// those that the test reports, and say in the commit why they changed.
func TestSignature(t *testing.T) {
	if kernel.InstructionSet() == "Go" {
		t.Skip("the kernels in Go round differently from those in assembly, for which the hashes were recorded")
	}
	for name, want := range map[string]string{
		"quad-5x5":         "5f0a34532728d4af90cb5fa5d7eb58c169820b2b67d39b6efd4e378b98ddd195",
		"quad-7x7":         "79a762a994f45e98edbf980ff8024609f4df98e6ba039e8a140c0e5c6d4eb12c",
		"breakthrough-6x6": "6f375bef8282de4c5e8d9e45ec7f2b31df3c01fcd9c3ea35738092675f704b1d",
		"golden-rectangle": "b3df15155a3eb6be8b6cfb939604f00cb2adf19aad3aaf63ebd72c22348450bd",
		"free-for-all-2p":  "dfcd4a9c903d075e594e0fcd48afa00091c1aaead4da28c076728485f906044b",
	} {
		t.Run(name, func(t *testing.T) {
			seed := uint64(7)
			o := Options{
				Dir: t.TempDir(), Game: newGame(t, name), Generations: 12, Seed: &seed, Threads: 2,
				Settings: map[string]float64{
					"parallel_games": 24, "plies_per_generation": 5, "simulations": 16, "channels": 8, "blocks": 2, "batch_size": 32,
					"learning_rate": 0.001, "replay_window": 400, "value_mix": 0.25, "exploration_plies": 6, "validation_share": 0.1,
					"rating_share": 0,
				},
			}
			mustTrain(t, o)
			weights, _, err := rundir.LoadWeights(agent.Reference{Path: o.Dir})
			if err != nil {
				t.Fatal(err)
			}
			hash := sha256.New()
			for _, tensor := range weights.Tensors {
				for _, x := range tensor.Data {
					hash.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
				}
			}
			if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want {
				t.Errorf("the signature is %s, want %s", got, want)
			}
		})
	}
}
