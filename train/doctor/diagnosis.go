package doctor

import "fmt"

// Finding is a likely cause of poor learning.
type Finding struct {
	Cause    string `json:"cause"`    // a few words, such as "learning rate too high"
	Evidence string `json:"evidence"` // a sentence with numbers
	Fix      string `json:"fix"`      // a sentence with the setting or the place in the code
}

// Diagnosis says how a run does.
type Diagnosis struct {
	Game       string    `json:"game"`
	Generation int       `json:"generation"` // newest
	Steps      int       `json:"steps"`      // of training
	Parameters int       `json:"parameters"` // of the network; 0 if no checkpoint can be read
	Findings   []Finding `json:"findings"`   // the most likely cause first; none for a healthy run
	Status     string    `json:"status"`     // whether the run still learns, in one sentence

	Games   Games    `json:"games"`   // the newest ones
	Newest  Accuracy `json:"newest"`  // the run's newest network in positions of these games
	Shipped Accuracy `json:"shipped"` // the game's shipped network in the same positions; zero if none is shipped
	Curves  []Curve  `json:"curves"`
}

// Diagnose names the most likely causes why a run does not learn.
func Diagnose(r *Run) *Diagnosis {
	d := &Diagnosis{
		Game: r.Game.Name, Parameters: r.Parameters, Findings: []Finding{}, Status: r.status(),
		Games: r.Games, Newest: r.Newest, Shipped: r.Shipped, Curves: r.curves(),
	}
	if n := len(r.Metrics); n > 0 {
		d.Generation, d.Steps = r.Metrics[n-1].Generation, r.Metrics[n-1].Steps
	}
	for _, check := range checks {
		if f := check(r); f != nil {
			d.Findings = append(d.Findings, *f)
		}
	}
	return d
}

// status says in one sentence whether the run still learns.
func (r *Run) status() string {
	switch {
	case r.steps() == 0:
		return "The run has not trained yet."
	case r.steps() < fewSteps:
		return fmt.Sprintf("It is too early to tell: the run has done %d training steps; look again after %d.", r.steps(), fewSteps)
	case r.falling():
		return "The losses still fall: train longer (the same command with a larger --time or --generations)."
	}
	return "The losses no longer fall."
}
