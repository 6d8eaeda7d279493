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

// Config holds the settings of a search, which must be in the ranges named here. [DefaultConfig] has the defaults.
type Config struct {
	Rule Rule

	// ValueScale is c in sigma(q) = (MaxVisitInit + max N) c q, which scales values to logits; above 0. Default 0.5 for
	// utilities in [-1, 1], the paper's 1 for values in [0, 1].
	ValueScale float64
	// MaxVisitInit is the number of visits, 0 or more, that sigma starts from (mctx: maxvisit_init). Default and paper:
	// 50.
	MaxVisitInit float64
	// Candidates is the number of root moves that sequential halving starts with (mctx: max_num_considered_actions).
	// The default 0 means a quarter of the simulations, from 4 to 16: 4, 8 and 16 at 16, 32 and 64 simulations. Paper:
	// 16.
	Candidates int

	// CPUCT and CPUCTLog make PUCT's exploration constant c(N) = CPUCT + CPUCTLog ln((N + B) / B) with B = CPUCTBase; 0
	// or more, the base above 0. Defaults 1, 0.45 and 500 as in KataGo; AlphaZero: 1.25, 1 and 19652.
	CPUCT, CPUCTLog, CPUCTBase float64
	// FPUReduction makes PUCT value an unvisited move below its parent: by FPUReduction times the square root of the
	// prior of the visited moves, in utility. 0 to 2. Default 0.2 as in KataGo.
	FPUReduction float64

	// PendingLeaves is how many leaves of one search may wait for their evaluation at once, 1 or more. Each is selected
	// without the values of the others. Default 1, for self-play, where many games fill a batch; 16 for each
	// thread where one position is searched alone.
	PendingLeaves int
	// CandidateShare is the largest number of pending leaves below a candidate of sequential halving, as a share of its
	// visits; one is always allowed. 0 to 1. Default 0, which costs no playing strength; more fills the batches of late
	// phases, which have few candidates.
	CandidateShare float64
}

// DefaultConfig returns the settings of self-play.
func DefaultConfig() Config {
	return Config{
		Rule: Gumbel, ValueScale: 0.5, MaxVisitInit: 50,
		CPUCT: 1, CPUCTLog: 0.45, CPUCTBase: 500, FPUReduction: 0.2,
		PendingLeaves: 1,
	}
}

// valid reports whether all settings are in their ranges.
func (c *Config) valid() bool {
	sum := c.ValueScale + c.MaxVisitInit + c.CPUCT + c.CPUCTLog + c.CPUCTBase
	return c.Rule <= PUCT && c.ValueScale > 0 && c.MaxVisitInit >= 0 && c.Candidates >= 0 &&
		c.CPUCT >= 0 && c.CPUCTLog >= 0 && c.CPUCTBase > 0 && !math.IsInf(sum, 0) &&
		c.FPUReduction >= 0 && c.FPUReduction <= 2 && c.PendingLeaves >= 1 && c.CandidateShare >= 0 && c.CandidateShare <= 1
}
