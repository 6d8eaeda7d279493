package train

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"ludus/env/games"
	"ludus/model/infer/kernel"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// TestSignature trains a tiny run of three games and compares a hash of its final weights with a recorded one: the
// signature of everything that decides them, from rules and search to sampling and the optimizer. A change that should
// not affect games or weights must leave it alone. If a change is meant to affect them, replace the hashes below by
// those that the test reports, and say in the commit why they changed.
func TestSignature(t *testing.T) {
	if kernel.InstructionSet() == "Go" {
		t.Skip("the kernels in Go round differently from those in assembly, for which the hashes were recorded")
	}
	for name, want := range map[string]string{
		"quad-5x5":         "af32b40e9718dfd3e589c8db76496734a3fe63e65454f3ef27202c730f010108",
		"breakthrough-6x6": "4e65e26c49e39ea36e7913769a839e54f432e7e00eaf6c3424bdd34857d479db",
		"free-for-all-2p":  "6c496dd012cabc6b84bc2a1e99d81b3d54473a8831979d8fc2fb50ac0c7660e1",
	} {
		t.Run(name, func(t *testing.T) {
			seed := uint64(7)
			o := Options{
				Dir: t.TempDir(), Game: games.Must(name), Generations: 12, Seed: &seed, Threads: 2,
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
