package watch

import (
	"errors"
	"slices"
	"time"

	"ludus/cmd/ludus/internal/report"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// View is everything that a run's page shows. A run that cannot be read has only Run.
type View struct {
	Run Entry `json:"run"`
	report.Page
	Matches     []rundir.MatchResult `json:"matches"`     // newest first, at most maxRows
	Suite       []rundir.SuiteResult `json:"suite"`       // likewise
	Checkpoints []int                `json:"checkpoints"` // generations, ascending
}

// maxRows limits the tables of a view.
const maxRows = 300

// viewedRun is a run that somebody looks at.
type viewedRun struct {
	run     *report.Run // nil if it could not be read
	view    *View       // newest version
	err     error       // why run could not be read
	retryAt time.Time   // when to try again
}

// retryInterval is the time between attempts to read a run that cannot be read.
const retryInterval = 2 * time.Second

var errStarting = errors.New("the run has no files to read yet")

// refreshView returns a new view of a run, nil if nothing changed.
func (w *Watcher) refreshView(name string) *View {
	v := w.viewed[name]
	if v == nil {
		v = new(viewedRun)
		w.viewed[name] = v
	}
	reader := w.readerOf(name)
	entry := reader.refresh()
	unreadable := reader.outside
	if entry.State == Starting {
		unreadable = errStarting
	}
	changed, err := v.refresh(reader.dir, unreadable)
	if err != nil && entry.State != Starting && entry.Problem == "" {
		entry.State, entry.Problem = Broken, err.Error()
	}
	switch {
	case changed || v.view == nil:
		v.view = newView(v.run)
	case v.view.Run == entry:
		return nil
	default:
		v.view = new(*v.view)
	}
	v.view.Run = entry
	return v.view
}

// refresh reads what is new, unless unreadable says why the run must not be read.
func (v *viewedRun) refresh(dir string, unreadable error) (changed bool, err error) {
	if v.run != nil {
		if err = unreadable; err == nil {
			changed, err = v.run.Refresh()
		}
		if err == nil {
			return changed, nil
		}
		v.run, v.err, v.retryAt = nil, err, time.Now().Add(retryInterval)
		return true, err
	}
	if unreadable != nil {
		v.retryAt = time.Time{} // as soon as it becomes readable
		return false, unreadable
	}
	if time.Now().Before(v.retryAt) {
		return false, v.err
	}
	v.retryAt = time.Now().Add(retryInterval)
	v.run, v.err = report.ReadRun(dir)
	return v.err == nil, v.err
}

// newView makes a view that shares nothing mutable with the run. Without a run it is empty.
func newView(run *report.Run) *View {
	if run == nil {
		return new(View)
	}
	v := &View{Page: *run.Page(), Matches: newestFirst(run.Matches)}
	v.Suite = newestFirst(slices.DeleteFunc(slices.Clone(run.Suite), func(s rundir.SuiteResult) bool {
		return s.Positions < suite.MinPositions
	}))
	v.Checkpoints, _ = rundir.Checkpoints(run.Dir).List() // none if they cannot be listed
	return v
}

func newestFirst[T any](rows []T) []T {
	rows = slices.Clone(rows[max(0, len(rows)-maxRows):])
	slices.Reverse(rows)
	return rows
}
