package model

import (
	"fmt"

	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// size is what a trainer has for one of its games: everything that depends on the size of the board. All sizes share
// the parameters and their gradients.
type size struct {
	game       *env.Game
	convolvers map[*folded]convolver
	prepare    []func(*kernel.Scratch) // independent tasks: each updates something derived from the weights

	stepGraphs pool[graph] // graphs with gradients, for Step
	lossGraphs pool[graph] // graphs without gradients, for Losses
}

// CheckSizes returns an error if weights w cannot train on all sizes of the board: the last is the game of w, the
// others are other sizes of it, for which w must be pooled.
func CheckSizes(sizes []*env.Game, w *infer.Weights) error {
	game := sizes[len(sizes)-1]
	if err := w.Validate(game); err != nil {
		return err
	}
	for _, other := range sizes[:len(sizes)-1] {
		if !w.Config.Pooled {
			return fmt.Errorf("a network of %s with a weight per cell cannot train %s as well", game.Name, other.Name)
		}
		if _, err := w.Resize(game, other); err != nil {
			return err
		}
	}
	return nil
}

// newSize returns the size of game for parameters p.
func newSize(game *env.Game, p *parameters, config Config) *size {
	s := &size{game: game, convolvers: map[*folded]convolver{}}
	for _, l := range p.leaves {
		switch {
		case l.folded != nil:
			c := l.folded.convolver(game.Tensor.H, game.Tensor.W)
			s.convolvers[l.folded] = c
			s.prepare = append(s.prepare, c.prepare()...)
		case l.matrix != nil:
			s.prepare = append(s.prepare, l.matrix.prepare)
		}
	}
	s.stepGraphs.make = func() *graph { return newGraph(s, p, config, true) }  // with gradients
	s.lossGraphs.make = func() *graph { return newGraph(s, p, config, false) } // without
	return s
}
