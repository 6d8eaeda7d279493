package watch

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"ludus/cmd/ludus/internal/report"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// States of a run.
const (
	Starting   = "starting" // training prepares its plan
	Training   = "training"
	Evaluating = "evaluating" // trained; matches are played
	Finished   = "finished"
	Stopped    = "stopped" // training can continue
	Broken     = "broken"  // it cannot be read
)

// Entry is a run in the list.
type Entry struct {
	Name        string  `json:"name"`
	Title       string  `json:"title"` // the name to show
	Game        string  `json:"game"`
	Agent       string  `json:"agent"`          // spec of the newest checkpoint's agent; "" if there is none
	Best        string  `json:"best,omitempty"` // spec of the best checkpoint's agent; "" if there is none
	State       string  `json:"state"`
	Problem     string  `json:"problem,omitempty"`   // why the run is broken
	Generation  int     `json:"generation"`          // completed
	Generations int     `json:"generations"`         // planned, or completed when the time was over
	Games       int     `json:"games"`               // of self-play, completed
	Rating      Rating  `json:"rating,omitzero"`     // of the best checkpoint
	Untrained   bool    `json:"untrained,omitempty"` // it has hardly trained: no step, or few generations, none of them rated
	Left        float64 `json:"left,omitempty"`      // seconds of training left, estimated; 0 is unknown
	Changed     int64   `json:"changed,omitempty"`   // when the last generation ended or the run was created, Unix time
	Curve       *Curve  `json:"curve,omitempty"`     // nil if there is none
}

// Kinds of curves.
const (
	RatingCurve = "rating" // Elo of the rated checkpoints
	LossCurve   = "loss"   // policy loss plus outcome loss on the validation set, in nats
)

// Curve is a run's learning curve with few points: ratings if two checkpoints have one, else losses.
type Curve struct {
	Kind        string    `json:"kind"`
	Generations []int     `json:"generations"` // ascending
	Values      []float64 `json:"values"`
}

// Rating is a checkpoint's rating in Elo with its 95 % interval.
type Rating struct {
	Generation int     `json:"generation"`
	Value      float64 `json:"value"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

const gone = "its folder is gone: deleted, moved or renamed"

// runReader keeps a run's entry and view current. It reads only what is new in the run's files.
type runReader struct {
	root, dir   string // the watched directory and the run's
	name, title string
	run         *report.Run // nil if it cannot be read
	entry       Entry
	workers     *rundir.WorkersStatus
	newest      *View     // nil if out of date
	checked     time.Time // when the files were last checked for changes
}

func newRunReader(root, name string) *runReader {
	r := &runReader{root: root, dir: filepath.Join(root, filepath.FromSlash(name)), name: name, title: name}
	if absolute, err := filepath.Abs(r.dir); err == nil && name == "." {
		r.title = filepath.Base(absolute)
	}
	return r
}

// refresh reads what is new and returns the current entry.
func (r *runReader) refresh() Entry {
	entry, changed := r.read()
	workers := r.readWorkers(entry.State)
	if changed || !reflect.DeepEqual(entry, r.entry) || !reflect.DeepEqual(workers, r.workers) {
		r.newest = nil
	}
	r.entry, r.workers, r.checked = entry, workers, time.Now()
	return entry
}

// read reads what is new in the run's files. A run whose directory is a link out of r.root is Broken.
func (r *runReader) read() (e Entry, changed bool) {
	_, err := Resolve(r.root, filepath.FromSlash(r.name))
	switch {
	case err != nil:
		r.run = nil
	case r.run == nil:
		r.run, err = report.ReadRun(r.dir)
		changed = true
	default:
		if changed, err = r.run.Refresh(); err != nil {
			r.run = nil
		}
	}
	e = Entry{Name: r.name, Title: r.title, State: Broken}
	switch {
	case err == nil:
		e.summarise(r.run, rundir.Locked(r.dir))
	case errors.Is(err, fs.ErrNotExist):
		e.Problem = gone
	case !errors.Is(err, ErrOutside) && rundir.Locked(r.dir): // its files are not written yet
		e.State = Starting
	default:
		e.Problem = err.Error()
	}
	return e, changed
}

// trainedGenerations is the number of generations from which on a run without ratings counts as trained. Most runs have
// 60 generations or more.
const trainedGenerations = 10

// summarise fills the entry from a run. running says whether a process trains or evaluates it.
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
	e.rate(run)
	e.Curve = curveOf(run)
	e.Untrained = steps == 0 || e.Rating.Generation == 0 && e.Generation < trainedGenerations
	trained := e.Generation >= e.Generations
	switch {
	case running && trained:
		e.State = Evaluating
	case running:
		e.State, e.Left = Training, secondsLeft(run)
	case trained:
		e.State = Finished
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

// maxLeft, in seconds, is more than any run takes; estimates from damaged files may exceed it.
const maxLeft = 1e9

// secondsLeft estimates the seconds of training left from the last ten generations; 0 is unknown.
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

// rate sets the entry's rating to that of the best checkpoint still on disk, or of the best one if all are gone.
func (e *Entry) rate(run *report.Run) {
	if run.Ratings == nil {
		return
	}
	best := run.Ratings.Best()
	if len(best) == 0 {
		return
	}
	i := slices.IndexFunc(best, func(b rundir.Rating) bool { return slices.Contains(run.Checkpoints, *b.Generation) })
	if i >= 0 {
		e.Best = agent.NetSpec(e.Name).String() + "@best"
	}
	b := &best[max(i, 0)]
	e.Rating = Rating{*b.Generation, b.Rating, b.Low, b.High}
}

const (
	curvePoints = 40  // the most points of a curve
	maxLoss     = 1e6 // more than any loss in nats; sums of losses from damaged files may exceed it
)

// curveOf returns a run's learning curve, nil if it has fewer than two points.
func curveOf(run *report.Run) *Curve {
	values := make(map[int]float64) // by generation
	if run.Ratings != nil {
		for _, a := range run.Ratings.Agents {
			if a.Generation != nil {
				values[*a.Generation] = a.Rating
			}
		}
	}
	kind := RatingCurve
	if len(values) < 2 {
		kind = LossCurve
		clear(values)
		for i := range run.Generations {
			g := &run.Generations[i]
			if loss := g.ValidationPolicyLoss + g.ValidationOutcomeLoss; loss > 0 && loss < maxLoss {
				values[g.Generation] = loss
			}
		}
	}
	if len(values) < 2 {
		return nil
	}
	curve := &Curve{Kind: kind}
	generations := slices.Sorted(maps.Keys(values))
	n := min(len(generations), curvePoints)
	for i := range n {
		g := generations[i*(len(generations)-1)/(n-1)]
		curve.Generations, curve.Values = append(curve.Generations, g), append(curve.Values, values[g])
	}
	return curve
}
