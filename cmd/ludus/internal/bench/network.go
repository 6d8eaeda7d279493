package bench

import (
	"context"
	"fmt"
	"slices"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
)

// Net is the size of a network.
type Net struct{ Channels, Blocks int }

func (n Net) String() string { return fmt.Sprintf("%dx%d", n.Channels, n.Blocks) }

// Config returns the configuration of a network of this size for a game.
func (n Net) Config(game *env.Game) infer.Config {
	return infer.Config{Game: game.Name, Channels: n.Channels, Blocks: n.Blocks}
}

// subject is the network whose inference or training is measured: its game and size.
type subject struct {
	game *env.Game
	net  Net
}

func (s subject) String() string { return s.net.String() + " on " + s.board() }

// board returns the size of the board, HEIGHTxWIDTH.
func (s subject) board() string { return fmt.Sprintf("%dx%d", s.game.Tensor.H, s.game.Tensor.W) }

// weights returns random weights, the same ones at each call.
func (s subject) weights() *infer.Weights {
	return infer.NewWeights(s.game, s.net.Config(s.game), newRand())
}

// operations counts the floating-point operations of a forward pass for one position (see the package comment).
func (s subject) operations() float64 {
	perCell := []string{"policy.hidden.weight", "policy.planes.weight", "outcome.cells.weight"}
	sum := 0
	for _, t := range s.weights().Tensors {
		switch {
		case len(t.Shape) == 4 || slices.Contains(perCell, t.Name):
			sum += 2 * len(t.Data) * s.game.Tensor.Cells()
		case len(t.Shape) == 2:
			sum += 2 * len(t.Data)
		}
	}
	return float64(sum)
}

var inferBatches = []int{1, 8, 32, 64}

// infer measures the inference of a network for each batch size.
func (o *Options) infer(ctx context.Context, sub subject) ([]Inference, error) {
	network, err := infer.NewNetwork(sub.game, sub.weights())
	if err != nil {
		return nil, err
	}
	works := []work{peak}
	for _, batch := range inferBatches {
		works = append(works, evaluation(network, batch))
	}
	s, err := o.measure(ctx, works...)
	if err != nil {
		return nil, err
	}
	var measured []Inference
	for i, batch := range inferBatches {
		measured = append(measured, sub.inference(batch, s[1+i], s[0]))
	}
	return measured, nil
}

// inference returns the report's row for a batch size. measured holds the speeds, peaks the peaks of the same rounds.
func (s subject) inference(batch int, measured, peaks *series) Inference {
	gflop := s.operations() / 1e9
	return Inference{
		Net: s.net.String(), Board: s.board(), Game: s.game.Name, Batch: batch,
		Speed: measured.median(), GFlops: measured.median() * gflop, Share: measured.ratio(peaks) * gflop, CPU: measured.cpu,
	}
}

// evaluation returns single-threaded work: the network evaluates batches of positions.
func evaluation(network *infer.Network, batch int) work {
	game := network.Game()
	evaluator, inputs := network.NewEvaluator(batch), encoded(game, batch)
	logits, classes := make([]float32, batch*game.NumActions()), make([]float32, batch*len(game.Classes))
	var goals []float32
	if game.GoalHead {
		goals = make([]float32, 2*batch)
	}
	return loop(func() int {
		evaluator.EvaluateTensors(inputs, logits, classes, goals)
		return batch
	})
}

const (
	trainBatch   = 128
	learningRate = 1e-4 // small, so that training on one batch does not diverge
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

// train measures training steps of a network on all threads and on one.
func (o *Options) train(ctx context.Context, sub subject) ([]Training, error) {
	works := []work{peak}
	var steps []func() int
	for _, threads := range o.threads() {
		step, err := newStep(sub, threads)
		if err != nil {
			return nil, err
		}
		steps, works = append(steps, step), append(works, loopOn(threads, step))
	}
	s, err := o.measure(ctx, works...)
	if err != nil {
		return nil, err
	}
	var measured []Training
	for i, threads := range o.threads() {
		row := sub.training(threads, s[1+i], s[0])
		row.Allocs = allocations(func() { steps[i]() })
		measured = append(measured, row)
	}
	return measured, nil
}

// training returns the report's row for a number of threads, like inference. The caller adds its allocations.
func (s subject) training(threads int, measured, peaks *series) Training {
	gflop := 3 * s.operations() / 1e9 // forward pass, gradients of the inputs, gradients of the weights
	return Training{
		Net: s.net.String(), Board: s.board(), Game: s.game.Name, Batch: trainBatch, Threads: threads,
		Speed: measured.median(), GFlops: measured.median() * gflop, Share: measured.ratio(peaks) * gflop / float64(threads),
		CPU: measured.cpu,
	}
}
