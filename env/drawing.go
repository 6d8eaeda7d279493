package env

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Drawing says how to draw positions of a game: its board, the kinds of pieces, and the cells of each action. Cells are
// absolute: cell i is row i/W, column i%W of the [H, W] board of Game.Tensor.
//
// envtest checks that playing an action changes no cells but its own (unless Flips) and leaves a piece of the mover's, or
// a neutral one, on To; and that symmetries move pieces as they move cells.
type Drawing struct {
	Rows, Columns []string // labels, as action texts write them
	ColumnsFirst  bool     // action texts name a cell by its column, then its row
	TopDown       bool     // row 0 is drawn at the top; otherwise at the bottom
	Cells         []bool   // which cells exist; nil: all
	Pieces        []Piece  // kinds of pieces; nil: one of each player's, named like the player
	Flips         bool     // moves may also change pieces on other cells than their own, as in Othello
	OpenLine      bool     // winning cells form an open line, such as a row; otherwise a closed one, such as a square
	Hexagons      bool     // the board of Hex: each row is half a cell right of the row above; First connects top and bottom
	ActionCells   []FromTo // by action, set by Game.AddAction
}

// Piece is a kind of piece.
type Piece struct {
	Name    string
	Player  Player // its owner, unless Neutral
	Neutral bool   // belongs to nobody
}

// FromTo is the pair of cells that an action is drawn on, or NoCell for a missing one: a placed piece comes from no
// cell, and a pass has no cells. If the rules put a new piece on From at once, From looks unchanged after the move.
type FromTo struct{ From, To int32 }

// NoCell is the From or To of an action that has no such cell.
const NoCell = -1

// NoCells is the FromTo of an action without cells.
var NoCells = FromTo{NoCell, NoCell}

// Placed is the FromTo of an action that puts a piece on a cell.
func Placed(cell int) FromTo { return FromTo{NoCell, int32(cell)} }

// Moved is the FromTo of an action that moves a piece from one cell to another.
func Moved(from, to int) FromTo { return FromTo{int32(from), int32(to)} }

// Labels returns prefix and a number for each of n rows or columns, counted from first.
func Labels(prefix string, first, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = prefix + strconv.Itoa(first+i)
	}
	return list
}

// text returns the text of an action: its verb, then the labels of its cells.
func (d *Drawing) text(verb string, cells FromTo) string {
	words := []string{verb}
	for _, cell := range []int32{cells.From, cells.To} {
		if cell == NoCell {
			continue
		}
		words = append(words, d.CellName(cell))
	}
	if len(words) == 1 {
		return verb
	}
	return "(" + strings.Join(words, " ") + ")"
}

// CellName returns the labels of a cell as action texts name it, such as "r2 c3".
func (d *Drawing) CellName(cell int32) string {
	row, column := d.Rows[int(cell)/len(d.Columns)], d.Columns[int(cell)%len(d.Columns)]
	if d.ColumnsFirst {
		return column + " " + row
	}
	return row + " " + column
}

// Status returns one line: who is to move or how the game ended, then the state's Detail.
func (g *Game) Status(s State) string {
	text := g.Players[s.Player()] + " to move"
	if s.Done() {
		goals := s.Goals()
		text = fmt.Sprintf("over: %s %d, %s %d", g.Players[First], goals[First], g.Players[Second], goals[Second])
	}
	if detail := s.Detail(); detail != "" {
		text += "; " + detail
	}
	return text
}

// Board draws a position as lines of text: a letter for each piece, the first of its name, labels of rows and columns,
// then the status.
func (g *Game) Board(s State) string {
	d := &g.Drawing
	margin, width := longest(d.Rows), longest(d.Columns)+2
	header := strings.Repeat(" ", margin)
	for _, label := range d.Columns {
		header += fmt.Sprintf("%*s", width, label)
	}
	pieces := s.Pieces(nil)
	lines := []string{header}
	for r, label := range d.Rows {
		line := fmt.Sprintf("%*s", margin, label)
		if d.Hexagons {
			line = strings.Repeat(" ", r*width/2) + line
		}
		for c := range d.Columns {
			cell := r*len(d.Columns) + c
			letter := byte('.')
			if !d.Cells[cell] {
				letter = ' '
			} else if k := pieces[cell]; k > 0 {
				letter = d.Pieces[k-1].Name[0]
			}
			line += fmt.Sprintf("%*c", width, letter)
		}
		lines = append(lines, line)
	}
	if !d.TopDown {
		slices.Reverse(lines)
	}
	return strings.Join(append(lines, g.Status(s)), "\n") + "\n"
}

// longest returns the length of the longest label.
func longest(labels []string) (n int) {
	for _, label := range labels {
		n = max(n, len(label))
	}
	return n
}
