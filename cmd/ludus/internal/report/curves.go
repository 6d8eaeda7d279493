package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ludus/train/match"
	"ludus/train/rundir"
)

// Section is a part of the page.
type Section struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"`
	Charts  []Chart  `json:"charts"`
	Ladders []Ladder `json:"ladders,omitempty"`
}

// curve is a figure of a generation; ok is false where it was not measured.
type curve struct {
	name string
	of   func(g *Generation) (y float64, ok bool)
}

// plot is a chart of curves by generation.
type plot struct {
	id, title, unit, note string
	low, high             *float64
	curves                []curve
	missing               string // what is missing where no run has a point
	optional              bool   // then it is left out
}

// Bounds of shares.
var zero, one, hundred = new(0.0), new(1.0), new(100.0)

// some is a figure that is not measured where it is 0.
func some(x float64) (float64, bool) { return x, x != 0 }

// percent is a share in per cent, measured where there were games.
func percent(share float64, g *Generation) (float64, bool) { return 100 * share, g.Games > 0 }

const (
	notLearning = "nothing was learned yet"
	heldOut     = "held out: on games that are never learned from"
)

var learningPlots = []plot{
	{id: "policy-loss", title: "Policy loss", unit: "nats", missing: notLearning, note: heldOut, curves: []curve{
		{"held out", func(g *Generation) (float64, bool) { return some(g.ValidationPolicyLoss) }},
		{"taught", func(g *Generation) (float64, bool) { return some(g.PolicyLoss) }},
	}},
	{id: "outcome-loss", title: "Outcome loss", unit: "nats", missing: notLearning, note: heldOut, curves: []curve{
		{"held out", func(g *Generation) (float64, bool) { return some(g.ValidationOutcomeLoss) }},
		{"taught", func(g *Generation) (float64, bool) { return some(g.OutcomeLoss) }},
	}},
	{id: "goals-loss", title: "Goals loss", unit: "squared error", optional: true, curves: []curve{
		{"taught", func(g *Generation) (float64, bool) { return some(g.GoalsLoss) }},
	}},
	{id: "policy-entropy", title: "Policy entropy", unit: "nats", low: zero, missing: "this run did not measure it",
		note: "how undecided the network is on positions held out", curves: []curve{
			{"network", func(g *Generation) (float64, bool) { return some(g.PolicyEntropy) }},
		}},
	{id: "calibration-error", title: "Calibration error", unit: "score", low: zero, missing: "this run did not measure it",
		note: "mean distance of the score expected from the score that came of it", curves: []curve{
			{"network", func(g *Generation) (float64, bool) { return g.CalibrationError, len(g.Calibration) > 0 }},
		}},
}

var speedPlots = []plot{
	{id: "speed", title: "Positions a second", low: zero, missing: "nothing was played yet", note: "while playing", curves: []curve{
		{"self-play", func(g *Generation) (float64, bool) {
			return float64(g.Positions) / max(g.PlaySeconds, 1e-9), g.PlaySeconds > 0
		}},
	}},
	{id: "seconds", title: "Seconds a generation", unit: "s", low: zero, missing: "nothing was played yet", curves: []curve{
		{"playing", func(g *Generation) (float64, bool) { return some(g.PlaySeconds) }},
		{"learning", func(g *Generation) (float64, bool) { return some(g.LearnSeconds) }},
	}},
	{id: "idle", title: "Idle cores", unit: "%", low: zero, missing: "nothing was played yet", note: "share of the cores' time while playing",
		curves: []curve{
			{"idle", func(g *Generation) (float64, bool) { return 100 * g.IdleShare, g.PlaySeconds > 0 }},
		}},
	{id: "evaluations", title: "Evaluations a simulation", low: zero, missing: "nothing was played yet",
		note: "the rest came out of the cache or by the rules", curves: []curve{
			{"network", func(g *Generation) (float64, bool) {
				return float64(g.Evaluations) / float64(max(1, g.Simulations)), g.Simulations > 0
			}},
		}},
}

const noGames = "no game has ended yet"

