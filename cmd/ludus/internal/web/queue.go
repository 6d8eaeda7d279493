package web

import (
	"context"
	"sync/atomic"
	"time"
)

// queue lets so many searches run at once, the capacity of places; others wait in line, so many and so long.
type queue struct {
	places   chan struct{} // one for each that is taken
	patience time.Duration
	most     int64
	waiting  atomic.Int64
}

func newQueue(places, waiting int, patience time.Duration) *queue {
	return &queue{places: make(chan struct{}, max(1, places)), patience: patience, most: int64(waiting)}
}

// enter takes a place, which leave gives back. The error is ctx's or says that too many others are being served.
func (q *queue) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-q.places }
	select {
	case q.places <- struct{}{}:
		return leave, nil
	default:
	}
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > q.most {
		return nil, busy("%d searches are waiting already; ask again in a moment", q.most)
	}
	timer := time.NewTimer(q.patience)
	defer timer.Stop()
	select {
	case q.places <- struct{}{}:
		return leave, nil
	case <-timer.C:
		return nil, busy("others' searches have taken more than %v; ask again in a moment", q.patience)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
