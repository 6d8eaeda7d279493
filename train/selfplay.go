package train

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ludus/env"
	"ludus/mcts"
)

// cacheEntries is the size of each worker's cache of evaluations.
const cacheEntries = 1 << 15

// worker owns some of the slots for a generation, with all that they share: evaluator, cache and batch. No lock, no
// channel: workers meet only at the end of the generation.
type worker struct {
	game    *env.Game
	slots   []*slot
	cache   *mcts.Cache   // or nil
	active  []*slot       // those with plies left to play in this generation, in the order of the batch
	states  []env.State   // what they wait for
	logits  []float32     // [slots, A]
	classes []float32     // [slots, K]
	evals   int           // evaluations of this generation
	batches int           // in which they were done
	busy    time.Duration // time spent playing in this generation
}

// newWorkers deals the slots to at most threads workers and gives each slot its search, with a cache of so many entries
// a worker, or none. What a slot plays depends neither on its worker nor on the cache.
func newWorkers(game *env.Game, settings *Settings, slots []*slot, threads, cacheEntries int) []*worker {
	config := mcts.DefaultConfig()
	config.ValueScale = settings.ValueScale
	config.Leaves = 1
	workers := make([]*worker, min(threads, len(slots)))
	for i := range workers {
		workers[i] = &worker{game: game}
		if cacheEntries > 0 {
			workers[i].cache = mcts.NewCache(cacheEntries)
		}
	}
	for i, s := range slots {
		w := workers[i%len(workers)]
		s.search = mcts.New(game, config, w.cache)
		w.slots = append(w.slots, s)
	}
	for _, w := range workers {
		w.logits = make([]float32, len(w.slots)*game.NumActions())
		w.classes = make([]float32, len(w.slots)*len(game.Classes))
	}
	return workers
}

// newEvaluator makes the evaluator of one worker, for batches of up to so many states.
type newEvaluator func(batch int) mcts.Evaluator

// playGeneration advances every slot by plies plies, one goroutine and one evaluator a worker, and returns when all have
// or ctx has ended. It counts the plies played in progress.
func playGeneration(ctx context.Context, workers []*worker, evaluator newEvaluator, plies int,
	progress *atomic.Int64) error {
	var wait sync.WaitGroup
	for _, w := range workers {
		wait.Go(func() { w.play(ctx, evaluator(len(w.slots)), plies, progress) })
	}
	wait.Wait()
	return ctx.Err()
}

func (w *worker) play(ctx context.Context, evaluator mcts.Evaluator, plies int, progress *atomic.Int64) {
	start := time.Now()
	defer func() { w.busy = time.Since(start) }()
	if w.cache != nil {
		w.cache.Clear() // it holds the judgement of an older network
	}
	for _, s := range w.slots {
		s.left = plies
	}
	w.active = append(w.active[:0], w.slots...)
	for ctx.Err() == nil {
		progress.Add(int64(w.advance()))
		n := len(w.active)
		if n == 0 {
			return
		}
		evaluator.Evaluate(w.states, w.logits[:n*w.game.NumActions()], w.classes[:n*len(w.game.Classes)])
		w.evals += n
		w.batches++
	}
	for i, s := range w.active {
		w.backup(i, s)
	}
}

// advance gives the active slots what the last batch says of their leaves, moves them on to the next leaves, which are
// the states of the next batch, and returns the plies played. It touches each slot once, since the slots together are
// larger than a core's cache.
func (w *worker) advance() (plies int) {
	active := w.active
	w.active, w.states = w.active[:0], w.states[:0]
	for i, s := range active {
		w.backup(i, s)
		plies += s.left
		if s.advance() {
			w.active = append(w.active, s)
			w.states = append(w.states, s.search.Leaf(s.leaf))
		}
		plies -= s.left
	}
	return plies
}

// backup gives the slot's leaf, if one waits, row i of the last batch.
func (w *worker) backup(i int, s *slot) {
	if s.waiting {
		actions, classes := w.game.NumActions(), len(w.game.Classes)
		s.search.Backup(s.leaf, w.logits[i*actions:(i+1)*actions], w.classes[i*classes:(i+1)*classes])
		s.waiting = false
	}
}
