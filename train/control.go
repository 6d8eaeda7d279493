package train

import "math"

// When workers play more than the learner can use, they search more per move instead: the games get better, and the
// ratio of training samples to positions stays as it is set.
const (
	maxMoreSimulations = 16  // times the setting
	budgetStep         = 1.2 // change per generation
	fewReady           = 0.5 // of a generation's positions
)

// nextBudget returns the simulations per move for the next generation, as a multiple of the setting. factor is the
// current multiple; ready is the part of the next generation's positions that has been received before it starts. A
// whole generation means that workers are faster than the learner, little that the learner waits or plays itself.
func nextBudget(factor, ready float64) float64 {
	switch {
	case ready >= 1:
		factor *= budgetStep
	case ready < fewReady:
		factor /= budgetStep
	}
	return math.Min(math.Max(factor, 1), maxMoreSimulations)
}
