package games

import (
	"fmt"

	"ludus/env"
)

var _ = Register(Family{
	Name: "line-up",
	Params: []Param{
		Number("width", 7, 3, 11), Number("height", 6, 3, 11), Number("line", 4, 3, 11), Number("gravity", 1, 0, 1),
	},
	Aliases: []Alias{
		{"connect-four", "line-up(width=7,height=6,line=4,gravity=1)"},
		{"tic-tac-toe", "line-up(width=3,height=3,line=3,gravity=0)"},
		{"gomoku", "line-up(width=9,height=9,line=5,gravity=0)"},
	},
	Order: 5,
	Build: buildLineUp,
})

// lineUp holds the tables of one game of the family. Row 0 of the tensor is the lowest if pieces fall, otherwise the top
// one; column 0 is the leftmost.
type lineUp[B bitboard] struct {
	width, cells, line int
	gravity            bool
	directions         []direction[B]
	through            [][]B      // for each cell, the other cells of each line through it
	images             []image[B] // one per symmetry, see newImages
}

// direction holds all lines in one direction. Cell k of a line is k step after its first one.
type direction[B bitboard] struct {
	step  uint
	first B // the first cells of these lines
}

// longestLine is the largest length of a line.
const longestLine = 11

// lineUpState is a position; it implements env.State.
type lineUpState[B bitboard] struct {
	game *lineUp[B]
	filling[B]
}

func buildLineUp(v Values) (*env.Game, error) {
	return sized(v.Number("width")*v.Number("height"), newLineUp[[1]uint64], newLineUp[[2]uint64])(v)
}

// newLineUp makes the game with the given parameters, and the tables with which its states play on bitboards of type B.
func newLineUp[B bitboard](v Values) (*env.Game, error) {
	width, height := v.Number("width"), v.Number("height")
	l := &lineUp[B]{width: width, cells: width * height, line: v.Number("line"), gravity: v.Number("gravity") == 1}
	if longest := max(width, height); l.line > longest {
		return nil, fmt.Errorf("line=%d is not allowed with width=%d and height=%d; it takes 3..%d",
			l.line, width, height, longest)
	}
	l.findLines(height)
	g := &env.Game{
		Summary:  l.summary(),
		Rules:    l.rules(max(width, height)),
		Strategy: "Play in the middle, and make two threats at once: the other side can stop only one.",
		Tensor:   env.Shape{H: height, W: width},
		Planes:   piecePlanes("1 on every cell"),
		Classes:  env.WinDrawLoss,
		MaxPlies: l.cells,
		Figures:  figuresOf(l.through),
		NewState: l.newState,
	}
	if l.gravity {
		g.Players, g.PolicyNames = [2]string{"red", "yellow"}, []string{"drop"}
		g.Drawing = env.Drawing{Rows: env.Labels("", 1, height), Columns: env.Labels("", 1, width), ColumnsFirst: true}
		g.Planes = append(g.Planes, "next free cells: 1 on the lowest empty cell of each column that has one, 0 elsewhere")
	} else {
		g.Players, g.PolicyNames = [2]string{"x", "o"}, []string{"mark"}
		g.Drawing = env.Drawing{Rows: env.Labels("r", 1, height), Columns: env.Labels("c", 1, width)}
	}
	g.Drawing.OpenLine = true
	g.Planes = append(g.Planes,
		fmt.Sprintf("mover is %[1]s: 1 on every cell if %[1]s is to move, otherwise 0", g.Players[env.First]))
	for cell := range l.cells {
		g.AddAction(g.PolicyNames[0], env.Placed(cell))
	}
	g.Symmetries = l.symmetries(g)
	l.images = newImages[B](g.Symmetries) // for canonical keys
	return g.Finish(nil), nil
}

func (l *lineUp[B]) summary() string {
	if l.gravity {
		return fmt.Sprintf("drop pieces into columns; make a line of %d", l.line)
	}
	return fmt.Sprintf("mark cells; make a line of %d", l.line)
}

// findLines finds all lines, to the right, up and along both diagonals, and fills directions and through.
func (l *lineUp[B]) findLines(height int) {
	l.through = make([][]B, l.cells)
	for _, d := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} { // rows, columns
		lines := direction[B]{step: uint(d[0]*l.width + d[1])}
		for cell := range l.cells {
			r, c := cell/l.width+d[0]*(l.line-1), cell%l.width+d[1]*(l.line-1) // row and column of the line's last cell
			if r >= height || c < 0 || c >= l.width {
				continue
			}
			lines.first = union(lines.first, bit[B](cell))
			var line B
			for k := range l.line {
				line = union(line, bit[B](cell+k*int(lines.step)))
			}
			for k := range l.line {
				i := cell + k*int(lines.step)
				l.through[i] = append(l.through[i], subtract(line, bit[B](i)))
			}
		}
		if !isEmpty(lines.first) {
			l.directions = append(l.directions, lines)
		}
	}
}

