package doctor

import (
	"math"

	"ludus/checkpoints/zoo"
	"ludus/train/rundir"
)

// Curve is a series of one measurement by generation, with values to compare it with.
type Curve struct {
	Name        string    `json:"name"`
	Unit        string    `json:"unit,omitempty"` // of Values and Shipped: "%", or "" for losses in nats and shares
	Expected    string    `json:"expected"`       // how it develops in a healthy run
	Generations []int     `json:"generations"`
	Values      []float64 `json:"values"`
	Shipped     *float64  `json:"shipped,omitempty"` // error of the shipped agent on its card's suite; nil: none
	Uniform     *float64  `json:"uniform,omitempty"` // loss of uniform play over the legal moves, in positions of the run's newest games; nil: none
	// Recorded holds the losses of a recorded training of the same game and about the same length, each after as much
	// training as the entry of Values. It is nil without such a training, or if this run starts from weights or has
	// other settings, and shorter than Values if the run trains longer.
	Recorded []float64 `json:"recorded,omitempty"`
}

// NewestRecorded returns the recorded loss that corresponds to the newest value; nil if there is none.
func (c *Curve) NewestRecorded() *float64 {
	if n := len(c.Values); n > 0 && n == len(c.Recorded) {
		return &c.Recorded[n-1]
	}
	return nil
}

// metricCurves returns the curves of the run's metrics on its largest board so far, with recorded losses to compare.
func (r *run) metricCurves(recorded zoo.Losses) (all []Curve) {
	uniform := &r.targets.uniform
	if r.targets.games == 0 {
		uniform = nil
	}
	for _, c := range []struct {
		name, expected string
		value          func(m *rundir.Metrics) float64
		recorded       []float64
		uniform        *float64
		zero           bool // it may be 0; otherwise 0 is not measured
	}{
		{"policy loss", "falls, then follows the targets", policyLoss, recorded.Policy, uniform, false},
		{"validation policy loss", "stays close to the policy loss", validationPolicyLoss, recorded.ValidationPolicy, uniform, false},
		{"outcome loss", "falls", outcomeLoss, recorded.Outcome, nil, false},
		{"validation outcome loss", "falls, too; up to twice the outcome loss is usual",
			func(m *rundir.Metrics) float64 { return m.ValidationOutcomeLoss }, recorded.ValidationOutcome, nil, false},
		{"policy entropy", "falls, but not to 0", func(m *rundir.Metrics) float64 { return m.PolicyEntropy }, recorded.Entropy, nil, false},
		{"duplicate games", "stays well below 1", func(m *rundir.Metrics) float64 { return m.Duplicates }, nil, nil, true},
	} {
		curve := Curve{Name: c.name, Expected: c.expected, Uniform: c.uniform}
		for i := range r.metrics {
			m := &r.metrics[i]
			x := c.value(m)
			if !r.onBoard(m) || x == 0 && !(c.zero && m.Games > 0) {
				continue
			}
			curve.Generations, curve.Values = append(curve.Generations, m.Generation), append(curve.Values, x)
			if y, ok := lossAt(recorded.Samples, c.recorded, int(r.weight(m)*recorded.SamplesPerPosition)); ok {
				curve.Recorded = append(curve.Recorded, y)
			}
		}
		if len(curve.Values) > 0 {
			all = append(all, curve)
		}
	}
	return all
}

// recordedLosses returns the losses of the recorded training whose length is nearest to this run's, because the
// learning rate depends on the length. It is empty if there is none, or if the run starts from weights, trains several
// sizes or has other settings.
func (r *run) recordedLosses() (nearest zoo.Losses) {
	card, own, plain := zoo.CardOf(rundir.TestedGame(r.suite, r.game)), r.config.Settings, rundir.DefaultSettings(r.game)
	plain.Channels, plain.Blocks = own.Channels, own.Blocks // recorded networks have 32 to 64 channels
	if card == nil || r.newest().Steps == 0 || r.config.From != "" || r.config.Import != nil || own.Sizes != 0 || len(own.Changed(plain)) > 0 {
		return nearest
	}
	return r.nearest(card.Losses)
}

// nearest returns the losses of the recorded training nearest in length to this run, which has done training steps.
func (r *run) nearest(all []zoo.Losses) (nearest zoo.Losses) {
	last := r.newest()
	planned := r.weight(&last) * float64(max(last.Generations, last.Generation)) / float64(last.Generation)
	least := math.Inf(1)
	for _, l := range all {
		if d := math.Abs(math.Log(planned * l.SamplesPerPosition / float64(l.Samples[len(l.Samples)-1]))); d < least {
			least, nearest = d, l
		}
	}
	return nearest
}

// weight is the number of samples up to a generation divided by samples_per_position. That equals the number of
// positions played until then, without validation games and with less weight for repeated positions.
func (r *run) weight(m *rundir.Metrics) float64 {
	s := &r.config.Settings
	return float64(m.Steps*s.BatchSize) / s.SamplesPerPosition
}

// lossAt interpolates a recorded loss at a number of samples. ok is false if the recorded training ended well before
// it.
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

// errorCurves returns the shares of bad moves on the run's suite, without and with search.
func (r *run) errorCurves() (all []Curve) {
	card := zoo.CardOf(rundir.TestedGame(r.suite, r.game))
	for _, agent := range []struct{ name, title, onCard string }{{"policy", "alone", "policy:zoo"}, {"net", "with search", "zoo"}} {
		c := Curve{Name: "errors in solved positions, " + agent.title, Unit: "%", Expected: "falls"}
		if card != nil {
			if e := card.Find("shipped", agent.onCard); e != nil {
				c.Shipped = new(100 * e.Error.Value)
			}
		}
		for _, s := range r.suite {
			if s.Agent == agent.name {
				c.Generations, c.Values = append(c.Generations, s.Generation), append(c.Values, 100*s.Error)
			}
		}
		if len(c.Values) > 0 {
			all = append(all, c)
		}
	}
	return all
}
