package train

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model"
	"ludus/train/agent"
	"ludus/train/plan"
	"ludus/train/rundir"
)

// Options say which run to start or continue.
type Options struct {
	Dir  string // the run directory
	Game *env.Game
	// Settings by key: in a new run they replace defaults, in an existing one they must be the run's own.
	Settings map[string]float64
	Seed     *uint64 // nil: the existing run's seed, or 1 in a new run
	// Time and Generations are the length of the run; at most one is set. If neither is, an existing run keeps its
	// length and a new run takes plan.DefaultTime. A finished run may be given a greater length, an unfinished one another
	// length until its learning rate decays.
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

	corrupt func(*model.Batch) // breaks each batch on purpose, to test what package doctor says about it; may be nil
}

// length is the length that the options ask for.
func (o *Options) length() plan.Length {
	return plan.Length{Time: o.Time, CPU: o.CPUTime, Generations: o.Generations}
}

// note passes a message to the observer.
func (o *Options) note(format string, args ...any) {
	o.Observe(Event{Note: fmt.Sprintf(format, args...)})
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
	Positions   int           // expected to be played in the whole run; 0 if unknown
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

// Train starts or continues a run, until its plan is done, its time is over or ctx ends. After an interruption the
// error is ctx's, and the same options continue from the last checkpoint.
func Train(ctx context.Context, o Options) (s *Summary, err error) {
	if o.LearnOnly && o.Workers == nil {
		panic("train: a run that only learns needs workers")
	}
	opener, err := newOpener(o)
	if err != nil {
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
	weights, err := opener.configure(ctx)
	if err != nil {
		if isNew { // leave nothing behind
			os.Remove(filepath.Join(o.Dir, rundir.LockFile))
			os.Remove(o.Dir)
		}
		return nil, err
	}
	r, err := opener.load(weights)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := r.files.curves.Close(); err == nil {
			err = closed
		}
	}()
	if o.Workers == nil {
		return r.train(ctx)
	}
	return r.trainWithWorkers(ctx)
}

// trainWithWorkers is train with players in other processes. It gives the run its id if it has none.
func (r *run) trainWithWorkers(ctx context.Context) (*Summary, error) {
	if r.config.ID == "" {
		r.config.ID = rand.Text()
		if err := r.files.writeConfig(); err != nil {
			return nil, err
		}
	}
	workers, err := r.Workers(ctx, r.config.ID)
	if err != nil {
		return nil, err
	}
	defer workers.Close()
	inbox := newInbox(r.state, workers)
	r.inbox, r.files.inbox = inbox, inbox
	stop := inbox.start(ctx)
	defer stop()
	summary, err := r.train(ctx)
	if err != nil {
		return nil, err
	}
	stop() // or it would miss the stream that Finish deletes
	if err := workers.Finish(ctx); err != nil {
		r.note("%v", err)
	}
	return summary, nil
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
