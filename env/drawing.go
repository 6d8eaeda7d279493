package env

// Drawing is what a front end needs to draw positions of a game: its board, the kinds of pieces, and the cells of each
// action. Cells are absolute: cell i is row i/W, column i%W of the [H, W] board of Game.Tensor.
//
// Laws, checked by envtest: an action's text names the cells that it touches, in their labels; playing it changes no
// other cell and leaves a piece of the mover's, or a neutral one, on To; symmetries move pieces as they move cells.
type Drawing struct {
	Rows, Columns []string // labels, by row and column, as the action texts write them
	TopDown       bool     // row 0 is the uppermost; otherwise it is the lowest, as y grows upwards
	Cells         []bool   // the cells that exist
	Pieces        []Piece  // the kinds of pieces that may stand on a cell
	ActionCells   []FromTo // by action; NoCells for an action without a text
}

// Piece is a kind of piece.
type Piece struct {
	Name   string
	Player Player // that it belongs to, unless Neutral
	// Neutral pieces are nobody's.
	Neutral bool
}

// FromTo is the pair of cells that an action is drawn on, NoCell where there is none: a piece placed comes from no cell,
// and a pass touches nothing. A piece may stay on From where the rules put another in its place at once.
type FromTo struct{ From, To int32 }

// NoCell stands for a cell where there is none.
const NoCell = -1

// NoCells is the Touch of an action that touches no cell.
var NoCells = FromTo{NoCell, NoCell}

// Placed is the FromTo of an action that puts a piece on a cell.
func Placed(cell int) FromTo { return FromTo{NoCell, int32(cell)} }

// Moved is the FromTo of an action that takes a piece from one cell to another.
func Moved(from, to int) FromTo { return FromTo{int32(from), int32(to)} }
