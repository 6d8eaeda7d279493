package solver

import (
	"math/bits"

	"ludus/env"
)

// table is a hash table of fixed size: what it cannot hold it forgets, what cost least first.
type table struct {
	buckets [][4]entry // one cache line each
	age     uint8      // of what is written now
}

// entry is what is known of one position: First's class lies in [low, high]. It is 16 bytes.
type entry struct {
	check     uint64 // second hash of the position
	move      uint16 // best action known, in the canonical image; none where there is none
	low, high uint8
	work      uint8 // how many bits the number of nodes has that it took; 0 in an empty entry
	age       uint8
}

// none is no action.
const none = 1<<16 - 1

// bucketBytes is the size of a bucket.
const bucketBytes = 64

// hash is where a position stands in the table, and what tells it from others there.
type hash struct{ place, check uint64 }

// secrets are 16 words of SplitMix64 (Steele, Lea and Flood 2014).
var secrets = func() (words [2][8]uint64) {
	for i := range uint64(16) {
		x := (i + 1) * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		words[i/8][i%8] = x ^ x>>31
	}
	return words
}()

// hashOf mixes a key twice, with different secrets: the halves of a 128-bit product are folded into each other, pair by
// pair of words, as in wyhash (Wang Yi 2019).
func hashOf(k *env.Key) (h hash) {
	place, check := &secrets[0], &secrets[1]
	for i := 0; i < len(k); i += 2 {
		h.place = fold(k[i]^place[i], k[i+1]^place[i+1]^h.place)
		h.check = fold(k[i]^check[i], k[i+1]^check[i+1]^h.check)
	}
	return h
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// bucket is where a position's entry is, if it is anywhere.
func (t *table) bucket(h hash) *[4]entry {
	i, _ := bits.Mul64(h.place, uint64(len(t.buckets)))
	return &t.buckets[i]
}

// find returns the entry of a position, valid until the next store; nil if there is none.
func (t *table) find(h hash) *entry {
	b := t.bucket(h)
	for i := range b {
		if e := &b[i]; e.check == h.check && e.work > 0 {
			return e
		}
	}
	return nil
}

// store adds to what is known of a position: bounds, the best action if known, and the nodes it took.
func (t *table) store(h hash, low, high int, move uint16, nodes int) {
	work := uint8(min(bits.Len(uint(nodes)), 64))
	b := t.bucket(h)
	victim, least := &b[0], 1<<16
	for i := range b {
		e := &b[i]
		if e.check == h.check && e.work > 0 {
			e.low, e.high = max(e.low, uint8(low)), min(e.high, uint8(high))
			if move != none {
				e.move = move
			}
			e.work, e.age = max(e.work, work), t.age
			return
		}
		worth := int(e.work)
		if e.age == t.age {
			worth += 64 // what an earlier search left goes first
		}
		if worth < least {
			victim, least = e, worth
		}
	}
	*victim = entry{check: h.check, move: move, low: uint8(low), high: uint8(high), work: work, age: t.age}
}