var replayPlots = []plot{
	{id: "window", title: "Replay window", unit: "positions", low: zero, missing: noGames, curves: []curve{
		{"window", func(g *Generation) (float64, bool) { return some(float64(g.ReplayPositions)) }},
	}},
	{id: "duplicates", title: "Duplicate games", unit: "%", low: zero, missing: noGames, note: "games that repeat another move for move",
		curves: []curve{
			{"of the generation", func(g *Generation) (float64, bool) { return percent(g.Duplicates, g) }},
			{"in the window", func(g *Generation) (float64, bool) {
				if g.InWindow == nil {
					return 0, false
				}
				return 100 * g.InWindow.Duplicates, true
			}},
		}},
	{id: "plies", title: "Length of a game", unit: "plies", low: zero, missing: noGames, curves: []curve{
		{"mean", func(g *Generation) (float64, bool) { return some(g.MeanPlies) }},
	}},
	{id: "first-share", title: "Score of the first player", unit: "%", low: zero, high: hundred, missing: noGames, note: "in self-play",
		curves: []curve{
			{"first", func(g *Generation) (float64, bool) { return percent(g.FirstShare, g) }},
		}},
	{id: "proven", title: "Solved positions", unit: "%", low: zero, missing: noGames, note: "searched positions whose exact value was found",
		curves: []curve{
			{"solved", func(g *Generation) (float64, bool) { return percent(g.Proven, g) }},
		}},
}

// Sections are the charts of runs side by side, and of a single run also its ladders. The game of all runs is the same.
func Sections(runs ...*Run) []Section {
	strength := Section{ID: "strength", Title: "Strength", Charts: []Chart{ratingChart(runs), matchChart(runs), suiteChart(runs)}}
	if len(runs) == 1 {
		strength.Ladders = []Ladder{ratingLadder(runs[0]), matchLadder(runs[0])}
	}
	learning := Section{ID: "learning", Title: "Learning", Charts: generationCharts(learningPlots, runs)}
	learning.Charts = append(learning.Charts, reliabilityChart(runs))
	replay := Section{ID: "replay", Title: "Self-play and replay", Charts: generationCharts(replayPlots, runs)}
	replay.Charts = append(replay.Charts,
		plyChart("distinct-by-ply", "Distinct positions", "%", "share of searched positions not seen before", 100, runs,
			func(d *rundir.Diversity) []float64 { return d.Distinct }),
		plyChart("entropy-by-ply", "Entropy of the policy targets", "nats", "mean over the positions that teach", 1, runs,
			func(d *rundir.Diversity) []float64 { return d.Entropy }))
	speed := Section{ID: "speed", Title: "Speed", Charts: generationCharts(speedPlots, runs)}
	sections := []Section{strength, learning, replay, speed}
	if n := meansOf(runs); n > 1 {
		for i := range sections[1:] {
			sections[1+i].Note = fmt.Sprintf("Long runs are thinned for the eye: a point of a curve is the mean of up to %d generations.", n)
		}
	}
	return sections
}

// meansOf is how many generations a point of the runs' curves stands for at most.
func meansOf(runs []*Run) int {
	most := 0
	for _, run := range runs {
		most = max(most, len(run.Generations))
	}
	return (most + maxPoints - 1) / maxPoints
}

// drawn adds the line of run i's kind-th curve to a chart, if it has points: a single run's lines differ by colour, those
// of several runs by the run's colour, and by dashes.
func (c *Chart) drawn(runs []*Run, i, kind int, line Line) {
	if len(line.X) == 0 {
		return
	}
	if len(runs) > 1 && c.X == byGeneration {
		line.clock(runs[i])
	}
	line.thin()
	if line.Colour = kind; len(runs) > 1 {
		line.Name, line.Colour, line.Dashed = runs[i].Name+": "+line.Name, i, kind > 0
	}
	c.Lines = append(c.Lines, line)
}

// byGeneration is the X of charts over a run's course.
const byGeneration = "generation"

// clock notes how far the run was at each generation that the line has a point for.
func (l *Line) clock(run *Run) {
	for _, x := range l.X {
		games, seconds := run.Trained(int(x))
		l.Games, l.Seconds = append(l.Games, float64(games)), append(l.Seconds, seconds)
	}
}

// told gives a chart without lines the reason for it.
func (c *Chart) told(missing string) Chart {
	if len(c.Lines) == 0 {
		c.Missing = missing
	}
	return *c
}

func generationCharts(plots []plot, runs []*Run) []Chart {
	var charts []Chart
	for _, p := range plots {
		c := Chart{ID: p.id, Title: p.title, Note: p.note, X: byGeneration, Unit: p.unit, Low: p.low, High: p.high}
		for i, run := range runs {
			for kind, curve := range p.curves {
				line := Line{Name: curve.name}
				for j := range run.Generations {
					g := &run.Generations[j]
					if y, ok := curve.of(g); ok {
						line.add(float64(g.Generation), y)
					}
				}
				c.drawn(runs, i, kind, line)
			}
		}
		if len(c.Lines) > 0 || !p.optional {
			charts = append(charts, c.told(p.missing))
		}
	}
	return charts
}

