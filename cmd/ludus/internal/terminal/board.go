package terminal

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"ludus/env"
)

// marks say what a cell is besides what stands on it.
type marks uint8

const (
	arrived marks = 1 << iota // the last player's moves ended here
	left                      // or began here
	target                    // the player to move may go here
	movable                   // and may take this piece somewhere
	winning                   // its piece has won the game, as one of those that did
)

// cells lists the marks of all cells: those of the last moves, of what won, and of the legal ones where they tell something.
// Where a piece may be placed on every empty cell they do not.
func cells(game *env.Game, state env.State, last, legal []env.Action) []marks {
	all := make([]marks, game.Tensor.Cells())
	set := func(cell int32, m marks) {
		if cell != env.NoCell {
			all[cell] |= m
		}
	}
	open := true // pieces are placed, and every empty cell is a target
	for _, a := range legal {
		touch := game.Drawing.ActionCells[a]
		set(touch.From, movable)
		set(touch.To, target)
		open = open && touch.From == env.NoCell
	}
	for cell, piece := range state.Pieces(nil) {
		open = open && (piece > 0 || !game.Drawing.Cells[cell] || all[cell]&target != 0)
	}
	if open {
		clear(all)
	}
	for _, a := range last {
		set(game.Drawing.ActionCells[a].From, left)
		set(game.Drawing.ActionCells[a].To, arrived)
	}
	for _, cell := range state.WinningCells(nil) {
		set(cell, winning)
	}
	return all
}

// glyphs are the letters of the kinds of pieces: the name where that is a letter, otherwise its first as a capital, or a
// digit where another kind has that.
func glyphs(pieces []env.Piece) []string {
	var list []string
	for i, p := range pieces {
		glyph := p.Name
		if len(glyph) != 1 {
			glyph = strings.ToUpper(p.Name[:1])
		}
		if slices.Contains(list, glyph) {
			glyph = string(rune('1' + i))
		}
		list = append(list, glyph)
	}
	return list
}

// paintOf is the paint of a kind of piece.
func paintOf(p env.Piece) paint {
	named, ok := paints[p.Name]
	if !ok && !p.Neutral {
		named, ok = others[p.Player], true
	}
	if !ok {
		named = paints["white"]
	}
	return named
}

// canvas draws the positions of a game.
type canvas struct {
	game   *env.Game
	style  *Style
	glyphs []string
	rows   []string // labels
	cols   []string
	prefix string // before the labels of columns
}

func newCanvas(game *env.Game, style *Style) *canvas {
	d := &game.Drawing
	c := &canvas{game: game, style: style, glyphs: glyphs(d.Pieces), rows: slices.Clone(d.Rows), cols: d.Columns}
	if isNumber(d.Columns[0]) { // bare numbers do not tell rows from columns
		c.prefix = "x="
		for i, label := range c.rows {
			c.rows[i] = "y=" + label
		}
	}
	return c
}

// draw draws a position: columns in four characters, or in fewer where there is no room.
func (c *canvas) draw(state env.State, marked []marks) string {
	margin := max(longest(c.rows), len(c.prefix))
	width := min(max((c.style.room()-margin)/len(c.cols), 2), 4)
	if width == 2 {
		margin++
	}
	header := strings.TrimRight(c.style.faint(pad(c.prefix, margin)+c.columns(width)), " ") + "\n"
	lines := make([]string, 0, len(c.rows)+1)
	pieces := state.Pieces(nil)
	for r, label := range c.rows {
		line := c.style.faint(pad(label, margin))
		for i := r * len(c.cols); i < (r+1)*len(c.cols); i++ {
			line += c.cell(width, pieces[i], c.game.Drawing.Cells[i], marked[i])
		}
		lines = append(lines, strings.TrimRight(line, " ")+"\n")
	}
	if c.game.Drawing.TopDown {
		return header + strings.Join(lines, "")
	}
	slices.Reverse(lines)
	return strings.Join(lines, "") + header
}

// columns writes the labels, each with its middle above a piece, without letters where there is no room for them.
func (c *canvas) columns(width int) string {
	var b strings.Builder
	for _, label := range c.cols {
		if len(label) >= width {
			label = strings.TrimLeft(label, "abcdefghijklmnopqrstuvwxyz")
		}
		before := max(0, width-2-(len(label)-1)/2)
		b.WriteString(pad(strings.Repeat(" ", before)+label, width))
	}
	return b.String()
}

// cell writes a cell: a gap, a mark, the piece and a mark, the first ones left out where width is 3 or 2.
func (c *canvas) cell(width int, piece uint8, exists bool, m marks) string {
	before, glyph, after := " ", " ", " "
	switch {
	case piece > 0:
		glyph = c.glyphs[piece-1]
	case m&target != 0:
		glyph = c.style.pick("•", "+")
	case m&left != 0:
	case exists:
		glyph = c.style.pick("·", ".")
	}
	switch {
	case m&winning != 0:
		before, after = "*", "*"
	case m&(arrived|left) != 0:
		before, after = "[", "]"
	case piece > 0 && m&target != 0:
		after = c.style.pick("•", "+")
	}
	if width < 3 {
		before = ""
	}
	text := before + glyph + after
	switch {
	case piece > 0:
		text = c.style.painted(before, glyph, after, m&movable != 0, paintOf(c.game.Drawing.Pieces[piece-1]))
	case m == 0:
		text = c.style.faint(text)
	default:
		text = c.style.bold(text)
	}
	if width > 3 {
		text = " " + text
	}
	return text
}

// pad fills text with blanks to a width.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

func longest(texts []string) int {
	return len(slices.MaxFunc(texts, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}
