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

// source reads a file by lines, and each by bytes.
type source struct {
	buffer *bufio.Reader
	rest   []byte // rest of the line, with its end
	place         // of the byte read last
	size   int    // bytes of the current game so far
}

// fill reads the next line. A longer line than games are is cut.
func (s *source) fill() error {
	s.rest = nil
	err := bufio.ErrBufferFull
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = s.buffer.ReadSlice('\n')
		if len(s.rest) <= maxGame {
			s.rest = append(s.rest, part...)
		}
	}
	s.place = place{s.line + 1, 0}
	switch {
	case err == nil || errors.Is(err, io.EOF) && len(s.rest) > 0:
		return nil
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	s.rest = nil
	return fmt.Errorf("reading line %d: %w", s.line, err)
}

// next returns the next byte.
func (s *source) next() (byte, error) {
	if len(s.rest) == 0 {
		err := s.fill()
		if err != nil {
			return 0, err
		}
	}
	b := s.rest[0]
	s.rest, s.size = s.rest[1:], s.size+1
	if b&0xc0 != 0x80 { // not within a character of UTF-8
		s.column++
	}
	if s.size > maxGame {
		return b, errTooLong
	}
	return b, nil
}

// peek returns the next byte without reading it, 0 at the end.
func (s *source) peek() byte {
	if len(s.rest) == 0 && s.fill() != nil { // the error comes back later
		return 0
	}
	return s.rest[0]
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

// readLine returns the next line that is not blank, without blanks at its end. A line longer than maxGame is an [*Error].
func (s *source) readLine() (string, place, error) {
	for {
		err := s.fill()
		if err == nil && len(s.rest) > maxGame {
			err = errorAt(s.place, 0, errTooLong)
		}
		text := strings.TrimRight(decode(s.rest), " \t\r\n")
		if err != nil || text != "" {
			return text, s.place, err
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
