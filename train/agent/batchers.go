package agent

import (
	"slices"

	"ludus/mcts"
	"ludus/model/infer"
)

// Limits on the agents that a goroutine runs at once.
const (
	// MaxBatched agents have enough leaves to fill batches, and their trees still fit into a core's cache.
	MaxBatched = 32
	// MaxMemoryBytes bounds the memory of the agents' trees and tables.
	MaxMemoryBytes = 128 << 20
)

// batchSize is the number of leaves in a full batch, the largest that an evaluator takes.
const batchSize = 32

// An evaluation cache has two entries per simulation, clamped to these bounds. At its maximum, a cache shared by one
// goroutine's games takes about 40 MB, and that of a single agent about 80 MB.
const (
	minCacheEntries       = 1 << 13
	maxSharedCacheEntries = 1 << 17
	maxSingleCacheEntries = 1 << 18
)

func cacheEntries(simulations, limit int) int { return min(max(2*simulations, minCacheEntries), limit) }

// Batchers holds a batcher, with a cache of evaluations, for each network that the agents of one goroutine play with.
type Batchers struct {
	cacheEntries int // of each batcher
	digests      []string
	list         []*mcts.Batcher // in the order of digests
}

// NewBatchers returns the batchers for one goroutine. simulations estimates the total simulations of the games that it
// plays at once; it sets the size of the evaluation caches.
func NewBatchers(simulations int) *Batchers {
	return &Batchers{cacheEntries: cacheEntries(simulations, maxSharedCacheEntries)}
}

// forNetwork returns the batcher of a network, and makes one on first use. Networks of equal digest share it.
func (b *Batchers) forNetwork(network *infer.Network, digest string) *mcts.Batcher {
	i := slices.Index(b.digests, digest)
	if i < 0 {
		i = len(b.list)
		b.list = append(b.list, mcts.NewBatcher(network.Game, network.NewEvaluator(batchSize), batchSize, b.cacheEntries))
		b.digests = append(b.digests, digest)
	}
	return b.list[i]
}

// Flush evaluates pending leaves: those that fill whole batches, or all of them if no batch is full.
func (b *Batchers) Flush() {
	full := false
	for _, batcher := range b.list {
		full = batcher.FlushFull() || full
	}
	if full {
		return
	}
	for _, batcher := range b.list {
		batcher.Flush()
	}
}

// clear forgets all pending leaves. Their agents need a Reset.
func (b *Batchers) clear() {
	for _, batcher := range b.list {
		batcher.Clear()
	}
}
