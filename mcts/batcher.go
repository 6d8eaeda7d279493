package mcts

import "ludus/env"

// Evaluator evaluates B positions: usually a network. It fills logits [B, A], unmasked, for the A actions of the game;
// classes [B, K], the probabilities of its K outcome classes; and goals [B, 2], the expected goals / 100 with the
// mover's own first, which is nil for games without [env.Game.GoalHead]. All are in the frame of each position's player
// to move. The states are not done. Evaluate neither changes nor retains them. A row depends on its own state alone.
type Evaluator interface {
	Evaluate(states []env.State, logits, classes, goals []float32)
}

// Uniform is an [Evaluator] that knows nothing: equal logits, equal class probabilities, utility 0, goals 0.
type Uniform struct{}

// Evaluate implements [Evaluator].
func (Uniform) Evaluate(states []env.State, logits, classes, goals []float32) {
	clear(logits)
	clear(goals)
	share := float32(len(states)) / float32(len(classes))
	for i := range classes {
		classes[i] = share
	}
}

// Batcher evaluates the pending leaves of any number of searches in batches and backs them up. [Search.Step] adds a
// leaf; [Batcher.Flush] evaluates. As the rows of a batch are independent, batching does not affect results.
//
// A Batcher belongs to one goroutine and to one game. It may cache evaluations for all its searches.
type Batcher struct {
	game      *env.Game
	evaluator Evaluator
	cache     *cache // cached evaluations; nil without a cache
	size      int    // largest number of rows in a batch
	pending   []pendingLeaf
	states    []env.State // [rows] of the current batch
	logits    []float32   // [size, A]
	classes   []float32   // [size, K]
	goals     []float32   // [size, 2], or nil
	stats     BatcherStats
}

// pendingLeaf is a position that waits for its evaluation.
type pendingLeaf struct {
	search *Search
	leaf   int       // index in search.round
	state  env.State // the leaf's
}

// BatcherStats count what a [Batcher] has done since the last [Batcher.TakeStats].
type BatcherStats struct {
	Evaluations int // positions evaluated
	Batches     int
	CacheHits   int // evaluations found in the cache
}

// NewBatcher returns a batcher that evaluates at most size positions (1 or more) at once, with a cache of the given
// number of entries; 0 means no cache. A used entry takes about 100 bytes, plus 4 for each legal move and class.
func NewBatcher(game *env.Game, evaluator Evaluator, size, cacheEntries int) *Batcher {
	b := &Batcher{
		game: game, evaluator: evaluator, size: size,
		logits: make([]float32, size*game.NumActions()), classes: make([]float32, size*len(game.Classes)),
	}
	if game.GoalHead {
		b.goals = make([]float32, 2*size)
	}
	if cacheEntries > 0 {
		b.cache = newCache(cacheEntries)
	}
	return b
}

// SetEvaluator replaces the evaluator, whose network has changed, and empties the cache.
func (b *Batcher) SetEvaluator(evaluator Evaluator) {
	b.evaluator = evaluator
	if b.cache != nil {
		b.cache.clear()
	}
}

// GrowCache gives the cache, if there is one, at least the given number of entries. It keeps the cached evaluations.
func (b *Batcher) GrowCache(entries int) {
	if b.cache != nil {
		b.cache.grow(entries)
	}
}

// TakeStats returns the counts since its last call.
func (b *Batcher) TakeStats() BatcherStats {
	stats := b.stats
	b.stats = BatcherStats{}
	return stats
}

// Clear forgets the pending leaves. Their searches must begin anew with [Search.Start].
func (b *Batcher) Clear() {
	for i := range b.pending {
		b.pending[i].search.dropRound()
	}
	b.pending = b.pending[:0]
}

// Flush evaluates all pending leaves, in the order they were added, and backs them up.
func (b *Batcher) Flush() { b.flush(len(b.pending)) }

// FlushFull is Flush for the first pending leaves that fill whole batches. It reports whether there were any.
func (b *Batcher) FlushFull() bool {
	full := len(b.pending) - len(b.pending)%b.size
	b.flush(full)
	return full > 0
}

// flush evaluates the first count pending leaves and passes the evaluations to their searches.
func (b *Batcher) flush(count int) {
	A, K := b.game.NumActions(), len(b.game.Classes)
	for first := 0; first < count; first += b.size {
		batch := b.pending[first:min(first+b.size, count)]
		n := len(batch)
		b.states = b.states[:0]
		for i := range batch {
			b.states = append(b.states, batch[i].state)
		}
		goals := b.goals[:min(2*n, len(b.goals))] // nil without a goal head
		b.evaluator.Evaluate(b.states, b.logits[:n*A], b.classes[:n*K], goals)
		for i := range batch {
			row := evaluation{logits: b.logits[i*A : (i+1)*A], classes: b.classes[i*K : (i+1)*K]}
			if goals != nil {
				row.goals = goals[2*i : 2*i+2]
			}
			batch[i].search.receive(b, &batch[i], row)
		}
		b.stats.Evaluations += n
		b.stats.Batches++
	}
	b.pending = b.pending[:copy(b.pending, b.pending[count:])]
}

// evaluation is an evaluator's answer for one position, in the frame of its player to move.
type evaluation struct {
	logits  []float32 // [A] unmasked
	classes []float32 // [K] probabilities
	goals   []float32 // [2] expected goals / 100, own first; nil without a goal head
}
