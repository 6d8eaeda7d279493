package train

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/suite"
	"ludus/train/tensorboard"
)

// Options say which run to make or to go on with.
type Options struct {
	Dir  string
	Game *env.Game
	// Settings are set by key: in a new run they replace defaults, in an existing one they must be the run's own.
	Settings map[string]float64
	Seed     *uint64 // nil: the run's, or 1
	// Time and Generations say how far to go; of an unfinished run they must agree with its plan, of a finished one
	// they ask for more. Zero: not asked for. At most one is set.
	Time        time.Duration
	Generations int
	From        string      // a weights file for a new run to start from; "": fresh weights
	Threads     int         // goroutines to play and learn on; the result does not depend on it
	Observe     func(Event) // told what happens, one call at a time; may be nil
}

// Event tells an observer how a run gets on. Every event has Progress; at most one of the others is set.
type Event struct {
	Progress
	Note    string              // something a person should know
	Metrics *rundir.Metrics     // a generation has ended
	Judged  *rundir.MatchResult // a match of the run's end has ended
	Rated   *rundir.Rating      // the newest checkpoint was rated
	Checked *rundir.SuiteResult // the newest checkpoint has moved in solved positions
}

// Progress is where a run stands.
type Progress struct {
	Phase       string        // "measuring", "playing", "learning" or "judging"
	Generation  int           // in work
	Generations int           // of the plan
	Games       int           // finished in the run
	Share       float64       // of the plan's work that is done, from 0 to 1
	Speed       float64       // positions a second while playing, recently
	Elapsed     time.Duration // spent on the run, by earlier processes too
	Remaining   time.Duration // expected; 0 where nothing is known yet
}

// Summary is what a run has come to.
type Summary struct {
	Dir       string
	Config    rundir.Config
	Already   bool // the run was finished before
	Games     int
	Positions int
	Steps     int
	Seconds   float64              // spent on the run
	Judged    []rundir.MatchResult // the matches of the last generation
	Rated     *rundir.Rating       // the last generation; nil where it was not rated
	Diversity rundir.Diversity     // over the run, or its newest million positions
}

// counters are what the checkpoints' manifests say of the run so far.
type counters struct {
	Game       string         `json:"game"`
	Network    infer.Config   `json:"network"`
	Generation int            `json:"generation"`
	Steps      int            `json:"steps"`     // of the learner
	Games      int            `json:"games"`     // finished
	Plies      int            `json:"plies"`     // of the finished games, openings included
	Positions  int            `json:"positions"` // searched
	Entered    entered        `json:"entered"`
	Seconds    float64        `json:"seconds"` // spent on the run
	Config     *rundir.Config `json:"config"`  // as it was
}

// meanPlies is the mean length of the finished games, and a guess before there are any.
func (c *counters) meanPlies(game *env.Game) float64 {
	if c.Games == 0 {
		return float64(game.MaxPlies) / 2
	}
	return float64(c.Plies) / float64(c.Games)
}

// run is a run directory in work.
type run struct {
	Options
	config  *rundir.Config
	store   *checkpoints.Store
	count   counters
	play    *selfPlay
	learner *learner
	started time.Time             // less what earlier processes spent
	speed   float64               // positions a second, of the last generation
	owed    int                   // steps that the learner took in generations that it went back over
	resumed counters              // where this process began
	began   time.Time             // when it did
	curves  *tensorboard.Writer   // of this process; nil before the first point
	suite   *suite.Suite          // the game's, once it is needed; nil where it has none
	balance *match.BalanceChecker // of the matches' openings, once it is needed
}

