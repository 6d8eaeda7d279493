package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ludus/checkpoints"
)

// Errors of asking for a run.
var (
	ErrUnknown = errors.New("there is no such run")
	ErrBusy    = errors.New("too many runs are looked at; close some of their pages")
)

const (
	viewEvery = 250 * time.Millisecond // how often a run that somebody looks at is looked at
	listEvery = time.Second            // likewise the list; less often where a look takes longer than a twentieth of it
	linger    = 10 * time.Second       // nobody asks for it any more: it is dropped
	mostViews = 16                     // runs that are looked at at one time
)

// Watcher follows the runs in a folder. Its methods are safe for concurrent use.
type Watcher struct {
	dir   string
	asked chan struct{} // somebody wants to know at once

	mu      sync.Mutex
	news    chan struct{} // closed after every look, and replaced
	list    topic[List]
	views   map[string]*topic[View]
	entries map[string]*summary // the goroutine's own
	runs    map[string]*loaded  // likewise
}

// topic is what is published, and how much it is asked for.
type topic[T any] struct {
	value  *T
	looked time.Time // when value was found to be what holds
	wanted time.Time // when somebody asked last
}

// New returns a watcher of the runs in dir, which does nothing before Run is called.
func New(dir string) *Watcher {
	return &Watcher{
		dir: dir, asked: make(chan struct{}, 1), news: make(chan struct{}),
		views: make(map[string]*topic[View]), entries: make(map[string]*summary), runs: make(map[string]*loaded),
	}
}

// Run looks at what is asked for until ctx ends. It is called once.
func (w *Watcher) Run(ctx context.Context) {
	tick := time.NewTicker(viewEvery)
	defer tick.Stop()
	listDue := time.Time{}
	for {
		list, views := w.wanted()
		ticks := tick.C
		if !list && views == nil {
			ticks = nil // until somebody asks
		}
		now := time.Now()
		if list && !now.Before(listDue) {
			found := w.scan()
			listDue = now.Add(max(listEvery, 20*time.Since(now)))
			w.publishList(found, now)
		}
		for _, name := range views {
			w.publishView(name, w.look(name), time.Now())
		}
		w.tell()
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		case <-w.asked:
			listDue = time.Time{}
			// Questions that come faster than this are answered together.
			select {
			case <-ctx.Done():
				return
			case <-time.After(viewEvery / 10):
			}
		}
	}
}

// wanted says what somebody has asked for lately, and drops the rest.
func (w *Watcher) wanted() (list bool, views []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	long := time.Now().Add(-linger)
	for name, t := range w.views {
		if t.wanted.Before(long) {
			delete(w.views, name)
			delete(w.runs, name)
			continue
		}
		views = append(views, name)
	}
	return w.list.wanted.After(long), views
}

func (w *Watcher) publishList(found *List, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list.value == nil || !w.list.value.same(found) {
		w.list.value = found
	}
	w.list.looked = at
}

// publishView publishes a new view; nil is that nothing has changed.
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
	t.looked = at
}

// tell wakes all who wait.
func (w *Watcher) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.news)
	w.news = make(chan struct{})
}

// List returns the list of runs: the one of now where seen is nil, otherwise the next one that differs from seen. The
// error is ctx's. The list is shared and not to be changed.
func (w *Watcher) List(ctx context.Context, seen *List) (*List, error) {
	return wait(ctx, w, seen, listEvery, func() (*topic[List], error) { return &w.list, nil })
}

// View returns a run's view likewise. Other errors wrap [ErrUnknown] or [ErrBusy]. A run that goes away while it is looked
// at has a view that says so.
func (w *Watcher) View(ctx context.Context, name string, seen *View) (*View, error) {
	if seen == nil {
		if _, err := w.Find(ctx, name); err != nil {
			return nil, err
		}
	}
	return wait(ctx, w, seen, viewEvery, func() (*topic[View], error) {
		t := w.views[name]
		if t == nil {
			if len(w.views) >= mostViews {
				return nil, fmt.Errorf("run %s: %w", name, ErrBusy)
			}
			t = new(topic[View])
			w.views[name] = t
		}
		return t, nil
	})
}

// Find returns what the list says of a run. The error wraps [ErrUnknown] or is ctx's.
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
	return Entry{}, fmt.Errorf("%w in %s: %q; they are listed under Runs", ErrUnknown, w.dir, name)
}

// wait waits until a topic, which find returns under the lock, has a value other than seen and, where seen is nil, one that
// is not older than age.
func wait[T any](ctx context.Context, w *Watcher, seen *T, age time.Duration, find func() (*topic[T], error)) (*T, error) {
	oldest := time.Now().Add(-age)
	for {
		w.mu.Lock()
		t, err := find()
		if err != nil {
			w.mu.Unlock()
			return nil, err
		}
		idle := time.Since(t.wanted) > linger/2 // the goroutine may be asleep
		t.wanted = time.Now()
		value, current, news := t.value, seen != nil || !t.looked.Before(oldest), w.news
		w.mu.Unlock()
		if value != nil && value != seen && current {
			return value, nil
		}
		if !current || idle {
			select {
			case w.asked <- struct{}{}:
			default: // it is asked already
			}
		}
		again := time.NewTimer(linger / 4) // somebody still wants to know
		select {
		case <-ctx.Done():
			again.Stop()
			return nil, ctx.Err()
		case <-news:
		case <-again.C:
		}
		again.Stop()
	}
}

// locked reports whether somebody holds a run's lock and so writes into it; where that cannot be known, nobody does.
func locked(lock string) bool {
	held, err := checkpoints.Locked(lock)
	return held && err == nil
}
