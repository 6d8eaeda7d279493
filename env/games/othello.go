package games

import (
	"fmt"
	"math/bits"

	"ludus/env"
)

var _ = Register(Family{
	Name:   "othello",
	Params: []Param{Word("size", "8", "6", "4")},
	Aliases: []Alias{
		{"othello", "othello(size=8)"},
		{"othello-6x6", "othello(size=6)"},
	},
	Order: 6,
	Build: buildOthello,
})

// othello holds the tables of one game of the family. Row 0 of the tensor is r1, column 0 is c1. The policy's extra entry
// is the pass.
type othello struct {
	size, cells int
	board       uint64
	start       [2]uint64      // by player: the discs at the start
	rays        [4]othelloRays // to the right, down right, down, down left, and back
	images      []image[[1]uint64]
	pass        env.Action
}

// othelloRays are a direction and its opposite.
type othelloRays struct {
	step uint   // from a cell to the next
	turn uint64 // cells with a neighbour on both sides: only discs there can be turned
}

// othelloState is a position; it implements env.State.
type othelloState struct {
	game   *othello
	owned  [2]uint64 // by player
	places uint64    // cells where the mover can place a disc; empty if the mover must pass
	progress
}

// buildOthello makes the game, and tables of the directions for its states.
func buildOthello(v Values) (*env.Game, error) {
	size := v.Number("size")
	o := &othello{size: size, cells: size * size, pass: env.Action(size * size)}
	o.board = ^uint64(0) >> (64 - o.cells)
	o.makeRays()
	middle := size/2 - 1
	cell := func(r, c int) uint64 { return 1 << (r*size + c) }
	o.start[env.First] = cell(middle, middle+1) | cell(middle+1, middle)
	o.start[env.Second] = cell(middle, middle) | cell(middle+1, middle+1)
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
		Classes:  env.WinDrawLoss,
		MaxPlies: 2 * (o.cells - 4), // each disc may be followed by a pass, never by two
		NewState: o.newState,
		Drawing: env.Drawing{
			Rows: env.Labels("r", 1, size), Columns: env.Labels("c", 1, size), Flips: true,
		},
	}
	for i := range o.cells {
		if (o.start[0]|o.start[1])>>i&1 != 0 {
			g.AddAction("", env.NoCells)
		} else {
			g.AddAction("place", env.Placed(i))
		}
	}
	g.AddAction("pass", env.NoCells)
	all := g.SquareSymmetries() // of these the diagonals and half a turn keep the start
	g.Symmetries = []env.Symmetry{all[0], all[4], all[7], all[3]}
	o.images = newImages[[1]uint64](g.Symmetries)
	return g.Finish(nil), nil
}

// makeRays sets o.rays, the four pairs of opposite directions.
func (o *othello) makeRays() {
	var inRows, inColumns uint64 // cells not in the first or last column, and not in the first or last row
	for i := range o.cells {
		if c := i % o.size; c > 0 && c < o.size-1 {
			inRows |= 1 << i
		}
		if r := i / o.size; r > 0 && r < o.size-1 {
			inColumns |= 1 << i
		}
	}
	n := uint(o.size)
	o.rays = [4]othelloRays{{1, inRows}, {n + 1, inRows & inColumns}, {n, inColumns}, {n - 1, inRows & inColumns}}
}

// placesOf returns the cells where the owner of the own discs can place one.
func (o *othello) placesOf(own, other uint64) (places uint64) {
	for i := range o.rays {
		places |= o.rays[i].places(own, other)
	}
	return places & o.board &^ (own | other)
}

// canPlace reports whether placesOf is not empty.
func (o *othello) canPlace(own, other uint64) bool {
	empty := o.board &^ (own | other)
	for i := range o.rays {
		if o.rays[i].places(own, other)&empty != 0 {
			return true
		}
	}
	return false
}

// places returns the cells, empty or not, next to the end of a line of other discs that begins at an own one. A line
// has up to six discs: up and down get its first, its second, then two more in each of two steps.
func (r *othelloRays) places(own, other uint64) uint64 {
	s := r.step & 31 // spares checks for large shifts
	other &= r.turn
	up, down := other&(own<<s), other&(own>>s) // the discs of such lines, forward and backward
	up |= other & (up << s)
	down |= other & (down >> s)
	pairsUp, pairsDown := other&(other<<s), other&(other>>s)
	up |= pairsUp & (up << (2 * s))
	down |= pairsDown & (down >> (2 * s))
	up |= pairsUp & (up << (2 * s))
	down |= pairsDown & (down >> (2 * s))
	return up<<s | down>>s
}

