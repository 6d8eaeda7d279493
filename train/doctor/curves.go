package doctor

import (
	"math"

	"ludus/checkpoints/zoo"
	"ludus/train/rundir"
)

// Curve is a series of one measurement by generation, with values to compare it with.
type Curve struct {
	Name        string    `json:"name"`
	Expected    string    `json:"expected"` // how it develops in a healthy run
	Generations []int     `json:"generations"`
	Values      []float64 `json:"values"`
	Shipped     *float64  `json:"shipped,omitempty"` // error of the shipped agent on its card's suite; nil: none
	Uniform     *float64  `json:"uniform,omitempty"` // loss of uniform play over the legal moves, in positions of the run's newest games; nil: none
	// Recorded holds the losses of a recorded training of the same game and about the same length, each after as much
	// training as the entry of Values. It is nil without such a training, or if this run starts from weights or has other
	// settings, and shorter than Values if the run trains longer.
	Recorded []float64 `json:"recorded,omitempty"`
}

// NewestRecorded returns the recorded loss that corresponds to the newest value; nil if there is none.
func (c *Curve) NewestRecorded() *float64 {
	if n := len(c.Values); n > 0 && n == len(c.Recorded) {
		return &c.Recorded[n-1]
	}
	return nil
}

// curves returns the run's curves, except those without values.
func (r *Run) curves() []Curve {
	return append(r.metricCurves(r.recordedLosses()), r.errorCurves()...)
}

// metricCurves returns the curves of the run's metrics, with recorded losses to compare.
func (r *Run) metricCurves(recorded zoo.Losses) (all []Curve) {
	add := func(name, expected string, value func(m *rundir.Metrics) float64, measured func(m *rundir.Metrics) bool, losses []float64) *Curve {
		c := Curve{Name: name, Expected: expected}
		for i := range r.Metrics {
			if m := &r.Metrics[i]; measured(m) {
				c.Generations, c.Values = append(c.Generations, m.Generation), append(c.Values, value(m))
				if y, ok := lossAt(recorded.Samples, losses, int(r.weight(m)*recorded.SamplesPerPosition)); ok {
					c.Recorded = append(c.Recorded, y)
				}
			}
		}
		if len(c.Values) == 0 {
			return &c
		}
		all = append(all, c)
		return &all[len(all)-1]
	}
	trained := func(m *rundir.Metrics) bool { return m.LearningRate > 0 }
	validated := func(m *rundir.Metrics) bool { return m.ValidationPolicyLoss > 0 }
	ended := func(m *rundir.Metrics) bool { return m.Games > 0 }
	uniform := &r.Newest.Policy.Uniform
	if r.Newest.Policy.Count == 0 {
		uniform = nil
	}
	add("policy loss", "falls, then follows the targets", policyLoss, trained, recorded.Policy).Uniform = uniform
	add("validation policy loss", "stays close to the policy loss", validationPolicyLoss, validated, recorded.ValidationPolicy).Uniform = uniform
	add("outcome loss", "falls", outcomeLoss, trained, recorded.Outcome)
	add("validation outcome loss", "falls, too; up to twice the outcome loss is usual", validationOutcomeLoss, validated, recorded.ValidationOutcome)
	add("policy entropy", "falls, but not to 0", func(m *rundir.Metrics) float64 { return m.PolicyEntropy },
		func(m *rundir.Metrics) bool { return m.PolicyEntropy > 0 }, recorded.Entropy)
	add("duplicate games", "stays well below 1", func(m *rundir.Metrics) float64 { return m.Duplicates }, ended, nil)
	return all
}

// recordedLosses returns the losses of the recorded training whose length is nearest to this run's, because learning rate
// and size of the network depend on the length. It is empty if there is none, or if the run is not comparable.
func (r *Run) recordedLosses() (nearest zoo.Losses) {
	card := zoo.CardOf(r.Game.Name)
	if card == nil || r.steps() == 0 || !r.plain() {
		return nearest
	}
	return r.nearest(card.Losses)
}

// plain reports whether the run starts from random weights and has the default settings, except for its network's size, which
// depends on the length.
func (r *Run) plain() bool {
	s, defaults := &r.Config.Settings, rundir.DefaultSettings(r.Game)
	defaults.Channels, defaults.Blocks = s.Channels, s.Blocks
	return r.Config.From == "" && len(s.Changed(defaults)) == 0
}

