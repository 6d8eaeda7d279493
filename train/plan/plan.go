package plan

import (
	"cmp"
	"fmt"
	"time"

	"gonum.org/v1/gonum/stat"

	"ludus/env"
	"ludus/train/learn"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// DefaultTime is the length of a run if neither time nor generations are given.
const DefaultTime = 8 * time.Minute

// Limits of a run's length.
const (
	maxTime        = 30 * 24 * time.Hour
	maxGenerations = 100_000
)

// Length is the requested length of a run: a time or a number of generations. Both are 0 if nothing is requested.
type Length struct {
	Time        time.Duration
	CPU         bool // Time is CPU time of the run's processes, not wall-clock time
	Generations int
}

// Validate returns an error if the length is out of bounds.
func (l Length) Validate() error {
	if l.Time < 0 || l.Time > maxTime {
		return fmt.Errorf("a run of %v: it may last at most %.0fh (%.0f days)", l.Time, maxTime.Hours(), maxTime.Hours()/24)
	}
	if l.Generations < 0 || l.Generations > maxGenerations {
		return fmt.Errorf("a run of %d generations: it may have at most %d", l.Generations, maxGenerations)
	}
	return nil
}

// Is reports whether a plan has this length, or no length is requested.
func (l Length) Is(p *rundir.Plan) bool {
	sameTime := l.Time == 0 || l.Time.Seconds() == p.Seconds && l.CPU == p.CPU
	sameGenerations := l.Generations == 0 || l.Generations == p.Generations && p.Stopped == 0
	return sameTime && sameGenerations
}

// LastBeforeDecay is the last generation before the final decay of the learning rate.
func LastBeforeDecay(p *rundir.Plan) int {
	if p.Decayed > 0 {
		return p.Changed
	}
	return max(int(learn.ConstantShare*float64(p.Generations))+1, p.Changed)
}

// Share is the completed share of the learning rate's schedule when the given generation starts, in [0, 1]. It is that of
// the plan's generations unless their number changed during the final decay: then it rises linearly to DecayedShare at
// the newest change, and linearly from there to 1.
func Share(p *rundir.Plan, generation int) float64 {
	switch done := float64(generation - 1); {
	case done == 0:
		return 0
	case done <= float64(p.Decayed):
		return p.DecayedShare * done / float64(p.Decayed)
	default:
		return p.DecayedShare + (1-p.DecayedShare)*(done-float64(p.Decayed))/float64(p.Generations-p.Decayed)
	}
}

// changeGenerations sets the number of a plan's generations when some are done. The learning rate never rises by that.
func changeGenerations(p *rundir.Plan, done, n int) {
	if last := LastBeforeDecay(p); done <= last {
		p.Changed, p.Decayed, p.DecayedShare = done, 0, 0
	} else {
		p.Changed, p.Decayed, p.DecayedShare = last, done, Share(p, done+1)
	}
	p.Generations = n
}

// Positions is the number of positions that a generation plays.
func Positions(p *rundir.Plan) int { return p.ParallelGames * p.PliesPerGeneration }

const (
	safety            = 0.95 // plan only for this share of the remaining time: the machine may become slower
	minGenerations    = 60   // least number of generations of a plan
	targetGenerations = 250  // longer runs get longer generations instead of more, since each costs a checkpoint
	minGamesEach      = 12   // least number of games of the greatest usual length per game in progress
	minParallel       = 16   // least number of parallel games

	maxGenerationSeconds     = 120 // longest generation: a crash loses up to one
	plannedGenerationSeconds = 90  // longest generation of a new plan, whose estimates may be wrong
)

// ForGenerations plans a run of n generations. Without settings, games and plies are those of a long run.
func ForGenerations(n int, s *rundir.Settings) rundir.Plan {
	return rundir.Plan{
		Generations:        n,
		ParallelGames:      cmp.Or(s.ParallelGames, selfplay.UsualGames),
		PliesPerGeneration: cmp.Or(s.PliesPerGeneration, selfplay.UsualPlies),
	}
}

// ForTime plans a run of the given seconds. It chooses parallel_games and plies_per_generation if the settings leave them
// open, and returns an error if the settings make a generation longer than two minutes.
func ForTime(seconds float64, game *env.Game, s *rundir.Settings, cost Cost) (rundir.Plan, error) {
	var p rundir.Plan
	position := cost.trained(s, s.SamplesPerPosition*(1-s.ValidationShare))
	positions := seconds * (1 - s.RatingShare) * safety / position                   // positions of the whole run
	maxPositions := max(1, int((plannedGenerationSeconds-cost.generation)/position)) // most positions of a generation
	p.ParallelGames = s.ParallelGames
	if p.ParallelGames == 0 {
		games := int(positions / float64(minGamesEach*game.UsualPlies))
		p.ParallelGames = min(max(games, minParallel), selfplay.UsualGames, maxPositions)
	}
	p.PliesPerGeneration = s.PliesPerGeneration
	if p.PliesPerGeneration == 0 {
		plies := positions / float64(p.ParallelGames)
		p.PliesPerGeneration = max(min(int(plies/minGenerations), selfplay.UsualPlies), int(plies/targetGenerations))
		p.PliesPerGeneration = max(1, min(p.PliesPerGeneration, maxPositions/p.ParallelGames))
	}
	generation := position*float64(Positions(&p)) + cost.generation
	if (s.ParallelGames > 0 || s.PliesPerGeneration > 0) && generation > maxGenerationSeconds {
		return p, fmt.Errorf("a generation of %d plies in each of %d games would take about %.0f s on this machine, "+
			"at most %d s are allowed; leave out parallel_games and plies_per_generation, or lower them",
			p.PliesPerGeneration, p.ParallelGames, generation, maxGenerationSeconds)
	}
	p.Generations = Fitting(seconds, s, generation)
	return p, nil
}

// A time plan is adjusted when these shares of its generations or of its time are done, whichever comes first, so a
// machine that becomes slow gets a shorter plan in time. The adjustment uses the duration of the last tenth of the
// generations, or of the last adjustOver if these are more. If the final decay of the learning rate has begun, the rest
// of it gets steeper or flatter.
var adjustAt = []float64{0.12, 0.3, 0.48, 0.65, 0.8, 0.9, 0.96}

const adjustOver = 3 // least number of generations that an adjustment measures

// adjustmentDue reports whether the plan is to be adjusted before generation next, after the given seconds. measured is the
// number of generations whose duration is known.
func adjustmentDue(p *rundir.Plan, next int, spent float64, measured int) bool {
	return p.Adjusted < len(adjustAt) && measured >= adjustOver && adjustmentShare(p, next, spent) >= adjustAt[p.Adjusted]
}

// adjustmentShare is the share of the generations or of the time that is done, whichever is greater.
func adjustmentShare(p *rundir.Plan, next int, spent float64) float64 {
	return max(float64(next-1)/float64(p.Generations), spent/p.Seconds)
}

// adjust sets the remaining generations of a time plan. spent is the run's time so far; recent holds the measured durations
// of generations, of which only the last ones count. All are in seconds. If these took more than maxGenerationSeconds on
// average, later generations get fewer plies.
func adjust(p *rundir.Plan, generation int, recent []float64, spent float64, s *rundir.Settings) {
	recent = recent[max(0, len(recent)-max(adjustOver, generation/10)):]
	mean := stat.Mean(recent, nil)
	passAdjustments(p, generation, spent)
	if plies := p.PliesPerGeneration; mean > maxGenerationSeconds && s.PliesPerGeneration == 0 && plies > 1 {
		p.PliesPerGeneration = max(1, int(float64(plies)*plannedGenerationSeconds/mean))
		mean *= float64(p.PliesPerGeneration) / float64(plies)
	}
	left := (p.Seconds*(1-FinalShare(s)) - spent) * (1 - InterimShare(s)) * safety
	changeGenerations(p, generation, generation+max(1, int(left/mean)))
}

// passAdjustments marks the adjustments that were due up to a generation and the given seconds as done.
func passAdjustments(p *rundir.Plan, generation int, spent float64) {
	for p.Adjusted < len(adjustAt) && adjustmentShare(p, generation+1, spent) >= adjustAt[p.Adjusted] {
		p.Adjusted++
	}
}

// Done is how much a run has done.
type Done struct {
	Generation int
	Seconds    float64
	CPUSeconds float64
}

// spent is the run's time as a plan limits it: wall-clock or CPU time.
func (d Done) spent(cpu bool) float64 {
	if cpu {
		return d.CPUSeconds
	}
	return d.Seconds
}

// DoneShare is the share of its plan that a run has completed: by time while a time plan may still be adjusted, otherwise
// by generations. known reports whether totals can be extrapolated from the share; early in a run they cannot, because the
// first games end late.
func DoneShare(c *rundir.Config, d Done) (share float64, known bool) {
	const least = 0.1
	p := &c.Plan
	if p.Seconds == 0 || p.Adjusted == len(adjustAt) {
		share = float64(d.Generation) / float64(p.Generations)
	} else {
		share = d.spent(p.CPU) / (p.Seconds * (1 - FinalShare(&c.Settings)))
	}
	return share, share >= least && d.Generation >= adjustOver
}

// Change returns the plan of an unfinished run with another length, from which the learner goes on as it is. It may
// have no generation left.
func Change(p rundir.Plan, l Length, s *rundir.Settings, d Done) rundir.Plan {
	perGeneration, spent := p.Seconds/float64(p.Generations), 0.0
	if d.Generation > 0 {
		spent = d.spent(l.CPU)
		perGeneration = spent / float64(d.Generation) / safety // the others may take longer
	}
	p.Seconds, p.CPU, p.Adjusted, p.Stopped = l.Time.Seconds(), l.CPU, 0, 0
	if l.Time == 0 {
		changeGenerations(&p, d.Generation, l.Generations)
	} else {
		changeGenerations(&p, d.Generation, d.Generation+int((p.Seconds*(1-FinalShare(s))-spent)/perGeneration))
		passAdjustments(&p, d.Generation, spent)
	}
	return p
}

// Extend returns the plan of a run that is to train longer and whose learning rate has decayed. The learner goes back
// to the weights of generation rewound; repeated is the wall-clock time that it spent learning since then. The plan has
// no generation left if the run has done that much already.
func Extend(p rundir.Plan, l Length, s *rundir.Settings, d Done, rewound int, repeated float64) rundir.Plan {
	more := rundir.Plan{
		Generations: l.Generations, ParallelGames: p.ParallelGames, PliesPerGeneration: p.PliesPerGeneration,
		Resumed: d.Generation, Rewound: rewound,
	}
	if l.Time > 0 {
		more.Seconds, more.CPU = l.Time.Seconds(), l.CPU
		spent := d.spent(l.CPU)
		// spent/d.Seconds turns wall-clock time into the plan's kind of time.
		left := more.Seconds*(1-FinalShare(s)) - spent - repeated*spent/d.Seconds
		more.Generations = d.Generation + int(left*safety/spent*float64(d.Generation))
		passAdjustments(&more, d.Generation, spent)
	}
	return more
}
