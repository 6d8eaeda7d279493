package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/cpu"
	"ludus/train/rundir"
)

// DefaultTime is the length of a run if neither time nor generations are given.
const DefaultTime = 8 * time.Minute

// Limits of a run's length.
const (
	MaxTime        = 30 * 24 * time.Hour
	MaxGenerations = 100_000
)

// checkLength returns an error if the length of a run is out of bounds; 0 means that it is not given.
func checkLength(limit time.Duration, generations int) error {
	if limit < 0 || limit > MaxTime {
		return fmt.Errorf("a run of %v: it may last at most %.0fh (%.0f days)", limit, MaxTime.Hours(), MaxTime.Hours()/24)
	}
	if generations < 0 || generations > MaxGenerations {
		return fmt.Errorf("a run of %d generations: it may have at most %d", generations, MaxGenerations)
	}
	return nil
}

// coreTime is the time that all cores together have for a new run without a number of generations.
func (o *Options) coreTime() time.Duration {
	limit := cmp.Or(o.Time, DefaultTime)
	if o.CPUTime {
		return limit
	}
	return limit * time.Duration(o.Threads)
}

// networkSize returns the channels and blocks of the network for a new run that all cores together have the given time
// for. Small networks learn faster at first, large ones get further.
func networkSize(game *env.Game, coreTime time.Duration) (channels, blocks int) {
	for _, size := range networkSizes(game) {
		if coreTime >= size.from {
			channels, blocks = size.channels, size.blocks
		}
	}
	return channels, blocks
}

// A networkLength is the network of new runs that all cores together have at least the given time for.
type networkLength struct {
	from             time.Duration
	channels, blocks int
}

// networkSizes returns the networks of new runs, in ascending order of time.
func networkSizes(game *env.Game) []networkLength {
	small := infer.DefaultConfig(game)
	return []networkLength{
		{0, small.Channels, small.Blocks},
		{2 * time.Hour, 64, small.Blocks + 1}, // in 12 to 30 minutes no gain was shown, see docs/METHODS.md, Network
	}
}

// lastBeforeDecay is the last generation before the final decay of the learning rate.
func lastBeforeDecay(p *rundir.Plan) int { return int(constantShare*float64(p.Generations)) + 1 }

// planShare is the completed part of the plan's generations at the start of a generation, in [0, 1].
func planShare(p *rundir.Plan, generation int) float64 {
	return float64(generation-1) / float64(p.Generations)
}

const (
	safety            = 0.95 // share of the remaining time that is planned for: the machine may become slower
	minGenerations    = 60   // a plan should have at least this many
	targetGenerations = 250  // a longer run gets longer generations rather than more, since each costs a checkpoint
	minGamesEach      = 12   // games of the greatest usual length that each game in progress should have time for
	minParallel       = 16   // parallel games
	maxParallel       = 256  // parallel games
	maxPlies          = 8    // per generation, unless that makes more than targetGenerations

	maxGenerationSeconds     = 120 // a crash loses up to one generation
	plannedGenerationSeconds = 90  // of a new plan, whose estimates may be wrong
)

// cost is the time of work on this machine.
type cost struct {
	position   float64 // seconds per position of self-play
	step       float64 // seconds per training step
	generation float64 // seconds per generation for files
	cpuShare   float64 // CPU time of self-play / what its threads could have used; low if other programs ran
}

// timePlan plans a run of the given seconds. It chooses parallel games and plies per generation unless the settings do.
// It returns an error if these settings make a generation longer than maxGenerationSeconds.
func timePlan(seconds float64, game *env.Game, s *rundir.Settings, cost cost) (rundir.Plan, error) {
	var p rundir.Plan
	position := cost.position + s.SamplesPerPosition*(1-s.ValidationShare)/float64(s.BatchSize)*cost.step
	positions := seconds * (1 - s.RatingShare) * safety / position                   // of the run
	maxPositions := max(1, int((plannedGenerationSeconds-cost.generation)/position)) // of a generation
	if p.ParallelGames = s.ParallelGames; p.ParallelGames == 0 {
		p.ParallelGames = min(max(int(positions/float64(minGamesEach*game.UsualPlies)), minParallel), maxParallel, maxPositions)
	}
	if p.PliesPerGeneration = s.PliesPerGeneration; p.PliesPerGeneration == 0 {
		plies := positions / float64(p.ParallelGames)
		p.PliesPerGeneration = max(min(int(plies/minGenerations), maxPlies), int(plies/targetGenerations))
		p.PliesPerGeneration = max(1, min(p.PliesPerGeneration, maxPositions/p.ParallelGames))
	}
	generation := position*float64(p.ParallelGames*p.PliesPerGeneration) + cost.generation
	if (s.ParallelGames > 0 || s.PliesPerGeneration > 0) && generation > maxGenerationSeconds {
		return p, fmt.Errorf("a generation of %d plies in each of %d games would take about %.0f s on this machine, "+
			"at most %d s are allowed; leave out parallel_games and plies_per_generation, or lower them",
			p.PliesPerGeneration, p.ParallelGames, generation, maxGenerationSeconds)
	}
	p.Generations = max(1, int(seconds*(1-s.RatingShare)*safety/generation))
	return p, nil
}

