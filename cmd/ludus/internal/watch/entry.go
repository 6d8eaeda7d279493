package watch

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

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
	Agent       string  `json:"agent"`          // spec of the newest checkpoint's agent; "" if there is none
	Best        string  `json:"best,omitempty"` // spec of the best checkpoint's agent; "" if there is none
	State       string  `json:"state"`
	Problem     string  `json:"problem,omitempty"`   // why the run is broken
	Generation  int     `json:"generation"`          // completed
	Generations int     `json:"generations"`         // planned, or completed when the time was over
	Games       int     `json:"games"`               // of self-play, completed
	Rating      Rating  `json:"rating,omitzero"`     // of the best checkpoint
	Untrained   bool    `json:"untrained,omitempty"` // it has hardly trained: no step, or few generations, none of them rated
	Left        float64 `json:"left,omitempty"`      // seconds of training left, estimated; 0 is unknown
	Changed     int64   `json:"changed,omitempty"`   // when the last generation ended or the run was created, Unix time
	Curve       *Curve  `json:"curve,omitempty"`     // nil if there is none; equal curves of one run are one pointer
}

// Kinds of curves.
const (
	RatingCurve = "rating" // Elo of the rated checkpoints
	LossCurve   = "loss"   // policy loss plus outcome loss on the validation set, in nats
)

// Curve is a run's learning curve with few points: ratings if two checkpoints have one, else losses. It is immutable.
type Curve struct {
	Kind        string    `json:"kind"`
	Generations []int     `json:"generations"` // ascending
	Values      []float64 `json:"values"`
}

// trainedGenerations is the number of generations from which on a run without ratings counts as trained. Most runs have
// 60 generations or more.
const trainedGenerations = 10

