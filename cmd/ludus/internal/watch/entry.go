package watch

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ludus/cmd/ludus/internal/report"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// States of a run in the list.
const (
	Starting   = "starting" // training is preparing its plan
	Training   = "training"
	Evaluating = "evaluating" // training is complete, matches are being played
	Finished   = "finished"
	Stopped    = "stopped"  // not in training; training can continue
	Diverged   = "diverged" // not in training, since its losses left all bounds
	Broken     = "broken"   // the run cannot be read
)

// Entry is a run in the list.
type Entry struct {
	Name        string `json:"name"`
	Title       string `json:"title"` // name to show
	Game        string `json:"game"`
	Agent       string `json:"agent"`          // spec of the newest checkpoint's agent; "" if there is none
	Best        string `json:"best,omitempty"` // spec of the best checkpoint's agent, if ratings say that the newest is not
	State       string `json:"state"`
	Problem     string `json:"problem,omitempty"` // why the run is broken
	Generation  int    `json:"generation"`        // last completed generation
	Generations int    `json:"generations"`       // planned number, or the completed number if the time was over
	Games       int    `json:"games"`             // completed games of self-play
	// Score is the newest score against the run's opponent; nil if there is none.
	Score     *rundir.Score  `json:"score,omitempty"`
	Scores    []rundir.Score `json:"scores,omitempty"`    // all scores, by generation
	Untrained bool           `json:"untrained,omitempty"` // no training step, or few generations and no score
	Left      float64        `json:"left,omitempty"`      // estimated seconds of training left; 0: unknown
	Changed   int64          `json:"changed,omitempty"`   // Unix time of the end of the last generation, or of the run's creation
	Curve     *Curve         `json:"curve,omitempty"`     // nil if there is none
}

// Kinds of curves.
const (
	ScoreCurve = "score" // scores against the run's opponent, in %
	LossCurve  = "loss"  // policy loss plus outcome loss on the validation set, in nats
)

// Curve is a run's learning curve, with few points: scores if at least leastPoints checkpoints have one, otherwise losses.
type Curve struct {
	Kind        string    `json:"kind"`
	Generations []int     `json:"generations"` // ascending
	Values      []float64 `json:"values"`
}

// runReader keeps the entry and the view of a run up to date. It reads only files that have changed.
type runReader struct {
	root, dir   string // the watched directory, and the run's directory
	name, title string
	run         *report.Run // nil if it cannot be read
	entry       Entry
	workers     *rundir.WorkersStatus
	page        *report.Page // nil if it must be made again
	checked     time.Time    // time of the last check for changed files
}

// newRunReader returns the reader of a run, given by its name below root; it has read nothing yet.
func newRunReader(root, name string) *runReader {
	r := &runReader{root: root, dir: filepath.Join(root, filepath.FromSlash(name)), name: name, title: name}
	if absolute, err := filepath.Abs(r.dir); err == nil && name == "." {
		r.title = filepath.Base(absolute)
	}
	return r
}

// refresh reads the files that have changed and returns the current entry.
func (r *runReader) refresh() Entry {
	entry, changed := r.read()
	r.entry = entry
	if changed {
		r.page = nil // must be made again
	}
	r.workers, r.checked = r.readWorkers(r.entry.State), time.Now()
	return r.entry
}

// read reads the run's files that have changed and makes the entry; changed reports whether there were any. A run whose
// directory is a symbolic link out of r.root is Broken.
func (r *runReader) read() (e Entry, changed bool) {
	_, err := Resolve(r.root, filepath.FromSlash(r.name))
	switch {
	case err != nil:
		r.run = nil
	case r.run == nil:
		r.run, err = report.ReadRun(r.dir)
		changed = true
	default:
		changed, err = r.run.Refresh()
		if err != nil {
			r.run = nil
		}
	}
	e = Entry{Name: r.name, Title: r.title, State: Broken}
	switch {
	case err == nil:
		e.summarise(r.run, rundir.Locked(r.dir))
	case errors.Is(err, fs.ErrNotExist):
		e.Problem = "its folder is gone: deleted, moved or renamed"
	case !errors.Is(err, ErrOutside) && rundir.Locked(r.dir): // a new run whose files are not written yet
		e.State = Starting
	default:
		e.Problem = err.Error()
	}
	return e, changed
}

