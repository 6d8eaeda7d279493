package terminal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"ludus/env"
)

// marks is a set of marks to draw on a cell.
type marks uint8

const (
	arrived marks = 1 << iota // one of the last moves ended here
	left                      // one of the last moves began here, and the cell is empty
	target                    // a legal move places or captures a piece here
	movable                   // a legal move begins here
	winning                   // one of the cells that won the game
)

// cellMarks returns the marks of all cells. Legal moves that place a piece are not marked if every empty cell is legal.
// Legal steps are marked only if they capture, because it would be unclear which piece may move to an empty cell.
func cellMarks(game *env.Game, state env.State, last, legal []env.Action) []marks {
	all := make([]marks, game.Tensor.Cells())
	set := func(cell int32, m marks) {
		if cell != env.NoCell {
			all[cell] |= m
		}
	}
	d, pieces := &game.Drawing, state.Pieces(nil)
	open := true // legal moves only place pieces, and every empty cell is a target
	for _, a := range legal {
		cells := game.Drawing.ActionCells[a]
		set(cells.From, movable)
		if cells.From == env.NoCell || d.IsOf(pieces[cells.To], state.Player().Opponent()) {
			set(cells.To, target)
		}
		open = open && cells.From == env.NoCell
	}
	for cell, piece := range pieces {
		open = open && (piece > 0 || !game.Drawing.Cells[cell] || all[cell]&target != 0)
	}
	if open {
		clear(all)
	}
	for _, a := range last {
		cells := game.Drawing.ActionCells[a]
		if cells.From != env.NoCell && !d.IsPiece(pieces[cells.From]) { // in Free-For-All a new piece may stand there
			set(cells.From, left)
		}
		set(cells.To, arrived)
	}
	for _, cell := range state.WinningCells(nil) {
		set(cell, winning)
	}
	return all
}

// paintOf returns the colours of a kind of piece: those of its name, otherwise those of its player, otherwise white.
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
	game          *env.Game
	style         *Style
	glyphs        []string // by kind of piece, see [env.Game.Marks]
	glyphWidth    int      // columns of the widest glyph: 1 or 2
	rows, columns []string // axis labels, see [env.Game.AxisLabels]
	turned        bool     // the board is turned by 180 degrees: row 0 is at the top
}

// newCanvas returns a canvas for a game, whose board is not turned.
func newCanvas(game *env.Game, style *Style) *canvas {
	c := &canvas{game: game, style: style, glyphs: game.Marks(), glyphWidth: 1}
	for _, glyph := range c.glyphs {
		c.glyphWidth = max(c.glyphWidth, uniseg.StringWidth(glyph))
	}
	c.rows, c.columns = game.AxisLabels()
	return c
}

// legend explains glyphs that are not the first characters of their pieces' names; "" if there are none.
func (c *canvas) legend() string {
	var list []string
	for i, p := range c.game.Drawing.Pieces {
		if glyph := c.glyphs[i]; !p.Void && !strings.HasPrefix(strings.ToUpper(p.Name), strings.ToUpper(glyph)) {
			list = append(list, glyph+" is "+p.Name)
		}
	}
	if list == nil {
		return ""
	}
	return " On the board, " + strings.Join(list, ", ") + "."
}

// Board draws a position without marks, and says who is to move.
func (s *Style) Board(game *env.Game, state env.State) string {
	return newCanvas(game, s).draw(state, make([]marks, game.Tensor.Cells())) + game.Status(state) + "\n"
}

// draw returns a position with the marks of its cells as text. A column is four characters wide, or fewer on a narrow
// terminal; one more if a glyph takes two. Each row of hexagons is shifted to the right by half a column relative to
// the row below.
func (c *canvas) draw(state env.State, marked []marks) string {
	if c.game.Tensor.Cells() == 1 {
		return "" // a game without a board
	}
	height, width := len(c.rows), len(c.columns)
	margin, room, hexagons := longest(c.rows), width, c.game.Drawing.Hexagons
	if hexagons {
		room += height / 2
	}
	wide := min(max((c.style.room()-margin)/room, c.glyphWidth+1), c.glyphWidth+3)
	if wide == c.glyphWidth+1 {
		margin++ // cells then begin with the piece, which would touch the row's label
	}
	drawn := func(i, n int) int { // maps a row or column of the text to that of the board
		if c.turned {
			return n - 1 - i
		}
		return i
	}
	var text strings.Builder
	line := func(label, cells string) {
		text.WriteString(strings.TrimRight(c.style.faint(pad(label, margin))+cells, " ") + "\n")
	}
	pieces := state.Pieces(nil)
	for up := height - 1; up >= 0; up-- {
		r, cells := drawn(up, height), ""
		if c.rows[r] == "" {
			continue
		}
		for i := range width {
			cell := r*width + drawn(i, width)
			piece, exists := pieces[cell], c.game.Drawing.Cells[cell]
			if c.game.Drawing.IsVoid(piece) {
				piece, exists = 0, false
			}
			cells += c.cell(wide, piece, exists, marked[cell])
		}
		if hexagons {
			text.WriteString(strings.Repeat(" ", up*wide/2))
		}
		line(c.rows[r], cells)
	}
	letters := ""
	for i := range width {
		letters += pad(strings.Repeat(" ", wide-1-c.glyphWidth)+c.columns[drawn(i, width)], wide)
	}
	line("", c.style.faint(strings.TrimRight(letters, " ")))
	return text.String()
}

// cell returns the text of a cell: a gap, a mark, the piece and a mark. Narrow cells have no gap, the narrowest no first
// mark either.
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
	if width < c.glyphWidth+2 {
		before = ""
	}
	glyph = pad(glyph, c.glyphWidth)
	text := before + glyph + after
	switch {
	case piece > 0:
		text = c.style.painted(before, glyph, after, m&movable != 0, paintOf(c.game.Drawing.Pieces[piece-1]))
	case m == 0:
		text = c.style.faint(text)
	default:
		text = c.style.bold(text)
	}
	if width > c.glyphWidth+2 {
		text = " " + text
	}
	return text
}

// pad pads text with spaces to a width in columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-uniseg.StringWidth(text)))
}

// longest returns the length in bytes of the longest of one or more texts.
func longest(texts []string) int {
	return len(slices.MaxFunc(texts, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}
