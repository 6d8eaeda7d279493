package match

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/agent"
)

// ErrRecord is wrapped by errors about the record of a match: it belongs to another match, or it is not a record.
var ErrRecord = errors.New("bad record")

// Record is the record of a match: a file of JSON lines, first a RecordHeader, then a RecordedGame for each finished
// game in the order in which they ended. Lines are appended whole. A torn last line is dropped, so a program that dies
// loses no finished game. The file is synced when the match ends.
type Record struct {
	RecordHeader
	Games []RecordedGame // by number
}

// RecordHeader identifies the match. The number of games and the test are not part of it: they may change when a match
// is continued.
type RecordHeader struct {
	Version      int    `json:"match"` // of the format
	Game         string `json:"game"`  // canonical name
	A            string `json:"a"`     // spec
	B            string `json:"b"`
	AWeights     string `json:"a_weights,omitempty"` // Origin.Digest
	BWeights     string `json:"b_weights,omitempty"`
	Seed         uint64 `json:"seed"`
	OpeningPlies int    `json:"opening_plies"`
	NoRepeats    bool   `json:"no_repeats,omitempty"`
	Seats        Seats  `json:"seats"`
	SkipGames    int    `json:"skip_games,omitempty"`
}

// RecordedGame is a finished game of a record.
type RecordedGame struct {
	Number int      `json:"game"`    // in the match, from 0
	AFirst bool     `json:"a_first"` // A moved first
	Moves  []string `json:"moves"`   // all from the start
	Goals  [2]int   `json:"goals"`   // A's and B's
}

const (
	recordVersion = 2
	recordStart   = `{"match":` // of the first line
)

// IsRecord reports whether the file at path begins like the record of a match.
func IsRecord(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(recordStart))
	n, _ := f.Read(start)
	return string(start[:n]) == recordStart
}

// ReadRecord reads the record of a match, which may still be played. It does not check the moves. Errors wrap
// [ErrRecord] if the file is not a record of this version, or a line is malformed.
func ReadRecord(path string) (*Record, error) {
	lines, err := checkpoints.ReadLines(path)
	if err != nil {
		return nil, err
	}
	r, err := parseRecord(lines)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, path, err)
	}
	slices.SortStableFunc(r.Games, func(a, b RecordedGame) int { return cmp.Compare(a.Number, b.Number) })
	return r, nil
}

// parseRecord parses the lines of a record; games keep their order.
func parseRecord(lines [][]byte) (*Record, error) {
	r := &Record{}
	if len(lines) == 0 || json.Unmarshal(lines[0], &r.RecordHeader) != nil || r.Version < 1 {
		return nil, errors.New("it is not the record of a match")
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("its format is %d, and this program reads %d", r.Version, recordVersion)
	}
	for i, line := range lines[1:] {
		g := RecordedGame{Number: -1}
		err := json.Unmarshal(line, &g)
		if err == nil && g.Number < 0 {
			err = errors.New("it is not a game")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		r.Games = append(r.Games, g)
	}
	return r, nil
}

// recordWriter appends games to a record.
type recordWriter struct {
	game *env.Game
	file *os.File
}

func (c *Config) recordHeader() RecordHeader {
	return RecordHeader{
		Version: recordVersion, Game: c.Game.Name, Seed: c.Seed,
		A: c.A.String(), B: c.B.String(), AWeights: digest(c.A), BWeights: digest(c.B),
		OpeningPlies: c.OpeningPlies, NoRepeats: c.NoRepeats, Seats: cmp.Or(c.Seats, SwapSeats), SkipGames: c.SkipGames,
	}
}

// digest identifies the weights of an agent that [Config.play] has loaded; "" if it has none.
func digest(f *agent.Factory) string {
	origin, _ := f.Load()
	return origin.Digest
}

// openRecord reads the match's record into games, drops a torn last line and opens the file for appending. It writes a
// new record if there is none.
func openRecord(ctx context.Context, c *Config, openings *openings, games []*finishedGame) (*recordWriter, error) {
	if info, err := os.Stat(c.Record); err == nil && !info.Mode().IsRegular() { // a new record would replace it
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrRecord, c.Record)
	}
	lines, err := checkpoints.ReadLines(c.Record)
	if err != nil {
		return nil, err
	}
	header, err := json.Marshal(c.recordHeader())
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		torn, err := os.ReadFile(c.Record)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if !bytes.HasPrefix(header, torn) {
			return nil, fmt.Errorf("%w: %s is another kind of file", ErrRecord, c.Record)
		}
		if err := checkpoints.WriteLines(c.Record, [][]byte{header}); err != nil {
			return nil, err
		}
		lines = append(lines, header)
	}
	if err := c.readGames(ctx, lines, openings, games); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, c.Record, err)
	}
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	if err := os.Truncate(c.Record, int64(size)); err != nil { // drops a torn line
		return nil, err
	}
	file, err := os.OpenFile(c.Record, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	return &recordWriter{c.Game, file}, nil
}

