package games

import (
	"fmt"
	"slices"
	"strings"

	"ludus/env"
)

var _ = Register(Family{
	Name: "quad",
	Params: []Param{
		Number("size", 7, 4, 13), Number("quads", 12, 1, 60), Number("whites", 5, 0, 20), Word("corners", "cut", "left", "full"),
	},
	Aliases: []Alias{
		{"quad-7x7", "quad(size=7,quads=12,whites=5,corners=cut)"},
		{"quad-5x5", "quad(size=5,quads=8,whites=0,corners=cut)"},
		{"quad-11x11", "quad(size=11,quads=12,whites=5,corners=cut)"},
	},
	Order: 2,
	Build: bySize("size", "size", newQuad[[1]uint64], newQuad[[2]uint64], newQuad[[4]uint64]),
})

// Quad's outcomes: classes as First, who is x, sees them. Class k of x is class quadLast-k of o.
const (
	quadSquare     = 0 // 100: x owns a square
	quadThree      = 1 // 95: x has three corners of a square whose fourth is empty
	quadMoreWhites = 2 // 90: x has more whites left
	quadEqual      = 3 // 50
	quadLast       = 6 // 0: o owns a square
)

var quadClasses = []env.Class{
	{Name: "100", Goals: [2]int{100, 0}, Utility: 1},
	{Name: "95", Goals: [2]int{95, 5}, Utility: 0.9},
	{Name: "90", Goals: [2]int{90, 10}, Utility: 0.8},
	{Name: "50", Goals: [2]int{50, 50}, Utility: 0},
	{Name: "10", Goals: [2]int{10, 90}, Utility: -0.8},
	{Name: "5", Goals: [2]int{5, 95}, Utility: -0.9},
	{Name: "0", Goals: [2]int{0, 100}, Utility: -1},
}

// quad holds the tables of one game of the family. Row 0 of the tensor is r1, column 0 is c1.
type quad[B bitboard] struct {
	size, cells   int
	board         B // the cells that exist
	tilts         []tilt[B]
	through       [][]B      // for each cell, the three other corners of each square through it
	quads, whites int8       // each player's stock at the start
	images        []image[B] // by symmetry
}

// tilt holds all squares of one size and tilt. The other corners are next, last and next + last cells after the first
// one.
type tilt[B bitboard] struct {
	next, last uint
	first      B // the first corners of all these squares
}

// quadState is a position; it implements env.State.
type quadState[B bitboard] struct {
	game                  *quad[B]
	owned                 [2]B // by player
	blocked               B
	quadsLeft, whitesLeft [2]int8 // by player: marks and blocks still to be placed
	progress
}

// newQuad makes the game, and tables of the squares for its states on bitboards of type B.
func newQuad[B bitboard](v Values) (*env.Game, error) {
	size := v.Number("size")
	q := &quad[B]{size: size, cells: size * size, quads: int8(v.Number("quads")), whites: int8(v.Number("whites"))}
	q.board = quadBoard[B](size, v.Word("corners"))
	if pieces, cells := 2*(int(q.quads)+int(q.whites)), count(q.board); pieces > cells {
		whites := min(int(q.whites), cells/8)
		return nil, fmt.Errorf("2 x (quads + whites) = %d pieces do not fit on %d cells; quads + whites is at most %d, such as quads=%d,whites=%d",
			pieces, cells, cells/2, cells/2-whites, whites)
	}
	q.findSquares()

	g := &env.Game{
		Players:  [2]string{"x", "o"},
		Summary:  q.summary(),
		Rules:    q.rules(v.Word("corners")),
		Strategy: q.strategy(),
		Tensor:   env.Shape{H: size, W: size},
		Planes: append(piecePlanes("1 on every cell of the board, 0 in corners that it lacks"),
			"mover is x: 1 on every cell if x is to move, otherwise 0",
			fmt.Sprintf("own quads left: on every cell the mover's remaining marks / %d", q.quads),
			fmt.Sprintf("other's quads left: on every cell the opponent's remaining marks / %d", q.quads)),
		PolicyNames: []string{"mark"},
		Classes:     q.classes(),
		MaxPlies:    2 * (int(q.quads) + int(q.whites)),
		Figures:     figuresOf(q.through),
		NewState: func() env.State {
			quads, whites := [2]int8{q.quads, q.quads}, [2]int8{q.whites, q.whites}
			return &quadState[B]{game: q, quadsLeft: quads, whitesLeft: whites, progress: unfinished}
		},
		Drawing: env.Drawing{
			Rows: env.Labels("r", 1, size), Columns: env.Labels("c", 1, size),
			Pieces: []env.Piece{{Name: "x", Player: env.First}, {Name: "o", Player: env.Second}},
		},
	}
	if q.whites > 0 {
		g.Planes = append(g.Planes,
			"white pieces: 1 on each cell that either player has blocked, 0 elsewhere",
			fmt.Sprintf("own whites left: on every cell the mover's remaining blocks / %d", q.whites),
			fmt.Sprintf("other's whites left: on every cell the opponent's remaining blocks / %d", q.whites))
		g.PolicyNames = append(g.PolicyNames, "block")
		g.Drawing.Pieces = append(g.Drawing.Pieces, env.Piece{Name: "white", Neutral: true})
	}
	for cell := range q.cells {
		g.Drawing.Cells = append(g.Drawing.Cells, has(q.board, cell))
	}
	for _, verb := range g.PolicyNames {
		for cell := range q.cells {
			if has(q.board, cell) {
				g.AddAction(verb, env.Placed(cell))
			} else {
				g.AddAction("", env.NoCells)
			}
		}
	}
	g.Symmetries = g.SquareSymmetries()
	q.images = newImages[B](g.Symmetries)
	return g.Finish(nil), nil
}

