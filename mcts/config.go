package mcts

import "math"

// Rule selects moves during a search and chooses one at the end.
type Rule uint8

const (
	// Gumbel uses sequential halving over sampled candidates at the root, and the improved policy below it. It makes
	// the most of few simulations and must know their number beforehand.
	Gumbel Rule = iota
	// PUCT adds an exploration term to the mean value at every node. It can be stopped and continued at any time.
	PUCT
)

// Config holds the settings of a search, which must be in the ranges named here. Change a [DefaultConfig]: it also has what is
// not exported.
type Config struct {
	Rule Rule

	// ValueScale is c in sigma(q) = (maxVisitInit + max N) c q, which scales values to logits; above 0. Default 0.5 for
	// utilities in [-1, 1], the paper's 1 for values in [0, 1].
	ValueScale float64
	// PendingLeaves is how many leaves of one search may wait for their evaluation at once, 1 or more. Each is selected
	// without the values of the others. Default 1, for self-play, where many games fill a batch; 16 for each
	// thread where one position is searched alone.
	PendingLeaves int
	// CandidateShare is the largest number of pending leaves below a candidate of sequential halving, as a share of its
	// visits; one is always allowed. 0 to 1. Default 0, which costs no playing strength; more fills the batches of late
	// phases, which have few candidates.
	CandidateShare float64

	// Only tests of this package change these.

	maxVisitInit float64 // visits that sigma starts from (mctx: maxvisit_init); default and paper: 50
	// candidates is the number of root moves that sequential halving starts with (mctx: max_num_considered_actions). The
	// default 0 means a quarter of the simulations, from 4 to 16: 4, 8 and 16 at 16, 32 and 64 simulations. Paper: 16.
	candidates int
	cpuctLog   float64 // growth of PUCT's exploration, see cpuct; default 0.45
}

// Constants of PUCT, as in KataGo. The exploration constant is c(N) = cpuct + cpuctLog ln((N + cpuctBase) / cpuctBase);
// AlphaZero has 1.25, 1 and 19652 for these three. An unvisited move is worth less than its parent, in utility, by
// fpuReduction times the square root of the prior of the visited moves.
const (
	cpuct        = 1.0
	cpuctBase    = 500.0
	fpuReduction = 0.2
)

// DefaultConfig returns the settings of self-play.
func DefaultConfig() Config {
	return Config{Rule: Gumbel, ValueScale: 0.5, PendingLeaves: 1, maxVisitInit: 50, cpuctLog: 0.45}
}

// valid reports whether all settings are in their ranges.
func (c *Config) valid() bool {
	return c.Rule <= PUCT && c.ValueScale > 0 && !math.IsInf(c.ValueScale, 0) && c.PendingLeaves >= 1 &&
		c.CandidateShare >= 0 && c.CandidateShare <= 1
}