// A time plan is adjusted when these parts of its generations are done, to the time that the last tenth of them took, or
// the last adjustOver if these are more. All lie before the final decay of the learning rate, whose length is then known.
var adjustAt = []float64{0.12, 0.3, 0.48}

// adjustCPUAt is adjustAt for plans of CPU time, which are there to compare runs at equal cost: they must end close to
// their limit. So they are adjusted during the decay, too, which then ends slightly sooner or later.
var adjustCPUAt = append(slices.Clone(adjustAt), 0.65, 0.8, 0.9, 0.96)

// adjustments are the parts of a plan's generations after which it is adjusted.
func adjustments(p *rundir.Plan) []float64 {
	if p.CPU {
		return adjustCPUAt
	}
	return adjustAt
}

const adjustOver = 3 // generations

// adjustmentDue reports whether a plan is adjusted before the generation next. measured is the number of generations
// whose time is known.
func adjustmentDue(p *rundir.Plan, next, measured int) bool {
	at := adjustments(p)
	return p.Adjusted < len(at) && measured >= adjustOver && planShare(p, next) >= at[p.Adjusted] &&
		(p.CPU || next <= lastBeforeDecay(p))
}

// adjustPlan sets the remaining generations of a time plan. spent is the run's time so far, recent that of each
// generation measured, in seconds; only the last ones count. If these took more than maxGenerationSeconds on average,
// later ones get fewer plies.
func adjustPlan(p *rundir.Plan, generation int, recent []float64, spent float64, s *rundir.Settings) {
	recent = recent[max(0, len(recent)-max(adjustOver, generation/10)):]
	mean := 0.0
	for _, seconds := range recent {
		mean += seconds / float64(len(recent))
	}
	passAdjustments(p, generation)
	if plies := p.PliesPerGeneration; mean > maxGenerationSeconds && s.PliesPerGeneration == 0 && plies > 1 {
		p.PliesPerGeneration = max(1, int(float64(plies)*plannedGenerationSeconds/mean))
		mean *= float64(p.PliesPerGeneration) / float64(plies)
	}
	left := (p.Seconds*(1-finalShare(s)) - spent) * (1 - interimShare(s)) * safety
	p.Generations = generation + max(1, int(left/mean))
}

// passAdjustments counts the adjustments that were due until a generation ended as made.
func passAdjustments(p *rundir.Plan, generation int) {
	for at := adjustments(p); p.Adjusted < len(at) && planShare(p, generation+1) >= at[p.Adjusted]; {
		p.Adjusted++
	}
}

// makePlan sets the plan of a new run. For a time plan it measures the machine.
func (r *run) makePlan(ctx context.Context, weights *infer.Weights) error {
	settings := &r.config.Settings
	if r.Generations > 0 {
		r.config.Plan = rundir.Plan{
			Generations:        r.Generations,
			ParallelGames:      cmp.Or(settings.ParallelGames, maxParallel),
			PliesPerGeneration: cmp.Or(settings.PliesPerGeneration, maxPlies),
		}
		return nil
	}
	limit := cmp.Or(r.Time, DefaultTime)
	r.Observe(Event{Progress: &Progress{Phase: Measuring}})
	plan := &r.config.Plan
	plan.CPU = r.CPUTime
	c, err := measure(ctx, r.Game, settings, weights, r.Threads, limit-r.pace.spent(plan), r.CPUTime)
	if err != nil {
		return err
	}
	r.cost = c
	if *plan, err = timePlan((limit - r.pace.spent(plan)).Seconds(), r.Game, settings, c); err != nil {
		return err
	}
	plan.Seconds, plan.CPU = limit.Seconds(), r.CPUTime
	r.note("plan for %v: %d generations of %d plies in each of %d games",
		limit, plan.Generations, plan.PliesPerGeneration, plan.ParallelGames)
	return nil
}

