package games

import (
	"cmp"
	"fmt"
	"math/bits"

	"ludus/env"
)

var _ = Register(Family{
	Name:   "othello",
	Params: []Param{Word("size", "8", "4", "6", "10", "12")},
	Aliases: []Alias{
		{"othello", "othello(size=8)"},
		{"othello-8x8", "othello(size=8)"},
		{"othello-6x6", "othello(size=6)"},
	},
	Order: 6,
	Build: bySize("size", "size", newOthello[[1]uint64], newOthello[[4]uint64], newOthello[[4]uint64]),
})

// othello holds the tables of one game of the family. Row 0 of the tensor is r1, column 0 is c1. The policy's extra
// entry is the pass.
type othello[B bitboard] struct {
	size, cells int
	board       B
	start       sides[B]
	rays        [4]othelloRays[B] // to the right, down right, down, down left, and back
	images      []image[B]
	pass        env.Action
}

// othelloRays are a direction and its opposite.
type othelloRays[B bitboard] struct {
	step uint // from a cell to the next
	turn B    // cells with a neighbour on both sides: only discs there can be turned
}

// othelloState is a position; it implements env.State.
type othelloState[B bitboard] struct {
	game   *othello[B]
	places B // cells where the mover can place a disc; empty if the mover must pass
	sides[B]
}

// newOthello makes the game, and tables of the directions for its states on bitboards of type B.
func newOthello[B bitboard](v Values) (*env.Game, error) {
	size := v.Number("size")
	o := &othello[B]{size: size, cells: size * size, pass: env.Action(size * size)}
	o.makeBoard()
	middle := size/2 - 1
	cell := func(r, c int) B { return bit[B](r*size + c) }
	o.start = sides[B]{progress: unfinished, owned: [2]B{
		union(cell(middle, middle+1), cell(middle+1, middle)), union(cell(middle, middle), cell(middle+1, middle+1)),
	}}
	g := &env.Game{
		Players: [2]string{"black", "white"},
		Summary: "enclose discs to turn them over; own more at the end",
		Rules: "Players take turns to place a disc; black moves first. Your disc must enclose at least one disc of the " +
			"other side: between it and another disc of yours, in a row, a column or a diagonal, stand only discs of the " +
			"other side. All discs enclosed so are turned over and become yours.\n" +
			"If you cannot place such a disc, you pass. When neither player can, the game ends: whoever has more discs wins " +
			"100 to 0; equally many are a draw.",
		Strategy: "Corners can never be turned over: take them, and stay off the cells beside an empty corner. Few discs " +
			"early is fine.",
		Tensor: env.Shape{H: size, W: size},
		Planes: append(piecePlanes("1 on every cell"),
			"playable cells: 1 on each cell where the mover can place a disc, 0 elsewhere"),
		PolicyNames: []string{"place", "pass"}, PolicyExtras: 1,
		Figures: boardLines(size), FewReplies: true,
		Classes:  env.WinDrawLoss,
		MaxPlies: 2 * (o.cells - 4), // each disc may be followed by a pass, never by two
		NewState: func() env.State {
			return &othelloState[B]{game: o, sides: o.start, places: o.placesOf(o.start.owned[0], o.start.owned[1])}
		},
		Drawing: env.Drawing{
			Rows: env.Labels("r", 1, size), Columns: env.Labels("c", 1, size), Flips: true,
		},
	}
	for i := range o.cells {
		if has(o.start.owned[0], i) || has(o.start.owned[1], i) {
			g.AddAction("", env.NoCells)
		} else {
			g.AddAction("place", env.Placed(i))
		}
	}
	g.AddAction("pass", env.NoCells)
	all := g.SquareSymmetries() // of these the diagonals and half a turn keep the start
	g.Symmetries = []env.Symmetry{all[0], all[4], all[7], all[3]}
	o.images = newImages[B](g.Symmetries)
	return g.Finish(nil), nil
}

