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

// Config is the network of that size for game.
func (n Net) Config(game *env.Game) infer.Config {
	return infer.Config{Game: game.Name, Channels: n.Channels, Blocks: n.Blocks}
}

// subject is a network that is measured.
type subject struct {
	game *env.Game
	net  Net
}

func (s subject) String() string { return s.net.String() + " on " + s.board() }

func (s subject) board() string { return fmt.Sprintf("%dx%d", s.game.Tensor.H, s.game.Tensor.W) }

func (s subject) weights() *infer.Weights {
	return infer.NewWeights(s.game, s.net.Config(s.game), newRand())
}

// operations of a forward pass of one position.
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

// infer measures a network by batch.
func (o *Options) infer(ctx context.Context, s subject) ([]Inference, error) {
	network, err := infer.NewNetwork(s.game, s.weights())
	if err != nil {
		return nil, err
	}
	works := []work{peak}
	for _, batch := range inferBatches {
		works = append(works, evaluating(network, batch))
	}
	rows, err := o.speeds(ctx, works...)
	if err != nil {
		return nil, err
	}
	var measured []Inference
	for i, batch := range inferBatches {
		measured = append(measured, s.inference(batch, rows[1+i], rows[0]))
	}
	return measured, nil
}

// inference is the row of a batch, from the speeds of each round and the peaks beside them.
func (s subject) inference(batch int, speeds, peaks []float64) Inference {
	gflop := s.operations() / 1e9
	return Inference{
		Net: s.net.String(), Board: s.board(), Game: s.game.Name, Batch: batch,
		Speed: median(speeds), GFlops: median(speeds) * gflop, Share: ratio(speeds, peaks) * gflop,
	}
}

// evaluating is work that judges positions on one core, batch at a time.
func evaluating(network *infer.Network, batch int) work {
	game := network.Game()
	evaluator, inputs := network.NewEvaluator(batch), encoded(game, batch)
	logits, classes := make([]float32, batch*game.NumActions()), make([]float32, batch*len(game.Classes))
	var goals []float32
	if game.GoalHead {
		goals = make([]float32, 2*batch)
	}
	return repeating(func() int {
		evaluator.EvaluateTensors(inputs, logits, classes, goals)
		return batch
	})
}

// What is trained: batches of so many samples, at a rate that does no harm.
const (
	trainBatch = 128
	rate       = 1e-4
)

// stepping returns a function that does a training step and returns the number of samples.
func stepping(s subject, threads int) (func() int, error) {
	trainer, err := model.NewTrainer(s.game, s.weights(), model.DefaultConfig(), parallel.New(threads))
	if err != nil {
		return nil, err
	}
	batch := anyBatch(s.game, trainBatch)
	return func() int {
		if _, err := trainer.Step(batch, rate); err != nil {
			panic("bench: " + err.Error()) // only where training diverges, which one batch at this rate does not
		}
		return trainBatch
	}, nil
}

// train measures steps on all threads and on one.
func (o *Options) train(ctx context.Context, s subject) ([]Training, error) {
	works := []work{peak}
	var steps []func() int
	for _, threads := range o.threads() {
		step, err := stepping(s, threads)
		if err != nil {
			return nil, err
		}
		steps, works = append(steps, step), append(works, repeating(step))
	}
	rows, err := o.speeds(ctx, works...)
	if err != nil {
		return nil, err
	}
	var measured []Training
	for i, threads := range o.threads() {
		row := s.training(threads, rows[1+i], rows[0])
		row.Allocs = allocations(func() { steps[i]() })
		measured = append(measured, row)
	}
	return measured, nil
}

// training is the row of so many threads but for its allocations, from the speeds of each round and the peaks beside
// them.
func (s subject) training(threads int, speeds, peaks []float64) Training {
	gflop := 3 * s.operations() / 1e9
	return Training{
		Net: s.net.String(), Board: s.board(), Game: s.game.Name, Batch: trainBatch, Threads: threads,
		Speed: median(speeds), GFlops: median(speeds) * gflop, Share: ratio(speeds, peaks) * gflop / float64(threads),
	}
}
