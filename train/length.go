package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ludus/checkpoints"
	"ludus/model/infer"
	"ludus/train/plan"
	"ludus/train/rundir"
)

// makePlan sets the plan of a new run. For a time plan it measures the machine.
func (o *opener) makePlan(ctx context.Context, weights *infer.Weights) (err error) {
	settings, limit := &o.config.Settings, cmp.Or(o.Time, plan.DefaultTime)
	if o.Generations > 0 {
		o.config.Plan = plan.ForGenerations(o.Generations, settings)
		return nil
	}
	o.Observe(Event{Progress: &Progress{Phase: Measuring}})
	limits := &rundir.Plan{CPU: o.CPUTime}
	o.cost, err = plan.Measure(ctx, o.Game, settings, weights, o.Threads, limit-o.clock.Spent(limits), o.CPUTime)
	if err != nil {
		return err
	}
	made, err := plan.ForTime((limit - o.clock.Spent(limits)).Seconds(), o.Game, settings, o.cost)
	if err != nil {
		return err
	}
	made.Seconds, made.CPU = limit.Seconds(), o.CPUTime
	o.config.Plan = made
	return nil
}

// changeLength changes the run's plan if the options ask for another length, and reports whether it did. A run whose
// learning rate has decayed, in part or to its end, is extended; see extend.
func (o *opener) changeLength() (changed bool, err error) {
	current := &o.config.Plan
	if o.length().Is(current) {
		return false, nil
	}
	count, damaged, err := o.newestCounters()
	if err != nil {
		return false, err
	}
	ended, why := count.Generation, ""
	if damaged {
		why = " (newer checkpoints are damaged)"
	}
	if ended >= current.Last() {
		return o.extend(count)
	}
	if ended == 0 && o.Time > 0 && (current.Seconds == 0 || current.CPU != o.CPUTime) {
		return false, fmt.Errorf("%s: %w: no generation is finished%s, so it is not known how long one takes; continue without a new length, "+
			"or delete %s to start over", o.Dir, ErrConflict, why, o.Dir)
	}
	next := plan.Change(*current, o.length(), &o.config.Settings, count.done())
	if next.Generations <= ended {
		return false, fmt.Errorf("%s: %w: the run has trained as long already (generation %d of %d); choose a greater length",
			o.Dir, ErrConflict, ended, current.Last())
	}
	before := current.Last()
	if next.Generations > before && ended > plan.LastBeforeDecay(current) {
		changed, err = o.extend(count)
	}
	if !changed && err == nil {
		*current = next
	}
	o.note("another length: %d generations, of which %d are finished, instead of %d", current.Generations, ended, before)
	return true, err
}

// newestCounters reads the counters of the newest intact checkpoint; they are zero if there is no checkpoint. damaged
// reports that newer checkpoints are damaged.
func (o *opener) newestCounters() (count *counters, damaged bool, err error) {
	count = new(counters)
	checkpoint, errs, err := o.store.Newest()
	if err == nil {
		err = json.Unmarshal(checkpoint.Meta, count)
	}
	if err != nil && !errors.Is(err, checkpoints.ErrNoCheckpoint) {
		return nil, false, fmt.Errorf("run %s: %w", o.Dir, err)
	}
	return count, len(errs) > 0, nil
}

// extend changes the plan of a run whose learning rate has decayed if the options ask for more than it has done, and
// reports whether it did. The learner then goes back to weights from before the decay.
func (o *opener) extend(count *counters) (extended bool, err error) {
	current, ended := &o.config.Plan, count.Generation
	rewound, repeated := o.rewindTarget(ended), 0.0
	if o.Time > 0 {
		metrics, _, err := rundir.MetricsFile.Read(o.Dir)
		if err != nil {
			return false, err
		}
		for _, m := range metrics {
			if m.Generation > rewound && m.Generation <= ended {
				repeated += m.LearnSeconds
			}
		}
	}
	more := plan.Extend(*current, o.length(), &o.config.Settings, count.done(), rewound, repeated)
	if more.Generations <= ended {
		return false, nil // the run has already done that much
	}
	*current = more
	if rewound < ended {
		o.note("the network goes on from generation %d, before its learning rate fell", rewound)
	}
	return true, nil
}

// rewindTarget returns the generation whose weights an extension starts from: the newest intact
// checkpoint before the final decay of the learning rate. If there is none, it is the checkpoint that the plan itself
// started from, or else ended.
func (o *opener) rewindTarget(ended int) int {
	current := &o.config.Plan
	intact := func(id int) bool {
		_, err := o.store.Load(id)
		return err == nil
	}
	ids, _ := o.store.List() // a checkpoint that cannot be listed cannot be loaded
	for _, id := range slices.Backward(ids) {
		if id > current.Resumed && id <= min(plan.LastBeforeDecay(current), ended) && intact(id) {
			return id
		}
	}
	if current.Rewound > 0 && intact(current.Rewound) {
		return current.Rewound
	}
	return ended
}
