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
		if x, err := parseLine[T](text); err == nil {
			lines = append(lines, *x)
		} else {
			warnings = append(warnings, fmt.Errorf("line %d: %w", i+1, err))
		}
	}
	return lines, warnings
}

// parseLine parses a line and calls its check method, if it has one.
func parseLine[T any](text []byte) (*T, error) {
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

// Follow returns a follower of the file, which need not exist yet.
func (l LinesFile[T]) Follow(dir string) *Follower[T] {
	path := filepath.Join(dir, l.Name)
	return &Follower[T]{path: path, lines: checkpoints.FollowLines(path)}
}

// Follower reads a [LinesFile] of a live run, each line once. It keeps no file open and belongs to one goroutine.
type Follower[T any] struct {
	path           string
	lines          *checkpoints.LineFollower
	count, damaged int   // number of lines read, and of those that do not parse
	first          error // error of the first line that does not parse
}

// Poll calls add for each line written since the last call. If the file was replaced or removed, it calls reset first:
// earlier lines are void. It reports whether anything changed, and returns warnings about what it could not read.
func (f *Follower[T]) Poll(reset func(), add func(*T)) (changed bool, warnings []error) {
	lines, replaced, err := f.lines.Poll()
	if replaced {
		f.count, f.damaged, f.first = 0, 0, nil
		reset()
	}
	for _, text := range lines {
		f.count++
		if x, err := parseLine[T](text); err == nil {
			add(x)
		} else if f.damaged++; f.damaged == 1 {
			f.first = fmt.Errorf("line %d: %w", f.count, err)
		}
	}
	if err != nil {
		warnings = append(warnings, err)
	}
	if f.damaged > 0 {
		warnings = append(warnings, fmt.Errorf("%s: %d of %d lines cannot be read and are left out; the first: %w",
			f.path, f.damaged, f.count, f.first))
	}
	return replaced || len(lines) > 0, warnings
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
