package terminal

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"ludus/env"
)

// marks is a set of marks on a cell.
type marks uint8

const (
	arrived marks = 1 << iota // one of the last moves ended here
	left                      // one of the last moves began here
	target                    // a legal move ends here
	movable                   // a legal move begins here
	winning                   // one of the cells that won the game
)

// cellMarks returns the marks of all cells. It does not mark legal moves if they place a piece on any empty cell.
func cellMarks(game *env.Game, state env.State, last, legal []env.Action) []marks {
	all := make([]marks, game.Tensor.Cells())
	set := func(cell int32, m marks) {
		if cell != env.NoCell {
			all[cell] |= m
		}
	}
	open := true // whether legal moves only place pieces, and every empty cell is a target
	for _, a := range legal {
		cells := game.Drawing.ActionCells[a]
		set(cells.From, movable)
		set(cells.To, target)
		open = open && cells.From == env.NoCell
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

// glyphs returns a character per kind of piece: its name if that is one letter, otherwise the capital initial, or a
// digit if another kind has that initial.
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

// paintOf returns the colours of a kind of piece: those of its name, of its player or white.
func paintOf(p env.Piece) paint {
	if named, ok := paints[p.Name]; ok {
		return named
	}
	if p.Neutral {
		return paints["white"]
	}
	return playerPaints[p.Player]
}

// canvas draws the positions of a game as text.
type canvas struct {
	game   *env.Game
	style  *Style
	glyphs []string
	rows   []string // labels
	cols   []string // labels
	prefix string   // printed before the column labels
}

func newCanvas(game *env.Game, style *Style) *canvas {
	d := &game.Drawing
	c := &canvas{game: game, style: style, glyphs: glyphs(d.Pieces), rows: slices.Clone(d.Rows), cols: d.Columns}
	if first := d.Columns[0][0]; first >= '0' && first <= '9' { // bare numbers need x= and y=
		c.prefix = "x="
		for i, label := range c.rows {
			c.rows[i] = "y=" + label
		}
	}
	return c
}

// draw draws a position with its cells' marks. A column is four characters wide, or fewer if the terminal is narrow. Rows
// of hexagons are each half a column right of the row above.
func (c *canvas) draw(state env.State, marked []marks) string {
	margin := max(longest(c.rows), len(c.prefix))
	columns, hexagons := len(c.cols), c.game.Drawing.Hexagons
	if hexagons {
		columns += len(c.rows) / 2
	}
	width := min(max((c.style.room()-margin)/columns, 2), 4)
	if width == 2 {
		margin++
	}
	header := strings.TrimRight(c.style.faint(pad(c.prefix, margin)+c.columns(width)), " ") + "\n"
	lines := make([]string, 0, len(c.rows)+1)
	pieces := state.Pieces(nil)
	for r, label := range c.rows {
		line := c.style.faint(pad(label, margin))
		if hexagons {
			line = strings.Repeat(" ", r*width/2) + line
		}
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

// columns returns the line of column labels, each centred on its cells. It drops their letters if they do not fit.
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

// cell returns a cell's text: a gap, a mark, the piece and a mark. Width 3 has no gap, width 2 also no first mark.
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

// pad pads text with spaces to a width in characters.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// longest returns the length in bytes of the longest of one or more texts.
func longest(texts []string) int {
	return len(slices.MaxFunc(texts, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}
