package doctor

import (
	"fmt"
	"slices"
)

// Finding is a likely cause of poor learning.
type Finding struct {
	Cause    string `json:"cause"`    // a few words, such as "learning rate too high"
	Evidence string `json:"evidence"` // a sentence with numbers
	Fix      string `json:"fix"`      // a sentence with the setting or the place in the code
}

// Diagnosis is the result of [Diagnose]: how well a run learns, and why not.
type Diagnosis struct {
	Game       string    `json:"game"`
	Generation int       `json:"generation"` // the newest generation
	Steps      int       `json:"steps"`      // training steps so far
	Parameters int       `json:"parameters"` // number of the network's parameters; 0 if no checkpoint can be read
	Findings   []Finding `json:"findings"`   // the most likely cause first; none for a healthy run
	Early      bool      `json:"early"`      // the run has trained too little to tell
	Status     string    `json:"status"`     // one sentence: whether the run still learns

	Games   Games    `json:"games"`   // variety of the newest games
	Newest  Accuracy `json:"newest"`  // the run's newest network on positions of these games
	Shipped Accuracy `json:"shipped"` // the game's shipped network on the same positions, without Policy; zero if none is shipped
	Curves  []Curve  `json:"curves"`
}

// Diagnose finds the most likely causes why a run does not learn.
func Diagnose(r *Run) *Diagnosis {
	d := &Diagnosis{
		Game: r.Game.Name, Parameters: r.Parameters, Findings: []Finding{}, Early: r.steps() < fewSteps, Status: r.status(),
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

// status says in a sentence whether the run still learns. Losses alone do not tell: they may rise while play gets better,
// because the targets get harder.
func (r *Run) status() string {
	const longer = "train longer (the same command with a larger --time or --generations)."
	before, stronger := r.stronger()
	switch {
	case r.steps() == 0:
		return "The run has not trained yet."
	case r.steps() < fewSteps:
		return fmt.Sprintf("The run has done %d training steps. Look again after %d.", r.steps(), fewSteps)
	case stronger:
		return fmt.Sprintf("Play has become stronger since generation %d: %s", before, longer)
	case r.examined() && r.gain() > allLearned:
		return "The network has learned nearly all that its search finds: longer training will hardly help."
	case r.falling():
		return "The losses still fall: " + longer
	case before > 0:
		return fmt.Sprintf("Since generation %d play has not become stronger beyond chance, and over the newest two fifths of the run the losses "+
			"did not fall beyond chance. To see smaller differences, rate the run with more games (ludus rate RUN); or %s", before, longer)
	}
	return "Over the newest two fifths of the run the losses did not fall beyond chance; ratings show whether play still gets better (ludus rate RUN)."
}

// measurement is the interval of a checkpoint's strength; higher values are stronger.
type measurement struct {
	generation int
	low, high  float64
}

// stronger reports whether the newest generation plays better than generation before, the last measured one of the run's
// first half: their intervals of rating, or else of suite error, do not overlap. before is 0 if there is none.
func (r *Run) stronger() (before int, yes bool) {
	all := r.ratings()
	if len(all) < 2 {
		all = r.accuracies()
	}
	if len(all) < 2 {
		return 0, false
	}
	newest := all[len(all)-1]
	for _, m := range slices.Backward(all) {
		if 2*m.generation <= newest.generation {
			return m.generation, newest.low > m.high
		}
	}
	return 0, false
}

// ratings returns the ratings of the run's checkpoints by generation.
func (r *Run) ratings() (all []measurement) {
	for _, a := range r.Ratings {
		if a.Generation != nil && *a.Generation > 0 {
			all = append(all, measurement{*a.Generation, a.Low, a.High})
		}
	}
	slices.SortFunc(all, func(a, b measurement) int { return a.generation - b.generation })
	return all
}

// accuracies returns, by generation, the share of moves with search that keep the value on the suite.
func (r *Run) accuracies() (all []measurement) {
	for _, s := range r.Suite {
		if s.Agent == "net" {
			all = append(all, measurement{s.Generation, 1 - s.High, 1 - s.Low})
		}
	}
	return all
}
