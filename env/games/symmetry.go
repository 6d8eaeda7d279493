package games

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"ludus/env"
)

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
		x, y := digest(a), digest(b)
		return slices.Compare(x[:], y[:]) < 0
	}
	return less(a, b)
}

// digest hashes a set of cells to 128 bits, the sum of its cells' random bits in zobrist: Zobrist hashing, see
// [env.Key].
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
