package kif

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what Read accepts.
const (
	MaxBytes = 4 << 20
	MaxDepth = 100
	MaxNodes = 1 << 20
)

// Pos is a place in a text: line and column, counted from 1; the column counts characters. A byte order mark at the
// start does not count.
type Pos struct{ Line, Column int }

func (p Pos) String() string { return fmt.Sprintf("line %d, column %d", p.Line, p.Column) }

// Error is an error at a place in a text.
type Error struct {
	Pos     Pos
	Message string
	cause   error
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Message }

// Unwrap returns the error that Errorf was given for %w, if any.
func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an error at a place. Like [fmt.Errorf] it wraps the operand of %w.
func Errorf(p Pos, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{p, err.Error(), errors.Unwrap(err)}
}

// Node is an atom or a list.
type Node struct {
	Atom string // as written; "" for a list
	List []Node
	Pos  Pos
}

// IsList reports whether the node is a list.
func (n Node) IsList() bool { return n.Atom == "" }

func (n Node) String() string {
	if !n.IsList() {
		return n.Atom
	}
	parts := make([]string, len(n.List))
	for i, m := range n.List {
		parts[i] = m.String()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// ByteOrderMark is the character with which some editors begin a file in UTF-8. [Read] skips it.
const ByteOrderMark = "\ufeff"

// Read returns the atoms and lists of a text in UTF-8. Errors are of type [Error].
func Read(text string) ([]Node, error) {
	if len(text) > MaxBytes {
		return nil, Errorf(Pos{1, 1}, "the text has %d bytes; at most %d are read", len(text), MaxBytes)
	}
	if wide := wideEncoding(text); wide != "" {
		return nil, Errorf(Pos{1, 1}, "the text is in %s; save it in UTF-8", wide)
	}
	text = strings.TrimPrefix(text, ByteOrderMark)
	if err := checkEncoding(text); err != nil {
		return nil, err
	}
	r := reader{text: text, pos: Pos{1, 1}}
	return r.list(0, Pos{})
}

// wideEncoding returns UTF-16 or UTF-32 if a text begins with the byte order mark of one, or with as many bytes 0 as
// words in one have; "" for other texts.
func wideEncoding(text string) string {
	starts := func(mark string) bool { return strings.HasPrefix(text, mark) }
	head := text[:min(len(text), 100)]
	zeros := strings.Count(head, "\x00")
	switch {
	case starts("\xff\xfe\x00\x00"), starts("\x00\x00\xfe\xff"), zeros > len(head)/2+1:
		return "UTF-32"
	case starts("\xff\xfe"), starts("\xfe\xff"), zeros > 1:
		return "UTF-16"
	}
	return ""
}

// checkEncoding returns an error at the first byte that is not UTF-8, or at the first carriage return without a line
// feed: after one, as in files of old Macintosh computers, the comment before it would go on.
func checkEncoding(text string) error {
	pos := Pos{1, 1}
	for i, c := range text {
		switch rest := text[i:]; {
		case c == utf8.RuneError && !strings.HasPrefix(rest, string(utf8.RuneError)):
			return Errorf(pos, "the byte %#02x is not UTF-8; save the text in UTF-8 (from Latin-1: iconv -f latin1 -t utf-8 OLD > NEW)", rest[0])
		case c == '\r' && !strings.HasPrefix(rest, "\r\n"):
			return Errorf(pos, "a carriage return without a line feed ends no line; save the text with line ends of Unix or Windows")
		case c == '\n':
			pos = Pos{pos.Line + 1, 1}
		default:
			pos.Column++
		}
	}
	return nil
}

// checkAtom returns an error at the first character of an atom that people cannot see or tell from another. The joiners
// of some scripts and of emoji may follow characters other than ASCII.
func checkAtom(atom string, pos Pos) error {
	before := rune(0)
	for _, c := range atom {
		joiner := (c == '\u200c' || c == '\u200d') && before > unicode.MaxASCII
		switch {
		case c == utf8.RuneError:
			return Errorf(pos, "the character U+FFFD stands where a conversion lost another; write that one again")
		case c == '\ufeff':
			return Errorf(pos, "a byte order mark (U+FEFF) stands here, where nobody can see it; delete it")
		case unicode.In(c, unicode.Z, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) && !joiner:
			return Errorf(pos, "the character %U%s is invisible, but no blank; write a blank or nothing", c, invisible[c])
		}
		before = c
		pos.Column++
	}
	return nil
}

// invisible names frequent invisible characters.
var invisible = map[rune]string{
	'\u00a0': " (no-break space)", '\u00ad': " (soft hyphen)", '\u200b': " (zero-width space)", '\u202f': " (narrow no-break space)",
	'\u2028': " (line separator)", '\u2060': " (word joiner)", '\u3000': " (ideographic space)",
}

// reader is the state of Read.
type reader struct {
	text  string
	at    int // index of the next byte
	pos   Pos // line and column of the next byte
	nodes int // nodes read so far
}

// list reads nodes up to the closing bracket of the list that begins at open, or to the end of the text at depth 0.
func (r *reader) list(depth int, open Pos) ([]Node, error) {
	var list []Node
	for {
		r.skip()
		if r.at == len(r.text) {
			if depth > 0 {
				return nil, Errorf(open, "this bracket is never closed")
			}
			return list, nil
		}
		pos := r.pos
		c := r.text[r.at]
		if c != ')' {
			r.nodes++
		}
		if r.nodes > MaxNodes {
			return nil, Errorf(pos, "more than %d words and lists", MaxNodes)
		}
		switch {
		case c == ')' && depth == 0:
			return nil, Errorf(pos, "a closing bracket without an opening one")
		case c == ')':
			r.advance()
			return list, nil
		case c == '(' && depth == MaxDepth:
			return nil, Errorf(pos, "brackets are nested more than %d deep", MaxDepth)
		case c == '(':
			r.advance()
			inner, err := r.list(depth+1, pos)
			if err != nil {
				return nil, err
			}
			list = append(list, Node{List: inner, Pos: pos})
		case c < ' ' || c == 0x7f:
			return nil, Errorf(pos, "the control character %#02x is not text", c)
		default:
			start := r.at
			for r.at < len(r.text) && !isDelimiter(r.text[r.at]) {
				r.advance()
			}
			atom := r.text[start:r.at]
			if err := checkAtom(atom, pos); err != nil {
				return nil, err
			}
			list = append(list, Node{Atom: atom, Pos: pos})
		}
	}
}

// isDelimiter reports whether a byte ends an atom.
func isDelimiter(c byte) bool { return c <= ' ' || c == '(' || c == ')' || c == ';' || c == 0x7f }

// skip moves to the next byte that is neither blank nor in a comment.
func (r *reader) skip() {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\r', '\n', '\f', '\v':
			r.advance()
		case ';':
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.advance()
			}
		default:
			return
		}
	}
}

// advance moves past one byte.
func (r *reader) advance() {
	switch c := r.text[r.at]; {
	case c == '\n':
		r.pos = Pos{r.pos.Line + 1, 1}
	case utf8.RuneStart(c):
		r.pos.Column++
	}
	r.at++
}