// quadBoard returns the existing cells: "cut" lacks all four corners, "left" those in column c1, "full" none.
func quadBoard[B bitboard](size int, corners string) (board B) {
	for cell := range size * size {
		r, c := cell/size, cell%size
		corner := (r == 0 || r == size-1) && (c == 0 || c == size-1)
		if !corner || corners == "full" || corners == "left" && c > 0 {
			board = union(board, bit[B](cell))
		}
	}
	return board
}

// findSquares fills tilts and through. It finds each square once, from its topmost corner (the leftmost of two): the
// vectors (down, right) and (right, -down) lead to the neighbouring corners, with right > 0 and down >= 0.
func (q *quad[B]) findSquares() {
	q.through = make([][]B, q.cells)
	for down := range q.size {
		for right := 1; down+right < q.size; right++ {
			t := tilt[B]{next: uint(down*q.size + right), last: uint(right*q.size - down)}
			for cell := range q.cells {
				r, c := cell/q.size, cell%q.size
				if r+down+right >= q.size || c+right >= q.size || c-down < 0 {
					continue
				}
				corners := [4]int{cell, cell + int(t.next), cell + int(t.last), cell + int(t.next+t.last)}
				var square B
				for _, i := range corners {
					square = union(square, bit[B](i))
				}
				if !contains(q.board, square) {
					continue
				}
				t.first = union(t.first, bit[B](cell))
				for _, i := range corners {
					q.through[i] = append(q.through[i], subtract(square, bit[B](i)))
				}
			}
			if !isEmpty(t.first) {
				q.tilts = append(q.tilts, t)
			}
		}
	}
}

// completing returns the cells that complete a square with three of the owned cells; owned has no whole square.
func (q *quad[B]) completing(owned B) (cells B) {
	if count(owned) < 3 {
		return cells
	}
	for i := range q.tilts {
		// All squares of a tilt at once: in a, b, c and d, bit i tells whether a corner of the square with first corner
		// i is owned.
		t := &q.tilts[i]
		b := shiftDown(owned, t.next)
		if isEmpty(intersect(owned, b)) { // of three corners either a and b are owned, or c and d, which are as far apart
			continue
		}
		c, d := shiftDown(owned, t.last), shiftDown(owned, t.next+t.last)
		bc, ad := intersect(intersect(b, c), t.first), intersect(intersect(owned, d), t.first)
		cells = union(union(cells, intersect(bc, d)), shiftUp(intersect(ad, c), t.next))
		cells = union(union(cells, shiftUp(intersect(ad, b), t.last)), shiftUp(intersect(bc, owned), t.next+t.last))
	}
	return cells
}

// squares reports whether a whole square can decide a game; threes, whether three corners of one with an empty fourth
// can.
func (q *quad[B]) squares() bool { return q.quads >= 4 }
func (q *quad[B]) threes() bool  { return q.quads >= 3 && count(q.board) > 2*int(q.quads) }

