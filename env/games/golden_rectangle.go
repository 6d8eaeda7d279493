package games

import (
	"fmt"
	"math/bits"

	"ludus/env"
)

var _ = Register(Family{
	Name:   "golden-rectangle",
	Params: []Param{Number("columns", 7, 4, 13), Number("rows", 8, 4, 13), Number("span", 3, 1, 12)}, // span < columns and rows
	Aliases: []Alias{
		{"golden-rectangle", "golden-rectangle(columns=7,rows=8,span=3)"},
		{"golden-rectangle-9x9", "golden-rectangle(columns=9,rows=9,span=3)"},
	},
	Order: 3,
	Build: bySize("columns", "rows", newGoldenRectangle[[1]uint64], newGoldenRectangle[[2]uint64], newGoldenRectangle[[4]uint64]),
})

// goldenRectangle holds the tables of one game of the family. Row 0 of the tensor is y = 0, column 0 is x = 1.
type goldenRectangle[B bitboard] struct {
	columns, rows, cells int
	// rectangles holds, for each cell, the three other corners of each rectangle with an upper corner there. A mark on
	// the cell completes no others: columns fill from below, so the last corner to be marked is an upper one.
	rectangles [][]B
	mirror     reflection[B]
}

// goldenRectangleState is a position; it implements env.State.
type goldenRectangleState[B bitboard] struct {
	game *goldenRectangle[B]
	filling[B]
}

// newGoldenRectangle makes the game, and tables of the rectangles for its states on bitboards of type B.
func newGoldenRectangle[B bitboard](v Values) (*env.Game, error) {
	r := &goldenRectangle[B]{columns: v.Number("columns"), rows: v.Number("rows")}
	span := v.Number("span")
	if longest := min(r.columns, r.rows) - 1; span > longest {
		return nil, fmt.Errorf("span=%d is not allowed with columns=%d and rows=%d; it takes 1..%d", span, r.columns, r.rows, longest)
	}
	r.cells = r.columns * r.rows
	r.findRectangles(span)
	g := &env.Game{
		Players: [2]string{"red", "yellow"},
		Summary: "drop pieces into columns; own the four corners of a large rectangle",
		Rules:   r.rules(span),
		Strategy: "Each piece opens the cell above it: do not drop one below a corner that the other side needs. Red must " +
			"attack, because a full board is yellow's.",
		Tensor: env.Shape{H: r.rows, W: r.columns},
		Planes: append(piecePlanes("1 on every cell"),
			"next free cells: 1 on the lowest empty cell of each column that has one, 0 elsewhere",
			"mover is red: 1 on every cell if red is to move, otherwise 0"),
		PolicyNames: []string{"mark"},
		Classes:     env.WinLoss,
		MaxPlies:    r.cells,
		Figures:     figuresOf(r.rectangles),
		NewState:    r.newState,
		Drawing: env.Drawing{
			Rows: env.Labels("", 0, r.rows), Columns: env.Labels("", 1, r.columns), ColumnsFirst: true,
		},
	}
	for cell := range r.cells {
		g.AddAction("mark", env.Placed(cell))
	}
	mirror := func(row, c int) (int, int) { return row, r.columns - 1 - c }
	g.Symmetries = []env.Symmetry{g.Permute(nil, nil), g.Permute(mirror, nil)}
	r.mirror = newReflection[B](g.Symmetries[1].Cells)
	return g.Finish(nil), nil
}

func (r *goldenRectangle[B]) rules(span int) string {
	column, row := env.ColumnName(span), env.RowName(span)
	return fmt.Sprintf("Red and yellow take turns to drop a piece into a column; red moves first. A piece falls to the lowest "+
		"empty cell of its column.\nYou win 100 to 0 when your pieces are the four corners of an upright rectangle whose "+
		"columns are at least %d apart and whose rows are at least %[1]d apart, such as a1, %[2]s1, %[2]s%[3]s and "+
		"a%[3]s: it covers at least %[4]d columns and %[4]d rows.\nIf the board is full and nobody has such a rectangle, "+
		"yellow wins 100 to 0. There are no draws.", span, column, row, span+1)
}

