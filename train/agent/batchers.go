package agent

import (
	"slices"

	"ludus/mcts"
	"ludus/model/infer"
)

// Limits on the agents that a goroutine runs at once.
const (
	// MaxBatched is enough for the agents' leaves to fill batches, and few enough for their trees to stay in a core's
	// cache.
	MaxBatched = 32
	// MaxMemoryBytes bounds the memory of the agents' trees and tables.
	MaxMemoryBytes = 128 << 20
)

// batchSize is how many leaves are evaluated together: as many as the network takes in one go.
const batchSize = 32

// A cache of evaluations has two entries for each simulation that it is to serve, within these bounds. The largest ones
// take some 40 MB for the games of a goroutine, and some 80 MB for an agent that searches alone.
const (
	minCacheEntries       = 1 << 13
	maxSharedCacheEntries = 1 << 17
	maxSingleCacheEntries = 1 << 18
)

func cacheEntries(simulations, most int) int { return min(max(2*simulations, minCacheEntries), most) }

// Batchers holds a batcher, with a cache of evaluations, for each network that the agents of one goroutine play with.
type Batchers struct {
	cacheEntries int // of each batcher
	digests      []string
	list         []*mcts.Batcher // by digest
}

// NewBatchers returns the batchers of a goroutine whose agents run about the given number of simulations in all.
func NewBatchers(simulations int) *Batchers {
	return &Batchers{cacheEntries: cacheEntries(simulations, maxSharedCacheEntries)}
}

// of returns the batcher of a network. Equal networks share one, wherever they were loaded from.
func (b *Batchers) of(network *infer.Network, digest string) *mcts.Batcher {
	i := slices.Index(b.digests, digest)
	if i < 0 {
		i = len(b.list)
		b.list = append(b.list, mcts.NewBatcher(network.Game(), network.NewEvaluator(batchSize), batchSize, b.cacheEntries))
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
