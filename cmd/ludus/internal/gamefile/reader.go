package gamefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ludus/env"
)

// Format is a format of files.
type Format string

const (
	SGF        Format = "sgf"
	GGF        Format = "ggf"
	Moves      Format = "moves"      // a game per line, its moves as people write them
	Digits     Format = "digits"     // a game of Connect Four per line, a digit for each move's column
	JSON       Format = "json"       // a [Record] per line; match records, too
	Transcript Format = "transcript" // of another implementation of the rules; see games.VerifyTranscript

	// MatchRecord is the format of a [Reader] once it has read the first line of one; it is given as JSON.
	MatchRecord Format = "match record"
)

// Formats lists all formats of files that are written.
func Formats() []Format { return []Format{SGF, GGF, Moves, Digits, JSON, Transcript} }

// extensions are the formats of files by the ends of their names.
var extensions = map[string]Format{
	".sgf": SGF, ".hsgf": SGF, ".ggf": GGF, ".txt": Moves, ".json": JSON, ".jsonl": JSON, ".ndjson": JSON,
}

// FormatOf returns the format of a file that is to be written, by its name; "" if its name does not tell.
func FormatOf(path string) Format { return extensions[strings.ToLower(filepath.Ext(path))] }

// Error is an error in a game of a file. The reader can go on with the next game.
type Error struct {
	Game         int // number of the game in the file, from 1
	Move         int // number of the move, from 1; 0: it is not about a move
	Line, Column int // place in the file, from 1; Column 0: unknown
	Err          error
}

func (e *Error) Error() string {
	place, what := fmt.Sprintf("line %d", e.Line), fmt.Sprintf("game %d", e.Game)
	if e.Column > 0 {
		place += fmt.Sprintf(", column %d", e.Column)
	}
	if e.Move > 0 {
		what += fmt.Sprintf(", move %d", e.Move)
	}
	return fmt.Sprintf("%s: %s: %v", place, what, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Limits of files. The longest games have a few hundred moves; an analysis of each takes some kilobytes.
const (
	maxGame = 16 << 20 // bytes of a game in SGF
	maxLine = 4 << 20  // bytes of a line in the other formats
	maxNest = 10000    // variations within variations
)

// Reader reads the games of a file, one at a time.
type Reader struct {
	Format Format // of the file; Moves for Digits, and SGF for GGF: they may be mixed

	game   *env.Game // nil: each game names its own
	source source
	games  int // read so far, including those with errors
	read   func(r *Reader) (*Record, error)
	match  matchHeader // of a match record
	held   string      // a line of a transcript that begins the next game
	lost   bool        // the last game had an error of syntax: skip to the start of the next
}

// errGame is returned if a file of another kind than SGF, GGF and JSON lines is read without knowing the game.
var errGame = errors.New("the file does not name its game")

// NewReader returns a reader of a file of one game's records. If game is nil, the file must name the game of each record,
// which SGF, GGF and JSON do. If format is "", the content decides, and then the name, which may be "".
func NewReader(game *env.Game, file io.Reader, name string, format Format) (*Reader, error) {
	r := &Reader{game: game, source: source{buffer: bufio.NewReader(file), line: 1}, Format: format}
	start, err := r.source.buffer.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(env.SkipByteOrderMark(start)) < len(start) {
		r.source.buffer.Discard(3)
	}
	if format == "" {
		r.Format = r.detect(name)
	}
	switch r.Format {
	case SGF, GGF:
		r.Format, r.read = SGF, (*Reader).readTree
	case JSON:
		r.read = (*Reader).readJSON
	case Transcript:
		r.read = (*Reader).readTranscript
	case Moves, Digits:
		r.Format, r.read = Moves, (*Reader).readMoves
	default:
		return nil, fmt.Errorf("unknown format %s; known: %v", env.Quote(string(format)), Formats())
	}
	if game == nil && r.Format != SGF && r.Format != JSON {
		return nil, errGame
	}
	return r, nil
}

var (
	startOfTree       = regexp.MustCompile(`^\s*(\d+\s+)?\(\s*;`)
	startOfTranscript = regexp.MustCompile(`^\s*game\s+\d+\s*\n\s*\S+\s+\d+\s.*\|`)
)

// detect returns the format of the file.
func (r *Reader) detect(name string) Format {
	start, _ := r.source.buffer.Peek(2048) // an error means that the file is shorter, or it comes back later
	switch {
	case startOfTree.Match(start):
		return SGF
	case bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")):
		return JSON
	case startOfTranscript.Match(start):
		return Transcript
	}
	if f := FormatOf(name); f != "" {
		return f
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

// Next returns the next game, and io.EOF after the last. After an [*Error] it goes on with the game after the wrong one;
// other errors are the file's.
func (r *Reader) Next() (*Record, error) {
	record, err := r.read(r)
	if fault := new(Error); errors.As(err, &fault) {
		fault.Game = r.games
	}
	return record, err
}

// errorAt returns an error about a place in the current game.
func errorAt(at place, move int, err error) error {
	return &Error{Move: move, Line: at.line, Column: at.column, Err: err}
}

// place is a line and a column of a file, from 1.
type place struct{ line, column int }

// source reads a file's bytes and counts lines and columns.
type source struct {
	buffer       *bufio.Reader
	line, column int // of the byte read last
	ended        bool
	budget       int // bytes that the current game may still have
}

// errTooLong ends a game that is larger than games are.
var errTooLong = fmt.Errorf("the game is larger than %d MiB", maxGame>>20)

// next returns the next byte.
func (s *source) next() (byte, error) {
	b, err := s.buffer.ReadByte()
	if err != nil {
		return 0, err
	}
	if s.ended {
		s.line, s.column, s.ended = s.line+1, 0, false
	}
	if b&0xc0 != 0x80 { // not within a character of UTF-8
		s.column++
	}
	s.ended = b == '\n'
	s.budget--
	return b, nil
}

// peek returns the next byte without reading it, 0 at the end.
func (s *source) peek() byte {
	b, err := s.buffer.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

func (s *source) place() place { return place{s.line, s.column} }

// readLine returns the next line that is not blank, without blanks around it. Longer lines than maxLine are an [*Error].
func (s *source) readLine() (string, error) {
	for {
		text, long := []byte(nil), false
		b, err := s.next()
		for ; err == nil && b != '\n'; b, err = s.next() {
			if long = len(text) == maxLine; !long {
				text = append(text, b)
			}
		}
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return "", fmt.Errorf("reading line %d: %w", s.line, err)
		case long:
			return "", errorAt(place{s.line, 0}, 0, fmt.Errorf("the line is longer than %d MiB", maxLine>>20))
		}
		if line := decode(text); strings.TrimSpace(line) != "" {
			return strings.TrimRight(line, " \t\r"), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// decode returns text in UTF-8. Text in another encoding is taken for Latin-1, SGF's default.
func decode(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return string(runes)
}

// oneOf reports whether one of the words equals a text in any case.
func oneOf(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
}