// nearest returns the losses of the recorded training whose length is nearest to this run's. The run has done training
// steps.
func (r *Run) nearest(all []zoo.Losses) (nearest zoo.Losses) {
	last := &r.Metrics[len(r.Metrics)-1]
	planned := r.weight(last) * float64(max(last.Generations, last.Generation)) / float64(last.Generation)
	least := math.Inf(1)
	for _, l := range all {
		if d := math.Abs(math.Log(planned * l.SamplesPerPosition / float64(l.Samples[len(l.Samples)-1]))); d < least {
			least, nearest = d, l
		}
	}
	return nearest
}

// weight is the number of samples up to a generation divided by samples_per_position. That equals the number of positions
// played until then, without validation games and with less weight for repeated positions.
func (r *Run) weight(m *rundir.Metrics) float64 {
	s := &r.Config.Settings
	return float64(m.Steps*s.BatchSize) / s.SamplesPerPosition
}

// lossAt interpolates a recorded loss at a number of samples. ok is false if the recorded training ended well before it.
func lossAt(samples []int, losses []float64, at int) (loss float64, ok bool) {
	const beyond = 1.1 // at may exceed the last recorded number by this factor: trainings of one length differ slightly in samples
	before := 0
	for i, y := range losses {
		switch {
		case y == 0: // not measured
			continue
		case samples[i] >= at && before == 0:
			return y, true
		case samples[i] >= at:
			return loss + (y-loss)*float64(at-before)/float64(samples[i]-before), true
		}
		before, loss = samples[i], y
	}
	return loss, before > 0 && float64(at) <= beyond*float64(before)
}

// errorCurves returns the shares of bad moves on the game's suite, without and with search.
func (r *Run) errorCurves() (all []Curve) {
	card := zoo.CardOf(r.Game.Name)
	for _, agent := range []struct{ name, title, onCard string }{{"policy", "policy alone", "policy:zoo"}, {"net", "with search", "zoo"}} {
		c := Curve{Name: "suite error, " + agent.title, Expected: "falls"}
		if card != nil {
			if e := card.Find("shipped", agent.onCard); e != nil {
				c.Shipped = &e.Error.Value
			}
		}
		for _, s := range r.Suite {
			if s.Agent == agent.name {
				c.Generations, c.Values = append(c.Generations, s.Generation), append(c.Values, s.Error)
			}
		}
		if len(c.Values) > 0 {
			all = append(all, c)
		}
	}
	return all
}

func policyLoss(m *rundir.Metrics) float64            { return m.PolicyLoss }
func outcomeLoss(m *rundir.Metrics) float64           { return m.OutcomeLoss }
func validationPolicyLoss(m *rundir.Metrics) float64  { return m.ValidationPolicyLoss }
func validationOutcomeLoss(m *rundir.Metrics) float64 { return m.ValidationOutcomeLoss }

// series returns the values of a loss, for the generations that measured it. A loss of 0 is not measured.
func (r *Run) series(loss func(m *rundir.Metrics) float64) (values []float64) {
	for i := range r.Metrics {
		if x := loss(&r.Metrics[i]); x > 0 {
			values = append(values, x)
		}
	}
	return values
}

// recent is the mean of a loss over the newest fifth of the generations that measured it; 0 without any.
func (r *Run) recent(loss func(m *rundir.Metrics) float64) float64 {
	values := r.series(loss)
	mean, _ := meanAndError(values[len(values)-(len(values)+4)/5:])
	return mean
}

// falling reports whether the losses fall: the mean over the newest fifth of the generations lies below that of the
// fifth before by more than twice the standard error of the difference. This is a rule of thumb, since neighbouring
// generations train on much the same games.
func (r *Run) falling() bool {
	values := r.series(func(m *rundir.Metrics) float64 { return m.ValidationPolicyLoss + m.ValidationOutcomeLoss })
	if len(values) == 0 {
		values = r.series(func(m *rundir.Metrics) float64 { return m.PolicyLoss + m.OutcomeLoss })
	}
	n := len(values) / 5
	if n < 3 {
		return false
	}
	newest, newestError := meanAndError(values[len(values)-n:])
	before, beforeError := meanAndError(values[len(values)-2*n : len(values)-n])
	return before-newest > 2*math.Hypot(newestError, beforeError)
}

// meanAndError returns the mean of values and its standard error; 0 without any.
func meanAndError(values []float64) (mean, standardError float64) {
	n := float64(max(1, len(values)))
	for _, x := range values {
		mean += x / n
	}
	squares := 0.0
	for _, x := range values {
		squares += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(squares / max(1, n-1) / n)
}
