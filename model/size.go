package model

import (
	"ludus/env"
	"ludus/model/infer/kernel"
)

// size is what a trainer has for one of its games: everything that depends on the size of the board. All sizes share the
// parameters and their gradients.
type size struct {
	game       *env.Game
	convolvers map[*folded]convolver
	prepare    []func(*kernel.Scratch) // independent tasks: each updates something derived from the weights

	stepGraphs pool[graph] // graphs with gradients, for Step
	lossGraphs pool[graph] // graphs without gradients, for Losses
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
