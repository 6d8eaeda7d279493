package gdl

import (
	"math/bits"
	"math/rand/v2"

	"ludus/env"
)

// keys computes the key of a position: the bit set of its true fluents, or, if that does not fit, a Zobrist hash.
type keys struct {
	images  [][]int32   // by symmetry, then fluent: its image
	zobrist [][8]uint64 // by fluent, then number of plies; nil if keys are bit sets
	limited bool        // the number of plies is part of the key
}

// useZobrist draws the words of Zobrist hashes if a bit set does not fit beside the number of plies.
func (k *keys) useZobrist(words, fluents, limit int) {
	if k.limited = limit > 0; k.limited {
		words++
	}
	if words <= len(env.Key{}) {
		return
	}
	rng := rand.New(rand.NewPCG(2, 2))
	k.zobrist = make([][8]uint64, fluents+limit+1)
	for i := range k.zobrist {
		for j := range k.zobrist[i] {
			k.zobrist[i][j] = rng.Uint64()
		}
	}
}

// key returns the key of the image of a position under a symmetry.
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
		key[7] = uint64(plies)
	case k.limited:
		for i, x := range k.zobrist[len(image)+plies] {
			key[i] += x
		}
	}
	return key
}
