package gamefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ludus/env"
)

// Format is a format of files.
type Format string

const (
	SGF        Format = "sgf"
	GGF        Format = "ggf"
	Moves      Format = "moves"      // a game per line, its moves as people write them; digits in Connect Four; games with tags as in PGN
	JSON       Format = "json"       // a [Record] per line; match records, too
	Transcript Format = "transcript" // of another implementation of the rules; see games.VerifyTranscript

	MatchRecord Format = "match record" // read as JSON
)

// codec says how files of a format are read and written.
type codec struct {
	Format
	ends  string // of files' names
	named bool   // a file names its game
	read  func(r *Reader) (*Record, error)
	write func(r *Record) (string, error)
}

var formats = []codec{
	{SGF, ".sgf .hsgf", true, (*Reader).readTree, writeSGF},
	{GGF, ".ggf", true, (*Reader).readTree, writeGGF},
	{Moves, ".txt", false, (*Reader).readMoves, writeMoves},
	{JSON, ".json .jsonl .ndjson", true, (*Reader).readJSON, writeJSON},
	{Transcript, "", false, (*Reader).readTranscript, nil},
}

// codecOf returns the codec of a format that can be read, or if write is set written.
func codecOf(format Format, write bool) (codec, error) {
	var known []string
	for _, f := range formats {
		switch {
		case write && f.write == nil:
			continue
		case f.Format == format:
			return f, nil
		}
		known = append(known, string(f.Format))
	}
	return codec{}, fmt.Errorf("unknown format %s; known: %s", env.Quote(string(format)), strings.Join(known, ", "))
}

// FormatOf returns the format of a file that is to be written, by its name; "" if its name does not tell.
func FormatOf(path string) Format {
	for _, f := range formats {
		if slices.Contains(strings.Fields(f.ends), strings.ToLower(filepath.Ext(path))) {
			return f.Format
		}
	}
	return ""
}

// Text returns a game as a file in a format. Files may be joined. An error says that the format has no such games.
func Text(r *Record, format Format) (string, error) {
	f, err := codecOf(format, true)
	if err != nil {
		return "", err
	}
	return f.write(r)
}

// Error is an error in a game of a file. The reader can go on with the next game.
type Error struct {
	game int // number of the game in the file, from 1
	move int // number of the move, from 1; 0: it is not about a move
	place
	err error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("line %d", e.line)
	if e.column > 0 {
		text += fmt.Sprintf(", column %d", e.column)
	}
	text += fmt.Sprintf(": game %d", e.game)
	if e.move > 0 {
		text += fmt.Sprintf(", move %d", e.move)
	}
	return text + ": " + e.err.Error()
}

func (e *Error) Unwrap() error { return e.err }

// errorAt returns an error about a place in the current game.
func errorAt(at place, move int, err error) error { return &Error{move: move, place: at, err: err} }

// errGame is returned if a file of another kind than SGF, GGF and JSON lines is read without knowing the game.
var errGame = errors.New("the file does not name its game")

// Reader reads the games of a file, one at a time.
type Reader struct {
	Format Format // of the last game, or as given or found before the first

	game   *env.Game // nil: each game names its own
	source source
	games  int // read so far, including those with errors
	read   func(r *Reader) (*Record, error)
	match  jsonLine // the first line of a match record
	lost   bool     // the last game had an error of syntax: skip to the start of the next
}

// NewReader returns a reader of a file of one game's records. If game is nil, the file must name the game of each
// record, which SGF, GGF and JSON do. If format is "", the content decides, and then the name, which may be "".
func NewReader(game *env.Game, file io.Reader, name string, format Format) (*Reader, error) {
	r := &Reader{game: game, source: source{Reader: bufio.NewReader(file), last: '\n'}, Format: format}
	start, err := r.source.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.source.Discard(len(start) - len(env.SkipByteOrderMark(start))) // cannot fail: Peek has seen them
	if format == "" {
		r.Format = r.detect(name)
	}
	f, err := codecOf(r.Format, false)
	switch {
	case r.Format == "":
		return nil, errors.New("it is not a text file")
	case err != nil:
		return nil, err
	case game == nil && !f.named:
		return nil, errGame
	}
	r.read = f.read
	return r, nil
}

// detect returns the format of the file; "" if it is not a text file.
func (r *Reader) detect(name string) Format {
	peeked, _ := r.source.Peek(2048) // an error means that the file is shorter, or it comes back later
	start := strings.TrimSpace(string(peeked))
	tree, isTree := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(start, "0123456789")), "(") // GGS counts its games
	switch format := FormatOf(name); {
	case isTree && strings.HasPrefix(strings.TrimSpace(tree), ";"):
		return SGF
	case strings.HasPrefix(start, "{"):
		return JSON
	case strings.HasPrefix(start, "game ") && strings.Contains(start, "|"):
		return Transcript
	case format != "":
		return format
	case strings.ContainsRune(start, 0):
		return "" // not a text file
	}
	return Moves
}

// First returns the first game of a file, see [NewReader].
func First(game *env.Game, file io.Reader, name string, format Format) (*Record, error) {
	r, err := NewReader(game, file, name, format)
	if err != nil {
		return nil, err
	}
	record, err := r.Next()
	if errors.Is(err, io.EOF) {
		err = errors.New("there is no game")
	}
	return record, err
}

// Next returns the next game, and io.EOF after the last. After an [*Error] it goes on with the game after the wrong
// one; other errors are the file's.
func (r *Reader) Next() (*Record, error) {
	r.games++
	record, err := r.read(r)
	if fault := new(Error); errors.As(err, &fault) {
		fault.game = r.games
	}
	return record, err
}
