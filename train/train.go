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
	"ludus/train/agent"
	"ludus/train/plan"
	"ludus/train/rundir"
)

// Options select the run to start or to continue.
type Options struct {
	Dir  string // the run directory
	Game *env.Game
	// Settings holds settings by key. In a new run they replace defaults; for an existing run they must equal the run's
	// own.
	Settings map[string]float64
	Seed     *uint64 // nil: the existing run's seed, or 1 in a new run
	// Time and Generations give the length of the run; at most one is set. If neither is, an existing run keeps its
	// length and a new run takes plan.DefaultTime. A finished run may get a greater length, an unfinished one another
	// length until its learning rate decays.
	Time        time.Duration
	CPUTime     bool // Time is CPU time of this process instead of wall-clock time
	Generations int
	Import      *Import      // games of others that a new run learns from first; nil: none
	From        string       // network that a new run starts from, see [agent.ParseReference], and that Settings may enlarge; "": random weights
	Load        agent.Loader // loads From; nil means rundir.LoadWeights
	Threads     int          // number of goroutines for self-play and training; of the results, only the time plan of a new run depends on it
	Observe     func(Event)  // called for each event, one at a time; may be nil
	LearnOnly   bool         // leave self-play to workers; needs Workers
	// Workers, if set, connects the run with the given id to players in other processes. It is called after the run is
	// locked.
	Workers func(ctx context.Context, id string) (Workers, error)
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
	Note     string              // message for people about a change of plan or damage
	Metrics  *rundir.Metrics     // metrics of a generation that was committed
	Score    *rundir.Score       // score of the newest checkpoint against the run's opponent
	Suite    *rundir.SuiteResult // suite result of the newest checkpoint
}

// Phase is what a run is currently doing.
type Phase string

// The phases of a run.
const (
	Measuring Phase = "measuring this machine's speed" // for a time plan
	Playing   Phase = "playing"                        // self-play
	Waiting   Phase = "waiting for games"
	Importing Phase = "reading games"
	Learning  Phase = "learning"
	Testing   Phase = "measuring strength" // matches, and tests on the suite
)

// Progress is how far a run has come.
type Progress struct {
	Phase       Phase
	Generation  int           // the current generation
	Generations int           // planned number of generations; 0 while measuring
	Size        int           // side of the board that the generation plays; 0 if the run has one size
	Games       int           // games finished in the run
	Share       float64       // completed share of the plan, 0 to 1
	Speed       float64       // recent positions per second of self-play
	Positions   int           // positions expected in the whole run; 0 if unknown
	Elapsed     time.Duration // time spent on the run, earlier processes included
	Remaining   time.Duration // expected time left; 0 if unknown
}

// Summary holds the results of a finished run.
type Summary struct {
	Dir       string
	Config    rundir.Config
	Already   bool // the run was already finished when Train was called
	Games     int
	Positions int
	Steps     int
	Seconds   float64        // time spent on the run
	LastGames rundir.Metrics // of the last generation in which games ended; all 0 without games
}

// Errors of opening a run.
var (
	ErrOtherGame   = errors.New("the run directory belongs to another game")
	ErrConflict    = errors.New("the options conflict with the run's config.json")
	ErrNetworkSize = errors.New("the settings do not fit the network")
	ErrCheckpoints = errors.New("the run's checkpoints are missing")
)

// Train starts or continues a run, until its plan is done, its time is over or ctx ends. If ctx ends, it returns ctx's
// error, and the same options continue from the last checkpoint. If training diverges, the error wraps
// ludus/model.ErrDiverged; the checkpoint of the generation before stays the newest.
func Train(ctx context.Context, o Options) (*Summary, error) {
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
		if isNew { // remove the new directory after a failure
			os.Remove(filepath.Join(o.Dir, rundir.LockFile))
			os.Remove(o.Dir)
		}
		return nil, err
	}
	r, err := opener.load(weights)
	if err != nil {
		return nil, err
	}
	defer r.closeImport()
	if o.Workers == nil {
		return r.train(ctx)
	}
	return r.trainWithWorkers(ctx)
}

// trainWithWorkers is train for a run with workers in other processes. It gives the run an id if it has none.
func (r *run) trainWithWorkers(ctx context.Context) (*Summary, error) {
	if r.config.ID == "" {
		r.config.ID = rand.Text()
		if err := r.config.Write(r.Dir); err != nil {
			return nil, err
		}
	}
	workers, err := r.Workers(ctx, r.config.ID)
	if err != nil {
		return nil, err
	}
	defer workers.Close()
	r.inbox = newInbox(r.state, workers)
	stop := r.inbox.start(ctx)
	defer stop()
	summary, err := r.train(ctx)
	if err != nil {
		return nil, err
	}
	stop() // before Finish deletes the stream that reporting uses
	if err := workers.Finish(ctx); err != nil {
		r.note("%v", err)
	}
	return summary, nil
}

// prepareDir creates the run directory if it does not exist, and reports whether it did. A directory with other files
// is an error.
func prepareDir(dir string) (isNew bool, err error) {
	if isNew, err = checkDir(dir); isNew {
		err = checkpoints.MkdirAll(dir)
	}
	return isNew, err
}

// checkDir reports whether the run directory is missing. A directory with other files is an error.
func checkDir(dir string) (isNew bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if _, configErr := os.Stat(filepath.Join(dir, rundir.ConfigFile)); err != nil || configErr == nil {
		return false, err // nil for a run
	}
	for _, e := range entries {
		if name := e.Name(); name != rundir.LockFile && name != rundir.ServerDir && !strings.HasPrefix(name, ".") {
			return false, fmt.Errorf("%s: %w: it holds %s but no %s; name a new or empty directory",
				dir, rundir.ErrNoRun, name, rundir.ConfigFile)
		}
	}
	return false, nil
}
