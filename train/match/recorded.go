package match

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"ludus/checkpoints"
	"ludus/env"
)

// Record is a match as its record has it ([Config.Record]).
type Record struct {
	Game  string // canonical name
	A, B  string // the agents' texts
	Games []RecordedGame
}

// RecordedGame is a finished game of a record.
type RecordedGame struct {
	Number int      // in the match, from 0
	First  bool     // A moved first
	Moves  []string // all from the start
	Goals  [2]int   // A's and B's
}

// recordBegins is how the first line of a record begins.
const recordBegins = `{"match":`

// IsRecord reports whether the file at path begins like the record of a match.
func IsRecord(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(recordBegins))
	n, _ := f.Read(begin)
	return string(begin[:n]) == recordBegins
}

// ReadRecord reads the record of a match, which may still be played: games in the order of their numbers. Their moves are
// as they stand in the file; [Replay] checks them. Errors wrap [ErrRecord] where the file is no record, damaged or newer.
func ReadRecord(path string) (*Record, error) {
	lines, err := checkpoints.ReadLines(path)
	if err != nil {
		return nil, err
	}
	r, err := parseRecorded(lines)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, path, err)
	}
	return r, nil
}

// parseRecorded reads the lines of a record.
func parseRecorded(lines [][]byte) (*Record, error) {
	var header recordHeader
	if len(lines) == 0 || json.Unmarshal(lines[0], &header) != nil || header.Match < 1 {
		return nil, errors.New("it is not the record of a match")
	}
	if header.Match > recordVersion {
		return nil, fmt.Errorf("its format is %d, and this program knows those up to %d", header.Match, recordVersion)
	}
	r := &Record{Game: header.Game, A: header.A, B: header.B}
	for i, line := range lines[1:] {
		g := recordedGame{Game: -1}
		err := json.Unmarshal(line, &g)
		if err == nil && g.Game < 0 {
			err = errNoGame
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		r.Games = append(r.Games, RecordedGame{Number: g.Game, First: g.First == "a", Moves: g.Moves, Goals: g.Goals})
	}
	slices.SortStableFunc(r.Games, func(a, b RecordedGame) int { return cmp.Compare(a.Number, b.Number) })
	return r, nil
}

// Replay returns the actions of a finished game and the position at its end. Errors name a move that is not legal, or say that
// the game does not end with them.
func Replay(game *env.Game, texts []string) (env.State, []env.Action, error) {
	state, moves, err := env.ReplayText(game, texts)
	if err == nil && !state.Done() {
		err = errors.New("the game is not finished")
	}
	return state, moves, err
}