// classes returns Quad's classes; those that these parameters exclude are marked.
func (q *quad[B]) classes() []env.Class {
	list := slices.Clone(quadClasses)
	for class, possible := range []bool{quadSquare: q.squares(), quadThree: q.threes(), quadMoreWhites: q.whites > 0} {
		list[class].Impossible, list[quadLast-class].Impossible = !possible, !possible
	}
	return list
}

func (q *quad[B]) summary() string {
	if !q.squares() {
		return "mark cells; x wants three corners of a square"
	}
	text := "mark the four corners of a square of any size and tilt"
	if q.whites > 0 {
		text += "; you may also block cells"
	}
	return text
}

// rules returns the rules of a board with the given corners.
func (q *quad[B]) rules(corners string) string {
	var b strings.Builder
	b.WriteString(q.lacking(corners))
	fmt.Fprintf(&b, "x and o take turns; x moves first. On your turn you mark an empty cell with one of your pieces. Your "+
		"pieces are called quads, and each player has %d of them.\n", q.quads)
	if q.whites > 0 {
		fmt.Fprintf(&b, "Each player also has %s. A white is a blocker that belongs to nobody. Instead of marking a "+
			"cell, you may block an empty one with a white: then nobody can mark it any more, and you move again. So you "+
			"may block several cells; a mark ends your turn.\n", counted(int(q.whites), "white"))
	}
	if q.squares() {
		b.WriteString("You win 100 to 0 as soon as your quads stand on the four corners of a square. " + quadSquares + "\n" +
			"If nobody gets a square, the game ends when both players have used up their quads. ")
	} else {
		if q.threes() {
			b.WriteString("Nobody has enough quads for the four corners of a square, but x may get three. " + quadSquares + "\n")
		}
		b.WriteString("The game ends when both players have used up their quads. ")
	}
	if q.threes() {
		empty := "an empty cell"
		if q.whites > 0 {
			empty = "a cell that is neither marked nor blocked"
		}
		fmt.Fprintf(&b, "If x then has three corners of a square and the fourth is %s, x wins 95 to 5: the next turn would be x's, "+
			"and with one more quad x would complete the square. Three corners bring o nothing, because o has just moved.", empty)
		if q.squares() {
			b.WriteString(" 95 to 5 is worth less than 100 to 0.")
		}
		b.WriteString("\n")
	}
	switch {
	case q.whites > 0 && q.threes():
		b.WriteString("Otherwise whoever has more whites left wins 90 to 10; with equally many, each gets 50, a draw.")
	case q.whites > 0:
		b.WriteString("Whoever has more whites left wins 90 to 10; with equally many, each gets 50, a draw.")
	case q.threes():
		b.WriteString("Otherwise each gets 50, a draw.")
	default:
		b.WriteString("Each gets 50, a draw.")
	}
	return b.String()
}

// lacking describes in a sentence which corner cells the board lacks; "" if none.
func (q *quad[B]) lacking(corners string) string {
	size := fmt.Sprintf("The board is %dx%[1]d without its ", q.size)
	switch corners {
	case "cut":
		return size + "four corner cells. "
	case "left":
		return size + "two corner cells in column " + env.ColumnName(0) + ". "
	}
	return ""
}

// quadSquares is the part of the rules that explains squares, with two examples that exist on every board.
const quadSquares = "A square may have any size and any tilt: a2, a3, b3 and b2 are the corners of one, and so are b1, " +
	"d2, c4 and a3."

func (q *quad[B]) strategy() string {
	switch {
	case q.squares() && q.whites > 0:
		return "Threaten two squares at once, and save your whites: each stops a threat without ending your turn, and " +
			"the last ones count."
	case q.squares():
		return "Start in the middle, where most squares meet, and threaten two squares at once: one mark stops only one."
	case q.threes():
		return "x marks cells where many squares meet; o takes a corner of each square that x needs."
	}
	return ""
}

func (s *quadState[B]) Goals() [2]int          { return env.GoalsOf(quadClasses, s.Outcome()) }
func (s *quadState[B]) CopyFrom(src env.State) { *s = *src.(*quadState[B]) }

// empty returns the set of the empty cells.
func (s *quadState[B]) empty() B {
	return subtract(s.game.board, union(union(s.owned[0], s.owned[1]), s.blocked))
}

