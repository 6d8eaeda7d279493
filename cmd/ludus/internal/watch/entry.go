package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ludus/checkpoints"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// States of a run.
const (
	Starting   = "starting" // training prepares its plan
	Training   = "training"
	Evaluating = "evaluating" // trained; matches are played
	Finished   = "finished"
	Stopped    = "stopped" // training can continue
	Broken     = "broken"  // it cannot be read
)

// Entry is a run in the list.
type Entry struct {
	Name        string  `json:"name"`
	Title       string  `json:"title"` // the name to show
	Game        string  `json:"game"`
	Agent       string  `json:"agent"` // spec of the newest checkpoint's agent; "" if there is none
	State       string  `json:"state"`
	Problem     string  `json:"problem,omitempty"` // why the run is broken
	Generation  int     `json:"generation"`        // completed
	Generations int     `json:"generations"`       // planned, or completed when the time was over
	Games       int     `json:"games"`             // of self-play, completed
	Rating      Rating  `json:"rating,omitzero"`   // of the newest checkpoint that has one
	Left        float64 `json:"left,omitempty"`    // seconds of training left, estimated; 0 is unknown
	Changed     int64   `json:"changed,omitempty"` // when the last generation ended or the run was created, Unix time
}

// Rating is a checkpoint's rating in Elo with its 95 % interval.
type Rating struct {
	Generation int     `json:"generation"`
	Value      float64 `json:"value"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

// entryReader reads a run's entry; of the run's files only those that changed.
type entryReader struct {
	root, dir                string // the watched directory and the run's
	outside                  error  // errOutside if dir leads out of root
	config, metrics, ratings checkpoints.FileWatcher
	entry                    Entry
	ratingShare              float64 // share of the time that matches take
	seconds                  float64 // time limit of the run; 0 is none
}

func newEntryReader(root, name string) *entryReader {
	dir := filepath.Join(root, filepath.FromSlash(name))
	file := func(name string) checkpoints.FileWatcher {
		return checkpoints.FileWatcher{Path: filepath.Join(dir, name)}
	}
	title := name
	if absolute, err := filepath.Abs(dir); err == nil && name == "." {
		title = filepath.Base(absolute)
	}
	return &entryReader{
		root: root, dir: dir, entry: Entry{Name: name, Title: title},
		config: file(rundir.ConfigFile), metrics: file(rundir.MetricsFile.Name), ratings: file(rundir.RatingsFile),
	}
}

// refresh returns the current entry.
func (r *entryReader) refresh() Entry {
	if r.outside = checkInside(r.root, r.dir); r.outside != nil {
		return Entry{Name: r.entry.Name, Title: r.entry.Title, State: Broken, Problem: r.outside.Error()}
	}
	r.readConfig()
	r.readMetrics()
	r.readRating()
	if r.entry.Agent == "" {
		if generations, _ := rundir.Checkpoints(r.dir).List(); len(generations) > 0 {
			r.entry.Agent = agent.NetSpec(r.entry.Name).String()
		}
	}
	e := r.entry
	running, trained := rundir.Locked(r.dir), e.Generation >= e.Generations
	switch {
	case e.Problem != "" && running && e.Generations == 0:
		return Entry{Name: e.Name, Title: e.Title, State: Starting}
	case e.Problem != "":
		e.State, e.Agent = Broken, ""
	case running && trained:
		e.State = Evaluating
	case running:
		e.State = Training
	case trained:
		e.State = Finished
	default:
		e.State = Stopped
	}
	if e.State != Training {
		e.Left = 0
	}
	return e
}

// readConfig reads the run's game and plan, or why they cannot be read.
func (r *entryReader) readConfig() {
	changed, err := r.config.Changed()
	if err == nil && !changed {
		return
	}
	e := &r.entry
	e.Problem, e.Game, e.Agent, e.Generations = "", "", "", 0
	var config *rundir.Config
	if err == nil {
		if config, err = rundir.ReadConfig(r.dir); err == nil {
			_, err = games.New(config.Game)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Problem = "it has no " + rundir.ConfigFile
		if _, err := os.Stat(r.dir); errors.Is(err, fs.ErrNotExist) {
			e.Problem = "its folder is gone: deleted, moved or renamed"
		}
	case err != nil:
		e.Problem = err.Error()
	default:
		e.Game, e.Generations = config.Game, config.Plan.Last()
		r.ratingShare, r.seconds = config.Settings.RatingShare, config.Plan.Seconds
		r.metrics = checkpoints.FileWatcher{Path: r.metrics.Path} // read again: the time left follows from both files
		if info, err := os.Stat(r.config.Path); err == nil && e.Changed == 0 {
			e.Changed = info.ModTime().Unix()
		}
	}
}

// maxLeft, in seconds, is more than any run takes; damaged files may lead to more.
const maxLeft = 1e9

// readMetrics reads the run's progress and estimates the time left from the last generations.
func (r *entryReader) readMetrics() {
	changed, err := r.metrics.Changed()
	if err == nil && !changed {
		return
	}
	e := &r.entry
	before := e.Generation
	e.Generation, e.Games, e.Left = 0, 0, 0
	if err != nil {
		return // no generation has ended
	}
	generations, seconds, spent := 0, 0.0, 0.0
	recent := rundir.MetricsFile.Tail(r.dir)
	for _, m := range recent {
		if m.Generation > 0 {
			e.Generation, e.Games = m.Generation, m.TotalGames
			generations, seconds, spent = generations+1, seconds+m.PlaySeconds+m.LearnSeconds, m.RunSeconds
		}
	}
	if generations > 0 {
		e.Left = float64(max(e.Generations-e.Generation, 0)) * seconds / float64(generations) / max(1-r.ratingShare, 0.1)
		if r.seconds > 0 && spent > 0 {
			e.Left = min(e.Left, max(r.seconds-spent, 1))
		}
		if !(e.Left >= 0 && e.Left < maxLeft) {
			e.Left = 0
		}
	}
	if info, err := os.Stat(r.metrics.Path); err == nil && e.Generation != before {
		e.Changed = info.ModTime().Unix()
	}
}

// readRating reads the rating of the newest rated checkpoint.
func (r *entryReader) readRating() {
	changed, err := r.ratings.Changed()
	if err == nil && !changed {
		return
	}
	r.entry.Rating = Rating{}
	ratings, err := rundir.ReadRatings(r.dir)
	if err != nil {
		return // there are none; the view warns if they are damaged
	}
	if newest := ratings.Newest(); newest != nil {
		r.entry.Rating = Rating{*newest.Generation, newest.Rating, newest.Low, newest.High}
	}
}
