package forecast

import (
	"math"
	"slices"
	"testing"

	"ludus/checkpoints/zoo"
)

// curves returns the curves of all games with recorded trainings, and one whose errors grow at times and reach 0.
func curves(t *testing.T) map[string][]zoo.Trained {
	t.Helper()
	all := map[string][]zoo.Trained{}
	for _, name := range zoo.Games() {
		if card := zoo.CardOf(name); len(card.Curve) > 0 {
			all[name] = card.Curve
		}
	}
	if len(all) < 5 {
		t.Fatalf("%d games have recorded trainings", len(all))
	}
	return all
}

// uneven are trainings of whose errors the third is larger than the second by chance, and the last is 0.
func uneven() (all []zoo.Trained) {
	for i, e := range []float64{0.1, 0.02, 0.03, 0} {
		estimate := zoo.Estimate{Value: e, Low: 0.8 * e, High: 1.2*e + 0.001}
		all = append(all, zoo.Trained{
			Channels: 32, Blocks: 4, Games: 10, Positions: 100, Samples: int(1e6 * math.Pow(5, float64(i))), Alone: estimate, Search: estimate,
		})
	}
	return all
}

func quantities(e Errors) []zoo.Estimate { return []zoo.Estimate{e.Alone, e.Search} }

// More training never makes any number of the forecast worse, and the range contains the value.
func TestMonotone(t *testing.T) {
	all := curves(t)
	all["uneven"] = uneven()
	for name, trained := range all {
		c := NewCurve(trained)
		before := Errors{Alone: zoo.Estimate{Value: 1, Low: 1, High: 1}, Search: zoo.Estimate{Value: 1, Low: 1, High: 1}}
		for samples := 1e3; samples < 1e11; samples *= 1.1 {
			e := c.Errors(Work(int(samples), 32, 4))
			for i, q := range quantities(e) {
				old := quantities(before)[i]
				if q.Low < 0 || q.Low > q.Value || q.Value > q.High || q.High > 1 {
					t.Errorf("%s: %.0f samples: %+v", name, samples, q)
				}
				if q.Value > old.Value || q.Low > old.Low || q.High > old.High {
					t.Errorf("%s: %+v after %.0f samples, %+v after fewer", name, q, samples, old)
				}
			}
			before = e
		}
	}
}

// At each recorded training the range contains the recorded interval; with one seed the value is the recorded one.
func TestRecorded(t *testing.T) {
	all := curves(t)
	all["uneven"] = uneven()
	for name, trained := range all {
		c := NewCurve(trained)
		for i := range trained {
			r := &trained[i]
			seeds := 0
			for j := range trained {
				if ratio := workOf(r) / workOf(&trained[j]); ratio < sameWork && ratio > 1/sameWork {
					seeds++
				}
			}
			e := c.Errors(workOf(r))
			if e.Extrapolated {
				t.Errorf("%s: %s is extrapolated", name, r.Command)
			}
			for k, got := range quantities(e) {
				want := []zoo.Estimate{r.Alone, r.Search}[k]
				tolerance := 1e-9
				if seeds > 1 { // their works differ a little
					tolerance = 0.002 * want.High
				}
				if got.Low > want.Low+tolerance || got.High < want.High-tolerance {
					t.Errorf("%s: %s: %+v does not contain %+v", name, r.Command, got, want)
				}
				if seeds == 1 && name != "uneven" && math.Abs(got.Value-want.Value) > tolerance {
					t.Errorf("%s: %s: %+v, recorded %+v", name, r.Command, got, want)
				}
			}
		}
	}
}

// Beyond the recorded trainings the forecast says so, and its range widens with the distance.
func TestExtrapolated(t *testing.T) {
	for name, trained := range curves(t) {
		c := NewCurve(trained)
		first, last := math.Exp(c.alone[0].x), math.Exp(c.alone[len(c.alone)-1].x)
		width := func(work float64) float64 { e := c.Errors(work).Alone; return logError(e.High) - logError(e.Low) }
		if !c.Errors(first/2).Extrapolated || !c.Errors(last*2).Extrapolated || c.Errors(math.Sqrt(first*last)).Extrapolated {
			t.Errorf("%s: wrong about what is extrapolated", name)
		}
		if width(first/2) <= width(first) || width(last*2) <= width(last) || width(last*4) <= width(last*2) ||
			c.Errors(4*last).Alone.High < c.Errors(last).Alone.High {
			t.Errorf("%s: the range does not widen", name)
		}
	}
}

// The order of the records does not matter, and one length is too little.
func TestNewCurve(t *testing.T) {
	trained := uneven()
	want := *NewCurve(trained)
	slices.Reverse(trained)
	got := *NewCurve(trained)
	if !slices.Equal(got.alone, want.alone) || got.SamplesPerPosition != want.SamplesPerPosition || got.PositionsPerGame != 10 {
		t.Errorf("%+v, and in reverse %+v", want, got)
	}
	if NewCurve(nil) != nil || NewCurve(trained[:1]) != nil || NewCurve([]zoo.Trained{trained[0], trained[0]}) != nil {
		t.Error("a curve of one length")
	}
}

// The forecast from all other recorded trainings of a game contains the recorded error.
func TestLeaveOneOut(t *testing.T) {
	left := 0
	for name, trained := range curves(t) {
		for i := range trained {
			c := NewCurve(slices.Delete(slices.Clone(trained), i, i+1))
			if c == nil {
				continue
			}
			left++
			r := &trained[i]
			e := c.Errors(workOf(r))
			for k, got := range quantities(e) {
				if want := []zoo.Estimate{r.Alone, r.Search}[k]; want.Value < got.Low || want.Value > got.High {
					t.Errorf("%s: %s: forecast %+v, recorded %+v", name, r.Command, got, want)
				}
			}
		}
	}
	if left < 6 {
		t.Errorf("only %d trainings were left out", left)
	}
}
