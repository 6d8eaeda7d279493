package train

import (
	"math"

	"ludus/train/record"
)

// When workers play more than the learner can use, they search more per move instead. That makes the games better and keeps
// the number of samples per position as it is set.
const (
	maxFactor    = 16  // largest factor of the simulations per move
	factorStep   = 1.1 // growth of the factor per generation
	maxCut       = 2   // largest divisor of the factor per generation
	hardlyWaited = 0.2 // short waiting, as a share of the learner's other work
)

// nextFactor returns the factor by which workers multiply the setting's simulations per move in the next generation. factor
// is the current one. ready is the share of the next generation's positions that was received before it starts: a whole
// generation means that workers are faster than the learner, unless the learner waited for the one before (games come in
// messages, so one generation may be ready and the next may not). waited is how long the learner waited for games of the
// last generation, or played some itself, relative to the time of its other work.
func nextFactor(factor, ready, waited float64) float64 {
	switch {
	case ready < 1:
		factor /= math.Min(1+waited, maxCut)
	case waited < hardlyWaited:
		factor *= factorStep
	}
	return math.Min(math.Max(factor, 1), maxFactor)
}

// streamGenerations is the limit on waiting positions in the stream, in generations, so games are not much older than the
// newest network. Positions that the learner holds or has not committed count, too.
const streamGenerations = heldGenerations + 2

// messageOverhead is roughly the number of bytes that a stream stores with each message.
const messageOverhead = 100

// streamBytes returns the limit in bytes on messages waiting in the stream. It is computed from the bytes per work (position
// and cell) of uncommitted messages, and 0 if there are none.
func (in *inbox) streamBytes() int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	bytes, work := 0, 0
	for _, m := range in.open {
		bytes += m.bytes + messageOverhead
		work += m.work
	}
	if work == 0 {
		return 0
	}
	game := in.games[len(in.games)-1]
	most := streamGenerations*in.need + 2*game.MaxPlies*game.Tensor.Cells() // room for a long game in any case
	return max(int64(float64(most)*float64(bytes)/float64(work)), 2*record.MaxTaken)
}
