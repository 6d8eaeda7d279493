package gamefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxGame is the largest game in bytes. The longest games have a few hundred moves; an analysis of each takes some
// kilobytes.
const maxGame = 16 << 20

// nodeSize is about how many bytes of memory a node or a property of a tree takes; they count for maxGame.
const nodeSize = 100

// errTooLong ends a game that is larger than games are.
var errTooLong = fmt.Errorf("the game is larger than %d MiB", maxGame>>20)

// place is a line and a column of a file, from 1; column 0: unknown.
type place struct{ line, column int }

// source reads a file by bytes and by lines. It returns every line break as "\n".
type source struct {
	*bufio.Reader
	place      // of the byte read last
	last  byte // the byte read last; a line break before the first
	size  int  // bytes of the current game so far
}

// next returns the next byte.
func (s *source) next() (byte, error) {
	b, err := s.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		return 0, io.EOF
	case err != nil:
		return 0, fmt.Errorf("reading line %d: %w", s.line, err)
	case b == '\r' && s.peek() == '\n':
		return s.next()
	case b == '\r':
		b = '\n'
	}
	if s.last == '\n' {
		s.place = place{s.line + 1, 0}
	}
	if b&0xc0 != 0x80 { // not within a character of UTF-8
		s.column++
	}
	s.last, s.size = b, s.size+1
	if s.size > maxGame {
		return b, errTooLong
	}
	return b, nil
}

// peek returns the next byte without reading it, 0 at the end.
func (s *source) peek() byte {
	next, err := s.Peek(1)
	if err != nil { // it comes back later
		return 0
	}
	return next[0]
}

// visiblePeek returns the next byte that is no white space without reading it, 0 at the end.
func (s *source) visiblePeek() byte {
	for s.peek() != 0 && s.peek() <= ' ' {
		if _, err := s.next(); err != nil {
			return 0
		}
	}
	return s.peek()
}

// visible returns the next byte that is no white space.
func (s *source) visible() (byte, error) {
	for {
		b, err := s.next()
		if err != nil || b > ' ' {
			return b, err
		}
	}
}

// readLine returns the next line that is not blank, without blanks at its end. A line longer than maxGame is an
// [*Error].
func (s *source) readLine() (string, place, error) {
	for {
		s.size = 0
		b, err := s.next()
		at, line := place{s.line, 0}, []byte(nil)
		for ; err == nil && b != '\n'; b, err = s.next() {
			line = append(line, b)
		}
		if errors.Is(err, errTooLong) {
			for b != '\n' && errors.Is(err, errTooLong) {
				b, err = s.next()
			}
			return "", at, errorAt(at, 0, errTooLong)
		}
		text := strings.TrimRight(decode(line), " \t")
		if text != "" {
			return text, at, nil // at the end of the file, its error comes back
		}
		if err != nil {
			return "", at, err
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
