package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"ludus/env"
	"ludus/model/infer"
)

// ErrDiverged means that a loss or gradient is not a finite number. Errors wrap it.
var ErrDiverged = errors.New("training diverged")

// Config holds the training settings that do not change during a run.
type Config struct {
	// WeightDecay is the decoupled weight decay of Muon and AdamW: a step multiplies weights by 1 - rate*WeightDecay.
	// Range 0..1, default 0.01 as in AdamW's paper.
	WeightDecay float64
	// GoalWeight is the weight of the goals' squared error, for games with a goal head. At least 0, default 0.1.
	GoalWeight float64
	// ReplyWeight is the weight of the loss of the reply. At least 0, default 0.15 as in KataGo.
	ReplyWeight float64
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config { return Config{WeightDecay: 0.01, GoalWeight: 0.1, ReplyWeight: 0.15} }

// Trainer trains a network on batches. One goroutine may use it at a time; it runs work on others through parallel.
type Trainer struct {
	game     *env.Game // of its weights
	sizes    []*size
	parallel func(n int, do func(i int))

	params     *parameters
	optimizer  *optimizer
	gradients  [][]float32 // [parameter] of the last step
	reductions []reduction
	ones       []float32 // a 1 for each part of a batch, see reduction.run

	scratches pool[scratch]

	// The state of the current batch.
	batch  *Batch
	size   *size
	graphs *pool[graph] // those of the size with or without gradients
	losses []Losses     // losses of each part of the batch
	beside []func()     // tasks to run after the parts

	// Methods, bound once to save allocations.
	prepareFunc, partFunc, reduceFunc func(i int)
}

// NewTrainer returns a trainer that starts from a copy of w. sizes are the games of its batches, see [CheckSizes].
// parallel calls do(0) to do(n-1), possibly concurrently, and returns when all are done. Results do not depend on it.
func NewTrainer(
	sizes []*env.Game, w *infer.Weights, config Config, parallel func(n int, do func(i int)),
) (*Trainer, error) {
	if err := CheckSizes(sizes, w); err != nil {
		return nil, fmt.Errorf("trainer: %w", err)
	}
	t := &Trainer{game: sizes[len(sizes)-1], parallel: parallel, params: newParameters(w)}
	for _, game := range sizes {
		t.sizes = append(t.sizes, newSize(game, t.params, config))
	}
	t.gradients, t.reductions = t.params.zeros(), t.params.reductions()
	t.optimizer = newOptimizer(config, t.params, parallel)
	t.scratches.make = func() *scratch { return new(scratch) }
	t.prepareFunc, t.partFunc, t.reduceFunc = t.prepare, t.runPart, t.reduce
	return t, nil
}

// Step does one optimizer step with the given learning rate on a batch of one of the trainer's games and returns the
// losses before it. If a loss or gradient is not finite, it returns an error that wraps [ErrDiverged] and changes
// nothing. A batch of another game is an error, too. After the first steps with a game and batch size it allocates
// nothing. beside are further tasks to run concurrently with those of the step; they use neither the trainer nor b.
func (t *Trainer) Step(b *Batch, rate float64, beside ...func()) (Losses, error) {
	t.beside = beside
	losses, err := t.computeGradients(b)
	if err != nil {
		return losses, err
	}
	return losses, t.optimizer.step(rate, t.gradients)
}

// computeGradients returns the losses of a batch and leaves their gradients in t.gradients.
func (t *Trainer) computeGradients(b *Batch) (Losses, error) {
	for len(t.ones) < parts(b) {
		t.ones = append(t.ones, 1)
	}
	t.params.reserve(parts(b))
	losses, err := t.run(b, true) // with gradients
	if err == nil {
		t.parallel(len(t.reductions), t.reduceFunc)
	}
	return losses, err
}

// Losses returns the losses of a batch of one of the trainer's games without training on it.
func (t *Trainer) Losses(b *Batch) (Losses, error) { return t.run(b, false) } // without gradients

// parts is the number of parts of a batch.
func parts(b *Batch) int { return (b.Size + partRows - 1) / partRows }

// run runs each part of a batch on a graph of its game, with or without gradients, and adds the losses in the parts'
// order.
func (t *Trainer) run(b *Batch, withGradients bool) (Losses, error) {
	i := slices.IndexFunc(t.sizes, func(s *size) bool { return s.game.Name == b.Game.Name })
	if i < 0 {
		t.beside = nil
		return Losses{}, fmt.Errorf("trainer: a batch of %s; this trainer was not made for it", b.Game.Name)
	}
	n := parts(b)
	t.losses = slices.Grow(t.losses[:0], n)[:n]
	t.batch, t.size, t.graphs = b, t.sizes[i], &t.sizes[i].lossGraphs
	if withGradients {
		t.graphs = &t.size.stepGraphs
	}
	t.parallel(len(t.size.prepare), t.prepareFunc)
	t.parallel(n+len(t.beside), t.partFunc)
	t.batch, t.size, t.graphs, t.beside = nil, nil, nil, nil
	var sum Losses
	for _, l := range t.losses {
		sum.add(l)
	}
	if math.IsNaN(sum.Total) || math.IsInf(sum.Total, 0) {
		return sum, fmt.Errorf("%w: the loss is %v", ErrDiverged, sum.Total)
	}
	return sum, nil
}

// prepare runs task i of a step's first round, which updates something derived from the weights, such as a Winograd
// transform.
func (t *Trainer) prepare(i int) {
	s := t.scratches.take()
	t.size.prepare[i](&s.kernel)
	t.scratches.put(s)
}

// runPart runs part i of the batch on a graph of the pool. It stores the losses and, if computed, the gradients. After
// the parts come the tasks of t.beside.
func (t *Trainer) runPart(i int) {
	n := len(t.losses)
	if i >= n {
		t.beside[i-n]()
		return
	}
	g := t.graphs.take()
	first, next := i*t.batch.Size/n, (i+1)*t.batch.Size/n
	t.losses[i] = g.run(t.batch, first, next-first, t.params.leaves, i)
	t.graphs.put(g)
}

// reduce runs reduction i: it adds up the gradients of the parts for some parameters.
func (t *Trainer) reduce(i int) {
	s := t.scratches.take()
	t.reductions[i].run(&s.kernel, t.ones[:len(t.losses)], t.gradients)
	t.scratches.put(s)
}

// AverageWeights returns a copy of the moving average (EMA) of the weights over the last 5 % of the steps, at least 20:
// the network to play with. Before the first step it equals the weights.
func (t *Trainer) AverageWeights() *infer.Weights {
	w := t.params.weights.Clone()
	for i := range w.Tensors {
		copy(w.Tensors[i].Data, t.optimizer.average[i])
	}
	return w
}

// Steps is the number of optimizer steps so far.
func (t *Trainer) Steps() int { return t.optimizer.steps }

// pool holds idle things, such as graphs, and makes new ones when all are in use.
type pool[T any] struct {
	make  func() *T
	mutex sync.Mutex
	idle  []*T
}

// take returns an idle thing or, if there is none, a new one. The caller gives it back by put.
func (p *pool[T]) take() *T {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if n := len(p.idle); n > 0 {
		x := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return x
	}
	return p.make()
}

func (p *pool[T]) put(x *T) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.idle = append(p.idle, x)
}
