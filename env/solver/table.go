package solver

import (
	"math/bits"

	"ludus/env"
)

// table is a transposition table of fixed size. A full bucket replaces the entry of least work, earlier calls' first.
type table struct {
	buckets [][4]entry // one cache line each
	age     uint8      // number of the current call
	used    []int      // buckets with new entries since the last clear; all buckets count as used if it is full
}

// usedShare is the reciprocal of the share of the buckets that table.used can list. Clearing more of them one by one
// would take longer than clearing all.
const usedShare = 64

func newTable(tableBytes int) table {
	n := max(1, tableBytes/bucketBytes)
	return table{buckets: make([][4]entry, n), used: make([]int, 0, 1+n/usedShare)}
}

// clear empties the table. It takes little time if there are few entries.
func (t *table) clear() {
	if len(t.used) == cap(t.used) {
		clear(t.buckets)
	} else {
		for _, i := range t.used {
			t.buckets[i] = [4]entry{}
		}
	}
	t.used, t.age = t.used[:0], 0
}

// entry holds bounds of one position: First's class lies in [low, high]. It is 16 bytes.
type entry struct {
	check     uint64 // second hash of the position
	move      uint16 // best action known, in the canonical image, or noMove
	low, high uint8
	work      uint8 // bit length of the number of nodes searched for the bounds; 0 in an empty entry
	age       uint8 // table.age at the last call that wrote the entry
}

const (
	noMove      = 1<<16 - 1 // entry.move if no best action is known
	bucketBytes = 64        // size of [4]entry
)

// hash identifies a position: place selects its bucket, check distinguishes it from others there.
type hash struct{ place, check uint64 }

// secrets are 16 pseudo-random words, made by SplitMix64 (Steele, Lea and Flood 2014).
var secrets = func() (words [2][8]uint64) {
	for i := range uint64(16) {
		x := (i + 1) * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		words[i/8][i%8] = x ^ x>>31
	}
	return words
}()

// hashOf hashes a key with two sets of secrets. It folds in the words two at a time, as wyhash does (Wang Yi 2019).
func hashOf(k *env.Key) (h hash) {
	place, check := &secrets[0], &secrets[1]
	for i := 0; i < len(k); i += 2 {
		h.place = fold(k[i]^place[i], k[i+1]^place[i+1]^h.place)
		h.check = fold(k[i]^check[i], k[i+1]^check[i+1]^h.check)
	}
	return h
}

// fold multiplies a and b and returns the exclusive or of the product's halves.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// bucket returns the index of a position's bucket.
func (t *table) bucket(h hash) int {
	i, _ := bits.Mul64(h.place, uint64(len(t.buckets)))
	return int(i)
}

// find returns the entry of a position, valid until the next store, or nil.
func (t *table) find(h hash) *entry {
	b := &t.buckets[t.bucket(h)]
	for i := range b {
		if e := &b[i]; e.check == h.check && e.work > 0 {
			return e
		}
	}
	return nil
}

// store narrows the bounds of a position to those given and sets its best action, unless move is noMove. nodes is the
// number of nodes that were searched for them.
func (t *table) store(h hash, low, high int, move uint16, nodes int) {
	work := uint8(min(bits.Len(uint(nodes)), 64))
	bucket := t.bucket(h)
	b := &t.buckets[bucket]
	victim, least := &b[0], 1<<16
	for i := range b {
		e := &b[i]
		if e.check == h.check && e.work > 0 {
			e.low, e.high = max(e.low, uint8(low)), min(e.high, uint8(high))
			if move != noMove {
				e.move = move
			}
			e.work, e.age = max(e.work, work), t.age
			return
		}
		worth := int(e.work)
		if e.age == t.age {
			worth += 64 // entries of earlier calls are replaced first
		}
		if worth < least {
			victim, least = e, worth
		}
	}
	if len(t.used) < cap(t.used) {
		t.used = append(t.used, bucket)
	}
	*victim = entry{check: h.check, move: move, low: uint8(low), high: uint8(high), work: work, age: t.age}
}
