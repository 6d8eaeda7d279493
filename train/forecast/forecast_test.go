package forecast

import (
	"math"
	"slices"
	"testing"

	"ludus/checkpoints/zoo"
)

// curves returns the recorded trainings of all games that have enough for a curve.
func curves(t *testing.T) map[string][]zoo.Trained {
	t.Helper()
	all := map[string][]zoo.Trained{}
	for _, name := range zoo.Games() {
		if card := zoo.CardOf(name); NewCurve(card.Curve) != nil {
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
		positions := int(1e5 * math.Pow(5, float64(i)))
		all = append(all, zoo.Trained{
			Channels: 32, Blocks: 4, Games: positions / 10, Positions: positions, Samples: positions, SamplesPerPosition: 8,
			Alone: estimate, Search: estimate,
			Rating: &zoo.Estimate{Value: 1000 - 1e4*e, Low: 970 - 1e4*e, High: 1030 - 1e4*e},
		})
	}
	return all
}

// quantities returns the errors, and the rating with the opposite sign if there is one: less is better in each.
func quantities(e Strength) []zoo.Estimate {
	all := []zoo.Estimate{e.Alone, e.Search}
	if e.Rating != nil {
		all = append(all, opposite(*e.Rating))
	}
	return all
}

func opposite(e zoo.Estimate) zoo.Estimate {
	return zoo.Estimate{Value: -e.Value, Low: -e.High, High: -e.Low}
}

// recorded returns the quantities of a recorded training.
func recorded(t *zoo.Trained) []zoo.Estimate {
	return quantities(Strength{Alone: t.Alone, Search: t.Search, Rating: t.Rating})
}

// More training never makes any number of the forecast worse, and the range contains the value.
func TestMonotone(t *testing.T) {
	all := curves(t)
	all["uneven"] = uneven()
	for name, trained := range all {
		c := NewCurve(trained)
		before := quantities(c.Strength(0))
		for _, q := range before {
			if math.IsInf(q.High, 0) || math.IsNaN(q.High) {
				t.Errorf("%s: %+v without training", name, q)
			}
		}
		for positions := 1e2; positions < 1e10; positions *= 1.1 {
			all := quantities(c.Strength(Work(int(positions), 32, 4)))
			for i, q := range all {
				old := before[i]
				if q.Low > q.Value || q.Value > q.High || i < 2 && (q.Low < 0 || q.High > 1) {
					t.Errorf("%s: %.0f positions: %+v", name, positions, q)
				}
				if q.Value > old.Value || q.Low > old.Low || q.High > old.High {
					t.Errorf("%s: %+v after %.0f positions, %+v after fewer", name, q, positions, old)
				}
			}
			before = all
		}
	}
}

// At each recorded training the range contains the recorded interval; with one seed the value is the recorded one, unless more
// training is recorded with less strength.
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
			e := c.Strength(workOf(r))
			if e.Extrapolated {
				t.Errorf("%s: %s is extrapolated", name, r.Command)
			}
			forecast := quantities(e)
			for k, want := range recorded(r) {
				got, tolerance := forecast[k], 1e-9
				if seeds > 1 { // their works differ a little
					tolerance = 0.002 * math.Abs(want.High)
				}
				if got.Low > want.Low+tolerance || got.High < want.High-tolerance {
					t.Errorf("%s: %s: %+v does not contain %+v", name, r.Command, got, want)
				}
				worse := func(o zoo.Trained) bool {
					return k < 2 && (workOf(&o)-workOf(r))*(recorded(&o)[k].Value-want.Value) > 0
				}
				if seeds == 1 && k < 2 && !slices.ContainsFunc(trained, worse) && math.Abs(got.Value-want.Value) > tolerance {
					t.Errorf("%s: %s: %+v, recorded %+v", name, r.Command, got, want)
				}
			}
		}
	}
}

// Beyond the recorded trainings the forecast says so, and its range widens with the distance. After trainings that err equally
// it stays as it is.
func TestExtrapolated(t *testing.T) {
	for name, trained := range curves(t) {
		c := NewCurve(trained)
		first, last := math.Exp(c.alone.points[0].x), math.Exp(c.alone.points[len(c.alone.points)-1].x)
		width := func(work float64) float64 { e := c.Strength(work).Alone; return logError(e.High) - logError(e.Low) }
		if !c.Strength(first/2).Extrapolated || !c.Strength(last*2).Extrapolated || c.Strength(math.Sqrt(first*last)).Extrapolated {
			t.Errorf("%s: wrong about what is extrapolated", name)
		}
		points := c.alone.points
		falls := points[len(points)-2].value > points[len(points)-1].value
		if width(first/2) <= width(first) || falls && c.Strength(last).Alone.Low > 0 && (width(last*2) <= width(last) || width(last*4) <= width(last*2)) ||
			c.Strength(4*last).Alone.High < c.Strength(last).Alone.High {
			t.Errorf("%s: the range does not widen", name)
		}
	}
}

// The order of the records does not matter, and one length is too little.
func TestNewCurve(t *testing.T) {
	trained := uneven()
	trained[0].Samples, trained[0].SamplesPerPosition = trained[0].Samples/2, 4
	trained[1].Rating = nil
	if r := NewCurve(trained).Strength(workOf(&trained[3])).Rating; r == nil || math.Abs(r.Value-1000) > 1e-6 {
		t.Errorf("without one of four ratings: %+v", r)
	}
	trained[0].Rating, trained[2].Rating = nil, nil
	if NewCurve(trained).Strength(1e9).Rating != nil {
		t.Error("a rating is forecast though only one was measured")
	}
	want := *NewCurve(trained)
	slices.Reverse(trained)
	got := *NewCurve(trained)
	if !slices.Equal(got.alone.points, want.alone.points) || got.SampleShare != 0.125 || want.SampleShare != 0.125 || got.PositionsPerGame != 10 {
		t.Errorf("%+v, and in reverse %+v", want, got)
	}
	if NewCurve(nil) != nil || NewCurve(trained[:1]) != nil || NewCurve([]zoo.Trained{trained[0], trained[0]}) != nil {
		t.Error("a curve of one length")
	}
}

// The range of the forecast from all other recorded trainings of a game overlaps the recorded interval, up to half a
// position of a suite. For errors it contains the recorded value.
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
			e := c.Strength(workOf(r))
			forecast := quantities(e)
			for k, want := range recorded(r)[:min(len(forecast), len(recorded(r)))] {
				got := forecast[k]
				if k == 2 {
					got.Low, got.High = got.Low-(want.High-want.Value), got.High+(want.Value-want.Low)
				}
				if want.Value < got.Low-0.5/2000 || want.Value > got.High+0.5/2000 {
					t.Errorf("%s: %s: forecast %+v, recorded %+v", name, r.Command, got, want)
				}
			}
		}
	}
	if left < 6 {
		t.Errorf("only %d trainings were left out", left)
	}
}
