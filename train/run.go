package train

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/cpu"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/tensorboard"
)

// Options say which run to start or continue.
type Options struct {
	Dir  string // the run directory
	Game *env.Game
	// Settings by key: in a new run they replace defaults, in an existing one they must be the run's own.
	Settings map[string]float64
	Seed     *uint64 // nil: the existing run's seed, or 1 in a new run
	// Time and Generations are the length of the run; at most one is set. If neither is, an existing run keeps its
	// length and a new run takes DefaultTime. A finished run may be given a greater length, an unfinished one another length
	// until its learning rate decays.
	Time        time.Duration
	CPUTime     bool // Time is CPU time of this process rather than time on the clock
	Generations int
	From        string       // a weights file that a new run starts from; "": random weights
	Load        agent.Loader // of From; nil is rundir.LoadWeights
	Threads     int          // goroutines for self-play and training; only the plan of a new run with a time depends on it
	Observe     func(Event)  // called for each event, one at a time; may be nil
	LearnOnly   bool         // leave self-play to workers; needs Workers
	// Workers connects the run with this id to players in other processes; nil: there are none. It is called when the run
	// is locked.
	Workers func(ctx context.Context, id string) (Workers, error)

	faults faults
}

// faults break a run on purpose, to test what package doctor says about it. Each may be nil.
type faults struct {
	games func(games []*gameInProgress) // changes new games
	batch func(batch *model.Batch)      // changes each batch
}

// Event is something that happened in a run. Exactly one field is set.
type Event struct {
	Progress *Progress
	Note     string              // a message for people: a change of plan or damage
	Metrics  *rundir.Metrics     // a generation has been committed
	Match    *rundir.MatchResult // a match at the end of the run is over
	Rating   *rundir.Rating      // the newest checkpoint has been rated
	Suite    *rundir.SuiteResult // the newest checkpoint has been tested on the game's suite
}

// Phase is what a run is doing.
type Phase string

// The phases of a run.
const (
	Measuring Phase = "measuring" // the machine's speed, for a time plan
	Playing   Phase = "playing"   // self-play
	Waiting   Phase = "waiting for games"
	Learning  Phase = "learning"
	Rating    Phase = "rating" // matches and suite
)

// Progress is how far a run has come.
type Progress struct {
	Phase       Phase
	Generation  int           // in progress
	Generations int           // of the plan; 0 while measuring
	Games       int           // finished in the run
	Share       float64       // completed part of the plan, from 0 to 1
	Speed       float64       // positions per second of self-play, recently
	Elapsed     time.Duration // spent on the run, earlier processes included
	Remaining   time.Duration // expected; 0 if unknown
}

// Summary is the result of a run.
type Summary struct {
	Dir       string
	Config    rundir.Config
	Already   bool // the run was already finished when Train was called
	Games     int
	Positions int
	Steps     int
	Seconds   float64              // spent on the run
	Matches   []rundir.MatchResult // at the end of the run
	Rating    *rundir.Rating       // of the last generation; nil without matches
	Diversity rundir.Diversity     // of all games, or of the newest ones with a million positions
}

// Errors of opening a run.
var (
	ErrOtherGame   = errors.New("the run directory belongs to another game")
	ErrConflict    = errors.New("the options conflict with the run's config.json")
	ErrNetworkSize = errors.New("the settings do not fit the network to start from")
	ErrCheckpoints = errors.New("the run's checkpoints are missing")
)

// run is a run in progress. Within a generation selfPlay owns the games in progress, learner owns the network and the
// windows, commit owns the files and counters, and rater owns the matches and the suite.
type run struct {
	Options
	config    *rundir.Config
	store     *checkpoints.Store
	count     counters // as of the last commit
	owedSteps int      // training steps to repeat, because the learner went back to older weights
	inbox     *inbox   // nil without workers
	waited    float64  // for the last generation's games, see nextFactor
	play      *selfPlay
	rescorer  *rescorer
	learner   *learner
	curves    *tensorboard.Writer
	rater     *rater
	pace      pace
	cost      cost // measured for a time plan
}

// counters are the totals of a run, kept in each checkpoint's manifest.
type counters struct {
	Game       string         `json:"game"`
	Network    infer.Config   `json:"network"`
	Generation int            `json:"generation"`
	Steps      int            `json:"steps"`     // of training
	Games      int            `json:"games"`     // finished
	Plies      int            `json:"plies"`     // of the finished games, openings included
	Positions  int            `json:"positions"` // searched
	Sets       positionCounts `json:"sets"`      // positions ever added to the training and validation sets
	Seconds    float64        `json:"seconds"`   // spent on the run
	CPUSeconds float64        `json:"cpu_seconds"`
	Received   numbers        `json:"received,omitempty"`           // games of workers
	Factor     float64        `json:"simulations_factor,omitempty"` // see nextFactor; 0 without workers
	Config     *rundir.Config `json:"config"`                       // at that time
}

