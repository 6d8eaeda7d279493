package plan

import (
	"time"

	"ludus/train/cpu"
	"ludus/train/rundir"
)

// Clock measures the time of a run over all its processes, and adjusts its time plan.
type Clock struct {
	Speed float64 // recent positions per second of self-play, as if on the target's board; 0 before any

	now        func() time.Time // time.Now; tests have another
	started    time.Time        // time at which the run would have started if its processes had had no breaks between them
	startedCPU time.Duration    // CPU time, likewise: this process's minus all that the run used
	began      time.Time        // start of this process's first generation
	from       int              // generation at which this process started or resumed
	seconds    []float64        // durations of the generations that trained as much as later ones will
}

// Start returns the clock of a run that starts now.
func Start() *Clock {
	return &Clock{now: time.Now, started: time.Now(), startedCPU: cpu.Time()}
}

// Resume adds the time that earlier processes have spent.
func (c *Clock) Resume(d Done) {
	c.started = c.started.Add(-time.Duration(d.Seconds * float64(time.Second)))
	c.startedCPU -= time.Duration(d.CPUSeconds * float64(time.Second))
}

// Begin records when this process starts to train, and the generation that it continues from.
func (c *Clock) Begin(generation int) { c.began, c.from = c.now(), generation }

// Elapsed is the time spent on the run.
func (c *Clock) Elapsed() time.Duration { return c.now().Sub(c.started) }

// CPUTime is the CPU time spent on the run.
func (c *Clock) CPUTime() time.Duration { return cpu.Time() - c.startedCPU }

// Spent is the run's wall-clock or CPU time, whichever the plan limits.
func (c *Clock) Spent(p *rundir.Plan) time.Duration {
	if p.CPU {
		return c.CPUTime()
	}
	return c.Elapsed()
}

// AddGeneration records the duration of a generation that trained as much as later ones will.
func (c *Clock) AddGeneration(seconds float64) { c.seconds = append(c.seconds, seconds) }

// Adjust fits a time plan to the measured speed if that is due after the last generation, and reports whether it did.
func (c *Clock) Adjust(p *rundir.Plan, s *rundir.Settings, ended int) (adjusted bool) {
	spent := c.Spent(p).Seconds()
	if p.Seconds == 0 || !adjustmentDue(p, ended+1, spent, len(c.seconds)) {
		return false
	}
	adjust(p, ended, c.seconds, spent, s)
	return true
}

// NextOver reports whether the plan's time is too short for another generation and the final matches.
func (c *Clock) NextOver(p *rundir.Plan, s *rundir.Settings, ended int) bool {
	next := 0.0
	if len(c.seconds) > 0 {
		next = c.seconds[len(c.seconds)-1]
	}
	return ended < p.Generations && c.Over(p, s, ended, next)
}

// Over reports whether next more seconds would exceed the plan's time without the part for the final matches. It is
// false for plans of generations, and before the first generation has ended.
func (c *Clock) Over(p *rundir.Plan, s *rundir.Settings, ended int, next float64) bool {
	return p.Seconds > 0 && ended > 0 && c.Spent(p).Seconds()+next > p.Seconds*(1-FinalShare(s))
}

// Progress returns the share of the plan that is complete and the expected time left (0 if unknown). done counts
// generations; its fraction is the current one's progress.
func (c *Clock) Progress(p *rundir.Plan, done float64) (share float64, remaining time.Duration) {
	elapsed, spent := c.Elapsed(), c.Spent(p).Seconds()
	share = done / float64(p.Generations)
	if p.Seconds > 0 && spent > 0 && p.Adjusted < len(adjustAt) {
		// For a time plan, time is the better measure: the number of generations still changes.
		return min(spent/p.Seconds, 1), time.Duration(max(p.Seconds-spent, 0) / spent * float64(elapsed))
	}
	here := done - float64(c.from)
	if here <= 0.2 {
		return share, 0 // too early to extrapolate
	}
	left := c.now().Sub(c.began).Seconds() / here * (float64(p.Generations) - done)
	if p.Seconds > 0 && !p.CPU {
		left = min(left, p.Seconds-elapsed.Seconds())
	}
	return share, time.Duration(max(left, 0) * float64(time.Second))
}
