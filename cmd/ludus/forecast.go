package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ludus/checkpoints/zoo"
	"ludus/cmd/ludus/internal/bench"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
	"ludus/train"
	"ludus/train/forecast"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// plan is what "train --dry-run" prints. Counts are those of the whole run, estimated.
type plan struct {
	Game          string             `json:"game"`
	Run           string             `json:"run"`
	Generation    int                `json:"generation"` // done so far; 0 in a new run
	Seconds       float64            `json:"seconds"`
	CPU           bool               `json:"cpu"` // Seconds are CPU time
	Threads       int                `json:"threads"`
	Channels      int                `json:"channels"`
	Blocks        int                `json:"blocks"`
	Parameters    int                `json:"parameters"`
	Generations   int                `json:"generations"`
	Plies         int                `json:"plies_per_generation"` // of each game
	ParallelGames int                `json:"parallel_games"`
	Games         int                `json:"games"`                    // finished
	AtLeast       bool               `json:"games_at_least,omitempty"` // Games is the least to expect
	Positions     int                `json:"positions"`
	Samples       int                `json:"samples"`
	CPUShare      float64            `json:"cpu_share,omitempty"` // see train.Forecast
	Expected      []expectedStrength `json:"expected,omitempty"`
	NotExpected   string             `json:"not_expected,omitempty"` // why Expected is empty
	Recorded      string             `json:"recorded,omitempty"`     // which program made the trainings that Expected follows from
	RecordedSpeed *recordedSpeed     `json:"recorded_speed,omitempty"`
}

// recordedSpeed is how fast recorded trainings with the plan's network size and samples per position were, in samples per
// second and core.
type recordedSpeed struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// expectedStrength is the strength to expect after a training of Seconds. Errors are shares of moves that lose value in
// the shipped suite.
type expectedStrength struct {
	Seconds      float64       `json:"seconds"`
	Alone        zoo.Estimate  `json:"alone"`            // the network without search
	Search       zoo.Estimate  `json:"search"`           // with 64 simulations
	Rating       *zoo.Estimate `json:"rating,omitempty"` // likewise, in Elo above random moves
	Extrapolated bool          `json:"extrapolated"`
}

// curveOf returns the curve of a game's recorded trainings; nil if there are too few.
func curveOf(game *env.Game) *forecast.Curve {
	if card := zoo.CardOf(game.Name); card != nil {
		return forecast.NewCurve(card.Curve)
	}
	return nil
}

// curveFor returns the curve that a run should follow; nil and the reason if there is none.
func curveFor(game *env.Game, config *rundir.Config) (c *forecast.Curve, reason string) {
	if c = curveOf(game); c == nil {
		return nil, fmt.Sprintf("no trainings of %s are recorded. The run's ratings will show its strength", game.Name)
	}
	if reason = train.WhyNotPlain(game, config); reason != "" {
		return nil, reason
	}
	return c, ""
}

// dryRun prints what training with these options would do.
func dryRun(cmd *cobra.Command, o train.Options, asJSON bool) error {
	p := newProgress(cmd)
	defer p.close()
	o.Observe = func(e train.Event) {
		if e.Progress != nil {
			p.show(status{detail: "measuring this machine's speed"})
		}
	}
	f, err := train.DryRun(cmd.Context(), o, func(config *rundir.Config) float64 { return samplesPerPosition(o.Game, config) })
	if err != nil {
		return err
	}
	p.close()
	plan := newPlan(&o, f)
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(plan)
	}
	plan.write(cmd.OutOrStdout())
	return nil
}

// samplesPerPosition returns how many samples of a position the run should draw, by recorded trainings; 0 if there are none.
func samplesPerPosition(game *env.Game, config *rundir.Config) float64 {
	if c, _ := curveFor(game, config); c != nil {
		return c.SampleShare * config.Settings.SamplesPerPosition
	}
	return 0
}

