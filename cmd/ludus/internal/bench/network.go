package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
)

// Net is the size of a network: channels and residual blocks.
type Net struct{ Channels, Blocks int }

func (n Net) String() string { return fmt.Sprintf("%dx%d", n.Channels, n.Blocks) }

// Config returns the configuration of a network of this size for a game.
func (n Net) Config(game *env.Game) infer.Config {
	return infer.Config{Game: game.Name, Channels: n.Channels, Blocks: n.Blocks}
}

// subject is a network to measure, given by its game and size.
type subject struct {
	game *env.Game
	net  Net
}

func (s subject) String() string { return s.net.String() + " on " + s.board() }

// board formats the size of the board as COLUMNSxROWS.
func (s subject) board() string { return fmt.Sprintf("%dx%d", s.game.Tensor.W, s.game.Tensor.H) }

// weights returns random weights, the same at each call.
func (s subject) weights() *infer.Weights {
	return infer.NewWeights(s.game, s.net.Config(s.game), newRand())
}

// operations counts the floating-point operations of a forward pass for one position (see the package comment).
func (s subject) operations() float64 {
	perCell := []string{"policy.hidden.weight", "policy.planes.weight", "outcome.cells.weight"}
	sum := 0
	for _, t := range s.weights().Tensors {
		switch {
		case len(t.Shape) == 4 || slices.Contains(perCell, t.Name) || len(t.Shape) == 2 && strings.HasPrefix(t.Name, "blocks."):
			sum += 2 * len(t.Data) * s.game.Tensor.Cells()
		case len(t.Shape) == 2:
			sum += 2 * len(t.Data)
		}
	}
	return float64(sum)
}

var inferBatches = []int{1, 8, 32, 64}

// task is a repeated pass of a batch of positions through a network.
type task struct {
	batch, threads int
	do             func() int // processes one batch and returns its size
}

// measureTasks measures tasks on a network. A batch of a task counts as `passes` forward passes.
func (o *Options) measureTasks(ctx context.Context, sub subject, passes float64, tasks []task) ([]Network, error) {
	works := []work{peak}
	for _, t := range tasks {
		works = append(works, loop(t.threads, t.do))
	}
	s, err := o.measure(ctx, works...)
	if err != nil {
		return nil, err
	}
	var rows []Network
	for i, t := range tasks {
		row := sub.row(t, passes, s[1+i], s[0])
		row.Allocs = allocations(func() { t.do() })
		rows = append(rows, row)
	}
	return rows, nil
}

// row returns the report's row for a task, without allocations. peaks are the machine's peaks in the same rounds.
func (s subject) row(t task, passes float64, measured, peaks *series) Network {
	gflop := passes * s.operations() / 1e9
	return Network{
		Net: s.net.String(), Board: s.board(), Game: s.game.Name, Batch: t.batch, Threads: t.threads,
		Speed: measured.median(), GFlops: measured.median() * gflop, Share: measured.ratio(peaks) * gflop / float64(t.threads),
		CPU: measured.cpu,
	}
}

// infer measures the inference of a network at each batch size.
func (o *Options) infer(ctx context.Context, sub subject) ([]Network, error) {
	network, err := infer.NewNetwork(sub.game, sub.weights())
	if err != nil {
		return nil, err
	}
	var tasks []task
	for _, batch := range inferBatches {
		tasks = append(tasks, task{batch, 1, evaluation(network, batch)})
	}
	return o.measureTasks(ctx, sub, 1, tasks)
}

// train measures training steps of a network on all threads and on one.
func (o *Options) train(ctx context.Context, sub subject) ([]Network, error) {
	var tasks []task
	for _, threads := range o.threads() {
		step, err := newStep(sub, threads)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task{trainBatch, threads, step})
	}
	return o.measureTasks(ctx, sub, 3, tasks) // 3 = forward pass, gradients of inputs, gradients of weights
}

// evaluation returns a function that evaluates a batch of positions and returns its size.
func evaluation(network *infer.Network, batch int) func() int {
	game := network.Game
	evaluator, inputs := network.NewEvaluator(batch), encoded(game, batch)
	logits, classes := make([]float32, batch*game.NumActions()), make([]float32, batch*len(game.Classes))
	var goals []float32
	if game.GoalHead {
		goals = make([]float32, 2*batch)
	}
	return func() int {
		evaluator.EvaluateTensors(inputs, logits, classes, goals)
		return batch
	}
}

const (
	trainBatch   = 128
	learningRate = 1e-4 // small, because training on one batch may diverge
)

// newStep returns a function that runs one training step and returns its number of samples.
func newStep(s subject, threads int) (func() int, error) {
	trainer, err := model.NewTrainer(s.game, s.weights(), model.DefaultConfig(), parallel.Runner(threads))
	if err != nil {
		return nil, err
	}
	batch := randomBatch(s.game, trainBatch)
	return func() int {
		if _, err := trainer.Step(batch, learningRate); err != nil {
			panic("bench: " + err.Error()) // Step fails only if training diverges
		}
		return trainBatch
	}, nil
}
