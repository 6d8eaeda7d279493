package report

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/browsertest"
)

// Where runs are compared, each point by generation tells how far the run was then; a single run's points do not.
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
	last := a.newest()
	seconds := 0.0
	for i := range a.Generations {
		seconds += a.Generations[i].PlaySeconds + a.Generations[i].LearnSeconds
	}
	if games, spent := a.Trained(1e6); games != last.TotalGames || spent != seconds {
		t.Errorf("%d games and %v seconds in the end, want %d and %v", games, spent, last.TotalGames, seconds)
	}
	if games, spent := a.Trained(0); games != 0 || spent != 0 {
		t.Errorf("%d games and %v seconds before the first generation", games, spent)
	}
}

// A bar leads from 0 to its value, to the left where that is negative.
func TestBars(t *testing.T) {
	s := scaleOf(Ladder{Unit: "Elo", Bars: []Bar{{Value: -50, Low: -100, High: 0}, {Value: 50, Low: 0, High: 100}}})
	for _, c := range []struct{ value, left, length float64 }{{-50, 25, 25}, {50, 50, 25}, {0, 50, 0}} {
		if s.Left(c.value) != c.left || s.Length(c.value) != c.length {
			t.Errorf("the bar of %v begins at %v and is %v long", c.value, s.Left(c.value), s.Length(c.value))
		}
	}
}

// TestChoosingTheAxis draws two runs' curves over seconds instead of generations.
func TestChoosingTheAxis(t *testing.T) {
	dir := trained(t, "quad(size=4,quads=4,whites=2)")
	a, errA := ReadRun(dir)
	b, errB := ReadRun(dir)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	a.Name, b.Name = "a", "b"
	for i := range b.Generations { // the runs have no second in common
		b.Generations[i].Seconds *= 1.3
	}
	page := Page{Title: a.Game.Name, Axes: true, Sections: Sections(a, b)}
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, html, 0o666); err != nil {
		t.Fatal(err)
	}
	tab := browsertest.Open(t, browsertest.File(t, path))
	name := `[data-chart="window"] .u-legend .u-series .u-label`
	if got := tab.Text(name); !strings.HasPrefix(got, "generation") {
		t.Errorf("curves are drawn over %q", got)
	}
	pointAtAll(t, tab, "window", "a: window", "b: window")
	tab.Choose("#axis", "seconds")
	if got := tab.Text(name); !strings.HasPrefix(got, "seconds of training") {
		t.Errorf("with seconds chosen, curves are drawn over %q", got)
	}
	pointAtAll(t, tab, "window", "a: window", "b: window")
	if got := tab.Text(`[data-chart="entropy-by-ply"] .u-legend .u-series .u-label`); !strings.HasPrefix(got, "ply") {
		t.Errorf("what is by ply is drawn over %q", got)
	}
}

// pointAtAll points at the middle of a chart, where each of the lines has a value to be told.
func pointAtAll(t *testing.T, b *browsertest.Tab, chart string, lines ...string) {
	t.Helper()
	figure := fmt.Sprintf(`[data-chart=%q]`, chart)
	b.Hover(figure+" .u-over", 0.45)
	legend := b.Text(figure + " .u-legend")
	for _, line := range lines {
		if _, value, found := strings.Cut(legend, line); !found || !regexp.MustCompile(`^\W*\d`).MatchString(value) {
			t.Errorf("under the mouse, the legend of %s tells nothing of %s: %q", chart, line, legend)
		}
	}
}