// Rating is a checkpoint's rating in Elo with its 95 % interval.
type Rating struct {
	Generation int     `json:"generation"`
	Value      float64 `json:"value"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

// entryReader keeps a run's entry current. It reads the run's files again only when one of them changed.
type entryReader struct {
	root, dir string   // the watched directory and the run's
	files     runFiles // when entry was read
	entry     Entry    // without the state
	steps     int      // of training, completed
}

// runFiles describes the files that an entry is read from.
type runFiles struct{ config, metrics, ratings fileStamp }

// fileStamp changes whenever a writer changes a file. It is zero if there is no regular file.
type fileStamp struct{ size, modified int64 }

func newEntryReader(root, name string) *entryReader {
	dir := filepath.Join(root, filepath.FromSlash(name))
	title := name
	if absolute, err := filepath.Abs(dir); err == nil && name == "." {
		title = filepath.Base(absolute)
	}
	return &entryReader{root: root, dir: dir, entry: Entry{Name: name, Title: title}}
}

// refresh reads changed files and returns the current entry. A run whose directory is a link out of r.root is Broken.
func (r *entryReader) refresh() Entry {
	e := &r.entry
	if _, err := Resolve(r.root, filepath.FromSlash(e.Name)); errors.Is(err, ErrOutside) {
		return Entry{Name: e.Name, Title: e.Title, State: Broken, Problem: err.Error()}
	}
	files := runFiles{r.stamp(rundir.ConfigFile), r.stamp(rundir.MetricsFile.Name), r.stamp(rundir.RatingsFile)}
	if files != r.files || e.Game == "" { // no game: not read yet, or broken
		before := e.Curve
		r.files, r.entry = files, Entry{Name: e.Name, Title: e.Title}
		r.readProgress(r.readConfig())
		r.readRating()
		if e.Curve == nil && e.Problem == "" {
			r.readLosses()
		}
		if reflect.DeepEqual(e.Curve, before) {
			e.Curve = before
		}
	}
	running, trained := rundir.Locked(r.dir), e.Generation >= e.Generations
	if e.Problem != "" && running { // its files are not written yet
		return Entry{Name: e.Name, Title: e.Title, State: Starting}
	}
	if e.Problem == "" && e.Agent == "" {
		if generations, _ := rundir.Checkpoints(r.dir).List(); len(generations) > 0 {
			e.Agent = agent.NetSpec(e.Name).String()
		}
	}
	now := *e
	now.Untrained = e.Problem == "" && (r.steps == 0 || e.Rating.Generation == 0 && e.Generation < trainedGenerations)
	switch {
	case e.Problem != "":
		now.State = Broken
	case running && trained:
		now.State = Evaluating
	case running:
		now.State = Training
	case trained:
		now.State = Finished
	default:
		now.State = Stopped
	}
	if now.State != Training {
		now.Left = 0
	}
	return now
}

func (r *entryReader) stamp(file string) fileStamp {
	info, err := os.Stat(filepath.Join(r.dir, file))
	if err != nil || !info.Mode().IsRegular() {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime().UnixNano()}
}

// readConfig returns the run's configuration and sets the entry's game and planned generations. If it cannot be read,
// readConfig sets the entry's Problem and returns an empty one.
func (r *entryReader) readConfig() *rundir.Config {
	e := &r.entry
	if r.files.config == (fileStamp{}) {
		e.Problem = "it has no " + rundir.ConfigFile
		if _, err := os.Stat(r.dir); errors.Is(err, fs.ErrNotExist) {
			e.Problem = "its folder is gone: deleted, moved or renamed"
		}
		return new(rundir.Config)
	}
	config, err := rundir.ReadConfig(r.dir)
	if err == nil {
		_, err = games.Restore(config.Game, config.Sheet)
	}
	if err != nil {
		e.Problem = err.Error()
		return new(rundir.Config)
	}
	e.Game, e.Generations = config.Game, config.Plan.Last()
	e.Changed = r.files.config.modified / 1e9
	return config
}

// maxLeft, in seconds, is more than any run takes; estimates from damaged files may exceed it.
const maxLeft = 1e9

// readProgress sets the entry's progress from the metrics, and estimates the time left from the last generations.
func (r *entryReader) readProgress(config *rundir.Config) {
	if r.files.metrics == (fileStamp{}) {
		return // no generation has ended
	}
	e := &r.entry
	r.steps = 0
	generations, seconds, spent := 0, 0.0, 0.0
	for _, m := range rundir.MetricsFile.Tail(r.dir) {
		if m.Generation > 0 {
			e.Generation, e.Games, r.steps = m.Generation, m.TotalGames, m.Steps
			generations, spent = generations+1, m.RunSeconds
			seconds += m.PlaySeconds + m.SolveSeconds + m.LearnSeconds
		}
	}
	if generations == 0 {
		return
	}
	e.Changed = r.files.metrics.modified / 1e9
	mean := seconds / float64(generations)
	e.Left = float64(max(e.Generations-e.Generation, 0)) * mean / max(1-config.Settings.RatingShare, 0.1)
	if limit := config.Plan.Seconds; limit > 0 && spent > 0 {
		e.Left = min(e.Left, max(limit-spent, 1))
	}
	if !(e.Left >= 0 && e.Left < maxLeft) {
		e.Left = 0
	}
}

// readRating sets the entry's rating to that of the best checkpoint still on disk, or of the best one if all
// are gone, and its curve if several are rated. It ignores damaged ratings: the view warns of them.
func (r *entryReader) readRating() {
	if r.files.ratings == (fileStamp{}) {
		return
	}
	ratings, err := rundir.ReadRatings(r.dir)
	if err != nil {
		return
	}
	kept, _ := rundir.Checkpoints(r.dir).List() // none if they cannot be listed
	if best := ratings.Best(); len(best) > 0 {
		i := slices.IndexFunc(best, func(b rundir.Rating) bool { return slices.Contains(kept, *b.Generation) })
		if i >= 0 && r.entry.Problem == "" {
			r.entry.Best = agent.NetSpec(r.entry.Name).String() + "@best"
		}
		b := &best[max(i, 0)]
		r.entry.Rating = Rating{*b.Generation, b.Rating, b.Low, b.High}
	}
	values := make(map[int]float64)
	for _, a := range ratings.Agents {
		if a.Generation != nil {
			values[*a.Generation] = a.Rating
		}
	}
	r.entry.setCurve(RatingCurve, values)
}

// curvePoints is the most points of a curve of losses.
const curvePoints = 40

// maxLoss is more than any loss in nats; sums of losses from damaged files may exceed it.
const maxLoss = 1e6

// readLosses sets the entry's curve from the metrics.
func (r *entryReader) readLosses() {
	values := make(map[int]float64)
	for _, m := range rundir.MetricsFile.Sample(r.dir, curvePoints) {
		if loss := m.ValidationPolicyLoss + m.ValidationOutcomeLoss; m.Generation > 0 && loss > 0 && loss < maxLoss {
			values[m.Generation] = loss
		}
	}
	r.entry.setCurve(LossCurve, values)
}

// setCurve sets the entry's curve to values by generation, if there are at least two and the run can be read.
func (e *Entry) setCurve(kind string, values map[int]float64) {
	if len(values) < 2 || e.Problem != "" {
		return
	}
	e.Curve = &Curve{Kind: kind, Generations: slices.Sorted(maps.Keys(values))}
	for _, generation := range e.Curve.Generations {
		e.Curve.Values = append(e.Curve.Values, values[generation])
	}
}