// makeBoard sets o.board and o.rays, the four pairs of opposite directions.
func (o *othello[B]) makeBoard() {
	var inRows, inColumns B // cells not in the first or last column, and not in the first or last row
	for i := range o.cells {
		o.board = union(o.board, bit[B](i))
		if c := i % o.size; c > 0 && c < o.size-1 {
			inRows = union(inRows, bit[B](i))
		}
		if r := i / o.size; r > 0 && r < o.size-1 {
			inColumns = union(inColumns, bit[B](i))
		}
	}
	n, inside := uint(o.size), intersect(inRows, inColumns)
	o.rays = [4]othelloRays[B]{{1, inRows}, {n + 1, inside}, {n, inColumns}, {n - 1, inside}}
}

// boardLines returns all rows, columns and diagonals of at least three cells of a square board.
func boardLines(size int) (lines [][]int32) {
	for _, step := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} { // to the next cell: rows, then columns
		for start := range size * size {
			r, c := start/size, start%size
			before := func(x, step int) bool { return x-step < 0 || x-step >= size } // x is the first of a line
			if !before(r, step[0]) && !before(c, step[1]) {
				continue
			}
			var line []int32
			for ; r < size && c >= 0 && c < size; r, c = r+step[0], c+step[1] {
				line = append(line, int32(r*size+c))
			}
			if len(line) >= 3 {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// placesOf returns the cells where the owner of the own discs can place one.
func (o *othello[B]) placesOf(own, other B) (places B) {
	for i := range o.rays {
		places = union(places, o.rays[i].places(own, other))
	}
	return intersect(places, subtract(o.board, union(own, other)))
}

// canPlace reports whether placesOf is not empty.
func (o *othello[B]) canPlace(own, other B) bool {
	empty := subtract(o.board, union(own, other))
	for i := range o.rays {
		if !isEmpty(intersect(o.rays[i].places(own, other), empty)) {
			return true
		}
	}
	return false
}

// places returns the cells, empty or not, next to the end of a line of other discs that begins at an own one. A line
// has up to six discs, on boards of several words up to ten: up and down get its first, its second, then two more in
// each step.
func (r *othelloRays[B]) places(own, other B) B {
	s := r.step & 31 // spares checks for large shifts
	other = intersect(other, r.turn)
	// The discs of such lines, forward and backward.
	up, down := intersect(other, stepUp(own, s)), intersect(other, stepDown(own, s))
	up = union(up, intersect(other, stepUp(up, s)))
	down = union(down, intersect(other, stepDown(down, s)))
	pairsUp, pairsDown := intersect(other, stepUp(other, s)), intersect(other, stepDown(other, s))
	up = union(up, intersect(pairsUp, stepUp(up, 2*s)))
	down = union(down, intersect(pairsDown, stepDown(down, 2*s)))
	up = union(up, intersect(pairsUp, stepUp(up, 2*s)))
	down = union(down, intersect(pairsDown, stepDown(down, 2*s)))
	if len(own) > 1 {
		for range 2 {
			up = union(up, intersect(pairsUp, stepUp(up, 2*s)))
			down = union(down, intersect(pairsDown, stepDown(down, 2*s)))
		}
	}
	return union(stepUp(up, s), stepDown(down, s))
}

// turned returns the discs that a new disc on the cell turns over.
func (o *othello[B]) turned(own, other, cell B) (discs B) {
	for i := range o.rays {
		r := &o.rays[i]
		s := r.step & 31
		other := intersect(other, r.turn)
		var up, down B
		next := stepUp(cell, s)
		for ; !isEmpty(intersect(next, other)); next = stepUp(next, s) {
			up = union(up, next)
		}
		if !isEmpty(intersect(next, own)) {
			discs = union(discs, up)
		}
		next = stepDown(cell, s)
		for ; !isEmpty(intersect(next, other)); next = stepDown(next, s) {
			down = union(down, next)
		}
		if !isEmpty(intersect(next, own)) {
			discs = union(discs, down)
		}
	}
	return discs
}

func (s *othelloState[B]) Goals() [2]int          { return env.GoalsOf(env.WinDrawLoss, s.Outcome()) }
func (s *othelloState[B]) CopyFrom(src env.State) { *s = *src.(*othelloState[B]) }

func (s *othelloState[B]) Legal(dst []env.Action) []env.Action {
	switch {
	case s.Done():
		return dst
	case isEmpty(s.places):
		return append(dst, s.game.pass)
	}
	return appendActions(dst, s.places, 0)
}

func (s *othelloState[B]) RandomAction(r uint64) env.Action {
	if isEmpty(s.places) {
		return s.game.pass
	}
	return env.Action(nth(s.places, below(r, count(s.places))))
}

func (s *othelloState[B]) Apply(a env.Action) {
	p := s.player & 1 // &1 spares bounds checks
	o := p ^ 1
	if a != s.game.pass {
		cell := bit[B](int(a))
		discs := s.game.turned(s.owned[p], s.owned[o], cell)
		s.owned[p] = union(s.owned[p], union(discs, cell))
		s.owned[o] = subtract(s.owned[o], discs)
	}
	s.player = o
	s.places = s.game.placesOf(s.owned[o], s.owned[p])
	if isEmpty(s.places) && !s.game.canPlace(s.owned[p], s.owned[o]) {
		s.outcome = finalOthello(s.owned[0], s.owned[1])
	}
}

// finalOthello returns First's class at the end.
func finalOthello[B bitboard](first, second B) int8 {
	return int8(1 - cmp.Compare(count(first), count(second)))
}

// TerminalActions plays every move, but looks for the opponent's replies and the mover's next moves only as far as the
// first.
func (s *othelloState[B]) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	p := s.player & 1
	for i := range len(s.places) {
		for places := s.places[i]; places != 0; places &= places - 1 {
			action := i<<6 + bits.TrailingZeros64(places)
			own, other, cell := s.owned[p], s.owned[p^1], bit[B](action)
			discs := s.game.turned(own, other, cell)
			own, other = union(own, union(discs, cell)), subtract(other, discs)
			if s.game.canPlace(other, own) || s.game.canPlace(own, other) {
				continue
			}
			owned := env.ByPlayer(p, [2]B{own, other})
			dst = append(dst, env.TerminalAction{
				Action: env.Action(action), Outcome: int(finalOthello(owned[0], owned[1])),
			})
		}
	}
	return dst
}

func (s *othelloState[B]) Key() env.Key { return s.key(s.owned[0], s.owned[1]) }

// key is that of sides, but boards of one word have no empty words between the others.
func (s *othelloState[B]) key(black, white B) env.Key {
	if len(black) == 1 {
		return env.Key{black[0], white[0], uint64(s.player)}
	}
	return s.sides.key(black, white)
}

func (s *othelloState[B]) CanonicalKey() (env.Key, int) {
	black, white, symmetry := leastImage(s.game.images, s.owned[0], s.owned[1])
	return s.key(black, white), symmetry
}

func (s *othelloState[B]) Encode(dst []float32) {
	n, p := s.game.cells, s.player
	dst = encodeValue(dst, n, 1)
	dst = encodeCells(dst, n, s.owned[p])
	dst = encodeCells(dst, n, s.owned[p.Opponent()])
	encodeCells(dst, n, s.places)
}

func (s *othelloState[B]) Pieces(dst []uint8) []uint8 {
	return appendPieces(dst, s.game.cells, s.owned[0], s.owned[1])
}

// WinningCells appends none: the number of discs decides.
func (s *othelloState[B]) WinningCells(dst []int32) []int32 { return dst }

func (s *othelloState[B]) Detail() string {
	return fmt.Sprintf("discs black %d, white %d", count(s.owned[0]), count(s.owned[1]))
}
