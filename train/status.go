package train

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ludus/train/rundir"
)

const (
	reportInterval = 2 * time.Second
	speedInterval  = 10 * time.Second // over which a worker's speed is measured
)

// report writes workers.json, shows the status to whoever asks, and keeps the limit of the stream current, until ctx ends.
func (x *inbox) report(ctx context.Context) {
	tick := time.NewTicker(reportInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if bytes := x.streamBytes(); bytes > 0 {
			x.workers.Limit(ctx, bytes)
		}
		s := x.status(time.Now())
		x.workers.Report(ctx, s)
		_ = rundir.WriteWorkers(x.dir, s) // a full disk stops the run when it commits
	}
}

// status returns the state of the workers.
func (x *inbox) status(now time.Time) *rundir.WorkersStatus {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := &rundir.WorkersStatus{
		Time: now.Unix(), Game: x.game.Name, Generation: x.generation(), Need: x.need, Ready: x.positions,
		Workers: []rundir.WorkerStatus{},
	}
	if x.network != nil {
		s.Simulations = x.network.Simulations
	}
	for _, sender := range x.senders {
		if elapsed := now.Sub(sender.since); elapsed >= speedInterval {
			sender.Speed = float64(sender.positions) / elapsed.Seconds()
			sender.since, sender.positions = now, 0
		} else if sender.Speed == 0 && elapsed >= reportInterval { // a worker that has just come
			sender.Speed = float64(sender.positions) / elapsed.Seconds()
		}
		sender.Quiet = int(now.Sub(sender.seen).Seconds())
		s.Workers = append(s.Workers, sender.WorkerStatus)
	}
	slices.SortFunc(s.Workers, func(a, b rundir.WorkerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return s
}