// trainedGenerations is the number of generations after which a run without scores no longer counts as untrained. Most
// runs have 60 generations or more.
const trainedGenerations = 10

// summarise fills the entry from a run. running reports that a process trains or evaluates the run.
func (e *Entry) summarise(run *report.Run, running bool) {
	e.Game, e.Generations = run.Config.Game, run.Config.Plan.Last()
	e.Changed = modified(run.Dir, rundir.ConfigFile)
	steps := 0
	if last := run.Last(); last != nil {
		e.Generation, e.Games, steps = last.Generation, last.TotalGames, last.Steps
		e.Changed = modified(run.Dir, rundir.MetricsFile.Name)
	}
	if len(run.Checkpoints) > 0 {
		e.Agent = agent.NetSpec(e.Name).String()
	}
	if ids := run.Checkpoints; len(ids) > 0 && run.Ratings.Best(ids) != run.Newest() {
		e.Best = agent.NetSpec(e.Name).String() + "@best"
	}
	e.Scores = run.Scores()
	if n := len(e.Scores); n > 0 {
		e.Score = &e.Scores[n-1]
	}
	e.Curve = curveOf(run, e.Scores)
	e.Untrained = steps == 0 || e.Score == nil && e.Generation < trainedGenerations
	trained := e.Generation >= e.Generations
	switch {
	case running && trained:
		e.State = Evaluating
	case running:
		e.State, e.Left = Training, secondsLeft(run)
	case trained:
		e.State = Finished
	case run.Config.Plan.Diverged > e.Generation:
		e.State = Diverged
	default:
		e.State = Stopped
	}
}

// modified returns the Unix time of a file's last change, 0 if there is no such file.
func modified(dir, file string) int64 {
	info, err := os.Stat(filepath.Join(dir, file))
	if err != nil {
		return 0
	}
	return info.ModTime().Unix()
}

// maxLeft is an upper limit of the time left, in seconds: damaged files may give absurd estimates.
const maxLeft = 1e9

// secondsLeft estimates the seconds of training left from the speed of the last ten generations; 0: unknown.
func secondsLeft(run *report.Run) float64 {
	recent := run.Generations[max(0, len(run.Generations)-10):]
	if len(recent) == 0 {
		return 0
	}
	seconds := 0.0
	for _, g := range recent {
		seconds += g.PlaySeconds + g.SolveSeconds + g.LearnSeconds
	}
	last, plan := &recent[len(recent)-1], &run.Config.Plan
	missing := float64(plan.Last() - last.Generation)
	left := missing * seconds / float64(len(recent)) / max(1-run.Config.Settings.RatingShare, 0.1)
	if plan.Seconds > 0 && last.RunSeconds > 0 {
		left = min(left, max(plan.Seconds-last.RunSeconds, 1))
	}
	if !(left >= 0 && left < maxLeft) {
		return 0
	}
	return left
}

const (
	leastPoints = 5   // fewer points look like a trend where there is none
	curvePoints = 40  // largest number of points
	maxLoss     = 1e6 // upper limit of a loss, in nats: damaged files may give absurd sums
)

// curveOf returns a run's learning curve, nil if it has fewer than leastPoints points.
func curveOf(run *report.Run, scores []rundir.Score) *Curve {
	values := make(map[int]float64) // by generation
	for _, s := range scores {
		values[s.Generation] = 100 * s.Value
	}
	kind := ScoreCurve
	if len(values) < leastPoints {
		kind = LossCurve
		clear(values)
		for i := range run.Generations {
			g := &run.Generations[i]
			if loss := g.ValidationPolicyLoss + g.ValidationOutcomeLoss; loss > 0 && loss < maxLoss {
				values[g.Generation] = loss
			}
		}
	}
	if len(values) < leastPoints {
		return nil
	}
	curve := &Curve{Kind: kind}
	generations := slices.Sorted(maps.Keys(values))
	n := min(len(generations), curvePoints)
	for i := range n {
		g := generations[i*(len(generations)-1)/(n-1)] // evenly spaced, with the first and the last
		curve.Generations, curve.Values = append(curve.Generations, g), append(curve.Values, values[g])
	}
	return curve
}
