package doctor

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ludus/train/rundir"
)

// Diagnosis says how well a run learns, and why not.
type Diagnosis struct {
	Game       string    `json:"game"`
	Generation int       `json:"generation"` // the newest generation
	Steps      int       `json:"steps"`      // training steps so far
	Findings   []Finding `json:"findings"`   // the most likely cause first; none for a healthy run
	Early      bool      `json:"early"`      // the run has trained too little to tell
	Status     string    `json:"status"`     // one or two sentences: whether the run still learns
	Curves     []Curve   `json:"curves"`     // those that have values
}

// Diagnose finds the most likely causes why a run does not learn. It reads the run directory without its lock, so the run
// may be in training, and leaves out lines, games and ratings that it cannot read. Without a config.json the error wraps
// [rundir.ErrNoRun] and fs.ErrNotExist.
func Diagnose(dir string) (*Diagnosis, error) {
	r, err := read(dir)
	if err != nil {
		return nil, err
	}
	return r.diagnose(), nil
}

// diagnose is Diagnose for a run that has been read.
func (r *run) diagnose() *Diagnosis {
	m := r.newest()
	return &Diagnosis{
		Game: r.game.Name, Generation: m.Generation, Steps: m.Steps, Findings: r.findings(), Early: m.Steps < fewSteps,
		Status: r.status(), Curves: append(r.metricCurves(r.recordedLosses()), r.errorCurves()...),
	}
}

// status says whether the run still learns. Losses alone do not tell: they may rise while play gets better, because the
// targets get harder.
func (r *run) status() string {
	const (
		longer = "train longer (the same command with a larger --time or --generations)."
		nearly = 0.98 // share of the policy targets that leaves hardly anything to learn
	)
	steps, validation := r.newest().Steps, r.recent(validationPolicyLoss)
	before, stronger := r.stronger()
	switch {
	case steps == 0:
		return "The run has not trained yet."
	case steps < fewSteps:
		return fmt.Sprintf("The run has done %d training steps. Look again after %d.", steps, fewSteps)
	case stronger:
		return fmt.Sprintf("Play has become stronger since generation %d: %s", before, longer)
	case r.targets.games >= fewGames && validation > 0 && r.targets.learned(validation) > nearly:
		return "The network has learned nearly all that its search finds: longer training will hardly help."
	case r.falling():
		return "The losses still fall: " + longer
	case before > 0:
		return fmt.Sprintf("Since generation %d play has not become stronger beyond chance, and over the newest two fifths of the run the losses "+
			"did not fall beyond chance. To see smaller differences, rate the run with more games (ludus rate RUN); or %s", before, longer)
	}
	return "Over the newest two fifths of the run the losses did not fall beyond chance; ratings show whether play still gets better (ludus rate RUN)."
}

// falling reports whether the losses fall: the mean over the newest fifth of the generations lies below that of the
// fifth before by more than twice the standard error of the difference. This is a rule of thumb, since neighbouring
// generations train on much the same games.
func (r *run) falling() bool {
	values := r.series(func(m *rundir.Metrics) float64 { return m.ValidationPolicyLoss + m.ValidationOutcomeLoss })
	if len(values) == 0 {
		values = r.series(func(m *rundir.Metrics) float64 { return m.PolicyLoss + m.OutcomeLoss })
	}
	all, n := len(values), len(values)/5
	if n < 3 {
		return false
	}
	newest, varianceNewest := stat.MeanVariance(values[all-n:], nil)
	before, varianceBefore := stat.MeanVariance(values[all-2*n:all-n], nil)
	return before-newest > 2*math.Sqrt((varianceNewest+varianceBefore)/float64(n))
}

// measurement is the interval of a checkpoint's strength; higher values are stronger.
type measurement struct {
	generation int
	low, high  float64
}

// stronger reports whether the newest generation plays better than generation before, the last measured one of the run's
// first half: their intervals of rating, or else of suite error, do not overlap. before is 0 if there is none.
func (r *run) stronger() (before int, yes bool) {
	all := r.rated()
	if len(all) < 2 {
		all = r.tested()
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

// rated returns the ratings of the run's checkpoints by generation.
func (r *run) rated() (all []measurement) {
	for _, a := range r.ratings {
		if a.Generation != nil && *a.Generation > 0 {
			all = append(all, measurement{*a.Generation, a.Low, a.High})
		}
	}
	slices.SortFunc(all, func(a, b measurement) int { return a.generation - b.generation })
	return all
}

// tested returns, by generation, the share of moves with search that keep the value on the suite.
func (r *run) tested() (all []measurement) {
	for _, s := range r.suite {
		if s.Agent == "net" {
			all = append(all, measurement{s.Generation, 1 - s.High, 1 - s.Low})
		}
	}
	return all
}
