package watch

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrUnknown means that no run of the given name is listed.
var ErrUnknown = errors.New("there is no such run")

const (
	viewInterval = 250 * time.Millisecond // time between refreshes of a viewed run
	listInterval = time.Second            // time between scans; longer if a scan takes more than a twentieth of it
	forgetAfter  = time.Minute            // time since the last view of a run that is no longer listed
)

// Watcher follows the runs in a directory. Its methods are safe for concurrent use.
type Watcher struct {
	dir string

	mu   sync.Mutex            // held while files are read
	list *List                 // newest version; nil before the first scan
	due  time.Time             // time of the next scan
	runs map[string]*runReader // by name: listed runs, and others that were viewed within forgetAfter
}

// New returns a watcher of the runs in dir.
func New(dir string) *Watcher { return &Watcher{dir: dir, runs: map[string]*runReader{}} }

// List returns the current list of runs. It is shared: do not change it.
func (w *Watcher) List() *List {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scanIfDue()
	return w.list
}

// scanIfDue scans the directory again if the list is older than listInterval.
func (w *Watcher) scanIfDue() {
	start := time.Now()
	if start.Before(w.due) {
		return
	}
	w.list = w.scan()
	w.due = start.Add(max(listInterval, 20*time.Since(start)))
}

// View returns a run's current view. If the run has disappeared since it was listed, the view says so. It is shared: do not
// change it. The error wraps [ErrUnknown].
func (w *Watcher) View(name string) (*View, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scanIfDue()
	if run := w.runs[name]; run != nil {
		return run.view(), nil
	}
	return nil, w.unknown(name)
}

// Find returns a run's entry in the list. The error wraps [ErrUnknown].
func (w *Watcher) Find(name string) (Entry, error) {
	for _, e := range w.List().Runs {
		if e.Name == name {
			return e, nil
		}
	}
	return Entry{}, w.unknown(name)
}

func (w *Watcher) unknown(name string) error {
	return fmt.Errorf("%w in %s: %q; the page Runs lists them", ErrUnknown, w.dir, name)
}
