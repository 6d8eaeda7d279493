package web

import (
	"context"
	"sync/atomic"
	"time"
)

// queue limits the number of requests of one kind that run at once, the number that wait, and the waiting time.
type queue struct {
	running    chan struct{} // holds one element per running request
	waiting    atomic.Int64
	maxWaiting int64
	maxWait    time.Duration
}

func newQueue(maxRunning, maxWaiting int, maxWait time.Duration) *queue {
	return &queue{running: make(chan struct{}, max(1, maxRunning)), maxWaiting: int64(maxWaiting), maxWait: maxWait}
}

// acquire waits for the caller's turn; the caller then calls release when done. The error is ctx's or a busy error.
func (q *queue) acquire(ctx context.Context) (release func(), err error) {
	release = func() { <-q.running }
	select {
	case q.running <- struct{}{}:
		return release, nil
	default:
	}
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > q.maxWaiting {
		return nil, busyf("%d requests are already waiting; try again in a moment", q.maxWaiting)
	}
	timer := time.NewTimer(q.maxWait)
	defer timer.Stop()
	select {
	case q.running <- struct{}{}:
		return release, nil
	case <-timer.C:
		return nil, busyf("other requests took more than %v; try again in a moment", q.maxWait)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
