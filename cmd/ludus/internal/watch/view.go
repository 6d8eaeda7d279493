package watch

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"ludus/cmd/ludus/internal/report"
	"ludus/train/rundir"
)

// View is what a run's page shows.
type View struct {
	Run         Entry                `json:"run"`
	Facts       []report.Fact        `json:"facts"`
	Sections    []report.Section     `json:"sections"`
	Settings    []report.Setting     `json:"settings"`
	Warnings    []string             `json:"warnings"`
	Matches     []Match              `json:"matches"` // the newest first, at most mostLines
	Checks      []rundir.SuiteResult `json:"checks"`  // likewise
	Checkpoints []int                `json:"checkpoints"`
}

// Match is a line of arena.jsonl.
type Match struct {
	Generation int     `json:"generation"`
	Agent      string  `json:"agent"`
	Opponent   string  `json:"opponent"`
	Final      bool    `json:"final,omitempty"`
	Score      float64 `json:"score"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Wins       int     `json:"wins"`
	Draws      int     `json:"draws"`
	Losses     int     `json:"losses"`
	Games      int     `json:"games"`
	GoalMean   float64 `json:"goal_mean"`
}

// mostLines bounds the tables of a view.
const mostLines = 300

// loaded is a run that somebody looks at.
type loaded struct {
	run     *report.Run
	view    *View
	fault   error     // why it cannot be read
	retryAt time.Time // then
}

// retryEvery is how often a run that cannot be read is tried again.
const retryEvery = 2 * time.Second

// look returns a run's view where it is not what it was, otherwise nil.
func (w *Watcher) look(name string) *View {
	l := w.runs[name]
	if l == nil {
		l = new(loaded)
		w.runs[name] = l
	}
	summary := w.summaryOf(name)
	entry := summary.refresh()
	unread := summary.outside
	if entry.State == Starting {
		unread = errStarting
	}
	changed, err := l.refresh(summary.dir, unread)
	if err != nil && entry.State != Starting && entry.Problem == "" {
		entry.State, entry.Problem = Broken, err.Error()
	}
	if l.view != nil && !changed && l.view.Run == entry {
		return nil
	}
	if changed || l.view == nil {
		l.view = l.show()
	} else {
		l.view = new(*l.view)
	}
	l.view.Run = entry
	return l.view
}

var errStarting = errors.New("it has nothing to read yet")

// refresh reads what the run has got, unless it is not to be read. Of a run that cannot be read nothing is left.
func (l *loaded) refresh(dir string, unread error) (changed bool, err error) {
	if l.run != nil {
		if err = unread; err == nil {
			changed, err = l.run.Refresh()
		}
		if err == nil {
			return changed, nil
		}
		l.run, l.view, l.fault, l.retryAt = nil, nil, err, time.Now().Add(retryEvery)
		return true, err
	}
	if unread != nil {
		l.retryAt = time.Time{} // as soon as it is
		return false, unread
	}
	if time.Now().Before(l.retryAt) {
		return false, l.fault
	}
	l.retryAt = time.Now().Add(retryEvery)
	l.run, l.fault = report.ReadRun(dir)
	return l.fault == nil, l.fault
}

// show makes the view of what was read, of which it shares nothing that changes.
func (l *loaded) show() *View {
	v := &View{Facts: []report.Fact{}, Sections: []report.Section{}, Settings: []report.Setting{}, Warnings: []string{},
		Matches: []Match{}, Checks: []rundir.SuiteResult{}, Checkpoints: []int{}}
	if l.run == nil {
		return v
	}
	page := l.run.Page()
	v.Facts, v.Sections, v.Settings = page.Facts, page.Sections, append(v.Settings, page.Settings...)
	v.Warnings = append(v.Warnings, page.Warnings...)
	for _, m := range slices.Backward(l.run.Matches[max(0, len(l.run.Matches)-mostLines):]) {
		v.Matches = append(v.Matches, Match{
			Generation: m.Generation, Agent: m.Agent, Opponent: m.Opponent, Final: m.Final, Score: m.Score, Low: m.Low, High: m.High,
			Wins: m.Wins, Draws: m.Draws, Losses: m.Losses, Games: m.Games, GoalMean: m.GoalMean,
		})
	}
	for _, c := range slices.Backward(l.run.Suite[max(0, len(l.run.Suite)-mostLines):]) {
		v.Checks = append(v.Checks, c)
	}
	v.Checkpoints = append(v.Checkpoints, kept(l.run.Dir)...)
	return v
}

// Change is how a view differs from an earlier one. What is nil is as it was.
type Change struct {
	Run         Entry                 `json:"run"`
	Facts       []report.Fact         `json:"facts,omitempty"`
	Notes       []string              `json:"notes,omitempty"` // of the sections, in their order
	Charts      []ChartChange         `json:"charts,omitempty"`
	Ladders     []report.Ladder       `json:"ladders,omitempty"`
	Warnings    *[]string             `json:"warnings,omitempty"`
	Matches     *[]Match              `json:"matches,omitempty"`
	Checks      *[]rundir.SuiteResult `json:"checks,omitempty"`
	Checkpoints *[]int                `json:"checkpoints,omitempty"`
}

// ChartChange is a chart whose lines are to be put together from what was there and what is new.
type ChartChange struct {
	report.Chart
	Lines []LineChange `json:"lines"`
}

// LineChange is a line whose first points are the first Keep of the chart's line in the same place, and whose other ones
// are its own.
type LineChange struct {
	report.Line
	Keep int `json:"keep"`
}

// Since returns how v differs from before. It is nil where that cannot be said in a few words: charts have come or gone.
func (v *View) Since(before *View) *Change {
	if !alike(v, before) {
		return nil
	}
	c := &Change{Run: v.Run}
	if !slices.Equal(v.Facts, before.Facts) {
		c.Facts = v.Facts
	}
	for i := range v.Sections {
		now, then := &v.Sections[i], &before.Sections[i]
		c.Notes = append(c.Notes, now.Note)
		for j := range now.Charts {
			if !reflect.DeepEqual(now.Charts[j], then.Charts[j]) {
				c.Charts = append(c.Charts, chartChange(now.Charts[j], then.Charts[j]))
			}
		}
		for j := range now.Ladders {
			if !reflect.DeepEqual(now.Ladders[j], then.Ladders[j]) {
				c.Ladders = append(c.Ladders, now.Ladders[j])
			}
		}
	}
	c.Warnings = changed(v.Warnings, before.Warnings)
	c.Matches = changed(v.Matches, before.Matches)
	c.Checks = changed(v.Checks, before.Checks)
	c.Checkpoints = changed(v.Checkpoints, before.Checkpoints)
	return c
}

// changed is the list where it is not what it was.
func changed[T comparable](now, then []T) *[]T {
	if slices.Equal(now, then) {
		return nil
	}
	return &now
}

// alike reports whether two views have the same sections, charts and ladders.
func alike(a, b *View) bool {
	return slices.EqualFunc(a.Sections, b.Sections, func(a, b report.Section) bool {
		return a.ID == b.ID && len(a.Ladders) == len(b.Ladders) &&
			slices.EqualFunc(a.Charts, b.Charts, func(a, b report.Chart) bool { return a.ID == b.ID })
	}) && len(a.Settings) == len(b.Settings)
}

func chartChange(now, then report.Chart) ChartChange {
	c := ChartChange{Chart: now, Lines: make([]LineChange, len(now.Lines))}
	for i, line := range now.Lines {
		keep := 0
		if i < len(then.Lines) {
			keep = common(&line, &then.Lines[i])
		}
		for _, list := range []*[]float64{&line.X, &line.Y, &line.Low, &line.High} {
			*list = (*list)[min(keep, len(*list)):]
		}
		c.Lines[i] = LineChange{line, keep}
	}
	return c
}

// common is how many points two lines begin with alike.
func common(a, b *report.Line) int {
	if (a.Low == nil) != (b.Low == nil) {
		return 0
	}
	n := min(len(a.X), len(b.X))
	for i := range n {
		if a.X[i] != b.X[i] || a.Y[i] != b.Y[i] || a.Low != nil && (a.Low[i] != b.Low[i] || a.High[i] != b.High[i]) {
			return i
		}
	}
	return n
}
