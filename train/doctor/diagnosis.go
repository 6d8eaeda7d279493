package doctor

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"ludus/train/rundir"
)

// Diagnosis says how well a run learns, and why not.
type Diagnosis struct {
	Game       string    `json:"game"`
	Generation int       `json:"generation"` // the newest generation
	Steps      int       `json:"steps"`      // training steps so far
	Summary    Summary   `json:"summary"`
	Findings   []Finding `json:"findings"` // the most likely cause first; none for a healthy run
	Early      bool      `json:"early"`    // the run has trained too little to tell
	Curves     []Curve   `json:"curves"`   // those that have values
}

// Diagnose finds the most likely causes why a run does not learn. It reads the run directory without its lock, so the run
// may be in training, and leaves out lines and games that it cannot read. Without a config.json the error wraps
// [rundir.ErrNoRun] and fs.ErrNotExist.
func Diagnose(dir string) (*Diagnosis, error) {
	r, err := read(dir)
	if err != nil {
		return nil, err
	}
	return r.diagnose(rundir.Locked(dir)), nil
}

// diagnose is Diagnose for a run that has been read. training: a process trains it.
func (r *run) diagnose(training bool) *Diagnosis {
	m, findings := r.newest(), r.findings()
	return &Diagnosis{
		Game: r.game.Name, Generation: m.Generation, Steps: m.Steps, Summary: r.summarise(findings, training),
		Findings: findings, Early: m.Steps < fewSteps && len(findings) == 0,
		Curves: append(r.metricCurves(r.recordedLosses()), r.errorCurves()...),
	}
}

// peak is the highest learning rate of the run's generations; 0 before the first training step.
func (r *run) peak() (rate float64) {
	for i := range r.metrics {
		rate = max(rate, r.metrics[i].LearningRate)
	}
	return rate
}

// falling reports whether the losses fall while the learning rate is at its peak, since losses nearly always fall when it
// decays: the mean over the newest fifth of these generations lies below that of the fifth before by more than twice the
// standard error of the difference. This is a rule of thumb, since neighbouring generations train on much the same games.
func (r *run) falling() bool {
	peak := r.peak()
	atPeak := func(loss func(m *rundir.Metrics) float64) []float64 {
		return r.series(func(m *rundir.Metrics) float64 {
			if m.LearningRate < peak {
				return 0
			}
			return loss(m)
		})
	}
	values := atPeak(func(m *rundir.Metrics) float64 { return m.ValidationPolicyLoss + m.ValidationOutcomeLoss })
	if len(values) == 0 {
		values = atPeak(func(m *rundir.Metrics) float64 { return m.PolicyLoss + m.OutcomeLoss })
	}
	all, n := len(values), len(values)/5
	if n < 3 {
		return false
	}
	newest, varianceNewest := stat.MeanVariance(values[all-n:], nil)
	before, varianceBefore := stat.MeanVariance(values[all-2*n:all-n], nil)
	return before-newest > 2*math.Sqrt((varianceNewest+varianceBefore)/float64(n))
}
