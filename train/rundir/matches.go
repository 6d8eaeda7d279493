package rundir

import (
	"fmt"
	"slices"

	"ludus/train/match"
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
	// Final marks the matches at the end of a run, against baselines and the newest rated checkpoints.
	Final bool `json:"final,omitempty"`
	// Simulations is the number of simulations per move of a checkpoint.
	Simulations int `json:"simulations"`
	// Shipped is set if one of the agents is the shipped network, or a weakened version of it: the first 16 hexadecimal
	// digits of the SHA-256 of its file.
	Shipped string `json:"shipped,omitempty"`
	match.Result
}

// CheckpointName is the name of a run's checkpoint in its matches and ratings.
func CheckpointName(generation int) string { return fmt.Sprintf("net@%d", generation) }

const maxMatchSeconds = 1e9

// check returns an error if a count or the duration is out of bounds.
func (m *MatchResult) check() error {
	counts := append([]int{m.Games, m.Wins, m.Draws, m.Losses, m.Repeats}, m.Pentanomial[:]...)
	if slices.Min(counts) < 0 || slices.Max(counts) > match.MaxGames {
		return fmt.Errorf("counts of games must be from 0 to %d", match.MaxGames)
	}
	if !(m.Seconds >= 0 && m.Seconds <= maxMatchSeconds) {
		return fmt.Errorf("seconds must be from 0 to %v", float64(maxMatchSeconds))
	}
	return nil
}
