package games

import (
	"fmt"
	"math/bits"

	"ludus/env"
)

var _ = Register(Family{
	Name:   "hex",
	Params: []Param{Number("size", 11, 2, 19), Number("swap", 1, 0, 1)},
	Aliases: []Alias{
		{"hex", "hex(size=11,swap=1)"},
		{"hex-11x11", "hex(size=11,swap=1)"},
		{"hex-13x13", "hex(size=13,swap=1)"},
		{"hex-19x19", "hex(size=19,swap=1)"},
		{"hex-7x7", "hex(size=7,swap=1)"},
		{"hex-5x5", "hex(size=5,swap=1)"},
	},
	Order: 7,
	Build: bySize("size", "size", newHex[[1]uint64], newHex[[2]uint64], newHex[[4]uint64], newHex[[6]uint64]),
})

// hex holds the tables of one game of the family. Row 0 of the tensor is r1 for red and c1 for blue, who sees rows and
// columns exchanged; so the mover always connects the first row with the last. Cell (r, c) has the neighbours (r, c-1),
// (r, c+1), (r-1, c), (r-1, c+1), (r+1, c) and (r+1, c-1). The swap is the policy's extra entry.
type hex[B bitboard] struct {
	size, cells int
	board       B
	near        []B           // by cell: its neighbours
	edges       [2][2]B       // by player: the cells of both edges that it wants to connect
	columns     [2]B          // all cells but those of the first column, and but those of the last
	transpose   reflection[B] // exchanges rows and columns
	swap        env.Action    // or noSwap
}

// hexState is a position; it implements env.State.
type hexState[B bitboard] struct {
	game   *hex[B]
	linked [2][2]B // by player and edge: own cells that are connected with the edge
	sides[B]
}

// newHex makes the game, and tables of neighbours and edges for its states on bitboards of type B.
func newHex[B bitboard](v Values) (*env.Game, error) {
	n := v.Number("size")
	h := &hex[B]{size: n, cells: n * n, swap: noSwap}
	h.makeCells()
	g := &env.Game{
		Players: [2]string{"red", "blue"},
		Summary: "connect your two edges with a chain of pieces",
		Rules: fmt.Sprintf("Red and blue take turns to put a piece on an empty cell; red moves first. Pieces never move. "+
			"Each cell touches up to six neighbours.\n"+
			"You win when a chain of neighbouring pieces of yours joins your two edges: for red the lower and the upper "+
			"edge (rows 1 and %d), for blue the left and the right edge (columns a and %s). Somebody always "+
			"wins.", n, env.ColumnName(n-1)),
		Strategy: "Two of your pieces that share two empty neighbours are as good as joined: if one cell is taken, take " +
			"the other.",
		Tensor:      env.Shape{H: n, W: n},
		Planes:      piecePlanes("1 on every cell"),
		PolicyNames: []string{"mark"},
		Classes:     env.WinLoss,
		MaxPlies:    h.cells,
		UsualPlies:  (3*h.cells + 3) / 4,
		NewState:    func() env.State { return &hexState[B]{game: h, sides: sides[B]{progress: unfinished}} },
		Drawing: env.Drawing{
			Rows: env.Labels("r", 1, n), Columns: env.Labels("c", 1, n), OpenLine: true, Hexagons: true,
		},
	}
	for cell := range h.cells {
		g.AddAction("mark", env.Placed(cell))
	}
	if v.Number("swap") == 1 {
		h.swap = addSwap(g, ", with column and row exchanged (on b1 it goes to a2)")
	}
	g.Symmetries = []env.Symmetry{
		g.Permute(nil, nil), g.Permute(func(r, c int) (int, int) { return n - 1 - r, n - 1 - c }, nil),
	}
	transpose := g.Permute(func(r, c int) (int, int) { return c, r }, nil)
	h.transpose = newReflection[B](transpose.Cells)
	return g.Finish(transpose.Actions), nil
}

// makeCells fills board, near, edges and columns.
func (h *hex[B]) makeCells() {
	last := h.size - 1
	for cell := range h.cells {
		b, r, c := bit[B](cell), cell/h.size, cell%h.size
		h.board = union(h.board, b)
		for i, on := range []bool{r == 0, r == last, c == 0, c == last} {
			if edge := &h.edges[i/2][i%2]; on {
				*edge = union(*edge, b)
			}
		}
	}
	h.columns = [2]B{subtract(h.board, h.edges[env.Second][0]), subtract(h.board, h.edges[env.Second][1])}
	for cell := range h.cells {
		h.near = append(h.near, h.neighbours(bit[B](cell)))
	}
}

// neighbours returns the cells with a neighbour in b; cells of b may be among them.
func (h *hex[B]) neighbours(b B) B {
	n := uint(h.size)
	left, right := intersect(b, h.columns[0]), intersect(b, h.columns[1]) // cells with a neighbour there
	all := union(stepDown(left, 1), stepUp(right, 1))
	all = union(all, union(stepDown(b, n), stepDown(right, n-1)))
	all = union(all, union(stepUp(b, n), stepUp(left, n-1)))
	return intersect(all, h.board)
}

