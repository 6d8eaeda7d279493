package doctor

import (
	"math"

	"ludus/checkpoints/zoo"
	"ludus/train"
	"ludus/train/forecast"
	"ludus/train/rundir"
)

// Curve is a number by generation, and what to compare it with.
type Curve struct {
	Name        string    `json:"name"`
	Expected    string    `json:"expected"` // what it does in a healthy run
	Generations []int     `json:"generations"`
	Values      []float64 `json:"values"`
	// The shipped agent's value: a loss in positions of the run's newest games, an error on the card's suite; nil: none.
	Shipped *float64 `json:"shipped,omitempty"`
	Uniform *float64 `json:"uniform,omitempty"` // of uniform play over the legal moves, in the same positions; nil: none
	// Recorded is what recorded trainings of the game had reached after as much training as each of Values; nil: none, or
	// none that this run can be compared with (see train.WhyNotPlain).
	Recorded []float64 `json:"recorded,omitempty"`
}

// curves returns the run's curves, without those that it has no values of.
func (r *Run) curves() (all []Curve) {
	add := func(c Curve, value func(m *rundir.Metrics) float64, measured func(m *rundir.Metrics) bool) {
		for i := range r.Metrics {
			if m := &r.Metrics[i]; measured(m) {
				c.Generations, c.Values = append(c.Generations, m.Generation), append(c.Values, value(m))
			}
		}
		if len(c.Values) > 0 {
			all = append(all, c)
		}
	}
	trained := func(m *rundir.Metrics) bool { return m.LearningRate > 0 }
	validated := func(m *rundir.Metrics) bool { return m.ValidationPolicyLoss > 0 }
	ended := func(m *rundir.Metrics) bool { return m.Games > 0 }
	policy := Curve{Name: "policy loss", Expected: "falls, then follows the targets", Uniform: &r.Newest.Policy.Uniform}
	validation := Curve{Name: "validation policy loss", Expected: "stays close to the policy loss", Uniform: policy.Uniform}
	entropy := Curve{Name: "policy entropy", Expected: "falls, but not to 0"}
	if r.Newest.Policy.Count == 0 {
		policy.Uniform, validation.Uniform = nil, nil
	}
	if p := &r.Shipped.Policy; p.Count > 0 {
		policy.Shipped, validation.Shipped = &p.Loss, &p.Loss
	}
	add(policy, policyLoss, trained)
	add(validation, validationPolicyLoss, validated)
	add(Curve{Name: "outcome loss", Expected: "falls"}, outcomeLoss, trained)
	add(Curve{Name: "validation outcome loss", Expected: "stays close to the outcome loss"}, validationOutcomeLoss, validated)
	add(entropy, func(m *rundir.Metrics) float64 { return m.PolicyEntropy }, func(m *rundir.Metrics) bool { return m.PolicyEntropy > 0 })
	add(Curve{Name: "duplicate games", Expected: "stays well below 1"}, func(m *rundir.Metrics) float64 { return m.Duplicates }, ended)
	return append(all, r.errorCurves()...)
}

// errorCurves returns the errors on the game's suite, without and with search.
func (r *Run) errorCurves() (all []Curve) {
	var recorded *forecast.Curve
	card := zoo.CardOf(r.Game.Name)
	if card != nil && train.WhyNotPlain(r.Game, r.Config) == "" {
		recorded = forecast.NewCurve(card.Curve)
	}
	for _, agent := range []struct{ name, title, onCard string }{{"policy", "policy alone", "policy:zoo"}, {"net", "with search", "zoo"}} {
		c := Curve{Name: "suite error, " + agent.title, Expected: "falls"}
		if card != nil {
			if e := card.Find("shipped", agent.onCard); e != nil {
				c.Shipped = &e.Error.Value
			}
		}
		for _, s := range r.Suite {
			if s.Agent != agent.name {
				continue
			}
			c.Generations, c.Values = append(c.Generations, s.Generation), append(c.Values, s.Error)
			if work := r.work(s.Generation); recorded != nil && work > 0 {
				e := recorded.Strength(work)
				if agent.name == "policy" {
					e.Search = e.Alone
				}
				c.Recorded = append(c.Recorded, e.Search.Value)
			}
		}
		if len(c.Recorded) < len(c.Values) {
			c.Recorded = nil
		}
		if len(c.Values) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// work is the amount of training up to a generation, as package forecast measures it.
func (r *Run) work(generation int) float64 {
	s, steps := &r.Config.Settings, 0
	for i := range r.Metrics {
		if r.Metrics[i].Generation <= generation {
			steps = r.Metrics[i].Steps
		}
	}
	return forecast.Work(steps*s.BatchSize, s.Channels, s.Blocks)
}

func policyLoss(m *rundir.Metrics) float64            { return m.PolicyLoss }
func outcomeLoss(m *rundir.Metrics) float64           { return m.OutcomeLoss }
func validationPolicyLoss(m *rundir.Metrics) float64  { return m.ValidationPolicyLoss }
func validationOutcomeLoss(m *rundir.Metrics) float64 { return m.ValidationOutcomeLoss }

// series returns a loss in the generations that measured it; losses of 0 are not measured.
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
