package env

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Drawing says how to draw positions of a game: its board, the kinds of pieces, and the cells of each action. Cells are
// absolute: cell i is row i/W, column i%W of the [H, W] board of Game.Tensor. Row 0 is drawn at the bottom.
//
// envtest checks, unless Inferred, that playing an action changes no cells but its own (unless Flips) and leaves a
// piece of the mover's, or a neutral one, on To; and that symmetries move pieces as they move cells.
type Drawing struct {
	Rows, Columns []string // labels in official action texts only; for people see CellName
	RowNames      []string // digits for people, other than 1, 2, 3 and so on from the bottom; nil: these
	ColumnNames   []string // letters for people, other than a, b, c and so on; nil: these
	ColumnsFirst  bool     // official texts name a cell by its column, then its row
	Cells         []bool   // which cells exist; nil: all
	Pieces        []Piece  // kinds of pieces; nil: one of each player's, named like the player
	Flips         bool     // moves may also change pieces on other cells than their own, as in Othello
	OpenLine      bool     // winning cells form an open line, such as a row; otherwise a closed one, such as a square
	Hexagons      bool     // the board of Hex: each row is half a cell right of the row below; First connects bottom and top
	ActionCells   []FromTo // by action, set by Game.AddAction
	Inferred      bool     // pieces and the cells of actions are guesses from a rule sheet: moves may do more, or something else
}

// Piece is a kind of piece. Front ends draw x as a cross and o as a ring, and pieces named after a colour in that colour.
type Piece struct {
	Name    string
	Player  Player // its owner, unless Neutral
	Neutral bool   // belongs to nobody
	Void    bool   // no piece: the cell is drawn as if it did not exist, see IsPiece; such kinds are Neutral
}

// IsPiece reports whether a kind, which is an entry of State.Pieces, is a piece: neither 0, for an empty cell, nor Void.
func (d *Drawing) IsPiece(kind uint8) bool { return kind > 0 && !d.Pieces[kind-1].Void }

// IsVoid reports whether a kind, which is an entry of State.Pieces, stands for a cell that is drawn as if it did not exist.
func (d *Drawing) IsVoid(kind uint8) bool { return kind > 0 && d.Pieces[kind-1].Void }

// IsOf reports whether a kind, which is an entry of State.Pieces, is a piece of a player.
func (d *Drawing) IsOf(kind uint8, p Player) bool {
	return kind > 0 && !d.Pieces[kind-1].Neutral && d.Pieces[kind-1].Player == p
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

// Labels returns labels for Drawing: prefix and a number for each of n rows or columns, counted from first.
func Labels(prefix string, first, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = prefix + strconv.Itoa(first+i)
	}
	return list
}

// text returns the official text of an action: its verb, then the labels of its cells.
func (d *Drawing) text(verb string, cells FromTo) string {
	words := []string{verb}
	for _, cell := range []int32{cells.From, cells.To} {
		if cell == NoCell {
			continue
		}
		row, column := d.Rows[int(cell)/len(d.Columns)], d.Columns[int(cell)%len(d.Columns)]
		if d.ColumnsFirst {
			row, column = column, row
		}
		words = append(words, row, column)
	}
	if len(words) == 1 {
		return verb
	}
	return "(" + strings.Join(words, " ") + ")"
}

// CellName returns a cell's name for people: a column letter and a row number as in chess, from a1 at the bottom left
// unless the drawing says otherwise.
func (g *Game) CellName(cell int32) string {
	return g.columnName(int(cell)%g.Tensor.W) + g.rowName(int(cell)/g.Tensor.W)
}

func (g *Game) columnName(c int) string {
	if g.Drawing.ColumnNames != nil {
		return g.Drawing.ColumnNames[c]
	}
	return ColumnName(c)
}

func (g *Game) rowName(r int) string {
	if g.Drawing.RowNames != nil {
		return g.Drawing.RowNames[r]
	}
	return RowName(r)
}

// maxColumns is the largest number of columns, one for each letter.
const maxColumns = 26

// ColumnName returns the letter of a column, counted from 0.
func ColumnName(c int) string { return string(rune('a' + c)) }

