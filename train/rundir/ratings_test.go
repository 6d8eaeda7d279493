package rundir

import "testing"

// Labels shorten folders alone, so the levels of a program differ.
func TestLabel(t *testing.T) {
	for name, want := range map[string]string{
		`gtp:"/usr/games/gtp-rhino -l 2"`:                               `gtp:"/usr/games/gtp-rhino -l 2"`,
		`gtp:"/usr/games/gtp-rhino -l 2",deterministic=yes`:             `gtp:"…/gtp-rhino -l 2",deterministic=yes`,
		`nboard:"/opt/ntest -l 3",dir=/opt/ntest/here,init=set depth 8`: `nboard:"…/ntest -l 3",dir=…/here,init=set depth 8`,
	} {
		if got := (&Rating{Agent: name}).Label(); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
}