// findRectangles fills rectangles[a] with the other three corners of every rectangle that has a as an upper corner and
// sides of at least span.
func (r *goldenRectangle[B]) findRectangles(span int) {
	r.rectangles = make([][]B, r.cells)
	for a := range r.cells {
		for b := range r.cells {
			ax, ay, bx, by := a%r.columns, a/r.columns, b%r.columns, b/r.columns
			if max(ax-bx, bx-ax) >= span && ay-by >= span { // b is the opposite lower corner
				others := union(union(bit[B](b), bit[B](ay*r.columns+bx)), bit[B](by*r.columns+ax))
				r.rectangles[a] = append(r.rectangles[a], others)
			}
		}
	}
}

func (r *goldenRectangle[B]) newState() env.State {
	s := &goldenRectangleState[B]{game: r, filling: filling[B]{sides: sides[B]{progress: unfinished}}}
	s.playable[0] = 1<<r.columns - 1
	return s
}

func (s *goldenRectangleState[B]) Goals() [2]int          { return env.GoalsOf(env.WinLoss, s.Outcome()) }
func (s *goldenRectangleState[B]) CopyFrom(src env.State) { *s = *src.(*goldenRectangleState[B]) }

func (s *goldenRectangleState[B]) Legal(dst []env.Action) []env.Action {
	return s.legal(dst, s.playable, noSwap)
}

func (s *goldenRectangleState[B]) RandomAction(r uint64) env.Action {
	return s.randomAction(r, s.playable, noSwap)
}

// Apply marks a cell and opens the one above it. A rectangle wins; a board that is full without one is Second's.
func (s *goldenRectangleState[B]) Apply(a env.Action) {
	p, cell := s.player, int(a)
	s.owned[p] = union(s.owned[p], bit[B](cell))
	s.playable = subtract(s.playable, bit[B](cell))
	if above := cell + s.game.columns; above < s.game.cells {
		s.playable = union(s.playable, bit[B](above))
	}
	s.player = p.Opponent()
	if containsAny(s.owned[p], s.game.rectangles[cell]) {
		s.outcome = int8(p) // p has won: class 0 is First's win, class 1 Second's
	} else if isEmpty(s.playable) {
		s.outcome = int8(env.Second)
	}
}

// TerminalActions appends the marks that complete a rectangle, and the mark that fills the board: if that completes no
// rectangle, Second wins.
func (s *goldenRectangleState[B]) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	p, g := s.player, s.game
	fillsBoard := count(s.playable) == 1 && nth(s.playable, 0) >= g.cells-g.columns // one cell is left, in the top row
	for i := range len(s.playable) {
		for b := s.playable[i]; b != 0; b &= b - 1 {
			cell := i<<6 + bits.TrailingZeros64(b)
			if containsAny(s.owned[p], g.rectangles[cell]) {
				dst = append(dst, env.TerminalAction{Action: env.Action(cell), Outcome: int(p)})
			} else if fillsBoard {
				dst = append(dst, env.TerminalAction{Action: env.Action(cell), Outcome: int(env.Second)})
			}
		}
	}
	return dst
}

func (s *goldenRectangleState[B]) CanonicalKey() (env.Key, int) {
	first, second, symmetry := s.game.mirror.canonical(s.owned[0], s.owned[1])
	return s.key(first, second), symmetry
}

func (s *goldenRectangleState[B]) Encode(dst []float32) {
	n, p := s.game.cells, s.player
	dst = encodeValue(dst, n, 1)
	dst = encodeCells(dst, n, s.owned[p])
	dst = encodeCells(dst, n, s.owned[p.Opponent()])
	dst = encodeCells(dst, n, s.playable)
	encodeValue(dst, n, isFirst(p))
}

func (s *goldenRectangleState[B]) Pieces(dst []uint8) []uint8 {
	return appendPieces(dst, s.game.cells, s.owned[0], s.owned[1])
}

// WinningCells appends the corners of the winner's rectangle in order around it; none if yellow won by a full board.
func (s *goldenRectangleState[B]) WinningCells(dst []int32) []int32 {
	if !s.Done() {
		return dst
	}
	for cell, rectangles := range s.game.rectangles {
		for _, others := range rectangles {
			if c := union(others, bit[B](cell)); contains(s.owned[s.outcome], c) {
				return append(dst, int32(nth(c, 0)), int32(nth(c, 1)), int32(nth(c, 3)), int32(nth(c, 2)))
			}
		}
	}
	return dst
}

func (s *goldenRectangleState[B]) Detail() string {
	switch {
	case !s.Done():
		return ""
	case len(s.WinningCells(nil)) == 0:
		return "the board is full, and nobody has a rectangle"
	}
	return "four corners of a rectangle"
}