// ratingChart has the checkpoints' ratings and, of a single run, its baselines as level lines.
func ratingChart(runs []*Run) Chart {
	c := Chart{ID: "rating", Title: "Rating", Unit: "Elo", X: byGeneration, Note: "0 is random play; with 95 % intervals of the place in the pool"}
	for i, run := range runs {
		if run.Ratings == nil {
			continue
		}
		checkpoints := slices.DeleteFunc(slices.Clone(run.Ratings.Agents), func(a rundir.Rating) bool { return a.Generation == nil })
		slices.SortFunc(checkpoints, func(a, b rundir.Rating) int { return cmp.Compare(*a.Generation, *b.Generation) })
		line := Line{Name: "checkpoints"}
		for _, a := range checkpoints {
			line.addBetween(float64(*a.Generation), a.Rating, a.Low, a.High)
		}
		c.drawn(runs, i, 0, line)
		if len(runs) == 1 && len(checkpoints) > 0 {
			c.addBaselines(run.Ratings.Agents, line.X)
		}
	}
	return c.told("no ratings yet: ludus rate makes them")
}

// addBaselines draws a level line for each agent that is no checkpoint.
func (c *Chart) addBaselines(agents []rundir.Rating, x []float64) {
	colour := 0
	for _, a := range agents {
		if a.Generation != nil {
			continue
		}
		colour++
		c.Lines = append(c.Lines, Line{
			Name: a.Agent, Colour: colour, Dashed: true, X: x, Y: slices.Repeat([]float64{rounded(a.Rating)}, len(x)),
		})
	}
}

// isCheckpoint says that an agent's text names a network.
func isCheckpoint(agent string) bool {
	return strings.HasPrefix(agent, "net") || strings.HasPrefix(agent, "policy")
}

// isAgainstBaseline says that a line of arena.jsonl is a checkpoint's match against an agent that is none: matches for
// ratings stand there too, of any two agents.
func isAgainstBaseline(m rundir.MatchResult) bool {
	return isCheckpoint(m.Agent) && !isCheckpoint(m.Opponent) && m.Games > 0
}

// matchChart has the scores of checkpoints against each baseline that several of them have met; of several matches of one
// checkpoint the longest.
func matchChart(runs []*Run) Chart {
	c := Chart{ID: "score", Title: "Score against baselines", Unit: "%", X: byGeneration, Low: zero, High: hundred,
		Note: "a draw counts half; with 95 % intervals"}
	for i, run := range runs {
		met := make(map[string]map[int]rundir.MatchResult) // by opponent and generation
		for _, m := range run.Matches {
			if !isAgainstBaseline(m) {
				continue
			}
			if met[m.Opponent] == nil {
				met[m.Opponent] = make(map[int]rundir.MatchResult)
			}
			if m.Games >= met[m.Opponent][m.Generation].Games {
				met[m.Opponent][m.Generation] = m
			}
		}
		kind := 0
		for _, opponent := range slices.Sorted(maps.Keys(met)) {
			if len(met[opponent]) < 2 {
				continue
			}
			line := Line{Name: opponent}
			for _, g := range slices.Sorted(maps.Keys(met[opponent])) {
				m := met[opponent][g]
				line.addBetween(float64(g), 100*m.Score, 100*m.Low, 100*m.High)
			}
			c.drawn(runs, i, kind, line)
			kind++
		}
	}
	return c.told("no checkpoints were judged on the way yet")
}

func suiteChart(runs []*Run) Chart {
	c := Chart{ID: "solver-error", Title: "Error against the solver", Unit: "%", X: byGeneration, Low: zero,
		Note: "moves that give value away, in positions solved exactly where the choice matters; with 95 % intervals"}
	for i, run := range runs {
		lines := []Line{{Name: "net"}, {Name: "policy"}}
		for _, s := range run.Suite {
			for kind := range lines {
				if lines[kind].Name == s.Agent {
					lines[kind].addBetween(float64(s.Generation), 100*s.Error, 100*s.Low, 100*s.High)
				}
			}
		}
		for kind, line := range lines {
			if line.Name == "net" {
				line.Name = "with search"
			} else {
				line.Name = "policy alone"
			}
			c.drawn(runs, i, kind, line)
		}
	}
	return c.told("this run was not checked against solved positions")
}

// reliabilityChart compares expected with actual scores, as the newest generation that measured them has it.
func reliabilityChart(runs []*Run) Chart {
	c := Chart{ID: "reliability", Title: "Value calibration", X: "score expected", Unit: "score", Low: zero, High: one,
		Note: "the score that came of positions held out, by the score that the network expected of them"}
	var ideal Line
	for i, run := range runs {
		for j := range slices.Backward(run.Generations) {
			g := &run.Generations[j]
			if len(g.Calibration) == 0 {
				continue
			}
			var line Line
			positions := 0
			for _, b := range g.Calibration {
				if b.Count > 0 {
					line.add(b.Predicted, b.Actual)
					positions += b.Count
				}
			}
			line.Name = fmt.Sprintf("generation %d, %d positions", g.Generation, positions)
			c.drawn(runs, i, 0, line)
			ideal.X = append(ideal.X, line.X...)
			break
		}
	}
	if len(c.Lines) > 0 {
		ideal.X = append(ideal.X, 0, 1)
		slices.Sort(ideal.X)
		ideal.X = slices.Compact(ideal.X)
		ideal.Name, ideal.Colour, ideal.Dashed, ideal.Y = "ideal", len(runs), true, ideal.X
		c.Lines = append(c.Lines, ideal)
	}
	return c.told("this run did not measure it")
}

