package web

import (
	"context"
	"sync/atomic"
	"time"
)

// searchQueue limits how many searches run at once, how many wait, and how long one waits.
type searchQueue struct {
	running    chan struct{} // one element per running search
	waiting    atomic.Int64
	maxWaiting int64
	maxWait    time.Duration
}

func newSearchQueue(maxRunning, maxWaiting int, maxWait time.Duration) *searchQueue {
	return &searchQueue{running: make(chan struct{}, max(1, maxRunning)), maxWaiting: int64(maxWaiting), maxWait: maxWait}
}

// acquire waits until the caller may search; the caller then calls release. The error is ctx's or a busy error.
func (q *searchQueue) acquire(ctx context.Context) (release func(), err error) {
	release = func() { <-q.running }
	select {
	case q.running <- struct{}{}:
		return release, nil
	default:
	}
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > q.maxWaiting {
		return nil, busyf("%d searches are already waiting; try again in a moment", q.maxWaiting)
	}
	timer := time.NewTimer(q.maxWait)
	defer timer.Stop()
	select {
	case q.running <- struct{}{}:
		return release, nil
	case <-timer.C:
		return nil, busyf("other searches took more than %v; try again in a moment", q.maxWait)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
