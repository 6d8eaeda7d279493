package bench

import (
	"context"
	"fmt"
	"math/rand/v2"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/plan"
	"ludus/train/rundir"
)

// subject is a network to measure, given by its game and size.
type subject struct {
	game             *env.Game
	channels, blocks int
}

// defaultSubject returns the network that a training of the game has by default.
func defaultSubject(game *env.Game) subject {
	settings := rundir.DefaultSettings(game)
	return subject{game, settings.Channels, settings.Blocks}
}

func (s subject) String() string { return s.net() + " on " + s.board() }

// net returns the size of the network, CHANNELSxBLOCKS.
func (s subject) net() string { return fmt.Sprintf("%dx%d", s.channels, s.blocks) }

// board formats the size of the board as COLUMNSxROWS.
func (s subject) board() string { return fmt.Sprintf("%dx%d", s.game.Tensor.W, s.game.Tensor.H) }

// weights returns random weights, the same at each call.
func (s subject) weights() *infer.Weights {
	config := infer.DefaultConfig(s.game)
	config.Channels, config.Blocks = s.channels, s.blocks
	return infer.NewWeights(s.game, config, rand.New(rand.NewPCG(1, 0)))
}

// inferBatches are the batch sizes at which inference is measured.
var inferBatches = []int{1, 8, 32, 64}

// task is a repeated pass of a batch of positions through a network.
type task struct {
	batch, threads int
	do             func() int // processes one batch and returns its size
}

// measureTasks measures tasks on a network.
func (o *Options) measureTasks(ctx context.Context, s subject, tasks []task) ([]Network, error) {
	var works []work
	for _, t := range tasks {
		works = append(works, loop(t.threads, t.do))
	}
	measured, err := o.measure(ctx, works...)
	if err != nil {
		return nil, err
	}
	var rows []Network
	for i, t := range tasks {
		rows = append(rows, Network{
			Net: s.net(), Board: s.board(), Game: s.game.Name, Batch: t.batch, Threads: t.threads,
			Speed: measured[i].median(), CPU: measured[i].cpu,
		})
	}
	return rows, nil
}

// infer measures the inference of a network at each batch size.
func (o *Options) infer(ctx context.Context, s subject) ([]Network, error) {
	network, err := infer.NewNetwork(s.game, s.weights())
	if err != nil {
		return nil, err
	}
	var tasks []task
	for _, batch := range inferBatches {
		tasks = append(tasks, task{batch, 1, evaluation(network, batch)})
	}
	return o.measureTasks(ctx, s, tasks)
}

// train measures training steps of a network on all threads and on one.
func (o *Options) train(ctx context.Context, s subject) ([]Network, error) {
	var tasks []task
	for _, threads := range o.threads() {
		step, err := newStep(s, threads)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task{trainBatch, threads, step})
	}
	return o.measureTasks(ctx, s, tasks)
}

// evaluation returns a function that evaluates a batch of positions and returns its size.
func evaluation(network *infer.Network, batch int) func() int {
	game := network.Game
	evaluator, inputs := network.NewEvaluator(batch), plan.RandomBatch(game, batch).Inputs
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
	trainer, err := model.NewTrainer([]*env.Game{s.game}, s.weights(), model.DefaultConfig(), parallel.Runner(threads))
	if err != nil {
		return nil, err
	}
	batch := plan.RandomBatch(s.game, trainBatch)
	return func() int {
		if _, err := trainer.Step(batch, learningRate); err != nil {
			panic("bench: " + err.Error()) // Step fails only if training diverges
		}
		return trainBatch
	}, nil
}
