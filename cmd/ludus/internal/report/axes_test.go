package report

import (
	"slices"
	"testing"
)

// In comparisons, points by generation have other x axes too; a single run's points do not.
func TestAxes(t *testing.T) {
	dir := trained(t, "quad(size=4,quads=4,whites=2)")
	a, errA := ReadRun(dir)
	b, errB := ReadRun(dir)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	lines := 0
	for _, s := range Sections(a, b) {
		for _, c := range s.Charts {
			for _, l := range c.Lines {
				if byGenerations := c.X == byGeneration; byGenerations != (l.Games != nil) {
					t.Errorf("%s by %s has games %v", c.Title, c.X, l.Games)
				} else if !byGenerations {
					continue
				}
				lines++
				if len(l.Games) != len(l.X) || len(l.Seconds) != len(l.X) || !slices.IsSorted(l.Games) || !slices.IsSorted(l.Seconds) {
					t.Errorf("%s over %v has games %v and seconds %v", c.Title, l.X, l.Games, l.Seconds)
				}
			}
		}
	}
	if lines < 20 {
		t.Errorf("%d lines by generation", lines)
	}
	for _, s := range Sections(a) {
		for _, c := range s.Charts {
			for _, l := range c.Lines {
				if l.Games != nil || l.Seconds != nil {
					t.Errorf("%s of a single run has other axes", c.Title)
				}
			}
		}
	}
	last := a.Last()
	seconds := 0.0
	for i := range a.Generations {
		seconds += a.Generations[i].PlaySeconds + a.Generations[i].SolveSeconds + a.Generations[i].LearnSeconds
	}
	if games, spent := a.Trained(1e6); games != last.TotalGames || spent != seconds {
		t.Errorf("%d games and %v seconds in the end, want %d and %v", games, spent, last.TotalGames, seconds)
	}
	if games, spent := a.Trained(0); games != 0 || spent != 0 {
		t.Errorf("%d games and %v seconds before the first generation", games, spent)
	}
}
