package report

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"ludus/checkpoints"
	"ludus/model/infer"
)

// FileName is the page's name in a run's folder, and PlotsName that of the folder of plots.
const (
	FileName  = "report.html"
	PlotsName = "plots"
)

// Depth is how much work a report is.
type Depth int

const (
	// Quick leaves out what takes time, sample games and SVG files: milliseconds, between generations.
	Quick Depth = iota
	// Full has everything: a second or a few.
	Full
)

// Write writes the report of the run at dir into its folder. It takes no lock: each file is replaced as a whole, whoever
// else is writing it. What of the run could not be read is in the warnings, and on the page. The error is ctx's, that of a
// folder that holds no run, or of writing.
func Write(ctx context.Context, dir string, depth Depth) (warnings []string, err error) {
	run, err := ReadRun(dir)
	if err != nil {
		return nil, err
	}
	page := run.Page()
	switch {
	case run.Weights == nil:
		page.NoGames = "no checkpoint can be read"
	case depth == Quick:
		page.NoGames = "games are played when training ends; ludus report plays some now"
	default:
		if page.Games, err = PlaySamples(ctx, run); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			page.NoGames = err.Error()
		}
	}
	html, err := page.HTML()
	if err == nil {
		err = checkpoints.WriteSharedFile(filepath.Join(dir, FileName), html)
	}
	if err == nil && depth == Full {
		err = writePlots(filepath.Join(dir, PlotsName), page.Sections)
	}
	return run.Warnings, err
}

// writePlots writes every chart and ladder that has something to show.
func writePlots(dir string, sections []Section) error {
	if err := checkpoints.MkdirAll(dir); err != nil {
		return err
	}
	write := func(id string, draw func() ([]byte, error)) error {
		data, err := draw()
		if err != nil {
			return fmt.Errorf("plot %s: %w", id, err)
		}
		return checkpoints.WriteSharedFile(filepath.Join(dir, id+".svg"), data)
	}
	for _, s := range sections {
		for _, c := range s.Charts {
			if c.Missing != "" {
				continue
			}
			if err := write(c.ID, c.SVG); err != nil {
				return err
			}
		}
		for _, l := range s.Ladders {
			if len(l.Bars) == 0 {
				continue
			}
			if err := write(l.ID, l.SVG); err != nil {
				return err
			}
		}
	}
	return nil
}

// Page puts together what a run's page shows, its games aside.
func (r *Run) Page() *Page {
	p := &Page{Title: r.Game.Name, Subtitle: "Run " + r.Name, Warnings: r.Warnings, Sections: Sections(r), Facts: r.facts()}
	if r.Config != nil {
		p.Settings = settingsOf(r.Game, r.Config)
	}
	return p
}

// facts are what the run has come to, which any machine would have come to as well, and its time.
func (r *Run) facts() []Fact {
	var facts []Fact
	add := func(name, format string, args ...any) {
		facts = append(facts, Fact{name, fmt.Sprintf(format, args...)})
	}
	g, config := r.newest(), r.Config
	switch {
	case g == nil:
		add("Generations", "none yet")
	case config != nil && config.Plan.Stopped > 0 && g.Generation >= config.Plan.Stopped:
		add("Generations", "%d of %d: the time was over", g.Generation, config.Plan.Generations)
	case config != nil && g.Generation < config.Plan.Generations:
		add("Generations", "%d of %d", g.Generation, config.Plan.Generations)
	default:
		add("Generations", "%d, all that were planned", g.Generation)
	}
	if config != nil && config.Plan.ParallelGames > 0 {
		add("A generation", "%d plies in each of %d games", config.Plan.PliesPerGeneration, config.Plan.ParallelGames)
	}
	if config != nil && config.Plan.Seconds > 0 {
		add("Time planned", "%v", time.Duration(config.Plan.Seconds*float64(time.Second)))
	}
	if g != nil {
		positions, simulations, seconds := 0, 0, 0.0
		for _, g := range r.Generations {
			positions, simulations, seconds = positions+g.Positions, simulations+g.Simulations, seconds+g.PlaySeconds+g.LearnSeconds
		}
		add("Playing and learning", "%v", time.Duration(seconds*float64(time.Second)).Round(time.Second))
		add("Games", "%s", grouped(float64(g.TotalGames)))
		add("Positions", "%s", grouped(float64(positions)))
		add("Simulations", "%s", grouped(float64(simulations)))
		add("Learner's steps", "%s", grouped(float64(g.Steps)))
	}
	if w := r.Weights; w != nil {
		add("Network", "%d channels x %d blocks, %s parameters", w.Config.Channels, w.Config.Blocks, grouped(float64(parameters(w))))
		add("Newest checkpoint", "%d", r.Origin.Generation)
	}
	if config != nil {
		add("Seed", "%d", config.Seed)
	}
	add("Board", "%d x %d, %d actions, %d outcomes", r.Game.Tensor.H, r.Game.Tensor.W, r.Game.NumActions(), len(r.Game.Classes))
	return facts
}

// parameters is the number of weights in a network.
func parameters(w *infer.Weights) int {
	n := 0
	for i := range w.Tensors {
		n += len(w.Tensors[i].Data)
	}
	return n
}

// grouped writes x without decimals and, from five digits on, with a thin space between thousands.
func grouped(x float64) string {
	text, sign := fmt.Sprintf("%.0f", math.Abs(x)), ""
	if x < 0 {
		sign = "-"
	}
	if len(text) < 5 {
		return sign + text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return sign + text
}
