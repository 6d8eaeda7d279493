package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/agent"
)

// errFile is wrapped by errors about a match file: it belongs to another match, or it is no match file.
var errFile = errors.New("bad match file")

// A match file holds the games of one match as JSON lines: a fileHeader, then a fileGame for each finished game in the
// order in which they ended. Lines are appended whole and a torn last line is dropped, so a crash of the program loses
// no finished game. The file is synced when the match ends.

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
	MoveTime     string `json:"move_time,omitempty"` // such as "500ms"
	GameTime     string `json:"game_time,omitempty"`
}

// fileGame is a finished game in a match file.
type fileGame struct {
	Number int      `json:"game"`    // game's number in the match, from 0
	AFirst bool     `json:"a_first"` // A moved first
	Moves  []string `json:"moves"`   // all moves from the start
	Goals  [2]int   `json:"goals"`   // goals of A and B
	// End says how the game ended before a terminal position; see endings. Absent: it did not.
	End      string     `json:"end,omitzero"`
	Loser    string     `json:"loser,omitzero"`    // of such a game: "a" or "b", who was to move
	Detail   string     `json:"detail,omitzero"`   // of the fault
	Seconds  [2]float64 `json:"seconds,omitzero"`  // time of A and B, if the match measured it
	Restarts [2]int     `json:"restarts,omitzero"` // of A's and B's programs
}

const fileVersion = 3

// sideNames are what files call the agents.
var sideNames = [2]string{"a", "b"}

// parseFile parses the lines of a match file.
func parseFile(lines [][]byte) (h fileHeader, games []fileGame, err error) {
	if len(lines) == 0 || json.Unmarshal(env.SkipByteOrderMark(lines[0]), &h) != nil || h.Version < 1 {
		return h, nil, errors.New("it is not a match file")
	}
	if h.Version != fileVersion {
		return h, nil, fmt.Errorf("its format is %d, and this program reads %d", h.Version, fileVersion)
	}
	h.Game = env.Renamed(h.Game)
	for i, line := range lines[1:] {
		g := fileGame{Number: -1} // stays -1 if the line has no number
		err := json.Unmarshal(line, &g)
		if err == nil && g.Number < 0 {
			err = errors.New("it is not a game")
		}
		if err != nil {
			return h, nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		games = append(games, g)
	}
	return h, games, nil
}

// header returns the header of the match's file.
func (c *Config) header() fileHeader {
	limit := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	return fileHeader{
		Version: fileVersion, Game: c.Game.Name, Seed: c.Seed,
		A: c.A.String(), B: c.B.String(), AWeights: digest(c.A), BWeights: digest(c.B),
		OpeningPlies: c.OpeningPlies, NoRepeats: c.NoRepeats, Seats: "swap", SkipGames: c.SkipGames,
		MoveTime: limit(c.MoveTime), GameTime: limit(c.GameTime),
	}
}

// digest identifies the weights of a loaded agent; "" if it has none.
func digest(f *agent.Factory) string {
	if !f.HasNetwork() {
		return ""
	}
	origin, _ := f.Load()
	return origin.Digest
}

// openFile reads the match's file into games, drops a torn last line and opens the file for appending. If the file is
// missing, openFile creates it.
func openFile(ctx context.Context, c *Config, openings *openings, games []*finishedGame) (*os.File, error) {
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
	return os.OpenFile(c.File, os.O_WRONLY|os.O_APPEND, 0)
}

// readGames reads the lines of the match's file into games. Games numbered beyond the match are ignored.
func (c *Config) readGames(ctx context.Context, lines [][]byte, openings *openings, games []*finishedGame) error {
	header, list, err := parseFile(lines)
	if err != nil {
		return err
	}
	if err := c.checkHeader(header); err != nil {
		return err
	}
	for i := range list {
		r := &list[i]
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
func (c *Config) checkHeader(have fileHeader) error {
	want := c.header()
	if have == want {
		return nil
	}
	a, _ := json.Marshal(have) // cannot fail: plain fields
	b, _ := json.Marshal(want)
	return fmt.Errorf("it is of another match, %s, not %s; a checkpoint as agent, such as net:RUN@12, stays the same", a, b)
}

// replay replays a game of the file and checks that it starts with its opening, that its moves are legal, that it ends
// as it says, and that its goals are right.
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
	if !slices.Equal(opening.moves, moves[:min(len(opening.moves), len(moves))]) {
		return nil, errors.New("it starts from another opening")
	}
	e, err := r.ending(final)
	if err != nil {
		return nil, err
	}
	f := newFinishedGame(r.Number, opening, moves, final, e)
	if f.goals != r.Goals {
		return nil, fmt.Errorf("it ends with goals %v, not %v", f.goals, r.Goals)
	}
	if slices.Min(r.Seconds[:]) < 0 || slices.Min(r.Restarts[:]) < 0 {
		return nil, fmt.Errorf("seconds %v and restarts %v must be 0 or more", r.Seconds, r.Restarts)
	}
	f.seconds, f.restarts = r.Seconds, r.Restarts
	state := c.Game.NewState()
	for i, a := range moves {
		if i >= len(opening.moves) {
			f.choices[sideOf(r.Number, state.Player())]++
		}
		state.Apply(a)
	}
	if e.early() {
		f.choices[e.side]++
	}
	return f, nil
}

// ending returns how a game of the file ended. Only the player to move can have ended it before a terminal position.
func (g *fileGame) ending(final env.State) (e ending, err error) {
	if g.End == "" {
		if !final.Done() {
			err = errors.New("it is not finished")
		}
		return e, err
	}
	e = ending{Fault: agent.Fault{Kind: agent.FaultKind(g.End), Detail: g.Detail}}
	if !slices.Contains(endings, e.Kind) {
		return e, fmt.Errorf("it ends in an unknown way, %q", g.End)
	}
	switch {
	case e.Void():
		return e, fmt.Errorf("it is void, because a program %s", e.Kind.Phrase())
	case final.Done():
		return e, fmt.Errorf("it is finished, and cannot end by %q", g.End)
	}
	e.side = sideOf(g.Number, final.Player())
	if g.Loser != sideNames[e.side] {
		return e, fmt.Errorf("%q has lost it by %q, but %q is to move", g.Loser, g.End, sideNames[e.side])
	}
	return e, nil
}

// record returns a finished game as it stands in a file.
func (f *finishedGame) record(game *env.Game, number int) fileGame {
	r := fileGame{
		Number: number, AFirst: f.aFirst, Moves: game.Texts(f.moves), Goals: f.goals, Seconds: f.seconds, Restarts: f.restarts,
	}
	if f.ending.early() {
		r.End, r.Loser, r.Detail = string(f.ending.Kind), sideNames[f.ending.side], f.ending.Detail
	}
	return r
}

// write appends a finished game to a match file.
func (f *finishedGame) write(file *os.File, game *env.Game, number int) error {
	line, err := json.Marshal(f.record(game, number))
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return err
}