// symmetries returns the mirror images of the board, left and right only if pieces fall.
func (l *lineUp[B]) symmetries(g *env.Game) []env.Symmetry {
	lastRow, lastColumn := g.Tensor.H-1, g.Tensor.W-1
	mirror := g.Permute(func(r, c int) (int, int) { return r, lastColumn - c }, nil)
	switch {
	case l.gravity:
		return []env.Symmetry{g.Permute(nil, nil), mirror}
	case lastRow == lastColumn:
		return g.SquareSymmetries()
	}
	return []env.Symmetry{
		g.Permute(nil, nil), g.Permute(func(r, c int) (int, int) { return lastRow - r, c }, nil), mirror,
		g.Permute(func(r, c int) (int, int) { return lastRow - r, lastColumn - c }, nil),
	}
}

// rules returns the rules; longest is the length of the longest line on the board.
func (l *lineUp[B]) rules(longest int) string {
	turn := "x and o take turns to mark an empty cell; x moves first."
	if l.gravity {
		turn = "Red and yellow take turns to drop a piece into a column; red moves first. A piece falls to the lowest " +
			"empty cell of its column."
	}
	length := fmt.Sprint(l.line)
	if l.line < longest {
		length += " or more"
	}
	return fmt.Sprintf("%s\nYou win 100 to 0 with %s of your pieces in an unbroken line: along a row, a "+
		"column or a diagonal. A full board without such a line is a draw.", turn, length)
}

// completing returns the cells that complete a line of which all others are owned.
func (l *lineUp[B]) completing(owned B) (cells B) {
	// shiftDown(owned, k step) has the first cells of the lines whose cell k is owned.
	var after [longestLine + 1]B // after[k]: the lines whose cells from cell k on are owned, by their first cells
	for i := range l.directions {
		d := &l.directions[i]
		after[l.line] = d.first
		for k := l.line - 1; k > 0; k-- {
			after[k] = intersect(after[k+1], shiftDown(owned, uint(k)*d.step))
		}
		before := d.first // the lines whose cells before cell k are owned
		for k := range l.line {
			cells = union(cells, shiftUp(intersect(before, after[k+1]), uint(k)*d.step))
			before = intersect(before, shiftDown(owned, uint(k)*d.step))
		}
	}
	return cells
}

// newState returns the empty board; pieces that fall can only enter the lowest row, cells 0 to width-1.
func (l *lineUp[B]) newState() env.State {
	s := &lineUpState[B]{game: l, filling: filling[B]{sides: sides[B]{progress: unfinished}}}
	n := l.cells
	if l.gravity {
		n = l.width
	}
	for cell := range n {
		s.playable = union(s.playable, bit[B](cell))
	}
	return s
}

func (s *lineUpState[B]) Goals() [2]int          { return env.GoalsOf(env.WinDrawLoss, s.Outcome()) }
func (s *lineUpState[B]) CopyFrom(src env.State) { *s = *src.(*lineUpState[B]) }

func (s *lineUpState[B]) Apply(a env.Action) {
	p, cell := s.player, int(a)
	s.owned[p] = union(s.owned[p], bit[B](cell))
	s.playable = subtract(s.playable, bit[B](cell))
	if above := cell + s.game.width; s.game.gravity && above < s.game.cells {
		s.playable = union(s.playable, bit[B](above))
	}
	s.player = p.Opponent()
	if containsAny(s.owned[p], s.game.through[cell]) {
		s.outcome = 2 * int8(p) // p has won: class 0 is First's win, class 2 its loss
	} else if isEmpty(s.playable) {
		s.outcome = 1 // a draw
	}
}

// TerminalActions appends the moves that complete a line, and the move that fills the board.
func (s *lineUpState[B]) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	winning := intersect(s.playable, s.game.completing(s.owned[s.player]))
	if isEmpty(winning) && count(s.owned[0])+count(s.owned[1]) == s.game.cells-1 {
		return appendTerminal(dst, s.playable, 0, 1)
	}
	return appendTerminal(dst, winning, 0, 2*int(s.player))
}

func (s *lineUpState[B]) CanonicalKey() (env.Key, int) {
	first, second, symmetry := leastImage(s.game.images, s.owned[0], s.owned[1])
	return s.key(first, second), symmetry
}

func (s *lineUpState[B]) Encode(dst []float32) {
	n, p := s.game.cells, s.player
	dst = encodeValue(dst, n, 1)
	dst = encodeCells(dst, n, s.owned[p])
	dst = encodeCells(dst, n, s.owned[p.Opponent()])
	if s.game.gravity {
		dst = encodeCells(dst, n, s.playable)
	}
	encodeValue(dst, n, isFirst(p))
}

func (s *lineUpState[B]) Pieces(dst []uint8) []uint8 {
	return appendPieces(dst, s.game.cells, s.owned[0], s.owned[1])
}

// WinningCells appends the cells of one line of the winner, in order.
func (s *lineUpState[B]) WinningCells(dst []int32) []int32 {
	if !s.Done() || s.outcome == 1 {
		return dst
	}
	owned := s.owned[s.outcome/2]
	for cell, lines := range s.game.through {
		for _, others := range lines {
			line := union(others, bit[B](cell))
			if !contains(owned, line) {
				continue
			}
			for k := range s.game.line {
				dst = append(dst, int32(nth(line, k)))
			}
			return dst
		}
	}
	panic("games: a game was won by a line, but the winner owns none")
}

func (s *lineUpState[B]) Detail() string {
	if !s.Done() || s.outcome == 1 {
		return ""
	}
	return fmt.Sprintf("%d in a row", s.game.line)
}
