package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"ludus/env"
)

// Style describes what the terminal can show. The zero Style is plain text, as for a pipe.
type Style struct {
	Colour  bool       // the terminal shows 256 colours
	Unicode bool       // the terminal shows characters beyond ASCII
	Live    bool       // lines can be erased and rewritten, for progress
	Width   func() int // current number of columns; nil or 0: unlimited
}

// DetectStyle derives the style of a terminal from its environment. It honours NO_COLOR and TERM=dumb.
func DetectStyle(getenv func(string) string, width func() int) Style {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	s := Style{Width: width, Unicode: strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")}
	term := getenv("TERM")
	if term == "" || term == "dumb" {
		return s
	}
	s.Live = true
	depth := getenv("COLORTERM")
	s.Colour = getenv("NO_COLOR") == "" && (strings.Contains(term, "256color") || depth == "truecolor" || depth == "24bit")
	return s
}

// room returns the number of columns of the terminal, or a large number if it is unlimited or unknown.
func (s *Style) room() int {
	if s.Width != nil {
		if width := s.Width(); width > 0 {
			return width
		}
	}
	return 1 << 16
}

// Wrapped breaks a line between words to fit the width of the terminal.
func (s *Style) Wrapped(text string) string {
	var b strings.Builder
	column, room := 0, s.room()
	for i, word := range strings.Split(text, " ") {
		n := uniseg.StringWidth(word)
		switch {
		case i == 0:
		case column+1+n > room:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// Rules returns a game's rules and its line of strategy, if it has one, wrapped to the terminal's width.
func (s *Style) Rules(game *env.Game) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(game.Rules, "\n") {
		b.WriteString(s.Wrapped(paragraph) + "\n")
	}
	if game.Strategy != "" {
		b.WriteString(s.Wrapped("Tip: "+game.Strategy) + "\n")
	}
	return b.String()
}

// pick returns unicode if the terminal can show it, otherwise ascii.
func (s *Style) pick(unicode, ascii string) string {
	if s.Unicode {
		return unicode
	}
	return ascii
}

// paint is a foreground and a background colour of the 256-colour palette. A piece has both, so it looks the same on dark
// and light terminals.
type paint struct{ ink, ground int }

// paints are the colours of pieces that are named after a colour.
var paints = map[string]paint{"white": {16, 253}, "black": {231, 237}, "red": {231, 160}, "yellow": {16, 220},
	"blue": {231, 26}}

// playerPaints are the colours of the two players' pieces that are not named after a colour: blue and orange, which most
// people can tell apart.
var playerPaints = [2]paint{{231, 26}, {16, 214}}

const grey = 244 // colour number, half-way between black and white

// painted returns a piece's glyph in its colours with the marks beside it, underlined if the piece may move.
func (s *Style) painted(before, glyph, after string, underlined bool, p paint) string {
	if !s.Colour {
		return before + glyph + after
	}
	if underlined {
		glyph = "\x1b[4m" + glyph + "\x1b[24m"
	}
	return fmt.Sprintf("\x1b[1;38;5;%d;48;5;%dm%s\x1b[0m", p.ink, p.ground, before+glyph+after)
}

// faint returns text in grey.
func (s *Style) faint(text string) string {
	if s.Colour {
		return fmt.Sprintf("\x1b[38;5;%dm%s\x1b[0m", grey, text)
	}
	return text
}

// bold returns text in bold.
func (s *Style) bold(text string) string {
	if s.Colour {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return text
}
