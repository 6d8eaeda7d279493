package games

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

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

// sized returns the maker of a game for its number of cells, up to 383: the first for boards of one word, then those
// for two, four and six. The highest bit of four and six words is free, see [sides.key].
func sized[M any](cells int, makers ...M) M {
	i := 0
	for _, most := range []int{64, 128, 255} {
		if cells > most {
			i++
		}
	}
	return makers[i]
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

// reflection is a permutation of the cells that is its own inverse. To map a set of cells, it exchanges all pairs that
// are the same distance apart at once.
type reflection[B bitboard] struct {
	fixed B // cells that stay
	pairs []pairs[B]
}

// pairs are the pairs of cells i and i + distance, for each i in lower.
type pairs[B bitboard] struct {
	lower    B
	distance uint
}

// newReflection returns the reflection that takes cell i to cells[i].
func newReflection[B bitboard](cells []int32) reflection[B] {
	var r reflection[B]
	byDistance := make([]B, len(cells))
	for from, to := range cells {
		switch d := int(to) - from; {
		case int(cells[to]) != from:
			panic("games: not a reflection")
		case d == 0:
			r.fixed = union(r.fixed, bit[B](from))
		case d > 0:
			byDistance[d] = union(byDistance[d], bit[B](from))
		}
	}
	for d, lower := range byDistance {
		if !isEmpty(lower) {
			r.pairs = append(r.pairs, pairs[B]{lower, uint(d)})
		}
	}
	return r
}

// of returns the image of b: of each pair, the lower cell moves up and the upper one down.
func (r *reflection[B]) of(b B) B {
	image := intersect(b, r.fixed)
	for i := range r.pairs {
		p := &r.pairs[i]
		up, down := intersect(b, p.lower), b
		if len(b) > 1 && p.distance > 63 {
			up, down = shiftUp(up, p.distance), shiftDown(down, p.distance)
		} else {
			up, down = stepUp(up, p.distance), stepDown(down, p.distance)
		}
		image = union(image, union(up, intersect(down, p.lower)))
	}
	return image
}

// canonical returns the players' cells or their images, whichever are less in the order of keys, and the index of the
// symmetry that leads there: 0 for the identity, 1 for the reflection.
func (r *reflection[B]) canonical(first, second B) (leastFirst, leastSecond B, symmetry int) {
	firstImage := r.of(first)
	if less(first, firstImage) {
		return first, second, 0
	}
	secondImage := r.of(second)
	if firstImage == first && !lessSecond(secondImage, second) {
		return first, second, 0
	}
	return firstImage, secondImage, 1
}

// less compares sets of cells in the order of their words in a key.
func less[B bitboard](a, b B) bool {
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return a[len(a)-1] < b[len(b)-1]
}

// lessSecond compares sets of Second's cells in the order of their words in a key.
func lessSecond[B bitboard](a, b B) bool {
	if len(a) == 6 {
		return lessDigest(a, b)
	}
	return less(a, b)
}

func lessDigest[B bitboard](a, b B) bool {
	x, y := digest(a), digest(b)
	return slices.Compare(x[:], y[:]) < 0
}

// digest hashes a set of cells to 128 bits, the sum of its cells' random bits in zobrist: Zobrist hashing. Over random
// tables, two given sets have the same digest with a probability of 2^-128.
func digest[B bitboard](b B) (h [2]uint64) {
	for i := range len(b) {
		for w := b[i]; w != 0; w &= w - 1 {
			random := &zobrist[i<<6+bits.TrailingZeros64(w)]
			h[0] += random[0]
			h[1] += random[1]
		}
	}
	return h
}

// zobrist holds 128 random bits for each cell of the largest bitboard. The seed is fixed, so keys are always the same.
var zobrist = func() (table [6 * 64][2]uint64) {
	rng := rand.NewPCG(3, 3)
	for i := range table {
		table[i] = [2]uint64{rng.Uint64(), rng.Uint64()}
	}
	return table
}()

// reversed returns b turned by half a turn: cell i of n becomes n - 1 - i.
func reversed[B bitboard](b B, n int) (turned B) {
	for i := range len(b) {
		turned[len(b)-1-i] = bits.Reverse64(b[i])
	}
	return shiftDown(turned, uint(len(b)*64-n))
}

// image describes a symmetry as an earlier one (of lower index), followed by a reflection.
type image[B bitboard] struct {
	base       int // index of the earlier image that is reflected
	reflection *reflection[B]
}

// newImages returns the images by symmetry; image 0, the position itself, is unused. There are 1, 2, 4 or 8 symmetries
// in the order of env.Game.SquareSymmetries: those of index 1, 2 and 4 are reflections, bit 2 of an index stands for
// the one to apply first, then come bit 0 and bit 1.
func newImages[B bitboard](symmetries []env.Symmetry) []image[B] {
	reflections := make([]reflection[B], len(symmetries))
	for _, i := range []int{1, 2, 4} {
		if i < len(symmetries) {
			reflections[i] = newReflection[B](symmetries[i].Cells)
		}
	}
	images := make([]image[B], len(symmetries))
	for i := 1; i < len(symmetries); i++ {
		last := 1 << (bits.Len(uint(i)) - 1) // index of the reflection applied last
		if i > 4 {
			last = 1 << (bits.Len(uint(i-4)) - 1)
		}
		images[i] = image[B]{i - last, &reflections[last]}
	}
	return images
}

// leastImage returns the image of the players' cells that is least in the order of keys, and the index of the symmetry
// that leads there.
func leastImage[B bitboard](images []image[B], first, second B) (leastFirst, leastSecond B, symmetry int) {
	var list [8][2]B
	list[0] = [2]B{first, second}
	least := 0
	for i := 1; i < len(images); i++ {
		im := &images[i]
		list[i] = [2]B{im.reflection.of(list[im.base][0]), im.reflection.of(list[im.base][1])}
		if a, b := &list[i], &list[least]; less(a[0], b[0]) || a[0] == b[0] && lessSecond(a[1], b[1]) {
			least = i
		}
	}
	return list[least][0], list[least][1], least
}

// unfinished is the progress of a new game.
var unfinished = progress{outcome: env.Unfinished}

// progress is the part of a state that all games share: who is to move, and how the game ended.
type progress struct {
	player  env.Player
	outcome int8 // a class as First sees it (0 is First's best), or env.Unfinished
}

func (p *progress) Player() env.Player { return p.player }
func (p *progress) Done() bool         { return p.outcome != env.Unfinished }
func (p *progress) Outcome() int       { return int(p.outcome) }

// sides is the part of a state that games of two kinds of pieces share: each player's cells, and progress.
type sides[B bitboard] struct {
	owned [2]B // by player
	progress
}

// key returns the key of the position with the given players' cells instead of its own. Sets of one or two words have
// First's cells in words 0 and 1, Second's in words 2 and 3, and the player to move in word 4. Sets of four words have
// First's in words 0 to 3 and Second's in words 4 to 7, with the player in the highest bit of word 3. They serve boards
// of 129 to 255 cells, and Othello 10x10, whose machine code is that of Othello 12x12.
//
// Two sets of 361 cells do not fit into the 512 bits of a key. So on boards of more than 255 cells First's are words 0
// to 5, with the player in the highest bit, and words 6 and 7 are a [digest] of Second's. Positions in which First's
// cells or the players to move differ have different keys. Two in which only Second's cells differ have the same key
// with a probability of 2^-128 over random tables; among 2^40 such positions, any two do with less than 2^-48. The
// table is fixed, so sets of equal digest could be sought on purpose, but games do not depend on it.
func (s *sides[B]) key(first, second B) (k env.Key) {
	player := uint64(s.player)
	switch n := len(first); n {
	case 1, 2:
		for i := range n {
			k[i], k[2+i] = first[i], second[i]
		}
		k[4] = player
	case 4:
		for i := range n {
			k[i], k[4+i] = first[i], second[i]
		}
		k[3] |= player << 63
	default:
		for i := range n {
			k[i] = first[i]
		}
		k[5] |= player << 63
		h := digest(second)
		k[6], k[7] = h[0], h[1]
	}
	return k
}

func (s *sides[B]) Key() env.Key { return s.key(s.owned[0], s.owned[1]) }

// noSwap stands for the swap in games without that rule.
const noSwap = env.Action(-1)

// addSwap adds the swap rule to a game, all of whose other actions have been added: instead of its first move, Second
// takes First's piece. how says how the piece changes, apart from its owner. addSwap returns the action, the policy's
// extra entry.
func addSwap(g *env.Game, how string) env.Action {
	first, second := g.Players[env.First], g.Players[env.Second]
	g.Rules += fmt.Sprintf("\nInstead of its first piece, %[2]s may swap: %[1]s's piece becomes %[2]s's%[3]s. "+
		"So %[1]s should not begin with too strong a move.", first, second, how)
	g.Planes = append(g.Planes, "swap: 1 on every cell if the mover may swap, otherwise 0")
	g.PolicyNames, g.PolicyExtras = append(g.PolicyNames, "swap"), 1
	g.MaxPlies++
	g.Drawing.Flips = true
	g.AddAction("swap", env.NoCells)
	return env.Action(g.Tensor.Cells())
}

// maySwap reports whether the swap is legal.
func (s *sides[B]) maySwap(swap env.Action) bool {
	return swap != noSwap && s.player == env.Second && isEmpty(s.owned[env.Second]) && count(s.owned[env.First]) == 1
}

// legal appends the actions that fill the given cells, then the swap if it is legal. The action that fills a cell has
// its number.
func (s *sides[B]) legal(dst []env.Action, cells B, swap env.Action) []env.Action {
	if s.Done() {
		return dst
	}
	dst = appendActions(dst, cells, 0)
	if s.maySwap(swap) {
		dst = append(dst, swap)
	}
	return dst
}

// randomAction returns the action of index floor(r n / 2^64) among the n that legal appends.
func (s *sides[B]) randomAction(r uint64, cells B, swap env.Action) env.Action {
	n := count(cells)
	if !s.maySwap(swap) {
		return env.Action(nth(cells, below(r, n)))
	}
	if k := below(r, n+1); k < n {
		return env.Action(nth(cells, k))
	}
	return swap
}

// encodeSwap writes the plane of the swap, which fills dst; there is none without the rule.
func (s *sides[B]) encodeSwap(dst []float32, swap env.Action) {
	switch {
	case s.maySwap(swap):
		encodeValue(dst, len(dst), 1)
	case swap != noSwap:
		encodeValue(dst, len(dst), 0)
	}
}

// filling is the part of a state that games share in which pieces fall or players mark cells: sides, and the cells to
// fill.
type filling[B bitboard] struct {
	playable B // cells that can be filled: the lowest empty one of each column if pieces fall, otherwise all empty ones
	sides[B]
}
