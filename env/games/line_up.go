package games

import (
	"fmt"

	"ludus/env"
)

var _ = Register(Family{
	Name: "line-up",
	Params: []Param{
		Number("width", 7, 3, 19), Number("height", 6, 3, 19), Number("line", 4, 3, longestLine), Number("gravity", 1, 0, 1),
		Number("overline", 1, 0, 1).Implied(), Number("swap", 0, 0, 1).Implied(),
	},
	Aliases: []Alias{
		{"connect-four", "line-up(width=7,height=6,line=4,gravity=1)"},
		{"tic-tac-toe", "line-up(width=3,height=3,line=3,gravity=0)"},
		{"gomoku-15x15", "line-up(width=15,height=15,line=5,gravity=0)"},
		{"gomoku", "line-up(width=15,height=15,line=5,gravity=0)"},
		{"gomoku-15x15-standard", "line-up(width=15,height=15,line=5,gravity=0,overline=0)"},
		{"gomoku-standard", "line-up(width=15,height=15,line=5,gravity=0,overline=0)"},
		{"gomoku-9x9", "line-up(width=9,height=9,line=5,gravity=0)"},
		{"gomoku-19x19", "line-up(width=19,height=19,line=5,gravity=0)"},
	},
	Order: 5,
	Build: bySize("width", "height", newLineUp[[1]uint64], newLineUp[[2]uint64], newLineUp[[4]uint64], newLineUp[[6]uint64]),
})

