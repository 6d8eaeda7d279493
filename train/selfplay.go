package train

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/rundir"
)

const (
	// mostActive is how many slots a worker plays at once: as many as the network takes in one go, and few enough for
	// their trees to stay in a core's cache.
	mostActive = 32
	// cacheEntries is the size of each worker's cache of evaluations.
	cacheEntries = 1 << 15
)

// deal hands the slots of a generation to the workers, each to the first one that has room for it, since cores are seldom
// equally free.
type deal struct {
	slots []*slot
	plies int          // that each is to play
	begun atomic.Int64 // slots handed out, or more
}

// next returns a slot that has not begun the generation, or nil.
func (d *deal) next() *slot {
	i := d.begun.Add(1) - 1
	if i >= int64(len(d.slots)) {
		return nil
	}
	s := d.slots[i]
	s.left = d.plies
	return s
}

// worker plays slots, some at once, each until its plies of the generation are played. It owns all that they need for
// it: searches, evaluator, cache and batch. Workers meet only where a slot is dealt and at the end of the generation.
// What a slot plays depends neither on its worker nor on the other slots; how many evaluations the cache saves does.
type worker struct {
	game     *env.Game
	deal     *deal
	searches []*mcts.Search // of no active slot
	cache    *mcts.Cache    // or nil
	active   []*slot        // in the order of the batch
	states   []env.State    // what they wait for
	logits   []float32      // [searches, A]
	classes  []float32      // [searches, K]
	evals    int            // evaluations of this generation
	batches  int            // in which they were done
	busy     time.Duration  // time spent playing in this generation
}

// newWorkers makes at most threads workers for the slots, with a cache of so many entries each, or none.
func newWorkers(game *env.Game, settings *rundir.Settings, slots []*slot, threads, cacheEntries int) []*worker {
	workers := make([]*worker, min(threads, len(slots)))
	deal := &deal{slots: slots}
	for i := range workers {
		w := &worker{game: game, deal: deal}
		workers[i] = w
		if cacheEntries > 0 {
			w.cache = mcts.NewCache(cacheEntries)
		}
		active := min(mostActive, (len(slots)+len(workers)-1)/len(workers))
		for range active {
			w.searches = append(w.searches, newSearch(game, settings, w.cache))
		}
		w.logits = make([]float32, active*game.NumActions())
		w.classes = make([]float32, active*len(game.Classes))
	}
	return workers
}

func newSearch(game *env.Game, settings *rundir.Settings, cache *mcts.Cache) *mcts.Search {
	config := mcts.DefaultConfig()
	config.ValueScale = settings.ValueScale
	return mcts.New(game, config, cache)
}

// newEvaluator makes the evaluator of one worker, for batches of up to so many states.
type newEvaluator func(batch int) mcts.Evaluator

// playGeneration advances every slot by plies plies, one goroutine and one evaluator a worker, and returns when all have,
// or once ctx has ended, after the batch that each worker is at. It counts the plies played in progress.
func playGeneration(ctx context.Context, workers []*worker, evaluator newEvaluator, plies int,
	progress *atomic.Int64) error {
	deal := workers[0].deal
	deal.plies = plies
	deal.begun.Store(0)
	for _, w := range workers {
		if w.cache != nil {
			w.cache.Clear() // it holds the judgement of an older network
		}
	}
	return playOn(ctx, workers, evaluator, progress)
}

// playOn goes on with a generation that ctx had ended, by the same network.
func playOn(ctx context.Context, workers []*worker, evaluator newEvaluator, progress *atomic.Int64) error {
	var wait sync.WaitGroup
	for _, w := range workers {
		wait.Go(func() { w.play(ctx, evaluator(len(w.searches)+len(w.active)), progress) })
	}
	wait.Wait()
	return ctx.Err()
}

func (w *worker) play(ctx context.Context, evaluator mcts.Evaluator, progress *atomic.Int64) {
	start := time.Now()
	defer func() { w.busy = time.Since(start) }()
	for {
		progress.Add(int64(w.advance()))
		n := len(w.active)
		if n == 0 {
			return
		}
		evaluator.Evaluate(w.states, w.logits[:n*w.game.NumActions()], w.classes[:n*len(w.game.Classes)])
		w.evals += n
		w.batches++
		if ctx.Err() != nil {
			break
		}
	}
	for i, s := range w.active {
		w.backup(i, s)
	}
}

// advance gives the active slots what the last batch says of their leaves, and moves them, and others in the place of
// those that are done, on to their next leaves, which make the next batch. It returns the plies played.
func (w *worker) advance() (plies int) {
	active := w.active
	w.active, w.states = w.active[:0], w.states[:0]
	for i, s := range active {
		w.backup(i, s)
		plies += w.move(s)
	}
	for len(w.searches) > 0 {
		s, last := w.deal.next(), len(w.searches)-1
		if s == nil {
			break
		}
		s.search, w.searches = w.searches[last], w.searches[:last]
		plies += w.move(s)
	}
	return plies
}

// move moves a slot on to its next leaf, or takes its search back once its plies are played. It returns how many were.
func (w *worker) move(s *slot) (plies int) {
	before := s.left
	if s.advance() {
		w.active, w.states = append(w.active, s), append(w.states, s.search.Leaf(s.leaf))
	} else {
		s.search, w.searches = nil, append(w.searches, s.search)
	}
	return before - s.left
}

// backup gives the slot's leaf, if one waits, row i of the last batch.
func (w *worker) backup(i int, s *slot) {
	if s.waiting {
		actions, classes := w.game.NumActions(), len(w.game.Classes)
		s.search.Backup(s.leaf, w.logits[i*actions:(i+1)*actions], w.classes[i*classes:(i+1)*classes])
		s.waiting = false
	}
}