// RowName returns the name of row r, counted from 0: its number counted from 1.
func RowName(r int) string { return strconv.Itoa(r + 1) }

// AxisLabels returns the names of the rows and of the columns, "" for those without cells.
func (g *Game) AxisLabels() (rows, columns []string) {
	rows, columns = make([]string, g.Tensor.H), make([]string, g.Tensor.W)
	for cell, exists := range g.Drawing.Cells {
		if r, c := cell/g.Tensor.W, cell%g.Tensor.W; exists {
			rows[r], columns[c] = g.rowName(r), g.columnName(c)
		}
	}
	return rows, columns
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

// Marks returns a character for each kind of piece, for boards of text. All are different, and each takes one or two
// cells of a terminal. It is the name if that is one character; otherwise the first of these that is free: the initials
// of the words beside a player's name, as in "white king", capital and small; the name's capitals; its characters;
// digits and letters.
func (g *Game) Marks() []string {
	pieces := g.Drawing.Pieces
	list, taken := make([]string, len(pieces)), map[string]bool{}
	take := func(i int, mark string, width int) {
		if width < 1 || width > 2 || strings.Contains(" .·+•*[]()", mark) || taken[mark] {
			return
		}
		list[i], taken[mark] = mark, true
	}
	for i, p := range pieces {
		if mark, rest, width, _ := uniseg.FirstGraphemeClusterInString(p.Name, -1); rest == "" {
			take(i, mark, width)
		}
	}
	var spare []rune
	for c := '1'; c <= 'ɏ'; c++ { // up to the end of the Latin letters
		if unicode.IsDigit(c) || unicode.IsLetter(c) {
			spare = append(spare, c)
		}
	}
	for i, p := range pieces {
		initials := ""
		if words := strings.Fields(p.Name); len(words) > 1 && !p.Neutral {
			for _, word := range words {
				if initial, _, _, _ := uniseg.FirstGraphemeClusterInString(word, -1); word != g.Players[p.Player] {
					initials += initial
				}
			}
		}
		for _, text := range []string{strings.ToUpper(initials), strings.ToLower(initials), strings.ToUpper(p.Name), p.Name, string(spare)} {
			for all := uniseg.NewGraphemes(text); list[i] == "" && all.Next(); {
				take(i, all.Str(), all.Width())
			}
		}
	}
	return list
}

// Board draws a position as lines of text: a character for each piece, see [Game.Marks], numbers of rows, letters of
// columns, then the status. A game without a board has the status only.
func (g *Game) Board(s State) string {
	if g.Tensor.Cells() == 1 {
		return g.Status(s) + "\n"
	}
	d, pieces := &g.Drawing, s.Pieces(nil)
	marks := g.Marks()
	rows, columns := g.AxisLabels()
	margin, width := 0, 3
	for _, label := range rows {
		margin = max(margin, len(label))
	}
	var lines []string
	for r, label := range slices.Backward(rows) {
		if label == "" {
			continue
		}
		line := fmt.Sprintf("%*s", margin, label)
		if d.Hexagons {
			line = strings.Repeat(" ", r*width/2) + line
		}
		for c := range columns {
			cell := r*len(columns) + c
			mark := "."
			if !d.Cells[cell] || d.IsVoid(pieces[cell]) {
				mark = " "
			} else if k := pieces[cell]; k > 0 {
				mark = marks[k-1]
			}
			line += strings.Repeat(" ", width-uniseg.StringWidth(mark)) + mark
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	footer := strings.Repeat(" ", margin)
	for _, label := range columns {
		footer += fmt.Sprintf("%*s", width, label)
	}
	return strings.Join(append(lines, strings.TrimRight(footer, " "), g.Status(s)), "\n") + "\n"
}

// Drops reports whether pieces fall to the lowest free cell of a column, so a column's letter names a move: the moves in
// the starting position place a piece on each cell of the lowest row.
func (g *Game) Drops() bool {
	legal := g.NewState().Legal(nil)
	for i, a := range legal {
		if g.Drawing.ActionCells[a] != Placed(i) {
			return false
		}
	}
	return len(legal) == g.Tensor.W
}
