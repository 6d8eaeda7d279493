package games

import (
	"math/bits"

	"ludus/env"
)

// words is a set of board cells, cell i being bit i%64 of word i/64. Boards of up to 64 cells take one word. The
// functions below are generic so that each size of board gets its own machine code from one source: they treat the first
// word, then the last if it is another, since a loop over the words would cost more than its body.
type words interface{ [1]uint64 | [2]uint64 }

// bit is the set of the one cell i.
func bit[W words](i int) (w W) {
	w[i>>6] = 1 << (i & 63)
	return w
}

// has reports whether cell i is in w.
func has[W words](w W, i int) bool { return w[i>>6]>>(i&63)&1 != 0 }

// union is the set of the cells in a or b.
func union[W words](a, b W) W {
	a[0] |= b[0]
	if last := len(a) - 1; last > 0 {
		a[last] |= b[last]
	}
	return a
}

// both is the set of the cells in a and in b.
func both[W words](a, b W) W {
	a[0] &= b[0]
	if last := len(a) - 1; last > 0 {
		a[last] &= b[last]
	}
	return a
}

// minus is the set of the cells in a but not in b.
func minus[W words](a, b W) W {
	a[0] &^= b[0]
	if last := len(a) - 1; last > 0 {
		a[last] &^= b[last]
	}
	return a
}

// isEmpty reports whether w has no cell.
func isEmpty[W words](w W) bool { return w[0]|w[len(w)-1] == 0 }

// contains reports whether all cells of part are in w.
func contains[W words](w, part W) bool {
	last := len(w) - 1
	return part[0]&^w[0]|part[last]&^w[last] == 0
}

// single reports whether w, which is not empty, has one cell alone.
func single[W words](w W) bool {
	if last := len(w) - 1; last > 0 {
		return w[0]&(w[0]-1)|w[last]&(w[last]-1) == 0 && (w[0] == 0 || w[last] == 0)
	}
	return w[0]&(w[0]-1) == 0
}

// lower moves every cell of w down by n, at most 127; those that fall below 0 are lost.
func lower[W words](w W, n uint) W {
	last := len(w) - 1
	if last == 0 {
		w[0] >>= n & 63
		return w
	}
	w[0] = w[0]>>n | w[last]<<(64-n) | w[last]>>(n-64) // shifts by more than 63, the negative ones too, give 0
	w[last] >>= n
	return w
}

// raise moves every cell of w up by n, at most 127.
func raise[W words](w W, n uint) W {
	last := len(w) - 1
	if last == 0 {
		w[0] <<= n & 63
		return w
	}
	w[last] = w[last]<<n | w[0]>>(64-n) | w[0]<<(n-64)
	w[0] <<= n
	return w
}

// count is the number of cells in w.
func count[W words](w W) int {
	n := bits.OnesCount64(w[0])
	if last := len(w) - 1; last > 0 {
		n += bits.OnesCount64(w[last])
	}
	return n
}

// nth is the cell of index k in w, which has more than k.
func nth[W words](w W, k int) int {
	if last := len(w) - 1; last > 0 {
		if n := bits.OnesCount64(w[0]); k >= n {
			return last<<6 + nthBit(w[last], k-n)
		}
	}
	return nthBit(w[0], k)
}

// nthBit is the place of the set bit of index k in w, which has more than k. It counts the bits of all bytes at once and
// looks up the last step, since a loop over the bits ends where no branch predictor expects it. Source: Vigna 2008,
// Broadword Implementation of Rank/Select Queries.
func nthBit(w uint64, k int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	sums := w - w>>1&(ones*0x55)
	sums = sums&(ones*0x33) + sums>>2&(ones*0x33)
	sums = (sums + sums>>4) & (ones * 0x0f) * ones // byte i: bits in the bytes up to i
	place := bits.OnesCount64(((uint64(k)*ones|high)-sums)&high) * 8
	k -= int(sums << 8 >> (place & 63) & 0xff)
	return place + int(nthOfByte[k&7][w>>(place&63)&0xff])
}

// nthOfByte is, by k and byte, the place of the set bit of index k.
var nthOfByte = func() (table [8][256]uint8) {
	for b := range 256 {
		k := 0
		for i := range 8 {
			if b>>i&1 != 0 {
				table[k][b] = uint8(i)
				k++
			}
		}
	}
	return table
}()

// scale is floor(r n / 2^64): of a uniform r, uniform below n.
func scale(r uint64, n int) int {
	high, _ := bits.Mul64(r, uint64(n))
	return int(high)
}

// appendCells appends an action for each cell of w, ascending: first + cell.
func appendCells[W words](dst []env.Action, w W, first env.Action) []env.Action {
	for i := range len(w) {
		for b := w[i]; b != 0; b &= b - 1 {
			dst = append(dst, first+env.Action(i<<6+bits.TrailingZeros64(b)))
		}
	}
	return dst
}

