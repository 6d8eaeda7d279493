package train

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"ludus/env"
	"ludus/model"
	"ludus/train/record"
	"ludus/train/rundir"
)

// The faults of the runs that package train_test breaks on purpose. Each is like a bug that people have had in a trainer
// of their own.

// IgnoreMask lets illegal moves take part in the policy loss.
func IgnoreMask(o *Options) {
	o.corrupt = func(b *model.Batch) {
		for i := range b.LegalMask {
			b.LegalMask[i], b.ReplyMask[i] = 1, 1
		}
	}
}

// FlipSign counts wins as losses in the outcome targets.
func FlipSign(o *Options) {
	classes := len(o.Game.Classes) // ordered from the mover's win to its loss
	o.corrupt = func(b *model.Batch) {
		for row := range slices.Chunk(b.Outcome, classes) {
			slices.Reverse(row)
		}
	}
}

// WrongFrame trains on policy targets in the opponent's frame. The game's symmetries must commute with the change of
// frame.
func WrongFrame(o *Options) {
	frame, actions := o.Game.Frame(env.Second), o.Game.NumActions() // First's frame is the identity, Second's its own inverse
	other := make([]float32, actions)
	o.corrupt = func(b *model.Batch) {
		for _, values := range [][]float32{b.LegalMask, b.Policy, b.ReplyMask, b.Reply} {
			for row := range slices.Chunk(values, actions) {
				for a, x := range row {
					other[frame[a]] = x
				}
				copy(row, other)
			}
		}
	}
}

// ForeignOutcome trains each position on the outcome target of another one.
func ForeignOutcome(o *Options) {
	classes := len(o.Game.Classes)
	o.corrupt = func(b *model.Batch) {
		first := slices.Clone(b.Outcome[:classes])
		copy(b.Outcome, b.Outcome[classes:])
		copy(b.Outcome[len(b.Outcome)-classes:], first)
	}
}

// BlankInput trains on empty boards.
func BlankInput(o *Options) {
	o.corrupt = func(b *model.Batch) { clear(b.Inputs) }
}

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
