package agent

import (
	"runtime"

	"ludus/env"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/parallel"
)

// Limits on the agents that a goroutine runs at once.
const (
	// MaxBatched agents have enough leaves to fill batches, and their trees still fit into a core's cache.
	MaxBatched = 32
	// MaxMemoryBytes bounds the memory of the agents' trees and tables.
	MaxMemoryBytes = 128 << 20
)

// batchSize is the number of leaves for each thread in a full batch, the largest that an evaluator takes.
const batchSize = 32

// An evaluation cache has two entries per simulation, clamped to these bounds. At its maximum, a cache shared by one
// goroutine's games takes about 40 MB, and that of a single agent about 80 MB.
const (
	minCacheEntries       = 1 << 13
	maxSharedCacheEntries = 1 << 17
	maxSingleCacheEntries = 1 << 18
)

func cacheEntries(simulations, limit int) int { return min(max(2*simulations, minCacheEntries), limit) }

// Batchers holds a batcher, with a cache of evaluations, for each network that the agents of one goroutine play with, and
// each number of threads.
type Batchers struct {
	cacheEntries int // of each batcher
	list         []networkBatcher
}

type networkBatcher struct {
	*mcts.Batcher
	digest  string // of the network
	threads int
}

// NewBatchers returns the batchers for one goroutine. simulations estimates the total simulations of the games that it
// plays at once; it sets the size of the evaluation caches.
func NewBatchers(simulations int) *Batchers {
	return &Batchers{cacheEntries: cacheEntries(simulations, maxSharedCacheEntries)}
}

// forNetwork returns the batcher of a network that evaluates on so many threads, at most one for each core (0: one), and
// makes it on first use. Networks of equal digest share it.
func (b *Batchers) forNetwork(network *infer.Network, digest string, threads int) *mcts.Batcher {
	threads = max(1, min(threads, runtime.GOMAXPROCS(0)))
	for _, known := range b.list {
		if known.digest == digest && known.threads == threads {
			return known.Batcher
		}
	}
	batcher := mcts.NewBatcher(network.Game, newEvaluator(network, threads), batchSize*threads, b.cacheEntries)
	b.list = append(b.list, networkBatcher{batcher, digest, threads})
	return batcher
}

// newEvaluator returns an evaluator for batches of up to batchSize rows for each thread.
func newEvaluator(network *infer.Network, threads int) mcts.Evaluator {
	if threads == 1 {
		return network.NewEvaluator(batchSize)
	}
	p := &parallelEvaluator{run: parallel.Runner(threads)}
	for range threads {
		p.evaluators = append(p.evaluators, network.NewEvaluator(batchSize))
	}
	return p
}

// parallelEvaluator splits batches into equal parts, one for each evaluator, which it runs on goroutines of their own. As
// rows do not depend on each other, this does not affect results.
type parallelEvaluator struct {
	evaluators []*infer.Evaluator
	run        func(n int, do func(i int)) // see [parallel.Runner]
}

// Evaluate implements [mcts.Evaluator].
func (p *parallelEvaluator) Evaluate(states []env.State, logits, classes, goals []float32) {
	parts, rows := min(len(p.evaluators), len(states)), len(states)
	p.run(parts, func(i int) {
		first, end := i*rows/parts, (i+1)*rows/parts
		part := func(x []float32) []float32 { // nil stays nil
			size := len(x) / rows
			return x[first*size : end*size]
		}
		p.evaluators[i].Evaluate(states[first:end], part(logits), part(classes), part(goals))
	})
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
