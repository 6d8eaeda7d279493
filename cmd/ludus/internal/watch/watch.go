package watch

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
)

// ErrUnknown means that no run of the given name is listed.
var ErrUnknown = errors.New("there is no such run")

const (
	viewInterval = 250 * time.Millisecond // time between refreshes of a viewed run, and between checks for changes
	listInterval = time.Second            // time between scans; longer if a scan takes more than a twentieth of it
)

// Watcher follows the runs in a directory. Its methods are safe for concurrent use.
type Watcher struct {
	dir string

	mu   sync.Mutex            // held while files are read
	list *List                 // newest version; nil before the first scan
	due  time.Time             // time of the next scan
	runs map[string]*runReader // the listed runs by name
}

// New returns a watcher of the runs in dir.
func New(dir string) *Watcher { return &Watcher{dir: dir} }

// List returns the current list of runs or, if seen is not nil, waits for one that differs from it. The list is shared:
// do not change it. The error is ctx's.
func (w *Watcher) List(ctx context.Context, seen *List) (*List, error) {
	return wait(ctx, w, seen, func() (*List, error) {
		w.scanIfDue()
		return w.list, nil
	})
}

// scanIfDue scans the directory again if the list is older than listInterval.
func (w *Watcher) scanIfDue() {
	start := time.Now()
	if start.Before(w.due) {
		return
	}
	if list := w.scan(); !reflect.DeepEqual(list, w.list) {
		w.list = list
	}
	w.due = start.Add(max(listInterval, 20*time.Since(start)))
}

// View returns a run's current view or, if seen is not nil, waits for one that differs from it. The view is shared: do
// not change it. If the run disappears, the next view says so. The error is ctx's, or wraps [ErrUnknown].
func (w *Watcher) View(ctx context.Context, name string, seen *View) (*View, error) {
	return wait(ctx, w, seen, func() (*View, error) {
		w.scanIfDue()
		if run := w.runs[name]; run != nil {
			return run.view(), nil
		}
		if seen == nil {
			return nil, w.unknown(name)
		}
		if seen.Run.Problem == gone {
			return seen, nil
		}
		return &View{Run: Entry{Name: name, Title: seen.Run.Title, State: Broken, Problem: gone}}, nil
	})
}

// Find returns a run's entry in the list. The error is ctx's, or wraps [ErrUnknown].
func (w *Watcher) Find(ctx context.Context, name string) (Entry, error) {
	list, err := w.List(ctx, nil)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range list.Runs {
		if e.Name == name {
			return e, nil
		}
	}
	return Entry{}, w.unknown(name)
}

func (w *Watcher) unknown(name string) error {
	return fmt.Errorf("%w in %s: %q; the page Runs lists them", ErrUnknown, w.dir, name)
}

// wait calls current every viewInterval, with w.mu held, until it returns an error or a value other than seen.
func wait[T any](ctx context.Context, w *Watcher, seen *T, current func() (*T, error)) (*T, error) {
	for {
		w.mu.Lock()
		value, err := current()
		w.mu.Unlock()
		if err != nil || value != seen {
			return value, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(viewInterval):
		}
	}
}
