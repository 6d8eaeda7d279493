package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ludus/cmd/ludus/internal/watch"
	"ludus/train/doctor"
	"ludus/train/rundir"
)

const (
	// maxDiagnoses is how many runs' diagnoses are kept.
	maxDiagnoses = 32
	// diagnosisInterval is the least time between diagnoses of a run in training, each of which takes a core for a second.
	diagnosisInterval = 30 * time.Second
)

// diagnoses keeps the newest diagnosis of each run.
type diagnoses struct {
	mu    sync.Mutex
	byRun map[string]diagnosis // by directory
}

// diagnosis is the reply to a request for a diagnosis.
type diagnosis struct {
	reply json.RawMessage
	files string // version of the files that it is made from; see fileVersion
	made  time.Time
}

// find returns a run's diagnosis if it is not out of date.
func (d *diagnoses) find(dir, files string, training bool) (json.RawMessage, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept, ok := d.byRun[dir]
	return kept.reply, ok && (kept.files == files || training && time.Since(kept.made) < diagnosisInterval)
}

// put keeps a run's diagnosis. If there are too many, it drops the oldest.
func (d *diagnoses) put(dir string, made diagnosis) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byRun[dir] = made
	if len(d.byRun) <= maxDiagnoses {
		return
	}
	oldest := dir
	for dir, other := range d.byRun {
		if other.made.Before(d.byRun[oldest].made) {
			oldest = dir
		}
	}
	delete(d.byRun, oldest)
}

// diagnoseRun returns the diagnosis of the run that a request names. A new one waits for its turn, like a search.
func (s *Server) diagnoseRun(r *http.Request) (any, error) {
	entry, dir, err := s.findRun(r, r.FormValue("name"))
	if err != nil {
		return nil, err
	}
	version := func() string {
		return fileVersion(dir, rundir.MetricsFile.Name, rundir.SuiteFile.Name, rundir.RatingsFile, rundir.CheckpointsDir)
	}
	training := entry.State == watch.Training
	if reply, ok := s.diagnoses.find(dir, version(), training); ok {
		return reply, nil
	}
	release, err := s.searches.acquire(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	files := version()
	if reply, ok := s.diagnoses.find(dir, files, training); ok { // made while this request waited
		return reply, nil
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.limits.search,
		httpErrorf(http.StatusUnprocessableEntity, "the diagnosis took longer than %v; run ludus doctor", s.limits.search))
	defer cancel()
	run, err := doctor.Read(ctx, dir)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, asNotFound(err, dir)
	}
	reply, err := json.Marshal(doctor.Diagnose(run))
	if err != nil {
		return nil, err
	}
	s.diagnoses.put(dir, diagnosis{reply, files, time.Now()})
	return json.RawMessage(reply), nil
}

// fileVersion returns a text that changes whenever one of the files or folders in dir may have changed: their times and
// sizes.
func fileVersion(dir string, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