// lineUp holds the tables of one game of the family. Row 0 of the tensor is the lowest if pieces fall, otherwise the
// top one; column 0 is the leftmost. The swap is the policy's extra entry.
type lineUp[B bitboard] struct {
	width, cells, line int
	gravity            bool
	directions         []direction[B]
	through            [][]B      // for each cell, the other cells of each line through it
	beyond             [][]B      // for each of them, the cells before and after the line; nil if longer lines win, too
	images             []image[B] // one per symmetry, see newImages
	swap               env.Action // or noSwap
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

// newLineUp makes the game with the given parameters, and the tables with which its states play on bitboards of type B.
func newLineUp[B bitboard](v Values) (*env.Game, error) {
	width, height := v.Number("width"), v.Number("height")
	l := &lineUp[B]{
		width: width, cells: width * height, line: v.Number("line"), gravity: v.Number("gravity") == 1, swap: noSwap,
	}
	if longest := max(width, height); l.line > longest {
		return nil, fmt.Errorf("line=%d is not allowed with width=%d and height=%d; it takes 3..%d",
			l.line, width, height, min(longest, longestLine))
	}
	l.findLines(height, v.Number("overline") == 0)
	g := &env.Game{
		Summary:  l.summary(),
		Rules:    l.rules(max(width, height)),
		Strategy: "Play in the middle, and make two threats at once: the other side can stop only one.",
		Tensor:   env.Shape{H: height, W: width},
		Planes:   piecePlanes("1 on every cell"),
		Classes:  env.WinDrawLoss,
		MaxPlies: l.cells, UsualPlies: min(l.cells, 9*max(width, height)),
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
	if v.Number("swap") == 1 {
		l.swap = addSwap(g, "")
	}
	g.Symmetries = g.SquareSymmetries()
	if l.gravity { // the identity, and left and right exchanged
		g.Symmetries = []env.Symmetry{g.Symmetries[0], g.Symmetries[2]}
	}
	l.images = newImages[B](g.Symmetries) // for canonical keys
	return g.Finish(nil), nil
}

func (l *lineUp[B]) summary() string {
	move, line := "mark cells", fmt.Sprint(l.line)
	if l.gravity {
		move = "drop pieces into columns"
	}
	if l.beyond != nil {
		line = "exactly " + line
	}
	return move + "; make a line of " + line
}

// findLines finds all lines, to the right, up and along both diagonals, and fills directions, through and, if only
// exact lines win, beyond.
func (l *lineUp[B]) findLines(height int, exact bool) {
	l.through = make([][]B, l.cells)
	if exact {
		l.beyond = make([][]B, l.cells)
	}
	for _, d := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} { // rows, columns
		lines := direction[B]{step: uint(d[0]*l.width + d[1])}
		for cell := range l.cells {
			r, c := cell/l.width+d[0]*(l.line-1), cell%l.width+d[1]*(l.line-1) // row and column of the line's last cell
			if r >= height || c < 0 || c >= l.width {
				continue
			}
			lines.first = union(lines.first, bit[B](cell))
			var line, ends B
			for k := range l.line {
				line = union(line, bit[B](cell+k*int(lines.step)))
			}
			for _, k := range []int{-1, l.line} { // steps to the cells before and after the line
				if r, c := cell/l.width+k*d[0], cell%l.width+k*d[1]; r >= 0 && r < height && c >= 0 && c < l.width {
					ends = union(ends, bit[B](r*l.width+c))
				}
			}
			for k := range l.line {
				i := cell + k*int(lines.step)
				l.through[i] = append(l.through[i], subtract(line, bit[B](i)))
				if exact {
					l.beyond[i] = append(l.beyond[i], ends)
				}
			}
		}
		if !isEmpty(lines.first) {
			l.directions = append(l.directions, lines)
		}
	}
}

// rules returns the rules; longest is the length of the longest line on the board.
func (l *lineUp[B]) rules(longest int) string {
	turn := "x and o take turns to mark an empty cell; x moves first."
	if l.gravity {
		turn = "Red and yellow take turns to drop a piece into a column; red moves first. A piece falls to the lowest " +
			"empty cell of its column."
	}
	length, longer := fmt.Sprint(l.line), ""
	switch {
	case l.line == longest:
	case l.beyond == nil:
		length += " or more"
	default:
		length, longer = "exactly "+length, "A longer line does not count. "
	}
	return fmt.Sprintf("%s\nYou win 100 to 0 with %s of your pieces in an unbroken line: along a row, a "+
		"column or a diagonal. %sA full board without such a line is a draw.", turn, length, longer)
}

// wins reports whether the owner of the owned cells wins with the cell, one of them: whether it is part of a whole
// line, with no owned cell before or after it unless longer lines win, too.
func (l *lineUp[B]) wins(owned B, cell int) bool {
	if l.beyond == nil {
		return containsAny(owned, l.through[cell])
	}
	for i, others := range l.through[cell] {
		if contains(owned, others) && isEmpty(intersect(owned, l.beyond[cell][i])) {
			return true
		}
	}
	return false
}

// completing returns the cells that complete a line of which all others are owned.
func (l *lineUp[B]) completing(owned B) (cells B) {
	// By first cells: at[k] are the lines whose cell k is owned, before[k] those whose cells before cell k are owned.
	var at, before [longestLine]B
	at[0] = owned
	for i := range l.directions {
		d := &l.directions[i]
		before[0] = d.first
		for k := 1; k < l.line; k++ {
			at[k] = stepDown(at[k-1], d.step)
			before[k] = intersect(before[k-1], at[k-1])
		}
		var missing B    // cell k of the lines of which all others are owned, for all k so far; k steps too low
		after := d.first // the lines whose cells after cell k are owned
		for k := l.line - 1; k >= 0; k-- {
			missing = union(stepUp(missing, d.step), intersect(before[k], after))
			after = intersect(after, at[k])
		}
		cells = union(cells, missing)
	}
	return cells
}

// exact returns those of the given empty cells that complete a line and not only a longer one.
func (l *lineUp[B]) exact(owned, cells B) B {
	for i := count(cells) - 1; i >= 0; i-- {
		cell := nth(cells, i)
		if one := bit[B](cell); !l.wins(union(owned, one), cell) {
			cells = subtract(cells, one)
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

func (s *lineUpState[B]) Legal(dst []env.Action) []env.Action {
	return s.legal(dst, s.playable, s.game.swap)
}

func (s *lineUpState[B]) RandomAction(r uint64) env.Action {
	return s.randomAction(r, s.playable, s.game.swap)
}

// Apply marks a cell, or swaps: First's only piece becomes Second's.
func (s *lineUpState[B]) Apply(a env.Action) {
	if a == s.game.swap {
		s.owned[0], s.owned[1], s.player = s.owned[1], s.owned[0], env.First
		return
	}
	p, cell := s.player, int(a)
	s.owned[p] = union(s.owned[p], bit[B](cell))
	s.playable = subtract(s.playable, bit[B](cell))
	if above := cell + s.game.width; s.game.gravity && above < s.game.cells {
		s.playable = union(s.playable, bit[B](above))
	}
	s.player = p.Opponent()
	if s.game.wins(s.owned[p], cell) {
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
	if s.game.beyond != nil {
		winning = s.game.exact(s.owned[s.player], winning)
	}
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
	s.encodeSwap(encodeValue(dst, n, isFirst(p)), s.game.swap)
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
		for i, others := range lines {
			line := union(others, bit[B](cell))
			if !contains(owned, line) || s.game.beyond != nil && !isEmpty(intersect(owned, s.game.beyond[cell][i])) {
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