// changeLength changes the run's plan if the options ask for another length, and reports whether it did. A finished run can only
// get more to do. It also returns an error once an unfinished run's learning rate decays: it would have to go back.
func (r *run) changeLength() (changed bool, err error) {
	plan := &r.config.Plan
	sameTime := r.Time == 0 || r.Time.Seconds() == plan.Seconds && r.CPUTime == plan.CPU
	sameGenerations := r.Generations == 0 || r.Generations == plan.Generations && plan.Stopped == 0
	if sameTime && sameGenerations {
		return false, nil
	}
	var count counters
	checkpoint, damaged, err := r.store.Newest()
	if err == nil {
		err = json.Unmarshal(checkpoint.Meta, &count)
	}
	if err != nil && !errors.Is(err, checkpoints.ErrNoCheckpoint) {
		return false, fmt.Errorf("run %s: %w", r.Dir, err)
	}
	ended, why := count.Generation, ""
	if len(damaged) > 0 {
		why = " (newer checkpoints are damaged)"
	}
	switch {
	case ended >= plan.Last():
		return r.extend(&count)
	case ended > lastBeforeDecay(plan):
		return false, fmt.Errorf("%s: %w: %d of %d generations are finished%s; since generation %d the learning rate decays, so the run keeps "+
			"its length; continue it without a new one, then give it a greater one",
			r.Dir, ErrConflict, ended, plan.Last(), why, lastBeforeDecay(plan)+1)
	case ended == 0 && r.Time > 0 && (plan.Seconds == 0 || plan.CPU != r.CPUTime):
		return false, fmt.Errorf("%s: %w: no generation is finished%s, so it is not known how long one takes; continue without a new length, "+
			"or delete %s to start over", r.Dir, ErrConflict, why, r.Dir)
	}
	return true, r.replan(&count)
}

// replan gives an unfinished run another length.
func (r *run) replan(count *counters) error {
	plan, ended := r.config.Plan, count.Generation
	perGeneration, spent := plan.Seconds/float64(plan.Generations), 0.0
	if ended > 0 {
		if spent = count.Seconds; r.CPUTime && count.CPUSeconds > 0 {
			spent = count.CPUSeconds
		}
		perGeneration = spent / float64(ended) / safety
	}
	plan.Seconds, plan.CPU, plan.Generations = r.Time.Seconds(), r.CPUTime, r.Generations
	plan.Adjusted, plan.Stopped, plan.Changed = 0, 0, ended
	if r.Time > 0 {
		plan.Generations = ended + int((plan.Seconds*(1-finalShare(&r.config.Settings))-spent)/perGeneration)
		passAdjustments(&plan, ended)
	}
	if plan.Generations <= ended {
		return fmt.Errorf("%s: %w: the run has trained as long already (generation %d of %d); choose a greater length",
			r.Dir, ErrConflict, ended, r.config.Plan.Last())
	}
	r.note("another length: %d generations, of which %d are finished, instead of %d", plan.Generations, ended, r.config.Plan.Last())
	r.config.Plan = plan
	return nil
}

// extend gives a finished run more to do if the options ask for more than its plan, and reports whether it did.
func (r *run) extend(count *counters) (extended bool, err error) {
	plan, ended := &r.config.Plan, count.Generation
	more := rundir.Plan{
		Generations: r.Generations, ParallelGames: plan.ParallelGames, PliesPerGeneration: plan.PliesPerGeneration,
		Resumed: ended, Rewound: r.rewindTarget(plan, ended),
	}
	if r.Time > 0 {
		repeated, err := r.learningSeconds(more.Rewound+1, ended)
		if err != nil {
			return false, err
		}
		more.Seconds, more.CPU = r.Time.Seconds(), r.CPUTime
		more.Adjusted = len(adjustments(&more)) // the run's speed is known
		spent := count.Seconds
		if more.CPU && count.CPUSeconds > 0 {
			spent = count.CPUSeconds
			repeated *= spent / count.Seconds
		}
		left := more.Seconds*(1-finalShare(&r.config.Settings)) - spent - repeated
		more.Generations = ended + int(left*safety/spent*float64(ended))
	}
	if more.Generations <= ended {
		return false, nil // the run has done that already
	}
	*plan = more
	return true, nil
}

// rewindTarget returns the generation whose weights an extension of a finished plan starts from: the plan's newest
// intact checkpoint before the final decay of the learning rate, else the one it went back to itself, else ended.
func (r *run) rewindTarget(plan *rundir.Plan, ended int) int {
	var candidates []int
	ids, _ := r.store.List() // what cannot be listed cannot be loaded
	for _, id := range slices.Backward(ids) {
		if id > plan.Resumed && id <= min(max(lastBeforeDecay(plan), plan.Changed), ended) {
			candidates = append(candidates, id)
		}
	}
	for _, id := range append(candidates, plan.Rewound) {
		if id == 0 {
			continue
		}
		if _, err := r.store.Load(id); err == nil {
			return id
		}
	}
	return ended
}