func (s *quadState[B]) Legal(dst []env.Action) []env.Action {
	if s.Done() {
		return dst
	}
	empty := s.empty()
	dst = appendActions(dst, empty, 0)
	if s.whitesLeft[s.player] > 0 {
		dst = appendActions(dst, empty, env.Action(s.game.cells))
	}
	return dst
}

func (s *quadState[B]) RandomAction(r uint64) env.Action {
	empty := s.empty()
	n := count(empty)
	if s.whitesLeft[s.player] == 0 {
		return env.Action(nth(empty, below(r, n)))
	}
	k, first := below(r, 2*n), 0
	if k >= n {
		k, first = k-n, s.game.cells
	}
	return env.Action(first + nth(empty, k))
}

// Apply marks a cell or blocks it: the actions of blocks follow those of marks. After a block the mover moves again.
func (s *quadState[B]) Apply(a env.Action) {
	p, cell := s.player, int(a)
	if cell >= s.game.cells {
		s.blocked = union(s.blocked, bit[B](cell-s.game.cells))
		s.whitesLeft[p]--
		return
	}
	s.owned[p] = union(s.owned[p], bit[B](cell))
	s.quadsLeft[p]--
	s.player = p.Opponent()
	if s.game.quads-s.quadsLeft[p] >= 4 && containsAny(s.owned[p], s.game.through[cell]) { // 4 or more placed
		s.outcome = int8(p) * quadLast // p owns a square: class 0 if p is First, otherwise the last
		return
	}
	if s.quadsLeft == [2]int8{} {
		s.outcome = s.finalOutcome(s.fourths())
	}
}

// TerminalActions appends the marks that complete a square, or all marks if o places the last quad of all.
func (s *quadState[B]) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	p, empty := s.player, s.empty()
	winning := intersect(empty, s.game.completing(s.owned[p]))
	if s.quadsLeft[p] > 1 || s.quadsLeft[p.Opponent()] > 0 {
		return appendTerminal(dst, winning, 0, int(p)*quadLast)
	}
	before, fourths := len(dst), s.fourths()
	dst = appendTerminal(dst, empty, 0, quadLast)
	for i := before; i < len(dst); i++ {
		if cell := int(dst[i].Action); !has(winning, cell) {
			dst[i].Outcome = int(s.finalOutcome(subtract(fourths, bit[B](cell))))
		}
	}
	return dst
}

// fourths returns the empty cells that complete a square of x.
func (s *quadState[B]) fourths() B {
	return intersect(s.empty(), s.game.completing(s.owned[env.First]))
}

// finalOutcome returns First's class when all quads have been placed, nobody owns a square and the given cells are the
// empty ones that complete one of x.
func (s *quadState[B]) finalOutcome(fourths B) int8 {
	if !isEmpty(fourths) {
		return quadThree
	}
	switch x, o := s.whitesLeft[env.First], s.whitesLeft[env.Second]; {
	case x > o:
		return quadMoreWhites
	case x < o:
		return quadLast - quadMoreWhites
	}
	return quadEqual
}

func (s *quadState[B]) Key() env.Key {
	cells := s.keyCells()
	return s.key(&cells)
}

// CanonicalKey returns the least key of all images. It computes each image from an earlier one by one reflection.
func (s *quadState[B]) CanonicalKey() (env.Key, int) {
	var images [8][3]B
	images[0] = s.keyCells()
	least := 0
	for i := 1; i < len(s.game.images); i++ {
		im := &s.game.images[i]
		images[i] = [3]B{im.reflection.of(images[im.base][0]), im.reflection.of(images[im.base][1])}
		if s.game.whites > 0 && len(s.blocked) <= 2 {
			images[i][2] = im.reflection.of(images[im.base][2])
		}
		if lessTriple(&images[i], &images[least]) {
			least = i
		}
	}
	return s.key(&images[least]), least
}

// lessTriple reports whether a precedes b in the order of keys.
func lessTriple[B bitboard](a, b *[3]B) bool {
	for i := range a {
		if a[i] != b[i] {
			return less(a[i], b[i])
		}
	}
	return false
}

// keyCells returns the three sets of cells that a key holds: those of x, those of o and the blocked ones. Boards of
// more than 128 cells have room for two sets of three words: each player's cells and the blocked ones.
func (s *quadState[B]) keyCells() [3]B {
	if len(s.blocked) > 2 {
		return [3]B{union(s.owned[0], s.blocked), union(s.owned[1], s.blocked)}
	}
	return [3]B{s.owned[0], s.owned[1], s.blocked}
}

