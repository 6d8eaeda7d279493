package watch

import (
	"reflect"
	"slices"
	"time"

	"ludus/cmd/ludus/internal/report"
	"ludus/train/rundir"
)

// View is everything that a run's page shows. A run that cannot be read has only Run.
type View struct {
	Run Entry `json:"run"`
	report.Page
	Matches     []rundir.MatchResult `json:"matches"`     // newest first, at most maxRows
	Suite       []rundir.SuiteResult `json:"suite"`       // likewise
	Checkpoints []int                `json:"checkpoints"` // generations, ascending
	// Workers is the state of the workers of a run that trains; nil if it has none.
	Workers *rundir.WorkersStatus `json:"workers,omitempty"`
}

// maxRows limits the tables of a view.
const maxRows = 300

// viewedRun is a run that is being viewed.
type viewedRun struct {
	entry   *entryReader
	run     *report.Run // nil if it cannot be read
	view    *View       // newest version
	checked time.Time   // when view was last known to be current
}

// refresh replaces v.view by a new view if anything changed. If the run cannot be read, the view's entry says why.
func (v *viewedRun) refresh() {
	entry := v.entry.refresh()
	changed, err := v.refreshRun(entry)
	if err != nil && entry.Problem == "" {
		entry.State, entry.Problem = Broken, err.Error()
	}
	v.checked = time.Now()
	workers := v.readWorkers(entry)
	switch {
	case changed || v.view == nil:
		v.view = newView(v.run)
	case v.view.Run == entry && reflect.DeepEqual(v.view.Workers, workers):
		return
	default:
		v.view = new(*v.view)
	}
	v.view.Run, v.view.Workers = entry, workers
}

// oldWorkers is the age from which on a workers.json says nothing: a run rewrites it every two seconds.
const oldWorkers = 30 * time.Second

// readWorkers returns the state of the run's workers; nil if it has none or does not train.
func (v *viewedRun) readWorkers(entry Entry) *rundir.WorkersStatus {
	if entry.State != Training {
		return nil
	}
	s, err := rundir.ReadWorkers(v.entry.dir)
	if err != nil || time.Since(time.Unix(s.Time, 0)) > oldWorkers {
		return nil
	}
	return s
}

// refreshRun reads new files and lines of the run, opening it if necessary. It closes the run on an error, or if the
// entry says that it is broken or starting. changed reports new data, opening or closing.
func (v *viewedRun) refreshRun(entry Entry) (changed bool, err error) {
	before := v.run
	switch {
	case entry.State == Broken || entry.State == Starting:
		v.run = nil
	case before == nil:
		v.run, err = report.ReadRun(v.entry.dir)
	default:
		if changed, err = before.Refresh(); err != nil {
			v.run = nil
		}
	}
	return changed || v.run != before, err
}

// newView makes a view that shares nothing mutable with the run. Without a run it is empty.
func newView(run *report.Run) *View {
	if run == nil {
		return new(View)
	}
	v := &View{Page: *run.Page(), Matches: newestFirst(run.Matches), Suite: newestFirst(run.Suite)}
	v.Checkpoints, _ = rundir.Checkpoints(run.Dir).List() // none if they cannot be listed
	return v
}

// newestFirst returns a copy of the last maxRows rows, newest first.
func newestFirst[T any](rows []T) []T {
	rows = slices.Clone(rows[max(0, len(rows)-maxRows):])
	slices.Reverse(rows)
	return rows
}
