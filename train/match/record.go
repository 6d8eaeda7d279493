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
	"ludus/train/agent"
)

// ErrRecord is wrapped by errors about the record of a match: it is of another match, or not a record.
var ErrRecord = errors.New("bad record")

// A record is a file of JSON lines: first a recordHeader, then a recordedGame for each finished game, in the order in
// which they ended. Lines are whole, but for the last one, which is dropped where it is torn, so that the end of the
// program, whenever it comes, loses no finished game. The file is made durable when the match ends.

// recordHeader says which match the games are of. How many games there are to be, and whether a test ends them, may
// change from time to time.
type recordHeader struct {
	Match    int    `json:"match"` // version of the format
	Game     string `json:"game"`
	A        string `json:"a"`
	B        string `json:"b"`
	AWeights string `json:"a_weights,omitempty"` // Origin.Digest
	BWeights string `json:"b_weights,omitempty"`
	Seed     uint64 `json:"seed"`
	Openings int    `json:"openings"`
	Once     bool   `json:"once,omitempty"`
	Seats    Seats  `json:"seats"`
	After    int    `json:"after,omitempty"`
}

const recordVersion = 1

var errNoGame = errors.New("it is not a game")

type recordedGame struct {
	Game    int      `json:"game"`
	Opening int      `json:"opening"`
	First   string   `json:"first"` // a or b: who moved first
	Moves   []string `json:"moves"` // all from the start
	Goals   [2]int   `json:"goals"` // A's and B's
}

// record is a record that games are added to.
type record struct {
	match *Config
	file  *os.File
}

func (m *Config) header() recordHeader {
	return recordHeader{
		Match: recordVersion, Game: m.Game.Name, A: m.A.String(), B: m.B.String(), AWeights: digest(m.A), BWeights: digest(m.B),
		Seed: m.Seed, Openings: m.Openings, Once: m.Once,
		Seats: cmp.Or(m.Seats, Swap), After: m.After,
	}
}

// digest identifies the weights of an agent that has been loaded; "" where it has none.
func digest(f *agent.Factory) string {
	origin, _ := f.Load()
	return origin.Digest
}

// openRecord reads the games that the match's record holds, fewer or none if there is no such file, and opens it for more.
func openRecord(ctx context.Context, m *Config, openings *openings, games []*played) (*record, error) {
	if info, err := os.Stat(m.Record); err == nil && !info.Mode().IsRegular() { // a new record would take its place
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrRecord, m.Record)
	}
	lines, err := checkpoints.ReadLines(m.Record)
	if err != nil {
		return nil, err
	}
	header, err := json.Marshal(m.header())
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		torn, err := os.ReadFile(m.Record)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if !bytes.HasPrefix(header, torn) {
			return nil, fmt.Errorf("%w: %s is something else", ErrRecord, m.Record)
		}
		if err := checkpoints.WriteLines(m.Record, [][]byte{header}); err != nil {
			return nil, err
		}
		lines = append(lines, header)
	}
	if err := m.checkHeader(lines[0]); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, m.Record, err)
	}
	size := int64(len(lines[0]) + 1)
	for i, line := range lines[1:] {
		if err := m.recall(ctx, line, openings, games); err != nil {
			return nil, fmt.Errorf("%w: %s: line %d: %w", ErrRecord, m.Record, i+2, err)
		}
		size += int64(len(line) + 1)
	}
	if err := os.Truncate(m.Record, size); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(m.Record, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	return &record{match: m, file: file}, nil
}

// checkHeader says what of a record's header does not fit the match.
func (m *Config) checkHeader(line []byte) error {
	var have recordHeader
	if err := json.Unmarshal(line, &have); err != nil || have.Match < 1 {
		return errors.New("it is not the record of a match")
	}
	if have.Match > recordVersion {
		return fmt.Errorf("its format is %d, and this program knows those up to %d", have.Match, recordVersion)
	}
	want := m.header()
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
	check("number of opening plies", have.Openings, want.Openings)
	check("use of openings once", have.Once, want.Once)
	check("order of seats", have.Seats, want.Seats)
	check("number of games passed over", have.After, want.After)
	if errs == nil && (have.AWeights != want.AWeights || have.BWeights != want.BWeights) {
		errs = append(errs, errors.New("its networks have changed since; name a checkpoint to go on with, such as net:RUN@12"))
	}
	if errs != nil {
		return fmt.Errorf("it is the record of another match: %w", errors.Join(errs...))
	}
	return nil
}

// recall reads one recorded game into games, unless it lies beyond them.
func (m *Config) recall(ctx context.Context, line []byte, openings *openings, games []*played) error {
	recorded := recordedGame{Game: -1}
	if err := json.Unmarshal(line, &recorded); err != nil {
		return err
	}
	i := recorded.Game
	if i < 0 {
		return errNoGame
	}
	if i >= len(games) || games[i] != nil {
		return nil
	}
	opening, err := openings.get(ctx, m.opening(i))
	if err != nil {
		return err
	}
	if opening == nil {
		return fmt.Errorf("game %d: the match has no opening for it", i)
	}
	g := m.newGame(i, opening)
	if err := m.replay(g, recorded.Moves); err != nil {
		return fmt.Errorf("game %d: %w", i, err)
	}
	if g.goals != recorded.Goals {
		return fmt.Errorf("game %d ends with goals %v, not %v", i, g.goals, recorded.Goals)
	}
	games[i] = g
	return nil
}

// replay makes the texts the moves of a game that has its opening.
func (m *Config) replay(g *played, texts []string) error {
	state, moves, err := Replay(m.Game, texts)
	if err != nil {
		return err
	}
	if !slices.Equal(g.moves, moves[:min(len(g.moves), len(moves))]) {
		return errors.New("it starts from another opening")
	}
	g.moves = moves
	g.end(state)
	return nil
}

// add adds a finished game.
func (r *record) add(i int, g *played) error {
	recorded := recordedGame{Game: i, Opening: r.match.opening(i), First: "b", Goals: g.goals}
	if g.first {
		recorded.First = "a"
	}
	for _, a := range g.moves {
		recorded.Moves = append(recorded.Moves, r.match.Game.ActionTexts[a])
	}
	line, err := json.Marshal(recorded)
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(line, '\n'))
	return err
}

// close makes the record durable.
func (r *record) close() error { return errors.Join(r.file.Sync(), r.file.Close()) }