// key returns the key of s with the given keyCells instead of its own.
func (s *quadState[B]) key(cells *[3]B) (k env.Key) {
	if len(s.blocked) > 2 {
		for i := range 3 {
			k[i], k[3+i] = cells[0][i], cells[1][i]
		}
	} else {
		for i := range len(s.blocked) {
			k[i], k[2+i], k[4+i] = cells[0][i], cells[1][i], cells[2][i]
		}
	}
	k[6] = uint64(s.player) | uint64(s.quadsLeft[0])<<8 | uint64(s.quadsLeft[1])<<16 |
		uint64(s.whitesLeft[0])<<24 | uint64(s.whitesLeft[1])<<32
	return k
}

func (s *quadState[B]) Encode(dst []float32) {
	g, p := s.game, s.player
	o := p.Opponent()
	dst = encodeCells(dst, g.cells, g.board)
	dst = encodeCells(dst, g.cells, s.owned[p])
	dst = encodeCells(dst, g.cells, s.owned[o])
	dst = encodeValue(dst, g.cells, isFirst(p))
	dst = encodeValue(dst, g.cells, float32(s.quadsLeft[p])/float32(g.quads))
	dst = encodeValue(dst, g.cells, float32(s.quadsLeft[o])/float32(g.quads))
	if g.whites > 0 {
		dst = encodeCells(dst, g.cells, s.blocked)
		dst = encodeValue(dst, g.cells, float32(s.whitesLeft[p])/float32(g.whites))
		encodeValue(dst, g.cells, float32(s.whitesLeft[o])/float32(g.whites))
	}
}

func (s *quadState[B]) Pieces(dst []uint8) []uint8 {
	return appendPieces(dst, s.game.cells, s.owned[0], s.owned[1], s.blocked)
}

// WinningCells appends the corners of the winner's square, or of one whose fourth corner is empty if three won the
// game.
func (s *quadState[B]) WinningCells(dst []int32) []int32 {
	var owned B
	switch s.outcome {
	case quadSquare, quadLast:
		owned = s.owned[s.outcome/quadLast]
	case quadThree:
		owned = union(s.owned[env.First], bit[B](nth(s.fourths(), 0)))
	default:
		return dst
	}
	for i := range s.game.tilts {
		t := &s.game.tilts[i]
		// As in completing, bit i of these is a corner of the square with first corner i.
		b, c, d := shiftDown(owned, t.next), shiftDown(owned, t.last), shiftDown(owned, t.next+t.last)
		if first := intersect(intersect(t.first, intersect(owned, b)), intersect(c, d)); !isEmpty(first) {
			cell, next, last := int32(nth(first, 0)), int32(t.next), int32(t.last)
			return append(dst, cell, cell+next, cell+next+last, cell+last)
		}
	}
	panic("games: Quad was won by a square, but the winner owns none")
}

// Detail describes the stocks of pieces or, once the game is over, what decided it.
func (s *quadState[B]) Detail() string {
	x, o := s.whitesLeft[env.First], s.whitesLeft[env.Second]
	switch s.outcome {
	case env.Unfinished:
		text := fmt.Sprintf("quads left x %d, o %d", s.quadsLeft[0], s.quadsLeft[1])
		if s.game.whites > 0 {
			text += fmt.Sprintf("; whites left x %d, o %d", x, o)
		}
		return text
	case quadSquare, quadLast:
		return "xo"[s.outcome/quadLast:][:1] + " has the four corners of a square"
	case quadThree:
		fourth := nth(s.fourths(), 0)
		return fmt.Sprintf("x has three corners of a square, and the fourth, %s%s, is empty",
			env.ColumnName(fourth%s.game.size), env.RowName(fourth/s.game.size))
	case quadMoreWhites:
		return fmt.Sprintf("all quads are used up; x has more whites left, %d against %d", x, o)
	case quadLast - quadMoreWhites:
		return fmt.Sprintf("all quads are used up; o has more whites left, %d against %d", o, x)
	}
	if s.game.whites > 0 {
		return fmt.Sprintf("all quads are used up; both have %s left", counted(int(x), "white"))
	}
	return "all quads are used up"
}

// counted formats a count with its noun: "1 white", "2 whites".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