// meanPlies is the mean length of the finished games; a guess before there are any.
func (c *counters) meanPlies(game *env.Game) float64 {
	if c.Games == 0 {
		return float64(game.UsualPlies) / 2
	}
	return float64(c.Plies) / float64(c.Games)
}

// Train starts or continues a run, until its plan is done, its time is over or ctx ends. After an interruption the
// error is ctx's, and the same options continue from the last checkpoint.
func Train(ctx context.Context, o Options) (s *Summary, err error) {
	if o.LearnOnly && o.Workers == nil {
		panic("train: a run that only learns needs workers")
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if err := checkLength(o.Time, o.Generations); err != nil {
		return nil, err
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
	r := &run{Options: o, store: rundir.Checkpoints(o.Dir)}
	r.pace.started, r.pace.startedCPU = time.Now(), cpu.Time()
	weights, err := r.configure(ctx)
	if err != nil {
		if isNew { // leave nothing behind
			os.Remove(filepath.Join(o.Dir, rundir.LockFile))
			os.Remove(o.Dir)
		}
		return nil, err
	}
	if err := r.load(weights); err != nil {
		return nil, err
	}
	defer func() {
		if closed := r.curves.Close(); err == nil {
			err = closed
		}
	}()
	stopInbox := func() {}
	if o.Workers != nil {
		workers, err := r.connect(ctx)
		if err != nil {
			return nil, err
		}
		defer workers.Close()
		r.inbox = newInbox(r, workers)
		stopInbox = r.inbox.start(ctx)
		defer stopInbox()
	}
	finished := r.count.Generation >= r.config.Plan.Last()
	if err := r.rate(ctx); err != nil { // an earlier process may have stopped before it had rated its last generation
		return nil, err
	}
	for r.count.Generation < r.config.Plan.Last() {
		if err := r.generation(ctx); err != nil {
			return nil, err
		}
	}
	if r.inbox != nil {
		stopInbox() // or it would miss the stream that Finish deletes
		if err := r.inbox.workers.Finish(ctx); err != nil {
			r.note("%v", err)
		}
	}
	return r.summary(finished)
}

// connect connects the run to workers. The first time it gives the run its id.
func (r *run) connect(ctx context.Context) (Workers, error) {
	if r.config.ID == "" {
		r.config.ID = rand.Text()
		if err := r.config.Write(r.Dir); err != nil {
			return nil, err
		}
	}
	return r.Workers(ctx, r.config.ID)
}

// maxSummarized is about how many of the newest positions a summary measures the diversity of; it bounds the memory.
const maxSummarized = 1_000_000

// summary reads the results of a finished run; already says that the run was finished when Train was called.
func (r *run) summary(already bool) (*Summary, error) {
	s := &Summary{
		Dir: r.Dir, Config: *r.config, Already: already, Games: r.count.Games, Positions: r.count.Positions,
		Steps: r.count.Steps, Seconds: r.count.Seconds,
	}
	matches, _, err := rundir.MatchesFile.Read(r.Dir)
	if err != nil {
		return nil, err
	}
	for _, m := range matches {
		if m.Final && m.Generation == r.count.Generation {
			s.Matches = append(s.Matches, m)
		}
	}
	if table, err := rundir.ReadRatings(r.Dir); err == nil {
		s.Rating = table.Find(r.count.Generation)
	}
	var d diversity
	var lost lostGames
	for g := r.count.Generation; g > 0 && d.searched < maxSummarized; g-- {
		games, _, err := record.Read(r.Game, r.Dir, g)
		if record.IsLost(err) {
			lost.add(g, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, game := range games {
			d.add(r.Game, game)
		}
	}
	r.noteLost(lost, "the summary leaves these games out")
	s.Diversity = d.result()
	return s, nil
}

// prepareDir creates the run directory if it does not exist, and reports that. It rejects a directory of other files.
func prepareDir(dir string) (isNew bool, err error) {
	if isNew, err = checkDir(dir); isNew {
		err = checkpoints.MkdirAll(dir)
	}
	return isNew, err
}

// checkDir reports whether the run directory does not exist. It rejects a directory of other files.
func checkDir(dir string) (isNew bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if _, configErr := os.Stat(filepath.Join(dir, rundir.ConfigFile)); err != nil || configErr == nil {
		return false, err
	}
	for _, e := range entries {
		if name := e.Name(); name != rundir.LockFile && name != rundir.ServerDir && !strings.HasPrefix(name, ".") {
			return false, fmt.Errorf("%s: %w: it holds %s but no %s; name a new or empty directory",
				dir, rundir.ErrNoRun, name, rundir.ConfigFile)
		}
	}
	return false, nil
}

// generation plays, trains, commits and rates one generation. If stopped before the commit, a resumed run repeats it.
func (r *run) generation(ctx context.Context) error {
	start, began := r.pace.spent(&r.config.Plan), time.Now()
	m := &rundir.Metrics{Generation: r.count.Generation + 1, Generations: r.config.Plan.Generations}
	network, err := r.publishNetwork(ctx, m)
	if err != nil {
		return err
	}
	games, err := r.collect(ctx, network, m)
	if errors.Is(err, errTimeOver) {
		if err := r.stop(); err != nil {
			return err
		}
		return r.rate(ctx)
	}
	if err != nil {
		return err
	}
	sets, err := r.learn(ctx, network.ready, games, m)
	if err != nil {
		return err
	}
	if err := r.commit(m, games, sets, start); err != nil {
		return err
	}
	r.waited = m.PlaySeconds / (time.Since(began).Seconds() - m.PlaySeconds)
	return r.rate(ctx)
}

// publishNetwork makes the averaged weights the newest network. It decides how many simulations per move its games get.
func (r *run) publishNetwork(ctx context.Context, m *rundir.Metrics) (*Network, error) {
	settings := r.config.Settings
	n := &Network{
		Run: r.config.ID, Game: r.Game, Settings: settings, Generation: r.count.Generation, Simulations: settings.Simulations,
		MeanPlies: r.count.meanPlies(r.Game), Weights: r.learner.trainer.AverageWeights(),
	}
	if r.inbox != nil {
		ready := float64(r.inbox.ready()) / float64(r.generationPositions())
		r.count.Factor = nextFactor(max(r.count.Factor, 1), ready, r.waited)
		n.Simulations = int(math.Round(r.count.Factor * float64(settings.Simulations)))
		m.WorkerSimulations = n.Simulations
	}
	if err := n.Prepare(); err != nil {
		return nil, err
	}
	if r.inbox == nil {
		return n, nil
	}
	return n, r.inbox.publish(ctx, n, r.generationPositions())
}

// learn adds games to the training and validation sets, evaluates network on the validation set and trains on the
// training set. It returns the positions ever added to each set and sets the measurements in m.
func (r *run) learn(ctx context.Context, network *infer.Network, games []*record.Record, m *rundir.Metrics) (
	positionCounts, error) {
	l := r.learner
	sets := l.add(games, r.count.Games, r.count.Sets)
	if ratingDue(r.config, m.Generation) {
		m.ReplayDiversity = new(measureDiversity(r.Game, l.training.records()))
	}
	start := time.Now()
	l.validate(m, network, ratingDue(r.config, m.Generation))
	if l.training.trainable >= r.config.Settings.BatchSize { // the learner would overfit fewer positions
		steps := l.steps(sets) - l.steps(r.count.Sets) + r.owedSteps
		err := l.train(ctx, m, steps, planShare(&r.config.Plan, m.Generation), func(done float64) {
			r.progress(Learning, playShare+(1-playShare)*done)
		})
		if err != nil {
			return sets, err
		}
	}
	m.LearnSeconds = time.Since(start).Seconds()
	return sets, nil
}

// rate rates the newest checkpoint by matches and tests it on the suite, if that is due and not done yet.
func (r *run) rate(ctx context.Context) error {
	g := r.count.Generation
	if r.config.Settings.RatingShare == 0 || g == 0 || !ratingDue(r.config, g) {
		return nil
	}
	return r.rater.rate(ctx)
}

// lostGames are the generations whose games could not be read.
type lostGames struct {
	generations []string
	err         error // of the first
}

func (l *lostGames) add(generation int, err error) {
	if l.generations = append(l.generations, strconv.Itoa(generation)); len(l.generations) == 1 {
		l.err = err
	}
}

// noteLost notes the lost games, if any, in one line.
func (r *run) noteLost(l lostGames, consequence string) {
	switch others := strings.Join(l.generations[min(1, len(l.generations)):], ", "); {
	case others != "":
		r.note("%v, also the games of generations %s; %s", l.err, others, consequence)
	case l.err != nil:
		r.note("%v; %s", l.err, consequence)
	}
}

// note passes a message to the observer.
func (r *run) note(format string, args ...any) { r.Observe(Event{Note: fmt.Sprintf(format, args...)}) }