// newPlan describes a forecast. For a new run the errors are also those of shorter and longer runs.
func newPlan(o *train.Options, f *train.Forecast) *plan {
	s, c := &f.Config.Settings, &f.Config.Plan
	p := &plan{
		Game: o.Game.Name, Run: o.Dir, Generation: f.Generation, Seconds: f.Seconds, CPU: c.CPU, Threads: o.Threads,
		Channels: s.Channels, Blocks: s.Blocks, Parameters: f.Parameters, Generations: f.Generations,
		Plies: c.PliesPerGeneration, ParallelGames: c.ParallelGames, Games: f.Games, Positions: f.Positions, Samples: f.Samples,
		CPUShare: f.CPUShare,
	}
	curve, reason := curveFor(o.Game, &f.Config)
	if p.Games == 0 {
		length := float64(o.Game.UsualPlies) // most games are shorter
		if recorded := curveOf(o.Game); recorded != nil {
			length = recorded.PositionsPerGame
		} else {
			p.AtLeast = true
		}
		p.Games = int(float64(p.Positions) / length)
	}
	if p.NotExpected = reason; curve == nil {
		return p
	}
	recorded := zoo.CardOf(o.Game.Name).Curve
	p.Recorded, p.RecordedSpeed = recordedBy(recorded), speedOf(recorded, s)
	lengths := []float64{0.25, 0.5, 1, 2} // the work is about proportional to the time
	if f.Generation > 0 {
		lengths = []float64{1}
	}
	work := forecast.Work(p.Positions, p.Channels, p.Blocks)
	for _, length := range lengths {
		e := curve.Strength(length * work)
		p.Expected = append(p.Expected, expectedStrength{length * p.Seconds, e.Alone, e.Search, e.Rating, e.Extrapolated})
	}
	return p
}

// write prints the plan for people.
func (p *plan) write(w io.Writer) {
	kind := ""
	if p.CPU {
		kind = " of CPU time"
	}
	what := "a new run in " + p.Run
	if p.Generation > 0 {
		what = fmt.Sprintf("the run %s, generation %d so far", p.Run, p.Generation)
	}
	fmt.Fprintf(w, "%s for %s%s on %d cores: %s. Nothing was changed.\n\n", p.Game, about(p.Seconds), kind, p.Threads, what)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "network\t%d channels, %d blocks, %s parameters\n", p.Channels, p.Blocks, static.Grouped(p.Parameters))
	fmt.Fprintf(table, "generations\tabout %s, each of %s plies in %s parallel games\n",
		static.Grouped(p.Generations), static.Grouped(p.Plies), static.Grouped(p.ParallelGames))
	games := "about"
	if p.AtLeast {
		games = "at least"
	}
	fmt.Fprintf(table, "games\t%s %s\n", games, roughly(float64(p.Games)))
	for _, row := range []struct {
		name  string
		total float64
	}{{"positions", float64(p.Positions)}, {"samples", float64(p.Samples)}} {
		fmt.Fprintf(table, "%s\tabout %s, %s per second\n", row.name, roughly(row.total), roughly(row.total/p.Seconds))
	}
	table.Flush()
	if p.CPUShare > 0 && p.CPUShare < bench.BusyShare {
		effect := "runs do more, and become stronger than\nexpected here"
		if p.CPU {
			effect = "runs take less time on the\nclock"
		}
		fmt.Fprintf(w, "\nThis machine is busy: ludus got %.0f %% of the CPU time that it could use. On a quiet one %s.\n", 100*p.CPUShare, effect)
	}
	if p.NotExpected != "" {
		fmt.Fprintf(w, "\nNo expected strength: %s.\n", p.NotExpected)
		return
	}
	what, header := "", "length\tnetwork alone\t64 simulations"
	if p.Expected[0].Rating != nil {
		what, header = ", and Elo above random moves", header+"\tElo with 64 simulations"
	}
	fmt.Fprintf(w, "\nExpected: share of moves that lose value in the shipped suite%s:\n", what)
	fmt.Fprintln(table, header)
	for _, e := range p.Expected {
		note := ""
		if e.Extrapolated {
			note = "\t" + beyond
		}
		alone, search := percent(stats.Estimate(e.Alone)), percent(stats.Estimate(e.Search))
		rating := ""
		if e.Rating != nil {
			rating = fmt.Sprintf("\t%.0f (%.0f to %.0f)", e.Rating.Value, e.Rating.Low, e.Rating.High)
		}
		fmt.Fprintf(table, "%s\t%s\t%s%s%s\n", about(e.Seconds), alone, search, rating, note)
	}
	table.Flush()
	speed := ""
	if p.RecordedSpeed != nil {
		speed = ",\n" + p.RecordedSpeed.String()
	}
	fmt.Fprintf(w, "Most runs should end within these ranges. They follow from trainings of the game by %s%s.\n"+
		"\"ludus games %s --json\" lists these trainings as zoo.curve.\n", p.Recorded, speed, p.Game)
}

