package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ludus/checkpoints"
	"ludus/env/games"
	"ludus/train/rundir"
)

// States of a run.
const (
	Starting = "starting" // its plan is being made
	Training = "training"
	Judging  = "judging" // trained, and somebody still writes
	Finished = "finished"
	Stopped  = "stopped" // training can go on
	Broken   = "broken"
)

// Entry is what the list says of a run.
type Entry struct {
	Name        string `json:"name"`
	Title       string `json:"title"` // the name, for people
	Game        string `json:"game"`
	Agent       string `json:"agent"` // text of the newest checkpoint's agent; "" where there is none
	State       string `json:"state"`
	Problem     string `json:"problem,omitempty"` // why it is broken
	Generation  int    `json:"generation"`        // finished
	Generations int    `json:"generations"`       // of the plan, or those after which its time was over
	Games       int    `json:"games"`             // of self-play, finished
	Rating      Rating `json:"rating,omitzero"`   // of the newest checkpoint that has one
	// Left is how many seconds training still takes, by the last generations; 0 where that is not known.
	Left    float64 `json:"left,omitempty"`
	Changed int64   `json:"changed,omitempty"` // when the last generation ended or the run was made, seconds since 1970
}

// Rating is a place on the run's ladder, in Elo, with its interval of 95 %.
type Rating struct {
	Generation int     `json:"generation"`
	Value      float64 `json:"value"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

// summary keeps what an entry is made of, so that only what has changed is read.
type summary struct {
	root, dir                string // the watched folder, the run's
	outside                  error  // errOutside where dir leads out of root
	config, metrics, ratings checkpoints.FileWatcher
	entry                    Entry
	last                     int     // generation that ends the run
	share                    float64 // of the time that judging takes
	seconds                  float64 // that were planned, or 0
}

func newSummary(root, name string) *summary {
	dir := filepath.Join(root, filepath.FromSlash(name))
	file := func(name string) checkpoints.FileWatcher {
		return checkpoints.FileWatcher{Path: filepath.Join(dir, name)}
	}
	title := name
	if absolute, err := filepath.Abs(dir); err == nil && name == "." {
		title = filepath.Base(absolute)
	}
	return &summary{
		root: root, dir: dir, entry: Entry{Name: name, Title: title},
		config: file("config.json"), metrics: file("metrics.jsonl"), ratings: file("ratings.json"),
	}
}

// refresh reads what has changed.
func (s *summary) refresh() Entry {
	if s.outside = checkInside(s.root, s.dir); s.outside != nil {
		return Entry{Name: s.entry.Name, Title: s.entry.Title, State: Broken, Problem: s.outside.Error()}
	}
	s.readConfig()
	s.readMetrics()
	s.readRating()
	s.readAgent()
	e := &s.entry
	held := locked(filepath.Join(s.dir, "lock"))
	switch {
	case e.Problem != "" && held && s.last == 0:
		return Entry{Name: e.Name, Title: e.Title, State: Starting}
	case e.Problem != "":
		e.State = Broken
	case held && e.Generation >= s.last:
		e.State = Judging
	case held:
		e.State = Training
	case e.Generation >= s.last:
		e.State = Finished
	default:
		e.State = Stopped
	}
	shown := *e
	if shown.State != Training {
		shown.Left = 0
	}
	if shown.State == Broken {
		shown.Agent = ""
	}
	return shown
}

// readConfig reads the run's game and plan, or why they cannot be read.
func (s *summary) readConfig() {
	changed, err := s.config.Changed()
	if err == nil && !changed {
		return
	}
	e := &s.entry
	e.Problem, e.Game, e.Agent, e.Generations, s.last = "", "", "", 0, 0
	config := new(rundir.Config)
	if err == nil {
		if config, err = rundir.ReadConfig(s.dir); err == nil {
			_, err = games.New(config.Game)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Problem = "it has no config.json"
		if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
			e.Problem = "its folder is gone: deleted, moved or renamed"
		}
	case err != nil:
		e.Problem = err.Error()
	default:
		e.Game, s.last, s.share, s.seconds = config.Game, config.Plan.Last(), config.Settings.RatingShare, config.Plan.Seconds
		e.Generations = s.last
		s.metrics = checkpoints.FileWatcher{Path: s.metrics.Path} // the time that is left follows from both
		if info, err := os.Stat(s.config.Path); err == nil && e.Changed == 0 {
			e.Changed = info.ModTime().Unix()
		}
	}
}

// readMetrics reads how far the run has come.
func (s *summary) readMetrics() {
	changed, err := s.metrics.Changed()
	if err == nil && !changed {
		return
	}
	e := &s.entry
	before := e.Generation
	e.Generation, e.Games, e.Left = 0, 0, 0
	if err != nil {
		return // no generation has ended
	}
	generations, seconds, spent := 0, 0.0, 0.0
	for _, line := range lastLines(s.metrics.Path) {
		var m rundir.Metrics
		if json.Unmarshal(line, &m) == nil && m.Generation > 0 {
			e.Generation, e.Games = m.Generation, m.TotalGames
			generations, seconds, spent = generations+1, seconds+m.PlaySeconds+m.LearnSeconds, m.RunSeconds
		}
	}
	if generations > 0 {
		e.Left = float64(max(s.last-e.Generation, 0)) * seconds / float64(generations) / max(1-s.share, 0.1)
		if s.seconds > 0 && spent > 0 {
			e.Left = min(e.Left, max(s.seconds-spent, 1))
		}
		if !(e.Left >= 0 && e.Left < mostLeft) {
			e.Left = 0
		}
	}
	if info, err := os.Stat(s.metrics.Path); err == nil && e.Generation != before {
		e.Changed = info.ModTime().Unix()
	}
}

// readRating reads the newest rated checkpoint's rating.
func (s *summary) readRating() {
	changed, err := s.ratings.Changed()
	if err == nil && !changed {
		return
	}
	s.entry.Rating = Rating{}
	table, err := rundir.ReadRatings(s.dir)
	if err != nil {
		return // there is none, or the run's view says what is wrong with it
	}
	for _, a := range table.Agents {
		if a.Generation != nil && *a.Generation >= s.entry.Rating.Generation {
			s.entry.Rating = Rating{*a.Generation, a.Rating, a.Low, a.High}
		}
	}
}

// readAgent finds out whether there is a checkpoint.
func (s *summary) readAgent() {
	if s.entry.Agent == "" && len(kept(s.dir)) > 0 {
		s.entry.Agent = "net:" + s.entry.Name
	}
}

// kept are the generations whose checkpoints the run keeps, ascending.
func kept(dir string) []int {
	store, err := checkpoints.Open(filepath.Join(dir, "checkpoints"))
	if err != nil {
		return nil
	}
	ids, err := store.List()
	if err != nil {
		return nil
	}
	return ids
}

// mostLeft, in seconds, is more than any run takes: damaged lines may tell of more, even of what JSON does not know.
const mostLeft = 1e9

const (
	lastBytes = 64 << 10 // of a file of lines, which are some KB long
	lastCount = 10
)

// lastLines returns up to ten whole lines at the end of a file; none where it cannot be read.
func lastLines(path string) [][]byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	start := max(0, info.Size()-lastBytes)
	data := make([]byte, info.Size()-start)
	n, _ := f.ReadAt(data, start)
	lines := bytes.Split(data[:n], []byte{'\n'})
	lines = lines[:len(lines)-1] // what has no end is being written
	if start > 0 && len(lines) > 0 {
		lines = lines[1:]
	}
	return lines[max(0, len(lines)-lastCount):]
}