// appendEndings appends an ending for each cell of w, ascending, by the action first + cell: all have one outcome.
func appendEndings[W words](dst []env.TerminalAction, w W, first env.Action, outcome int) []env.TerminalAction {
	for i := range len(w) {
		for b := w[i]; b != 0; b &= b - 1 {
			dst = append(dst, env.TerminalAction{Action: first + env.Action(i<<6+bits.TrailingZeros64(b)), Outcome: outcome})
		}
	}
	return dst
}

// fours are four cells of a plane, by the four bits that say which are taken.
var fours = func() (f [16][4]float32) {
	for i := range 64 {
		f[i/4][i%4] = float32(i / 4 >> (i % 4) & 1)
	}
	return f
}()

// encodeCells writes one plane of n cells, 1 where w has the cell, and returns what is left of dst.
func encodeCells[W words](dst []float32, n int, w W) []float32 {
	plane := dst[:n]
	for word := range len(w) {
		b, i, end := w[word], 0, min(64, len(plane))
		for ; i+4 <= end; i += 4 {
			*(*[4]float32)(plane[i:]) = fours[b&15]
			b >>= 4
		}
		for ; i < end; i++ {
			plane[i] = float32(b & 1)
			b >>= 1
		}
		plane = plane[end:]
	}
	return dst[n:]
}

// encodeValue writes one plane of n cells that all hold v, and returns what is left of dst.
func encodeValue(dst []float32, n int, v float32) []float32 {
	plane, i := dst[:n], 0
	for four := [4]float32{v, v, v, v}; i+4 <= n; i += 4 {
		*(*[4]float32)(plane[i:]) = four
	}
	for ; i < n; i++ {
		plane[i] = v
	}
	return dst[n:]
}

// one is 1 if b, otherwise 0.
func one(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// flip is a permutation of the cells that is its own inverse, such as a mirror image: its pairs of cells, all of one
// distance at once.
type flip[W words] struct {
	fixed W // the cells that stay
	swaps []swap[W]
}

// swap exchanges the cells of lower with those that are distance above them.
type swap[W words] struct {
	lower    W
	distance uint
}

// newFlip makes the flip that takes cell i to cells[i].
func newFlip[W words](cells []int32) flip[W] {
	var f flip[W]
	swaps := make([]W, len(cells)) // by distance
	for from, to := range cells {
		switch d := int(to) - from; {
		case int(cells[to]) != from:
			panic("games: not a flip")
		case d == 0:
			f.fixed = union(f.fixed, bit[W](from))
		case d > 0:
			swaps[d] = union(swaps[d], bit[W](from))
		}
	}
	for d, lower := range swaps {
		if !isEmpty(lower) {
			f.swaps = append(f.swaps, swap[W]{lower, uint(d)})
		}
	}
	return f
}

// of is the image of w.
func (f *flip[W]) of(w W) W {
	image := both(w, f.fixed)
	for i := range f.swaps {
		s := &f.swaps[i]
		image = union(image, union(raise(both(w, s.lower), s.distance), both(lower(w, s.distance), s.lower)))
	}
	return image
}

// less compares sets in some order.
func less[W words](a, b W) bool {
	if a[0] != b[0] {
		return a[0] < b[0]
	}
	return a[len(a)-1] < b[len(b)-1]
}

// lessPair compares first the one, then the other player's cells.
func lessPair[W words](a, b [2]W) bool { return less(a[0], b[0]) || a[0] == b[0] && less(a[1], b[1]) }

// progress is the part of a state that is the same in every game: who is to move and how the game ended.
type progress struct {
	player  env.Player
	outcome int8 // First's class, or env.Unfinished
}

func (p *progress) Player() env.Player { return p.player }
func (p *progress) Done() bool         { return p.outcome != env.Unfinished }
func (p *progress) Outcome() int       { return int(p.outcome) }

// piecePlanes says what the first three planes of every game's tensor hold, board being which cells have a 1 in the first.
func piecePlanes(board string) []string {
	return []string{
		"board: " + board,
		"own pieces: 1 on each cell where a piece of the mover stands, 0 elsewhere",
		"other's pieces: 1 on each cell where a piece of the opponent stands, 0 elsewhere",
	}
}

// cellsIn says of each of n cells whether w has it.
func cellsIn[W words](w W, n int) []bool {
	list := make([]bool, n)
	for i := range list {
		list[i] = has(w, i)
	}
	return list
}

// appendPieces appends what stands on each of n cells: the number, from 1, of the set of kinds that has it, otherwise 0.
func appendPieces[W words](dst []uint8, n int, kinds ...W) []uint8 {
	for cell := range n {
		piece := uint8(0)
		for k, w := range kinds {
			if has(w, cell) {
				piece = uint8(k + 1)
			}
		}
		dst = append(dst, piece)
	}
	return dst
}
