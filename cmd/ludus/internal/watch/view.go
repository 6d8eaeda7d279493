package watch

import (
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

// view returns the run's view, at most viewInterval old.
func (r *runReader) view() *View {
	if time.Since(r.checked) >= viewInterval {
		r.refresh()
	}
	if r.newest != nil {
		return r.newest
	}
	r.newest = &View{Run: r.entry, Workers: r.workers}
	if run := r.run; run != nil { // the view shares nothing mutable with it
		r.newest.Page, r.newest.Checkpoints = *run.Page(), slices.Clone(run.Checkpoints)
		r.newest.Matches, r.newest.Suite = newestFirst(run.Matches), newestFirst(run.Suite)
	}
	return r.newest
}

// oldWorkers is the age from which on a workers.json says nothing: a run rewrites it every two seconds.
const oldWorkers = 30 * time.Second

// readWorkers returns the state of the run's workers; nil if it has none or does not train.
func (r *runReader) readWorkers(state string) *rundir.WorkersStatus {
	if state != Training {
		return nil
	}
	s, err := rundir.ReadWorkers(r.dir)
	if err != nil || time.Since(time.Unix(s.Time, 0)) > oldWorkers {
		return nil
	}
	return s
}

// newestFirst returns a copy of the last maxRows rows, newest first.
func newestFirst[T any](rows []T) []T {
	rows = slices.Clone(rows[max(0, len(rows)-maxRows):])
	slices.Reverse(rows)
	return rows
}
