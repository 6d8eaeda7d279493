package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gorgonia.org/gorgonia"

	"ludus/env"
	"ludus/model/infer"
)

// ErrDiverged is wrapped by errors about losses or gradients that are no finite numbers.
var ErrDiverged = errors.New("training diverged")

// Config are the settings of learning that stay the same for a whole run.
type Config struct {
	// Decay is the decoupled weight decay per unit of rate: a step multiplies weights by 1 - rate Decay. 0..1; default
	// 0.01, as AdamW's paper suggests.
	Decay float64
	// Clip is the largest norm of the gradient over all parameters; default 1. Above 0.
	Clip float64
	// GoalWeight is the weight of the goals' squared error, where the game has a goal head. At least 0; default 0.1.
	GoalWeight float64
	// Beta1 and Beta2 are the memories of Adam's moments, in [0, 1); default 0.9 and 0.999, as in the paper.
	Beta1, Beta2 float64
	// Eps keeps Adam's denominator from zero. Above 0; default 1e-8, as in the paper.
	Eps float64
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{Decay: 0.01, Clip: 1, GoalWeight: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
}

// Validate reports everything that is wrong with the config.
func (c Config) Validate() error {
	var errs []error
	check := func(name string, value float64, ok bool, want string) {
		if !ok || math.IsNaN(value) || math.IsInf(value, 0) {
			errs = append(errs, fmt.Errorf("%s is %v; it must be %s", name, value, want))
		}
	}
	check("decay", c.Decay, c.Decay >= 0 && c.Decay <= 1, "in 0..1")
	check("clip", c.Clip, c.Clip > 0, "above 0")
	check("goal weight", c.GoalWeight, c.GoalWeight >= 0, "at least 0")
	check("beta1", c.Beta1, c.Beta1 >= 0 && c.Beta1 < 1, "in [0, 1)")
	check("beta2", c.Beta2, c.Beta2 >= 0 && c.Beta2 < 1, "in [0, 1)")
	check("eps", c.Eps, c.Eps > 0, "above 0")
	return errors.Join(errs...)
}

// Trainer fits a network to batches. It has one user at a time, whose goroutines it borrows through the function
// parallel.
type Trainer struct {
	game     *env.Game
	parallel func(n int, do func(i int))

	live    *parameters   // what the gradient steps change
	average [][]float32   // their moving average
	weights infer.Weights // names and shapes, for copies of either
	solver  *adamW

	model     []gorgonia.ValueGrad // live values and summed gradients
	gradients [][][]float32        // [shard][parameter]; shard 0 takes the sum
	training  pool
	judging   pool

	// What the parts of the run being done share.
	batch   *Batch
	graphs  *pool
	results []result        // one a shard
	shard   func(shard int) // the method runShard, bound once
}

// result is what a shard came to.
type result struct {
	losses Losses
	err    error
}

// NewTrainer returns a trainer that starts from a copy of w. parallel calls do(0) to do(n-1), possibly at the same
// time, and returns when all are done; nil runs them one after another. Results do not depend on it.
func NewTrainer(
	game *env.Game, w *infer.Weights, config Config, parallel func(n int, do func(i int)),
) (*Trainer, error) {
	if err := errors.Join(config.Validate(), w.Validate(game)); err != nil {
		return nil, fmt.Errorf("trainer: %w", err)
	}
	if parallel == nil {
		parallel = func(n int, do func(i int)) {
			for i := range n {
				do(i)
			}
		}
	}
	t := &Trainer{game: game, parallel: parallel, live: newParameters(w), weights: *w.Clone()}
	t.average = newParameters(w).values
	t.solver = newAdamW(config, t.live, t.average, parallel, t.addShards)
	t.gradients = [][][]float32{t.live.zeros()}
	for i, v := range t.live.values {
		t.model = append(t.model, parameter{t.live.dense(i, v), t.live.dense(i, t.gradients[0][i])})
	}
	t.training.make = func() *graph { return newGraph(game, t.live, config.GoalWeight, true) }
	t.judging.make = func() *graph { return newGraph(game, t.live, config.GoalWeight, false) }
	t.shard = t.runShard
	return t, nil
}

// Step does one update at the given rate and returns the losses before it. A loss or gradient that is not finite is an
// error that wraps [ErrDiverged] and changes nothing. After the first steps of a size it allocates nothing.
func (t *Trainer) Step(b *Batch, rate float64) (Losses, error) {
	for len(t.gradients) < shards(b) {
		t.gradients = append(t.gradients, t.live.zeros())
	}
	losses, err := t.run(b, &t.training)
	if err != nil {
		return losses, err
	}
	t.solver.rate = rate
	return losses, t.solver.Step(t.model)
}

// Loss returns the losses of a batch and changes nothing.
func (t *Trainer) Loss(b *Batch) (Losses, error) { return t.run(b, &t.judging) }

func shards(b *Batch) int { return (b.Size + shardRows - 1) / shardRows }

// run puts a batch through graphs of the pool, shard by shard, and sums the losses in the shards' order. Gradients stay
// in t.gradients.
func (t *Trainer) run(b *Batch, graphs *pool) (Losses, error) {
	if !b.fits(t.game) {
		panic("model: batch of another size or game")
	}
	n := shards(b)
	t.results = slices.Grow(t.results[:0], n)[:n]
	t.batch, t.graphs = b, graphs
	t.parallel(n, t.shard)
	t.batch, t.graphs = nil, nil
	var sum Losses
	for _, r := range t.results[:n] {
		if r.err != nil {
			return sum, r.err
		}
		sum.add(r.losses)
	}
	if math.IsNaN(sum.Total) || math.IsInf(sum.Total, 0) {
		return sum, fmt.Errorf("%w: the loss is %v", ErrDiverged, sum.Total)
	}
	return sum, nil
}

// runShard runs shard i of the batch.
func (t *Trainer) runShard(i int) {
	g := t.graphs.take()
	n := len(t.results)
	first, next := i*t.batch.Size/n, (i+1)*t.batch.Size/n
	losses, err := g.run(t.batch, first, next-first)
	t.results[i] = result{losses, err}
	if g.gradients != nil {
		g.copyGradients(t.gradients[i])
	}
	t.graphs.put(g)
}

// addShards adds the gradients of all shards, in their order, for a piece of the parameters.
func (t *Trainer) addShards(p piece) {
	sum := p.of(t.gradients[0])
	for _, shard := range t.gradients[1:len(t.results)] {
		for j, v := range p.of(shard)[:len(sum)] {
			sum[j] += v
		}
	}
}

// Weights returns a copy of the weights that the steps change.
func (t *Trainer) Weights() *infer.Weights { return t.copyOf(t.live.values) }

// Average returns a copy of the moving average of the weights over the last 5 % of the steps, 20 at least: the network
// to play with. Before the first step it is the weights themselves.
func (t *Trainer) Average() *infer.Weights { return t.copyOf(t.average) }

func (t *Trainer) copyOf(values [][]float32) *infer.Weights {
	w := t.weights.Clone()
	for i := range w.Tensors {
		copy(w.Tensors[i].Data, values[i])
	}
	return w
}

// Steps is the number of updates so far.
func (t *Trainer) Steps() int { return t.solver.steps }

// Close frees the graphs. The trainer must not be used afterwards.
func (t *Trainer) Close() error { return errors.Join(t.training.close(), t.judging.close()) }

// pool holds idle graphs, and makes more when it has none: as many as are ever used at the same time.
type pool struct {
	make  func() *graph
	mutex sync.Mutex
	idle  []*graph
}

func (p *pool) take() *graph {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if n := len(p.idle); n > 0 {
		g := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return g
	}
	return p.make()
}

func (p *pool) put(g *graph) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.idle = append(p.idle, g)
}

func (p *pool) close() error {
	var errs []error
	for _, g := range p.idle {
		errs = append(errs, g.vm.Close())
	}
	p.idle = nil
	return errors.Join(errs...)
}
