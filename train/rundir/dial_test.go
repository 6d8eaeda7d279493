package rundir

import (
	"testing"

	"ludus/train/agent"
)

// Names of weakened checkpoints are read as they are written; full strength is the checkpoint itself.
func TestStrengthNames(t *testing.T) {
	for _, s := range agent.Strengths() {
		name := StrengthName(120, s)
		generation, back, ok := ParseStrengthName(name)
		if full := s == agent.FullStrength; full != (name == "net@120") || full == ok || ok && (generation != 120 || back != s) {
			t.Errorf("%+v is written as %s, which is read as %d, %+v, %t", s, name, generation, back, ok)
		}
	}
	for _, name := range []string{"", "net@1", "policy@-1,temp=4", "policy@1,temp=4.0", "policy@1,temp=3", "policy@1,temp=NaN", "net@1,sims=4,temp=0.5,x", "net:a,sims=4"} {
		if _, _, ok := ParseStrengthName(name); ok {
			t.Errorf("%q is read as a strength", name)
		}
	}
}
