package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ludus/checkpoints"
	"ludus/cmd/ludus/internal/static"
	"ludus/train/doctor"
	"ludus/train/rundir"
)

// FileName is the page's name in a run directory.
const FileName = "report.html"

// Write writes the report of the run in dir into that directory. It takes no lock and replaces the file atomically, so
// several processes may write at once. Warnings list what could not be read; the page shows them too. The error is that of
// [ReadRun], or a failed write.
func Write(dir string) (warnings []string, err error) {
	run, err := ReadRun(dir)
	if err != nil {
		return nil, err
	}
	page := run.Page()
	page.Diagnosis, err = doctor.Diagnose(dir)
	if err != nil {
		page.Warnings = append(page.Warnings, err.Error())
	}
	page.Samples, err = readSamples(run)
	if err != nil {
		page.Warnings = append(page.Warnings, err.Error())
	}
	html, err := page.HTML()
	if err == nil {
		err = checkpoints.WriteSharedFile(filepath.Join(dir, FileName), html)
	}
	return page.Warnings, err
}

// Page returns the run's page without diagnosis and sample games.
func (r *Run) Page() *Page {
	p := &Page{Title: r.Game.Name, Subtitle: "Run " + r.Name, Warnings: r.Warnings, Sections: Sections(r), Facts: r.facts()}
	defaults := rundir.DefaultSettings(r.Game)
	ofRun := r.Config.Settings.List()
	for i, s := range defaults.List() {
		value, byDefault := ofRun[i].Text(), s.Text()
		p.Settings = append(p.Settings, Setting{
			Key: s.Key, Value: value, Default: byDefault, Doc: s.Help(), Changed: value != byDefault,
		})
	}
	return p
}

// Compare returns a page that compares runs of one game: how far each was trained, and their learning curves.
func Compare(runs ...*Run) *Page {
	p := &Page{Title: runs[0].Game.Name, Axes: true, Sections: Sections(runs...)}
	var names []string
	for _, r := range runs {
		names = append(names, r.Name)
		for _, w := range r.Warnings {
			p.Warnings = append(p.Warnings, r.Name+": "+w)
		}
		games, seconds := r.Trained(r.Newest())
		trained := time.Duration(seconds * float64(time.Second)).Round(time.Second)
		p.Facts = append(p.Facts, Fact{
			r.Name, fmt.Sprintf("generation %d, %s games, %v of training", r.Newest(), static.Grouped(games), trained),
		})
	}
	p.Subtitle = "Runs " + strings.Join(names, ", ")
	return p
}

// facts summarises the run: its plan, progress, network and game.
func (r *Run) facts() []Fact {
	var facts []Fact
	add := func(name, format string, args ...any) {
		facts = append(facts, Fact{name, fmt.Sprintf(format, args...)})
	}
	g, plan := r.Last(), &r.Config.Plan
	switch {
	case g == nil:
		add("Generations", "none of %d yet", plan.Generations)
	case plan.Stopped > 0 && g.Generation >= plan.Stopped:
		add("Generations", "%d of %d: time limit reached", g.Generation, plan.Generations)
	case g.Generation < plan.Generations:
		add("Generations", "%d of %d", g.Generation, plan.Generations)
	default:
		add("Generations", "%d of %d: finished", g.Generation, plan.Generations)
	}
	add("Size of a generation", "%d plies in each of %d parallel games", plan.PliesPerGeneration, plan.ParallelGames)
	if sizes := r.Config.Settings.Sizes; sizes != 0 {
		add("Sides of boards", "%v; more plies on smaller ones", sizes)
	}
	if plan.Seconds > 0 {
		add("Planned time", "%v", time.Duration(plan.Seconds*float64(time.Second)))
	}
	if g != nil {
		positions, simulations := 0, 0
		for _, g := range r.Generations {
			positions, simulations = positions+g.Positions, simulations+g.Simulations
		}
		add("Training time", "%v", time.Duration(g.Seconds*float64(time.Second)).Round(time.Second))
		add("Games", "%s", static.Grouped(g.TotalGames))
		add("Positions", "%s", static.Grouped(positions))
		add("Simulations", "%s", static.Grouped(simulations))
		add("Training steps", "%s", static.Grouped(g.Steps))
	}
	add("Network", "%d channels x %d blocks", r.Config.Settings.Channels, r.Config.Settings.Blocks)
	add("Newest checkpoint", "%d", r.Newest())
	add("Seed", "%d", r.Config.Seed)
	add("Board", "%d columns x %d rows", r.Game.Tensor.W, r.Game.Tensor.H)
	return facts
}
