package gdl

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ludus/env"
	"ludus/env/gdl/ground"
)

// drawing holds what the fluents of a position show on the board and in the line of text below it.
type drawing struct {
	pieces  []piece // what each fluent draws, indexed by fluent
	voids   []piece // drawn on cells about which no fluent is true; nil if no fluent of the sheet says that a cell is empty
	left    int     // number of fluents that are not drawn, because there are too many kinds of pieces
	details []int   // fluents shown as text, because the board does not show them
}

// piece is what a fluent draws on a cell: kind k draws env.Drawing.Pieces[k-1]; kind 0 draws nothing.
type piece struct {
	cell  int32
	kind  uint8
	empty bool // the fluent says that the cell is empty
}

// setBoard sets the height and width of the tensor and the labels of the board; one cell without a board.
func setBoard(e *env.Game, p *ground.Program, b *board) {
	e.Tensor = env.Shape{H: 1, W: 1}
	e.Drawing = env.Drawing{Rows: []string{"1"}, Columns: []string{"1"}, Inferred: true}
	if b == nil {
		return
	}
	e.Tensor = env.Shape{H: b.height(), W: b.width()}
	rows, columns := b.second.labels(p), b.first.labels(p)
	if b.rowsFirst {
		rows, columns = columns, rows
	}
	e.Drawing.Rows, e.Drawing.Columns, e.Drawing.ColumnsFirst = rows, columns, !b.rowsFirst
	e.Drawing.RowNames, e.Drawing.ColumnNames = namesAs(isDigits, rows), namesAs(isLetter, columns)
}

// namesAs returns the constants of an axis without a first letter that all share, such as the r of r1 and r2. It
// returns nil if the rest are not distinct names that isName accepts.
func namesAs(isName func(string) bool, constants []string) (names []string) {
	_, size := utf8.DecodeRuneInString(constants[0])
	for _, text := range constants {
		rest, shared := strings.CutPrefix(text, constants[0][:size])
		if !shared || rest == "" || isDigits(text) {
			rest = text
		}
		if !isName(rest) || slices.Contains(names, rest) {
			return nil
		}
		names = append(names, rest)
	}
	return names
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isLetter(s string) bool { return len(s) == 1 && s[0] >= 'a' && s[0] <= 'z' }

// setCells marks the cells of the board that exist: those that a fluent names (named) and those that a move names.
func (g *game) setCells(named []bool) {
	e := g.env
	e.Drawing.Cells = named
	for _, c := range e.Drawing.ActionCells {
		for _, cell := range []int32{c.From, c.To} {
			if cell >= 0 {
				e.Drawing.Cells[cell] = true
			}
		}
	}
}

// emptyNames are the constants that say in a fluent that a cell is empty. They are not drawn as pieces. docs/RULES.md
// lists them.
var emptyNames = []string{"b", "blank", "empty", "e", "none", "free", "dirt", "clear", "nothing", "space", "nil"}

// voidName is the name of the piece drawn on cells of which no fluent is true. It is one of emptyNames, so no real
// piece has it.
const voidName = "nothing"

// maxKinds is the largest number of kinds of pieces.
const maxKinds = 255

// setPieces decides what the fluents of the board's functor draw: a piece named by the arguments that are not
// coordinates. If some fluents say that a cell is empty, a cell of which no fluent is true is drawn as void.
func (g *game) setPieces(pl place, f functor, b *board) {
	p, e := g.circuit.Program, g.env
	named := map[int32]bool{}
	isEmpty := false
	for k, i := range f.members {
		t := f.terms[k]
		cell := b.cells(p, pl, t)[0]
		named[cell] = true
		_, name, _ := strings.Cut(pl.others(p, t), " ")
		if slices.Contains(emptyNames, name) {
			g.drawing.pieces[i] = piece{cell: cell, empty: true}
			isEmpty = true
			continue
		}
		if name == "" {
			name = p.Terms.Name(t)
		}
		if kind := kindOf(e, name); kind < maxKinds {
			g.drawing.pieces[i] = piece{cell: cell, kind: uint8(kind + 1)}
		} else {
			g.drawing.left++
		}
	}
	if !isEmpty || len(e.Drawing.Pieces) == maxKinds {
		return
	}
	e.Drawing.Pieces = append(e.Drawing.Pieces, env.Piece{Name: voidName, Neutral: true, Void: true})
	for cell := range e.Tensor.Cells() {
		if named[int32(cell)] {
			g.drawing.voids = append(g.drawing.voids, piece{cell: int32(cell), kind: uint8(len(e.Drawing.Pieces))})
		}
	}
}

// kindOf returns the index of the piece with that name in e.Drawing.Pieces, and adds it if it is new; maxKinds if there
// are too many. The piece belongs to the player whose role is in its name.
func kindOf(e *env.Game, name string) int {
	kind := slices.IndexFunc(e.Drawing.Pieces, func(p env.Piece) bool { return p.Name == name })
	switch {
	case kind >= 0:
		return kind
	case len(e.Drawing.Pieces) == maxKinds:
		return maxKinds
	}
	piece := env.Piece{Name: name, Neutral: true}
	for player, role := range e.Players {
		if slices.Contains(strings.Fields(name), role) {
			piece.Player, piece.Neutral = env.Player(player), false
		}
	}
	e.Drawing.Pieces = append(e.Drawing.Pieces, piece)
	return len(e.Drawing.Pieces) - 1
}

// setDetails lists the fluents to show as text: those that are neither drawn on the board nor tell who is to move.
func (g *game) setDetails(b *board) {
	p := g.circuit.Program
	for i, t := range p.Fluents {
		onBoard := b != nil && functorOf(p, t) == b.functor
		if g.drawing.pieces[i].kind == 0 && !slices.Contains(g.turns.fluents, i) && !onBoard {
			g.drawing.details = append(g.drawing.details, i)
		}
	}
}

// appendBoard appends an entry per cell, the kind of its piece, for a board on which no fluent is true.
func (g *game) appendBoard(dst []uint8) []uint8 {
	start := len(dst)
	dst = append(dst, make([]uint8, g.env.Tensor.Cells())...)
	for _, v := range g.drawing.voids {
		dst[start+int(v.cell)] = v.kind
	}
	return dst
}

// draw puts the piece of a true fluent on the board. A fluent that calls its cell empty does not remove a piece.
func (g *game) draw(pieces []uint8, fluent int) {
	switch p := g.drawing.pieces[fluent]; {
	case p.kind > 0:
		pieces[p.cell] = p.kind
	case p.empty && g.env.Drawing.IsVoid(pieces[p.cell]):
		pieces[p.cell] = 0
	}
}
