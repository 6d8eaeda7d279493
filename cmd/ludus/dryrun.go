package main

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"ludus/checkpoints/zoo"
	"ludus/cmd/ludus/internal/bench"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
	"ludus/train"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// dryRunPlan is the output of "train --dry-run": estimates for the whole run.
type dryRunPlan struct {
	Game          string         `json:"game"`
	Run           string         `json:"run"`
	Generation    int            `json:"generation"` // generations done so far; 0 in a new run
	Seconds       float64        `json:"seconds"`
	CPU           bool           `json:"cpu"` // Seconds are CPU time
	Threads       int            `json:"threads"`
	Sizes         rundir.Sizes   `json:"sizes,omitempty"` // sides of the boards, ascending; empty if only the game's
	Channels      int            `json:"channels"`
	Blocks        int            `json:"blocks"`
	Parameters    int            `json:"parameters"`
	Generations   int            `json:"generations"`
	Plies         int            `json:"plies_per_generation"` // plies by which a generation advances each game
	ParallelGames int            `json:"parallel_games"`
	Games         int            `json:"games"` // finished games
	Positions     int            `json:"positions"`
	Samples       int            `json:"samples"`
	CPUShare      float64        `json:"cpu_share,omitempty"` // see train.Preview
	Import        *rundir.Import `json:"import,omitempty"`    // games of others that the run learns from first
	Recorded      []zoo.Trained  `json:"recorded,omitempty"`  // results of trainings on the game's card, ascending by positions
}

// dryRun prints what training with the options would do.
func dryRun(cmd *cobra.Command, o train.Options, asJSON bool) error {
	p := newProgress(cmd)
	defer p.close()
	o.Observe = (&watcher{progress: p, game: o.Game}).show
	recorded := recordedTrainings(o.Game)
	preview, err := train.DryRun(cmd.Context(), o, sampleShare(recorded))
	if err != nil {
		return err
	}
	p.close()
	plan := newPlan(&o, preview, recorded)
	if asJSON {
		return printJSON(cmd, plan)
	}
	plan.write(cmd.OutOrStdout())
	return nil
}

// recordedTrainings returns the results of trainings on a game's card, ascending by positions.
func recordedTrainings(game *env.Game) []zoo.Trained {
	if card := zoo.CardOf(game.Name); card != nil {
		return card.Curve
	}
	return nil
}

// sampleShare returns the mean share that recorded trainings took of the samples due, which are positions times
// samples_per_position; 0 without trainings.
func sampleShare(recorded []zoo.Trained) (share float64) {
	for _, t := range recorded {
		share += float64(t.Samples) / float64(t.Positions) / t.SamplesPerPosition / float64(len(recorded))
	}
	return share
}

// meanLength returns the mean number of positions per game in recorded trainings; 0 without any.
func meanLength(recorded []zoo.Trained) (length float64) {
	for _, t := range recorded {
		length += float64(t.Positions) / float64(t.Games) / float64(len(recorded))
	}
	return length
}

// newPlan converts a preview of training into the plan to print.
func newPlan(o *train.Options, f *train.Preview, recorded []zoo.Trained) *dryRunPlan {
	s, c := &f.Config.Settings, &f.Config.Plan
	p := &dryRunPlan{
		Game: o.Game.Name, Run: o.Dir, Generation: f.Generation, Seconds: f.Seconds, CPU: c.CPU, Threads: o.Threads, Sizes: s.Sizes,
		Channels: s.Channels, Blocks: s.Blocks, Parameters: f.Parameters, Generations: f.Generations,
		Plies: c.PliesPerGeneration, ParallelGames: c.ParallelGames, Games: f.Games, Positions: f.Positions, Samples: f.Samples,
		CPUShare: f.CPUShare, Import: f.Config.Import, Recorded: recorded,
	}
	if p.Games == 0 { // unknown early in a run
		p.Games = int(float64(p.Positions) / cmp.Or(meanLength(recorded), float64(o.Game.UsualPlies)/2))
	}
	return p
}

// write prints the plan for people.
func (p *dryRunPlan) write(w io.Writer) {
	kind := ""
	if p.CPU {
		kind = " of CPU time"
	}
	what := "a new run in " + p.Run
	if p.Generation > 0 {
		what = fmt.Sprintf("the run %s, generation %d so far", p.Run, p.Generation)
	}
	fmt.Fprintf(w, "%s for %s%s on %d cores: %s. Nothing was changed.\n\n",
		p.Game, rundir.ShortDuration(seconds(p.Seconds)), kind, p.Threads, what)
	table := leftTable(w)
	fmt.Fprintf(table, "network\t%d channels, %d blocks, %s parameters\n", p.Channels, p.Blocks, static.Grouped(p.Parameters))
	more := ""
	if p.Sizes != 0 {
		fmt.Fprintf(table, "boards\t%s, from small to large\n", p.Sizes.Boards())
		more = " (more on smaller boards)"
	}
	fmt.Fprintf(table, "generations\tabout %s, each of %s plies%s in %s parallel games\n",
		static.Grouped(p.Generations), static.Grouped(p.Plies), more, static.Grouped(p.ParallelGames))
	fmt.Fprintf(table, "games\tabout %s\n", roughly(float64(p.Games)))
	fmt.Fprintf(table, "positions\tabout %s, %s per second\n", roughly(float64(p.Positions)),
		roughly(float64(p.Positions)/p.Seconds))
	fmt.Fprintf(table, "samples\tabout %s, %s per second\n", roughly(float64(p.Samples)), roughly(float64(p.Samples)/p.Seconds))
	table.Flush()
	if p.CPUShare > 0 && p.CPUShare < bench.BusyShare {
		fmt.Fprintf(w, "\nThis machine is busy: ludus got %.0f %% of the CPU time that it could use. On a quiet one\n"+
			"a run does more in an hour.\n", 100*p.CPUShare)
	}
	p.writeRecorded(w)
}

// writeRecorded prints the results of trainings on the game's card.
func (p *dryRunPlan) writeRecorded(w io.Writer) {
	if len(p.Recorded) == 0 {
		fmt.Fprintf(w, "\nNo training of %s is recorded; training will measure its strength.\n", p.Game)
		return
	}
	fmt.Fprintf(w, "\nRecorded trainings of %s, each a single run of an earlier version. Errors are shares of moves "+
		"that lose\nvalue in the shipped suite (95 %% intervals):\n", p.Game)
	table := leftTable(w)
	fmt.Fprintln(table, "positions\tnetwork\tnetwork alone\t64 simulations\tcommand")
	for _, t := range p.Recorded {
		fmt.Fprintf(table, "%s\t%dx%d\t%s\t%s\t%s\n", roughly(float64(t.Positions)), t.Channels, t.Blocks,
			percent(stats.Estimate(t.Alone)), percent(stats.Estimate(t.Search)), t.Command)
	}
	table.Flush()
}

// roughly formats a number with two digits: 1.5 million, 290,000, 770.
func roughly(x float64) string {
	if x >= 1 && x < 1e6 {
		unit := math.Pow(10, math.Floor(math.Log10(x))-1)
		return static.Grouped(int(math.Round(x/unit) * unit))
	}
	return amount(x)
}