// readGames reads the lines of the match's record into games. Games numbered beyond the match are ignored.
func (c *Config) readGames(ctx context.Context, lines [][]byte, openings *openings, games []*finishedGame) error {
	record, err := parseRecord(lines)
	if err != nil {
		return err
	}
	if err := c.checkHeader(&record.RecordHeader); err != nil {
		return err
	}
	for i := range record.Games {
		r := &record.Games[i]
		if r.Number >= len(games) || games[r.Number] != nil {
			continue
		}
		if games[r.Number], err = c.replayRecorded(ctx, r, openings); err != nil {
			return fmt.Errorf("line %d: game %d: %w", i+2, r.Number, err)
		}
	}
	return nil
}

// checkHeader returns an error that lists how the record's header differs from the match.
func (c *Config) checkHeader(have *RecordHeader) error {
	want := c.recordHeader()
	var errs []error
	check := func(what string, have, want any) {
		if have != want {
			errs = append(errs, fmt.Errorf("its %s is %v, not %v", what, have, want))
		}
	}
	check("game", have.Game, want.Game)
	check("agent A", have.A, want.A)
	check("agent B", have.B, want.B)
	check("seed", have.Seed, want.Seed)
	check("number of opening plies", have.OpeningPlies, want.OpeningPlies)
	check("choice of openings without repeats", have.NoRepeats, want.NoRepeats)
	check("order of seats", have.Seats, want.Seats)
	check("number of skipped games", have.SkipGames, want.SkipGames)
	if errs == nil && (have.AWeights != want.AWeights || have.BWeights != want.BWeights) {
		errs = append(errs, errors.New("its networks have changed; name a checkpoint, such as net:RUN@12"))
	}
	if errs != nil {
		return fmt.Errorf("it is the record of another match: %w", errors.Join(errs...))
	}
	return nil
}

// replayRecorded checks a recorded game: it starts from its opening, its moves are legal, and it ends with its goals.
func (c *Config) replayRecorded(ctx context.Context, r *RecordedGame, openings *openings) (*finishedGame, error) {
	opening, err := openings.get(ctx, c.opening(r.Number))
	if err != nil {
		return nil, err
	}
	if opening == nil {
		return nil, errors.New("the match has no opening for it")
	}
	final, moves, err := env.ReplayText(c.Game, r.Moves)
	if err != nil {
		return nil, err
	}
	if !final.Done() {
		return nil, errors.New("it is not finished")
	}
	if !slices.Equal(opening.moves, moves[:min(len(opening.moves), len(moves))]) {
		return nil, errors.New("it starts from another opening")
	}
	g := c.newFinishedGame(r.Number, opening, moves, final)
	if g.goals != r.Goals {
		return nil, fmt.Errorf("it ends with goals %v, not %v", g.goals, r.Goals)
	}
	return g, nil
}

// add appends a finished game.
func (w *recordWriter) add(number int, g *finishedGame) error {
	r := RecordedGame{Number: number, AFirst: g.aFirst, Moves: w.game.Texts(g.moves), Goals: g.goals}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.file.Write(append(line, '\n'))
	return err
}

// close syncs the record.
func (w *recordWriter) close() error { return errors.Join(w.file.Sync(), w.file.Close()) }
