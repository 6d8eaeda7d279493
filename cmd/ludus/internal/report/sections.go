package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ludus/checkpoints/zoo"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/shipped"
	"ludus/train/suite"
)

// metric describes a line in a chart by generation. value returns NaN for a generation that did not measure it.
type metric struct {
	name  string
	value func(g *Generation) float64
}

// metricChart describes a chart of metrics, by generation.
type metricChart struct {
	id, title, unit, note string
	min, max              *float64 // ends of the y axis; nil: fit the lines
	metrics               []metric
	missing               string // reason shown if there are no points
	optional              bool   // leave out the chart if there are no points
	allSizes              bool   // the metrics are about boards of all sizes, not about that of a generation
}

var zero, hundred = new(0.0), new(100.0)

// nonZero returns x, or NaN if x is 0, which means not measured.
func nonZero(x float64) float64 { return ifMeasured(x, x != 0) }

// percent returns a share of games or positions as a percentage, or NaN if no game ended in the generation.
func percent(share float64, g *Generation) float64 { return ifMeasured(100*share, g.Games > 0) }

// ifMeasured returns x if it was measured, otherwise NaN, which charts leave out.
func ifMeasured(x float64, measured bool) float64 {
	if !measured {
		return math.NaN()
	}
	return x
}

const (
	noSteps       = "no training step was done yet"
	noGames       = "no game has ended yet"
	notMeasured   = "this run did not measure it"
	onValidation  = "validation: on games that are never trained on"
	noGenerations = "no generation has ended yet"
)

var learningCharts = []metricChart{
	{id: "policy-loss", title: "Policy loss", unit: "nats", missing: noSteps, note: onValidation, metrics: []metric{
		{"validation", func(g *Generation) float64 { return nonZero(g.ValidationPolicyLoss) }},
		{"training", func(g *Generation) float64 { return nonZero(g.PolicyLoss) }},
	}},
	{id: "outcome-loss", title: "Outcome loss", unit: "nats", missing: noSteps, note: onValidation, metrics: []metric{
		{"validation", func(g *Generation) float64 { return nonZero(g.ValidationOutcomeLoss) }},
		{"training", func(g *Generation) float64 { return nonZero(g.OutcomeLoss) }},
	}},
	{id: "goals-loss", title: "Goals loss", unit: "squared error", optional: true, metrics: []metric{
		{"training", func(g *Generation) float64 { return nonZero(g.GoalsLoss) }},
	}},
	{id: "policy-entropy", title: "Policy entropy", unit: "nats", min: zero, missing: notMeasured,
		note: "of the network's policy on the validation set", metrics: []metric{
			{"network", func(g *Generation) float64 { return nonZero(g.PolicyEntropy) }},
		}},
}

var speedCharts = []metricChart{
	{id: "speed", title: "Positions per second", min: zero, missing: noGenerations, note: "in self-play", metrics: []metric{
		{"self-play", func(g *Generation) float64 {
			return ifMeasured(float64(g.Positions)/max(g.PlaySeconds, 1e-9), g.PlaySeconds > 0)
		}},
	}},
	{id: "seconds", title: "Seconds per generation", unit: "s", min: zero, missing: noGenerations, metrics: []metric{
		{"self-play", func(g *Generation) float64 { return nonZero(g.PlaySeconds) }},
		{"learning", func(g *Generation) float64 { return nonZero(g.LearnSeconds) }},
		{"rescoring", func(g *Generation) float64 { return ifMeasured(g.SolveSeconds, g.SolvedShare > 0) }},
	}},
}

var replayCharts = []metricChart{
	{id: "window", title: "Replay window", unit: "positions", min: zero, missing: noGames, allSizes: true, metrics: []metric{
		{"window", func(g *Generation) float64 { return nonZero(float64(g.ReplayPositions)) }},
	}},
	{id: "duplicates", title: "Duplicate games", unit: "%", min: zero, missing: noGames,
		note: "games that repeat another one move for move", metrics: []metric{
			{"of the generation", func(g *Generation) float64 { return percent(g.Duplicates, g) }},
		}},
	{id: "plies", title: "Game length", unit: "plies", min: zero, missing: noGames, metrics: []metric{
		{"mean", func(g *Generation) float64 { return nonZero(g.MeanPlies) }},
	}},
	{id: "first-share", title: "First player's score", unit: "%", min: zero, max: hundred, missing: noGames,
		note: "in self-play", metrics: []metric{
			{"first player", func(g *Generation) float64 { return percent(g.FirstScore, g) }},
		}},
	{id: "proven", title: "Proven positions", unit: "%", min: zero, missing: noGames,
		note: "searched positions whose exact value was found", metrics: []metric{
			{"by the search", func(g *Generation) float64 { return percent(g.Proven, g) }},
			{"after rescoring", func(g *Generation) float64 { return ifMeasured(100*g.SolvedShare, g.SolvedShare > 0) }},
		}},
}

// byGeneration is the label of the x axis in charts by generation.
const byGeneration = "generation"

