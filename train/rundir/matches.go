package rundir

import (
	"fmt"
	"maps"
	"slices"

	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/stats"
)

// MatchResult is a line of arena.jsonl: a finished match between two agents of the run, from Agent's side.
type MatchResult struct {
	// Generation is the generation of Agent, the newer checkpoint of the two; 0 if both are baselines.
	Generation int `json:"generation"`
	// Agent and Opponent are names such as net@120 (see [CheckpointName]), random and mcts:200.
	Agent    string `json:"agent"`
	Opponent string `json:"opponent"`
	// Number is 1 for the first match of the two agents, 2 for the next, and so on.
	Number int `json:"number"`
	// Training marks a match that training played to measure the run, not "ludus rate".
	Training bool `json:"training,omitempty"`
	// Simulations is the number of simulations per move of a checkpoint.
	Simulations int `json:"simulations"`
	// Shipped is set if one of the agents is the shipped network, or a weakened version of it: the first 16 hexadecimal
	// digits of the SHA-256 of its file.
	Shipped string `json:"shipped,omitempty"`
	match.Result
}

// Score is the mean score of a run's checkpoint against one opponent, in [0, 1], with its 95 % interval.
type Score struct {
	Generation int    `json:"generation"`
	Opponent   string `json:"opponent"`
	Games      int    `json:"games"`
	stats.Estimate
}

// Scores returns the score of each checkpoint that has played an opponent with the default search, by generation. It
// combines all matches of the two, of training and of "ludus rate". Matches with another shipped network do not count:
// shipped is the one that MatchResult.Shipped must name, "" for an opponent that is not shipped.
func Scores(matches []MatchResult, opponent, shipped string) (scores []Score) {
	played := make(map[int][]match.Result) // by generation
	for i := range matches {
		m := &matches[i]
		if m.Opponent == opponent && m.Agent == CheckpointName(m.Generation) && m.Shipped == shipped &&
			m.Simulations == agent.DefaultSimulations {
			played[m.Generation] = append(played[m.Generation], m.Result)
		}
	}
	for _, g := range slices.Sorted(maps.Keys(played)) {
		if games, mean := match.Mean(played[g]); games > 0 {
			scores = append(scores, Score{g, opponent, games, mean})
		}
	}
	return scores
}

// CheckpointName is the name of a run's checkpoint in its matches and ratings.
func CheckpointName(generation int) string { return fmt.Sprintf("net@%d", generation) }

const maxMatchSeconds = 1e9

// check returns an error if a count or the duration is out of bounds.
func (m *MatchResult) check() error {
	counts := append([]int{m.Games, m.Wins, m.Draws, m.Losses, m.Repeats, m.SeatPairs}, m.Pentanomial[:]...)
	for _, s := range m.Sides {
		counts = slices.AppendSeq(append(counts, s.Resigned, s.Restarts), maps.Values(s.Forfeits))
		counts = slices.AppendSeq(counts, maps.Values(s.Void))
	}
	if slices.Min(counts) < 0 || slices.Max(counts) > match.MaxGames {
		return fmt.Errorf("counts of games must be from 0 to %d", match.MaxGames)
	}
	if !(m.Seconds >= 0 && m.Seconds <= maxMatchSeconds) {
		return fmt.Errorf("seconds must be from 0 to %v", float64(maxMatchSeconds))
	}
	return nil
}
