package env_test

import (
	"slices"
	"testing"

	"ludus/env"
)

func TestPerspectives(t *testing.T) {
	g := line().Finish(nil)
	if env.First.Sign() != 1 || env.Second.Sign() != -1 {
		t.Errorf("signs %v and %v", env.First.Sign(), env.Second.Sign())
	}
	pair := [2]int{7, 9}
	if env.ByPlayer(env.First, pair) != pair || env.ByPlayer(env.Second, pair) != [2]int{9, 7} {
		t.Error("ByPlayer does not exchange Second's pair alone")
	}
	first := []float32{0.5, 0.25, 0.125}
	for p, want := range [][]float32{first, {0.125, 0.25, 0.5}} {
		dst := make([]float32, 3)
		if g.ClassesFor(dst, env.Player(p), first); !slices.Equal(dst, want) {
			t.Errorf("player %d: distribution %v, want %v", p, dst, want)
		}
		if u, want := g.ExpectedUtility(dst), env.Player(p).Sign()*0.375; u != want {
			t.Errorf("player %d: expected utility %v, want %v", p, u, want)
		}
	}
	if g.UtilityFor(env.First, 2) != -1 || g.UtilityFor(env.Second, 2) != 1 {
		t.Errorf("utilities of class 2: %v and %v", g.UtilityFor(env.First, 2), g.UtilityFor(env.Second, 2))
	}
}

func TestTransform(t *testing.T) {
	s := env.Symmetry{Cells: []int32{2, 0, 1}}
	dst := make([]float32, 6)
	if s.Transform(dst, []float32{1, 2, 3, 4, 5, 6}); !slices.Equal(dst, []float32{2, 3, 1, 5, 6, 4}) {
		t.Errorf("Transform writes %v", dst)
	}
}