// Train makes the run that o describes, or goes on with it, until its plan is done, its time is over or ctx ends; then
// the error is ctx's, and the same options go on from the last checkpoint.
func Train(ctx context.Context, o Options) (s *Summary, err error) {
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	isNew, err := prepareDir(o.Dir)
	if err != nil {
		return nil, err
	}
	release, err := rundir.Lock(o.Dir)
	if err != nil {
		return nil, err
	}
	defer release()
	r := &run{Options: o, started: time.Now()}
	if r.store, err = rundir.Checkpoints(o.Dir); err != nil {
		return nil, err
	}
	weights, err := r.configure(ctx)
	if err != nil {
		if isNew { // leave nothing behind
			os.Remove(filepath.Join(o.Dir, rundir.LockFile))
			os.Remove(o.Dir)
		}
		return nil, err
	}
	defer func() {
		if closed := r.closeCurves(); err == nil {
			err = closed
		}
	}()
	already, err := r.load(weights)
	if err != nil {
		return nil, err
	}
	if !already {
		if err := r.loop(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.judgeFinally(ctx); err != nil {
		return nil, err
	}
	return r.summary(already)
}

// loop plays and learns, generation by generation, until the plan is done or its time over.
func (r *run) loop(ctx context.Context) error {
	plan := &r.config.Plan
	if err := r.judgeNow(ctx); err != nil { // an earlier process may have stopped before it did, or while
		return err
	}
	var seconds []float64 // that each generation took in this process, once the learner has begun
	for r.count.Generation < plan.Last() {
		start, steps, owed := time.Now(), r.learner.trainer.Steps(), r.owed
		m, err := r.generation(ctx)
		if err != nil {
			return err
		}
		r.tell(Event{Metrics: m})
		if m.Steps > steps && owed == 0 {
			seconds = append(seconds, time.Since(start).Seconds())
		}
		if err := r.adjustPlan(seconds); err != nil {
			return err
		}
		if plan.Seconds > 0 && r.count.Generation < plan.Generations && r.overTime(seconds) {
			plan.Stopped = r.count.Generation
			if err := r.config.Write(r.Dir); err != nil {
				return err
			}
			r.tell(Event{Note: fmt.Sprintf("the time is over: stopping after generation %d of %d", plan.Stopped, plan.Generations)})
			break
		}
		if err := r.judgeNow(ctx); err != nil {
			return err
		}
	}
	return nil
}

// adjustPlan sets a time plan right by the seconds of this process's learning generations, when it is due.
func (r *run) adjustPlan(seconds []float64) error {
	plan, next := &r.config.Plan, r.count.Generation+1
	if plan.Seconds == 0 || plan.Adjusted >= len(adjustAt) || len(seconds) < adjustOver ||
		planShare(plan, next) < adjustAt[plan.Adjusted] || next > lastConstant(plan) {
		return nil
	}
	before := plan.Generations
	adjustPlan(plan, r.count.Generation, seconds[len(seconds)-adjustOver:], time.Since(r.started).Seconds(), &r.config.Settings)
	if plan.Generations != before {
		r.tell(Event{Note: fmt.Sprintf("at this speed the time is enough for %d generations, not %d", plan.Generations, before)})
	}
	return r.config.Write(r.Dir)
}

// overTime says that another generation and the last matches would not fit into the time of the plan.
// seconds are those of this process's generations.
func (r *run) overTime(seconds []float64) bool {
	spent, next := time.Since(r.started).Seconds(), 0.0
	if len(seconds) > 0 {
		next = seconds[len(seconds)-1]
	}
	return spent+next > r.config.Plan.Seconds*(1-finalShare(&r.config.Settings))
}

// generation plays, learns and leaves a checkpoint: the commit point, before which nothing of it counts.
func (r *run) generation(ctx context.Context) (*rundir.Metrics, error) {
	r.count.Generation++
	generation, plan := r.count.Generation, &r.config.Plan
	network, err := infer.NewNetwork(r.Game, r.learner.trainer.AverageWeights())
	if err != nil {
		return nil, err
	}
	playStart := time.Now()
	if err := r.collect(ctx, network); err != nil {
		return nil, err
	}
	played := r.play.result()
	games := played.finished
	m := &rundir.Metrics{
		Generation: generation, Generations: plan.Generations,
		PlaySeconds: time.Since(playStart).Seconds(), Positions: len(r.play.games) * plan.PliesPerGeneration,
		Simulations: played.simulations, Evaluations: played.evaluations,
	}
	m.IdleShare = 1 - played.busy.Seconds()/(m.PlaySeconds*float64(len(r.play.workers)))
	r.speed = float64(m.Positions) / m.PlaySeconds
	if err := r.writeGames(generation, games); err != nil {
		return nil, err
	}
	stepsBefore := r.learner.steps() - r.owed
	r.owed = 0
	r.learner.add(games, r.count.Games)
	r.count.Games += len(games)
	r.count.Positions += m.Positions
	m.Diversity = diversity(r.Game, games)
	if r.judgingDue() {
		in := diversity(r.Game, r.learner.window.records())
		m.InWindow = &in
	}
	r.count.Plies += int(m.MeanPlies*float64(len(games)) + 0.5)

	learnStart := time.Now()
	r.examine(m, network)
	if err := r.learn(ctx, m, r.learner.steps()-stepsBefore); err != nil {
		return nil, err
	}
	m.LearnSeconds, m.RunSeconds = time.Since(learnStart).Seconds(), time.Since(r.started).Seconds()
	m.Games, m.TotalGames, m.ReplayPositions, m.Steps = len(games), r.count.Games, r.learner.window.positions, r.learner.trainer.Steps()
	if err := rundir.MetricsFile.Append(r.Dir, m); err != nil {
		return nil, err
	}
	if err := r.chart(generation, metricScalars(m)); err != nil {
		return nil, err
	}
	return m, r.save()
}

// collect plays a generation with the network of the averaged weights.
func (r *run) collect(ctx context.Context, network *infer.Network) error {
	mean := r.count.meanPlies(r.Game)
	for _, g := range r.play.games {
		g.meanPlies = mean
	}
	r.play.begin(evaluatorsOf(network), r.config.Plan.PliesPerGeneration)
	finished := make(chan error, 1)
	start, total := time.Now(), float64(len(r.play.games)*r.config.Plan.PliesPerGeneration)
	go func() { finished <- r.play.run(ctx) }()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-finished:
			return err
		case <-tick.C:
			n := float64(r.play.played.Load())
			r.speed = n / time.Since(start).Seconds()
			r.progress("playing", playShare*n/total)
		}
	}
}

