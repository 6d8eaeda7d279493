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

// errTooLong ends a game that is larger than games are.
var errTooLong = fmt.Errorf("the game is larger than %d MiB", maxGame>>20)

// place is a line and a column of a file, from 1; column 0: unknown.
type place struct{ line, column int }

// source reads a file by bytes or by lines.
type source struct {
	buffer *bufio.Reader
	place      // of the byte read last; of the next line
	size   int // bytes of the current game so far
}

// fault returns an error of reading; [io.EOF] stays what it is.
func (s *source) fault(err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("reading line %d: %w", s.line, err)
}

// next returns the next byte.
func (s *source) next() (byte, error) {
	b, err := s.buffer.ReadByte()
	if err != nil {
		return 0, s.fault(err)
	}
	s.size++
	switch {
	case s.size > maxGame:
		return b, errTooLong
	case b == '\n':
		s.place = place{s.line + 1, 0}
	case b&0xc0 != 0x80: // not within a character of UTF-8
		s.column++
	}
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
		var line []byte
		err := bufio.ErrBufferFull
		for errors.Is(err, bufio.ErrBufferFull) {
			var part []byte
			part, err = s.buffer.ReadSlice('\n')
			if len(line) <= maxGame {
				line = append(line, part...)
			}
		}
		at, text := place{s.line, 0}, strings.TrimRight(decode(line), " \t\r\n")
		switch {
		case err != nil && !(errors.Is(err, io.EOF) && text != ""):
			return "", at, s.fault(err)
		case len(line) > maxGame:
			err = errorAt(at, 0, errTooLong)
		default:
			err = nil
		}
		s.line++
		if err != nil || text != "" {
			return text, at, err
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
