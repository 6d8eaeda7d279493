package rundir

import (
	"fmt"
	"slices"

	"ludus/train/agent"
)

// Dial is the strength dial of a checkpoint.
type Dial struct {
	Generation int        `json:"generation"`
	Strengths  agent.Dial `json:"strengths"`
}

// StrengthName is the name of a weakened checkpoint in its run's matches, such as net@120,sims=4,temp=0.5. At full strength
// it is the checkpoint's name.
func StrengthName(generation int, s agent.Strength) string {
	switch {
	case s == agent.FullStrength:
		return CheckpointName(generation)
	case s.Simulations == 0:
		return fmt.Sprintf("policy@%d,temp=%v", generation, s.Temperature)
	}
	return fmt.Sprintf("net@%d,sims=%d,temp=%v", generation, s.Simulations, s.Temperature)
}

// ParseStrengthName is the inverse of [StrengthName] for the weakened strengths in [agent.Strengths].
func ParseStrengthName(name string) (generation int, s agent.Strength, ok bool) {
	if _, err := fmt.Sscanf(name, "policy@%d,temp=%g", &generation, &s.Temperature); err != nil {
		if _, err := fmt.Sscanf(name, "net@%d,sims=%d,temp=%g", &generation, &s.Simulations, &s.Temperature); err != nil {
			return 0, s, false
		}
	}
	return generation, s, generation >= 0 && StrengthName(generation, s) == name && slices.Contains(agent.Strengths(), s)
}