func (s *hexState[B]) Goals() [2]int          { return env.GoalsOf(env.WinLoss, s.Outcome()) }
func (s *hexState[B]) CopyFrom(src env.State) { *s = *src.(*hexState[B]) }

// empty returns the set of the empty cells.
func (s *hexState[B]) empty() B { return subtract(s.game.board, union(s.owned[0], s.owned[1])) }

func (s *hexState[B]) Legal(dst []env.Action) []env.Action {
	return s.legal(dst, s.empty(), s.game.swap)
}

func (s *hexState[B]) RandomAction(r uint64) env.Action {
	return s.randomAction(r, s.empty(), s.game.swap)
}

// Apply puts a piece on a cell, or swaps: First's only piece is taken off and put on the mirrored cell as Second's.
func (s *hexState[B]) Apply(a env.Action) {
	p := s.player
	s.player = p.Opponent()
	if a == s.game.swap {
		a = env.Action(nth(s.game.transpose.of(s.owned[env.First]), 0))
		var none B
		s.owned[env.First], s.linked[env.First] = none, [2]B{none, none}
	}
	s.owned[p][a>>6] |= 1 << (a & 63)
	wins := true
	for i := range s.linked[p] {
		if !has(s.game.edges[p][i], int(a)) && isEmpty(intersect(s.game.near[a], s.linked[p][i])) {
			wins = false
			continue
		}
		s.game.grow(&s.linked[p][i], int(a), &s.owned[p])
	}
	if wins {
		s.outcome = int8(p) // class 0 is First's win, class 1 Second's
	}
}

// grow adds to linked the cell and all owned cells that are connected with it. It works on words, because whole sets
// would be copied at every step.
func (h *hex[B]) grow(linked *B, cell int, owned *B) {
	added := bit[B](cell) // cells whose neighbours are still to be added
	(*linked)[cell>>6] |= added[cell>>6]
	for w := cell >> 6; w < len(added); {
		if added[w] == 0 {
			w++
			continue
		}
		near := &h.near[w<<6|bits.TrailingZeros64(added[w])]
		added[w] &= added[w] - 1
		for i := range len(added) {
			if next := (*near)[i] & (*owned)[i] &^ (*linked)[i]; next != 0 {
				(*linked)[i] |= next
				added[i] |= next
				w = min(w, i)
			}
		}
	}
}

// TerminalActions appends the marks that connect the mover's edges. The pieces connected with each edge are known, so
// these are the cells next to such pieces, or on the edge, for both edges.
func (s *hexState[B]) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	winning, p := s.empty(), s.player
	for i := range s.linked[p] {
		winning = intersect(winning, union(s.game.edges[p][i], s.game.neighbours(s.linked[p][i])))
	}
	return appendTerminal(dst, winning, 0, int(p))
}

// CanonicalKey compares the position with its image by half a turn, the only symmetry.
func (s *hexState[B]) CanonicalKey() (env.Key, int) {
	first := reversed(s.owned[0], s.game.cells)
	if less(s.owned[0], first) {
		return s.Key(), 0
	}
	second := reversed(s.owned[1], s.game.cells)
	if first == s.owned[0] && !lessSecond(second, s.owned[1]) {
		return s.Key(), 0
	}
	return s.key(first, second), 1
}

func (s *hexState[B]) Encode(dst []float32) {
	n, p := s.game.cells, s.player
	own, other := s.owned[p], s.owned[p.Opponent()]
	if p == env.Second {
		own, other = s.game.transpose.of(own), s.game.transpose.of(other)
	}
	dst = encodeValue(dst, n, 1)
	dst = encodeCells(dst, n, own)
	s.encodeSwap(encodeCells(dst, n, other), s.game.swap)
}

func (s *hexState[B]) Pieces(dst []uint8) []uint8 {
	return appendPieces(dst, s.game.cells, s.owned[0], s.owned[1])
}

// WinningCells appends a shortest chain between the winner's edges.
func (s *hexState[B]) WinningCells(dst []int32) []int32 {
	if !s.Done() {
		return dst
	}
	p := s.outcome
	owned, edges := s.owned[p], s.game.edges[p]
	// layers[d] holds the own cells that are d steps from the first edge.
	layers := []B{intersect(owned, edges[0])}
	for seen := layers[0]; isEmpty(intersect(seen, edges[1])); seen = union(seen, layers[len(layers)-1]) {
		layers = append(layers, intersect(s.game.neighbours(layers[len(layers)-1]), subtract(owned, seen)))
	}
	ends := edges[1]
	for i := len(layers) - 1; i >= 0; i-- {
		cell := nth(intersect(layers[i], ends), 0)
		dst = append(dst, int32(cell))
		ends = s.game.near[cell]
	}
	return dst
}

func (s *hexState[B]) Detail() string {
	n := s.game.size
	switch s.outcome {
	case int8(env.First):
		return fmt.Sprintf("a chain from row 1 to row %d", n)
	case int8(env.Second):
		return "a chain from column a to column " + env.ColumnName(n-1)
	}
	return fmt.Sprintf("red connects row 1 with row %d, blue column a with column %s", n, env.ColumnName(n-1))
}
