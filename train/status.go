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
	speedInterval  = 10 * time.Second // interval over which a worker's speed is measured
)

// report keeps workers.json, the published status and the stream's limit up to date until ctx ends.
func (in *inbox) report(ctx context.Context) {
	tick := time.NewTicker(reportInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if bytes := in.streamBytes(); bytes > 0 {
			in.workers.Limit(ctx, bytes)
		}
		s := in.status(time.Now())
		in.workers.Report(ctx, s)
		_ = rundir.WriteWorkers(in.dir, s) // a full disk stops the run at the next commit
	}
}

// status returns the state of the workers.
func (in *inbox) status(now time.Time) *rundir.WorkersStatus {
	in.mu.Lock()
	defer in.mu.Unlock()
	game := in.games[len(in.games)-1]
	s := &rundir.WorkersStatus{Time: now.Unix(), Game: game.Name, Generation: in.generation(), Workers: []rundir.WorkerStatus{}}
	if in.assignment != nil {
		s.Simulations, game = in.assignment.Simulations, in.assignment.Game
	}
	s.Need, s.Ready = in.need/game.Tensor.Cells(), in.work/game.Tensor.Cells() // in positions of the generation's size
	for _, sender := range in.senders {
		if elapsed := now.Sub(sender.since); elapsed >= speedInterval {
			sender.Speed = float64(sender.positions) / elapsed.Seconds()
			sender.since, sender.positions = now, 0
		} else if sender.Speed == 0 && elapsed >= reportInterval { // first measurement of a new worker
			sender.Speed = float64(sender.positions) / elapsed.Seconds()
		}
		sender.Quiet = int(now.Sub(sender.seen).Seconds())
		s.Workers = append(s.Workers, sender.WorkerStatus)
	}
	slices.SortFunc(s.Workers, func(a, b rundir.WorkerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return s
}