// recordedBy says which program made recorded trainings. Those without a commit are older than the methods of today.
func recordedBy(trained []zoo.Trained) string {
	commits := make(map[string]bool)
	for i := range trained {
		commits[trained[i].Commit] = true
	}
	if commits[""] {
		return "an earlier version of ludus"
	}
	return "ludus at commit " + strings.Join(slices.Sorted(maps.Keys(commits)), " and ")
}

// speedOf returns how fast recorded trainings were that have the network's size and the samples per position of s; nil if
// there are none.
func speedOf(trained []zoo.Trained, s *rundir.Settings) (speed *recordedSpeed) {
	for i := range trained {
		t := &trained[i]
		if t.Channels != s.Channels || t.Blocks != s.Blocks || t.SamplesPerPosition != s.SamplesPerPosition {
			continue
		}
		x := float64(t.Samples) / t.Seconds / float64(t.Cores)
		if speed == nil {
			speed = &recordedSpeed{x, x}
		}
		speed.Low, speed.High = min(speed.Low, x), max(speed.High, x)
	}
	return speed
}

// String says how fast they were, as a clause.
func (s *recordedSpeed) String() string {
	text := roughly(s.Low)
	if high := roughly(s.High); high != text {
		text += " to " + high
	}
	return fmt.Sprintf("which learned from %s samples per second on each core", text)
}

// roughly formats a number with two digits: 1.5 million, 290,000, 770.
func roughly(x float64) string {
	if x >= 1 && x < 1e6 {
		unit := math.Pow(10, math.Floor(math.Log10(x))-1)
		return static.Grouped(int(math.Round(x/unit) * unit))
	}
	return amount(x)
}

// about formats a length in seconds with two or three digits.
func about(x float64) string {
	d := seconds(x)
	switch {
	case d >= time.Hour:
		d = d.Round(time.Minute)
	case d >= time.Second:
		d = d.Round(time.Second)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// beyond marks a forecast for less or more training than any recorded one.
const beyond = "less or more training than was recorded: a guess"

// expectation returns what the errors of a run will be at its end, for its status and as a line of the log; "" if they
// cannot be expected. positions are those that it will have played.
func expectation(game *env.Game, config *rundir.Config, positions int) (short, line string) {
	c, _ := curveFor(game, config)
	if c == nil {
		return "", ""
	}
	e := c.Strength(forecast.Work(positions, config.Settings.Channels, config.Settings.Blocks))
	alone, search := percent(stats.Estimate(e.Alone)), percent(stats.Estimate(e.Search))
	kind := "expected"
	if e.Extrapolated {
		kind = "guessed"
	}
	short = fmt.Sprintf("%s at the end: error %.2f %% (%.2f to %.2f)", kind, 100*e.Search.Value, 100*e.Search.Low, 100*e.Search.High)
	line = fmt.Sprintf("expected at the end: moves lose value in %s of solved positions, with 64 simulations in %s", alone, search)
	if r := e.Rating; r != nil {
		short += fmt.Sprintf(", rating %.0f", r.Value)
		line += fmt.Sprintf(", rating %.0f (%.0f to %.0f)", r.Value, r.Low, r.High)
	}
	if e.Extrapolated {
		line += "; " + beyond
	}
	return short, line
}
