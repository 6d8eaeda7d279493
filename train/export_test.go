package train

import (
	"slices"

	"ludus/env"
	"ludus/model"
)

// The faults of the runs that package train_test breaks on purpose. Each is like a bug that people have had in a trainer
// of their own.

// IgnoreMask lets illegal moves take part in the policy loss.
func IgnoreMask(o *Options) {
	o.faults.batch = func(b *model.Batch) {
		for i := range b.LegalMask {
			b.LegalMask[i] = 1
		}
	}
}

// FlipSign counts wins as losses in the outcome targets.
func FlipSign(o *Options) {
	classes := len(o.Game.Classes) // ordered from the mover's win to its loss
	o.faults.batch = func(b *model.Batch) {
		for row := range slices.Chunk(b.Outcome, classes) {
			slices.Reverse(row)
		}
	}
}

// WrongFrame trains on policy targets in the opponent's frame. The game's symmetries must commute with the change of
// frame.
func WrongFrame(o *Options) {
	frame, actions := o.Game.Frame(env.Second), o.Game.NumActions() // First's frame is the identity, Second's its own inverse
	other := make([]float32, actions)
	o.faults.batch = func(b *model.Batch) {
		for _, values := range [][]float32{b.LegalMask, b.Policy} {
			for row := range slices.Chunk(values, actions) {
				for a, x := range row {
					other[frame[a]] = x
				}
				copy(row, other)
			}
		}
	}
}

// ForeignOutcome trains each position on the outcome target of another one.
func ForeignOutcome(o *Options) {
	classes := len(o.Game.Classes)
	o.faults.batch = func(b *model.Batch) {
		first := slices.Clone(b.Outcome[:classes])
		copy(b.Outcome, b.Outcome[classes:])
		copy(b.Outcome[len(b.Outcome)-classes:], first)
	}
}

// BlankInput trains on empty boards.
func BlankInput(o *Options) {
	o.faults.batch = func(b *model.Batch) { clear(b.Inputs) }
}

// SameSeed lets all games in progress draw the same random numbers.
func SameSeed(o *Options) {
	o.faults.games = func(games []*gameInProgress) {
		for _, g := range games {
			*g.generator = *games[0].generator
		}
	}
}

// SameStart begins all games at the starting position, and adds no noise to searches.
func SameStart(o *Options) {
	o.faults.games = func(games []*gameInProgress) {
		for _, g := range games {
			g.noise, g.emptyStarts = nil, 1
		}
	}
}
