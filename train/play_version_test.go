package train

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"ludus/model/infer/kernel"
	"ludus/train/parallel"
	"ludus/train/record"
)

// TestPlayVersion compares a hash of games that a worker plays and rescores with that of the present PlayVersion. If the
// games change, workers of an earlier build play other games than the learner expects, so they must be refused.
func TestPlayVersion(t *testing.T) {
	if kernel.InstructionSet() == "Go" {
		t.Skip("the kernels in Go round differently from those in assembly, for which the hash was recorded")
	}
	const version, want = 2, "f5db91a43538925d563ac8186fe901f9d4d1ab454d388d53c9ece0f611eeb25e"
	hash := sha256.New()
	for _, name := range []string{"quad-5x5", "breakthrough-6x6"} {
		n := testNetwork(t, newGame(t, name))
		play := newSelfPlay(newGamesInProgress(n.Game, &n.Settings, 7, 8), 1, cacheEntries)
		result, err := play.round(t.Context(), n, 60)
		if err == nil {
			err = newRescorer(n.Game, n.Settings.SolverNodes, parallel.Runner(1)).rescore(t.Context(), result.finished)
		}
		if err != nil || len(result.finished) < 8 {
			t.Fatalf("%s: %d games, error %v", name, len(result.finished), err)
		}
		for _, r := range result.finished {
			hash.Write(r.Append(nil))
		}
	}
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want || version != record.PlayVersion {
		t.Errorf("workers play other games than those of version %d: increase the play version (PlayVersion in batch.go), and write it here "+
			"with the hash %s", version, got)
	}
}
