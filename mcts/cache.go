package mcts

import (
	"math/bits"

	"ludus/env"
)

// Cache remembers evaluations by whole positions. It has a fixed number of entries, a newer one replacing an older one
// that falls in the same place; the hash only finds the place, so that a search never depends on what the cache holds.
//
// A cache belongs to one goroutine and to one network: clear it when the weights change. All searches of the goroutine
// may share it, as long as they are of one game.
//
// Left out: keys that are the least over a game's symmetries, positions being turned to match before they are evaluated.
// In self-play with 16 simulations, generations of 8 plies and networks of a minute's training they would raise the share
// of hits from 50 to 64 % in quad-5x5, but only from 8.0 to 9.5 % in quad-7x7, 23.8 to 24.5 % in Breakthrough, 27.3 to
// 28.5 % in Golden Rectangle and 27.4 to 30.3 % in Free-For-All. A least key took 25 to 270 ns, an evaluation 8 to 25 us:
// by that, 20 % more positions a second in quad-5x5 and 0.4 to 3.4 % in the others, less what turning tensors and logits
// costs. Four times the entries would make up to 1 % more, and 0.6 to 4.4 % in generations of 64 plies.
type Cache struct {
	entries      []cacheEntry
	hits, misses uint64
}

type cacheEntry struct {
	key    env.Key
	used   bool
	legal  int       // number of legal moves
	values []float32 // their logits, ascending by action, then the class probabilities, both as the evaluator gave them
}

// NewCache returns an empty cache of the given number of entries, at least 1. An entry takes some 100 bytes and 4 for
// each legal move and class, once it is used.
func NewCache(entries int) *Cache {
	if entries < 1 {
		panic("mcts: cache without entries")
	}
	return &Cache{entries: make([]cacheEntry, entries)}
}

// Grow gives the cache so many entries, if it has fewer, and keeps the evaluations that it holds.
func (c *Cache) Grow(entries int) {
	if entries <= len(c.entries) {
		return
	}
	old := c.entries
	c.entries = make([]cacheEntry, entries)
	for i := range old {
		if old[i].used {
			*c.entry(&old[i].key) = old[i]
		}
	}
}

// Clear forgets all evaluations and keeps the memory and the counters.
func (c *Cache) Clear() {
	for i := range c.entries {
		c.entries[i].used = false
	}
}

// Counters returns how many evaluations were asked for and found, and asked for in vain, since NewCache.
func (c *Cache) Counters() (hits, misses uint64) { return c.hits, c.misses }

func (c *Cache) entry(key *env.Key) *cacheEntry {
	place, _ := bits.Mul64(key.Hash(), uint64(len(c.entries)))
	return &c.entries[place]
}

// get returns the logits of the legal moves and the class probabilities of a position; they are the cache's.
func (c *Cache) get(key *env.Key) (logits, classes []float32, ok bool) {
	e := c.entry(key)
	if !e.used || e.key != *key {
		c.misses++
		return nil, nil, false
	}
	c.hits++
	return e.values[:e.legal], e.values[e.legal:], true
}

func (c *Cache) put(key *env.Key, logits, classes []float32) {
	e := c.entry(key)
	e.key, e.used, e.legal = *key, true, len(logits)
	e.values = append(append(e.values[:0], logits...), classes...)
}