// learn takes steps on the window and notes the losses in m.
func (r *run) learn(ctx context.Context, m *rundir.Metrics, steps int) error {
	if r.learner.window.positions < r.config.Settings.BatchSize {
		return nil // too little yet to learn from without learning it by heart
	}
	i := 0
	lesson, err := r.learner.train(ctx, m.Generation, steps, planShare(&r.config.Plan, m.Generation), func() {
		i++
		r.progress("learning", playShare+(1-playShare)*float64(i)/float64(steps))
	})
	setLesson(m, &lesson)
	return err
}

// save writes the checkpoint of the generation counted last.
func (r *run) save() error {
	r.count.Seconds = time.Since(r.started).Seconds()
	r.count.Steps = r.learner.trainer.Steps()
	r.count.Entered = r.learner.entered
	r.count.Config = r.config
	parts := []checkpoints.Part{
		{Name: rundir.WeightsPart, Data: r.learner.trainer.AverageWeights().Marshal()},
		{Name: rundir.OptimizerPart, Data: r.learner.trainer.MarshalState()},
		{Name: rundir.GamesInProgressPart, Data: marshalGamesInProgress(r.play.games)},
	}
	if err := r.store.Save(r.count.Generation, &r.count, parts); err != nil {
		return err
	}
	plan, settings := &r.config.Plan, &r.config.Settings
	pinned := append(r.judgedBefore(), lastConstant(plan), plan.Rewound)
	return r.store.Prune(settings.KeepNewest, settings.KeepEvery, pinned...)
}

// playShare is the share of a generation's work that playing is, roughly: for the bar alone.
const playShare = 0.6

// progress tells where the run stands, done being the share of the generation in work.
func (r *run) progress(phase string, done float64) {
	plan := &r.config.Plan
	p := Progress{
		Phase: phase, Generation: min(r.count.Generation, plan.Generations), Generations: plan.Generations,
		Games: r.count.Games, Speed: r.speed, Elapsed: time.Since(r.started),
		Share: (float64(r.count.Generation) - 1 + done) / float64(plan.Generations),
	}
	here := float64(r.count.Generation) - 1 + done - float64(r.resumed.Generation)
	if here > 0.2 {
		each := time.Since(r.began).Seconds() / here
		left := each * (float64(plan.Generations-r.count.Generation) + 1 - done)
		if plan.Seconds > 0 {
			left = min(left, plan.Seconds-p.Elapsed.Seconds())
		}
		p.Remaining = time.Duration(max(left, 0) * float64(time.Second))
	}
	r.tell(Event{Progress: p})
}

func (r *run) tell(e Event) { r.Observe(e) }
