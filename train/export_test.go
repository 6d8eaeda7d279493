package train

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"ludus/env"
	"ludus/train/record"
	"ludus/train/rundir"
)

// ChildVariable is the environment variable that makes the test binary the process that Child runs.
const ChildVariable = "LUDUS_TEST_CHILD"

// Child runs a process of the fault tests, in package train_test.
var Child func(description string) error

// SumLength is the length of the sums of games.
const SumLength = 64

// GameSums returns a sum of each game's content.
func GameSums(b *record.Message) (sums []string) {
	for _, r := range b.Records {
		sums = append(sums, fmt.Sprintf("%x", sha256.Sum256(r.Append(nil))))
	}
	return sums
}

// CommittedGenerations returns the number of generations in a run directory up to its newest checkpoint.
func CommittedGenerations(t *testing.T, dir string) int { return committed(t, dir).Generation }

func committed(t *testing.T, dir string) (count counters) {
	t.Helper()
	checkpoint, _, err := rundir.Checkpoints(dir).Newest()
	if err == nil {
		err = json.Unmarshal(checkpoint.Meta, &count)
	}
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// RunSums returns the sums of all games of each committed generation. All games must be valid.
func RunSums(t *testing.T, game *env.Game, dir string) (sums [][]string) {
	t.Helper()
	count, all := committed(t, dir), 0
	for g := 1; g <= count.Generation; g++ {
		games, _, err := record.Read(game, dir, g)
		if err != nil {
			t.Fatal(err)
		}
		sums, all = append(sums, GameSums(&record.Message{Records: games})), all+len(games)
	}
	if all != count.Games {
		t.Errorf("the run has %d games in files and counts %d", all, count.Games)
	}
	return sums
}
