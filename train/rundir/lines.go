package rundir

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"ludus/checkpoints"
)

// LinesFile is a JSON Lines file of a run directory whose lines are values of T.
type LinesFile[T any] struct{ Name string }

// The JSON Lines files of a run directory.
var (
	MetricsFile = LinesFile[Metrics]{"metrics.jsonl"}
	MatchesFile = LinesFile[MatchResult]{"arena.jsonl"}
	SuiteFile   = LinesFile[SuiteResult]{"suite.jsonl"}
)

// Read returns the file's lines; none if there is no file. It skips lines that do not parse and returns a warning for each.
func (l LinesFile[T]) Read(dir string) (lines []T, warnings []error, err error) {
	path := filepath.Join(dir, l.Name)
	raw, err := checkpoints.ReadLines(path)
	lines, warnings = l.Parse(raw)
	for i, warning := range warnings {
		warnings[i] = fmt.Errorf("%s: %w", path, warning)
	}
	return lines, warnings, err
}

// Parse parses lines of the file. It skips lines that do not parse and returns a warning for each.
func (l LinesFile[T]) Parse(raw [][]byte) (lines []T, warnings []error) {
	for i, text := range raw {
		if x, err := parse[T](text); err == nil {
			lines = append(lines, *x)
		} else {
			warnings = append(warnings, fmt.Errorf("line %d: %w", i+1, err))
		}
	}
	return lines, warnings
}

// parse parses JSON and calls the result's check method, if it has one.
func parse[T any](text []byte) (*T, error) {
	x := new(T)
	if err := json.Unmarshal(text, x); err != nil {
		return nil, err
	}
	if checked, ok := any(x).(interface{ check() error }); ok {
		return x, checked.check()
	}
	return x, nil
}

// Append adds a line durably.
func (l LinesFile[T]) Append(dir string, line *T) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	return checkpoints.AppendLine(filepath.Join(dir, l.Name), text)
}

// DropAfter removes the lines of all generations after the given one from the JSON Lines files. A run that goes back to an
// older checkpoint repeats those generations. It removes unreadable lines, too.
func DropAfter(dir string, generation int) error {
	for _, name := range []string{MetricsFile.Name, MatchesFile.Name, SuiteFile.Name} {
		path := filepath.Join(dir, name)
		lines, err := checkpoints.ReadLines(path)
		if err != nil {
			return err
		}
		var kept [][]byte
		for _, line := range lines {
			var at struct{ Generation int }
			if json.Unmarshal(line, &at) == nil && at.Generation <= generation {
				kept = append(kept, line)
			}
		}
		if len(kept) < len(lines) {
			if err := checkpoints.WriteLines(path, kept); err != nil {
				return err
			}
		}
	}
	return nil
}
