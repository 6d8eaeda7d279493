package web

import (
	"net/http"
	"path/filepath"
	"strings"

	"ludus/cmd/ludus/internal/report"
	"ludus/cmd/ludus/internal/watch"
	"ludus/env/naming"
	"ludus/train/doctor"
)

// runRoutes registers the handlers about runs below the folder of runs. Requests name a run as the list does. The handlers
// neither lock nor change runs.
func (s *Server) runRoutes() {
	s.get("/api/runs", func(*http.Request) (any, error) { return s.watcher.List(), nil })
	s.get("/api/run", func(r *http.Request) (any, error) { return s.watcher.View(r.FormValue("name")) })
	s.get("/api/run/games", s.selfPlayGames)
	s.get("/api/run/doctor", s.diagnoseRun)
	s.get("/api/compare", s.compareRuns)
}

// diagnoseRun returns the diagnosis of the run named by a request.
func (s *Server) diagnoseRun(r *http.Request) (any, error) {
	entry, dir, err := s.findRun(r.FormValue("name"))
	if err != nil {
		return nil, err
	}
	release, err := s.fileReads.acquire(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	d, err := doctor.Diagnose(dir)
	if err != nil {
		return nil, asNotFound(err, dir)
	}
	shown := filepath.Join(s.watcher.List().Dir, entry.Name) // the path as the user knows it
	d.Summary.Next = strings.Replace(d.Summary.Next, naming.ShellWord(dir), naming.ShellWord(shown), 1)
	return d, nil
}

// maxCompared is the largest number of runs in a comparison, as many as charts have colours.
const maxCompared = 6

// compareRuns returns a page that compares the runs named by a request (&name=A&name=B…).
func (s *Server) compareRuns(r *http.Request) (any, error) {
	names := r.URL.Query()["name"]
	if len(names) < 2 || len(names) > maxCompared {
		return nil, httpErrorf(http.StatusBadRequest, "a comparison is of 2 to %d runs, not of %d", maxCompared, len(names))
	}
	release, err := s.fileReads.acquire(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	var runs []*report.Run
	for _, name := range names {
		entry, dir, err := s.findRun(name)
		if err != nil {
			return nil, err
		}
		run, err := report.ReadRun(dir)
		if err != nil {
			return nil, asNotFound(err, dir)
		}
		run.Name = entry.Title
		runs = append(runs, run)
		if run.Game.Name != runs[0].Game.Name {
			return nil, httpErrorf(http.StatusBadRequest, "%s is a run of %s and %s one of %s; compare runs of one game",
				runs[0].Name, runs[0].Game.Name, run.Name, run.Game.Name)
		}
	}
	return report.Compare(runs...), nil
}

// findRun returns the entry and the real directory of a named run, which must be readable.
func (s *Server) findRun(name string) (entry watch.Entry, dir string, err error) {
	entry, err = s.watcher.Find(name)
	if err != nil {
		return entry, "", err
	}
	if entry.State == watch.Broken || entry.Game == "" {
		return entry, "", httpErrorf(http.StatusNotFound, "run %s cannot be read: %s", entry.Name, entry.Problem)
	}
	dir, err = s.inside(entry.Name)
	if err != nil {
		return entry, "", httpErrorf(http.StatusNotFound, "%v", err)
	}
	return entry, dir, nil
}
