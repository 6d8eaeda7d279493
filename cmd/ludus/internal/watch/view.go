package watch

import (
	"slices"
	"time"

	"ludus/cmd/ludus/internal/report"
	"ludus/train/rundir"
)

// View holds everything that a run's page shows. If the run cannot be read, only the field Run is set.
type View struct {
	Run Entry `json:"run"`
	report.Page
	Matches     []rundir.MatchResult `json:"matches"`     // newest first, at most maxRows
	Suite       []rundir.SuiteResult `json:"suite"`       // newest first, at most maxRows
	Checkpoints []int                `json:"checkpoints"` // generations of the checkpoints, ascending
	// Workers is the state of the workers of a run in training; nil if it has none.
	Workers *rundir.WorkersStatus `json:"workers,omitempty"`
}

// maxRows is the largest number of rows in a table of a view.
const maxRows = 300

// view returns the run's view, at most viewInterval old.
func (r *runReader) view() *View {
	if time.Since(r.checked) >= viewInterval {
		r.refresh()
	}
	v := &View{Run: r.entry, Workers: r.workers}
	if run := r.run; run != nil { // copies: the view shares nothing mutable with the run
		if r.page == nil {
			r.page = run.Page()
		}
		v.Page, v.Checkpoints = *r.page, slices.Clone(run.Checkpoints)
		v.Matches, v.Suite = newestFirst(run.Matches), newestFirst(run.Suite)
	}
	return v
}

// oldWorkers is the age at which a workers.json is out of date; a run in training rewrites it every two seconds.
const oldWorkers = 30 * time.Second

// readWorkers returns the state of the run's workers; nil if it has none or is not in training.
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
