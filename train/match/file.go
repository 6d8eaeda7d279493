package match

import (
	"bytes"
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

// errFile is wrapped by errors about a match file: it belongs to another match, or it is no match file.
var errFile = errors.New("bad match file")

// matchFile is a match file: the games of one match as JSON lines. A fileHeader comes first, then a fileGame for each
// finished game. Lines are appended whole and a torn last line is dropped, so a crash of the program loses no finished
// game. The file is synced when the match ends.
type matchFile struct {
	fileHeader
	games []fileGame // in the order in which they ended
}

// fileHeader identifies the match. The number of games is left out, because it may change when a match is continued.
type fileHeader struct {
	Version      int    `json:"match"` // format version
	Game         string `json:"game"`  // canonical name
	A            string `json:"a"`     // agent A's spec
	B            string `json:"b"`
	AWeights     string `json:"a_weights,omitempty"` // Origin.Digest of A's weights
	BWeights     string `json:"b_weights,omitempty"`
	Seed         uint64 `json:"seed"`
	OpeningPlies int    `json:"opening_plies"`
	NoRepeats    bool   `json:"no_repeats,omitempty"`
	Seats        string `json:"seats"` // always "swap": each opening is played from both sides
	SkipGames    int    `json:"skip_games,omitempty"`
}

// fileGame is a finished game in a match file.
type fileGame struct {
	Number int      `json:"game"`    // game's number in the match, from 0
	AFirst bool     `json:"a_first"` // A moved first
	Moves  []string `json:"moves"`   // all moves from the start
	Goals  [2]int   `json:"goals"`   // goals of A and B
}

const fileVersion = 2

// parseFile parses the lines of a match file.
func parseFile(lines [][]byte) (*matchFile, error) {
	f := &matchFile{}
	if len(lines) == 0 || json.Unmarshal(env.SkipByteOrderMark(lines[0]), &f.fileHeader) != nil || f.Version < 1 {
		return nil, errors.New("it is not a match file")
	}
	if f.Version != fileVersion {
		return nil, fmt.Errorf("its format is %d, and this program reads %d", f.Version, fileVersion)
	}
	for i, line := range lines[1:] {
		g := fileGame{Number: -1} // stays -1 if the line has no number
		err := json.Unmarshal(line, &g)
		if err == nil && g.Number < 0 {
			err = errors.New("it is not a game")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		f.games = append(f.games, g)
	}
	return f, nil
}

// fileWriter appends games to a match file.
type fileWriter struct {
	game *env.Game
	file *os.File
}

// header returns the header of the match's file.
func (c *Config) header() fileHeader {
	return fileHeader{
		Version: fileVersion, Game: c.Game.Name, Seed: c.Seed,
		A: c.A.String(), B: c.B.String(), AWeights: digest(c.A), BWeights: digest(c.B),
		OpeningPlies: c.OpeningPlies, NoRepeats: c.NoRepeats, Seats: "swap", SkipGames: c.SkipGames,
	}
}

// digest identifies the weights of a loaded agent; "" if it has none.
func digest(f *agent.Factory) string {
	origin, _ := f.Load()
	return origin.Digest
}

// openFile reads the match's file into games, drops a torn last line and opens the file for appending. If the file is
// missing, openFile creates it.
func openFile(ctx context.Context, c *Config, openings *openings, games []*finishedGame) (*fileWriter, error) {
	if info, err := os.Stat(c.File); err == nil && !info.Mode().IsRegular() { // e.g. a pipe, which a new file would replace
		return nil, fmt.Errorf("%w: %s is not a regular file", errFile, c.File)
	}
	lines, err := checkpoints.ReadLines(c.File)
	if err != nil {
		return nil, err
	}
	header, err := json.Marshal(c.header())
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		torn, err := os.ReadFile(c.File)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if !bytes.HasPrefix(header, torn) { // a header that a crash cut short, or an empty or missing file, is replaced
			return nil, fmt.Errorf("%w: %s is another kind of file", errFile, c.File)
		}
		if err := checkpoints.WriteLines(c.File, [][]byte{header}); err != nil {
			return nil, err
		}
		lines = append(lines, header)
	}
	if err := c.readGames(ctx, lines, openings, games); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errFile, c.File, err)
	}
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	if err := os.Truncate(c.File, int64(size)); err != nil { // drops a torn line
		return nil, err
	}
	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	return &fileWriter{c.Game, file}, nil
}

// readGames reads the lines of the match's file into games. Games numbered beyond the match are ignored.
func (c *Config) readGames(ctx context.Context, lines [][]byte, openings *openings, games []*finishedGame) error {
	file, err := parseFile(lines)
	if err != nil {
		return err
	}
	if err := c.checkHeader(&file.fileHeader); err != nil {
		return err
	}
	for i := range file.games {
		r := &file.games[i]
		if r.Number >= len(games) || games[r.Number] != nil {
			continue
		}
		if games[r.Number], err = c.replay(ctx, r, openings); err != nil {
			return fmt.Errorf("line %d: game %d: %w", i+2, r.Number, err)
		}
	}
	return nil
}

// checkHeader returns an error if have is the header of another match.
func (c *Config) checkHeader(have *fileHeader) error {
	want := c.header()
	if *have == want {
		return nil
	}
	a, _ := json.Marshal(have) // cannot fail: plain fields
	b, _ := json.Marshal(want)
	return fmt.Errorf("it is of another match, %s, not %s; a checkpoint as agent, such as net:RUN@12, stays the same", a, b)
}

// replay replays a game of the file and checks that it starts with its opening, that its moves are legal, and that its
// goals are right.
func (c *Config) replay(ctx context.Context, r *fileGame, openings *openings) (*finishedGame, error) {
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
	g := newFinishedGame(r.Number, opening, moves, final)
	if g.goals != r.Goals {
		return nil, fmt.Errorf("it ends with goals %v, not %v", g.goals, r.Goals)
	}
	return g, nil
}

// add appends a finished game.
func (f *fileWriter) add(number int, g *finishedGame) error {
	r := fileGame{Number: number, AFirst: g.aFirst, Moves: f.game.Texts(g.moves), Goals: g.goals}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = f.file.Write(append(line, '\n'))
	return err
}

// close syncs the file.
func (f *fileWriter) close() error { return errors.Join(f.file.Sync(), f.file.Close()) }
