package games

import (
	"fmt"
	"math/bits"

	"ludus/env"
)

var _ = Register(Family{
	Name:    "golden-rectangle",
	Params:  []Param{Number("columns", 7, 4, 9), Number("rows", 8, 4, 9), Number("span", 3, 1, 8)}, // span is less than columns
	Aliases: []Alias{{"golden-rectangle", "golden-rectangle(columns=7,rows=8,span=3)"}},
	Order:   3,
	Build:   buildGoldenRectangle,
})

// goldenRectangle is the board of one game of the family. Row 0 of the tensor is y = 0, column 0 is x = 1.
type goldenRectangle[W words] struct {
	columns, rows, cells int
	top                  W // the highest row
	// below holds for each cell the rectangles with an upper corner there, as their three other corners: the cell just
	// marked is the highest of its column, so that no other rectangles can have become whole.
	below  [][]W
	mirror flip[W]
}

// goldenRectangleState is a position of Golden Rectangle.
type goldenRectangleState[W words] struct {
	game  *goldenRectangle[W]
	owned [2]W
	free  W // the next free cell of each column
	progress
}

func buildGoldenRectangle(v Values) (*env.Game, error) {
	if v.Number("columns")*v.Number("rows") <= 64 {
		return newGoldenRectangle[[1]uint64](v)
	}
	return newGoldenRectangle[[2]uint64](v)
}

func newGoldenRectangle[W words](v Values) (*env.Game, error) {
	r := &goldenRectangle[W]{columns: v.Number("columns"), rows: v.Number("rows")}
	span := v.Number("span")
	if span >= r.columns {
		return nil, fmt.Errorf("span=%d is not allowed with columns=%d; it takes 1..%d", span, r.columns, r.columns-1)
	}
	r.cells = r.columns * r.rows
	for c := range r.columns {
		r.top = union(r.top, bit[W](r.cells-1-c))
	}
	r.findRectangles(span)
	g := &env.Game{
		Players: [2]string{"red", "yellow"},
		Rules:   r.rules(span),
		Tensor:  env.Shape{H: r.rows, W: r.columns},
		Planes: append(piecePlanes("1 on every cell"),
			"next free cells: 1 on the lowest empty cell of each column that has one, 0 elsewhere",
			"mover is red: 1 everywhere if red is to move, 0 everywhere if yellow is"),
		PolicyNames: []string{"mark"},
		Classes:     env.WinLoss,
		MaxPlies:    r.cells,
		NewState:    r.newState,
		Drawing: env.Drawing{
			Rows: env.Labels("", 0, r.rows), Columns: env.Labels("", 1, r.columns), ColumnsFirst: true,
		},
	}
	for cell := range r.cells {
		g.AddAction("mark", env.Placed(cell))
	}
	mirror := func(row, c int) (int, int) { return row, r.columns - 1 - c }
	g.Symmetries = []env.Symmetry{g.Permute(env.Identity, nil), g.Permute(mirror, nil)}
	r.mirror = newFlip[W](g.Symmetries[1].Cells)
	return g.Finish(nil), nil
}

// findRectangles fills below: one rectangle for each lower opposite corner at least span away both ways.
func (r *goldenRectangle[W]) findRectangles(span int) {
	r.below = make([][]W, r.cells)
	for a := range r.cells {
		for b := range r.cells {
			ax, ay, bx, by := a%r.columns, a/r.columns, b%r.columns, b/r.columns
			if max(ax-bx, bx-ax) >= span && ay-by >= span {
				others := union(union(bit[W](b), bit[W](ay*r.columns+bx)), bit[W](by*r.columns+ax))
				r.below[a] = append(r.below[a], others)
			}
		}
	}
}

func (r *goldenRectangle[W]) rules(span int) string {
	return "Red and yellow drop pieces in turn: in each column only the lowest empty cell can be marked; red begins.\n" +
		"Whoever owns the four corners of an upright rectangle whose columns and rows are\n" +
		fmt.Sprintf("at least %d apart wins 100 to 0. On a full board without one, yellow wins.", span)
}