// Sections returns the charts of one run, or charts that compare several runs of one game. One run that "ludus rate"
// has rated also gets a ladder.
func Sections(runs ...*Run) []Section {
	strength := Section{ID: "strength", Title: "Strength"}
	strength.Charts = []Chart{scoreChart(runs), suiteChart(runs)}
	rated := func(r *Run) bool { return r.Ratings != nil }
	if slices.ContainsFunc(runs, rated) {
		strength.Charts = append(strength.Charts, ratingChart(runs))
	}
	if len(runs) == 1 && rated(runs[0]) {
		strength.Ladders = []Ladder{ratingLadder(runs[0])}
	}
	learning := Section{ID: "learning", Title: "Learning", Charts: metricCharts(learningCharts, runs)}
	replay := Section{ID: "replay", Title: "Self-play and replay window", Charts: metricCharts(replayCharts, runs)}
	speed := Section{ID: "speed", Title: "Speed", Charts: metricCharts(speedCharts, runs)}
	sections := []Section{strength, learning, replay, speed}
	generations := 0
	for _, run := range runs {
		generations = max(generations, len(run.Generations))
	}
	if n := (generations + maxPoints - 1) / maxPoints; n > 1 {
		for i := range sections[1:] {
			sections[1+i].Note = fmt.Sprintf("A point is the mean of up to %d generations.", n)
		}
	}
	return sections
}

// metricCharts plots metrics by generation. A run of several sizes has a line for each size of a chart's first metric
// if it is alone; other lines show its largest board.
func metricCharts(charts []metricChart, runs []*Run) []Chart {
	var drawn []Chart
	for _, m := range charts {
		c := Chart{ID: m.id, Title: m.title, Note: m.note, X: byGeneration, Unit: m.unit, Min: m.min, Max: m.max}
		for i, run := range runs {
			sizes := run.sizes()
			if m.allSizes {
				sizes = []int{0}
			}
			for kind, metric := range m.metrics {
				shown := sizes[:1]
				if kind == 0 && len(runs) == 1 {
					shown = sizes
				}
				for n, size := range shown {
					colour := kind
					if n > 0 {
						colour = len(m.metrics) - 1 + n
					}
					addLine(&c, runs, i, colour, run.curve(metric, size))
				}
			}
		}
		if len(c.Lines) > 0 || !m.optional {
			drawn = append(drawn, finished(c, m.missing))
		}
	}
	return drawn
}

// sizes returns the sides of the boards that the run trains, the largest first; 0 alone if it has one size.
func (r *Run) sizes() []int {
	sizes := []int{0}
	if r.Config != nil && r.Config.Settings.Sizes != 0 {
		sizes = r.Config.Settings.Sizes.List()
		slices.Reverse(sizes)
	}
	return sizes
}

// curve is the line of a metric over the generations on boards with the given side, or over all if it is 0.
func (r *Run) curve(m metric, size int) Line {
	line := Line{Name: m.name}
	if size > 0 {
		line.Name += fmt.Sprintf(" on %dx%[1]d", size)
	}
	for i := range r.Generations {
		g := &r.Generations[i]
		if y := m.value(g); !math.IsNaN(y) && (size == 0 || g.Size == size) {
			line.Add(float64(g.Generation), y)
		}
	}
	return line
}

// ratingNote explains what the ratings and intervals of runs are relative to.
func ratingNote(runs ...*Run) string {
	for _, run := range runs {
		switch {
		case run.Ratings == nil:
		case run.Ratings.Anchor == "":
			return "the scale is that of the agents of known rating; with 95 % intervals"
		case !run.Ratings.Known():
			return "0 is random play; with 95 % intervals of the distance to the pool's centre"
		}
	}
	return "0 is random play; zoo is the shipped agent, zoo,elo=N the same weakened to N; with 95 % intervals"
}

// ratingChart plots the checkpoints' ratings and, for a single run, a horizontal line for the shipped agent and each
// baseline.
func ratingChart(runs []*Run) Chart {
	c := Chart{ID: "rating", Title: "Rating", Note: ratingNote(runs...), Unit: "Elo", X: byGeneration}
	for i, run := range runs {
		if run.Ratings == nil {
			continue
		}
		var checkpoints, baselines []rundir.Rating
		for _, a := range run.Ratings.Agents {
			if a.Generation != nil {
				checkpoints = append(checkpoints, a)
			} else if !a.Weakened() {
				baselines = append(baselines, a)
			}
		}
		slices.SortFunc(checkpoints, func(a, b rundir.Rating) int { return cmp.Compare(*a.Generation, *b.Generation) })
		line := Line{Name: "checkpoints"}
		for _, a := range checkpoints {
			line.AddInterval(float64(*a.Generation), a.Rating, a.Low, a.High)
		}
		addLine(&c, runs, i, 0, line)
		if len(runs) > 1 || len(checkpoints) == 0 {
			continue
		}
		for j, a := range baselines {
			level := slices.Repeat([]float64{rounded(a.Rating)}, len(line.X))
			c.Lines = append(c.Lines, Line{Name: a.Label(), Colour: j + 1, Dashed: true, X: line.X, Y: level})
		}
	}
	return finished(c, "no ratings")
}

