package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors of [Watcher.View] and [Watcher.Find].
var (
	ErrUnknown = errors.New("there is no such run")
	ErrBusy    = errors.New("too many runs are viewed at once; close some of their pages")
)

const (
	viewInterval = 250 * time.Millisecond // between refreshes of a viewed run
	listInterval = time.Second            // between scans; longer if a scan takes more than a twentieth of it
	linger       = 10 * time.Second       // how long something stays refreshed after the last request for it
	maxViews     = 16                     // runs viewed at once
)

// Watcher follows the runs in a directory. Its methods are safe for concurrent use.
type Watcher struct {
	dir    string
	wakeUp chan struct{} // a request needs a fresh value

	mu        sync.Mutex
	refreshed chan struct{} // closed and replaced after every round of refreshes
	list      topic[List]
	views     map[string]*topic[View] // by run name

	// Of the goroutine in Run alone.
	readers map[string]*entryReader // by run name
	viewed  map[string]*viewedRun   // by run name
}

// topic is a published value with its times.
type topic[T any] struct {
	value     *T
	checked   time.Time // when value was last known to be current
	requested time.Time // last request
}

// New returns a watcher of the runs in dir. It does nothing before [Watcher.Run].
func New(dir string) *Watcher {
	return &Watcher{
		dir: dir, wakeUp: make(chan struct{}, 1), refreshed: make(chan struct{}),
		views: make(map[string]*topic[View]), readers: make(map[string]*entryReader), viewed: make(map[string]*viewedRun),
	}
}

// Run refreshes what is requested until ctx ends. It may be called once.
func (w *Watcher) Run(ctx context.Context) {
	tick := time.NewTicker(viewInterval)
	defer tick.Stop()
	listDue := time.Time{}
	for {
		list, views := w.requests()
		ticks := tick.C
		if !list && views == nil {
			ticks = nil // sleep until the next request
		}
		now := time.Now()
		if list && !now.Before(listDue) {
			found := w.scan()
			listDue = now.Add(max(listInterval, 20*time.Since(now)))
			w.publishList(found, now)
		}
		for _, name := range views {
			w.publishView(name, w.refreshView(name), time.Now())
		}
		w.notify()
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		case <-w.wakeUp:
			listDue = time.Time{}
			select { // wait a little: requests in quick succession share a refresh
			case <-ctx.Done():
				return
			case <-time.After(viewInterval / 10):
			}
		}
	}
}

// requests returns what was requested recently, and forgets views that were not.
func (w *Watcher) requests() (list bool, views []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	recent := time.Now().Add(-linger)
	for name, t := range w.views {
		if t.requested.Before(recent) {
			delete(w.views, name)
			delete(w.viewed, name)
			continue
		}
		views = append(views, name)
	}
	return w.list.requested.After(recent), views
}

func (w *Watcher) publishList(list *List, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list.value == nil || !w.list.value.equal(list) {
		w.list.value = list
	}
	w.list.checked = at
}

// publishView publishes a view; nil confirms the current one.
func (w *Watcher) publishView(name string, view *View, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.views[name]
	if t == nil {
		return
	}
	if view != nil {
		t.value = view
	}
	t.checked = at
}

// notify wakes all waiting callers.
func (w *Watcher) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.refreshed)
	w.refreshed = make(chan struct{})
}

// List returns the current list of runs or, if seen is not nil, waits for one that differs from it. The list is shared:
// do not change it. The error is ctx's.
func (w *Watcher) List(ctx context.Context, seen *List) (*List, error) {
	return wait(ctx, w, seen, listInterval, func() (*topic[List], error) { return &w.list, nil })
}

// View returns a run's current view or, if seen is not nil, waits for one that differs from it. The view is shared: do
// not change it. If the run disappears, the next view says so. The error is ctx's, or wraps [ErrUnknown] or [ErrBusy].
func (w *Watcher) View(ctx context.Context, name string, seen *View) (*View, error) {
	if seen == nil {
		if _, err := w.Find(ctx, name); err != nil {
			return nil, err
		}
	}
	return wait(ctx, w, seen, viewInterval, func() (*topic[View], error) {
		t := w.views[name]
		if t == nil {
			if len(w.views) >= maxViews {
				return nil, fmt.Errorf("run %s: %w", name, ErrBusy)
			}
			t = new(topic[View])
			w.views[name] = t
		}
		return t, nil
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

// wait waits until a topic has a value other than seen; if seen is nil, a value checked at most age before the call.
// find returns the topic and is called with w.mu held.
func wait[T any](ctx context.Context, w *Watcher, seen *T, age time.Duration, find func() (*topic[T], error)) (*T, error) {
	oldest := time.Now().Add(-age)
	for {
		w.mu.Lock()
		t, err := find()
		if err != nil {
			w.mu.Unlock()
			return nil, err
		}
		asleep := time.Since(t.requested) > linger/2 // Run may have stopped refreshing this topic
		t.requested = time.Now()
		value, current, refreshed := t.value, seen != nil || !t.checked.Before(oldest), w.refreshed
		w.mu.Unlock()
		if value != nil && value != seen && current {
			return value, nil
		}
		if !current || asleep {
			select {
			case w.wakeUp <- struct{}{}:
			default: // already signalled
			}
		}
		again := time.NewTimer(linger / 4) // renews the request
		select {
		case <-ctx.Done():
			again.Stop()
			return nil, ctx.Err()
		case <-refreshed:
		case <-again.C:
		}
		again.Stop()
	}
}