func (r *goldenRectangle[W]) newState() env.State {
	s := &goldenRectangleState[W]{game: r, progress: progress{outcome: env.Unfinished}}
	s.free[0] = 1<<r.columns - 1
	return s
}

func (s *goldenRectangleState[W]) Goals() [2]int          { return env.GoalsOf(env.WinLoss, s.Outcome()) }
func (s *goldenRectangleState[W]) Detail() string         { return "" }
func (s *goldenRectangleState[W]) CopyFrom(src env.State) { *s = *src.(*goldenRectangleState[W]) }

func (s *goldenRectangleState[W]) Legal(dst []env.Action) []env.Action {
	if s.Done() {
		return dst
	}
	return appendCells(dst, s.free, 0)
}

func (s *goldenRectangleState[W]) RandomAction(r uint64) env.Action {
	return env.Action(nth(s.free, scale(r, count(s.free))))
}

func (s *goldenRectangleState[W]) Apply(a env.Action) {
	p, cell := s.player, int(a)
	s.owned[p] = union(s.owned[p], bit[W](cell))
	s.free = minus(s.free, bit[W](cell))
	if above := cell + s.game.columns; above < s.game.cells {
		s.free = union(s.free, bit[W](above))
	}
	s.player = p.Opponent()
	if s.wins(p, cell) {
		s.outcome = int8(p)
	} else if isEmpty(s.free) {
		s.outcome = int8(env.Second)
	}
}

// wins reports whether the cell completes a rectangle of p's.
func (s *goldenRectangleState[W]) wins(p env.Player, cell int) bool {
	for _, others := range s.game.below[cell] {
		if contains(s.owned[p], others) {
			return true
		}
	}
	return false
}

// TerminalActions are the marks that complete a rectangle, and the last mark of all.
func (s *goldenRectangleState[W]) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	p, last := s.player, contains(s.game.top, s.free) && single(s.free)
	for i := range len(s.free) {
		for b := s.free[i]; b != 0; b &= b - 1 {
			cell := i<<6 + bits.TrailingZeros64(b)
			if s.wins(p, cell) {
				dst = append(dst, env.TerminalAction{Action: env.Action(cell), Outcome: int(p)})
			} else if last {
				dst = append(dst, env.TerminalAction{Action: env.Action(cell), Outcome: int(env.Second)})
			}
		}
	}
	return dst
}

func (s *goldenRectangleState[W]) Key() env.Key { return s.key(&s.owned) }

// key is the key of the position in which the cells are owned so.
func (s *goldenRectangleState[W]) key(owned *[2]W) (k env.Key) {
	for i := range len(s.free) {
		k[i], k[2+i] = owned[0][i], owned[1][i]
	}
	k[4] = uint64(s.player)
	return k
}

func (s *goldenRectangleState[W]) CanonicalKey() (env.Key, int) {
	mirror := &s.game.mirror
	if image := [2]W{mirror.of(s.owned[0]), mirror.of(s.owned[1])}; lessPair(image, s.owned) {
		return s.key(&image), 1
	}
	return s.Key(), 0
}

func (s *goldenRectangleState[W]) Encode(dst []float32) {
	n, p := s.game.cells, s.player
	dst = encodeValue(dst, n, 1)
	dst = encodeCells(dst, n, s.owned[p])
	dst = encodeCells(dst, n, s.owned[p.Opponent()])
	dst = encodeCells(dst, n, s.free)
	encodeValue(dst, n, one(p == env.First))
}

func (s *goldenRectangleState[W]) Pieces(dst []uint8) []uint8 {
	return appendPieces(dst, s.game.cells, s.owned[0], s.owned[1])
}

func (s *goldenRectangleState[W]) WinningCells(dst []int32) []int32 {
	if !s.Done() {
		return dst
	}
	owned := s.owned[s.outcome]
	for cell, below := range s.game.below {
		for _, others := range below {
			if corners := union(others, bit[W](cell)); contains(owned, corners) {
				return append(dst, int32(nth(corners, 0)), int32(nth(corners, 1)), int32(nth(corners, 3)), int32(nth(corners, 2)))
			}
		}
	}
	return dst // on a full board yellow needs none
}
