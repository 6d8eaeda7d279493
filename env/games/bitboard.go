package games

import (
	"math/bits"

	"ludus/env"
)

// bitboard is a set of cells: cell i is bit i%64 of word i/64. Boards of up to 64 cells take one word. The generic
// functions below compile to separate machine code for each size; they handle the first word, then the last if it is
// another, because a loop over two words would cost more than its body. Only larger boards have words between them.
type bitboard interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [6]uint64
}

// bit is the set of the one cell i.
func bit[B bitboard](i int) (b B) {
	b[i>>6] = 1 << (i & 63)
	return b
}

// has reports whether cell i is in b.
func has[B bitboard](b B, i int) bool { return b[i>>6]>>(i&63)&1 != 0 }

// union is the set of the cells in a or b.
func union[B bitboard](a, b B) B {
	a[0] |= b[0]
	if last := len(a) - 1; last > 0 {
		a[last] |= b[last]
		for i := 1; i < last; i++ {
			a[i] |= b[i]
		}
	}
	return a
}

// intersect is the set of the cells in both a and b.
func intersect[B bitboard](a, b B) B {
	a[0] &= b[0]
	if last := len(a) - 1; last > 0 {
		a[last] &= b[last]
		for i := 1; i < last; i++ {
			a[i] &= b[i]
		}
	}
	return a
}

// subtract is the set of the cells in a but not in b.
func subtract[B bitboard](a, b B) B {
	a[0] &^= b[0]
	if last := len(a) - 1; last > 0 {
		a[last] &^= b[last]
		for i := 1; i < last; i++ {
			a[i] &^= b[i]
		}
	}
	return a
}

func isEmpty[B bitboard](b B) bool {
	all := b[0] | b[len(b)-1]
	for i := 1; i < len(b)-1; i++ {
		all |= b[i]
	}
	return all == 0
}

// contains reports whether all cells of part are in b.
func contains[B bitboard](b, part B) bool {
	last := len(b) - 1
	missing := part[0]&^b[0] | part[last]&^b[last]
	for i := 1; i < last; i++ {
		missing |= part[i] &^ b[i]
	}
	return missing == 0
}

// containsAny reports whether all cells of one of the parts are in b.
func containsAny[B bitboard](b B, parts []B) bool {
	for _, part := range parts {
		if contains(b, part) {
			return true
		}
	}
	return false
}

// shiftDown replaces every cell i of b by i - n, and drops those below 0; n is less than 64 len(b).
func shiftDown[B bitboard](b B, n uint) B {
	if len(b) > 1 {
		return shiftWordsDown(b, n)
	}
	b[0] >>= n & 63
	return b
}

// shiftUp replaces every cell i of b by i + n, and drops those beyond its words; n is less than 64 len(b).
func shiftUp[B bitboard](b B, n uint) B {
	if len(b) > 1 {
		return shiftWordsUp(b, n)
	}
	b[0] <<= n & 63
	return b
}

// shiftWordsDown is shiftDown for several words.
func shiftWordsDown[B bitboard](b B, n uint) (shifted B) {
	last := len(b) - 1
	if last == 1 {
		b[0] = b[0]>>n | b[last]<<(64-n) | b[last]>>(n-64) // shifts by more than 63, negative ones included, give 0
		b[last] >>= n
		return b
	}
	skip := int(n >> 6)
	for i := skip; i < last; i++ {
		shifted[i-skip] = b[i]>>(n&63) | b[i+1]<<(64-n&63) // a shift by 64 gives 0
	}
	shifted[last-skip] = b[last] >> (n & 63)
	return shifted
}

// shiftWordsUp is shiftUp for several words.
func shiftWordsUp[B bitboard](b B, n uint) (shifted B) {
	last := len(b) - 1
	if last == 1 {
		b[last] = b[last]<<n | b[0]>>(64-n) | b[0]<<(n-64)
		b[0] <<= n
		return b
	}
	skip := int(n >> 6)
	for i := last; i > skip; i-- {
		shifted[i] = b[i-skip]<<(n&63) | b[i-skip-1]>>(64-n&63)
	}
	shifted[skip] = b[0] << (n & 63)
	return shifted
}

// stepDown is shiftDown for n less than 64.
func stepDown[B bitboard](b B, n uint) B {
	last := len(b) - 1
	for i := 0; i < last; i++ {
		b[i] = b[i]>>(n&63) | b[i+1]<<(64-n)
	}
	b[last] >>= n & 63
	return b
}

// stepUp is shiftUp for n less than 64.
func stepUp[B bitboard](b B, n uint) B {
	for i := len(b) - 1; i > 0; i-- {
		b[i] = b[i]<<(n&63) | b[i-1]>>(64-n)
	}
	b[0] <<= n & 63
	return b
}

// count returns the number of cells in b.
func count[B bitboard](b B) int {
	n := bits.OnesCount64(b[0])
	if last := len(b) - 1; last > 0 {
		n += bits.OnesCount64(b[last])
		for i := 1; i < last; i++ {
			n += bits.OnesCount64(b[i])
		}
	}
	return n
}

