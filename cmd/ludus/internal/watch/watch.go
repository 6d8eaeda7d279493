package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"
)

// Errors of [Watcher.View] and [Watcher.Find].
var (
	ErrUnknown = errors.New("there is no such run")
	ErrBusy    = errors.New("too many runs are viewed at once; close some of their pages")
)

const (
	viewInterval = 250 * time.Millisecond // between refreshes of a viewed run, and between checks for changes
	listInterval = time.Second            // between scans; longer if a scan takes more than a twentieth of it
	linger       = 10 * time.Second       // how long a run counts as viewed after the last request for it
	maxViews     = 16                     // runs viewed at once
)

// Watcher follows the runs in a directory. Its methods are safe for concurrent use.
type Watcher struct {
	dir string

	mu      sync.Mutex // held while files are read
	list    *List      // newest version; nil before the first scan
	checked time.Time  // when the list was last known to be current
	due     time.Time  // when a call that waits for a new list may scan again
	readers map[string]*entryReader
	views   map[string]*viewedRun // by run name
}

// New returns a watcher of the runs in dir.
func New(dir string) *Watcher { return &Watcher{dir: dir, views: make(map[string]*viewedRun)} }

// List returns the current list of runs or, if seen is not nil, waits for one that differs from it. The list is shared:
// do not change it. The error is ctx's.
func (w *Watcher) List(ctx context.Context, seen *List) (*List, error) {
	return wait(ctx, w, seen, func() (*List, error) {
		start := time.Now()
		if w.list == nil || start.After(w.due) || seen == nil && start.Sub(w.checked) > listInterval {
			if list := w.scan(); w.list == nil || !w.list.equal(list) {
				w.list = list
			}
			w.checked, w.due = start, start.Add(max(listInterval, 20*time.Since(start)))
		}
		return w.list, nil
	})
}

// View returns a run's current view or, if seen is not nil, waits for one that differs from it. The view is shared: do
// not change it. If the run disappears, the next view says so. The error is ctx's, or wraps [ErrUnknown] or [ErrBusy].
func (w *Watcher) View(ctx context.Context, name string, seen *View) (*View, error) {
	if seen == nil {
		if _, err := w.Find(ctx, name); err != nil {
			return nil, err
		}
	}
	return wait(ctx, w, seen, func() (*View, error) {
		maps.DeleteFunc(w.views, func(_ string, v *viewedRun) bool { return time.Since(v.checked) > linger })
		v := w.views[name]
		if v == nil {
			if len(w.views) >= maxViews {
				return nil, fmt.Errorf("run %s: %w", name, ErrBusy)
			}
			v = &viewedRun{entry: newEntryReader(w.dir, name)}
			w.views[name] = v
		}
		if time.Since(v.checked) >= viewInterval {
			v.refresh()
		}
		return v.view, nil
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
	return Entry{}, fmt.Errorf("%w in %s: %q; the page Runs lists them", ErrUnknown, w.dir, name)
}

// wait calls current every viewInterval, with w.mu held, until it returns a value other than seen or an error.
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
