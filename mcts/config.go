package mcts

import (
	"errors"
	"fmt"
	"math"
)

// Rule says how moves are selected and, at the end, chosen.
type Rule uint8

const (
	// Gumbel halves a set of sampled candidates at the root and follows the improved policy below it. It makes the most
	// of few simulations and needs to know their number beforehand.
	Gumbel Rule = iota
	// PUCT adds an exploration bonus to the mean value at every node. It can be stopped and continued at any time.
	PUCT
)

// Config holds the settings of a search. [DefaultConfig] has the defaults named here.
type Config struct {
	Rule Rule

	// ValueScale is c in sigma(q) = (VisitOffset + max N) c q, which puts values beside logits; above 0. Default 0.5 on
	// utilities in [-1, 1], which is the paper's 1 on [0, 1].
	ValueScale float64
	// VisitOffset is the number of visits, 0 or more, that sigma starts from. Default and paper: 50.
	VisitOffset float64
	// Candidates is the number of root moves that sequential halving starts with. The default 0 means a quarter of the
	// simulations, from 4 to 16: 4, 8 and 16 at 16, 32 and 64 simulations. Paper: 16.
	Candidates int

	// Exploration and ExplorationLog make PUCT's constant, c(N) = Exploration + ExplorationLog ln((N + B) / B) with
	// B = ExplorationBase; 0 or more, the base above 0. Defaults 1, 0.45 and 500 as in KataGo; AlphaZero: 1.25, 1, 19652.
	Exploration, ExplorationLog, ExplorationBase float64
	// FirstPlayReduction is how far PUCT's value of unvisited moves lies below their parent's, in utility, once all prior
	// is visited; it goes with the root of the visited prior. 0 to 2. Default 0.2 as in KataGo.
	FirstPlayReduction float64

	// Leaves is how many leaves may wait for evaluation at once, 1 or more. Default 1, for self-play, where many games
	// fill the batch; some 16 where one position is searched alone.
	Leaves int
}

// DefaultConfig returns the settings of self-play.
func DefaultConfig() Config {
	return Config{
		Rule:               Gumbel,
		ValueScale:         0.5,
		VisitOffset:        50,
		Exploration:        1,
		ExplorationLog:     0.45,
		ExplorationBase:    500,
		FirstPlayReduction: 0.2,
		Leaves:             1,
	}
}

// Validate reports every setting that is out of range.
func (c Config) Validate() error {
	var problems []error
	check := func(ok bool, name string, value any, want string) {
		if !ok {
			problems = append(problems, fmt.Errorf("search setting %s is %v; it must be %s", name, value, want))
		}
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	check(c.Rule <= PUCT, "Rule", c.Rule, "Gumbel (0) or PUCT (1)")
	check(c.ValueScale > 0 && finite(c.ValueScale), "ValueScale", c.ValueScale, "above 0")
	check(c.VisitOffset >= 0 && finite(c.VisitOffset), "VisitOffset", c.VisitOffset, "0 or more")
	check(c.Candidates >= 0, "Candidates", c.Candidates, "0 (by simulations) or more")
	check(c.Exploration >= 0 && finite(c.Exploration), "Exploration", c.Exploration, "0 or more")
	check(c.ExplorationLog >= 0 && finite(c.ExplorationLog), "ExplorationLog", c.ExplorationLog, "0 or more")
	check(c.ExplorationBase > 0 && finite(c.ExplorationBase), "ExplorationBase", c.ExplorationBase, "above 0")
	check(c.FirstPlayReduction >= 0 && c.FirstPlayReduction <= 2, "FirstPlayReduction", c.FirstPlayReduction, "0 to 2")
	check(c.Leaves >= 1, "Leaves", c.Leaves, "1 or more")
	return errors.Join(problems...)
}