// learningSeconds returns the time spent learning in generations first to last.
func (r *run) learningSeconds(first, last int) (seconds float64, err error) {
	metrics, _, err := rundir.MetricsFile.Read(r.Dir)
	for _, m := range metrics {
		if m.Generation >= first && m.Generation <= last {
			seconds += m.LearnSeconds
		}
	}
	return seconds, err
}

// keepTime adjusts a time plan when that is due, and ends it when its time is over.
func (r *run) keepTime() error {
	plan, settings := &r.config.Plan, &r.config.Settings
	recent, next := r.pace.seconds, r.count.Generation+1
	if plan.Seconds == 0 {
		return nil
	}
	spent := r.pace.spent(plan).Seconds()
	if adjustmentDue(plan, next, len(recent)) {
		before := *plan
		adjustPlan(plan, r.count.Generation, recent, spent, settings)
		if err := r.config.Write(r.Dir); err != nil {
			return err
		}
		if plan.Generations != before.Generations {
			r.note("adjusted to this machine's speed: %d generations of %d plies, instead of %d of %d",
				plan.Generations, plan.PliesPerGeneration, before.Generations, before.PliesPerGeneration)
		}
	}
	expected := 0.0 // seconds of the next generation
	if len(recent) > 0 {
		expected = recent[len(recent)-1]
	}
	if r.count.Generation < plan.Generations && r.timeOver(expected) {
		return r.stop()
	}
	return nil
}

// timeOver reports whether the time of the plan is over: another generation, that takes the given seconds, and the final
// matches would not fit. There must be a generation to stop after.
func (r *run) timeOver(generation float64) bool {
	plan := &r.config.Plan
	end := plan.Seconds * (1 - finalShare(&r.config.Settings))
	return plan.Seconds > 0 && r.count.Generation > 0 && r.pace.spent(plan).Seconds()+generation > end
}

// stop ends the plan with the last committed generation.
func (r *run) stop() error {
	plan := &r.config.Plan
	plan.Stopped = r.count.Generation
	if err := r.config.Write(r.Dir); err != nil {
		return err
	}
	r.note("the time is over: stopping after generation %d of %d", plan.Stopped, plan.Generations)
	return nil
}

// pace measures the time of a run.
type pace struct {
	started    time.Time     // of the run, as if all its processes had run without a break
	startedCPU time.Duration // the process's CPU time then, likewise
	began      time.Time     // of this process's self-play
	from       int           // generation that this process resumed from
	seconds    []float64     // spent on each generation of this process that trained as much as later ones will
	speed      float64       // positions per second of self-play, recently; 0 before any were played
}

// elapsed is the time spent on the run.
func (p *pace) elapsed() time.Duration { return time.Since(p.started) }

// cpuTime is the CPU time spent on the run.
func (p *pace) cpuTime() time.Duration { return cpu.Time() - p.startedCPU }

// spent is the time spent on the run, in the time that the plan limits.
func (p *pace) spent(plan *rundir.Plan) time.Duration {
	if plan.CPU {
		return p.cpuTime()
	}
	return p.elapsed()
}

// playShare is roughly self-play's share of a generation's time; only the progress display uses it.
const playShare = 0.6

// progress reports the phase and how much of the next generation is done, from 0 to 1; while rating done is 0.
func (r *run) progress(phase Phase, done float64) {
	plan := &r.config.Plan
	at := float64(r.count.Generation) + done
	p := Progress{
		Phase: phase, Generation: r.count.Generation, Generations: plan.Generations, Games: r.count.Games,
		Share: at / float64(plan.Generations), Speed: r.pace.speed, Elapsed: r.pace.elapsed(),
	}
	if phase != Rating {
		p.Generation++
	}
	if spent := r.pace.spent(plan).Seconds(); plan.Seconds > 0 && spent > 0 && plan.Adjusted < len(adjustments(plan)) &&
		(plan.CPU || r.count.Generation < lastBeforeDecay(plan)) {
		// The number of generations will change, but hardly the time.
		p.Share = min(spent/plan.Seconds, 1)
		p.Remaining = time.Duration(max(plan.Seconds-spent, 0) / spent * float64(p.Elapsed))
	} else if here := at - float64(r.pace.from); here > 0.2 {
		left := time.Since(r.pace.began).Seconds() / here * (float64(plan.Generations) - at)
		if plan.Seconds > 0 && !plan.CPU {
			left = min(left, plan.Seconds-p.Elapsed.Seconds())
		}
		p.Remaining = time.Duration(max(left, 0) * float64(time.Second))
	}
	r.Observe(Event{Progress: &p})
}