// nth returns the cell of index k, from 0, among the cells of b in ascending order; b has more than k cells.
func nth[B bitboard](b B, k int) int {
	i := 0
	for ; i < len(b)-1; i++ {
		n := bits.OnesCount64(b[i])
		if k < n {
			break
		}
		k -= n
	}
	return i<<6 + nthBit(b[i], k)
}

// nthBit returns the place of the set bit of index k, from 0, in w, which has more than k set bits. It counts the bits
// of all bytes at once and looks the bit up in a table by byte; the end of a loop over the bits would be mispredicted.
// Source: Vigna 2008, Broadword Implementation of Rank/Select Queries.
func nthBit(w uint64, k int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	sums := w - w>>1&(ones*0x55)
	sums = sums&(ones*0x33) + sums>>2&(ones*0x33)
	sums = (sums + sums>>4) & (ones * 0x0f) * ones // byte i: bits in the bytes up to i
	// A byte of the difference keeps its high bit if its sum is at most k: such bytes end before the bit of index k.
	place := bits.OnesCount64(((uint64(k)*ones|high)-sums)&high) * 8
	k -= int(sums << 8 >> (place & 63) & 0xff)
	return place + int(nthOfByte[k&7][w>>(place&63)&0xff])
}

// nthOfByte holds, by k and byte, the place of the byte's set bit of index k.
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

// below returns floor(r n / 2^64), which is uniform in [0, n) if r is uniform.
func below(r uint64, n int) int {
	high, _ := bits.Mul64(r, uint64(n))
	return int(high)
}

// appendActions appends the action first + i for each cell i of b, ascending.
func appendActions[B bitboard](dst []env.Action, b B, first env.Action) []env.Action {
	for i := range len(b) {
		for w := b[i]; w != 0; w &= w - 1 {
			dst = append(dst, first+env.Action(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// appendTerminal appends the action first + i for each cell i of b, ascending, all with the same outcome.
func appendTerminal[B bitboard](dst []env.TerminalAction, b B, first env.Action, outcome int) []env.TerminalAction {
	for i := range len(b) {
		for w := b[i]; w != 0; w &= w - 1 {
			dst = append(dst, env.TerminalAction{Action: first + env.Action(i<<6+bits.TrailingZeros64(w)), Outcome: outcome})
		}
	}
	return dst
}

// appendPieces appends the piece on each of n cells: k for the cells of kinds[k-1], otherwise 0.
func appendPieces[B bitboard](dst []uint8, n int, kinds ...B) []uint8 {
	for cell := range n {
		piece := uint8(0)
		for k, b := range kinds {
			if has(b, cell) {
				piece = uint8(k + 1)
			}
		}
		dst = append(dst, piece)
	}
	return dst
}

// nibbles[b] holds the encoding of the four bits of b: 1 for a set bit, otherwise 0.
var nibbles = func() (table [16][4]float32) {
	for i := range 64 {
		table[i/4][i%4] = float32(i / 4 >> (i % 4) & 1)
	}
	return table
}()

// encodeCells writes one plane of n cells, 1 for the cells of b and 0 for others, and returns the rest of dst.
func encodeCells[B bitboard](dst []float32, n int, b B) []float32 {
	plane := dst[:n]
	for word := range len(b) {
		w, i, end := b[word], 0, min(64, len(plane))
		for ; i+4 <= end; i += 4 {
			*(*[4]float32)(plane[i:]) = nibbles[w&15]
			w >>= 4
		}
		for ; i < end; i++ {
			plane[i] = float32(w & 1)
			w >>= 1
		}
		plane = plane[end:]
	}
	return dst[n:]
}

// encodeValue writes one plane of n cells that all hold v, and returns the rest of dst.
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

// figuresOf returns each figure once, its cells ascending. others has, for a cell, the rest of figures through that
// cell; every figure is there under at least one of its cells.
func figuresOf[B bitboard](others [][]B) (figures [][]int32) {
	seen := map[B]bool{}
	for cell, list := range others {
		for _, rest := range list {
			if figure := union(rest, bit[B](cell)); !seen[figure] {
				seen[figure] = true
				var cells []int32
				for i := range count(figure) {
					cells = append(cells, int32(nth(figure, i)))
				}
				figures = append(figures, cells)
			}
		}
	}
	return figures
}

// bySize returns the function that makes the games of a family; parameters set their columns and rows. Of the makers,
// the first is for boards of one word, then come those for two, four and six, up to 383 cells. The highest bit of four
// and six words is free, see [sides.key].
func bySize(columns, rows string, makers ...func(Values) (*env.Game, error)) func(Values) (*env.Game, error) {
	return func(v Values) (*env.Game, error) {
		i := 0
		for _, most := range []int{64, 128, 255} {
			if v.Number(columns)*v.Number(rows) > most {
				i++
			}
		}
		return makers[i](v)
	}
}

// isFirst returns 1 if p is First, otherwise 0.
func isFirst(p env.Player) float32 { return 1 - float32(p) }

// piecePlanes describes the first three planes of every game's tensor; board says which cells have a 1 in the first.
func piecePlanes(board string) []string {
	return []string{
		"board: " + board,
		"own pieces: 1 on each cell where a piece of the mover stands, 0 elsewhere",
		"other's pieces: 1 on each cell where a piece of the opponent stands, 0 elsewhere",
	}
}