// turned returns the discs that a new disc on the cell turns over.
func (o *othello) turned(own, other, cell uint64) (discs uint64) {
	for i := range o.rays {
		r := &o.rays[i]
		s := r.step & 31
		other := other & r.turn
		var up, down uint64
		next := cell << s
		for ; next&other != 0; next <<= s {
			up |= next
		}
		if next&own != 0 {
			discs |= up
		}
		next = cell >> s
		for ; next&other != 0; next >>= s {
			down |= next
		}
		if next&own != 0 {
			discs |= down
		}
	}
	return discs
}

func (o *othello) newState() env.State {
	return &othelloState{
		game: o, owned: o.start, places: o.placesOf(o.start[0], o.start[1]), progress: unfinished,
	}
}

func (s *othelloState) Goals() [2]int          { return env.GoalsOf(env.WinDrawLoss, s.Outcome()) }
func (s *othelloState) CopyFrom(src env.State) { *s = *src.(*othelloState) }

func (s *othelloState) Legal(dst []env.Action) []env.Action {
	switch {
	case s.Done():
		return dst
	case s.places == 0:
		return append(dst, s.game.pass)
	}
	return appendActions(dst, [1]uint64{s.places}, 0)
}

func (s *othelloState) RandomAction(r uint64) env.Action {
	if s.places == 0 {
		return s.game.pass
	}
	return env.Action(nthBit(s.places, below(r, bits.OnesCount64(s.places))))
}

func (s *othelloState) Apply(a env.Action) {
	p := s.player & 1 // &1 spares bounds checks
	o := p ^ 1
	if a != s.game.pass {
		discs := s.game.turned(s.owned[p], s.owned[o], 1<<(a&63))
		s.owned[p] |= discs | 1<<(a&63)
		s.owned[o] &^= discs
	}
	s.player = o
	s.places = s.game.placesOf(s.owned[o], s.owned[p])
	if s.places == 0 && !s.game.canPlace(s.owned[p], s.owned[o]) {
		s.outcome = finalOthello(s.owned[0], s.owned[1])
	}
}

// finalOthello returns First's class at the end.
func finalOthello(first, second uint64) int8 {
	lead := bits.OnesCount64(first) - bits.OnesCount64(second)
	return int8(1 - min(max(lead, -1), 1))
}

// TerminalActions plays every move, but looks for the opponent's replies and the mover's next moves only as far as the
// first.
func (s *othelloState) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	p := s.player & 1
	for places := s.places; places != 0; places &= places - 1 {
		own, other, cell := s.owned[p], s.owned[p^1], places&-places
		discs := s.game.turned(own, other, cell)
		own, other = own|discs|cell, other&^discs
		if s.game.canPlace(other, own) || s.game.canPlace(own, other) {
			continue
		}
		owned := env.ByPlayer(p, [2]uint64{own, other})
		dst = append(dst, env.TerminalAction{
			Action: env.Action(bits.TrailingZeros64(cell)), Outcome: int(finalOthello(owned[0], owned[1])),
		})
	}
	return dst
}

func (s *othelloState) Key() env.Key { return env.Key{s.owned[0], s.owned[1], uint64(s.player)} }

func (s *othelloState) CanonicalKey() (env.Key, int) {
	black, white, symmetry := leastImage(s.game.images, [1]uint64{s.owned[0]}, [1]uint64{s.owned[1]})
	return env.Key{black[0], white[0], uint64(s.player)}, symmetry
}

func (s *othelloState) Encode(dst []float32) {
	n, p := s.game.cells, s.player
	dst = encodeValue(dst, n, 1)
	dst = encodeCells(dst, n, [1]uint64{s.owned[p]})
	dst = encodeCells(dst, n, [1]uint64{s.owned[p.Opponent()]})
	encodeCells(dst, n, [1]uint64{s.places})
}

func (s *othelloState) Pieces(dst []uint8) []uint8 {
	return appendPieces(dst, s.game.cells, [1]uint64{s.owned[0]}, [1]uint64{s.owned[1]})
}

// WinningCells appends none: the number of discs decides.
func (s *othelloState) WinningCells(dst []int32) []int32 { return dst }

func (s *othelloState) Detail() string {
	return fmt.Sprintf("discs black %d, white %d", bits.OnesCount64(s.owned[0]), bits.OnesCount64(s.owned[1]))
}
