package train

import (
	"math"

	"ludus/train/record"
)

// When workers play more than the learner can use, they search more per move instead: the games get better, and the
// ratio of training samples to positions stays as it is set.
const (
	maxFactor    = 16  // of the simulations per move
	factorStep   = 1.1 // growth per generation
	maxCut       = 2   // the largest divisor per generation
	hardlyWaited = 0.2 // of the time of the learner's other work
)

// nextFactor returns the factor of the setting's simulations per move for the next generation. factor is the current
// one; ready is the part of the next generation's positions that has been received before it starts. A whole
// generation means that workers are faster than the learner, unless the learner waited for the one before: games come
// in messages, so one generation may be ready and the next may not. waited is how long the learner waited for games of
// the last generation, or played some itself, relative to the time of its other work.
func nextFactor(factor, ready, waited float64) float64 {
	switch {
	case ready < 1:
		factor /= math.Min(1+waited, maxCut)
	case waited < hardlyWaited:
		factor *= factorStep
	}
	return math.Min(math.Max(factor, 1), maxFactor)
}

// streamGenerations is how many generations of positions may wait in the stream, so that games are not much older than
// the newest network. Those that the learner holds, or learns from and has not committed, are among them.
const streamGenerations = heldGenerations + 2

// messageOverhead is about how many bytes a stream keeps with each message.
const messageOverhead = 100

// streamBytes returns how many bytes of messages may wait in the stream. It follows the size of the messages that are not
// committed, so it rises if they turn out to hold less than a generation; 0: there are none.
func (in *inbox) streamBytes() int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	bytes, positions := 0, 0
	for _, m := range in.open {
		bytes += m.bytes + messageOverhead
		positions += m.positions
	}
	if positions == 0 {
		return 0
	}
	most := streamGenerations*in.need + 2*in.game.MaxPlies // a long game always fits
	return max(int64(float64(most)*float64(bytes)/float64(positions)), 2*record.MaxTaken)
}
