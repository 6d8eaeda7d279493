package gdl

import (
	"math/bits"
	"math/rand/v2"

	"ludus/env"
)

// keys computes position keys: the bit set of the true fluents, or a Zobrist hash if the bit set is too long for an
// [env.Key].
type keys struct {
	images  [][]int32   // images[s][f] is the image of fluent f under symmetry s
	zobrist [][8]uint64 // random words per fluent, then per number of plies; nil if keys are bit sets
	limited bool        // the number of plies is part of the key
}

// useZobrist draws random words for Zobrist hashes if the bit set of fluents, and the plies if limited, do not fit into
// an [env.Key].
func (k *keys) useZobrist(words, fluents, limit int) {
	k.limited = limit > 0
	if k.limited {
		words++
	}
	if words <= len(env.Key{}) {
		return
	}
	rng := rand.New(rand.NewPCG(2, 2)) // a fixed seed, so keys are always the same
	k.zobrist = make([][8]uint64, fluents+limit+1)
	for i := range k.zobrist {
		for j := range k.zobrist[i] {
			k.zobrist[i][j] = rng.Uint64()
		}
	}
}

// key returns the key of a position's image under a symmetry, given the bit set of its true fluents and its plies. The
// Zobrist hash adds up the random words of the true fluents; word &= word-1 clears the lowest set bit.
func (k *keys) key(on []uint64, plies, symmetry int) (key env.Key) {
	image := k.images[symmetry]
	if k.zobrist == nil && symmetry == 0 {
		copy(key[:], on)
	} else {
		for w, word := range on {
			for ; word != 0; word &= word - 1 {
				f := image[64*w+bits.TrailingZeros64(word)]
				if k.zobrist == nil {
					key[f/64] |= 1 << (f % 64)
					continue
				}
				for i, x := range k.zobrist[f] {
					key[i] += x
				}
			}
		}
	}
	switch {
	case k.limited && k.zobrist == nil:
		key[7] = uint64(plies) // the last word, which useZobrist kept free
	case k.limited:
		for i, x := range k.zobrist[len(image)+plies] {
			key[i] += x
		}
	}
	return key
}