// plyChart has a list by ply of the newest generation whose games ended, and of the newest look at the whole window.
func plyChart(id, title, unit, note string, scale float64, runs []*Run, of func(*rundir.Diversity) []float64) Chart {
	c := Chart{ID: id, Title: title, Note: note, X: "ply", Unit: unit, Low: zero}
	for i, run := range runs {
		var newest, window []float64
		for j := range slices.Backward(run.Generations) {
			g := &run.Generations[j]
			if newest == nil && g.Games > 0 {
				newest = of(&g.Diversity)
			}
			if window == nil && g.InWindow != nil {
				window = of(g.InWindow)
			}
		}
		for kind, list := range [][]float64{newest, window} {
			line := Line{Name: []string{"newest generation", "window"}[kind]}
			for len(list) > 0 && list[len(list)-1] == 0 { // plies that no game reached
				list = list[:len(list)-1]
			}
			for ply, y := range list {
				line.add(float64(ply+1), scale*y)
			}
			c.drawn(runs, i, kind, line)
		}
	}
	return c.told(noGames)
}

// mostRated is how many checkpoints a ladder shows, evenly chosen, the newest among them.
const mostRated = 16

func ratingLadder(run *Run) Ladder {
	l := Ladder{ID: "ratings", Title: "Ladder", Unit: "Elo", Note: "0 is random play; 95 % intervals of the place in the pool",
		Missing: "no ratings yet: ludus rate makes them"}
	if run.Ratings == nil {
		return l
	}
	var generations []int
	for _, a := range run.Ratings.Agents {
		if a.Generation != nil {
			generations = append(generations, *a.Generation)
		}
	}
	slices.Sort(generations)
	shown := make(map[int]bool)
	for i := range mostRated {
		if n := len(generations); n > 0 {
			shown[generations[n-1-i*n/mostRated]] = true
		}
	}
	for _, a := range run.Ratings.Agents {
		if a.Generation == nil || shown[*a.Generation] {
			detail := fmt.Sprintf("%d games", a.Games)
			if a.Gone {
				detail += "; no longer kept"
			}
			l.add(Bar{Name: a.Agent, Value: a.Rating, Low: a.Low, High: a.High, Detail: detail, Baseline: a.Generation == nil})
		}
	}
	if hidden := len(generations) - len(shown); hidden > 0 {
		l.Note += fmt.Sprintf("; %d checkpoints between them are left out", hidden)
	}
	return l
}

// matchDetail tells what a score is made of.
func matchDetail(r *match.Result) string {
	text := fmt.Sprintf("%d wins, %d draws, %d losses", r.Wins, r.Draws, r.Losses)
	if r.EloLow < r.EloHigh { // results of old runs have none
		text += "; Elo " + r.EloText()
	}
	if r.Duplicates > 0 {
		text += fmt.Sprintf("; %d duplicate games", r.Duplicates)
	}
	return text
}

// matchLadder has the newest judged generation's matches against baselines: the last one of each.
func matchLadder(run *Run) Ladder {
	l := Ladder{ID: "matches", Title: "Against baselines", Unit: "%", Missing: "no matches were played yet"}
	newest, final := -1, make(map[string]rundir.MatchResult)
	for _, m := range run.Matches {
		if !isAgainstBaseline(m) {
			continue
		}
		if m.Generation > newest {
			newest = m.Generation
			clear(final)
		}
		if m.Generation == newest && (m.Final || !final[m.Opponent].Final) {
			final[m.Opponent] = m
		}
	}
	for _, opponent := range slices.Sorted(maps.Keys(final)) {
		m := final[opponent]
		l.add(Bar{Name: opponent, Value: 100 * m.Score, Low: 100 * m.Low, High: 100 * m.High, Detail: matchDetail(&m.Result)})
	}
	slices.SortStableFunc(l.Bars, func(a, b Bar) int { return cmp.Compare(b.Value, a.Value) })
	if newest >= 0 {
		l.Note = fmt.Sprintf("score of generation %d, a draw counting half; 95 %% intervals", newest)
	}
	return l
}
