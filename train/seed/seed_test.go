package seed

import "testing"

// The derivation is part of every run's contract: a changed hash would change all games and weights.
func TestGolden(t *testing.T) {
	if got := New(1, "game", 7).Uint64(); got != 6734340478642902225 {
		t.Errorf("New(1, game, 7) draws %d", got)
	}
	if got := Derive(1, "game", 7); got != 15561476236277894786 {
		t.Errorf("Derive(1, game, 7) is %d", got)
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for s := range uint64(4) {
		for _, purpose := range []string{"", "game", "opening"} {
			for index := range 4 {
				seen[Derive(s, purpose, index)] = true
				seen[New(s, purpose, index).Uint64()] = true
			}
		}
	}
	if len(seen) != 2*4*3*4 {
		t.Errorf("%d different numbers of %d", len(seen), 2*4*3*4)
	}
}
