package svg

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// Ticks are about five round numbers.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 100, "0 20 40 60 80 100"}, {0, 2036, "0 500 1000 1500 2000"}, {0, 9.45, "0 2 4 6 8"}, {-0.3, 0.1, "-0.3 -0.2 -0.1 0 0.1"},
		{1e6, 5e6, "1M 2M 3M 4M 5M"}, {0, 1e-3, "0 0.0002 0.0004 0.0006 0.0008 0.001"},
	} {
		a := axis{low: c.low, high: c.high}
		var got []string
		for _, v := range a.ticks() {
			got = append(got, tickText(v))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("from %v to %v: ticks %q, want %s", c.low, c.high, got, c.want)
		}
	}
}

// Every chart is a well-formed file with all its lines, whatever its numbers and texts.
func TestChart(t *testing.T) {
	odd := `<b>&"x"`
	c := Chart{Title: odd, X: odd, Unit: odd, Min: new(0.0), Lines: []Line{{Name: odd, Dashed: true}, {Name: "wide", Dots: true}, {}}}
	for i := range c.Lines {
		c.Lines[i].AddInterval(1, -1e14, -1e14, 1e14)
	}
	for range 2 { // the second time with equal x and without some intervals
		file := c.File()
		if strings.Count(file, "<polyline") != len(c.Lines)+3 || strings.Contains(file, "NaN") || strings.Contains(file, "Inf") {
			t.Errorf("%s", file)
		}
		decoder := xml.NewDecoder(strings.NewReader(file))
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if again := c.File(); again != file {
			t.Error("equal charts give different bytes")
		}
		c.Lines[0].Add(1, 5)
		c.Lines[0].Low, c.Lines[0].High = nil, nil
	}
}