// Scores returns the scores of the run's checkpoints against its opponent, by generation.
func (r *Run) Scores() []rundir.Score {
	return rundir.Scores(r.Matches, shipped.Opponent(r.Game), shipped.Digest(r.Game))
}

// scoreChart plots the checkpoints' scores against the run's opponent.
func scoreChart(runs []*Run) Chart {
	c := Chart{ID: "score", Title: "Score against " + shipped.OpponentName(runs[0].Game), Unit: "%", X: byGeneration, Min: zero, Max: hundred,
		Note: "50 is as strong; a draw counts half; with 95 % intervals"}
	for i, run := range runs {
		line := Line{Name: "score"}
		for _, s := range run.Scores() {
			line.AddInterval(float64(s.Generation), 100*s.Value, 100*s.Low, 100*s.High)
		}
		addLine(&c, runs, i, 0, line)
	}
	return finished(c, "no matches yet")
}

// suiteChart plots the share of moves that lose value in the solved positions of a suite, for a single run beside that
// of the shipped agent.
func suiteChart(runs []*Run) Chart {
	c := Chart{ID: "solver-error", Title: "Errors in solved positions", Unit: "%", X: byGeneration, Min: zero,
		Note: "moves that lose value, in positions with known exact values; with 95 % intervals"}
	for i, run := range runs {
		for kind, tested := range []struct{ spec, name string }{{"net", "with search"}, {"policy", "policy alone"}} {
			line := Line{Name: tested.name}
			for _, s := range run.Suite {
				if s.Agent == tested.spec && s.Positions >= suite.MinPositions {
					line.AddInterval(float64(s.Generation), 100*s.Error, 100*s.Low, 100*s.High)
				}
			}
			addLine(&c, runs, i, kind, line)
		}
	}
	if len(runs) == 1 && len(c.Lines) > 0 {
		tested := rundir.TestedGame(runs[0].Suite, runs[0].Game)
		if tested != runs[0].Game.Name {
			c.Note = "on a smaller board, " + tested + ": " + c.Note
		}
		if card := zoo.CardOf(tested); card != nil {
			if e := card.Find("shipped", agent.Zoo); e != nil {
				x := c.Lines[0].X
				level := slices.Repeat([]float64{rounded(100 * e.Error.Value)}, len(x))
				c.Lines = append(c.Lines, Line{Name: "shipped agent, with search", Colour: 2, Dashed: true, X: x, Y: level})
			}
		}
	}
	return finished(c, fmt.Sprintf("not tested in %d solved positions yet", suite.MinPositions))
}

// maxLadder is the largest number of checkpoints in the rating ladder: the newest, and earlier ones evenly spaced.
const maxLadder = 16

// ratingLadder shows the ratings of a run's agents, with at most maxLadder checkpoints.
func ratingLadder(run *Run) Ladder {
	l := Ladder{ID: "ratings", Title: "Ratings", Note: ratingNote(run), Unit: "Elo"}
	var generations []int
	for _, a := range run.Ratings.Agents {
		if a.Generation != nil {
			generations = append(generations, *a.Generation)
		}
	}
	slices.Sort(generations)
	shown := make(map[int]bool)
	for i := range maxLadder {
		if n := len(generations); n > 0 {
			shown[generations[n-1-i*n/maxLadder]] = true // from the newest back; if there are few, some several times
		}
	}
	for _, a := range run.Ratings.Agents {
		if a.Generation == nil || shown[*a.Generation] {
			detail := fmt.Sprintf("%d games", a.Games)
			switch {
			case a.Gone && a.Generation == nil:
				detail += "; outside program"
			case a.Gone:
				detail += "; checkpoint deleted"
			}
			if a.Label() != a.Agent {
				detail += "; " + a.Agent
			}
			l.Bars = append(l.Bars, Bar{
				Name: a.Label(), Value: rounded(a.Rating), Low: rounded(a.Low), High: rounded(a.High), Interval: a.Interval(),
				Detail: detail, Baseline: a.Generation == nil,
			})
		}
	}
	if hidden := len(generations) - len(shown); hidden > 0 {
		l.Note += fmt.Sprintf("; %d more checkpoints are not shown", hidden)
	}
	return l
}

// MatchDetail describes a result: wins, draws and losses, the Elo difference, and duplicate games.
func MatchDetail(r *match.Result) string {
	text := fmt.Sprintf("%d wins, %d draws, %d losses", r.Wins, r.Draws, r.Losses)
	if elo := r.EloText(); r.EloLow < r.EloHigh && elo != match.UnknownElo {
		text += "; Elo " + elo
	}
	if r.Duplicates > 0 {
		text += fmt.Sprintf("; %d duplicate games", r.Duplicates)
	}
	return text
}
